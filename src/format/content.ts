// References from an entry to content kept outside the chain: prompts, outputs, files. The entry carries a
// commitment under the session's salt (or plain SHA-256 for evidence that is never erased), so content
// can be checked where it is present and erased without touching a line. spec/content.md is the specification.
import { type ContentAlgorithm, isHash, type Json, type JsonObject, ParseError } from '../core/index.ts';

/** `{"$content":"keyed-sha256:<64 hex>","bytes":123,"type":"text/plain"}`, anywhere in a payload. */
export interface ContentRef {
  readonly algorithm: ContentAlgorithm;
  /** 64 hex digits. */
  readonly hash: string;
  readonly bytes: number;
  /** Media type, where known. */
  readonly type?: string;
}

/** Content of entries that belong to no session is salted and stored under this id. */
export const NO_SESSION = '0'.repeat(64);
/** The id that content of a session's entries is kept under. */
export function contentSession(session: string | null): string {
  if (session !== null && !isHash(session)) throw new RangeError('a session id has 64 hex digits');
  return session ?? NO_SESSION;
}

/** Largest single piece of content. */
export const MAX_CONTENT = 256 * 1024 * 1024;

/** How content that is salted is committed to by now; what is older may have `hmac-sha256`. */
export const SALTED = 'keyed-sha256';

const MAX_DEPTH = 32;
const COMMITMENT = /^(keyed-sha256|hmac-sha256|sha256):([0-9a-f]{64})$/;
const TYPE = /^[\x20-\x7e]{1,128}$/;
const MEMBERS = new Set(['$content', 'bytes', 'type']);

export function encodeContentRef(ref: ContentRef): JsonObject {
  const { algorithm, hash, bytes, type } = ref;
  return { $content: `${algorithm}:${hash}`, bytes, ...(type === undefined ? {} : { type }) };
}

/** An object with a `$content` member is a reference and nothing else. */
export function parseContentRef(value: JsonObject, path = ''): ContentRef {
  const match = typeof value.$content === 'string' ? COMMITMENT.exec(value.$content) : null;
  if (match === null) throw new ParseError('BAD_MEMBER', 'not a content commitment', `${path}.$content`);
  for (const name of Object.keys(value)) {
    if (!MEMBERS.has(name))
      throw new ParseError('BAD_MEMBER', 'unknown member of a content reference', `${path}.${name}`);
  }
  const { bytes, type } = value;
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0 || bytes > MAX_CONTENT) {
    throw new ParseError('BAD_MEMBER', 'not a length in bytes', `${path}.bytes`);
  }
  if (type !== undefined && (typeof type !== 'string' || !TYPE.test(type))) {
    throw new ParseError('BAD_MEMBER', 'not a media type', `${path}.type`);
  }
  return {
    algorithm: match[1] as ContentAlgorithm,
    hash: match[2] ?? '',
    bytes,
    ...(type === undefined ? {} : { type }),
  };
}

/** Every reference in a payload, in canonical order. Throws ParseError at the first malformed one. */
export function contentRefs(payload: JsonObject): ContentRef[] {
  const refs: ContentRef[] = [];
  collect(payload, 'payload', refs);
  return refs;
}

/** Throws ParseError where a reference in a payload is malformed. Where that is, is looked for only then. */
export function assertContentRefs(payload: JsonObject): void {
  if (!refersWell(payload, 0)) contentRefs(payload);
}

/** Too deep to be an entry is for others to refuse. */
function refersWell(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return true;
  if (Array.isArray(value)) return value.every((member) => refersWell(member, depth + 1));
  const members = value as Record<string, unknown>;
  if (members.$content !== undefined) return isPlainRef(members);
  for (const name of Object.keys(members)) if (!refersWell(members[name], depth + 1)) return false;
  return true;
}

/** One as encodeContentRef makes it; another may be good all the same. */
function isPlainRef({ $content, bytes, type, ...rest }: Record<string, unknown>): boolean {
  return (
    typeof $content === 'string' &&
    COMMITMENT.test($content) &&
    typeof bytes === 'number' &&
    Number.isSafeInteger(bytes) &&
    bytes >= 0 &&
    bytes <= MAX_CONTENT &&
    (type === undefined || (typeof type === 'string' && TYPE.test(type))) &&
    Object.keys(rest).length === 0
  );
}

function collect(value: Json, path: string, refs: ContentRef[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) collect(value[i] as Json, `${path}[${i}]`, refs);
    return;
  }
  const members = value as JsonObject;
  if (Object.hasOwn(members, '$content')) {
    refs.push(parseContentRef(members, path));
    return;
  }
  for (const [name, member] of Object.entries(members)) collect(member, `${path}.${name}`, refs);
}

/** Undefined for a value that is none, or a malformed one. */
export function asContentRef(value: Json | undefined): ContentRef | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const object = value as JsonObject;
  if (!Object.hasOwn(object, '$content')) return undefined;
  try {
    return parseContentRef(object);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

const ENCRYPTED = 'application/vnd.counterfoil.encrypted;type="';

/** The media type of ciphertext, with that of the content in it. */
export function encryptedType(type: string): string {
  return `${ENCRYPTED}${type}"`;
}

/** The type of the content in it; undefined where it is not kept encrypted. */
export function typeOfEncrypted({ type }: Pick<ContentRef, 'type'>): string | undefined {
  return type?.startsWith(ENCRYPTED) === true && type.endsWith('"')
    ? type.slice(ENCRYPTED.length, -1)
    : undefined;
}

/** How ciphertext begins. */
export const ENCRYPTED_HEADER = 'counterfoil-enc-1\n';

export function startsEncrypted(bytes: Uint8Array): boolean {
  return [...ENCRYPTED_HEADER].every((char, at) => bytes[at] === char.charCodeAt(0));
}
