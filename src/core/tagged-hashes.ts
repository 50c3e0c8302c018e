// Every hash that is made under a tag or from parts, and every input of one, with one function each: whoever asks what a
// hash covers need read only this file. Prefixes and tags keep the domains apart, so that bytes hashed for one purpose
// can't be presented for another. Specification: spec/checkpoint.md, spec/content.md, spec/session.md, spec/receipt.md.
import { hmacSha256, sha256, sha256Hex, utf8Encode } from '#platform';
import { canonicalize, type JsonObject } from './canonical-json.ts';
import { encodeBase64Url, encodeHex, isHash, parseHex } from './encoding.ts';

/** RFC 6962 section 2.1: a leaf is SHA-256(0x00 ‖ data). */
export const LEAF_PREFIX = 0x00;
/** RFC 6962 section 2.1: an inner node is SHA-256(0x01 ‖ left ‖ right). */
export const NODE_PREFIX = 0x01;

/** What `policy_hash` is: SHA-256 of the policy's canonical JSON. */
export function policyHashOf(policy: JsonObject): string {
  return sha256Hex(canonicalize(policy));
}

/** How content is committed to; each has its name in a content reference. */
export type ContentAlgorithm = 'sha256' | 'hmac-sha256' | 'keyed-sha256';

/**
 * The commitment to a piece of content, in hex:
 *
 * - `keyed-sha256`: HMAC-SHA256(k, content), k = contentKey. Short content can't be guessed from the ledger, and one piece can be
 *   shown by its k while the others stay closed.
 * - `hmac-sha256`: HMAC-SHA256(salt, content), as it was before: to show one is to show all.
 * - `sha256`: SHA-256(content), for evidence that is never erased. It has no salt.
 */
export function contentCommitment(
  algorithm: ContentAlgorithm,
  salt: Uint8Array | null,
  content: Uint8Array,
): string {
  return contentCommitments(salt)(algorithm, content);
}

/** For many pieces of content under one salt: what they share is derived once. */
export function contentCommitments(
  salt: Uint8Array | null,
): (algorithm: ContentAlgorithm, content: Uint8Array) => string {
  let base: Uint8Array | undefined;
  return (algorithm, content) => {
    if (algorithm === 'sha256') return sha256Hex(content);
    if (salt?.length !== 32) throw new RangeError('a salt has 32 bytes');
    if (algorithm !== 'keyed-sha256') return encodeHex(hmacSha256(salt, content));
    base ??= derivedKey(salt, CONTENT);
    return encodeHex(hmacSha256(hmacSha256(base, sha256(content)), content));
  };
}

const CONTENT = 'content';

/** The key of one piece of content, by its SHA-256: what is disclosed with that piece. */
export function contentKey(salt: Uint8Array, digest: Uint8Array): Uint8Array {
  return hmacSha256(derivedKey(salt, CONTENT), digest);
}

/**
 * A key for one purpose, from a session's salt: HMAC-SHA256(SHA-256("counterfoil/derived-key/v1\\n" ‖ salt), purpose). The
 * salt itself keys commitments to content that anybody may choose, so it is not used as it is.
 */
export function derivedKey(salt: Uint8Array, purpose: string): Uint8Array {
  if (salt.length !== 32) throw new RangeError('a salt has 32 bytes');
  const tag = utf8Encode('counterfoil/derived-key/v1\n');
  const input = new Uint8Array(tag.length + 32);
  input.set(tag);
  input.set(salt, tag.length);
  return hmacSha256(sha256(input), utf8Encode(purpose));
}

/** Where there is no key: 32 zero bytes. */
const NOTHING = '0'.repeat(64);

/**
 * A session's id: SHA-256(auth key id ‖ block hash ‖ previous entry_hash), 32 raw bytes each, zeros where there is no
 * key or no block. The block hash is in display order. The previous entry's hash makes two sessions of one key in one
 * block different: no entry follows two.
 */
export function sessionIdOf(parts: {
  /** 64 hex digits. */
  readonly authKey?: string | null;
  readonly blockHash?: string | null;
  /** `prev_hash` of the session.start entry, 64 hex digits. */
  readonly prevHash: string;
}): string {
  const { authKey, blockHash, prevHash } = parts;
  return hashOfThree(authKey ?? NOTHING, blockHash ?? null, prevHash);
}

/**
 * An interaction's place in its session's chain: SHA-256(prev ‖ prompt_hash ‖ response_hash), 32 raw bytes each. `prev` is
 * the chain hash before it, of the first the session's id. Null for a hash that is not known: 32 zero bytes.
 */
export function chainHashOf(prev: string, promptHash: string | null, responseHash: string | null): string {
  return hashOfThree(prev, promptHash, responseHash);
}

/**
 * What a session ends in: SHA-256(session_id ‖ closing block hash ‖ last chain hash), 32 raw bytes each, the block hash in
 * display order. Null where there is no block, or was no interaction: 32 zero bytes.
 */
export function finalHashOf(session: string, blockHash: string | null, lastChain: string | null): string {
  return hashOfThree(session, blockHash, lastChain);
}

function hashOfThree(first: string, second: string | null, third: string | null): string {
  const input = new Uint8Array(96);
  input.set(parseHex(first, 32));
  if (second !== null) input.set(parseHex(second, 32), 32);
  if (third !== null) input.set(parseHex(third, 32), 64);
  return sha256Hex(input);
}

/** What an auth key is called wherever it is stored or recorded: SHA-256("counterfoil/auth-key/v1\n" ‖ 32 bytes). */
export function authKeyIdOf(key: Uint8Array): string {
  if (key.length !== 32) throw new RangeError('an auth key has 32 bytes');
  const tag = utf8Encode('counterfoil/auth-key/v1\n');
  const input = new Uint8Array(tag.length + 32);
  input.set(tag);
  input.set(key, tag.length);
  return sha256Hex(input);
}

/** The head file ends in SHA-256 of this. It guards against torn writes, not against an attacker. */
export function headChecksumInput(body: string): string {
  return `counterfoil/head/v1\n${body}`;
}

/** C2SP signed-note: key id = first 4 bytes of SHA-256(name ‖ 0x0A ‖ type ‖ public key). */
export function noteKeyIdInput(name: string, type: number, publicKey: Uint8Array): Uint8Array {
  const nameBytes = utf8Encode(name);
  const input = new Uint8Array(nameBytes.length + 2 + publicKey.length);
  input.set(nameBytes);
  input[nameBytes.length] = 0x0a;
  input[nameBytes.length + 1] = type;
  input.set(publicKey, nameBytes.length + 2);
  return input;
}

/**
 * What a model call is called when it goes through an independent gateway: base64url, without padding, of
 *
 *     SHA-256(<session id> ‖ <pack root, or nothing> ‖ <prev_hash of the model.call>)
 *
 * Each part is its 32 raw bytes, so 64 are a run without a pack and 96 are one with a pack. prev_hash is the place in the
 * ledger: no two calls of a ledger have the same.
 */
export function gatewayNonce(call: {
  readonly session: string;
  readonly pack: string | null;
  readonly prevHash: string;
}): string {
  const { session, pack, prevHash } = call;
  if (!isHash(session) || !isHash(prevHash) || (pack !== null && !isHash(pack)))
    throw new RangeError('a session, a pack and a hash have 64 hex digits');
  return encodeBase64Url(sha256(parseHex(`${session}${pack ?? ''}${prevHash}`)));
}
