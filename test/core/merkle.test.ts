import { describe, expect, it } from 'vitest';
import {
  CompactRange,
  EMPTY_ROOT,
  encodeHex,
  leafHash,
  leafHashInto,
  nodeHash,
  parseHex,
  verifyConsistency,
  verifyInclusion,
} from '../../src/core/index.ts';
import { leaves, proveLeaves, proveTrees, roots, SIZES } from './merkle-proofs.ts';
import { rootOf, sha256Of } from './tree.ts';

// The inputs and roots of the Certificate Transparency test suite, which every implementation of RFC 6962 agrees on.
const INPUTS = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

/** Every small tree, and those around powers of two. The slow tests take every size. */
const SMALL_AND_EDGES = Array.from({ length: SIZES }, (_, size) => size).filter(
  (size) => size > 0 && (size <= 36 || (size >= 63 && size <= 66) || size >= 127),
);

describe('RFC 6962 hashes', () => {
  it('gives the known roots of the Certificate Transparency trees', () => {
    const range = new CompactRange();
    expect(encodeHex(range.root())).toBe(ROOTS[0]);
    INPUTS.forEach((input, i) => {
      range.push(leafHash(parseHex(input)));
      expect(encodeHex(range.root())).toBe(ROOTS[i + 1]);
      expect(range.size).toBe(i + 1);
    });
  });

  it('hashes leaves and nodes under different prefixes', () => {
    const [a, b] = [leafHash(Uint8Array.of(1)), leafHash(Uint8Array.of(2))];
    expect(nodeHash(a, b)).toEqual(sha256Of(Uint8Array.of(1), a, b));
    expect(leafHash(new Uint8Array([...a, ...b]))).not.toEqual(nodeHash(a, b));
    expect(() => nodeHash(a, b.subarray(1))).toThrow(RangeError);
  });

  it('hashes leaves longer than the scratch buffer, and writes where it is told', () => {
    for (const length of [0, 1, 550, 65_535, 65_536, 200_000]) {
      const data = new Uint8Array(length).fill(7);
      const want = sha256Of(Uint8Array.of(0), data);
      expect(leafHash(data)).toEqual(want);
      const out = new Uint8Array(64);
      leafHashInto(data, out, 17);
      expect(out.subarray(17, 49)).toEqual(want);
      expect(
        out.subarray(0, 17).every((byte) => byte === 0) && out.subarray(49).every((byte) => byte === 0),
      ).toBe(true);
    }
  });
});

describe('CompactRange', () => {
  it('has the root of the definition at every size, before and after asking for it', () => {
    const range = new CompactRange();
    for (let size = 0; size <= SIZES; size++) {
      expect(range.root()).toEqual(roots[size]);
      expect(range.root()).toEqual(roots[size]);
      if (size < SIZES) range.push(leaves[size]!);
    }
  });

  it('reports every complete subtree once, with its hash', () => {
    const seen = new Map<string, Uint8Array>();
    const range = new CompactRange((level, index, hash) => {
      expect(seen.has(`${level}/${index}`)).toBe(false);
      seen.set(`${level}/${index}`, hash.slice());
    });
    for (const leaf of leaves) range.push(leaf);
    let count = 0;
    for (let level = 0, width = 1; width <= SIZES; level++, width *= 2) {
      for (let index = 0; (index + 1) * width <= SIZES; index++, count++) {
        expect(seen.get(`${level}/${index}`)).toEqual(
          rootOf(leaves.slice(index * width, (index + 1) * width)),
        );
      }
    }
    expect(seen.size).toBe(count);
  });

  it('goes on from the subtrees of any size', () => {
    for (let size = 0; size <= SIZES; size++) {
      const subtrees: Uint8Array[] = [];
      let from = 0;
      for (let width = 256; width >= 1; width /= 2) {
        if (Math.floor(size / width) % 2 === 0) continue;
        subtrees.push(rootOf(leaves.slice(from, from + width)));
        from += width;
      }
      const range = CompactRange.from(size, subtrees);
      expect(range.root()).toEqual(roots[size]);
      for (const leaf of leaves.slice(size)) range.push(leaf);
      expect(range.root()).toEqual(roots[SIZES]);
      expect(() => CompactRange.from(size, [...subtrees, EMPTY_ROOT])).toThrow(RangeError);
      if (size > 0) expect(() => CompactRange.from(size, subtrees.slice(1))).toThrow(RangeError);
    }
  });

  it('refuses what is not a hash or a size', () => {
    expect(() => new CompactRange().push(new Uint8Array(31))).toThrow(RangeError);
    expect(() => CompactRange.from(-1, [])).toThrow(RangeError);
    expect(() => CompactRange.from(1.5, [EMPTY_ROOT])).toThrow(RangeError);
    expect(() => CompactRange.from(2 ** 53, [EMPTY_ROOT])).toThrow(RangeError);
  });
});

describe('proofs', () => {
  it('proves every leaf, and no changed proof', () => proveLeaves(SMALL_AND_EDGES));

  it('proves earlier trees consistent, and no changed proof', () => proveTrees(SMALL_AND_EDGES));

  it('answers false, without throwing, to sizes and hashes that are none', () => {
    const hash = leaves[0]!;
    for (const bad of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(verifyInclusion(bad, 10, hash, [], hash)).toBe(false);
      expect(verifyInclusion(0, bad, hash, [], hash)).toBe(false);
      expect(verifyConsistency(bad, hash, 10, hash, [])).toBe(false);
      expect(verifyConsistency(1, hash, bad, hash, [])).toBe(false);
    }
    expect(verifyInclusion(0, 0, hash, [], EMPTY_ROOT)).toBe(false);
    expect(verifyInclusion(0, 1, hash, [], hash)).toBe(true);
    expect(verifyInclusion(0, 1, hash.subarray(1), [], hash.subarray(1))).toBe(false);
    expect(verifyConsistency(0, EMPTY_ROOT, 1, hash, [])).toBe(false);
    expect(verifyConsistency(0, EMPTY_ROOT, 0, EMPTY_ROOT, [])).toBe(false);
  });
});
