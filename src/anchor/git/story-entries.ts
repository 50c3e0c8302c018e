// The entries of a ledger that tell the story, without parsing the others: of a long session most are calls of tools.
import { type Entry, GIT_KINDS, parseEntry } from '../../format/index.ts';
import type { Store } from '../../ledger/index.ts';
import { GitFailure } from './git-problem.ts';

export type EntrySource = Pick<Store, 'head' | 'read'>;

const KIND = /^\{"cause":(?:null|[0-9]{1,16}),"kind":"([a-z0-9_.]{1,64})"/;
/** Longest that the beginning of a line can be which says its kind. */
const BEGINNING = 110;
const NEWLINE = 0x0a;

/** Entries `from` to `to`, of the kinds that matter. Throws GitFailure where they can't be read. */
export async function* storyEntries(source: EntrySource, from: number, to: number): AsyncIterable<Entry> {
  if (from > to) return;
  try {
    for await (const piece of source.read(from, to)) {
      const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
      for (let start = 0; start < bytes.length; ) {
        const newline = bytes.indexOf(NEWLINE, start);
        const end = newline < 0 ? bytes.length : newline;
        const kind = KIND.exec(bytes.toString('latin1', start, Math.min(end, start + BEGINNING)))?.[1];
        if (kind !== undefined && GIT_KINDS.has(kind)) yield parseEntry(bytes.subarray(start, end));
        start = end + 1;
      }
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new GitFailure('LEDGER', `the ledger's entries can't be read: ${why}`, { cause: error });
  }
}

/** The hash of the entry at `seq`; undefined where there is none that can be read. */
export async function hashAt(source: EntrySource, seq: number): Promise<string | undefined> {
  try {
    for await (const piece of source.read(seq, seq)) {
      const end = piece.indexOf(NEWLINE);
      return parseEntry(end < 0 ? piece : piece.subarray(0, end)).entry_hash;
    }
  } catch {
    // As good as none.
  }
  return undefined;
}
