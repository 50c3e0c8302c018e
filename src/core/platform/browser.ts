// The same names as node.ts, from the audited noble libraries, for browsers and for auditors without Node.
import { ed25519 } from '@noble/curves/ed25519.js';
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 as nobleSha256 } from '@noble/hashes/sha2.js';
import { isAcceptablePoint } from '../ed25519-points.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

export function sha256(data: Uint8Array): Uint8Array {
  return nobleSha256(data);
}

export function sha256Hex(data: Uint8Array | string): string {
  return hex(nobleSha256(typeof data === 'string' ? encoder.encode(data) : data));
}

export function sha256Into(data: Uint8Array, out: Uint8Array, offset: number): void {
  out.set(nobleSha256(data), offset);
}

export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array {
  return hmac(nobleSha256, key, data);
}

export function sha256Stream(): { update(data: Uint8Array): void; hex(): string } {
  const hash = nobleSha256.create();
  return { update: (data) => void hash.update(data), hex: () => hex(hash.digest()) };
}

export interface Ed25519Signer {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
}

export function ed25519Signer(seed: Uint8Array): Ed25519Signer {
  if (seed.length !== 32) throw new RangeError('an Ed25519 seed has 32 bytes');
  return { publicKey: ed25519.getPublicKey(seed), sign: (message) => ed25519.sign(message, seed) };
}

export function ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  if (!isAcceptablePoint(publicKey) || !isAcceptablePoint(signature.subarray(0, 32))) return false;
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
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

function hex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += byte.toString(16).padStart(2, '0');
  return text;
}
