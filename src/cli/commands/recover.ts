// foil recover: puts a ledger that a crash or a fault left behind back to work, without making anything up.
import { recoverLedger } from '../../entry/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';
import { harmless } from '../text.ts';

export const recover: Command = {
  name: 'recover',
  summary: 'make a ledger usable again after a crash or a lost file',
  usage: '[--accept-loss]',
  arguments: [0, 0],
  options: {
    'accept-loss': {
      type: 'boolean',
      help: 'go on although acknowledged entries are gone; a gap says so for ever',
    },
  },
  examples: ['foil recover', 'foil recover --accept-loss && foil verify'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const done = await recoverLedger(place(context), { acceptLoss: context.values.flag('accept-loss') });
  const lines = done.map((sentence) => `${harmless(sentence)}.\n`);
  return { json: { done }, text: done.length === 0 ? 'There was nothing to recover.\n' : lines.join('') };
}
