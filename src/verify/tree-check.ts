// The Merkle tree of the log, rebuilt leaf by leaf: its root at every size somebody signed, and each stored tile
// compared with the one the entries give. A tile that reaches beyond the log shows that the log was cut. Partial tiles
// may go while we read, because a sealer prunes them once a wider one is there.
import {
  encodeTilePath,
  HASH_SIZE,
  rightEdgeTiles,
  sameBytes,
  TILE_WIDTH,
  type Tile,
  TileBuilder,
} from '../core/index.ts';
import { type Evidence, tileEnd } from './evidence.ts';
import type { Files } from './files.ts';
import type { Findings } from './findings.ts';

const TOGETHER = 64;
const WIDTH = /^[1-9]\d{0,2}$/;

interface Built {
  readonly tile: Tile;
  readonly bytes: Uint8Array;
}

export class TreeCheck {
  readonly #files: Files;
  readonly #findings: Findings;
  readonly #sealed: number;
  /** Stored tiles to compare besides the full ones under the newest checkpoint, by level and index. */
  readonly #listed = new Map<string, Tile[]>();
  readonly #builder = new TileBuilder((tile, bytes) => this.#built.push({ tile, bytes }));
  #built: Built[] = [];
  tiles = 0;

  constructor(files: Files, evidence: Evidence, findings: Findings) {
    this.#files = files;
    this.#findings = findings;
    this.#sealed = evidence.sealed;
    for (const tile of evidence.tiles) {
      const key = keyOf(tile);
      this.#listed.set(key, [...(this.#listed.get(key) ?? []), tile]);
    }
  }

  get size(): number {
    return this.#builder.size;
  }

  /** Adds leaves, and gives the root at each of the wanted sizes from the present one on. */
  push(leaves: Uint8Array, wanted: ReadonlySet<number>): Map<number, Uint8Array> {
    const roots = new Map<number, Uint8Array>();
    const builder = this.#builder;
    if (wanted.has(builder.size)) roots.set(builder.size, builder.root());
    for (let at = 0; at < leaves.length; at += HASH_SIZE) {
      builder.push(leaves.subarray(at, at + HASH_SIZE));
      if (wanted.has(builder.size)) roots.set(builder.size, builder.root());
    }
    return roots;
  }

  /** Compares the stored tiles with those completed since the last call. */
  async compare(): Promise<void> {
    const built = this.#built;
    this.#built = [];
    // A run of lines that are hardly any bytes gives thousands: not all can be open at once.
    for (let at = 0; at < built.length; at += TOGETHER) {
      await Promise.all(built.slice(at, at + TOGETHER).map((one) => this.#compareFull(one)));
    }
  }

  async finish(): Promise<void> {
    await this.compare();
    this.#builder.flushPartials();
    const partials = this.#built;
    for (const one of partials) await this.#comparePartials(one);
    for (const tile of [...this.#listed.values()].flat()) {
      if (tileEnd(tile) <= this.size) continue;
      const text = `the tile covers ${tileEnd(tile)} entries, but the log ends at ${this.size}`;
      this.#findings.add('TILE_BEYOND_LOG', this.size + 1, text, encodeTilePath(tile));
    }
    if (this.#sealed <= this.size) await this.#requireEdge();
  }

  async #compareFull(one: Built): Promise<void> {
    const { tile, bytes } = one;
    const path = encodeTilePath(tile);
    const stored = await this.#files.read(path, 0, bytes.length + 1);
    if (stored !== undefined) this.#same(stored, bytes, path);
    else if (tileEnd(tile) <= this.#sealed) {
      this.#findings.add('TILE_MISSING', null, `the newest checkpoint needs this tile`, path);
    }
    await this.#comparePartials(one);
  }

  /** Stored partial tiles, the stale ones too, must be a beginning of what the entries give. */
  async #comparePartials({ tile, bytes }: Built): Promise<void> {
    for (const listed of this.#listed.get(keyOf(tile)) ?? []) {
      if (listed.width > tile.width || listed.width === TILE_WIDTH) continue;
      const path = encodeTilePath(listed);
      const length = listed.width * HASH_SIZE;
      const stored = await this.#files.read(path, 0, length + 1);
      if (stored !== undefined) this.#same(stored, bytes.subarray(0, length), path);
    }
  }

  #same(stored: Uint8Array, bytes: Uint8Array, path: string): void {
    this.tiles++;
    if (sameBytes(stored, bytes)) return;
    this.#findings.add('TILE_MISMATCH', null, "the hashes don't match the entries", path);
  }

  /** The partial tiles at the right edge of the newest checkpoint, or wider ones in their place. */
  async #requireEdge(): Promise<void> {
    for (const tile of rightEdgeTiles(this.#sealed)) {
      if (tile.width === TILE_WIDTH || (await this.#isThere(tile))) continue;
      this.#findings.add('TILE_MISSING', null, 'the newest checkpoint needs this tile', encodeTilePath(tile));
    }
  }

  async #isThere(tile: Tile): Promise<boolean> {
    const full = encodeTilePath({ ...tile, width: TILE_WIDTH });
    const files = (await this.#files.list(`${full}.p`)).filter(
      ({ name, directory }) => !directory && WIDTH.test(name),
    );
    const widths = files.map(({ name }) => Number(name));
    if (widths.some((width) => width >= tile.width && width < TILE_WIDTH)) return true;
    return (await this.#files.read(full, 0, 1)) !== undefined;
  }
}

function keyOf(tile: Tile): string {
  return `${tile.level}/${tile.index}`;
}
