// The entry that a head names, read back by the format's own definition: for a single line it is quicker to load than
// the scanner that walks many.
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
