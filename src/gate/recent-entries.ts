// The newest entries of rare kinds, found from the end of the ledger: however long it is, only what is young enough is
// read. A time is what the writer's clock said, so an older entry ends the search only where a whole piece begins with one.
import { type Entry, parseEntry } from '../format/index.ts';
import { entriesOf, type LogReader } from '../ledger/index.ts';

/** Entries read at first, and at most, in one go. */
const FIRST = 1024;
const MOST = 65_536;
const MOST_FOUND = 10_000;

/** Entries of these kinds since a moment (ISO time), oldest first. */
export async function recentEntries(
  store: LogReader,
  since: string,
  kinds: readonly string[],
): Promise<Entry[]> {
  const pieces: Entry[][] = [];
  let count = 0;
  let length = FIRST;
  for (let to = (await store.head()).seq; to > 0 && count < MOST_FOUND; ) {
    const from = Math.max(1, to - length + 1);
    const piece: Entry[] = [];
    for await (const entry of entriesOf(store, from, to, kinds)) if (entry.ts >= since) piece.push(entry);
    pieces.unshift(piece);
    count += piece.length;
    const oldest = await timeOf(store, from);
    if (oldest !== undefined && oldest < since) break;
    to = from - 1;
    length = Math.min(MOST, 4 * length);
  }
  return pieces.flat().slice(-MOST_FOUND);
}

async function timeOf(store: Pick<LogReader, 'read'>, seq: number): Promise<string | undefined> {
  try {
    for await (const piece of store.read(seq, seq)) return parseEntry(piece.subarray(0, -1)).ts;
  } catch {
    // No entry: older ones will tell.
  }
  return undefined;
}
