// foil diff: two runs side by side, or a run and a replay of it: the first step that differs, the calls, the states, and what
// was different to begin with.

import { reading } from '../../app/index.ts';
import { type JsonObject, StoreError, UsageError } from '../../core/index.ts';
import type { RunReplay } from '../../format/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import { diffJson, diffText, harmless, parseSessionPrefix } from '../../report/index.ts';
import { diffRuns, readReplays, readRunSteps } from '../../runtime/index.ts';
import { type Command, type Context, EXIT, type Outcome } from '../command.ts';
import { place } from '../place.ts';
import { notDone, openRunPlace } from '../run-place.ts';

export const diff: Command = {
  name: 'diff',
  summary: 'compare two runs, or a run with its replay: the first step that differs, calls and states',
  usage: 'A B',
  arguments: [2, 2],
  options: {},
  examples: ['foil diff 9d5e 77ab', 'foil diff 9d5e 77ab --json', 'foil diff 9d5e b886   # b886 is a replay'],
  notes: [
    'It exits with 0 if they are the same, 5 if they differ, and 1 if content is missing, so that nobody can tell. It compares',
    'what is on record. `foil verify` and `foil replay` check the record itself.',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const [a = '', b = ''] = context.arguments;
  const located = place(context);
  return reading(located, async (ledger) => {
    try {
      const first = await openRunPlace(ledger, located, a);
      const replay = await findReplay(ledger, b);
      if (replay !== undefined) return ofReplay(first.run, replay);
      const steps = await readRunSteps(first);
      const found = diffRuns(steps, await readRunSteps(await openRunPlace(ledger, located, b)));
      const exit = { same: EXIT.FINE, different: EXIT.VIOLATION, unknown: EXIT.FAILED }[found.outcome];
      return { exit, json: diffJson(found), text: diffText(found) };
    } catch (error) {
      return notDone(error, 'compared');
    }
  });
}

/** Undefined where no replay's id begins so. */
async function findReplay({ store }: Ledger, text: string): Promise<RunReplay | undefined> {
  const prefix = parseSessionPrefix(text);
  const found: RunReplay[] = [];
  for await (const replay of readReplays(store)) if (replay.id.startsWith(prefix)) found.push(replay);
  if (found.length > 1)
    throw new UsageError(`${prefix} matches ${found.length} replays. Write more of the id.`);
  return found[0];
}

function ofReplay(run: string, replay: RunReplay): Outcome {
  const { id, outcome, divergence } = replay;
  if (replay.run !== run)
    throw new StoreError(
      'NOT_FOUND',
      `${id.slice(0, 16)} is a replay of another run, ${replay.run.slice(0, 16)}.`,
    );
  const exit = { matches: EXIT.FINE, diverges: EXIT.VIOLATION, unknown: EXIT.FAILED }[outcome];
  const json: JsonObject = {
    outcome: { matches: 'same', diverges: 'different', unknown: 'unknown' }[outcome],
    replay_id: id,
    divergence: divergence === null ? null : { ...divergence },
    impure: replay.impure,
  };
  if (divergence === null)
    return {
      exit,
      json,
      text: outcome === 'matches' ? '✓ The replay reached the same states\n' : '? The replay is unknown\n',
    };
  const { event, what, expected, got, why } = divergence;
  return {
    exit,
    json,
    text: `✗ Divergence detected at event ${event}\n  Expected: ${what} ${harmless(expected)}\n  Got:      ${what} ${harmless(got)}\n${why === null ? '' : `  Why:      ${harmless(why)}\n`}`,
  };
}
