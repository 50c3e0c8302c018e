// foil uninstall: takes our hooks out of the hosts' settings, and nothing else. The ledger stays.

import { AGENTS, agentsOf, placesOf, scopeOf, titleOf } from '../../app/index.ts';
import { applyPlan, type Plan, planUninstall, SCOPES } from '../../capture/settings/index.ts';
import { ParseError, StoreError } from '../../core/index.ts';
import { harmless, unifiedDiff } from '../../report/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { recordHooks } from '../record-hooks.ts';

export const uninstall: Command = {
  name: 'uninstall',
  summary: "remove foil's hooks from the agents' settings, and keep the ledger",
  usage: '[AGENT…] [--scope SCOPE] [--dry-run]',
  arguments: [0, AGENTS.length],
  options: {
    scope: { type: 'string', value: 'SCOPE', help: `only this scope: ${SCOPES.join(', ')} (default: all)` },
    'dry-run': { type: 'boolean', help: 'show what would change, without changing it' },
  },
  examples: ['foil uninstall', 'foil uninstall claude-code --scope user'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values } = context;
  const places = placesOf(context);
  const agents = context.arguments.length > 0 ? agentsOf(context.arguments) : AGENTS;
  const text = values.text('scope');
  const scopes = text === undefined ? SCOPES : [scopeOf(text)];
  const dry = values.flag('dry-run');
  const problems: string[] = [];
  const all = agents.flatMap((agent) =>
    scopes.flatMap((scope) => {
      try {
        return [planUninstall(agent, scope, places)];
      } catch (error) {
        // One file that can't be read, perhaps of an agent that never had hooks of ours, must not keep the others.
        if (!(error instanceof ParseError || error instanceof StoreError)) throw error;
        problems.push(error.message);
        return [];
      }
    }),
  );
  // Two scopes may share a file.
  const plans = all.filter(
    (plan, index) => plan.change !== 'none' && all.findIndex(({ path }) => path === plan.path) === index,
  );
  const unrecorded = dry ? [] : await recordHooks('uninstall', plans, context);
  if (!dry) for (const plan of plans) apply(plan, places);
  const lines = plans.map((plan) => {
    const done = plan.change === 'remove' ? 'removed' : 'changed back';
    const line = harmless(`${titleOf(plan.agent)}: ${plan.path} ${dry ? `would be ${done}` : done}`);
    return `${line}\n${dry ? withoutTokens(unifiedDiff(plan.path, plan.before, plan.after)) : ''}`;
  });
  const note =
    dry || plans.length === 0
      ? ''
      : '\nRestart running agents: they keep their hooks until then. The ledger stays.\n';
  const left = [...new Set(problems)];
  const told = left.map((problem) => `not changed: ${harmless(problem)}\n`).join('');
  const silent = unrecorded.map((problem) => `${harmless(problem)}\n`).join('');
  const none = left.length === 0 ? 'There are no hooks to remove.\n' : '';
  return {
    exit: left.length === 0 ? EXIT.FINE : EXIT.FAILED,
    json: {
      dry_run: dry,
      agents: plans.map(({ agent, scope, path, change }) => ({ agent, scope, path, change })),
      problems: left,
      ...(unrecorded.length === 0 ? {} : { unrecorded }),
    },
    text: `${plans.length === 0 ? none : `${lines.join('')}${note}`}${told}${silent}`,
  };
}

function apply(first: Plan, places: Parameters<typeof planUninstall>[2]): void {
  for (let plan = first, tries = 0; !applyPlan(plan); plan = planUninstall(plan.agent, plan.scope, places)) {
    if (++tries === 3)
      throw new StoreError('IO', `${plan.path} keeps being changed by another program. Try again later.`);
  }
}

function withoutTokens(diff: string): string {
  return diff.replace(/Bearer [0-9a-f]{64}/g, 'Bearer (the token)').replace(/[^\n]+/g, harmless);
}
