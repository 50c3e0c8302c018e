// BLAKE3, for the payload and state hashes of replayable runs; the ledger itself is SHA-256. Apart from `#platform`,
// because node:crypto has none. Whoever makes or rebuilds states opens the fast one, in WebAssembly, once. A verifier takes
// the plain one, which needs no waiting and adds little to what a browser loads.
import { blake3 } from '@noble/hashes/blake3.js';
import { CHUNK_BYTES, openChunkHash } from './blake3-chunk.ts';
import { encodeHex } from './encoding.ts';

/** Hashes bytes to 64 lower-case hex digits. */
export type Blake3 = (data: Uint8Array) => string;

/** `key` of 32 bytes for keyed hashes. */
export async function openBlake3(key?: Uint8Array): Promise<Blake3> {
  const { createBLAKE3 } = await import('hash-wasm');
  const hasher = await createBLAKE3(256, key);
  return (data) => hasher.init().update(data).digest('hex');
}

export function plainBlake3(key?: Uint8Array): Blake3 {
  const short = openChunkHash(key);
  const options = key === undefined ? {} : { key };
  return (data) => (data.length <= CHUNK_BYTES ? short(data) : encodeHex(blake3(data, options)));
}
