// Every byte string that is ever signed, or hashed under a tag, one function each: whoever asks what a signature or a
// hash covers need read only this file. The prefixes and tags keep the domains apart, so that bytes hashed or signed
// for one purpose can't be presented for another. Specification: spec/checkpoint.md, spec/evidence.md, spec/receipt.md.
import { hmacSha256, sha256, sha256Hex, utf8Encode } from '#platform';
import { canonicalize, type JsonObject } from './canonical-json.ts';
import { encodeBase64, encodeBase64Url, encodeHex, isHash, parseHex } from './encoding.ts';

/** RFC 6962 section 2.1: a leaf is SHA-256(0x00 ‖ data). */
export const LEAF_PREFIX = 0x00;
/** RFC 6962 section 2.1: an inner node is SHA-256(0x01 ‖ left ‖ right). */
export const NODE_PREFIX = 0x01;

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

export interface KeyRotation {
  readonly origin: string;
  /** Of the key.rotate entry itself. */
  readonly seq: number;
  /** Of the key.rotate entry: the hash of the last entry of the old epoch, 64 hex digits. */
  readonly prevHash: string;
  /** Of the tree over every entry before the key.rotate entry. */
  readonly root: Uint8Array;
  readonly oldKey: Uint8Array;
  readonly newKey: Uint8Array;
}

/**
 * Signed by the old key when it hands over to the new one:
 *
 *     counterfoil/key-rotate/v1\n<origin>\n<seq>\n<prev_hash, hex>\n<root, base64>\n<old key, hex>\n<new key, hex>\n
 *
 * seq, prev_hash and root pin the one place in the one history where the hand-over is valid. A checkpoint has three
 * lines, this has seven: a signature over one can't be presented as one over the other.
 */
export function keyRotateMessage(rotation: KeyRotation): Uint8Array {
  const { origin, seq, prevHash, root, oldKey, newKey } = rotation;
  assertOrigin(origin);
  if (!Number.isSafeInteger(seq) || seq < 0) throw new RangeError('a seq is a safe integer');
  if (!isHash(prevHash)) throw new RangeError('prevHash has 64 hex digits');
  if (root.length !== 32 || oldKey.length !== 32 || newKey.length !== 32) {
    throw new RangeError('a root and a key have 32 bytes');
  }
  return utf8Encode(
    `counterfoil/key-rotate/v1\n${origin}\n${seq}\n${prevHash}\n${encodeBase64(root)}\n${encodeHex(oldKey)}\n${encodeHex(newKey)}\n`,
  );
}

