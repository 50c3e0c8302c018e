// One proof for many leaves, against the tree built leaf by leaf.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  CompactRange,
  encodeTilePath,
  leafHash,
  proveMany,
  rootOfMany,
  subtreesBeside,
  TileBuilder,
} from '../../src/core/index.ts';

const leaf = (index: number): Uint8Array => leafHash(Uint8Array.of(index >> 8, index & 255));

function rootOf(from: number, to: number): Uint8Array {
  const range = new CompactRange();
  for (let index = from; index < to; index++) range.push(leaf(index));
  return range.root();
}

/** From the tiles of the tree, as a ledger keeps them. */
async function prove(indexes: readonly number[], size: number): Promise<Uint8Array[]> {
  const tiles = new Map<string, Uint8Array>();
  const builder = new TileBuilder((tile, bytes) => void tiles.set(encodeTilePath(tile), bytes));
  for (let index = 0; index < size; index++) builder.push(leaf(index));
  builder.flushPartials();
  return proveMany(indexes, size, async (tile) => tiles.get(encodeTilePath(tile)) ?? new Uint8Array(0));
}

const chosen = fc
  .integer({ min: 1, max: 600 })
  .chain((size) =>
    fc
      .uniqueArray(fc.integer({ min: 0, max: size - 1 }), { minLength: 1 })
      .map((indexes) => ({ size, indexes: indexes.sort((a, b) => a - b) })),
  );

describe('a proof of many leaves', () => {
  it('leads to the root of the tree', async () => {
    await fc.assert(
      fc.asyncProperty(chosen, async ({ size, indexes }) => {
        const proof = await prove(indexes, size);
        expect(proof).toEqual(subtreesBeside(indexes, size).map(([from, to]) => rootOf(from, to)));
        expect(rootOfMany(indexes, indexes.map(leaf), size, proof)).toEqual(rootOf(0, size));
      }),
    );
  });

  it('does not where anything of it is changed, left out or added', async () => {
    await fc.assert(
      fc.asyncProperty(chosen, fc.nat(), async ({ size, indexes }, nat) => {
        const proof = await prove(indexes, size);
        const leaves = indexes.map(leaf);
        const root = rootOf(0, size);
        const at = nat % leaves.length;
        const others: (Uint8Array | undefined)[] = [
          rootOfMany(indexes, leaves.with(at, leaf(9999)), size, proof),
          rootOfMany(indexes.slice(1), leaves.slice(1), size, proof),
          rootOfMany(indexes, leaves, size, [...proof, leaf(0)]),
          rootOfMany([...indexes, size], [...leaves, leaf(size)], size, proof),
          proof.length === 0 ? undefined : rootOfMany(indexes, leaves, size, proof.slice(1)),
          proof.length === 0 ? undefined : rootOfMany(indexes, leaves, size, proof.with(0, leaf(9999))),
        ];
        for (const other of others) expect(other).not.toEqual(root);
      }),
    );
  });

  it('never throws', () => {
    const odd = [Number.NaN, -1, 1.5, Number.MAX_SAFE_INTEGER];
    for (const index of odd) expect(rootOfMany([index], [leaf(0)], 4, [])).toBeUndefined();
    for (const size of odd) expect(rootOfMany([0], [leaf(0)], size, [])).toBeUndefined();
    expect(rootOfMany([0, 0], [leaf(0), leaf(0)], 2, [])).toBeUndefined();
    expect(rootOfMany([1, 0], [leaf(1), leaf(0)], 2, [])).toBeUndefined();
    expect(rootOfMany([0], [new Uint8Array(31)], 2, [leaf(1)])).toBeUndefined();
    expect(rootOfMany([], [], 0, [])).toBeUndefined();
  });

  it('of leaves side by side is short', async () => {
    const indexes = Array.from({ length: 100 }, (_, i) => 50 + i);
    expect((await prove(indexes, 200)).length).toBeLessThanOrEqual(16);
    expect(await prove(indexes.slice(0, 0), 200)).toEqual([rootOf(0, 200)]);
  });
});
