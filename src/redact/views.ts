// Text as a reader or a program would see it: without a terminal's colours, with `%3D` as `=`, `&quot;` as `"`,
// `\u0022` as `"`, and a command that goes on behind `\` on one line. The rules then look at that, and what they find
// is taken where it stands. A value in colour, or a query within a query, is told by the same rules as any other.
// One view, one pass: what is encoded twice is not decoded twice.
import type { Scan, Span } from './scan.ts';

const COLOUR = String.raw`(?:\u001b|\\u001[bB]|\\x1[bB]|\\033|\\e)(?:\[[0-9;:?]{0,24}[A-Za-z]|\(B)`;
const HIDDEN = String.raw`${COLOUR}|%[2-7][0-9A-Fa-f]|\\u00[2-7][0-9A-Fa-f]|&(?:quot|amp|apos|lt|gt|#3[49]|#x2[27]);|\\\r?\n[ \t]{0,64}`;
const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  amp: '&',
  apos: "'",
  lt: '<',
  gt: '>',
  '#34': '"',
  '#39': "'",
};

let hidden: RegExp | undefined;

/**
 * Where something may be hidden. Said too often rather than too seldom: the view itself decides. No other rule may be
 * asked at the same pair: then this one would be asked wherever that one is.
 */
export const HIDING = [
  '\u001b[',
  '\u001b(',
  '%2',
  '%3',
  '\\u00',
  '&qu',
  '&l',
  '&#',
  '\\\n',
  '\\\r',
  '\\x1',
  '\\03',
  '\\e[',
];

/** A probe for these. */
export function hidingProbe(scan: Scan): void {
  scan.hides = true;
}

export interface View {
  readonly text: string;
  /** A span of the view as a span of the text that the view was made of. Asked in order. */
  spanIn(span: Span): Span;
}

/** Undefined where the view is the text. */
export function viewOf(text: string): View | undefined {
  hidden ??= new RegExp(HIDDEN, 'g');
  const pieces: string[] = [];
  /** Where each piece begins, in the view and in the text; where it ends there, if it is one character for several. */
  const starts: number[] = [];
  const origins: number[] = [];
  const ends: (number | undefined)[] = [];
  let from = 0;
  let length = 0;
  const add = (piece: string, origin: number, end?: number) => {
    if (piece === '') return;
    pieces.push(piece);
    starts.push(length);
    origins.push(origin);
    ends.push(end);
    length += piece.length;
  };
  hidden.lastIndex = 0;
  for (let found = hidden.exec(text); found !== null; found = hidden.exec(text)) {
    add(text.slice(from, found.index), from);
    from = found.index + found[0].length;
    add(shownFor(found[0]), found.index, from);
  }
  if (from === 0) return undefined;
  add(text.slice(from), from);

  let piece = 0;
  /** Where a character of the view begins in the text, and where it ends. */
  const place = (at: number): [number, number] => {
    while (piece + 1 < starts.length && (starts[piece + 1] ?? 0) <= at) piece++;
    while (piece > 0 && (starts[piece] ?? 0) > at) piece--;
    const origin = (origins[piece] ?? 0) + at - (starts[piece] ?? 0);
    return [origin, ends[piece] ?? origin + 1];
  };
  return {
    text: pieces.join(''),
    spanIn: ({ start, end, id, quote }) => {
      const [first] = place(start);
      return { start: first, end: end > start ? place(end - 1)[1] : first, id, quote };
    },
  };
}

function shownFor(found: string): string {
  const first = found.charCodeAt(0);
  if (first === 37) return String.fromCharCode(Number.parseInt(found.slice(1), 16));
  if (first === 38) {
    const name = found.slice(1, -1);
    return ENTITIES[name] ?? (name === '#x22' ? '"' : "'");
  }
  if (first === 92 && found.charCodeAt(1) === 117 && found.length === 6)
    return String.fromCharCode(Number.parseInt(found.slice(2), 16));
  return first === 92 && (found.charCodeAt(1) === 10 || found.charCodeAt(1) === 13) ? ' ' : '';
}
