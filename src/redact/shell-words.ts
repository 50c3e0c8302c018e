// Words of a command line, as far as the rules need them: with or without quotes, in a string within a string as well.
import { charSet, runEnd } from './char-set.ts';
import { hasMarker } from './marker.ts';
import { closingQuote, isQuote } from './quoted.ts';
import type { Scan } from './scan.ts';
import { isLooseReference } from './secret-shape.ts';

const LONGEST = 512;
/** What a shell leaves in a word without quotes. */
const BARE = '!#$%*+,./0-9:=?@A-Z[]^_a-z{}~-';

export interface Word {
  readonly start: number;
  readonly text: string;
  readonly quoted: boolean;
}

/** The shell word at `at`, as much of it as is judged. */
export function readWord(text: string, at: number): Word {
  let from = at;
  while (text.charCodeAt(from) === 92 && from - at < 8) from++;
  const quote = text.charCodeAt(from);
  if (isQuote(quote)) {
    const start = from + 1;
    const end = closingQuote(text, start, quote, from - at, start + LONGEST);
    return { start, text: text.slice(start, end), quoted: true };
  }
  return { start: at, text: text.slice(at, runEnd(text, at, charSet(BARE), at + LONGEST)), quoted: false };
}

/** Is the word there, no flag, and not only a name for what is kept elsewhere? */
export function isLiteralWord({ text, quoted }: Word): boolean {
  if (text === '' || isLooseReference(text) || hasMarker(text)) return false;
  return quoted || !/^(?:-|[<>|&;]|\[|\.\.\.)/.test(text);
}

const FURTHEST = 256;
const SEPARATOR = /(?:;|\|\||&&|\|)\s|\n|\$\(|\\n/g;

/** The command that `at` stands in, up to there, a bounded way back. */
export function commandBefore(scan: Scan, at: number): string {
  const before = scan.text.slice(Math.max(scan.floor, at - FURTHEST), at);
  let from = 0;
  for (const found of before.matchAll(SEPARATOR)) from = found.index + found[0].length;
  return before.slice(from);
}
