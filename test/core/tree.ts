// Trees to test with: RFC 6962's own definition, written as it stands there, and tiles kept in memory.
import { createHash } from 'node:crypto';
import { encodeTilePath, leafHash, type ReadTile, TileBuilder } from '../../src/core/index.ts';

export function sha256Of(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

/** MTH(D[n]) of RFC 6962 section 2.1, over leaf hashes. */
export function rootOf(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256Of();
  if (leaves.length === 1) return leaves[0]!;
  let k = 1;
  while (2 * k < leaves.length) k *= 2;
  return sha256Of(Uint8Array.of(1), rootOf(leaves.slice(0, k)), rootOf(leaves.slice(k)));
}

export function numberedLeaves(count: number): Uint8Array[] {
  return Array.from({ length: count }, (_, i) => leafHash(new TextEncoder().encode(`leaf ${i}`)));
}

export class MemoryTiles {
  readonly files = new Map<string, Uint8Array>();
  readonly reads: string[] = [];

  readonly sink = (tile: Parameters<typeof encodeTilePath>[0], bytes: Uint8Array): void => {
    this.files.set(encodeTilePath(tile), bytes);
  };

  readonly read: ReadTile = async (tile) => {
    const path = encodeTilePath(tile);
    this.reads.push(path);
    const bytes = this.files.get(path);
    if (bytes === undefined) throw new Error(`no ${path}`);
    return bytes;
  };
}

/** Tiles of the leaves, with the partial tiles of every size in `checkpoints` (by default the whole). */
export function tilesOf(leaves: readonly Uint8Array[], checkpoints = [leaves.length]): MemoryTiles {
  const tiles = new MemoryTiles();
  const builder = new TileBuilder(tiles.sink);
  if (checkpoints.includes(0)) builder.flushPartials();
  for (const leaf of leaves) {
    builder.push(leaf);
    if (checkpoints.includes(builder.size)) builder.flushPartials();
  }
  return tiles;
}

export function flipped(bytes: Uint8Array, at: number, mask = 1): Uint8Array {
  const copy = bytes.slice();
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}
