// BLAKE3, for the payload and state hashes of replayable runs; the ledger itself is SHA-256. Apart from `#platform`,
// because node:crypto has none. Nearly all that is hashed is short, and everybody hashes that alike. For what is longer,
// whoever makes or rebuilds states opens the fast one, in WebAssembly, once. A verifier takes the plain one, which needs no
// waiting and adds little to what a browser loads.
import { blake3 } from '@noble/hashes/blake3.js';
import { utf8Encode } from '#platform';
import { openChunkHash } from './blake3-chunk.ts';
import { encodeHex } from './encoding.ts';

/** Hashes bytes to 64 lower-case hex digits. A text is hashed as UTF-8 and must be well formed. */
export type Blake3 = (data: Uint8Array | string) => string;

/** `key` of 32 bytes for keyed hashes. */
export async function openBlake3(key?: Uint8Array): Promise<Blake3> {
  const { createBLAKE3 } = await import('hash-wasm');
  const hasher = await createBLAKE3(256, key);
  return shortOr((data) => hasher.init().update(data).digest('hex'), key);
}

export function plainBlake3(key?: Uint8Array): Blake3 {
  const options = key === undefined ? {} : { key };
  return shortOr((data) => encodeHex(blake3(data, options)), key);
}

function shortOr(long: (data: Uint8Array) => string, key?: Uint8Array): Blake3 {
  const short = openChunkHash(key);
  return (data) => short(data) ?? long(typeof data === 'string' ? utf8Encode(data) : data);
}
