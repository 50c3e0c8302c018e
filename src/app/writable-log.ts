// Whether a damaged log can be written to again: by itself, or once somebody accepted that its end is lost. Nothing is changed
// here, and what can't be read counts against it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  EntryScan,
  encodeSegmentName,
  HEAD_FILE,
  parseEntry,
  parseHead,
  SEGMENT_DIR,
} from '../format/index.ts';
import type { Ledger } from '../ledger/index.ts';

const LINE_FEED = 0x0a;

export async function isWritable({ store }: Pick<Ledger, 'store'>, directory: string): Promise<boolean> {
  return holdsHead(directory) || (await isInOrder(store));
}

/** The head names the last line by its place and hash: as long as that is so, lines are written behind it. */
function holdsHead(directory: string): boolean {
  try {
    const { segment, offset, hash } = parseHead(readFileSync(join(directory, HEAD_FILE)));
    if (offset === 0) return true;
    const bytes = readFileSync(join(directory, SEGMENT_DIR, encodeSegmentName(segment)));
    if (bytes.length < offset || bytes[offset - 1] !== LINE_FEED) return false;
    const start = offset < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 2) + 1;
    return parseEntry(bytes.subarray(start, offset - 1)).entry_hash === hash;
  } catch {
    return false;
  }
}

/** Every line that is there is the entry that is due: only the end can be lost. */
async function isInOrder(store: Ledger['store']): Promise<boolean> {
  const scan = new EntryScan();
  const { seq: to } = await store.head();
  let due = 1;
  for await (const bytes of store.read(1, to))
    for (let start = 0; start < bytes.length; due++) {
      const end = bytes.indexOf(LINE_FEED, start);
      // A line without an end is where the log was cut.
      if (end < 0) break;
      if (!scan.scan(bytes, start, end) || scan.seq !== due) return false;
      start = end + 1;
    }
  return true;
}
