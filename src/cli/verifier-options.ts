// What a verifier has of its own, and the command line or the user's trust file names: keys, checkpoints, stamps, headers.
import { resolve } from 'node:path';
import { ParseError, parseVerifierKey, type VerifierKey } from '../core/index.ts';
import { type Command, type Context, UsageError } from './command.ts';
import { parseTrust, readTrust, type Trust, userTrustFile } from './trust.ts';

export const HELD = {
  key: {
    type: 'string',
    value: 'VKEY',
    multiple: true,
    help: 'a verifier key that must be one of this ledger (repeatable)',
  },
  trust: {
    type: 'string',
    value: 'FILE',
    help: 'keys to trust, instead of your own trust.yaml; must name this ledger',
  },
  checkpoint: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'a checkpoint you kept: the log must continue it (repeatable)',
  },
  stamp: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'an .ots file you kept: it must be of a checkpoint of this log (repeatable)',
  },
  headers: {
    type: 'string',
    value: 'FILE',
    help: 'Bitcoin block headers you have, for stamps that lie here without (raw or JSON)',
  },
} as const satisfies Command['options'];

export async function chosenTrust({
  values,
  cwd,
  env,
}: Context): Promise<{ trust: Trust; explicit: boolean }> {
  const file = values.text('trust');
  if (file === undefined)
    return { trust: (await readTrust(userTrustFile(env))) ?? parseTrust(null), explicit: false };
  const trust = await readTrust(resolve(cwd, file));
  if (trust === undefined) throw new UsageError(`--trust: there is no file ${file}.`);
  if (trust.ledgers.length === 0) throw new UsageError(`--trust: ${file} names no ledger.`);
  return { trust, explicit: true };
}

/** Which chain the user goes by. */
export async function networkHere(context: Context): Promise<'main' | 'regtest'> {
  return (await chosenTrust(context)).trust.bitcoin?.network ?? 'main';
}

/** Those that the command line names. */
export function pinnedKeys({ values }: Context): VerifierKey[] {
  return values.all('key').map((text) => parseKey(text));
}

function parseKey(text: string): VerifierKey {
  try {
    return parseVerifierKey(text);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new UsageError(
      `--key: ${error.message}. It is the whole line that \`foil init\` and \`foil key list\` print.`,
      {
        cause: error,
      },
    );
  }
}
