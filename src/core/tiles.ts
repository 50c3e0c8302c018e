// The tree as files, after C2SP tlog-tiles: tile <L>/<N> holds 256 consecutive hashes of tree level 8·L, and every
// proof is computed from tiles. What `read` returns is not trusted beyond its length: a proof made from wrong tiles
// does not verify, and whoever resumes from tiles must compare the root with the signed checkpoint.
import { ParseError } from './errors.ts';
import { assertSize, CompactRange, EMPTY_ROOT, HASH_SIZE, nodeHash } from './merkle.ts';
import { subtreesBeside } from './multi-proof.ts';

export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;

/** `width` is 256 for a full tile and 1–255 for a partial one. */
export interface Tile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}

/**
 * Gives exactly `width` · 32 bytes. A store that has dropped a partial tile answers with the beginning of the wider one.
 * Rejects when it has neither; the rejection passes through to the caller.
 */
export type ReadTile = (tile: Tile) => Promise<Uint8Array>;
export type TileSink = (tile: Tile, bytes: Uint8Array) => void;

/** `tile/0/x001/x234/067`, or `tile/0/x001/x234/067.p/5` for a partial tile. */
export function encodeTilePath(tile: Tile): string {
  if (!isTile(tile)) throw new RangeError('no tree has such a tile');
  let number = String(tile.index % 1000).padStart(3, '0');
  for (let rest = Math.floor(tile.index / 1000); rest > 0; rest = Math.floor(rest / 1000)) {
    number = `x${String(rest % 1000).padStart(3, '0')}/${number}`;
  }
  const suffix = tile.width === TILE_WIDTH ? '' : `.p/${tile.width}`;
  return `tile/${tile.level}/${number}${suffix}`;
}

