// Reading a pack: one record behind the other, as spec/content.md says. A crash may have cut a record short, and the
// next writer went on behind it, so a header says where the next record should begin and never that it does.
import { MAX_PACK_HEADER, type PackHeader, scanPackHeader } from '../../format/index.ts';
import type { Fs } from './fs.ts';

const LINE_FEED = 0x0a;
const NEXT = '\nblob ';
const WINDOW = 1 << 16;
/** Most records are shorter: it is enough to look so far back, and only then as far as the longest reaches. */
const USUAL = 1 << 16;

export interface PackRecord {
  readonly header: PackHeader;
  /** Of the content. */
  readonly offset: number;
}

/**
 * The records from `from` on, where one begins. `isWhole` looks closer at those that end in a newline, as they should.
 * Gives the place to go on from when the pack has grown.
 */
export function* walkPack(
  fs: Fs,
  fd: number,
  from: number,
  size: number,
  isWhole: (record: PackRecord) => boolean = () => true,
): Generator<PackRecord, number> {
  const window = new Uint8Array(MAX_PACK_HEADER);
  const last = new Uint8Array(1);
  for (let at = from; at < size; ) {
    const header = scanPackHeader(window.subarray(0, fs.read(fd, window, at)), 0);
    const record = header === undefined ? undefined : { header, offset: at + header.length };
    const end = record === undefined ? 0 : record.offset + record.header.bytes;
    if (
      record !== undefined &&
      end < size &&
      fs.read(fd, last, end) === 1 &&
      last[0] === LINE_FEED &&
      isWhole(record)
    ) {
      yield record;
      at = end + 1;
      continue;
    }
    const next = nextStart(fs, fd, at, size);
    if (next === undefined) return at;
    at = next;
  }
  return size;
}

/** Every record that could hold what `wanted` says, also where a walk would pass it over. */
export function* findInPack(
  fs: Fs,
  fd: number,
  size: number,
  wanted: (header: PackHeader) => boolean,
): Generator<PackRecord> {
  const window = new Uint8Array(MAX_PACK_HEADER);
  for (let at: number | undefined = 0; at !== undefined && at < size; at = nextStart(fs, fd, at, size)) {
    const header = scanPackHeader(window.subarray(0, fs.read(fd, window, at)), 0);
    if (header !== undefined && wanted(header)) yield { header, offset: at + header.length };
  }
}

export function readRecord(fs: Fs, fd: number, { header, offset }: PackRecord): Uint8Array | undefined {
  const content = new Uint8Array(header.bytes);
  return fs.read(fd, content, offset) === header.bytes ? content : undefined;
}

/**
 * How many newlines a writer must put before its record. A last byte that is a newline does not prove that a record
 * ended: it may be the content's own. So this looks for a header that leads to the end, or just behind it. Where none
 * does, one newline separates what was torn; at worst it is a blank line.
 */
export function missingNewlines(fs: Fs, fd: number, size: number, largest: number): number {
  if (size === 0) return 0;
  if (largest > USUAL && size > USUAL && missingNewlines(fs, fd, size, USUAL) === 0) return 0;
  const from = Math.max(0, size - largest - MAX_PACK_HEADER - 2);
  const tail = Buffer.alloc(size - from);
  fs.read(fd, tail, from);
  const missing = (at: number): number => {
    const header = scanPackHeader(tail, at);
    return header === undefined ? -1 : at + header.length + header.bytes + 1 - tail.length;
  };
  let least = 3;
  // From the end, because the last header nearly always leads there, and nothing is less than nothing missing.
  for (let at = tail.length; least > 0 && at > 0; ) {
    at = tail.lastIndexOf(NEXT, at - 1);
    if (at < 0 && from > 0) break;
    const bytes = missing(at + 1);
    if (bytes >= 0 && bytes < least) least = bytes;
  }
  return least === 3 ? 1 : least;
}

/** The next place after `from` where a record could begin: behind a newline, with a header's first letters. */
function nextStart(fs: Fs, fd: number, from: number, size: number): number | undefined {
  const window = Buffer.alloc(Math.min(WINDOW, size - from));
  for (let at = from; at < size; at += WINDOW - NEXT.length + 1) {
    const found = window.subarray(0, fs.read(fd, window, at)).indexOf(NEXT);
    if (found >= 0) return at + found + 1;
  }
  return undefined;
}
