// Quotes, spaces and line ends in text that may itself be a string within a string: `{\"password\":\"x\"}`.

export const SPACE = 32;
export const TAB = 9;
export const BACKSLASH = 92;
/** Begins a terminal's colour. */
const ESCAPE = 27;
/** As long as the words that long-words.ts looks for. */
export const LONG_WORD = 24;

export function isQuote(code: number): boolean {
  return code === 34 || code === 39 || code === 96;
}

/** A real line end, or the end of the text. */
export function isLineEnd(code: number): boolean {
  return code === 10 || code === 13 || Number.isNaN(code);
}

export function skipSpaces(text: string, from: number): number {
  let at = from;
  while (at - from < 64 && (text.charCodeAt(at) === SPACE || text.charCodeAt(at) === TAB)) at++;
  return at;
}

/**
 * Is a quote at `at` the end of a string that began before `name` on the same line? Then nothing is assigned:
 * `echo "password:"`. An apostrophe within a word is no quote. Nothing behind a long word counts: the word may be taken yet,
 * and then a marker stands in its place.
 */
export function closesString(text: string, name: number, quote: number, floor: number): boolean {
  // The quote that closes what was taken last opens nothing.
  let closed = floor;
  while (floor > 0 && closed - floor < 8 && text.charCodeAt(closed) === BACKSLASH) closed++;
  const lowest = Math.max(floor > 0 && isQuote(text.charCodeAt(closed)) ? closed + 1 : floor, name - 200);
  let open = false;
  let run = 0;
  for (let at = name - 1; at >= lowest; at--) {
    const code = text.charCodeAt(at);
    run = isWord(code) || code === 43 || code === 45 || code === 47 || code === 95 ? run + 1 : 0;
    if (code === 10 || code === 13 || run === LONG_WORD) break;
    const isWithin = at > floor && isWord(text.charCodeAt(at - 1)) && isWord(text.charCodeAt(at + 1));
    if (code !== quote || isWithin) continue;
    open = !open;
  }
  return open;
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/**
 * Where a quoted value ends: at the quote with as many backslashes before it as the opening one had, more being an
 * escaped quote within. Without one, at the end of the line, or at `limit`.
 */
export function closingQuote(
  text: string,
  start: number,
  quote: number,
  depth: number,
  limit: number,
): number {
  const stop = Math.min(text.length, limit);
  const period = 2 * (depth + 1);
  let slashes = 0;
  for (let at = start; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) {
      slashes++;
      continue;
    }
    if (code === quote && slashes % period === depth) {
      // SQL and shells write on behind a doubled quote: `'it''s'`.
      if (quote !== 39 || depth !== 0 || at === start || text.charCodeAt(at + 1) !== 39) return at - depth;
      at++;
    }
    if ((code === 10 || code === 13) && quote !== 96) return at;
    slashes = 0;
  }
  return stop;
}

/** Where a header's value ends: at a quote, a line end, or either of them escaped. */
export function headerEnd(text: string, from: number, limit: number): number {
  const stop = Math.min(text.length, limit);
  let at = from;
  for (; at < stop; at++) {
    const code = text.charCodeAt(at);
    if (isQuote(code) || code === 10 || code === 13 || code === ESCAPE) return at;
    if (code === BACKSLASH && at + 1 < text.length && /[\\nr"'`]/.test(text[at + 1] ?? '')) return at;
  }
  return at;
}
