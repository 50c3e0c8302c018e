// A pack as one compressed file: what is changed in it is refused, and how it is compressed does not count.
// archive.slow.test.ts has those that are too large.
import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { encodePack, openPack } from '../../src/harness/index.ts';
import { packVectors, readVector, refusalOf } from './pack-vectors.ts';

const small = readVector('accepted/small.tar.gz');

describe('a compressed pack', () => {
  it('C1 has a plain header and one stream', () => {
    const archive = encodePack(openPack(small));
    expect(Buffer.from(archive.subarray(0, 10)).toString('hex')).toBe('1f8b0800000000000003');
    expect(Buffer.compare(archive, encodePack(openPack(archive)))).toBe(0);
  });

  // A bit of a compressed stream can be without a meaning; then the pack is the same one.
  it.each([
    ['of another writer', small],
    ['of our own', encodePack(openPack(small))],
    ['that is stored as it is', readVector('accepted/stored.tar.gz')],
  ])('C3 %s is refused, or is the same pack, for each byte that is changed', (_, archive) => {
    const pack = openPack(archive);
    let refused = 0;
    for (let at = 0; at < archive.length; at++)
      for (const bits of [0x01, 0xff]) {
        const changed = archive.slice();
        changed[at] = (changed[at] ?? 0) ^ bits;
        let opened: unknown;
        if (refusalOf(() => (opened = openPack(changed))) !== undefined) refused++;
        else expect(opened, `byte ${at}`).toEqual(pack);
      }
    expect(refused).toBeGreaterThan(archive.length * 2 * 0.95);
  });

  it('is refused where it is cut, anywhere', () => {
    for (let length = 0; length < small.length; length++)
      expect(refusalOf(() => openPack(small.subarray(0, length)))).toBe('NOT_GZIP');
  });

  it('is the same pack however it was compressed', () => {
    const roots = packVectors.accepted
      .filter(({ name }) => name === 'small' || name === 'stored')
      .map(({ file }) => openPack(readVector(file)).hashes.root);
    expect(roots).toHaveLength(2);
    expect(new Set(roots).size).toBe(1);
  });
});
