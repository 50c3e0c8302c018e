// BLAKE3, for the payload and state hashes of replayable runs; the ledger itself is SHA-256. Apart from `#platform`,
// because node:crypto has none. Nearly all that is hashed fits into one chunk, and has a quick way of its own.
import { blake3 } from '@noble/hashes/blake3.js';
import { utf8Encode } from '#platform';
import { openChunkHash } from './blake3-chunk.ts';
import { encodeHex } from './encoding.ts';

/** Hashes bytes to 64 lower-case hex digits. A text is hashed as UTF-8 and must be well formed. */
export type Blake3 = (data: Uint8Array | string) => string;

/** `key` of 32 bytes for keyed hashes. */
export function plainBlake3(key?: Uint8Array): Blake3 {
  const options = key === undefined ? {} : { key };
  const short = openChunkHash(key);
  return (data) =>
    short(data) ?? encodeHex(blake3(typeof data === 'string' ? utf8Encode(data) : data, options));
}
