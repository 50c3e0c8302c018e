// What somebody can do who has a ledger's directory, its keys and all the time in the world: take out one interaction
// and rewrite everything after it: numbers, hashes, tree and signature. Nothing inside the ledger shows it. That is
// the point.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { utf8Encode } from '#platform';
import { withLedger } from '../../src/app/index.ts';
import { chainHashOf, finalHashOf, type JsonObject } from '../../src/core/index.ts';
import {
  BLOB_DIR,
  CHECKPOINT_DIR,
  type Entry,
  encodeEntry,
  encodeHead,
  encodeSegmentName,
  GENESIS,
  HEAD_FILE,
  LineSum,
  LOCK_FILE,
  parseInteraction,
  SALT_DIR,
  SEGMENT_DIR,
  TILE_DIR,
  withSum,
} from '../../src/format/index.ts';
import type { Located } from '../../src/ledger/index.ts';
import { readEntries } from './stage.ts';

const FIRST = { first: 1, part: 0 };

/** Of a ledger with one session, which has ended. `forged` has the same keys, and nothing where its directory will be. */
export async function takeOut(ledger: string, sequence: number, forged: Located): Promise<void> {
  const { directory } = forged;
  const lines = encodeAnew(without(await readEntries(ledger), sequence));
  const bytes = Buffer.from(lines.map(({ line }) => `${line}\n`).join(''));
  for (const name of [SEGMENT_DIR, CHECKPOINT_DIR, TILE_DIR])
    mkdirSync(join(directory, name), { recursive: true, mode: 0o700 });
  for (const name of [BLOB_DIR, SALT_DIR])
    cpSync(join(ledger, name), join(directory, name), { recursive: true });
  writeFileSync(join(directory, SEGMENT_DIR, encodeSegmentName(FIRST)), bytes);
  const hash = lines.at(-1)?.hash ?? GENESIS;
  const head = { seq: lines.length, hash, segment: FIRST, offset: bytes.length };
  writeFileSync(join(directory, HEAD_FILE), encodeHead(head));
  writeFileSync(join(directory, LOCK_FILE), '');
  await withLedger(forged, (opened) => opened.seal());
}

/** What belongs to that interaction is left out, what answers such an entry, and that there is a stamp. */
function without(entries: readonly Entry[], sequence: number): Entry[] {
  const gone = new Set<number>();
  return entries.filter(({ seq, kind, cause, payload }) => {
    const isPart = payload.sequence === sequence || (cause !== null && gone.has(cause));
    if (isPart) gone.add(seq);
    return !isPart && kind !== 'anchor.stamp';
  });
}

function encodeAnew(entries: readonly Entry[]): { line: string; hash: string }[] {
  const places = new Map(entries.map(({ seq }, i) => [seq, i + 1]));
  const chain = { last: '', count: 0 };
  let before = GENESIS;
  const sums = new Map<string | null, LineSum>();
  const sumOf = (session: string | null): LineSum => {
    const sum = sums.get(session) ?? new LineSum();
    sums.set(session, sum);
    return sum;
  };
  return entries.map((entry, i) => {
    const { cause, session_id: session } = entry;
    const payload = summed(chained(entry, chain), sumOf(session));
    const made = encodeEntry(
      { ...entry, cause: cause && (places.get(cause) ?? null), payload },
      i + 1,
      before,
    );
    sumOf(session).add(utf8Encode(made.line));
    before = made.hash;
    return made;
  });
}

/** The end of a session says how many entries stand before it. */
function summed(payload: JsonObject, sum: LineSum): JsonObject {
  return Object.hasOwn(payload, 'entries_root') ? withSum(payload, sum.sum()) : payload;
}

/** The payload as it would be, had there never been another interaction. */
function chained({ kind, payload, session_id }: Entry, chain: { last: string; count: number }): JsonObject {
  if (kind === 'session.start') Object.assign(chain, { last: session_id, count: 0 });
  if (kind === 'prompt') return { ...payload, sequence: chain.count + 1 };
  const interaction = kind === 'response' ? parseInteraction(payload) : null;
  if (interaction !== null) {
    chain.last = chainHashOf(chain.last, interaction.promptHash, interaction.responseHash);
    chain.count++;
    return { ...payload, sequence: chain.count, chain_hash: chain.last };
  }
  if (kind !== 'session.end' || session_id === null) return payload;
  const { hash = null } = (payload.block ?? {}) as { hash?: string };
  const counts = { ...(payload.counts as JsonObject), responses: chain.count };
  const final_hash = finalHashOf(session_id, hash, chain.last);
  return { ...payload, counts, interactions: chain.count, chain_hash: chain.last, final_hash };
}
