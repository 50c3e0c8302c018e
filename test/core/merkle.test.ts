import { describe, expect, it } from 'vitest';
import {
  CompactRange,
  EMPTY_ROOT,
  encodeHex,
  leafHash,
  leafHashInto,
  nodeHash,
  parseHex,
  proveConsistency,
  proveInclusion,
  rootFromTiles,
  verifyConsistency,
  verifyInclusion,
} from '../../src/core/index.ts';
import { flipped, numberedLeaves, rootOf, sha256Of, tilesOf } from './tree.ts';

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

const SIZES = 131;
const leaves = numberedLeaves(SIZES);
const tiles = tilesOf(
  leaves,
  Array.from({ length: SIZES + 1 }, (_, i) => i),
);
const roots = Array.from({ length: SIZES + 1 }, (_, size) => rootOf(leaves.slice(0, size)));

/** Every small change to a proof: a bit of each hash, one dropped, repeated, added at either end, two swapped. */
function mutations(proof: readonly Uint8Array[]): Uint8Array[][] {
  const out: Uint8Array[][] = [];
  for (let i = 0; i < proof.length; i++) {
    out.push(proof.map((hash, j) => (i === j ? flipped(hash, (7 * i) % 32, 0x10) : hash)));
    out.push(proof.filter((_, j) => i !== j));
    out.push(proof.flatMap((hash, j) => (i === j ? [hash, hash] : [hash])));
    out.push(proof.map((hash, j) => (i === j ? hash.subarray(0, 31) : hash)));
    if (i > 0) out.push(proof.map((hash, j) => proof[j === i ? i - 1 : j === i - 1 ? i : j] ?? hash));
  }
  out.push([...proof, EMPTY_ROOT], [EMPTY_ROOT, ...proof]);
  return out;
}

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

describe('proofs for every tree size', () => {
  it('proves every leaf of every tree, and no changed proof', async () => {
    for (let size = 1; size < SIZES; size++) {
      const root = roots[size]!;
      expect(await rootFromTiles(size, tiles.read)).toEqual(root);
      for (let index = 0; index < size; index++) {
        const leaf = leaves[index]!;
        const proof = await proveInclusion(index, size, tiles.read);
        if (!verifyInclusion(index, size, leaf, proof, root)) throw new Error(`${index} of ${size}`);
        for (const wrong of mutations(proof)) {
          if (verifyInclusion(index, size, leaf, wrong, root))
            throw new Error(`mutated: ${index} of ${size}`);
        }
        const others: [number, number, Uint8Array, Uint8Array][] = [
          [index + 1, size, leaf, root],
          [index - 1, size, leaf, root],
          [index, size, leaves[index + 1]!, root],
          [index, size, leaf, roots[size + 1]!],
          [index, size, leaf, flipped(root, 31)],
        ];
        for (const [i, n, hash, r] of others) {
          if (verifyInclusion(i, n, hash, proof, r)) throw new Error(`wrong claim: ${index} of ${size}`);
        }
      }
    }
  });

  it('proves every pair of trees consistent, and no changed proof', async () => {
    for (let size2 = 1; size2 < SIZES; size2++) {
      const root2 = roots[size2]!;
      for (let size1 = 1; size1 <= size2; size1++) {
        const root1 = roots[size1]!;
        const proof = await proveConsistency(size1, size2, tiles.read);
        if (!verifyConsistency(size1, root1, size2, root2, proof)) throw new Error(`${size1} to ${size2}`);
        for (const wrong of mutations(proof)) {
          if (verifyConsistency(size1, root1, size2, root2, wrong))
            throw new Error(`mutated: ${size1} to ${size2}`);
        }
        const others: [number, Uint8Array, number, Uint8Array][] = [
          [size1, flipped(root1, 0), size2, root2],
          [size1, root1, size2, flipped(root2, 0)],
          [size1 - 1, root1, size2, root2],
          [size1 + 1, root1, size2, root2],
          [size2, root2, size1, root1],
        ];
        for (const [n1, r1, n2, r2] of others) {
          if (n1 === n2 && n1 === size2 && size1 === size2) continue;
          if (verifyConsistency(n1, r1, n2, r2, proof)) throw new Error(`wrong claim: ${size1} to ${size2}`);
        }
      }
    }
  });

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
