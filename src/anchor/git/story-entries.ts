// The entries of a ledger that tell the story.
import { type Entry, GIT_KINDS, parseEntry } from '../../format/index.ts';
import { entriesOf, type LogReader } from '../../ledger/index.ts';
import { GitFailure } from './git-problem.ts';

export type EntrySource = LogReader;

const KINDS = [...GIT_KINDS];
const NEWLINE = 0x0a;

/** Entries `from` to `to`, of the kinds that matter. Throws GitFailure where they can't be read. */
export async function* storyEntries(source: EntrySource, from: number, to: number): AsyncIterable<Entry> {
  const entries = entriesOf(source, from, to, KINDS);
  for (;;) {
    let next: IteratorResult<Entry>;
    try {
      next = await entries.next();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new GitFailure('LEDGER', `the ledger's entries can't be read: ${why}`, { cause: error });
    }
    if (next.done === true) return;
    yield next.value;
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