/** A key that the ledger's key takes for another role. */
export interface CertifiedKey {
  readonly origin: string;
  readonly version: number;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

function certifiedKeyMessage(role: 'validator' | 'gateway', key: CertifiedKey): Uint8Array {
  const { origin, version, publicKey } = key;
  assertOrigin(origin);
  if (!Number.isSafeInteger(version) || version < 1) throw new RangeError('a version is 1 or more');
  if (publicKey.length !== 32) throw new RangeError('a key has 32 bytes');
  return utf8Encode(`counterfoil/${role}-key/v1\n${origin}\n${version}\n${encodeHex(publicKey)}\n`);
}

/**
 * Signed by the ledger's key when it takes a key for its validator's:
 *
 *     counterfoil/validator-key/v1\n<origin>\n<version>\n<public key, hex>\n
 */
export function validatorKeyMessage(key: CertifiedKey): Uint8Array {
  return certifiedKeyMessage('validator', key);
}

/**
 * Signed by the ledger's key when it takes a key for its gateway's:
 *
 *     counterfoil/gateway-key/v1\n<origin>\n<version>\n<public key, hex>\n
 */
export function gatewayKeyMessage(key: CertifiedKey): Uint8Array {
  return certifiedKeyMessage('gateway', key);
}

/**
 * Signed by the gateway's key when it hands out a receipt:
 *
 *     counterfoil/receipt/v1\n<origin>\n<payload without its signature, canonical JSON>\n
 *
 * The payload names the run, the events and the pack that it is about: every member is under the signature.
 */
export function receiptMessage(receipt: {
  readonly origin: string;
  /** A member `signature` is left out, if it is there. */
  readonly payload: JsonObject;
}): Uint8Array {
  const { origin, payload } = receipt;
  assertOrigin(origin);
  const { signature: _, ...signed } = payload;
  return utf8Encode(`counterfoil/receipt/v1\n${origin}\n${canonicalize(signed)}\n`);
}

/**
 * Signed by the gateway's key when it takes no more calls of a client's run:
 *
 *     counterfoil/run-closing/v1\n<origin>\n<payload without its signature, canonical JSON>\n
 *
 * The payload names the run, how many calls it had, and its end in the client's ledger.
 */
export function runClosingMessage(closing: {
  readonly origin: string;
  /** A member `signature` is left out, if it is there. */
  readonly payload: JsonObject;
}): Uint8Array {
  const { origin, payload } = closing;
  assertOrigin(origin);
  const { signature: _, ...signed } = payload;
  return utf8Encode(`counterfoil/run-closing/v1\n${origin}\n${canonicalize(signed)}\n`);
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

/**
 * Signed by the validator key when it speaks about a claim:
 *
 *     counterfoil/validation/v1\n<origin>\n<session id, hex>\n<payload without its signature, canonical JSON>\n
 *
 * The payload names the claim, and the session is here: what was said of one claim can't be presented for another.
 * Canonical JSON holds no newline, so the lines can't shift.
 */
export function validationMessage(validation: {
  readonly origin: string;
  readonly sessionId: string;
  /** A member `signature` is left out, if it is there. */
  readonly payload: JsonObject;
}): Uint8Array {
  const { origin, sessionId, payload } = validation;
  assertOrigin(origin);
  if (!isHash(sessionId)) throw new RangeError('a session id has 64 hex digits');
  const { signature: _, ...signed } = payload;
  return utf8Encode(`counterfoil/validation/v1\n${origin}\n${sessionId}\n${canonicalize(signed)}\n`);
}

/**
 * Signed by an operator's key when it accepts a policy:
 *
 *     counterfoil/policy/v1\n<origin>\n<seq>\n<prev_hash, hex>\n<policy hash, hex>\n
 *
 * seq and prev_hash are those of the policy entry: an acceptance can't be used again to go back to an older policy.
 */
export function policyMessage(policy: {
  readonly origin: string;
  readonly seq: number;
  readonly prevHash: string;
  readonly policyHash: string;
}): Uint8Array {
  const { origin, seq, prevHash, policyHash } = policy;
  assertOrigin(origin);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new RangeError('a seq is 1 or more');
  if (!isHash(prevHash) || !isHash(policyHash)) throw new RangeError('a hash has 64 hex digits');
  return utf8Encode(`counterfoil/policy/v1\n${origin}\n${seq}\n${prevHash}\n${policyHash}\n`);
}

/**
 * Signed by an operator's key when it accepts grants:
 *
 *     counterfoil/grants/v1\n<origin>\n<seq>\n<prev_hash, hex>\n<grants hash, hex>\n
 *
 * seq and prev_hash are those of the grants entry: an acceptance can't be used again to go back to wider grants.
 */
export function grantsMessage(grants: {
  readonly origin: string;
  readonly seq: number;
  readonly prevHash: string;
  readonly grantsHash: string;
}): Uint8Array {
  const { origin, seq, prevHash, grantsHash } = grants;
  assertOrigin(origin);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new RangeError('a seq is 1 or more');
  if (!isHash(prevHash) || !isHash(grantsHash)) throw new RangeError('a hash has 64 hex digits');
  return utf8Encode(`counterfoil/grants/v1\n${origin}\n${seq}\n${prevHash}\n${grantsHash}\n`);
}

/**
 * Signed by an operator's key when it accepts what is kept for replays:
 *
 *     counterfoil/replay-policy/v1\n<origin>\n<seq>\n<prev_hash, hex>\n<keep or none>\n
 *
 * seq and prev_hash are those of the entry: an acceptance can't be used again after it was withdrawn.
 */
export function replayPolicyMessage(policy: {
  readonly origin: string;
  readonly seq: number;
  readonly prevHash: string;
  readonly replay: 'keep' | 'none';
}): Uint8Array {
  const { origin, seq, prevHash, replay } = policy;
  assertOrigin(origin);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new RangeError('a seq is 1 or more');
  if (!isHash(prevHash)) throw new RangeError('a hash has 64 hex digits');
  return utf8Encode(`counterfoil/replay-policy/v1\n${origin}\n${seq}\n${prevHash}\n${replay}\n`);
}

/**
 * Signed by an operator's key when it enrols or revokes an operator:
 *
 *     counterfoil/operator/v1\n<origin>\n<seq>\n<prev_hash, hex>\n<enrol or revoke>\n<verifier key>\n
 *
 * seq and prev_hash are those of the entry: an enrolment can't be used again after its revocation.
 */
export function operatorMessage(change: {
  readonly origin: string;
  readonly seq: number;
  readonly prevHash: string;
  readonly change: 'enrol' | 'revoke';
  readonly vkey: string;
}): Uint8Array {
  const { origin, seq, prevHash, vkey } = change;
  assertOrigin(origin);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new RangeError('a seq is 1 or more');
  if (!isHash(prevHash)) throw new RangeError('a hash has 64 hex digits');
  if (vkey.includes('\n')) throw new RangeError('a verifier key is one line');
  return utf8Encode(`counterfoil/operator/v1\n${origin}\n${seq}\n${prevHash}\n${change.change}\n${vkey}\n`);
}

/**
 * Signed by an operator's key when it approves a plan:
 *
 *     counterfoil/plan/v1\n<origin>\n<seq>\n<prev_hash, hex>\n<plan hash, hex>\n
 *
 * seq and prev_hash are those of the plan.approve entry: an approval holds in its own place and ledger only.
 */
export function planMessage(plan: {
  readonly origin: string;
  readonly seq: number;
  readonly prevHash: string;
  readonly planHash: string;
}): Uint8Array {
  const { origin, seq, prevHash, planHash } = plan;
  assertOrigin(origin);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new RangeError('a seq is 1 or more');
  if (!isHash(prevHash) || !isHash(planHash)) throw new RangeError('a hash has 64 hex digits');
  return utf8Encode(`counterfoil/plan/v1\n${origin}\n${seq}\n${prevHash}\n${planHash}\n`);
}

/**
 * Signed by the ledger's key when content is removed:
 *
 *     counterfoil/erase/v1\n<origin>\n<seq>\n<prev_hash, hex>\n<payload without its signature, canonical JSON>\n
 *
 * seq and prev_hash are those of the erase entry: what was said of one moment excuses nothing that goes missing later.
 * The payload holds the checkpoint over all entries before.
 */
export function eraseMessage(erase: {
  readonly origin: string;
  readonly seq: number;
  readonly prevHash: string;
  /** A member `signature` is left out, if it is there. */
  readonly payload: JsonObject;
}): Uint8Array {
  const { origin, seq, prevHash, payload } = erase;
  assertOrigin(origin);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new RangeError('a seq is 1 or more');
  if (!isHash(prevHash)) throw new RangeError('a hash has 64 hex digits');
  const { signature: _, ...signed } = payload;
  return utf8Encode(`counterfoil/erase/v1\n${origin}\n${seq}\n${prevHash}\n${canonicalize(signed)}\n`);
}

/**
 * Signed by whoever proposes a patch, and by the operator who approves or reverts it:
 *
 *     counterfoil/patch/v1\n<origin>\n<session id, hex>\n<seq>\n<prev_hash, hex>\n<kind>\n<payload without its signature, canonical JSON>\n
 *
 * seq and prev_hash are those of the entry, and its kind is here: an approval holds in its own place, and is no reversal.
 */
export function patchMessage(patch: {
  readonly origin: string;
  readonly sessionId: string;
  readonly seq: number;
  readonly prevHash: string;
  readonly kind: string;
  /** A member `signature` is left out, if it is there. */
  readonly payload: JsonObject;
}): Uint8Array {
  const { origin, sessionId, seq, prevHash, kind, payload } = patch;
  assertOrigin(origin);
  if (!Number.isSafeInteger(seq) || seq < 1) throw new RangeError('a seq is 1 or more');
  if (!isHash(sessionId) || !isHash(prevHash)) throw new RangeError('a hash has 64 hex digits');
  const { signature: _, ...signed } = payload;
  return utf8Encode(
    `counterfoil/patch/v1\n${origin}\n${sessionId}\n${seq}\n${prevHash}\n${kind}\n${canonicalize(signed)}\n`,
  );
}

/** What `policy_hash` is: SHA-256 of the policy's canonical JSON. */
export function policyHashOf(policy: JsonObject): string {
  return sha256Hex(canonicalize(policy));
}

function assertOrigin(origin: string): void {
  if (origin === '' || origin.includes('\n')) throw new RangeError('an origin is one line');
}

/** DSSE v1, pre-authentication encoding: "DSSEv1" and type and payload, each behind its length in bytes. */
export function dsseMessage(payloadType: string, payload: Uint8Array): Uint8Array {
  const type = utf8Encode(payloadType);
  const head = utf8Encode(`DSSEv1 ${type.length} ${payloadType} ${payload.length} `);
  const message = new Uint8Array(head.length + payload.length);
  message.set(head);
  message.set(payload, head.length);
  return message;
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
  if (algorithm === 'sha256') return sha256Hex(content);
  if (salt?.length !== 32) throw new RangeError('a salt has 32 bytes');
  const key = algorithm === 'keyed-sha256' ? contentKey(salt, sha256(content)) : salt;
  return encodeHex(hmacSha256(key, content));
}

/** The key of one piece of content, by its SHA-256: what is disclosed with that piece. */
export function contentKey(salt: Uint8Array, digest: Uint8Array): Uint8Array {
  return hmacSha256(derivedKey(salt, 'content'), digest);
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
