// One line of a log in the format of the KAIZA MCP server: an object of seventeen members, eighteen where it was
// buffered, in the order in which that format writes them. Its hash is over the members sorted by name, without
// `entry_hash`; the first line follows `GENESIS`. spec/kaiza.md is the specification. parseKaizaEntry accepts one
// encoding and trusts nothing; whether hash, sequence and chain are right is for the verifier.
import { sha256Hex, utf8Encode } from '#platform';
import { isHash, isObject, type JsonObject, ParseError } from '../core/index.ts';
import { cut, decode, isTimestamp, MAX_LINE, parseJson } from '../format/index.ts';

/** `prev_hash` of the first line. */
export const KAIZA_GENESIS = 'GENESIS';

/** What a line says, without its place in the chain. */
export interface KaizaFacts {
  readonly ts: string;
  /** Only where it came before the session began. */
  readonly buffered?: true;
  /** A UUID. */
  readonly session_id: string;
  /** Who plans, and who carries out. */
  readonly role: 'ANTIGRAVITY' | 'WINDSURF';
  readonly workspace_root: string;
  readonly tool: string;
  readonly intent: string | null;
  readonly plan_hash: string | null;
  readonly phase_id: string | null;
  readonly args_hash: string | null;
  readonly result: 'ok' | 'error';
  readonly error_code: string | null;
  readonly invariant_id: string | null;
  readonly result_hash: string | null;
  readonly notes: string;
}

export interface KaizaEntry extends KaizaFacts {
  readonly seq: number;
  readonly prev_hash: string;
  readonly entry_hash: string;
}

/** In this order, `buffered` only where it is true. */
const MEMBERS = [
  'ts',
  'buffered',
  'seq',
  'prev_hash',
  'session_id',
  'role',
  'workspace_root',
  'tool',
  'intent',
  'plan_hash',
  'phase_id',
  'args_hash',
  'result',
  'error_code',
  'invariant_id',
  'result_hash',
  'notes',
  'entry_hash',
] as const;

type Member = (typeof MEMBERS)[number];

/** What is hashed, as it is hashed: by UTF-16 code unit, which for these names is the alphabet. */
const SORTED = MEMBERS.filter((name) => name !== 'entry_hash').sort();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const isText = (value: unknown): boolean => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
const isHashOrNull = (value: unknown): boolean => value === null || isHash(value);

const FORMS: Readonly<Record<Member, readonly [is: (value: unknown) => boolean, form: string]>> = {
  ts: [isTimestamp, 'not of the form 2026-11-15T10:00:00.000Z'],
  buffered: [(value) => value === true, 'there, and not true'],
  seq: [(value) => Number.isSafeInteger(value) && (value as number) >= 1, 'not a positive integer'],
  prev_hash: [(value) => value === KAIZA_GENESIS || isHash(value), 'neither GENESIS nor 64 hex digits'],
  session_id: [(value) => typeof value === 'string' && UUID.test(value), 'not a UUID in lower case'],
  role: [(value) => value === 'ANTIGRAVITY' || value === 'WINDSURF', 'neither ANTIGRAVITY nor WINDSURF'],
  workspace_root: [isText, 'not a string'],
  tool: [isText, 'not a string'],
  intent: [isTextOrNull, 'neither null nor a string'],
  plan_hash: [isTextOrNull, 'neither null nor a string'],
  phase_id: [isTextOrNull, 'neither null nor a string'],
  args_hash: [isHashOrNull, 'neither null nor 64 hex digits'],
  result: [(value) => value === 'ok' || value === 'error', 'neither ok nor error'],
  error_code: [isTextOrNull, 'neither null nor a string'],
  invariant_id: [isTextOrNull, 'neither null nor a string'],
  result_hash: [isHashOrNull, 'neither null nor 64 hex digits'],
  notes: [isText, 'not a string'],
  entry_hash: [isHash, 'not 64 hex digits'],
};

/** Of a text in a line that would be too long: eight of them, six bytes a character at worst, fit. */
const SHORT = 1024;
const TEXTS = [
  'workspace_root',
  'tool',
  'intent',
  'plan_hash',
  'phase_id',
  'error_code',
  'invariant_id',
  'notes',
] as const;

/** The line, without its `\n`. Texts are cut where it would be too long to be read back. */
export function encodeKaizaEntry(
  facts: KaizaFacts,
  seq: number,
  prevHash: string,
): { readonly line: string; readonly hash: string } {
  const encoded = encode(facts, seq, prevHash);
  return utf8Encode(encoded.line).length <= MAX_LINE ? encoded : encode(shortened(facts), seq, prevHash);
}

function encode(facts: KaizaFacts, seq: number, prevHash: string): { line: string; hash: string } {
  const entry = { ...facts, seq, prev_hash: prevHash, entry_hash: '' };
  const hash = hashOfKaizaEntry(entry);
  return { line: textOf({ ...entry, entry_hash: hash }, MEMBERS), hash };
}

/**
 * One line, without its `\n`. Throws ParseError unless it is the one encoding of a well-formed entry: so a name that
 * stands there twice, white space, and a number or a string that is written in another way are refused.
 */
export function parseKaizaEntry(bytes: Uint8Array): KaizaEntry {
  if (bytes.length === 0) throw new ParseError('BLANK_LINE', 'blank line');
  if (bytes.length > MAX_LINE) throw new ParseError('TOO_LONG', `line longer than ${MAX_LINE} bytes`);
  const text = decode(bytes);
  const value = parseJson(text);
  if (!isObject(value)) throw new ParseError('BAD_MEMBER', 'not an object');
  const members: JsonObject = value;
  const extra = Object.keys(members).find((name) => !Object.hasOwn(FORMS, name));
  if (extra !== undefined) throw new ParseError('BAD_MEMBER', 'unknown member', JSON.stringify(extra));
  for (const name of MEMBERS) {
    if (!Object.hasOwn(members, name)) {
      if (name === 'buffered') continue;
      throw new ParseError('BAD_MEMBER', 'missing', name);
    }
    const [is, form] = FORMS[name];
    if (!is(members[name])) throw new ParseError('BAD_MEMBER', form, name);
  }
  // Every member is a scalar by now, so nothing below can be deep.
  const entry = members as unknown as KaizaEntry;
  const surrogate = TEXTS.find((name) => entry[name]?.isWellFormed() === false);
  if (surrogate !== undefined) throw new ParseError('INVALID_UTF8', 'lone surrogate', surrogate);
  if (textOf(entry, MEMBERS) !== text)
    throw new ParseError(
      'NOT_CANONICAL',
      'not the one encoding: members in order, once each, no white space',
    );
  return entry;
}

/** SHA-256 over all members but `entry_hash`, sorted by name: what that must be. */
export function hashOfKaizaEntry(entry: KaizaEntry): string {
  return sha256Hex(textOf(entry, SORTED));
}

/** JSON of these members. Each is a scalar, and their names need no escape. */
function textOf(entry: KaizaEntry, names: readonly Member[]): string {
  let text = '';
  for (const name of names) {
    const value = entry[name];
    if (value === undefined) continue;
    text += `${text === '' ? '{' : ','}"${name}":${typeof value === 'string' ? quoted(value) : value}`;
  }
  return `${text}}`;
}

/** Printable ASCII that needs no escape, which nearly all is; quicker to see than to have it written. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  return text.length < 256 && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function shortened(facts: KaizaFacts): KaizaFacts {
  const short = TEXTS.map((name) => [name, facts[name] === null ? null : cut(facts[name], SHORT)]);
  return { ...facts, ...Object.fromEntries(short) };
}