export function parseTilePath(path: string): Tile {
  const match = /^tile\/(0|[1-9][0-9]?)\/((?:x[0-9]{3}\/){0,5}[0-9]{3})(?:\.p\/([1-9][0-9]{0,2}))?$/.exec(
    path,
  );
  if (match === null) throw new ParseError('MALFORMED', 'not the path of a tile');
  const [, level, number, width] = match;
  const tile = {
    level: Number(level),
    index: Number(number?.replace(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  };
  // `.p/256` and needless `x000` groups match the pattern too.
  if (!isTile(tile) || encodeTilePath(tile) !== path)
    throw new ParseError('MALFORMED', 'not the path of a tile');
  return tile;
}

/** The last tile of each level of a tree of that size, lowest level first: partial, or full where the size fills it. */
export function rightEdgeTiles(size: number): Tile[] {
  assertSize(size);
  const tiles: Tile[] = [];
  for (let level = 0, count = size; count > 0; level++, count = Math.floor(count / TILE_WIDTH)) {
    tiles.push(tileOf(level, count - 1, count));
  }
  return tiles;
}

/** Every tile, full and partial, that a tree of `newSize` has and the tree of `oldSize` had not, lowest level first. */
export function tilesSince(oldSize: number, newSize: number): Tile[] {
  assertSize(oldSize);
  assertSize(newSize);
  if (oldSize > newSize) throw new RangeError('a tree only grows');
  const tiles: Tile[] = [];
  let before = oldSize;
  let count = newSize;
  for (let level = 0; count > before; level++) {
    for (let index = Math.floor(before / TILE_WIDTH); index * TILE_WIDTH < count; index++) {
      tiles.push(tileOf(level, index * TILE_WIDTH, count));
    }
    before = Math.floor(before / TILE_WIDTH);
    count = Math.floor(count / TILE_WIDTH);
  }
  return tiles;
}

/** The inclusion proof of leaf `index` in the tree of `size` leaves, from the leaf's sibling up to the root's child. */
export async function proveInclusion(index: number, size: number, read: ReadTile): Promise<Uint8Array[]> {
  assertSize(index);
  assertSize(size);
  if (index >= size) throw new RangeError('the leaf is not in the tree');
  const path: Node[][] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + largestPowerBelow(to - from);
    if (index < middle) {
      path.push(subtrees(middle, to));
      to = middle;
    } else {
      path.push(subtrees(from, middle));
      from = middle;
    }
  }
  return hashAll(path.reverse(), size, read);
}

/** One proof for many leaves of the tree of `size` leaves: see multi-proof.ts. */
export function proveMany(indexes: readonly number[], size: number, read: ReadTile): Promise<Uint8Array[]> {
  const beside = subtreesBeside(indexes, size).map(([from, to]) => subtrees(from, to));
  return hashAll(beside, size, read);
}

/** The proof that the tree of `size2` leaves begins with the tree of `size1` leaves; empty when they are the same. */
export async function proveConsistency(size1: number, size2: number, read: ReadTile): Promise<Uint8Array[]> {
  assertSize(size1);
  assertSize(size2);
  if (size1 === 0 || size1 > size2) throw new RangeError('nothing proves that');
  const path: Node[][] = [];
  let from = 0;
  let to = size2;
  while (size1 !== to) {
    const middle = from + largestPowerBelow(to - from);
    if (size1 <= middle) {
      path.push(subtrees(middle, to));
      to = middle;
    } else {
      path.push(subtrees(from, middle));
      from = middle;
    }
  }
  if (from > 0) path.push(subtrees(from, to));
  return hashAll(path.reverse(), size2, read);
}

export async function rootFromTiles(size: number, read: ReadTile): Promise<Uint8Array> {
  assertSize(size);
  const [root] = size === 0 ? [] : await hashAll([subtrees(0, size)], size, read);
  return root ?? EMPTY_ROOT.slice();
}

/** Builds the tiles of a tree leaf by leaf; full tiles go to the sink as they complete, with bytes of their own. */
export class TileBuilder {
  readonly #sink: TileSink;
  readonly #tiles: Uint8Array[] = [];
  /** Hashes at each tile level, and how many of them have been given to the sink or were read at resume. */
  readonly #counts: number[] = [];
  readonly #emitted: number[] = [];
  #range = new CompactRange((level, index, hash) => this.#add(level, index, hash));

  constructor(sink: TileSink) {
    this.#sink = sink;
  }

  /** Goes on from a tree whose tiles are stored. The caller compares root() with the checkpoint before relying on it. */
  static async resume(size: number, read: ReadTile, sink: TileSink): Promise<TileBuilder> {
    const builder = new TileBuilder(sink);
    const edge = rightEdgeTiles(size);
    const partial = edge.filter((tile) => tile.width < TILE_WIDTH);
    const bytes = await readAll(partial, read);
    for (const tile of edge) {
      const buffer = new Uint8Array(TILE_WIDTH * HASH_SIZE);
      buffer.set(bytes.get(tileKey(tile)) ?? []);
      builder.#tiles.push(buffer);
      builder.#counts.push(tile.index * TILE_WIDTH + tile.width);
      builder.#emitted.push(tile.index * TILE_WIDTH + tile.width);
    }
    const hashes = subtrees(0, size).map((node) => nodeFromTiles(node, size, bytes));
    builder.#range = CompactRange.from(size, hashes, (level, index, hash) =>
      builder.#add(level, index, hash),
    );
    return builder;
  }

  get size(): number {
    return this.#range.size;
  }

  push(leafHash: Uint8Array): void {
    this.#range.push(leafHash);
  }

  root(): Uint8Array {
    return this.#range.root();
  }

  /** Gives the sink the partial tiles that have grown since the last flush (or resume), lowest level first. */
  flushPartials(): void {
    for (let level = 0; level < this.#counts.length; level++) {
      const count = this.#counts[level] ?? 0;
      if (count % TILE_WIDTH === 0 || count === this.#emitted[level]) continue;
      this.#emit(level, count);
    }
  }

  #add(level: number, index: number, hash: Uint8Array): void {
    if (level % TILE_HEIGHT !== 0) return;
    const tileLevel = level / TILE_HEIGHT;
    let tile = this.#tiles[tileLevel];
    if (tile === undefined) {
      tile = new Uint8Array(TILE_WIDTH * HASH_SIZE);
      this.#tiles[tileLevel] = tile;
    }
    const slot = index % TILE_WIDTH;
    tile.set(hash, slot * HASH_SIZE);
    this.#counts[tileLevel] = index + 1;
    if (slot === TILE_WIDTH - 1) this.#emit(tileLevel, index + 1);
  }

  #emit(level: number, count: number): void {
    const tile = tileOf(level, count - 1, count);
    this.#emitted[level] = count;
    this.#sink(tile, (this.#tiles[level] ?? new Uint8Array(0)).slice(0, tile.width * HASH_SIZE));
  }
}

