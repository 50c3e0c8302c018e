// Erasing content: the tombstone first, the content after. A checkpoint covers everything before the tombstone, the
// ledger's key signs the tombstone itself, and a checkpoint over it is made before anything is removed. A crash at
// any point leaves a ledger that verifies, and the next upkeep removes what is left. No entry is ever touched.
import { ed25519Verify, utf8Decode } from '#platform';
import { encodeBase64, eraseMessage, parseBase64, StoreError, type VerifierKey } from '../core/index.ts';
import {
  type Entry,
  EntryScan,
  type ErasedSession,
  type EraseReason,
  encodeErase,
  LineWriter,
  MOST_ERASED,
  parseErase,
} from '../format/index.ts';
import { readIdentity } from './epochs.ts';
import type { Clock, Keyring, LogReader, Store } from './ports.ts';
import { loadSigner, readSealed, seal } from './seal.ts';

/** Each try holds up other sealers for a moment; under appends without pause more of them would not help. */
const TRIES = 100;
const LINE_FEED = 0x0a;

export interface ErasePlan {
  readonly reason: EraseReason;
  readonly sessions: readonly ErasedSession[];
  /** The last entry that was looked at when they were chosen: one with an entry since is left out. */
  readonly seen: number;
}

export interface Tombstone {
  readonly seq: number;
  readonly sessions: readonly ErasedSession[];
}

/**
 * Writes the tombstones and seals them. Call it inside store.sealing, and remove the content after. Appends of others
 * may come in between; then it seals those, leaves out the sessions they are of, and tries again.
 */
export async function writeTombstones(
  store: Store,
  keyring: Keyring,
  now: Clock,
  { reason, sessions, seen }: ErasePlan,
): Promise<Tombstone[]> {
  const { origin } = await readIdentity(store);
  const tombstones: Tombstone[] = [];
  let left = sessions;
  let looked = seen;
  for (let attempt = 0; left.length > 0; ) {
    await seal(store, keyring);
    const sealed = await readSealed(store, keyring, await readIdentity(store));
    if (sealed === undefined)
      throw new StoreError('DAMAGED', 'the checkpoint that was just written is gone. Run `foil verify`.');
    const { checkpoint, note, key } = sealed;
    const busy = await sessionsIn(store, looked + 1, checkpoint.size);
    looked = Math.max(looked, checkpoint.size);
    left = left.filter(({ session }) => !busy.has(session));
    const batch = left.slice(0, MOST_ERASED);
    if (batch.length === 0) break;
    const signer = await loadSigner(keyring, key, "content can't be erased");
    const unsigned = encodeErase({ reason, checkpoint: utf8Decode(note), sessions: batch });
    const head = await store.append((at) => {
      if (at.seq !== checkpoint.size) return undefined;
      const seq = at.seq + 1;
      const message = eraseMessage({ origin, seq, prevHash: at.hash, payload: unsigned });
      const payload = { ...unsigned, signature: encodeBase64(signer.sign(message)) };
      const writer = new LineWriter();
      const ts = new Date(now()).toISOString();
      const hash = writer.write({ kind: 'erase', payload, source: 'ledger' }, ts, seq, at.hash);
      return { lines: writer.take(), head: { seq, hash } };
    });
    if (head === undefined) {
      if (++attempt < TRIES) continue;
      throw new StoreError(
        'LOCK_TIMEOUT',
        'other processes keep writing to the ledger, so nothing was erased. Try again later.',
      );
    }
    tombstones.push({ seq: head.seq, sessions: batch });
    left = left.slice(batch.length);
  }
  if (tombstones.length > 0) await seal(store, keyring);
  return tombstones;
}

/**
 * The sessions of an `erase` entry that the ledger's key of its place signed; none of one that anybody could have
 * appended. Whether its checkpoint is borne out is for the verifier.
 */
export function buriedBy(entry: Entry, { name, publicKey }: VerifierKey): readonly string[] {
  try {
    const { sessions, signature } = parseErase(entry.payload);
    const { seq, prev_hash: prevHash, payload } = entry;
    const message = eraseMessage({ origin: name, seq, prevHash, payload });
    return ed25519Verify(publicKey, message, parseBase64(signature))
      ? sessions.map(({ session }) => session)
      : [];
  } catch {
    return [];
  }
}

/** The sessions that entries `from` to `to` are of. */
async function sessionsIn(store: Pick<LogReader, 'read'>, from: number, to: number): Promise<Set<string>> {
  const found = new Set<string>();
  if (from > to) return found;
  const scan = new EntryScan();
  for await (const piece of store.read(from, to)) {
    for (let start = 0, end = piece.indexOf(LINE_FEED); end >= 0; ) {
      if (scan.scan(piece, start, end) && scan.sessionStart >= 0) found.add(scan.text(scan.sessionStart, 64));
      start = end + 1;
      end = piece.indexOf(LINE_FEED, start);
    }
  }
  return found;
}
