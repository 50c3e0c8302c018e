// An auth key and the file that stands for it. The key itself is 256 random bits that only its holder has; the file is
// named by the key's id, a tagged hash, and says whether it was revoked. Nothing of the key can be told from either.
import { encodeBase64, isHash, ParseError, parseBase64 } from '../core/index.ts';
import type { AuthReason } from '../format/index.ts';

const PREFIX = 'foilkey_';
/** 32 bytes in base64url. */
const LETTERS = 43;

/** What a person is shown once, and presents. */
export function encodeAuthKey(key: Uint8Array): string {
  if (key.length !== 32) throw new RangeError('an auth key has 32 bytes');
  return PREFIX + encodeBase64(key).slice(0, LETTERS).replaceAll('+', '-').replaceAll('/', '_');
}

/** The 32 bytes. The error says nothing of what was given. */
export function parseAuthKey(text: string): Uint8Array {
  const letters = text.slice(PREFIX.length);
  if (!text.startsWith(PREFIX) || letters.length !== LETTERS || /[^A-Za-z0-9_-]/.test(letters))
    throw new ParseError('MALFORMED', `an auth key is ${PREFIX} followed by ${LETTERS} characters`);
  return parseBase64(`${letters.replaceAll('-', '+').replaceAll('_', '/')}=`);
}

/** A key as the store has it. */
export interface AuthKeyFile {
  readonly id: string;
  readonly name: string;
  /** RFC 3339. */
  readonly created: string;
  /** Null while it is good. */
  readonly revoked: string | null;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/;

/** A word that can stand in an entry and on a command line. */
export function isKeyName(text: string): boolean {
  return NAME.test(text) && !text.startsWith(PREFIX);
}

export function encodeAuthKeyFile({ id, name, created, revoked }: AuthKeyFile): string {
  return `${JSON.stringify({ v: 1, id, name, created, revoked })}\n`;
}

/** `id` is the file's name: another file put in its place is none of its own. */
export function parseAuthKeyFile(text: string, id: string): AuthKeyFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ParseError('INVALID_JSON', 'not JSON');
  }
  const { v, id: own, name, created, revoked } = (value ?? {}) as Record<string, unknown>;
  if (v !== 1) throw new ParseError('UNKNOWN_VERSION', 'only version 1 is known');
  if (!isHash(own) || own !== id) throw new ParseError('BAD_MEMBER', 'it is the file of another key', 'id');
  if (typeof name !== 'string' || !isKeyName(name)) throw new ParseError('BAD_MEMBER', 'not a name', 'name');
  if (!isMoment(created)) throw new ParseError('BAD_MEMBER', 'not a moment', 'created');
  if (revoked !== null && !isMoment(revoked)) throw new ParseError('BAD_MEMBER', 'not a moment', 'revoked');
  return { id, name, created, revoked };
}

function isMoment(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 40 && Number.isFinite(Date.parse(value));
}

/** Why a session, or its next prompt, has no good key. */
export interface AuthFailure {
  readonly reason: AuthReason;
  /** The id of a key that is known; else null. */
  readonly key: string | null;
  /** What is wrong and what to do, for a person. Holds no key. */
  readonly message: string;
}
