import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blake3 } from '@noble/hashes/blake3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeHex, parseHex, plainBlake3 } from '../../src/core/index.ts';

/** The input of the official test vectors: 0, 1, … 250, 0, 1 … Those of 0, 1, 1023, 1024 and 1025 bytes are theirs. */
const input = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i % 251);
const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../spec/vectors/blake3.json'), 'utf8'),
) as { key: string; cases: { bytes: number; hash: string; keyed_hash: string }[] };

describe('BLAKE3', () => {
  it.each(vectors.cases)('hashes $bytes bytes as the vectors say', ({ bytes, hash, keyed_hash }) => {
    expect(plainBlake3()(input(bytes))).toBe(hash);
    expect(plainBlake3(parseHex(vectors.key, 32))(input(bytes))).toBe(keyed_hash);
  });

  it('agrees with another implementation, and one call does not disturb the next', () => {
    const key = Uint8Array.from({ length: 32 }, (_, i) => i);
    const [hash, keyed] = [plainBlake3(), plainBlake3(key)];
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), (data) => {
        expect(hash(data)).toBe(encodeHex(blake3(data)));
        expect(keyed(data)).toBe(encodeHex(blake3(data, { key })));
        expect(keyed(data)).not.toBe(hash(data));
      }),
    );
  });

  it('takes a text as its UTF-8, short and long', () => {
    const hash = plainBlake3();
    for (const text of ['', 'état', '€'.repeat(341), '€'.repeat(342), 'x'.repeat(5000)])
      expect(hash(text)).toBe(hash(new TextEncoder().encode(text)));
  });
});
