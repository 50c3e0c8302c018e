// Words in what was said and done, from the newest entry to the oldest. The index answers as far as it reaches. What is
// newer than the index, and all where there is none, is read entry by entry, until enough is found or time is up.
import type { Entry } from '../format/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { contentReader, parseLine, scanLines } from '../report/index.ts';
import type { Found, Hit } from './answers.ts';
import { around, textOf, wordsOf } from './entry-text.ts';
import type { LedgerIndex } from './ledger-index.ts';

const MOST_HITS = 100;
const MOST_MILLISECONDS = 3000;
/** Where the index answers for the rest. */
const FEWER_MILLISECONDS = 1000;
const STEP = 2000;

export interface Searched {
  readonly ledger: Ledger;
  readonly located: Located;
  readonly index: LedgerIndex | undefined;
}

export async function search(searched: Searched, query: string, before?: number): Promise<Found> {
  const found = await searchAll(searched, query, before);
  return { ...found, isFull: found.hits.length === MOST_HITS, hits: withoutDoubles(found.hits) };
}

/** What an entry of ours repeats, and the entry that it repeats follows at most so many entries before. */
const REPEATS: ReadonlyMap<string, readonly [of: string, within: number]> = new Map([
  ['contract', ['prompt', 3]],
  ['claim', ['response', 24]],
]);

/** A prompt is also in what was made of it, and an answer in its claims: one of them is enough. */
function withoutDoubles(hits: readonly Hit[]): readonly Hit[] {
  const places = new Map<string, number[]>();
  for (const { kind, session, seq } of hits) {
    const key = `${kind} ${session}`;
    places.set(key, [...(places.get(key) ?? []), seq]);
  }
  return hits.filter(({ kind, session, seq }) => {
    const repeated = REPEATS.get(kind);
    if (repeated === undefined) return true;
    const [of, within] = repeated;
    return !(places.get(`${of} ${session}`) ?? []).some((place) => place < seq && seq - place <= within);
  });
}

async function searchAll(
  { ledger, located, index }: Searched,
  query: string,
  before = Number.POSITIVE_INFINITY,
): Promise<Omit<Found, 'isFull'>> {
  const words = wordsOf(query);
  const { seq: head } = await ledger.store.head();
  const to = Math.min(head, before - 1);
  if (words.length === 0) return { hits: [], from: 1, skipped: null, notices: [] };
  // Signs alone are no words to the index.
  const isForIndex = words.every((word) => /[\p{L}\p{N}]/u.test(word));
  const state = isForIndex ? await index?.state(ledger.store) : undefined;
  const problems = index === undefined || index.problem === null ? [] : [index.problem];
  if (state === undefined || index === undefined) {
    const { hits, from } = await scan(ledger, located, words, 1, to, MOST_MILLISECONDS);
    return { hits, from, skipped: null, notices: problems };
  }
  const newer = await scan(ledger, located, words, state.seq + 1, to, FEWER_MILLISECONDS);
  if (newer.hits.length === MOST_HITS) return { ...newer, skipped: null, notices: [] };
  const most = MOST_HITS - newer.hits.length;
  const older = index.match(words, Math.min(state.seq, to) + 1, most);
  if (older === undefined) {
    const { hits, from } = await scan(ledger, located, words, 1, newer.from - 1, MOST_MILLISECONDS);
    const notices = ['The index is damaged and is being built again.'];
    return { hits: [...newer.hits, ...hits].slice(0, MOST_HITS), from, skipped: null, notices };
  }
  const hits = older.map(({ text, ...entry }): Hit => ({ ...entry, text: around(text, words) }));
  return {
    hits: [...newer.hits, ...hits],
    from: hits.length < most ? 1 : (hits.at(-1)?.seq ?? 1),
    skipped: newer.from > state.seq + 1 ? { from: state.seq + 1, to: newer.from - 1 } : null,
    notices: problems,
  };
}

/** Entries `first` to `last`, from the last on. `from` is the first that was looked at. */
async function scan(
  ledger: Ledger,
  located: Located,
  words: readonly string[],
  first: number,
  last: number,
  milliseconds: number,
): Promise<{ readonly hits: Hit[]; readonly from: number }> {
  const read = contentReader(ledger, located);
  const hits: Hit[] = [];
  const until = performance.now() + milliseconds;
  let to = last;
  while (to >= first && performance.now() < until) {
    const from = Math.max(first, to - STEP + 1);
    const entries: Entry[] = [];
    for await (const lines of scanLines(ledger.store, from, to))
      for (const line of lines) {
        const entry = parseLine(line);
        if (entry !== undefined) entries.push(entry);
      }
    for (const entry of entries.reverse()) {
      const { text } = await textOf(entry, read);
      const lower = text.toLowerCase();
      if (!words.every((word) => lower.includes(word))) continue;
      const { session_id: session, seq, kind, ts } = entry;
      hits.push({ session, seq, kind, ts, text: around(text, words) });
      if (hits.length === MOST_HITS) return { hits, from: seq };
    }
    to = from - 1;
  }
  return { hits, from: Math.max(first, to + 1) };
}