/** A complete subtree: `index` counts the subtrees of its level from the left. */
interface Node {
  readonly level: number;
  readonly index: number;
}

/** The complete subtrees that leaves from..to consist of, left to right. `from` is a multiple of each one's width. */
function subtrees(from: number, to: number): Node[] {
  const nodes: Node[] = [];
  let start = from;
  while (start < to) {
    let level = 0;
    let width = 1;
    while (start + 2 * width <= to) {
      level++;
      width *= 2;
    }
    nodes.push({ level, index: start / width });
    start += width;
  }
  return nodes;
}

function largestPowerBelow(n: number): number {
  let power = 1;
  while (2 * power < n) power *= 2;
  return power;
}

/** The hash of each run of subtrees; every tile is read once, all of them together. */
async function hashAll(runs: readonly Node[][], size: number, read: ReadTile): Promise<Uint8Array[]> {
  const tiles = runs.flat().map((node) => tileOfNode(node, size));
  const bytes = await readAll(tiles, read);
  return runs.map((run) =>
    run.map((node) => nodeFromTiles(node, size, bytes)).reduceRight((right, left) => nodeHash(left, right)),
  );
}

async function readAll(tiles: readonly Tile[], read: ReadTile): Promise<Map<string, Uint8Array>> {
  const wanted = new Map(tiles.map((tile) => [tileKey(tile), tile]));
  const read1 = async ([key, tile]: [string, Tile]): Promise<[string, Uint8Array]> => {
    const bytes = await read(tile);
    if (bytes.length !== tile.width * HASH_SIZE) {
      throw new ParseError(
        'MALFORMED',
        `${bytes.length} bytes in a tile of ${tile.width} hashes`,
        encodeTilePath(tile),
      );
    }
    return [key, bytes];
  };
  return new Map(await Promise.all([...wanted].map(read1)));
}

function tileKey(tile: Tile): string {
  return `${tile.level}/${tile.index}`;
}

/** The tile that holds hash number `index` of a level which has `count` of them. */
function tileOf(level: number, index: number, count: number): Tile {
  const tile = Math.floor(index / TILE_WIDTH);
  return { level, index: tile, width: Math.min(TILE_WIDTH, count - tile * TILE_WIDTH) };
}

/** Where a node's hashes begin in its tile level, and how many of them it spans. */
function spanOf(node: Node): { level: number; start: number; width: number } {
  const width = 2 ** (node.level % TILE_HEIGHT);
  return { level: Math.floor(node.level / TILE_HEIGHT), start: node.index * width, width };
}

function tileOfNode(node: Node, size: number): Tile {
  const { level, start } = spanOf(node);
  return tileOf(level, start, Math.floor(size / TILE_WIDTH ** level));
}

function nodeFromTiles(node: Node, size: number, bytes: ReadonlyMap<string, Uint8Array>): Uint8Array {
  const { start, width } = spanOf(node);
  const tile = bytes.get(tileKey(tileOfNode(node, size)));
  if (tile === undefined) throw new RangeError('the tile was not read');
  const offset = (start % TILE_WIDTH) * HASH_SIZE;
  if (width === 1) return tile.slice(offset, offset + HASH_SIZE);
  const range = new CompactRange();
  for (let i = 0; i < width; i++) {
    range.push(tile.subarray(offset + i * HASH_SIZE, offset + (i + 1) * HASH_SIZE));
  }
  return range.root();
}

function isTile({ level, index, width }: Tile): boolean {
  if (![level, index, width].every(Number.isSafeInteger) || level < 0 || index < 0) return false;
  // Its first hash must lie in a tree whose size is a safe integer; that also bounds the level.
  return (
    width >= 1 &&
    width <= TILE_WIDTH &&
    (index * TILE_WIDTH + width) * TILE_WIDTH ** level <= Number.MAX_SAFE_INTEGER
  );
}
