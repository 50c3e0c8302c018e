// Proofs for trees of given sizes, each with every small change that must not pass.
import { expect } from 'vitest';
import {
  EMPTY_ROOT,
  proveConsistency,
  proveInclusion,
  rootFromTiles,
  verifyConsistency,
  verifyInclusion,
} from '../../src/core/index.ts';
import { flipped, numberedLeaves, rootOf, tilesOf } from './tree.ts';

export const SIZES = 131;
export const leaves = numberedLeaves(SIZES);
export const roots = Array.from({ length: SIZES + 1 }, (_, size) => rootOf(leaves.slice(0, size)));
const tiles = tilesOf(
  leaves,
  Array.from({ length: SIZES + 1 }, (_, i) => i),
);

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

/** Every leaf of trees of these sizes. */
export async function proveLeaves(sizes: readonly number[]): Promise<void> {
  for (const size of sizes) {
    const root = roots[size]!;
    expect(await rootFromTiles(size, tiles.read)).toEqual(root);
    for (let index = 0; index < size; index++) {
      const leaf = leaves[index]!;
      const proof = await proveInclusion(index, size, tiles.read);
      if (!verifyInclusion(index, size, leaf, proof, root)) throw new Error(`${index} of ${size}`);
      for (const wrong of mutations(proof)) {
        if (verifyInclusion(index, size, leaf, wrong, root)) throw new Error(`mutated: ${index} of ${size}`);
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
}

/** Trees of these sizes against every tree before them. */
export async function proveTrees(sizes: readonly number[]): Promise<void> {
  for (const size2 of sizes) {
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
}
