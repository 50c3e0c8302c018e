// What state a ledger is in, for a person who looks: how far it is sealed and stamped, what of it is gzipped, how much room
// it takes, and when nobody was recording. It reads names and the newest entries, and verifies nothing.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { readUpkeepNote } from '../app/index.ts';
import { CHECKPOINT_DIR, type Entry, parseStampName, SEGMENT_DIR, STAMP_DIR } from '../format/index.ts';
import type { Environment, Ledger, Located, Store } from '../ledger/index.ts';
import { diskUse, findEntries, pendingGaps, pendingText, readEntry, summarizeGap } from '../report/index.ts';
import type { Gaps, Health } from './answers.ts';
import { originNow } from './index-builder.ts';
import { sealedEntries } from './missing-entries.ts';

/** Gaps are looked for in so many of the newest entries. */
const LOOKED_AT = 100_000;
const MOST_GAPS = 50;
const MOST_CHECKPOINTS = 12;

export type LedgerHealth = Omit<Health, 'name' | 'notices' | 'sessions' | 'open' | 'index'>;

export async function ledgerHealth(
  ledger: Ledger,
  { directory }: Located,
  env: Environment,
  /** Entries that tell of gaps, where they are known. */
  gaps?: readonly number[],
): Promise<LedgerHealth> {
  const { store } = ledger;
  const { seq } = await store.head();
  // Not held against the keys: for those all of the log would be read.
  const sealed = await sealedEntries(store);
  const stamps = await namesIn(store, STAMP_DIR);
  return {
    directory,
    origin: await originNow(store),
    entries: seq,
    sealed,
    ...checkpointsOf(directory, await namesIn(store, CHECKPOINT_DIR), stamps),
    stamps: stampsOf(stamps),
    archive: {
      ...segmentsOf(await namesIn(store, SEGMENT_DIR)),
      upkeep: readUpkeepNote(directory)?.day ?? null,
    },
    ...diskUse(directory),
    gaps: gaps === undefined ? await gapsOf(store, seq) : await knownGaps(store, gaps),
    pending: pendingGaps(directory, env).map(pendingText),
  };
}

/** By their names, and by when their files were written: what they say is for the verifier. */
function checkpointsOf(
  directory: string,
  names: readonly string[],
  stamps: readonly string[],
): Pick<Health, 'checkpoints' | 'newest_checkpoints'> {
  const own = names.filter((name) => /^\d+$/.test(name)).sort();
  const newest = own.slice(-MOST_CHECKPOINTS).reverse();
  return {
    checkpoints: own.length,
    newest_checkpoints: newest.map((name) => {
      const stats = statSync(join(directory, CHECKPOINT_DIR, name), { throwIfNoEntry: false });
      const has = (end: string): boolean => stamps.includes(`${name}.${end}`);
      return {
        size: Number(name),
        written: stats === undefined ? null : stats.mtime.toISOString(),
        stamp: has('ots') ? (has('headers.json') ? 'complete' : 'pending') : 'none',
      };
    }),
  };
}

async function namesIn({ files }: Store, folder: string): Promise<readonly string[]> {
  try {
    return (await files.list(folder)).map(({ name }) => name);
  } catch {
    return [];
  }
}

/** By their files: whether a proof is good is for `foil verify` to say. */
function stampsOf(names: readonly string[]): Health['stamps'] {
  const sizes = { ots: new Set<number>(), 'headers.json': new Set<number>(), wanted: new Set<number>() };
  for (const name of names) {
    try {
      const { size, part } = parseStampName(name);
      sizes[part].add(size);
    } catch {
      // Not one of ours.
    }
  }
  const complete = [...sizes['headers.json']].filter((size) => sizes.ots.has(size));
  return { proofs: sizes.ots.size, complete: complete.length, last: Math.max(0, ...complete) };
}

function segmentsOf(names: readonly string[]): { readonly segments: number; readonly gzipped: number } {
  const plain = names.filter((name) => name.endsWith('.jsonl'));
  const gzipped = names.filter((name) => name.endsWith('.jsonl.gz'));
  return { segments: plain.length + gzipped.length, gzipped: gzipped.length };
}

async function knownGaps(store: Store, gaps: readonly number[]): Promise<Gaps> {
  const newest: Gaps['newest'][number][] = [];
  for (const seq of gaps.slice(-MOST_GAPS).reverse()) {
    const entry = await readEntry(store, seq);
    if (entry?.kind === 'gap') newest.push({ seq, ts: entry.ts, text: summarizeGap(entry.payload) });
  }
  return { from: 1, count: gaps.length, newest };
}

/** The newest first. */
async function gapsOf(store: Store, head: number): Promise<Gaps> {
  const from = Math.max(1, head - LOOKED_AT + 1);
  const found: Entry[] = [];
  for await (const entry of findEntries(store, from, head, '"kind":"gap"'))
    if (entry.kind === 'gap') found.push(entry);
  return {
    from,
    count: found.length,
    newest: found
      .slice(-MOST_GAPS)
      .reverse()
      .map(({ seq, ts, payload }) => ({ seq, ts, text: summarizeGap(payload) })),
  };
}
