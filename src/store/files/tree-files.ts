// Tiles and checkpoints as files, in the layout of C2SP tlog-tiles. All derived from the lines: a verifier recomputes
// them, and what is lost can be rebuilt.
import { dirname, join } from 'node:path';
import {
  encodeTilePath,
  openCheckpoint,
  rightEdgeTiles,
  StoreError,
  sameBytes,
  TILE_WIDTH,
  type Tile,
} from '../../core/index.ts';
import {
  CHECKPOINT_DIR,
  CHECKPOINT_FILE,
  encodeCheckpointName,
  parseCheckpointName,
} from '../../format/index.ts';
import { hasCode, storeError } from './failure.ts';
import type { Fs } from './fs.ts';
import { makeDirectories, readWhole, writeDurably } from './whole-file.ts';

const TOGETHER = 32;

export class TreeFiles {
  readonly #directory: string;
  readonly #fs: Fs;

  constructor(directory: string, fs: Fs) {
    this.#directory = directory;
    this.#fs = fs;
  }

  readTile(tile: Tile): Uint8Array | undefined {
    const exact = readWhole(this.#fs, this.#tilePath(tile));
    if (exact !== undefined || tile.width === TILE_WIDTH) return exact;
    // The full tile or a wider partial one begins with the one asked for.
    const full = readWhole(this.#fs, this.#tilePath({ ...tile, width: TILE_WIDTH }));
    return (full ?? this.#widestPartial(tile))?.slice(0, tile.width * 32);
  }

  async writeTiles(tiles: readonly { readonly tile: Tile; readonly bytes: Uint8Array }[]): Promise<void> {
    const fresh = tiles.filter(({ tile, bytes }) => !this.#isThere(tile, bytes));
    // Also of those that are there: their names may not be durable yet.
    const directories = new Set(tiles.map(({ tile }) => dirname(this.#tilePath(tile))));
    for (const directory of directories) await makeDirectories(this.#fs, directory);
    // Together, because the file system can then sync many in one go.
    for (let i = 0; i < fresh.length; i += TOGETHER) {
      const write = ({ tile, bytes }: { tile: Tile; bytes: Uint8Array }): Promise<void> =>
        writeDurably(this.#fs, this.#tilePath(tile), bytes, { syncDirectory: false });
      await Promise.all(fresh.slice(i, i + TOGETHER).map(write));
    }
    for (const directory of directories) await this.#fs.syncDirectory(directory);
  }

  #isThere(tile: Tile, bytes: Uint8Array): boolean {
    const present = readWhole(this.#fs, this.#tilePath(tile));
    if (present === undefined || sameBytes(present, bytes)) return present !== undefined;
    const path = this.#tilePath(tile);
    throw new StoreError(
      'DAMAGED',
      `${path} doesn't match the entries. Run \`foil verify\`, then \`foil recover\`.`,
    );
  }

  /**
   * The copy of the newest; where that is gone or was put back to an older one, the newest of all: what was signed once
   * must not be forgotten, or something else could be signed in its place.
   */
  readCheckpoint(): Uint8Array | undefined {
    try {
      const copy = readWhole(this.#fs, join(this.#directory, CHECKPOINT_FILE));
      const copySize = copy === undefined ? 0 : sizeOf(copy);
      if (copy !== undefined && copySize === 0) return copy; // damaged, which the caller has words for
      const directory = join(this.#directory, CHECKPOINT_DIR);
      const names = this.#fs.list(directory).map(({ name }) => name);
      const newest = names.filter(isCheckpointName).sort().at(-1);
      if (newest === undefined || parseCheckpointName(newest) <= copySize) return copy;
      return readWhole(this.#fs, join(directory, newest)) ?? copy;
    } catch (error) {
      throw storeError(error, 'read the checkpoint of', this.#directory);
    }
  }

  async writeCheckpoint(size: number, note: Uint8Array): Promise<void> {
    const before = this.readCheckpoint();
    await writeDurably(this.#fs, join(this.#directory, CHECKPOINT_DIR, encodeCheckpointName(size)), note);
    await writeDurably(this.#fs, join(this.#directory, CHECKPOINT_FILE), note);
    if (before !== undefined) this.#removeSuperseded(sizeOf(before), size);
  }

  /** Puts back a tile that is missing or is not what its entries give. */
  async restoreTile(tile: Tile, bytes: Uint8Array): Promise<void> {
    await makeDirectories(this.#fs, dirname(this.#tilePath(tile)));
    await writeDurably(this.#fs, this.#tilePath(tile), bytes);
  }

  /** Every checkpoint there is, the newest last, with the name it is kept under. */
  checkpoints(): { name: string; note: Uint8Array }[] {
    const names = this.#fs.list(join(this.#directory, CHECKPOINT_DIR)).map(({ name }) => name);
    const kept = names.filter(isCheckpointName).sort();
    return [...kept.map((name) => `${CHECKPOINT_DIR}/${name}`), CHECKPOINT_FILE].flatMap((name) => {
      const note = readWhole(this.#fs, join(this.#directory, name));
      return note === undefined ? [] : [{ name, note }];
    });
  }

  /** A checkpoint that is none: kept for people to look at, under a name that is nobody's evidence. */
  async setAside(name: string): Promise<void> {
    const path = join(this.#directory, name);
    this.#fs.rename(path, `${path}.damaged`);
    await this.#fs.syncDirectory(dirname(path));
  }

  /** Partial tiles of the tree before that the tree now has wider or full. Losing one is no harm, so no sync. */
  #removeSuperseded(before: number, now: number): void {
    const needed = new Set(rightEdgeTiles(now).map(encodeTilePath));
    for (const tile of rightEdgeTiles(before)) {
      if (tile.width === TILE_WIDTH || needed.has(encodeTilePath(tile))) continue;
      try {
        this.#fs.remove(this.#tilePath(tile));
        this.#fs.removeDirectory(dirname(this.#tilePath(tile)));
      } catch {
        // Gone already, or its folder holds a wider one.
      }
    }
  }

  #widestPartial(tile: Tile): Uint8Array | undefined {
    const directory = dirname(this.#tilePath(tile));
    try {
      const widths = this.#fs.list(directory).map(({ name }) => Number(name));
      const widest = Math.max(...widths.filter((width) => width > tile.width && width < TILE_WIDTH));
      return readWhole(this.#fs, join(directory, String(widest)));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw storeError(error, 'read', directory);
    }
  }

  #tilePath(tile: Tile): string {
    return join(this.#directory, encodeTilePath(tile));
  }
}

function isCheckpointName(name: string): boolean {
  try {
    return parseCheckpointName(name) > 0;
  } catch {
    return false;
  }
}

function sizeOf(note: Uint8Array): number {
  try {
    return openCheckpoint(note).checkpoint.size;
  } catch {
    return 0;
  }
}
