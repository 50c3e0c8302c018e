// Every byte string that is ever signed, one function each: whoever asks what a signature covers need read only this
// file. The first line of each keeps the domains apart, so that bytes signed for one purpose can't be presented for
// another. tagged-hashes.ts does the same for hashes. Specification: spec/checkpoint.md, spec/evidence.md, spec/receipt.md.
import { utf8Encode } from '#platform';
import { canonicalize, type JsonObject } from './canonical-json.ts';
import { encodeBase64, encodeHex, isHash } from './encoding.ts';

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
