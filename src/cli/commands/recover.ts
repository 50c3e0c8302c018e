// foil recover: makes a ledger usable again after a crash or a fault, and continues a run whose log is damaged,
// without making anything up.

import { UsageError } from '../../core/index.ts';
import { recoverLedger } from '../../entry/index.ts';
import { harmless } from '../../report/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';
import { recoverRun } from '../recover-run.ts';
import { TIMEOUT_OPTION } from '../run-place.ts';

export const recover: Command = {
  name: 'recover',
  summary: 'repair a ledger after a crash or a lost file, or continue a damaged run',
  usage: '[--accept-loss] | RUN [--continue]',
  arguments: [0, 1],
  options: {
    'accept-loss': {
      type: 'boolean',
      help: 'continue although acknowledged entries are lost; a gap records that forever',
    },
    continue: {
      type: 'boolean',
      help: 'start a run that continues after the last good event of RUN, and names RUN as its parent',
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
      '--accept-loss is for a whole ledger, and --continue is for one run. If entries are lost, run `foil recover --accept-loss` first, and then `foil recover RUN --continue`.',
    );
  if (of !== undefined) return recoverRun(context, place(context), of, { continue: goesOn });
  const done = await recoverLedger(place(context), { acceptLoss });
  const lines = done.map((sentence) => `${harmless(sentence)}.\n`);
  return { json: { done }, text: done.length === 0 ? 'There was nothing to recover.\n' : lines.join('') };
}
