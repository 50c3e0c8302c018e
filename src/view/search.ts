// Words in what was said and done: prompts, answers, arguments and results that are kept, and the entries themselves. A
// scan from the newest entry to the oldest, which ends when it has found enough or has looked long enough.
import { asContentRef, contentRefs, type Entry } from '../format/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { contentReader, parseLine, scanLines } from '../report/index.ts';
import type { Found, Hit } from './answers.ts';

const MOST_HITS = 100;
const MOST_MILLISECONDS = 3000;
const STEP = 2000;
const MOST_CONTENT = 262_144;

export async function search(
  ledger: Ledger,
  located: Located,
  query: string,
  before = Number.POSITIVE_INFINITY,
): Promise<Found> {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const read = contentReader(ledger, located);
  const hits: Hit[] = [];
  const until = performance.now() + MOST_MILLISECONDS;
  let to = Math.min((await ledger.store.head()).seq, before - 1);
  while (words.length > 0 && to > 0 && hits.length < MOST_HITS && performance.now() < until) {
    const from = Math.max(1, to - STEP + 1);
    const entries: Entry[] = [];
    for await (const lines of scanLines(ledger.store, from, to))
      for (const line of lines) {
        const entry = parseLine(line);
        if (entry !== undefined) entries.push(entry);
      }
    for (const entry of entries.reverse()) {
      const text = await textOf(entry, read);
      if (!words.every((word) => text.toLowerCase().includes(word))) continue;
      const { session_id: session, seq, kind, ts } = entry;
      hits.push({ session, seq, kind, ts, text: around(text, words[0] as string) });
      if (hits.length === MOST_HITS) return { hits, from: seq };
    }
    to = from - 1;
  }
  return { hits, from: to + 1 };
}

async function textOf(
  { session_id: session, kind, payload }: Entry,
  read: ReturnType<typeof contentReader>,
): Promise<string> {
  const own = Object.entries(payload)
    .filter(
      ([, value]) => typeof value === 'string' || (Array.isArray(value) && asContentRef(value) === undefined),
    )
    .map(([, value]) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const contents: string[] = [];
  for (const ref of contentRefs(payload)) {
    const content = await read(session, ref, MOST_CONTENT);
    if (content.state === 'kept') contents.push(Buffer.from(content.bytes).toString('utf8'));
  }
  return [...contents, kind, ...own].join(' ');
}

function around(text: string, word: string): string {
  const at = Math.max(0, text.toLowerCase().indexOf(word));
  return text.slice(Math.max(0, at - 60), at + 140).replace(/\s+/g, ' ');
}
