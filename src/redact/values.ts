// A value that was assigned, read as far as it is judged. Text is not data, so where a value ends depends on where it
// stands: at its quote, at the end of a shell word, at the next parameter of an address.
import { charSet } from './char-set.ts';
import { BACKSLASH, closingQuote, isQuote } from './quoted.ts';
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

export function readValue(text: string, at: number, stop: string): Value {
  let from = at;
  // r'…', b"…", @"…"
  if (isQuote(text.charCodeAt(from + 1)) && /[rbfuLR@]/.test(text[from] ?? '')) from++;
  let quoteAt = from;
  while (text.charCodeAt(quoteAt) === BACKSLASH && quoteAt - from < 16) quoteAt++;
  const quote = text.charCodeAt(quoteAt);
  const quoted = isQuote(quote);
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

function bareEnd(text: string, from: number, stop: string, limit: number): number {
  const stops = charSet(stop);
  const last = Math.min(text.length, limit);
  let at = from;
  while (at < last && stops[text.charCodeAt(at)] !== 1) at++;
  return at;
}
