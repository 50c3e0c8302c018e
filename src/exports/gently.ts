// One line of a log in the pipe-separated form: HASH|BTC_HEIGHT|TIMESTAMP|EVENT_TYPE|SESSION_ID|DETAILS. The hash is over the
// line with the hash of the line before in place of its own, so anybody with sha256sum can follow the chain; details
// carry what the session's own hashes are made of. spec/gently.md is the specification. parseGentlyLine accepts one
// encoding and trusts nothing; whether hashes and counts are right is for the verifier.
import { sha256Hex } from '#platform';
import { isHash, ParseError } from '../core/index.ts';
import { cut, decode, isTimestamp, MAX_LINE } from '../format/index.ts';

/** Every member that details may have; which of them, and in which order, depends on the event. */
export interface GentlyDetails {
  /** Of a block; null where there is none. */
  readonly btc?: number | null;
  readonly branch?: string | null;
  /** Its hash, in display order. */
  readonly block?: string | null;
  /** The id of the session's auth key. */
  readonly auth?: string | null;
  /** `prev_hash` of the session's first entry in the ledger. */
  readonly prev?: string;
  /** Of the prompt or the response. */
  readonly hash?: string | null;
  /** Which interaction of its session it is of. */
  readonly seq?: number | null;
  readonly model?: string;
  /** The hash of the prompt that was answered. */
  readonly prompt?: string | null;
  readonly chain?: string | null;
  readonly interactions?: number | null;
  readonly final?: string | null;
  /** Why a session counts as over that nobody ended. */
  readonly cut?: string;
  readonly reason?: string;
  readonly at?: string;
  readonly key?: string | null;
  readonly name?: string;
  readonly from?: string;
  readonly to?: string;
  /** Of a checkpoint that was stamped: how many entries it covers, and what the stamp is over. */
  readonly size?: number;
  readonly digest?: string;
}

type Member = keyof GentlyDetails;

/** In this order; a member with `?` is left out where there is nothing to say. */
const EVENTS = {
  session_start: ['btc', 'branch', 'block', 'auth', 'prev'],
  session_end: ['btc', 'interactions', 'block', 'chain', 'final', 'cut?'],
  prompt: ['hash', 'seq'],
  response: ['hash', 'seq', 'model?', 'prompt', 'chain'],
  auth_fail: ['reason', 'at', 'key'],
  auth_validate: ['key', 'at', 'name'],
  branch_create: ['branch'],
  branch_switch: ['from', 'to'],
  btc_anchor: ['btc', 'block', 'size?', 'digest?'],
} as const satisfies Record<string, readonly (Member | `${Member}?`)[]>;

export type GentlyEvent = keyof typeof EVENTS;
export const GENTLY_EVENTS = Object.keys(EVENTS) as readonly GentlyEvent[];

/** What a line says, without its place in the chain. */
export interface GentlyFacts {
  /** Of the newest block that the log tells of, this line included; null before the first. */
  readonly height: number | null;
  readonly ts: string;
  readonly event: GentlyEvent;
  /** Null for what belongs to no session. */
  readonly session: string | null;
  readonly details: GentlyDetails;
}

export interface GentlyLine extends GentlyFacts {
  readonly hash: string;
}

type Form = 'hash' | 'number' | 'text';
interface Shape {
  readonly form: Form;
  /** May it be `none`? */
  readonly none: boolean;
}

const shape = (form: Form, none = false): Shape => ({ form, none });
const SHAPES: Readonly<Record<Member, Shape>> = {
  btc: shape('number', true),
  branch: shape('text', true),
  block: shape('hash', true),
  auth: shape('hash', true),
  prev: shape('hash'),
  hash: shape('hash', true),
  seq: shape('number', true),
  model: shape('text'),
  prompt: shape('hash', true),
  chain: shape('hash', true),
  interactions: shape('number', true),
  final: shape('hash', true),
  cut: shape('text'),
  reason: shape('text'),
  at: shape('text'),
  key: shape('hash', true),
  name: shape('text'),
  from: shape('text'),
  to: shape('text'),
  size: shape('number'),
  digest: shape('hash'),
};

interface Listed {
  readonly name: Member;
  readonly optional: boolean;
}

const LISTED = Object.fromEntries(
  Object.entries(EVENTS).map(([event, members]) => [
    event,
    members.map((listed) => ({ name: listed.replace('?', ''), optional: listed.endsWith('?') })),
  ]),
) as unknown as Readonly<Record<GentlyEvent, readonly Listed[]>>;

const NONE = 'none';
const NUMBER = /^(?:0|[1-9]\d{0,15})$/;
/** Of a text, so that what was escaped fits into a line. */
const LONGEST = 1024;

/** The line without its `\n`, behind the one with the hash `prev`. Texts are cut where they are long. */
export function encodeGentlyLine(
  facts: GentlyFacts,
  prev: string,
): { readonly line: string; readonly hash: string } {
  const said = saidBy(facts);
  const hash = hashOfGentlyLine(said, prev);
  return { line: `${hash}|${said}`, hash };
}

/** SHA-256 over the hash of the line before, `|` and what follows this line's own hash and `|`. */
export function hashOfGentlyLine(said: string, prev: string): string {
  return sha256Hex(`${prev}|${said}`);
}

