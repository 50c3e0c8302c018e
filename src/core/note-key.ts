// Keys of C2SP signed notes, Ed25519 (type 0x01) only. A verifier key is public, `name+id+base64(01 ‖ public key)`; a
// signer key is secret, `PRIVATE+KEY+name+id+base64(01 ‖ seed)`, both as Go's sumdb/note writes them. The id only says
// which key to try; it is never taken as evidence. No message of this file quotes a key.
import { ed25519Signer, sha256 } from '#platform';
import { isAcceptablePoint } from './ed25519-points.ts';
import { encodeBase64, parseBase64 } from './encoding.ts';
import { ParseError } from './errors.ts';
import { noteKeyIdInput } from './tagged-hashes.ts';

export const ED25519_TYPE = 0x01;

export interface VerifierKey {
  readonly name: string;
  /** The first four bytes of a hash over name and key, as a big-endian number. */
  readonly id: number;
  readonly publicKey: Uint8Array;
}

export interface Signer extends VerifierKey {
  sign(message: Uint8Array): Uint8Array;
  /** The same signature, made by another thread where there is one. */
  signAside(message: Uint8Array): Promise<Uint8Array>;
}

/** Well-formed, not empty, without white space, control characters and `+`. */
export function isKeyName(name: string): boolean {
  return name !== '' && name.isWellFormed() && !/[\p{White_Space}\p{Cc}+]/u.test(name);
}

/** Throws TypeError where somebody passes keys as text: silently, those would match nothing. */
export function assertVerifierKeys(keys: readonly VerifierKey[]): void {
  for (const key of keys) {
    if (typeof key !== 'object' || !(key.publicKey instanceof Uint8Array)) {
      throw new TypeError('a key is a VerifierKey: make one of its text with parseVerifierKey');
    }
  }
}

export function keyId(name: string, type: number, publicKey: Uint8Array): number {
  const hash = sha256(noteKeyIdInput(name, type, publicKey));
  return new DataView(hash.buffer, hash.byteOffset).getUint32(0);
}

/** The verifier key of a name and a public key; throws RangeError where parseVerifierKey would refuse the result. */
export function makeVerifierKey(name: string, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new RangeError('a key name holds no space, control character or plus sign');
  if (!isAcceptablePoint(publicKey)) throw new RangeError('not an Ed25519 public key');
  return { name, id: keyId(name, ED25519_TYPE, publicKey), publicKey };
}

export function makeSigner(name: string, seed: Uint8Array): Signer {
  const { publicKey, sign, signAside } = ed25519Signer(seed);
  return { ...makeVerifierKey(name, publicKey), sign, signAside };
}

export function encodeVerifierKey(key: VerifierKey): string {
  return `${key.name}+${hexId(key.id)}+${encodeBase64(typed(key.publicKey))}`;
}

export function parseVerifierKey(text: string): VerifierKey {
  const { name, id, bytes } = parseKey(text);
  if (!isAcceptablePoint(bytes)) throw new ParseError('MALFORMED', 'not an Ed25519 public key');
  const key = makeVerifierKey(name, bytes);
  if (hexId(key.id) !== id)
    throw new ParseError('MALFORMED', 'the key id does not belong to this name and key');
  return key;
}

const SECRET = 'PRIVATE+KEY+';

/** The result is a secret. */
export function encodeSignerKey(name: string, seed: Uint8Array): string {
  return `${SECRET}${name}+${hexId(makeSigner(name, seed).id)}+${encodeBase64(typed(seed))}`;
}

export function parseSignerKey(text: string): Signer {
  if (!text.startsWith(SECRET)) throw new ParseError('MALFORMED', 'not a signer key');
  const { name, id, bytes } = parseKey(text.slice(SECRET.length));
  const signer = makeSigner(name, bytes);
  if (hexId(signer.id) !== id)
    throw new ParseError('MALFORMED', 'the key id does not belong to this name and key');
  return signer;
}

const MAX_KEY_LENGTH = 1024;

function parseKey(text: string): { name: string; id: string; bytes: Uint8Array } {
  if (text.length > MAX_KEY_LENGTH) throw new ParseError('TOO_LONG', 'too long for a key');
  const match = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)$/.exec(text);
  const [, name = '', id = '', base64 = ''] = match ?? [];
  if (!isKeyName(name)) throw new ParseError('MALFORMED', 'not a key: name+id+base64 expected');
  const bytes = parseBase64(base64);
  if (bytes[0] !== ED25519_TYPE || bytes.length !== 33)
    throw new ParseError('MALFORMED', 'not an Ed25519 key');
  return { name, id, bytes: bytes.slice(1) };
}

function typed(bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(1 + bytes.length);
  out[0] = ED25519_TYPE;
  out.set(bytes, 1);
  return out;
}

function hexId(id: number): string {
  return id.toString(16).padStart(8, '0');
}
