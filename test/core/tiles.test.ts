import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeHex,
  encodeTilePath,
  leafHash,
  nodeHash,
  ParseError,
  parseTilePath,
  proveConsistency,
  proveInclusion,
  type ReadTile,
  rightEdgeTiles,
  rootFromTiles,
  type Tile,
  TileBuilder,
  tilesSince,
  verifyConsistency,
  verifyInclusion,
} from '../../src/core/index.ts';
import { flipped, MemoryTiles, numberedLeaves, rootOf, tilesOf } from './tree.ts';

/** Bytes one by one take a comparison a hundred times as long. */
const inHex = ({ files }: MemoryTiles): [string, string][] =>
  [...files].map(([path, bytes]) => [path, encodeHex(bytes)]);

describe('tile paths', () => {
  it.each([
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 0, index: 999, width: 256 }, 'tile/0/999'],
    [{ level: 0, index: 1000, width: 256 }, 'tile/0/x001/000'],
    [{ level: 0, index: 1234067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 3, index: 1234067, width: 5 }, 'tile/3/x001/x234/067.p/5'],
    [{ level: 6, index: 0, width: 31 }, 'tile/6/000.p/31'],
    [{ level: 0, index: 2 ** 45 - 1, width: 255 }, 'tile/0/x035/x184/x372/x088/831.p/255'],
  ])('writes %j as %s and reads it back', (tile, path) => {
    expect(encodeTilePath(tile)).toBe(path);
    expect(parseTilePath(path)).toEqual(tile);
  });

  it.each([
    '',
    'tile/0/',
    'tile/0/00',
    'tile/0/0000',
    'tile/00/000',
    'tile/-1/000',
    'tile/7/000',
    'tile/63/000',
    'tile/x/000',
    'tile/0/x000/000',
    'tile/0/001/000',
    'tile/0/x001/x000',
    'tile/0/000.p/0',
    'tile/0/000.p/05',
    'tile/0/000.p/256',
    'tile/0/000.p/',
    'tile/0/000.p',
    'tile/0/000.p/1/',
    'tile/0/000\n',
    '/tile/0/000',
    'tile/0/../000',
    'tile/entries/000',
    'tile/0/x035/x184/x372/x088/831',
    'tile/0/x999/x999/x999/x999/x999/999',
    'tile/0/٠٠٠',
  ])('refuses %j', (path) => {
    expect(() => parseTilePath(path)).toThrow(ParseError);
  });

  it('gives back any tile, and throws nothing but ParseError', () => {
    const tile = fc.record({
      level: fc.nat(4),
      index: fc.nat(1000),
      width: fc.integer({ min: 1, max: 256 }),
    });
    fc.assert(
      fc.property(tile, (t) => {
        expect(parseTilePath(encodeTilePath(t))).toEqual(t);
      }),
    );
    const text = fc.oneof(fc.string(), fc.stringMatching(/^tile\/[0-9x/]{1,12}(\.p\/[0-9]{1,4})?$/));
    fc.assert(
      fc.property(text, (path) => {
        try {
          expect(encodeTilePath(parseTilePath(path))).toBe(path);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
    for (const wrong of [
      { level: 0, index: -1, width: 1 },
      { level: 0, index: 0, width: 0 },
      { level: 0, index: 0, width: 257 },
      { level: 7, index: 0, width: 1 },
      { level: 0.5, index: 0, width: 1 },
    ]) {
      expect(() => encodeTilePath(wrong)).toThrow(RangeError);
    }
  });
});

describe('which tiles a tree has', () => {
  it('names the last tile of every level', () => {
    const paths = (size: number) => rightEdgeTiles(size).map(encodeTilePath);
    expect(paths(0)).toEqual([]);
    expect(paths(1)).toEqual(['tile/0/000.p/1']);
    expect(paths(255)).toEqual(['tile/0/000.p/255']);
    expect(paths(256)).toEqual(['tile/0/000', 'tile/1/000.p/1']);
    expect(paths(257)).toEqual(['tile/0/001.p/1', 'tile/1/000.p/1']);
    expect(paths(65_536)).toEqual(['tile/0/255', 'tile/1/000', 'tile/2/000.p/1']);
    // The example of C2SP tlog-tiles.
    expect(paths(70_000)).toEqual(['tile/0/273.p/112', 'tile/1/001.p/17', 'tile/2/000.p/1']);
  });

  it('names what a seal has to write', () => {
    const paths = (from: number, to: number) => tilesSince(from, to).map(encodeTilePath);
    expect(paths(0, 0)).toEqual([]);
    expect(paths(5, 5)).toEqual([]);
    expect(paths(5, 9)).toEqual(['tile/0/000.p/9']);
    expect(paths(250, 260)).toEqual(['tile/0/000', 'tile/0/001.p/4', 'tile/1/000.p/1']);
    expect(paths(256, 260)).toEqual(['tile/0/001.p/4']);
    expect(paths(256, 512)).toEqual(['tile/0/001', 'tile/1/000.p/2']);
    expect(tilesSince(0, 70_000)).toHaveLength(273 + 1 + 1 + 1 + 1);
    expect(() => tilesSince(2, 1)).toThrow(RangeError);
  });
});

const LEAVES = 65_540;
const leaves = numberedLeaves(LEAVES);
const EDGES = [0, 1, 2, 255, 256, 257, 511, 512, 513, 4096, 65_535, 65_536, 65_537, LEAVES];
const tiles = tilesOf(leaves, EDGES);
const roots = new Map(EDGES.map((size) => [size, rootOf(leaves.slice(0, size))]));

describe('TileBuilder', () => {
  it.each(EDGES.slice(1).map((to, i) => [EDGES[i] ?? 0, to]))(
    'from %i to %i writes what tilesSince names',
    async (from, to) => {
      const written: string[] = [];
      const builder = await TileBuilder.resume(from, tiles.read, (tile, bytes) => {
        written.push(encodeTilePath(tile));
        expect(bytes).toHaveLength(tile.width * 32);
        expect(Buffer.from(bytes).equals(tiles.files.get(encodeTilePath(tile)) ?? new Uint8Array())).toBe(
          true,
        );
      });
      expect(builder.size).toBe(from);
      expect(builder.root()).toEqual(await rootFromTiles(from, tiles.read));
      for (const leaf of leaves.slice(from, to)) builder.push(leaf);
      builder.flushPartials();
      expect(written.sort()).toEqual(tilesSince(from, to).map(encodeTilePath).sort());
      expect(builder.root()).toEqual(roots.get(to));
      builder.flushPartials();
      expect(written).toHaveLength(tilesSince(from, to).length);
    },
  );

  it('resumes at any size to the same tiles and root', async () => {
    const sizes = fc
      .tuple(fc.nat(1200), fc.nat(1200))
      .map(([a, b]) => (a < b ? [a, b] : [b, a]) as [number, number]);
    await fc.assert(
      fc.asyncProperty(sizes, async ([from, to]) => {
        const whole = tilesOf(leaves.slice(0, to), [from, to]);
        const again = tilesOf(leaves.slice(0, from), [from]);
        const builder = await TileBuilder.resume(from, again.read, again.sink);
        for (const leaf of leaves.slice(from, to)) builder.push(leaf);
        builder.flushPartials();
        expect(new Map(inHex(again))).toEqual(new Map(inHex(whole)));
        expect(builder.root()).toEqual(rootOf(leaves.slice(0, to)));
      }),
      { numRuns: 40 },
    );
  });

  it('gives the sink bytes that later leaves do not change', () => {
    const kept: Uint8Array[] = [];
    const builder = new TileBuilder((_, bytes) => kept.push(bytes));
    builder.push(leaves[0]!);
    builder.flushPartials();
    const before = kept[0]!.slice();
    for (const leaf of leaves.slice(1, 600)) builder.push(leaf);
    expect(kept[0]).toEqual(before);
    expect(kept[1]).toEqual(new Uint8Array(Buffer.concat(leaves.slice(0, 256))));
  });

  it('does not resume from a tile of the wrong length, and shows a changed one in the root', async () => {
    const short: ReadTile = async (tile) => (await tiles.read(tile)).subarray(32);
    await expect(TileBuilder.resume(257, short, () => {})).rejects.toThrow(ParseError);
    await expect(rootFromTiles(257, short)).rejects.toThrow(ParseError);
    const changed: ReadTile = async (tile) => flipped(await tiles.read(tile), 5);
    expect((await TileBuilder.resume(257, changed, () => {})).root()).not.toEqual(
      rootOf(leaves.slice(0, 257)),
    );
  });
});

describe('proofs from tiles', () => {
  it('proves at the edges of tiles, reading each tile once', async () => {
    for (const size of EDGES.slice(1)) {
      const root = roots.get(size)!;
      for (const index of new Set([0, 1, 254, 255, 256, 257, size - 2, size - 1, Math.floor(size / 2)])) {
        if (index < 0 || index >= size) continue;
        tiles.reads.length = 0;
        const proof = await proveInclusion(index, size, tiles.read);
        expect(new Set(tiles.reads).size).toBe(tiles.reads.length);
        expect(verifyInclusion(index, size, leaves[index]!, proof, root)).toBe(true);
        expect(verifyInclusion(index, size, leaves[(index + 1) % LEAVES]!, proof, root)).toBe(false);
      }
      for (const size1 of EDGES.filter((edge) => edge > 0 && edge <= size)) {
        tiles.reads.length = 0;
        const proof = await proveConsistency(size1, size, tiles.read);
        expect(new Set(tiles.reads).size).toBe(tiles.reads.length);
        const root1 = roots.get(size1)!;
        expect(verifyConsistency(size1, root1, size, root, proof)).toBe(true);
        expect(verifyConsistency(size1, flipped(root1, 3), size, root, proof)).toBe(false);
      }
    }
  });

  it('passes on what the store says about a missing tile', async () => {
    await expect(proveInclusion(0, 10, new MemoryTiles().read)).rejects.toThrow('no tile/0/000.p/10');
  });

  it('refuses claims that no tree can keep', async () => {
    await expect(proveInclusion(10, 10, tiles.read)).rejects.toThrow(RangeError);
    await expect(proveInclusion(-1, 10, tiles.read)).rejects.toThrow(RangeError);
    await expect(proveConsistency(0, 10, tiles.read)).rejects.toThrow(RangeError);
    await expect(proveConsistency(11, 10, tiles.read)).rejects.toThrow(RangeError);
    expect(await proveConsistency(10, 10, tiles.read)).toEqual([]);
  });
});

// Trees too large to build: every leaf is the same but one. The arithmetic here is BigInt throughout, so that it shares
// nothing with the code under test.
describe('sizes above 2^32', () => {
  const common = [leafHash(new TextEncoder().encode('common'))];
  const special = leafHash(new TextEncoder().encode('special'));
  for (let level = 1; level <= 53; level++) common.push(nodeHash(common[level - 1]!, common[level - 1]!));

  /** The hash of subtree `index` of a level, in the tree whose leaf `odd` is the special one. */
  function node(level: number, index: bigint, odd: bigint): Uint8Array {
    if (odd >> BigInt(level) !== index) return common[level]!;
    if (level === 0) return special;
    return nodeHash(node(level - 1, 2n * index, odd), node(level - 1, 2n * index + 1n, odd));
  }

  function treeRoot(from: bigint, to: bigint, odd: bigint): Uint8Array {
    let level = 0;
    while (1n << BigInt(level + 1) < to - from) level++;
    const k = 1n << BigInt(level);
    if (to - from === 1n) return node(0, from, odd);
    if (to - from === 2n * k) return node(level + 1, from / (2n * k), odd);
    return nodeHash(node(level, from / k, odd), treeRoot(from + k, to, odd));
  }

  const readTile =
    (odd: bigint): ReadTile =>
    async ({ level, index, width }: Tile) => {
      const bytes = new Uint8Array(width * 32);
      for (let i = 0; i < width; i++)
        bytes.set(node(8 * level, BigInt(index) * 256n + BigInt(i), odd), 32 * i);
      return bytes;
    };

  const cases: [number, number][] = [
    [2 ** 32 - 1, 2 ** 32],
    [2 ** 32, 2 ** 32 + 1],
    [2 ** 31, 2 ** 33 + 12_345],
    [2 ** 40 + 7, 2 ** 41 - 1],
    [0, 2 ** 53 - 1],
    [2 ** 53 - 2, 2 ** 53 - 1],
    [2 ** 52 + 2 ** 31 + 1, 2 ** 53 - 1],
  ];

  it.each(cases)('proves leaf %i of %i', async (index, size) => {
    const odd = BigInt(index);
    const root = treeRoot(0n, BigInt(size), odd);
    expect(await rootFromTiles(size, readTile(odd))).toEqual(root);
    const proof = await proveInclusion(index, size, readTile(odd));
    expect(verifyInclusion(index, size, special, proof, root)).toBe(true);
    expect(verifyInclusion(index, size, common[0]!, proof, root)).toBe(false);
    const neighbour = index > 0 ? index - 1 : 1;
    expect(verifyInclusion(neighbour, size, special, proof, root)).toBe(false);
    for (let i = 0; i < proof.length; i++) {
      const wrong = proof.map((hash, j) => (i === j ? flipped(hash, i % 32) : hash));
      expect(verifyInclusion(index, size, special, wrong, root)).toBe(false);
    }
  });

  it.each([...cases.slice(0, 4), [1, 2 ** 53 - 1], [2 ** 52, 2 ** 53 - 1], [2 ** 53 - 2, 2 ** 53 - 1]])(
    'proves %i consistent with %i',
    async (size1, size2) => {
      const odd = BigInt(size1 - 1);
      const proof = await proveConsistency(size1, size2, readTile(odd));
      const root1 = treeRoot(0n, BigInt(size1), odd);
      const root2 = treeRoot(0n, BigInt(size2), odd);
      expect(verifyConsistency(size1, root1, size2, root2, proof)).toBe(true);
      expect(verifyConsistency(size1, treeRoot(0n, BigInt(size1), odd - 1n), size2, root2, proof)).toBe(
        false,
      );
      expect(verifyConsistency(size1, root1, size2, treeRoot(0n, BigInt(size2), odd + 1n), proof)).toBe(
        false,
      );
    },
  );

  it('builds on from there, with tile paths to match', async () => {
    const size = 2 ** 40 + 255;
    const odd = BigInt(size);
    const written: string[] = [];
    const builder = await TileBuilder.resume(size, readTile(odd), (tile) =>
      written.push(encodeTilePath(tile)),
    );
    builder.push(special);
    builder.push(common[0]!);
    builder.flushPartials();
    expect(builder.size).toBe(size + 2);
    expect(builder.root()).toEqual(treeRoot(0n, odd + 2n, odd));
    expect(written.sort()).toEqual(
      tilesSince(size, size + 2)
        .map(encodeTilePath)
        .sort(),
    );
    expect(written).toContain('tile/0/x004/x294/x967/296');
    for (const path of written) expect(encodeTilePath(parseTilePath(path))).toBe(path);
  });
});
