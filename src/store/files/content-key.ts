// The key that content is encrypted under: 64 hex digits in a file of mode 0600 beside the ledger's private keys. Apart
// from the keyring, as a hook that only encrypts has no use for signatures. A key others can read is refused.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { encodeHex, ParseError, parseHex, StoreError } from '../../core/index.ts';
import type { Random } from '../../ledger/index.ts';
import { storeError } from './failure.ts';
import type { Fs } from './fs.ts';
import { makeDirectories, readWhole, writeDurably } from './whole-file.ts';

const KEY_BYTES = 32;

/** See Keyring.contentKey. Unlike a signing key it is never rotated: what was kept could not be read any more. */
export async function openContentKey(
  directory: string,
  origin: string,
  system: Fs,
  random?: Random,
): Promise<Uint8Array | undefined> {
  const file = join(directory, `${idOf(origin)}.content`);
  try {
    let bytes = readWhole(system, file);
    if (bytes === undefined) {
      if (random === undefined) return undefined;
      await makeDirectories(system, directory);
      // Another may have made it meanwhile: then that one is the key.
      const made = Buffer.from(`${encodeHex(random(KEY_BYTES))}\n`);
      await writeDurably(system, file, made, { keep: true });
      bytes = readWhole(system, file) ?? new Uint8Array(0);
    }
    assertPrivate(file, 'and if it may have leaked, assume that others can read everything encrypted so far');
    return parseKey(bytes);
  } catch (error) {
    if (error instanceof ParseError) {
      throw new StoreError('KEY', `${file} is not a content key: ${error.message}. Restore it from a copy.`, {
        cause: error,
      });
    }
    throw storeError(error, 'read or make', file);
  }
}

/** Refuses a key file that others than its owner can read. */
export function assertPrivate(file: string, advice: string): void {
  if ((fs.statSync(file).mode & 0o077) === 0) return;
  throw new StoreError('KEY', `${file} can be read by others. Run \`chmod 600 ${file}\`, ${advice}.`);
}

/** What the names of a ledger's keys begin with; those of its validator are `<id>.validator`. */
export function idOf(origin: string): string {
  return origin.slice(origin.indexOf('/') + 1).replaceAll('/', '.');
}

function parseKey(bytes: Uint8Array): Uint8Array {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.endsWith('\n')) throw new ParseError('MALFORMED', 'there is no newline at the end');
  return parseHex(text.slice(0, -1), KEY_BYTES);
}
