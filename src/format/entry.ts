// One entry of the ledger: a line of UTF-8 JSON with exactly ten members, of which the first nine are RFC 8785
// canonical JSON and the tenth, `entry_hash`, is the SHA-256 of those nine. spec/entry.md is the specification.
// parseEntry is the definition of the format: it accepts one encoding and trusts nothing. entry-scan.ts is its
// fast twin for the hot loops and must accept exactly the same lines.

import { sha256Hex, utf8Decode, utf8Into } from '#platform';
import { canonicalize, isHash, isObject, type JsonObject, ParseError } from '../core/index.ts';
import { isKind } from './kinds.ts';

/** `prev_hash` of the first entry: every chain traces back to it. */
export const GENESIS = '39d8668c9e1c18834931c26be61912c018fcc8e17d52f36b0a00c7020fe1ab69';
/** Longest line, without its `\n`: what a tlog-tiles entry bundle can hold. */
export const MAX_LINE = 65_535;
/** Deepest nesting of objects and arrays, the entry itself being 1. */
export const MAX_DEPTH = 32;

export interface Entry {
  /** Null, or the lower `seq` this one answers: a result's call, a claim's prompt. */
  readonly cause: number | null;
  readonly kind: string;
  readonly payload: JsonObject;
  readonly prev_hash: string;
  readonly seq: number;
  /** Null for the ledger's own entries. */
  readonly session_id: string | null;
  /** The vantage point: `hook:claude-code`, `mcp`, `gateway`, `sdk`, `cli` … */
  readonly source: string;
  /** A claim of the writer's clock. It never decides order or integrity. */
  readonly ts: string;
  readonly v: 1;
  readonly entry_hash: string;
}

/** What a writer provides; the ledger adds place and hashes. */
export interface Draft {
  readonly kind: string;
  readonly payload: JsonObject;
  readonly source: string;
  readonly ts: string;
  readonly session_id?: string | null;
  readonly cause?: number | null;
}

/** Likewise, with a payload that is canonical already. */
export type EncodedDraft = Omit<Draft, 'payload'> & { readonly payload: PayloadText };

/** A payload as its line has it. Whoever makes one vouches that it is canonical JSON, and an object. */
export class PayloadText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const MEMBERS = [
  'cause',
  'kind',
  'payload',
  'prev_hash',
  'seq',
  'session_id',
  'source',
  'ts',
  'v',
  'entry_hash',
];
const CANONICAL = { maxDepth: MAX_DEPTH, safeIntegers: true };
const PAYLOAD_CANONICAL = { maxDepth: MAX_DEPTH - 1, safeIntegers: true };
const SOURCE = /^[a-z][a-z0-9-]{0,31}(?::[a-z0-9][a-z0-9._-]{0,63})?$/;

/** The line (without `\n`) of a draft at its place in the chain. Throws ParseError for what can't be an entry. */
export function encodeEntry(draft: Draft, seq: number, prevHash: string): { line: string; hash: string } {
  const writer = new LineWriter();
  const hash = writer.write(draft, draft.ts, seq, prevHash);
  return { line: utf8Decode(writer.take()).slice(0, -1), hash };
}

const SLAB = 64 * 1024;
/** `,"entry_hash":"…"}` and the newline. */
const TAIL = 16 + 64 + 2;

/**
 * Encodes lines one after the other into bytes: an entry is written once, hashed where it stands, and its hash put
 * behind it. What `take` gives is never written to again.
 */
export class LineWriter {
  #slab = new Uint8Array(0);
  #start = 0;
  #end = 0;

