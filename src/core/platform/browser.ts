// The same names as node.ts, for browsers and for auditors without Node. Signatures and what is hashed as it streams are by the
// audited noble libraries.
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256 as nobleSha256, sha512 } from '@noble/hashes/sha2.js';
import { isAcceptablePoint } from '../ed25519-points.ts';
import { encodeHex, sameBytes } from '../encoding.ts';
import { hmacWith } from './hmac.ts';
import { sha256Into } from './sha256.ts';

export { sha256Into } from './sha256.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export function sha256(data: Uint8Array): Uint8Array {
  const out = new Uint8Array(32);
  sha256Into(data, out, 0);
  return out;
}

export function sha256Hex(data: Uint8Array | string): string {
  return encodeHex(sha256(typeof data === 'string' ? encoder.encode(data) : data));
}

export const hmacSha256 = hmacWith(sha256);

/** For git alone, whose names are made with it. */
export function sha1Hex(data: Uint8Array): string {
  return encodeHex(sha1(data));
}

export function sha256Stream(): { update(data: Uint8Array): void; hex(): string } {
  const hash = nobleSha256.create();
  return { update: (data) => void hash.update(data), hex: () => encodeHex(hash.digest()) };
}

export interface Ed25519Signer {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
  signAside(message: Uint8Array): Promise<Uint8Array>;
}

export function ed25519Signer(seed: Uint8Array): Ed25519Signer {
  if (seed.length !== 32) throw new RangeError('an Ed25519 seed has 32 bytes');
  const sign = (message: Uint8Array): Uint8Array => ed25519.sign(message, seed);
  return { publicKey: ed25519.getPublicKey(seed), sign, signAside: async (message) => sign(message) };
}

/**
 * Computes [S]B − [k]A and compares it with R byte for byte, as OpenSSL does. noble's own verify multiplies the equation
 * by the cofactor first: a signer who adds a small-order point to R could make a note that only browsers accept.
 */
export function ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  const r = signature.subarray(0, 32);
  if (!isAcceptablePoint(publicKey) || !isAcceptablePoint(r)) return false;
  try {
    const { BASE, Fn } = ed25519.Point;
    const s = littleEndian(signature.subarray(32));
    const k = littleEndian(sha512.create().update(r).update(publicKey).update(message).digest()) % Fn.ORDER;
    const a = ed25519.Point.fromBytes(publicKey);
    // multiplyUnsafe is for public scalars and throws where S is not below the order of the group.
    return sameBytes(BASE.multiplyUnsafe(s).subtract(a.multiplyUnsafe(k)).toBytes(), r);
  } catch {
    return false;
  }
}

export function utf8Decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function utf8Encode(text: string): Uint8Array {
  return encoder.encode(text);
}

function littleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${encodeHex(bytes.slice().reverse())}`);
}

export function utf8Into(text: string, out: Uint8Array, offset: number): number {
  return encoder.encodeInto(text, out.subarray(offset)).written;
}
