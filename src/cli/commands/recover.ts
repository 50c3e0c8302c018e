// foil recover: puts a ledger that a crash or a fault left behind back to work, and goes on with a run whose log is damaged,
// without making anything up.
import { recoverLedger } from '../../entry/index.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { place } from '../place.ts';
import { recoverRun } from '../recover-run.ts';
import { TIMEOUT_OPTION } from '../run-place.ts';
import { harmless } from '../text.ts';

export const recover: Command = {
  name: 'recover',
  summary: 'make a ledger usable again after a crash or a lost file, or go on with a damaged run',
  usage: '[--accept-loss] | RUN [--continue]',
  arguments: [0, 1],
  options: {
    'accept-loss': {
      type: 'boolean',
      help: 'go on although acknowledged entries are gone; a gap says so for ever',
    },
    continue: {
      type: 'boolean',
      help: 'begin a run that goes on behind the last good event of RUN, and names it as its parent',
    },
    ...TIMEOUT_OPTION,
  },
  examples: [
    'foil recover',
    'foil recover --accept-loss && foil verify',
    'foil recover 9d5e              # what is left of a run',
    'foil recover 9d5e --continue',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values } = context;
  const [of] = context.arguments;
  const [acceptLoss, goesOn] = [values.flag('accept-loss'), values.flag('continue')];
  if (of === undefined ? goesOn : acceptLoss)
    throw new UsageError(
      '--accept-loss is about a ledger, and --continue about a run: `foil recover RUN --continue`.',
    );
  if (of !== undefined) return recoverRun(context, place(context), of, { continue: goesOn });
  const done = await recoverLedger(place(context), { acceptLoss });
  const lines = done.map((sentence) => `${harmless(sentence)}.\n`);
  return { json: { done }, text: done.length === 0 ? 'There was nothing to recover.\n' : lines.join('') };
}
