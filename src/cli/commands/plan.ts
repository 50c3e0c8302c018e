// foil plan: what agents may do. Anybody proposes; an operator's signature approves.
import { utf8Decode } from '#platform';
import {
  type KnownPlan,
  knownPlans,
  openOperator,
  planJson,
  readFile,
  reading,
  withLedger,
} from '../../app/index.ts';
import { parseYaml, readConfig } from '../../config/index.ts';
import { UsageError } from '../../core/index.ts';
import { approvePlan, proposePlan, workspaceRoot } from '../../ledger/index.ts';
import { makeRedactor } from '../../redact/index.ts';
import { columns, harmless, moment, suggest } from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const plan: Command = {
  name: 'plan',
  summary: 'propose, approve or list plans: what agents may write',
  usage: 'propose FILE | approve HASH | list',
  arguments: [1, 2],
  options: {
    title: { type: 'string', value: 'TEXT', help: "propose: the plan's title (default: its first line)" },
  },
  examples: ['foil plan propose plan.md', 'foil plan list', 'foil plan approve 3f9a1c'],
  run,
};

const ACTIONS: Readonly<Record<string, (context: Context, word: string) => Promise<Outcome>>> = {
  propose,
  approve,
  list,
};
const MAX_PLAN = 1024 * 1024;

async function run(context: Context): Promise<Outcome> {
  const [name = '', word] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand "${name}". Use propose, approve or list${suggest(name, Object.keys(ACTIONS))}`,
    );
  if ((word === undefined) !== (name === 'list'))
    throw new UsageError(
      name === 'list'
        ? '`foil plan list` takes no arguments.'
        : `\`foil plan ${name}\` needs ${name === 'approve' ? 'a HASH' : 'a FILE'}.`,
    );
  return action(context, word ?? '');
}

async function propose(context: Context, file: string): Promise<Outcome> {
  const { cwd, now, values } = context;
  const given = utf8Decode(readFile(file, MAX_PLAN, 'a plan'));
  const text = makeRedactor(readConfig(workspaceRoot(cwd), parseYaml).redact).value(given, {}) as string;
  const title = values.text('title') ?? titleOf(text);
  return withLedger(place(context), async ({ store }) => {
    const about = {
      title,
      role: 'operator',
      foundation: false,
      signature: null,
      session: null,
      source: 'cli',
    };
    const { planHash, seq } = await proposePlan({ store, now }, text, about);
    return {
      json: { plan_hash: planHash, seq, title },
      text: `${planHash}\nEntry ${seq}. An operator can approve it: foil plan approve ${planHash.slice(0, 12)}\n`,
    };
  });
}

async function approve(context: Context, prefix: string): Promise<Outcome> {
  const { env, now } = context;
  return withLedger(place(context), async ({ store }) => {
    const found = (await knownPlans(store, env)).filter(({ planHash }) => planHash.startsWith(prefix));
    const [first] = found;
    if (first === undefined || found.length > 1 || !/^[0-9a-f]{4,64}$/.test(prefix))
      throw new UsageError(
        found.length > 1
          ? `${prefix} matches several plans. Write more of the hash.`
          : `there is no plan ${prefix}. See foil plan list.`,
      );
    const { planHash } = first;
    const { seq, by } = await approvePlan({ store, now }, planHash, await openOperator(env));
    return {
      json: { plan_hash: planHash, seq, approved_by: by },
      text: `Entry ${seq}: ${planHash} is approved.\n`,
    };
  });
}

async function list(context: Context): Promise<Outcome> {
  return reading(place(context), async ({ store }) => {
    const plans = await knownPlans(store, context.env);
    return { json: plans.map(planJson), text: plans.length === 0 ? 'There are no plans.\n' : render(plans) };
  });
}

function render(plans: readonly KnownPlan[]): string {
  const rows = plans.map(({ planHash, title, approved, approvals, ts }): [string, string] => [
    planHash.slice(0, 12),
    harmless(`${state(approved, approvals.length)}  ${moment(ts)}  ${title}`),
  ]);
  return `${columns(rows, '')}\n`;
}

function state(approved: boolean, approvals: number): string {
  if (approved) return 'approved';
  return approvals === 0 ? 'proposed' : "approved by somebody your trust.yaml doesn't name";
}

export function titleOf(text: string): string {
  const first = text.split('\n').find((line) => line.trim() !== '') ?? '';
  return (
    first
      .replace(/^#+\s*/, '')
      .trim()
      .slice(0, 200) || 'a plan'
  );
}
