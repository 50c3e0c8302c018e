// RFC 8785 canonical JSON (JCS), strict: what can't be written in exactly one way is refused, never mended.
// The number and string forms are ECMAScript's own; only key order and the refusals are ours.
import { utf8Decode } from '#platform';
import { ParseError } from './errors.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export interface CanonicalOptions {
  /** Deepest nesting of objects and arrays; a scalar has depth 0. */
  readonly maxDepth?: number;
  /** RFC 8785 allows any double. Entries are stricter: an integer must be safe, so that every language reads it alike. */
  readonly safeIntegers?: boolean;
}

const DEFAULT_MAX_DEPTH = 64;

/**
 * The canonical text of a value. Members of value `undefined` are left out, as JSON.stringify does; a lone surrogate,
 * a non-finite number, a function, a class instance or too deep a nesting throws ParseError with its path.
 */
export function canonicalize(value: unknown, options: CanonicalOptions = {}): string {
  const maxDepth = options.maxDepth ?? DEFAULT_MAX_DEPTH;
  const safe = options.safeIntegers ?? false;
  try {
    if (isOrdered(value, maxDepth, safe)) {
      const text = JSON.stringify(value);
      // A lone surrogate comes out as an escape like this one; so does an escaped backslash before these letters.
      if (!text.includes('\\ud')) return text;
    }
    return write(value, maxDepth, safe);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw new ParseError(error.code, error.message, pathOfFault(value, maxDepth, safe).replace(/^\./, ''));
  }
}

/** What JSON.parse gives for the canonical text of a value that is known to be plain JSON: a copy, its members in order. */
export function canonicalCopy(value: Json): Json {
  if (typeof value === 'number') return value === 0 ? 0 : value;
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? value.map(canonicalCopy) : canonicalMembers(value as JsonObject, NO_MEMBERS);
}

/** The same of `{ ...members, ...more }`, which takes several times as long. */
export function canonicalMembers(members: JsonObject, more: JsonObject): JsonObject {
  const keys = Object.keys(members);
  for (const key of Object.keys(more)) if (!Object.hasOwn(members, key)) keys.push(key);
  if (!isSorted(keys)) keys.sort();
  const copy: Record<string, Json> = {};
  for (const key of keys) {
    const member = Object.hasOwn(more, key) ? more[key] : members[key];
    if (member === undefined) continue;
    if (key !== '__proto__') copy[key] = canonicalCopy(member);
    else Object.defineProperty(copy, key, { ...PLAIN_MEMBER, value: canonicalCopy(member) });
  }
  return copy;
}

const NO_MEMBERS: JsonObject = {};
/** `copy.__proto__ = x` would be no member. */
const PLAIN_MEMBER = { enumerable: true, writable: true, configurable: true };

/**
 * The value of a text that is canonical; throws ParseError for any other. The comparison is with what `canonicalize`
 * writes, not with JSON.stringify, which keeps integer-like keys in an order of its own and lone surrogates as they are.
 */
export function parseCanonicalJson(bytes: Uint8Array, options: CanonicalOptions = {}): Json {
  let text: string;
  try {
    text = utf8Decode(bytes);
  } catch {
    throw new ParseError('INVALID_UTF8', 'not UTF-8');
  }
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON');
  }
  if (canonicalize(value, options) !== text) throw new ParseError('NOT_CANONICAL', 'not in canonical form');
  return value;
}

/**
 * Is this what JSON.stringify writes canonically by itself? It keeps the order of keys, so that is so where they are
 * in order already, and it is twice as quick. Anything out of the ordinary is left to the writer below.
 */
function isOrdered(value: unknown, depth: number, safe: boolean): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return safe && Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      if (depth === 0) return false;
      return Array.isArray(value)
        ? isOrderedArray(value, depth - 1, safe)
        : isOrderedObject(value, depth - 1, safe);
    default:
      return false;
  }
}

function isOrderedArray(values: readonly unknown[], depth: number, safe: boolean): boolean {
  if (Object.getPrototypeOf(values) !== Array.prototype || hasToJson(values)) return false;
  for (let i = 0; i < values.length; i++) if (!isOrdered(values[i], depth, safe)) return false;
  return true;
}

function isOrderedObject(value: object, depth: number, safe: boolean): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype || hasToJson(value)) return false;
  let before = '';
  for (const key of Object.keys(value)) {
    if (key < before || !isOrdered((value as Record<string, unknown>)[key], depth, safe)) return false;
    before = key;
  }
  return true;
}

/** JSON.stringify would call it. */
function hasToJson(value: object): boolean {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function';
}

function write(value: unknown, depth: number, safe: boolean): string {
  switch (typeof value) {
    case 'string':
      return writeString(value);
    case 'number':
      return writeNumber(value, safe);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      if (depth === 0) throw new ParseError('TOO_DEEP', 'nested too deeply');
      return Array.isArray(value) ? writeArray(value, depth - 1, safe) : writeObject(value, depth - 1, safe);
    default:
      throw new ParseError('INVALID_JSON', `a ${typeof value} has no JSON form`);
  }
}

/** Printable ASCII that needs no escape. For short strings, asking this is quicker than JSON.stringify. */
const PLAIN = /^[ !#-[\]-~]*$/;

function writeString(text: string): string {
  if (text.length < 64 && PLAIN.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new ParseError('INVALID_UTF8', 'lone surrogate');
  return JSON.stringify(text);
}

function writeNumber(value: number, safe: boolean): string {
  if (!Number.isFinite(value)) throw new ParseError('BAD_NUMBER', 'not a finite number');
  if (safe && Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new ParseError('BAD_NUMBER', 'integer outside ±(2^53 − 1)');
  }
  return value === 0 ? '0' : String(value);
}

function writeArray(values: readonly unknown[], depth: number, safe: boolean): string {
  let text = '[';
  for (let i = 0; i < values.length; i++) {
    if (i > 0) text += ',';
    text += write(values[i], depth, safe);
  }
  return `${text}]`;
}

function writeObject(value: object, depth: number, safe: boolean): string {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new ParseError('INVALID_JSON', 'only plain objects have a JSON form');
  }
  const members = value as Record<string, unknown>;
  const keys = Object.keys(members);
  // Array.prototype.sort without a comparator orders by UTF-16 code unit: exactly RFC 8785 section 3.2.3.
  if (!isSorted(keys)) keys.sort();
  let text = '';
  for (const key of keys) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === '' ? '{' : ','}${writeString(key)}:${write(member, depth, safe)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] ?? '') > (keys[i] ?? '')) return false;
  return true;
}

/** Where the writer stopped. Looked for only after it has, so that good values pay nothing for it. */
function pathOfFault(value: unknown, depth: number, safe: boolean): string {
  if (typeof value !== 'object' || value === null || depth === 0) return '';
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined && !Array.isArray(value)) continue;
    try {
      write(member, depth - 1, safe);
    } catch {
      return `${Array.isArray(value) ? `[${key}]` : `.${key}`}${pathOfFault(member, depth - 1, safe)}`;
    }
  }
  return '';
}
