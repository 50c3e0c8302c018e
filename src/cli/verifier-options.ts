// What a verifier has of its own, and the command line or the user's trust file names: keys, checkpoints, stamps, headers.

import { resolve } from 'node:path';
import { parseTrust, readTrust, type Trust, userTrustFile } from '../config/index.ts';

import { ParseError, parseVerifierKey, UsageError, type VerifierKey } from '../core/index.ts';
import type { Command, Context } from './command.ts';

export const HELD = {
  key: {
    type: 'string',
    value: 'VKEY',
    multiple: true,
    help: 'a verifier key that must belong to this ledger (repeatable)',
  },
  trust: {
    type: 'string',
    value: 'FILE',
    help: 'trust the keys in this file, which must name this ledger, instead of your own trust.yaml',
  },
  checkpoint: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'a checkpoint you kept, which the log must continue (repeatable)',
  },
  stamp: {
    type: 'string',
    value: 'FILE',
    multiple: true,
    help: 'an .ots file you kept, which must stamp a checkpoint of this log (repeatable)',
  },
  headers: {
    type: 'string',
    value: 'FILE',
    help: 'your own Bitcoin block headers, for stamps that lack them here (raw or JSON)',
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
      `--key: ${error.message}. Give the whole line that \`foil init\` or \`foil key list\` prints.`,
      {
        cause: error,
      },
    );
  }
}
