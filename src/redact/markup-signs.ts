// Signs of Markdown, HTML and source code that may stand between a name and its value.
import { skipSpaces } from './quoted.ts';
import { codeAt, isDigit, type Scan } from './scan.ts';

/** Markdown's `**` before a value, or behind the sign: `**Password:** …`. */
export function skipEmphasis(text: string, at: number): number {
  return text.charCodeAt(at) === 42 && text.startsWith('**', at) ? skipSpaces(text, at + 2) : at;
}

const INLINE = 'code|b|strong|em|i|kbd|tt|samp|mark|pre|span|label|td|th|dt|dd|p|div';
const ELEMENTS = new RegExp(String.raw`(?:</?(?:${INLINE})(?:\s[^<>\n]{0,120})?>\s{0,8}){1,4}`, 'iy');
const CLOSED = new RegExp(`</(?:${INLINE})>$`, 'i');

/** HTML's tags before a value: `Password: <code>…</code>`, `<b>Password:</b> …`. */
export function skipElements(text: string, at: number): number {
  if (text.charCodeAt(at) !== 60) return at;
  ELEMENTS.lastIndex = at;
  return ELEMENTS.test(text) ? ELEMENTS.lastIndex : at;
}

/** Over what may stand between a name and its sign: Markdown's `**`, Swift's `?`, C's `[]` and `[32]`. */
export function skipSigns(scan: Scan, from: number, sign: number): number {
  let end = from;
  if (sign === 62)
    return from - (CLOSED.exec(scan.text.slice(Math.max(scan.floor, from - 12), from))?.[0].length ?? 0);
  if (sign === 93) {
    end--;
    while (from - end < 8 && isDigit(codeAt(scan, end - 1))) end--;
    return codeAt(scan, end - 1) === 91 && end > scan.floor ? end - 1 : from;
  }
  while (end > scan.floor && from - end < 3 && scan.codes[end - 1] === sign) end--;
  return end;
}