  /** Adds a line with its `\n`; gives its hash. Throws ParseError for what can't be an entry, and adds nothing then. */
  write(draft: Omit<Draft | EncodedDraft, 'ts'>, ts: string, seq: number, prevHash: string): string {
    const body = encodeBody(draft, ts, seq, prevHash);
    this.#reserve(3 * body.length + TAIL);
    const end = this.#end + utf8Into(body, this.#slab, this.#end);
    if (end - 2 + TAIL - this.#end > MAX_LINE) {
      throw new ParseError('TOO_LONG', `an entry has at most ${MAX_LINE} bytes; put large content in a blob`);
    }
    const hash = sha256Hex(this.#slab.subarray(this.#end, end));
    this.#end = end - 1;
    this.#end += utf8Into(`,"entry_hash":"${hash}"}\n`, this.#slab, this.#end);
    return hash;
  }

  /** The lines since the last time. */
  take(): Uint8Array {
    const lines = this.#slab.subarray(this.#start, this.#end);
    this.#start = this.#end;
    return lines;
  }

  #reserve(bytes: number): void {
    if (this.#slab.length - this.#end >= bytes) return;
    const pending = this.#slab.subarray(this.#start, this.#end);
    // Small for who writes one line, large for who writes many.
    const size = Math.max(2 * (pending.length + bytes), Math.min(SLAB, 2 * this.#slab.length));
    this.#slab = new Uint8Array(size);
    this.#slab.set(pending);
    this.#start = 0;
    this.#end = pending.length;
  }
}

/** The nine canonical members. Their names are ASCII and in order, so only the payload needs the general writer. */
function encodeBody(
  draft: Omit<Draft | EncodedDraft, 'ts'>,
  ts: string,
  seq: number,
  prevHash: string,
): string {
  const { kind, payload, source, session_id = null, cause = null } = draft;
  if (kind !== good.kind) {
    if (!isKind(kind)) throw new ParseError('BAD_MEMBER', 'not a dotted lower-case kind', 'kind');
    good.kind = kind;
  }
  if (source !== good.source) {
    if (!SOURCE.test(source))
      throw new ParseError('BAD_MEMBER', 'not a source such as `cli` or `hook:codex`', 'source');
    good.source = source;
  }
  if (ts !== good.ts) {
    if (!isTimestamp(ts))
      throw new ParseError('BAD_MEMBER', 'not of the form 2026-11-15T10:00:00.000Z', 'ts');
    good.ts = ts;
  }
  if (session_id !== null && session_id !== good.session) {
    if (!isHash(session_id)) throw new ParseError('BAD_MEMBER', 'not 64 hex digits', 'session_id');
    good.session = session_id;
  }
  if (cause !== null && !isCause(cause, seq))
    throw new ParseError('BAD_MEMBER', `not a seq below ${seq}`, 'cause');
  if (!isObject(payload)) throw new ParseError('BAD_MEMBER', 'not an object', 'payload');
  const session = session_id === null ? 'null' : `"${session_id}"`;
  const text = payload instanceof PayloadText ? payload.text : canonicalize(payload, PAYLOAD_CANONICAL);
  return `{"cause":${cause},"kind":"${kind}","payload":${text},"prev_hash":"${prevHash}","seq":${seq},"session_id":${session},"source":"${source}","ts":"${ts}","v":1}`;
}

/** What was found good last: entries of one session and moment come together. */
const good: { kind: string; source: string; ts: string; session: string | null } = {
  kind: '',
  source: '',
  ts: '',
  session: null,
};

/**
 * One line, without its `\n`. Throws ParseError unless it is the one encoding of a well-formed entry. Whether its
 * hash, sequence and chain are right is for the verifier: see hashOfBody.
 */
export function parseEntry(bytes: Uint8Array): Entry {
  if (bytes.length === 0) throw new ParseError('BLANK_LINE', 'blank line');
  if (bytes.length > MAX_LINE) throw new ParseError('TOO_LONG', `line longer than ${MAX_LINE} bytes`);
  const text = decode(bytes);
  const value = parseJson(text);
  if (!isObject(value)) throw new ParseError('BAD_MEMBER', 'not an object');
  for (const name of Object.keys(value)) {
    if (!MEMBERS.includes(name)) throw new ParseError('BAD_MEMBER', 'unknown member', JSON.stringify(name));
  }
  for (const name of MEMBERS) {
    if (!Object.hasOwn(value, name)) throw new ParseError('BAD_MEMBER', 'missing', name);
  }
  const { entry_hash, ...body } = value;
  if (body.v !== 1) throw new ParseError('UNKNOWN_VERSION', 'only version 1 is known', 'v');
  if (!isHash(entry_hash)) throw new ParseError('BAD_MEMBER', 'not 64 hex digits', 'entry_hash');
  const canonical = canonicalize(body, CANONICAL);
  if (`${canonical.slice(0, -1)},"entry_hash":"${entry_hash}"}` !== text) {
    throw new ParseError('NOT_CANONICAL', 'not the canonical encoding (RFC 8785, entry_hash last)');
  }
  assertMembers(body);
  return { ...body, entry_hash };
}

/** A line that EntryScan or parseEntry has accepted: read without asking all of that again, which takes most of the time. */
export function readAcceptedEntry(bytes: Uint8Array): Entry {
  return JSON.parse(utf8Decode(bytes)) as Entry;
}

/** SHA-256 over the nine canonical members of a parsed line: what its `entry_hash` must be. */
export function hashOfEntry(entry: Entry): string {
  const { entry_hash: _, ...body } = entry;
  return sha256Hex(canonicalize(body, CANONICAL));
}

/** `YYYY-MM-DDTHH:MM:SS.mmmZ`, a moment that exists. */
export function isTimestamp(text: unknown): text is string {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)) return false;
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString() === text;
}

function assertMembers(
  body: Record<string, unknown>,
): asserts body is Omit<Entry, 'entry_hash'> & Record<string, unknown> {
  if (!isKind(body.kind)) throw new ParseError('BAD_MEMBER', 'not a dotted lower-case kind', 'kind');
  if (!isObject(body.payload)) throw new ParseError('BAD_MEMBER', 'not an object', 'payload');
  if (!isHash(body.prev_hash)) throw new ParseError('BAD_MEMBER', 'not 64 hex digits', 'prev_hash');
  if (!isSeq(body.seq)) throw new ParseError('BAD_MEMBER', 'not a positive integer', 'seq');
  if (body.session_id !== null && !isHash(body.session_id)) {
    throw new ParseError('BAD_MEMBER', 'neither null nor 64 hex digits', 'session_id');
  }
  if (body.cause !== null && !isCause(body.cause, body.seq)) {
    throw new ParseError('BAD_MEMBER', 'neither null nor a lower seq', 'cause');
  }
  if (typeof body.source !== 'string' || !SOURCE.test(body.source)) {
    throw new ParseError('BAD_MEMBER', 'not a source such as `cli` or `hook:codex`', 'source');
  }
  if (!isTimestamp(body.ts))
    throw new ParseError('BAD_MEMBER', 'not of the form 2026-11-15T10:00:00.000Z', 'ts');
}

export function decode(bytes: Uint8Array): string {
  try {
    return utf8Decode(bytes);
  } catch {
    throw new ParseError('INVALID_UTF8', 'not UTF-8');
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON');
  }
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isCause(value: unknown, seq: number): value is number {
  return isSeq(value) && value < seq;
}
