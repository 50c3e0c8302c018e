// A command whose words were split already: `['curl', '-u', 'me:…']`, or the arguments of `{ command, args }`. It is
// put together again and searched as a line; what is found within one word is taken from that word.
import type { Json } from '../core/index.ts';
import type { Span } from './scan.ts';

const MOST = 256;
const LONGEST = 8192;

/** The spans of each word, by its index. Only lists of strings with a flag among them are commands. */
export function argumentSpans(
  list: readonly Json[],
  command: string,
  spansOf: (text: string) => readonly Span[],
): Map<number, Span[]> {
  const found = new Map<number, Span[]>();
  if (list.length === 0 || list.length > MOST || !list.some(isFlag)) return found;
  const starts: number[] = [];
  let line = command === '' ? '' : `${command} `;
  for (const item of list) {
    if (typeof item !== 'string' || line.length + item.length > LONGEST) return found;
    starts.push(line.length);
    line += `${item} `;
  }
  let at = 0;
  for (const span of spansOf(line)) {
    while (at + 1 < starts.length && (starts[at + 1] ?? 0) <= span.start) at++;
    const start = starts[at] ?? 0;
    const item = list[at];
    if (typeof item !== 'string' || span.start < start || span.end > start + item.length) continue;
    const spans = found.get(at) ?? [];
    spans.push({ ...span, start: span.start - start, end: span.end - start });
    found.set(at, spans);
  }
  return found;
}

function isFlag(item: Json): boolean {
  return typeof item === 'string' && item.charCodeAt(0) === 45 && item.length > 1;
}
