// foil checkpoint: seals everything so far and prints the signed note. A copy kept elsewhere shows later whether the
// ledger was put back to an earlier state: foil verify --checkpoint FILE.

import { utf8Decode } from '#platform';
import { withLedger } from '../../app/index.ts';
import { encodeBase64 } from '../../core/index.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const checkpoint: Command = {
  name: 'checkpoint',
  summary: 'sign everything recorded so far, and print the checkpoint',
  usage: '',
  arguments: [0, 0],
  options: {},
  examples: ['foil checkpoint > kept && foil verify --checkpoint kept'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { checkpoint: sealed, note } = await withLedger(place(context), (ledger) => ledger.seal());
  const { origin, size, root } = sealed;
  return { json: { origin, size, root: encodeBase64(root), note: utf8Decode(note) }, text: note };
}
