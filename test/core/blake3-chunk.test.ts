// The short form of BLAKE3 against the general one, for every length that it takes.
import { blake3 } from '@noble/hashes/blake3.js';
import { describe, expect, it } from 'vitest';
import { CHUNK_BYTES, openChunkHash } from '../../src/core/blake3-chunk.ts';

const data = Uint8Array.from({ length: CHUNK_BYTES + 1 }, (_, n) => (n * 131 + (n >> 3)) & 255);
const key = data.slice(7, 39);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('BLAKE3 of one chunk', () => {
  it('is that of the general one at every length, keyed and not, by one hasher', () => {
    const [plain, keyed] = [openChunkHash(), openChunkHash(key)];
    for (let length = 0; length <= CHUNK_BYTES; length++) {
      const input = data.subarray(0, length);
      if (plain(input) !== hex(blake3(input))) expect.fail(`length ${length}`);
      if (keyed(input) !== hex(blake3(input, { key }))) expect.fail(`length ${length}, keyed`);
    }
  });

  it('takes nothing longer', () => {
    expect(() => openChunkHash()(data)).toThrow(RangeError);
  });
});
