import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openBlake3, plainBlake3 } from '../../src/core/index.ts';

/** The input of the official test vectors: 0, 1, … 250, 0, 1 … */
const input = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i % 251);

describe('BLAKE3', () => {
  it.each([
    [0, 'af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262'],
    [1, '2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213'],
    [1023, '10108970eeda3eb932baac1428c7a2163b0e924c9a9e25b35bba72b28f70bd11'],
    [1024, '42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7'],
    [1025, 'd00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444'],
  ])('hashes %d bytes as the official vectors say', async (length, hash) => {
    expect((await openBlake3())(input(length))).toBe(hash);
  });

  it('agrees with another implementation, and one call does not disturb the next', async () => {
    const key = Uint8Array.from({ length: 32 }, (_, i) => i);
    const [fast, keyed] = [await openBlake3(), await openBlake3(key)];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (data) => {
        expect(fast(data)).toBe(plainBlake3()(data));
        expect(keyed(data)).toBe(plainBlake3(key)(data));
        expect(keyed(data)).not.toBe(fast(data));
      }),
    );
  });
});
