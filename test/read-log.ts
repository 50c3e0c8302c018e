// What a store says it holds, entry by entry, each proven to be one. And lines to put into it.
import { type Entry, type Head, hashOfEntry, LineWriter, parseEntry } from '../src/format/index.ts';
import type { Block, Store } from '../src/ledger/index.ts';

export const TS = '2026-11-15T10:00:00.000Z';

/** Entries `from` to `to`; by default all up to the head. */
export async function readEntries(store: Store, from = 1, to?: number): Promise<Entry[]> {
  const last = to ?? (await store.head()).seq;
  const entries: Entry[] = [];
  for await (const piece of store.read(from, last)) entries.push(...parseLines(piece));
  return entries;
}

/** Lines that are all entries and all end in `\n`. */
export function parseLines(bytes: Uint8Array): Entry[] {
  const entries: Entry[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start);
    if (end < 0) throw new Error(`no newline behind offset ${start}`);
    const entry = parseEntry(bytes.subarray(start, end));
    if (hashOfEntry(entry) !== entry.entry_hash) throw new Error(`entry ${entry.seq} has a wrong hash`);
    entries.push(entry);
    start = end + 1;
  }
  return entries;
}

/** One `note` for each text, behind `head`. */
export function notes(head: Head, ...texts: readonly string[]): Block {
  const writer = new LineWriter();
  let { seq, hash } = head;
  for (const text of texts) {
    seq += 1;
    hash = writer.write({ kind: 'note', payload: { text }, source: 'test' }, TS, seq, hash);
  }
  return { lines: writer.take(), head: { seq, hash } };
}

export function textOf(entry: Entry): string {
  return String(entry.payload.text);
}
