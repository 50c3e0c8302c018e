// JSON that every reader takes for the same value. Readers differ about names that stand twice, about numbers that no
// double holds, about halves of surrogate pairs, and about depth; who records what passes between two of them can't know
// which reading counts. So the text is read here, and said to be plain or not.
import { utf8Decode } from '#platform';
import type { Json } from './canonical-json.ts';
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  DEEPEST_JSON,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './json-bytes.ts';

/** Why two readers may differ about a text. */
export type JsonDoubt =
  | 'not-utf8'
  | 'not-json'
  | 'repeated-name'
  | 'lone-surrogate'
  | 'inexact-number'
  | 'too-deep';

export interface PlainJson {
  /** As JSON.parse reads it, plain or not; undefined where it is no JSON. */
  readonly value: Json | undefined;
  /** Null where all readers agree. */
  readonly doubt: JsonDoubt | null;
}

const MINUS = 0x2d;
const SPACE = 0x20;
const [ZERO, NINE] = [0x30, 0x39];

/** Arguments of a call. */
const PIECE = 8192;
/** Digits that a double always holds. */
const EXACT_DIGITS = 15;
/** A number of more characters is not looked at: BigInt takes long for it, and no reader holds it. */
const LONGEST_NUMBER = 400;

/** Never throws. */
export function parsePlainJson(text: string): PlainJson {
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return { value: undefined, doubt: 'not-json' };
  }
  try {
    // What JavaScript writes is plain, but for halves of surrogate pairs. It is most of what comes, and this is quick.
    if (!text.includes('\\ud') && JSON.stringify(value) === text && !isFolded(value))
      return { value, doubt: null };
  } catch {
    return { value, doubt: 'too-deep' };
  }
  return { value, doubt: doubtIn(text) };
}

/** The same of bytes. `text` is undefined where they are not UTF-8. */
export function parsePlainBytes(bytes: Uint8Array): PlainJson & { readonly text: string | undefined } {
  let text: string;
  try {
    text = utf8Decode(bytes);
  } catch {
    return { value: undefined, doubt: 'not-utf8', text: undefined };
  }
  return { ...parsePlainJson(text), text };
}

/** Bytes as they came, in a form that can be kept and redacted: text, or a character for each byte where it is none. */
export function asItCame(bytes: Uint8Array): Json {
  try {
    return utf8Decode(bytes);
  } catch {
    let latin1 = '';
    for (let at = 0; at < bytes.length; at += PIECE)
      latin1 += String.fromCharCode(...bytes.subarray(at, at + PIECE));
    return { latin1 };
  }
}

/** Looks through a text that is known to be JSON. */
function doubtIn(text: string): JsonDoubt | null {
  /** Names so far, of each object that is open; null for an array. */
  const open: (Set<string> | null)[] = [];
  let isName = false;
  const hasHalves = /\\u[dD]/.test(text);
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(text, at);
      const names = open.at(-1) ?? null;
      // Most strings are no names, and hold no escape that could be half of a pair.
      if (isName || hasHalves) {
        const word = wordOf(text.slice(at, end));
        if (!word.isWellFormed()) return 'lone-surrogate';
        if (isName && names !== null && isRepeated(names, word, open.length)) return 'repeated-name';
      }
      at = end;
      continue;
    }
    if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, at);
      if (!isExact(text, at, end)) return 'inexact-number';
      at = end;
      continue;
    }
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      if (open.length >= DEEPEST_JSON) return 'too-deep';
      open.push(code === OPEN_OBJECT ? new Set() : null);
      isName = code === OPEN_OBJECT;
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) open.pop();
    else if (code === COMMA) isName = open.at(-1) !== null;
    else if (code === COLON) isName = false;
    at += 1;
  }
  return null;
}

/** In the outermost object, where it is said what the text is, some readers take `Type` for `type`. */
function isFolded(value: Json): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const names = Object.keys(value);
  return new Set(names.map(fold)).size < names.length;
}

/** As readers do that do not mind capitals: some letters outside ASCII have one within it. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase();
}

function isRepeated(names: Set<string>, word: string, depth: number): boolean {
  const name = depth === 1 ? fold(word) : word;
  if (names.has(name)) return true;
  names.add(name);
  return false;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; ; at += 1) {
    at = text.indexOf('"', at);
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}

function wordOf(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}

/** Of a JSON number: what it is made of. */
function endOfNumber(text: string, from: number): number {
  let at = from + 1;
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_ARRAY || code === CLOSE_OBJECT || code <= SPACE) break;
  }
  return at;
}

function isExact(text: string, from: number, end: number): boolean {
  const token = text.slice(from, end);
  const isWhole = !token.includes('.');
  const isPower = token.includes('e') || token.includes('E');
  if (!isPower && (!isWhole || token.length <= EXACT_DIGITS)) return token.length <= LONGEST_NUMBER;
  if (token.length > LONGEST_NUMBER) return false;
  const value = Number(token);
  if (!Number.isFinite(value)) return false;
  // The digits that JavaScript writes for it are those that came, or mean the same.
  return isPower || String(value) === token || BigInt(token) === BigInt(value);
}
