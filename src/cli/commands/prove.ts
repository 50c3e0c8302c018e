// foil prove: a C2SP tlog-proof of one entry, which anybody can check without the ledger.
import { utf8Decode } from '#platform';
import { reading } from '../../app/index.ts';
import { parseSeq } from '../arguments.ts';
import type { Command, Context, Outcome } from '../command.ts';
import { place } from '../place.ts';

export const prove: Command = {
  name: 'prove',
  summary: 'print a proof of one entry that anyone can check without the ledger',
  usage: 'SEQ [--bare]',
  arguments: [1, 1],
  options: { bare: { type: 'boolean', help: 'leave out the entry itself' } },
  examples: [
    'foil prove 42 > 42.proof',
    'foil prove 42 --bare > 42.proof && foil log --from 42 --to 42 --json > 42.json',
    'foil verify 42.proof --entry 42.json',
  ],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const seq = parseSeq(context.arguments[0] ?? '', 'SEQ');
  const proof = await reading(place(context), (ledger) =>
    ledger.prove(seq, { extra: !context.values.flag('bare') }),
  );
  return { json: { seq, proof: utf8Decode(proof) }, text: proof };
}
