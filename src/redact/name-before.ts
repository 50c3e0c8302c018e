// Where the name before a sign of assignment begins and ends, past blanks, types and what else may stand between.
import { type CharSet, charSet } from './char-set.ts';
import { SPACE, TAB } from './quoted.ts';
import { afterEscape, codeAt, type Scan } from './scan.ts';

export const LONGEST_NAME = 64;
const NAME = 'A-Za-z0-9_.-';

const TYPES = new Set(['string', 'str', 'String', 'bytes', 'any', 'auto', 'var', 'text', 'varchar', 'byte']);
const TYPE_EDGES = new Set(
  [...TYPES].map((type) => (type.charCodeAt(0) << 8) | type.charCodeAt(type.length - 1)),
);

let nameSet: CharSet | undefined;

export function nameStart(scan: Scan, end: number): number {
  nameSet ??= charSet(NAME);
  const set = nameSet;
  const lowest = Math.max(scan.floor, end - LONGEST_NAME);
  let start = end;
  while (start > lowest && set[scan.codes[start - 1] ?? 0] === 1) start--;
  return Math.min(end, afterEscape(scan.codes, start, scan.floor));
}

export function isType(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length < 3 || length > 7) return false;
  // Most names are none of them by their first letter and their last.
  const edges = (text.charCodeAt(start) << 8) | text.charCodeAt(end - 1);
  return TYPE_EDGES.has(edges) && TYPES.has(text.slice(start, end));
}

/** In `password: string = …`, `password string = …` and `password As String = …`, from the type back to the name. */
export function typedNameEnd(scan: Scan, typeStart: number): number {
  let end = typeStart;
  if (codeAt(scan, end - 1) === 38) end--;
  end = skipBack(scan, end);
  const before = codeAt(scan, end - 1);
  if (before === 58) {
    end--;
    return codeAt(scan, end - 1) === 63 ? end - 1 : end;
  }
  if (end === typeStart) return typeStart;
  const words = TYPE_WORDS.exec(scan.text.slice(Math.max(scan.floor, end - 12), end));
  return words === null ? end : skipBack(scan, end - words[0].length);
}

const TYPE_WORDS = /(?: As|: ?&'static)$/;

export function skipBack(scan: Scan, from: number): number {
  let end = from;
  while (end > scan.floor && from - end < 8) {
    const code = scan.codes[end - 1];
    if (code !== SPACE && code !== TAB) break;
    end--;
  }
  return end;
}