/** All of a line behind its hash: what that covers, together with the hash of the line before. */
function saidBy({ height, ts, event, session, details }: GentlyFacts): string {
  let members = '';
  for (const { name, optional } of LISTED[event]) {
    const value = details[name];
    if (value === undefined && optional) continue;
    members += `${members === '' ? '' : ','}${name}:${encodeValue(value ?? null, SHAPES[name])}`;
  }
  return `${height ?? NONE}|${ts}|${event}|${session ?? NONE}|${members}`;
}

function encodeValue(value: string | number | null, { form }: Shape): string {
  if (value === null) return NONE;
  return form === 'text' ? escaped(cut(String(value), LONGEST)) : String(value);
}

/** What would end a field, a member or a line, and what a terminal would act on. `%` is the escape itself. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped
const ESCAPED = /[\u0000-\u001f%,|\u007f-\u009f]/g;

/** Percent-encoded, as in addresses: a reader may split at `|` and `,` first, and decode then. */
function escaped(text: string): string {
  return text.toWellFormed().replace(ESCAPED, encodeURIComponent);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ParseError('BAD_MEMBER', 'a % that escapes nothing', 'details');
  }
}

/**
 * One line, without its `\n`. Throws ParseError unless it is the one encoding of a well-formed line: so a number or an
 * escape that is written in another way is refused, and so are members in another order.
 */
export function parseGentlyLine(bytes: Uint8Array): GentlyLine & { readonly said: string } {
  if (bytes.length === 0) throw new ParseError('BLANK_LINE', 'blank line');
  if (bytes.length > MAX_LINE) throw new ParseError('TOO_LONG', `line longer than ${MAX_LINE} bytes`);
  const text = decode(bytes);
  const fields = text.split('|', 7);
  if (fields.length !== 6) throw new ParseError('BAD_MEMBER', 'not six fields');
  const [hash, height = '', ts, type, session, told = ''] = fields;
  if (!isHash(hash)) throw new ParseError('BAD_MEMBER', 'not 64 hex digits', 'hash');
  if (!isTimestamp(ts))
    throw new ParseError('BAD_MEMBER', 'not of the form 2026-11-15T10:00:00.000Z', 'timestamp');
  const event = GENTLY_EVENTS.find((known) => known === type);
  if (event === undefined) throw new ParseError('BAD_MEMBER', 'not an event of this format', 'event_type');
  if (session !== NONE && !isHash(session))
    throw new ParseError('BAD_MEMBER', 'neither none nor 64 hex digits', 'session_id');
  const line = {
    hash,
    height: height === NONE ? null : parseNumber(height, 'btc_height'),
    ts,
    event,
    session: session === NONE ? null : session,
    details: parseDetails(event, told),
  };
  const said = saidBy(line);
  if (`${hash}|${said}` !== text)
    throw new ParseError('NOT_CANONICAL', 'not the one encoding: a number, a text or an escape');
  return { ...line, said };
}

function parseDetails(event: GentlyEvent, told: string): GentlyDetails {
  const members = told.split(',', LISTED[event].length + 1);
  const details: Partial<Record<Member, string | number | null>> = {};
  let next = 0;
  for (const { name, optional } of LISTED[event]) {
    const member = members[next];
    if (member?.startsWith(`${name}:`) !== true) {
      if (optional) continue;
      throw new ParseError('BAD_MEMBER', 'missing, or not in its place', name);
    }
    next++;
    details[name] = parseValue(member.slice(name.length + 1), name);
  }
  if (next < members.length) throw new ParseError('BAD_MEMBER', 'more than the event has', 'details');
  const parsed = details as GentlyDetails;
  assertDetails(event, parsed);
  return parsed;
}

function parseValue(value: string, name: Member): string | number | null {
  const { form, none } = SHAPES[name];
  if (none && value === NONE) return null;
  if (form === 'number') return parseNumber(value, name);
  if (form === 'text') return unescaped(value);
  if (!isHash(value)) throw new ParseError('BAD_MEMBER', 'not 64 hex digits', name);
  return value;
}

function parseNumber(text: string, name: string): number {
  const value = Number(text);
  if (!NUMBER.test(text) || !Number.isSafeInteger(value))
    throw new ParseError('BAD_MEMBER', 'not a number', name);
  return value;
}

/** What belongs together. */
function assertDetails(event: GentlyEvent, details: GentlyDetails): void {
  const { btc, block, branch, from, to, seq, chain, size, digest } = details;
  if ((btc === null) !== (block === null))
    throw new ParseError('BAD_MEMBER', 'a height without a hash, or a hash without a height', 'block');
  if (event === 'btc_anchor' && btc === null) throw new ParseError('BAD_MEMBER', 'no block', 'btc');
  if (seq === 0) throw new ParseError('BAD_MEMBER', 'interactions are counted from 1', 'seq');
  if (event === 'response' && (seq === null) !== (chain === null))
    throw new ParseError('BAD_MEMBER', 'a number without a chain hash, or the other way', 'chain');
  if ((size === undefined) !== (digest === undefined))
    throw new ParseError('BAD_MEMBER', 'a size without a digest, or the other way', 'digest');
  for (const name of [branch, from, to])
    if (typeof name === 'string' && !isBranch(name))
      throw new ParseError('BAD_MEMBER', 'not a branch', 'branch');
}

const BRANCH = /^branch-[0-7]$/;

export function isBranch(name: string): boolean {
  return BRANCH.test(name);
}
