// foil keep: whether sessions are kept so that they can be replayed. counterfoil.yaml proposes, an operator's signature puts
// it in force: what is kept then is raw.

import { openOperator, reading, withLedger } from '../../app/index.ts';
import { parseYaml, readConfig, trustedOperators } from '../../config/index.ts';
import { ParseError, UsageError } from '../../core/index.ts';
import type { ReplayWord } from '../../format/index.ts';
import {
  acceptReplayPolicy,
  assertNotRevoked,
  readOperators,
  readReplayPolicy,
  workspaceRoot,
} from '../../ledger/index.ts';
import { harmless, moment, suggest } from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const keep: Command = {
  name: 'keep',
  summary: 'show whether sessions are kept for replay, or accept what counterfoil.yaml says about it',
  usage: 'explain | accept',
  arguments: [1, 1],
  options: {},
  examples: ['foil keep explain', 'foil keep accept'],
  notes: [
    "If counterfoil.yaml says `replay: keep` and an operator accepts it, `foil run --gateway` keeps the models' answers and",
    'the first work tree unchanged, secrets included, but encrypted. `foil replay SESSION` needs them.',
  ],
  run,
};

const ACTIONS: Readonly<Record<string, (context: Context) => Promise<Outcome>>> = { explain, accept };

async function run(context: Context): Promise<Outcome> {
  const [name = ''] = context.arguments;
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw new UsageError(
      `Unknown subcommand "${name}". Use explain or accept${suggest(name, Object.keys(ACTIONS))}`,
    );
  return action(context);
}

/** As counterfoil.yaml proposes it. */
const proposed = (cwd: string): ReplayWord => readConfig(workspaceRoot(cwd), parseYaml).replay;

async function explain(context: Context): Promise<Outcome> {
  const says = proposed(context.cwd);
  return reading(place(context), async ({ store }) => {
    const policy = await readReplayPolicy(store);
    const isKept = says === 'keep' && policy?.replay === 'keep';
    const accepted = policy && {
      replay: policy.replay,
      seq: policy.seq,
      since: policy.ts,
      by: policy.accepted.by,
    };
    const by =
      policy === undefined
        ? 'No operator has accepted anything.'
        : `An operator accepted \`replay: ${policy.replay}\`: entry ${policy.seq}, ${moment(policy.ts)}, by ${harmless(policy.accepted.by)}.`;
    return {
      json: { kept: isKept, proposed: says, accepted: accepted ?? null },
      text: `${isKept ? 'Sessions of `foil run --gateway` are kept for replay.' : "Sessions aren't kept for replay."}\ncounterfoil.yaml says \`replay: ${says}\`. ${by}\n${isKept ? '' : next(says)}`,
    };
  });
}

function next(says: ReplayWord): string {
  return says === 'keep'
    ? 'Run `foil keep accept`.\n'
    : 'Write `replay: keep` into counterfoil.yaml and run `foil keep accept`.\n';
}

async function accept(context: Context): Promise<Outcome> {
  const { cwd, env, now } = context;
  const says = proposed(cwd);
  return withLedger(place(context), async ({ store }) => {
    const before = await readReplayPolicy(store);
    if (before?.replay === says)
      return {
        json: { replay: says, seq: before.seq, changed: false },
        text: `Nothing to accept: \`replay: ${says}\` has been accepted since entry ${before.seq}.\n`,
      };
    if (before === undefined && says === 'none')
      throw new ParseError(
        'BAD_MEMBER',
        "it doesn't ask to keep anything. First write `replay: keep`",
        'counterfoil.yaml',
      );
    const operator = await openOperator(env);
    assertNotRevoked(await readOperators(store, await trustedOperators(env)), operator);
    const { seq, accepted } = await acceptReplayPolicy({ store, now }, says, operator);
    return {
      json: { replay: says, seq, accepted_by: accepted.by, changed: true },
      text:
        says === 'keep'
          ? `Entry ${seq}: sessions of \`foil run --gateway\` that begin from now on are kept for replay. The models' answers and the work tree are kept unchanged, secrets included, but encrypted.\n`
          : `Entry ${seq}: sessions that begin from now on aren't kept for replay. Run \`foil session erase\` to remove what was kept.\n`,
    };
  });
}
