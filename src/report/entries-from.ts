// The entries of a ledger from one on, parsed.
import { type Entry, type Head, parseEntry } from '../format/index.ts';
import type { Ledger } from '../ledger/index.ts';

/** All entries from there on. */
export async function* entriesFrom(store: Ledger['store'], first: number): AsyncGenerator<Entry> {
  const { seq: last } = await settledHead(store);
  for await (const piece of store.read(first, last)) {
    for (let at = 0; at < piece.length; ) {
      const end = piece.indexOf(0x0a, at);
      yield parseEntry(piece.subarray(at, end));
      at = end + 1;
    }
  }
}

/** The head as it is, not as it was last published: who wrote an entry may not have left the section yet. */
export async function settledHead(store: Ledger['store']): Promise<Head> {
  let head: Head | undefined;
  await store.append((now) => {
    head = now;
    return undefined;
  });
  return head ?? store.head();
}
