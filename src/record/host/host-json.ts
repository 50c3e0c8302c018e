// The JSON text a host writes to a hook's standard input, read without losing what JSON.parse loses in silence:
// digits of large numbers, all but the last of two members with one name, bytes that are no UTF-8. Each is counted.
// Nothing is trusted: not that it is JSON, nor that it is small or shallow. Linear in the length of the input.
import type { Json } from '../../core/index.ts';
import { TIDY_DEPTH, type Tidied, tidy } from '../tidy.ts';
import type { Problem } from './host-event.ts';

/** What can't be read as JSON is kept as text. */
export interface NotJson {
  readonly problem: Extract<Problem, 'empty' | 'not-json' | 'too-large'>;
  /** All of it, or its beginning where it is too large. */
  readonly text: string;
  readonly lossy: number;
}

/** Longest input that is read as JSON. */
export const MAX_HOST_BYTES = 64 * 1024 * 1024;
/** What is kept of a longer one. */
const KEPT_BYTES = 1024 * 1024;
/** A word longer than this is cut all the same. */
const LONGEST_CUT = 4096;
/** Beyond this many values, tidying cuts off. */
const MOST_VALUES = 1_000_000;

/**
 * Never throws. The value is tidy: an entry can hold it. A byte order mark at the start is no part of the text. Members
 * that were there twice are counted unless tidying had to cut something else.
 */
export function parseHostJson(bytes: Uint8Array): Tidied | NotJson {
  const large = bytes.length > MAX_HOST_BYTES;
  const { text, lossy } = decode(large ? bytes.subarray(0, KEPT_BYTES) : bytes);
  if (large) return { problem: 'too-large', text: wholeWords(text), lossy: lossy + 1 };
  if (text.trim() === '') return { problem: 'empty', text, lossy };
  try {
    const parsed = JSON.parse(text) as Json;
    // Most hosts write what JSON.stringify writes. Then nothing can have been lost, and the text need not be read again.
    // Tidiness comes first: JSON.stringify has no answer to what is nested a hundred thousand deep.
    if (isTidy(parsed, 0, { members: 0, values: 0 }) && JSON.stringify(parsed) === text.trim()) {
      return { value: parsed, lossy };
    }
    const mended = mend(parsed, text);
    return { value: mended.value, lossy: lossy + mended.lossy };
  } catch {
    return { problem: 'not-json', text, lossy };
  }
}

/** Without the word that was cut in two: half a secret is one that no rule knows. */
function wholeWords(text: string): string {
  const least = text.length - LONGEST_CUT;
  let end = text.length;
  while (end > least && !/\s/.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function mend(parsed: Json, text: string): Tidied {
  const scan = scanJson(text);
  const value = scan.mended === null ? parsed : (JSON.parse(scan.mended) as Json);
  const seen = { members: 0, values: 0 };
  if (isTidy(value, 0, seen)) return { value, lossy: scan.lost + scan.colons - seen.members };
  const tidied = tidy(value);
  return { value: tidied.value, lossy: scan.lost + tidied.lossy };
}

/** Well-formed text, and how many replacement characters are ours. */
function decode(bytes: Uint8Array): { text: string; lossy: number } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), lossy: 0 };
  } catch {
    const text = new TextDecoder().decode(bytes);
    let replaced = 0;
    for (let at = text.indexOf('\ufffd'); at >= 0; at = text.indexOf('\ufffd', at + 1)) replaced++;
    let own = 0;
    for (let at = bytes.indexOf(0xef); at >= 0; at = bytes.indexOf(0xef, at + 1)) {
      if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) own++;
    }
    return { text, lossy: replaced - own };
  }
}

interface JsonScan {
  /** Of members, that is: outside of strings. */
  colons: number;
  /** Numbers that a double can't hold, or that are no safe integer. */
  lost: number;
  /** The text with those numbers as strings; null where there is none. */
  mended: string | null;
}

/** `text` is valid JSON. Jumps from string to string and looks only at what is between. */
function scanJson(text: string): JsonScan {
  const scan: JsonScan = { colons: 0, lost: 0, mended: null };
  let mended = '';
  let done = 0;
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at + 1);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const start = at++;
      while (at < text.length && isNumeric(text.charCodeAt(at))) at++;
      const digits = text.slice(start, at);
      if (isExact(digits)) continue;
      scan.lost++;
      mended += `${text.slice(done, start)}"${digits}"`;
      done = at;
    } else {
      if (code === COLON) scan.colons++;
      at++;
    }
  }
  if (scan.lost > 0) scan.mended = mended + text.slice(done);
  return scan;
}

const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;

/** Just behind the closing quote of a string whose content begins at `at`. */
function afterString(text: string, at: number): number {
  for (let quote = text.indexOf('"', at); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slash = quote;
    while (slash > at && text.charCodeAt(slash - 1) === BACKSLASH) slash--;
    if ((quote - slash) % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Digits, sign, point and exponent. */
function isNumeric(code: number): boolean {
  return (
    (code >= ZERO && code <= NINE) || code === 0x2e || code === 0x2b || code === MINUS || (code | 32) === 0x65
  );
}

/** Does a double say the same, and may an entry hold it? */
function isExact(digits: string): boolean {
  const value = Number(digits);
  // Most numbers are short and plain. What comes out as zero may have been something smaller.
  if (digits.length < 16 && value !== 0 && Number.isSafeInteger(value)) return true;
  if (!Number.isFinite(value) || Object.is(value, -0)) return false;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return false;
  return value === 0
    ? !/[1-9]/.test(digits.split(/e/i)[0] ?? '')
    : decimal(digits) === decimal(String(value));
}

/** Sign, digits without zeros at either end, and the power of ten of the last one: the same for equal numbers. */
function decimal(digits: string): string {
  const [mantissa = '', exponent = '0'] = digits.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const all = `${whole}${fraction}`;
  let end = all.length;
  while (end > 0 && all.charCodeAt(end - 1) === ZERO) end--;
  let start = 0;
  while (start < end && all.charCodeAt(start) === ZERO) start++;
  const power = Number(exponent) - fraction.length + (all.length - end);
  return `${digits.startsWith('-') ? '-' : ''}${all.slice(start, end)}e${power}`;
}

/** Of what JSON.parse gave. Counts members, for the names that were there twice. */
function isTidy(value: Json, depth: number, seen: { members: number; values: number }): boolean {
  if (++seen.values > MOST_VALUES) return false;
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= TIDY_DEPTH) return false;
  if (Array.isArray(value)) {
    for (const member of value) if (!isTidy(member as Json, depth + 1, seen)) return false;
    return true;
  }
  for (const [key, member] of Object.entries(value)) {
    seen.members++;
    if (!key.isWellFormed() || !isTidy(member, depth + 1, seen)) return false;
  }
  return true;
}
