// The last lines before a head. The entry that it names is read back by the format's own definition: for a single line it
// is quicker to load than the scanner that walks many.
import { type Head, hashOfEntry, MAX_LINE, parseEntry } from '../../format/index.ts';
import type { Fs } from './fs.ts';

/** The entry that ends just before `offset`, or undefined if no valid one does. */
export function lineBefore(fs: Fs, fd: number, offset: number): (Head & { readonly ts: string }) | undefined {
  const from = Math.max(0, offset - MAX_LINE - 2);
  const bytes = new Uint8Array(offset - from);
  if (fs.read(fd, bytes, from) !== bytes.length || bytes[bytes.length - 1] !== 0x0a) return undefined;
  const start = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
  try {
    const entry = parseEntry(bytes.subarray(start, bytes.length - 1));
    const { seq, ts, entry_hash: hash } = entry;
    return hashOfEntry(entry) === hash ? { seq, hash, ts } : undefined;
  } catch {
    return undefined;
  }
}

/** The last `count` lines before `offset`, as bytes; undefined where they have more than `most` bytes or begin elsewhere. */
export function linesBefore(
  fs: Fs,
  fd: number,
  offset: number,
  { count, most }: { readonly count: number; readonly most: number },
): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.min(offset, most + 1));
  if (fs.read(fd, bytes, offset - bytes.length) !== bytes.length) return undefined;
  let start = bytes.length;
  for (let left = count; left > 0; left--) {
    if (start === 0) return undefined;
    // The newline that ends the line before; a file begins with a line.
    const before = start < 2 ? -1 : bytes.lastIndexOf(0x0a, start - 2);
    if (before < 0 && (left > 1 || bytes.length < offset)) return undefined;
    start = before + 1;
  }
  return bytes.length - start > most ? undefined : bytes.subarray(start);
}
