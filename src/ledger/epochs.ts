// Which key speaks for which part of a ledger. The first key stands in `ledger.open`; each `key.rotate` hands over to
// the next, signed by the one before. A sealer needs the key that is current at its last checkpoint.

import { ed25519Verify, utf8Encode } from '#platform';
import {
  encodeHex,
  keyRotateMessage,
  makeVerifierKey,
  openCheckpoint,
  parseHex,
  StoreError,
  type VerifierKey,
  verifyNote,
} from '../core/index.ts';
import { type Entry, originOf, parseEntry, parseKeyRotate, parseLedgerOpen } from '../format/index.ts';
import type { LogReader } from './ports.ts';

/** A ledger's identity, as its first entry states it. */
export interface Identity {
  readonly origin: string;
  readonly firstKey: VerifierKey;
}

/** Reads the first entry. NOT_FOUND where there is none yet, DAMAGED where it is no `ledger.open`. */
export async function readIdentity(store: Pick<LogReader, 'read'>): Promise<Identity> {
  for await (const piece of store.read(1, 1)) {
    try {
      const entry = parseEntry(piece.subarray(0, piece.length - 1));
      const origin = originOf(entry.entry_hash);
      const { publicKey } = parseLedgerOpen(entry.payload);
      return { origin, firstKey: makeVerifierKey(origin, parseHex(publicKey, 32)) };
    } catch (cause) {
      throw new StoreError('DAMAGED', "the first entry doesn't open a ledger. Run `foil verify`.", {
        cause,
      });
    }
  }
  throw new StoreError('NOT_FOUND', 'the ledger has no entries. Run `foil init`.');
}

/**
 * The key that a `key.rotate` entry hands over to, if it is right: the old key's checkpoint over everything before
 * it, and the old key's signature over the hand-over. Undefined if not.
 */
export function nextKey(entry: Entry, current: VerifierKey): VerifierKey | undefined {
  try {
    const rotate = parseKeyRotate(entry.payload);
    const { checkpoint, note } = openCheckpoint(utf8Encode(rotate.checkpoint));
    const newKey = parseHex(rotate.publicKey, 32);
    const message = keyRotateMessage({
      origin: current.name,
      seq: entry.seq,
      prevHash: entry.prev_hash,
      root: checkpoint.root,
      oldKey: current.publicKey,
      newKey,
    });
    const good =
      checkpoint.origin === current.name &&
      checkpoint.size === entry.seq - 1 &&
      verifyNote(note, [current]).verified.length === 1 &&
      ed25519Verify(current.publicKey, message, rotate.signature);
    return good ? makeVerifierKey(current.name, newKey) : undefined;
  } catch {
    return undefined;
  }
}

/** Every key up to and with entry `to`, in order, with the seq from which it signs. Reads the whole log. */
export async function readEpochs(
  store: Pick<LogReader, 'read'>,
  to: number,
): Promise<{ from: number; key: VerifierKey }[]> {
  const { firstKey } = await readIdentity(store);
  const epochs = [{ from: 1, key: firstKey }];
  for await (const entry of entriesOf(store, 2, to, ['key.rotate'])) {
    const key = nextKey(entry, epochs.at(-1)?.key ?? firstKey);
    if (key === undefined) {
      throw new StoreError(
        'DAMAGED',
        `the key rotation in entry ${entry.seq} is not valid. Run \`foil verify\`.`,
      );
    }
    epochs.push({ from: entry.seq, key });
  }
  return epochs;
}

/** Entries `from` to `to` of these kinds, in order: rare ones, found without taking the others apart. */
export async function* entriesOf(
  store: Pick<LogReader, 'read'>,
  from: number,
  to: number,
  kinds: readonly string[],
): AsyncGenerator<Entry> {
  if (from > to) return;
  const needles = kinds.map((kind) => utf8Encode(`"kind":"${kind}"`));
  for await (const piece of store.read(from, to)) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const starts = new Set<number>();
    for (const needle of needles) {
      // Each line is taken apart once, however often the words stand in it.
      for (let at = bytes.indexOf(needle), end = 0; at >= 0; at = bytes.indexOf(needle, end)) {
        starts.add(bytes.lastIndexOf(0x0a, at) + 1);
        end = bytes.indexOf(0x0a, at);
      }
    }
    for (const start of [...starts].sort((a, b) => a - b)) {
      const entry = tryParse(bytes.subarray(start, bytes.indexOf(0x0a, start)));
      // Else the words stand in a payload.
      if (entry !== undefined && kinds.includes(entry.kind)) yield entry;
    }
  }
}

export function publicKeyOf(key: VerifierKey): string {
  return encodeHex(key.publicKey);
}

function tryParse(line: Uint8Array): Entry | undefined {
  try {
    return parseEntry(line);
  } catch {
    return undefined;
  }
}
