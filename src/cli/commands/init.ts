// foil init: makes the ledger and says what to keep: the verifier key, without which nobody can tell the ledger from
// one rewritten with a fresh key.
import { locateHere } from '../../ledger/index.ts';
import { type Command, type Context, type Outcome, UsageError } from '../command.ts';
import { makeLedger } from '../make-ledger.ts';
import { place } from '../place.ts';
import { columns, harmless } from '../text.ts';

export const init: Command = {
  name: 'init',
  summary: 'make a ledger for this project',
  usage: '[--here | --ledger DIR]',
  arguments: [0, 0],
  options: {
    here: { type: 'boolean', help: 'in .foil/ of this directory, keys included; touches nothing outside it' },
  },
  examples: ['foil init', 'foil init --here && foil append note'],
  run,
};

async function run(context: Context): Promise<Outcome> {
  const { values, cwd, env } = context;
  const here = values.flag('here');
  if (here && values.text('ledger') !== undefined)
    throw new UsageError('--here and --ledger name two places: choose one.');
  const located = here ? locateHere(cwd) : place(context);
  const { origin, vkey, trustFile } = await makeLedger(located, env, { alone: here });
  const { directory, keyDirectory } = located;
  return {
    json: { directory, origin, vkey, key_directory: keyDirectory, trust: trustFile ?? null },
    text: `${columns(
      [
        ['ledger', harmless(directory)],
        ['origin', origin],
        ['verifier key', vkey],
        ['private key in', harmless(keyDirectory)],
        ...(trustFile === undefined ? [] : [['pinned in', harmless(trustFile)] as const]),
      ],
      '',
    )}

Keep the verifier key where whoever writes to this ledger can't change it: a ledger that was rewritten with a fresh
key verifies against everything but that.

next
  foil append note --payload '{"text":"hi"}'
  foil verify --key ${vkey}
`,
  };
}
