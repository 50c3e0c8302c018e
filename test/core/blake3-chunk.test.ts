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

  it('is that of the UTF-8 of a text', () => {
    const [hash, encoder] = [openChunkHash(), new TextEncoder()];
    for (const sign of ['x', 'é', '€', '😀'])
      for (let count = 0; count * encoder.encode(sign).length <= CHUNK_BYTES; count++) {
        const text = sign.repeat(count);
        if (hash(text) !== hex(blake3(encoder.encode(text)))) expect.fail(`${count} × ${sign}`);
      }
  });

  it('takes nothing longer', () => {
    expect(openChunkHash()(data)).toBeNull();
    expect(openChunkHash()('€'.repeat(342))).toBeNull();
    expect(openChunkHash()('x'.repeat(CHUNK_BYTES + 1))).toBeNull();
  });
});
