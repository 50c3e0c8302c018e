// Whether a damaged log can be written to again: by itself, or once somebody accepted that its end is lost. Nothing is changed
// here, and what can't be read counts against it. Also whether a log ends in the middle of a line, as a crash or a cut leaves it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ParseError } from '../core/index.ts';
import {
  compareSegments,
  EntryScan,
  encodeSegmentName,
  GENESIS,
  HEAD_FILE,
  hashOfEntry,
  parseEntry,
  parseHead,
  parseSegmentName,
  SEGMENT_DIR,
} from '../format/index.ts';
import type { Ledger } from '../ledger/index.ts';
import { pastHead } from '../runtime/index.ts';

const LINE_FEED = 0x0a;

export async function isWritable({ store }: Pick<Ledger, 'store'>, directory: string): Promise<boolean> {
  return holdsHead(directory) || (await isInOrder(store));
}

/** A segment that is compressed was whole. */
export async function endsInLine({ store: { files } }: Pick<Ledger, 'store'>): Promise<boolean> {
  const listed = (await files.list(SEGMENT_DIR)).filter(({ size }) => size > 0);
  const newest = listed
    .flatMap(({ name, size }) => segmentsOf(name).map((segment) => ({ ...segment, name, size })))
    .sort(compareSegments)
    .at(-1);
  if (newest === undefined || newest.gzipped) return false;
  const { name, size } = newest;
  return (await files.read(`${SEGMENT_DIR}/${name}`, size - 1, size))?.[0] !== LINE_FEED;
}

/** None where the file is something else. */
function segmentsOf(name: string): ReturnType<typeof parseSegmentName>[] {
  try {
    return [parseSegmentName(name)];
  } catch (error) {
    if (error instanceof ParseError) return [];
    throw error;
  }
}

/** The head names the last line by its place and hash: as long as that is so, lines are written behind it. */
function holdsHead(directory: string): boolean {
  try {
    const { segment, offset, hash } = parseHead(readFileSync(join(directory, HEAD_FILE)));
    if (offset === 0) return true;
    const bytes = readFileSync(join(directory, SEGMENT_DIR, encodeSegmentName(segment)));
    if (bytes.length < offset || bytes[offset - 1] !== LINE_FEED) return false;
    const start = offset < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 2) + 1;
    const entry = parseEntry(bytes.subarray(start, offset - 1));
    return entry.entry_hash === hash && hashOfEntry(entry) === hash;
  } catch {
    return false;
  }
}

/** Every line that is there follows from the one before, so that only the end can be lost, and is. */
async function isInOrder(store: Ledger['store']): Promise<boolean> {
  const scan = new EntryScan();
  const { log, torn } = await pastHead(store);
  const head = await log.head();
  let [due, hash] = [1, GENESIS];
  for await (const bytes of store.read(1, head.seq))
    for (let start = 0; start < bytes.length; due++) {
      const end = bytes.indexOf(LINE_FEED, start);
      // A line without an end is where the log was cut.
      if (end < 0) break;
      if (!scan.scan(bytes, start, end) || scan.seq !== due) return false;
      if (!scan.sameText(scan.prevStart, hash) || !scan.hashMatches(start)) return false;
      hash = scan.text(scan.hashStart, 64);
      start = end + 1;
    }
  return torn === 0 && (due <= head.seq || hash === head.hash);
}
