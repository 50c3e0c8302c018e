// SHA-256, HMAC and Ed25519 from node:crypto. One of the two files in the pure rooms that may import `node:`;
// browser.ts must export exactly the same names with exactly the same behaviour.
import {
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { isAcceptablePoint } from '../ed25519-points.ts';

type Write = (this: Uint8Array, text: string, offset: number, length: number) => number;
const { latin1Write, utf8Write } = Buffer.prototype as unknown as { latin1Write: Write; utf8Write: Write };

/** SHA-256 as 32 fresh bytes. */
export function sha256(data: Uint8Array): Uint8Array {
  const out = new Uint8Array(32);
  sha256Into(data, out, 0);
  return out;
}

/** SHA-256 as 64 lower-case hex digits. A string is hashed as UTF-8 and must be well formed. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}

/** SHA-256 written to `out` at `offset`: the hot path of the tree, without a buffer a hash. */
export function sha256Into(data: Uint8Array, out: Uint8Array, offset: number): void {
  latin1Write.call(out, hash('sha256', data, 'binary'), offset, 32);
}

const BLOCK = 64;
const SMALL = 65_536;

export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array {
  if (key.length > BLOCK || data.length > SMALL)
    return new Uint8Array(createHmac('sha256', key).update(data).digest());
  // RFC 2104 by two hashes in one call each: for a small text, making a Hmac object takes longer than all of it.
  const inner = new Uint8Array(BLOCK + data.length);
  const outer = new Uint8Array(BLOCK + 32);
  for (let i = 0; i < BLOCK; i++) {
    const byte = key[i] ?? 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  inner.set(data, BLOCK);
  outer.set(sha256(inner), BLOCK);
  return sha256(outer);
}

/** For git alone, whose names are made with it. */
export function sha1Hex(data: Uint8Array): string {
  return createHash('sha1').update(data).digest('hex');
}

/** Incremental SHA-256, for content that is not in one piece. */
export function sha256Stream(): { update(data: Uint8Array): void; hex(): string } {
  const running = createHash('sha256');
  return { update: (data) => void running.update(data), hex: () => running.digest('hex') };
}

export interface Ed25519Signer {
  readonly publicKey: Uint8Array;
  sign(message: Uint8Array): Uint8Array;
  /** The same signature, made by another thread where there is one. */
  signAside(message: Uint8Array): Promise<Uint8Array>;
}

// RFC 8410 DER around the 32 raw bytes.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** The key object is made once: parsing it for every signature costs ten times the signature. */
export function ed25519Signer(seed: Uint8Array): Ed25519Signer {
  if (seed.length !== 32) throw new RangeError('an Ed25519 seed has 32 bytes');
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new Uint8Array(spki.subarray(-32)),
    sign: (message) => new Uint8Array(sign(null, message, key)),
    signAside: (message) =>
      new Promise((resolve, reject) => {
        sign(null, message, key, (error, signature) =>
          error === null ? resolve(new Uint8Array(signature)) : reject(error),
        );
      }),
  };
}

/** The key last used: checkpoints come in runs under one key, and making the object costs more than verifying. */
let verifying: { hex: string; key: KeyObject } | undefined;

function publicKeyObject(publicKey: Uint8Array): KeyObject {
  const hex = Buffer.from(publicKey).toString('hex');
  if (verifying?.hex !== hex) {
    const key = Buffer.concat([SPKI_PREFIX, publicKey]);
    verifying = { hex, key: createPublicKey({ key, format: 'der', type: 'spki' }) };
  }
  return verifying.key;
}

/** Never throws: anything that is not a good signature by a good key is false. */
export function ed25519Verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  if (!isAcceptablePoint(publicKey) || !isAcceptablePoint(signature.subarray(0, 32))) return false;
  try {
    return verify(null, message, publicKeyObject(publicKey), signature);
  } catch {
    return false;
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Strict UTF-8: throws TypeError on a bad byte; a byte order mark is kept as U+FEFF, not swallowed. */
export function utf8Decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export function utf8Encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Writes text as UTF-8 at `offset`, where there must be room for three bytes a UTF-16 unit; gives the bytes written. */
export function utf8Into(text: string, out: Uint8Array, offset: number): number {
  return utf8Write.call(out, text, offset, out.length - offset);
}
