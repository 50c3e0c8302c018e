// Reading lines back from a segment: how far is it a valid continuation of the chain, where does a line stand, and
// what do bytes that are no entry hash to. Everything read here may be the remains of a crash.
import { sha256Stream } from '#platform';
import { EntryScan, type Head, MAX_LINE } from '../../format/index.ts';
import type { Fs } from './fs.ts';

const WINDOW = 1 << 20;
const scan = new EntryScan();

/** How far bytes [from, to) of a file go on from `head` with whole, valid, chained lines. */
export function walkLines(
  fs: Fs,
  fd: number,
  from: number,
  to: number,
  head: Head,
): { head: Head; offset: number } {
  let { seq, hash } = head;
  let offset = from;
  let window = new Uint8Array(Math.min(WINDOW, to - from));
  while (offset < to) {
    if (to - offset < window.length) window = window.subarray(0, to - offset);
    const length = fs.read(fd, window, offset);
    let start = 0;
    for (let end = window.indexOf(0x0a, start); end >= 0 && end < length; end = window.indexOf(0x0a, start)) {
      if (!scan.scan(window, start, end) || scan.seq !== seq + 1)
        return { head: { seq, hash }, offset: offset + start };
      if (!scan.sameText(scan.prevStart, hash) || !scan.hashMatches(start))
        return { head: { seq, hash }, offset: offset + start };
      seq = scan.seq;
      hash = scan.text(scan.hashStart, 64);
      start = end + 1;
    }
    offset += start;
    if (start === 0) break; // no whole line left, or one longer than a window
  }
  return { head: { seq, hash }, offset };
}

/** Does a whole line in bytes [from, to) hold an entry? Then they are not the torn end of a write. */
export function holdsEntry(fs: Fs, fd: number, from: number, to: number): boolean {
  const window = new Uint8Array(Math.min(WINDOW, to - from));
  for (let offset = from; offset < to; ) {
    const bytes = window.subarray(0, fs.read(fd, window.subarray(0, Math.min(WINDOW, to - offset)), offset));
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      if (end - start <= MAX_LINE && entryAt(bytes, start, end) !== undefined) return true;
      start = end + 1;
    }
    if (bytes.length < WINDOW) return false;
    offset += start === 0 ? bytes.length : start;
  }
  return false;
}

interface Line {
  readonly seq: number;
  readonly hash: string;
  readonly prev: string;
  readonly kind: string;
}

/** The first entry of a segment, or undefined if its first line is none. */
export function firstLine(fs: Fs, fd: number): Line | undefined {
  const bytes = new Uint8Array(MAX_LINE + 1);
  const length = fs.read(fd, bytes, 0);
  const end = bytes.subarray(0, length).indexOf(0x0a);
  return end < 0 ? undefined : entryAt(bytes, 0, end);
}

function entryAt(bytes: Uint8Array, start: number, end: number): Line | undefined {
  if (!scan.scan(bytes, start, end) || !scan.hashMatches(start)) return undefined;
  return {
    seq: scan.seq,
    hash: scan.text(scan.hashStart, 64),
    prev: scan.text(scan.prevStart, 64),
    kind: scan.kind,
  };
}

/**
 * Where the line of `seq` begins in a segment of `size` bytes whose first line has seq `first`. Halves the range by
 * reading the line at its middle; falls back to counting lines where that is no entry.
 */
export function findLine(fs: Fs, fd: number, size: number, first: number, seq: number): number {
  let low = 0; // begins a line with a seq ≤ the one wanted
  let lowSeq = first;
  let high = size;
  while (lowSeq < seq && high - low > 2 * (MAX_LINE + 1)) {
    const middle = low + Math.floor((high - low) / 2);
    const found = lineAfter(fs, fd, middle);
    if (found === undefined || found.start >= high) break;
    if (found.seq <= seq) {
      low = found.start;
      lowSeq = found.seq;
    } else high = middle;
  }
  return skipLines(fs, fd, low, seq - lowSeq);
}

/** The first line that begins after `from`. */
function lineAfter(fs: Fs, fd: number, from: number): { start: number; seq: number } | undefined {
  const bytes = new Uint8Array(2 * (MAX_LINE + 1));
  const length = fs.read(fd, bytes, from);
  const start = bytes.subarray(0, length).indexOf(0x0a) + 1;
  const end = bytes.subarray(0, length).indexOf(0x0a, start);
  if (start === 0 || end < 0 || !scan.scan(bytes, start, end)) return undefined;
  return { start: from + start, seq: scan.seq };
}

function skipLines(fs: Fs, fd: number, from: number, count: number): number {
  if (count === 0) return from;
  const window = new Uint8Array(WINDOW);
  let offset = from;
  let left = count;
  while (left > 0) {
    const length = fs.read(fd, window, offset);
    if (length === 0) return offset;
    const bytes = window.subarray(0, length);
    let start = 0;
    while (left > 0) {
      const end = bytes.indexOf(0x0a, start);
      if (end < 0) break;
      start = end + 1;
      left--;
    }
    offset += left > 0 ? length : start;
  }
  return offset;
}

export function sha256Range(fs: Fs, fd: number, from: number, to: number): string {
  const hash = sha256Stream();
  const window = new Uint8Array(Math.min(WINDOW, to - from));
  for (let offset = from; offset < to; ) {
    const length = fs.read(fd, window.subarray(0, Math.min(window.length, to - offset)), offset);
    if (length === 0) break;
    hash.update(window.subarray(0, length));
    offset += length;
  }
  return hash.hex();
}
