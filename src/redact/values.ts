// A value that was assigned, read as far as it is judged. Text is not data, so where a value ends depends on where it
// stands: at its quote, at the end of a shell word, at the next parameter of an address. The quotes of many languages
// are known: `N'…'`, `E'…'`, `rb"…"`, `@"…"`, `"""…"""`, PostgreSQL's `$$…$$`.
import { charSet } from './char-set.ts';
import { BACKSLASH, closingQuote, isQuote, SPACE, skipSpaces, TAB } from './quoted.ts';
import { JUDGED } from './secret-shape.ts';

/** A value, read as far as it is judged; `end` finds where it really ends, once it is to be taken. */
export interface Value {
  readonly start: number;
  readonly judged: string;
  readonly quoted: boolean;
  readonly end: () => number;
}

const BARE_STOP = '\t\n\r\x1b "\'`;|)<>\\&';
export const LITERAL_STOP = BARE_STOP;
export const CODE_STOP = `${BARE_STOP},}]`;
export const QUERY_STOP = `${BARE_STOP}#,}]`;

/** What a language may write before a string's quote, `'static` being none. */
const PREFIX = /(?:[Uu]&|u8|[@$]{2}|[rR][bB]|[bB][rR]|[A-Za-z@$])(?=\\{0,8}["'`])/y;
const DOLLAR = /\$(?:[A-Za-z_]\w{0,15})?\$(?=[^\s$])/y;
const LONGEST_DOLLAR = 512;
const LONGEST_TRIPLE = 4096;

export function readValue(text: string, at: number, stop: string): Value {
  if (text.charCodeAt(at) === 36) {
    const dollar = dollarQuoted(text, at);
    if (dollar !== undefined) return dollar;
  }
  const from = afterPrefix(text, at);
  let quoteAt = from;
  while (text.charCodeAt(quoteAt) === BACKSLASH && quoteAt - from < 16) quoteAt++;
  const quote = text.charCodeAt(quoteAt);
  const quoted = isQuote(quote);
  if (quoted && text.charCodeAt(quoteAt + 1) === quote && text.charCodeAt(quoteAt + 2) === quote) {
    const triple = tripleQuoted(text, quoteAt);
    if (triple !== undefined) return triple;
  }
  const start = quoted ? quoteAt + 1 : at;
  // A list, an escape or a marker is no value.
  if (!quoted && (text.charCodeAt(at) === BACKSLASH || text.charCodeAt(at) === 91))
    return { start, judged: '', quoted, end: () => start };
  const endBy = (limit: number) =>
    quoted ? closingQuote(text, start, quote, quoteAt - from, limit) : bareEnd(text, start, stop, limit);
  const judged = text.slice(start, endBy(start + JUDGED));
  const end = () => (judged.length < JUDGED ? start + judged.length : endBy(text.length));
  return { start, judged, quoted, end };
}

/** Behind a string's prefix, if one stands at `at`. */
export function afterPrefix(text: string, at: number): number {
  if (isQuote(text.charCodeAt(at))) return at;
  const second = text.charCodeAt(at + 1);
  if (!isQuote(second) && second !== BACKSLASH && !isQuote(text.charCodeAt(at + 2))) return at;
  PREFIX.lastIndex = at;
  return PREFIX.test(text) ? PREFIX.lastIndex : at;
}

function dollarQuoted(text: string, at: number): Value | undefined {
  DOLLAR.lastIndex = at;
  if (!DOLLAR.test(text)) return undefined;
  const start = DOLLAR.lastIndex;
  const tag = text.slice(at, start);
  const within = text.slice(start, start + LONGEST_DOLLAR);
  const length = within.indexOf(tag);
  if (length < 1 || within.slice(0, length).includes('\n')) return undefined;
  return {
    start,
    judged: within.slice(0, Math.min(length, JUDGED)),
    quoted: true,
    end: () => start + length,
  };
}

/** Undefined where nothing closes it: then two of the three are an empty string. */
function tripleQuoted(text: string, quoteAt: number): Value | undefined {
  const sign = text.slice(quoteAt, quoteAt + 3);
  let start = quoteAt + 3;
  while (start - quoteAt < 80 && text.charCodeAt(start) <= SPACE) start++;
  const within = text.slice(start, start + LONGEST_TRIPLE);
  const close = within.indexOf(sign);
  if (close < 1) return undefined;
  const value = within.slice(0, close).trimEnd();
  return { start, judged: value.slice(0, JUDGED), quoted: true, end: () => start + value.length };
}

function bareEnd(text: string, from: number, stop: string, limit: number): number {
  const stops = charSet(stop);
  const last = Math.min(text.length, limit);
  let at = from;
  while (at < last && stops[text.charCodeAt(at)] !== 1) at++;
  return at;
}

const TAG = /(?:![\w!/.:-]{0,40}|&[A-Za-z_][\w-]{0,40})[ \t]{1,8}/y;

/** Over YAML's tags and anchors: `!!str`, `!vault`, `&name`. */
export function skipTags(text: string, at: number): number {
  let from = at;
  for (let tags = 0; tags < 3; tags++) {
    const code = text.charCodeAt(from);
    if (code !== 33 && code !== 38) break;
    TAG.lastIndex = from;
    if (!TAG.test(text)) break;
    from = TAG.lastIndex;
  }
  return from;
}

/**
 * The scalar on the line below its name, deeper than it: `password:` and then the value alone. -1 if what stands there
 * is a mapping, a list or a sentence.
 */
export function scalarBelow(text: string, at: number, indent: number): number {
  let from = skipSpaces(text, at);
  if (text.charCodeAt(from) === 13) from++;
  if (text.charCodeAt(from) !== 10) return -1;
  const line = from + 1;
  let start = line;
  while (start - line < 64 && (text.charCodeAt(start) === SPACE || text.charCodeAt(start) === TAB)) start++;
  if (start - line <= indent) return -1;
  BELOW.lastIndex = start;
  return BELOW.test(text) ? start : -1;
}

/** One word, or one quoted string, and nothing else on the line. */
const BELOW =
  /(?:"[^"\n]{1,256}"|'[^'\n]{1,256}'|[^\s"'#\-[{|>&*!:][^\s:]{0,255})[ \t]{0,8}(?:#[^\n]{0,200})?(?=\r?\n|$)/y;
