// Sets of ASCII characters as tables, written as in a regular expression's brackets: `A-Za-z0-9_-`.
// Runs are walked by hand: one step a character, whatever the input.

export type CharSet = Uint8Array;

const made = new Map<string, CharSet>();

export function charSet(spec: string): CharSet {
  const known = made.get(spec);
  if (known !== undefined) return known;
  const set = new Uint8Array(128);
  for (let i = 0; i < spec.length; i++) {
    const from = spec.charCodeAt(i);
    const isRange = spec[i + 1] === '-' && i + 2 < spec.length;
    const to = isRange ? spec.charCodeAt(i + 2) : from;
    for (let code = from; code <= to && code < 128; code++) set[code] = 1;
    if (isRange) i += 2;
  }
  made.set(spec, set);
  return set;
}

export const ALNUM = 'A-Za-z0-9';
export const WORD = 'A-Za-z0-9_';
export const DASHED = 'A-Za-z0-9_-';
export const HEX = 'a-fA-F0-9';
export const UPPER = 'A-Z0-9';
export const BASE64 = 'A-Za-z0-9+/=';

/** The end of the run that begins at `from`, at most `limit`. */
export function runEnd(text: string, from: number, set: CharSet, limit = text.length): number {
  const stop = limit < text.length ? limit : text.length;
  let at = from;
  while (at < stop && set[text.charCodeAt(at)] === 1) at++;
  return at;
}

/** The same, going over a `.` that has one of the set behind it. */
export function dottedRunEnd(text: string, from: number, set: CharSet, limit = text.length): number {
  let at = from;
  for (;;) {
    at = runEnd(text, at, set, limit);
    if (at >= limit || text.charCodeAt(at) !== 46 || set[text.charCodeAt(at + 1)] !== 1) return at;
    at++;
  }
}
