// How payloads are read: member by member, exactly those that belong there, each of its own form and within its bound.
// What does not fit is a ParseError that names the place. Also how a writer cuts what is too long, so that no reader
// has to refuse it.
import { utf8Encode } from '#platform';
import {
  isHash,
  type Json,
  type JsonObject,
  ParseError,
  parseBase64,
  parseBase64Url,
} from '../core/index.ts';
import { isTimestamp } from './entry.ts';

const ROOT = 'payload';

/** These members, and no other. */
export function exactly(object: JsonObject, names: readonly string[], path = ROOT): void {
  const found = Object.keys(object);
  if (found.length === names.length && names.every((name) => Object.hasOwn(object, name))) return;
  const extra = found.find((name) => !names.includes(name));
  if (extra !== undefined) throw new ParseError('BAD_MEMBER', 'unknown member', `${path}.${extra}`);
  const missing = names.find((name) => !Object.hasOwn(object, name));
  if (missing !== undefined) throw new ParseError('BAD_MEMBER', 'missing', `${path}.${missing}`);
}

export function text(object: JsonObject, name: string, path = ROOT): string {
  const value = object[name];
  if (typeof value !== 'string') throw bad('not a string', path, name);
  return value;
}

/** A text of at most `most` UTF-16 units. */
export function shortText(object: JsonObject, name: string, most: number, path = ROOT): string {
  const value = text(object, name, path);
  if (value.length > most) throw bad(`longer than ${most} characters`, path, name);
  return value;
}

export function texts(object: JsonObject, name: string, path = ROOT): string[] {
  const value = object[name];
  if (!Array.isArray(value) || !value.every((member) => typeof member === 'string'))
    throw bad('not an array of strings', path, name);
  return value as string[];
}

/** At most `most` texts of at most `longest` UTF-16 units. */
export function shortTexts(
  object: JsonObject,
  name: string,
  most: number,
  longest: number,
  path = ROOT,
): string[] {
  const value = texts(object, name, path);
  if (value.length > most) throw bad(`more than ${most}`, path, name);
  for (const [i, each] of value.entries())
    if (each.length > longest) throw bad(`longer than ${longest} characters`, path, `${name}[${i}]`);
  return [...value];
}

export function oneOf<T extends string>(
  object: JsonObject,
  name: string,
  words: readonly T[],
  path = ROOT,
): T {
  const value = object[name];
  const word = words.find((each) => each === value);
  if (word === undefined) throw bad(`none of ${words.join(', ')}`, path, name);
  return word;
}

export function flag(object: JsonObject, name: string, path = ROOT): boolean {
  const value = object[name];
  if (typeof value !== 'boolean') throw bad('not true or false', path, name);
  return value;
}

export function moment(object: JsonObject, name: string, path = ROOT): string {
  const value = object[name];
  if (!isTimestamp(value)) throw bad('not of the form 2026-11-15T10:00:00.000Z', path, name);
  return value;
}

export function hash(object: JsonObject, name: string, path = ROOT): string {
  const value = object[name];
  if (!isHash(value)) throw bad('not 64 hex digits', path, name);
  return value;
}

/** 32 bytes in base64url. */
export function hashB64u(object: JsonObject, name: string, path = ROOT): string {
  const value = shortText(object, name, 43, path);
  if (parseBase64Url(value).length !== 32) throw bad('not 32 bytes in base64url', path, name);
  return value;
}

/** SHA-1 or SHA-256, as git writes them. */
export function isGitHash(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

export function gitHash(object: JsonObject, name: string, path = ROOT): string {
  const value = shortText(object, name, 64, path);
  if (!isGitHash(value)) throw bad("not a hash of git's", path, name);
  return value;
}

export function count(object: JsonObject, name: string, path = ROOT): number {
  const value = object[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw bad('not a count', path, name);
  return value;
}

/** The number of an entry: 1 at least. */
export function seq(object: JsonObject, name: string, path = ROOT): number {
  const value = count(object, name, path);
  if (value === 0) throw bad('not the seq of an entry', path, name);
  return value;
}

export function seqs(object: JsonObject, name: string, most: number, path = ROOT): number[] {
  return list(object, name, most, path).map((_, i, all) =>
    seq({ [`${i}`]: all[i] as Json }, `${i}`, `${path}.${name}`),
  );
}

/** An Ed25519 signature in base64. */
export function signature(object: JsonObject, name: string, path = ROOT): string {
  const value = shortText(object, name, 88, path);
  let bytes: Uint8Array;
  try {
    bytes = parseBase64(value);
  } catch {
    throw bad('not standard base64', path, name);
  }
  if (bytes.length !== 64) throw bad('not 64 bytes in base64', path, name);
  return value;
}

export function list(object: JsonObject, name: string, most: number, path = ROOT): readonly Json[] {
  const value = object[name];
  if (!Array.isArray(value)) throw bad('not an array', path, name);
  if (value.length > most) throw bad(`more than ${most}`, path, name);
  return value as readonly Json[];
}

export function objects(object: JsonObject, name: string, most: number, path = ROOT): JsonObject[] {
  return list(object, name, most, path).map((value, i) => asObject(value, `${path}.${name}[${i}]`));
}

export function object(of: JsonObject, name: string, path = ROOT): JsonObject {
  return asObject(of[name], `${path}.${name}`);
}

/** Null, or what `parse` makes of it. */
export function orNull<T>(object: JsonObject, name: string, parse: () => T): T | null {
  return object[name] === null ? null : parse();
}

export function asObject(value: Json | undefined, path: string): JsonObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ParseError('BAD_MEMBER', 'not an object', path);
  return value as JsonObject;
}

function bad(what: string, path: string, name: string): ParseError {
  return new ParseError('BAD_MEMBER', what, `${path}.${name}`);
}

/** What is too long ends in `…`: so a path that was cut is never taken for another that is there. */
export function cut(value: string, most: number): string {
  return value.length <= most ? value : `${value.slice(0, most - 1).toWellFormed()}…`;
}

export function cutAll(values: readonly string[], most: number, longest: number): string[] {
  return values.slice(0, most).map((value) => cut(value, longest));
}

/** How many bytes it takes in a line. */
export function sizeOf(value: Json): number {
  return utf8Encode(JSON.stringify(value)).length;
}

/** What `encode` gives with the largest of these list lengths that fits into `most` bytes, else with the last. */
export function fitted<T extends Json>(
  most: number,
  lengths: readonly number[],
  encode: (n: number) => T,
): T {
  let encoded = encode(lengths[0] ?? 0);
  for (const length of lengths.slice(1)) {
    if (sizeOf(encoded) <= most) break;
    encoded = encode(length);
  }
  return encoded;
}
