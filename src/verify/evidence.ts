// What lies in a ledger's directory, before anything is believed of it: segments, checkpoints, head and tiles by
// name. It is read in an order that lets a ledger grow meanwhile: what must be covered by the log (checkpoints, head,
// tiles) is read before the log is.
import {
  MAX_NOTE_BYTES,
  openCheckpoint,
  ParseError,
  parseTilePath,
  TILE_WIDTH,
  type Tile,
} from '../core/index.ts';
import {
  CHECKPOINT_DIR,
  CHECKPOINT_FILE,
  compareSegments,
  encodeSegmentName,
  HEAD_FILE,
  HEAD_SIZE,
  type Position,
  parseCheckpointName,
  parseHead,
  parseSegmentName,
  parseStampName,
  SEGMENT_DIR,
  STAMP_DIR,
  TILE_DIR,
} from '../format/index.ts';
import type { Files } from './files.ts';

/** A segment in one or both of its forms. */
export interface SegmentFile {
  /** Without `.gz`. */
  readonly name: string;
  /** Of the plain form, with its directory. */
  readonly path: string;
  readonly first: number;
  readonly part: number;
  readonly plain: boolean;
  readonly gzipped: boolean;
}

export type HeadEvidence =
  | { readonly state: 'good'; readonly position: Position }
  | { readonly state: 'missing' }
  | { readonly state: 'damaged'; readonly reason: string };

export interface Evidence {
  readonly segments: readonly SegmentFile[];
  readonly head: HeadEvidence;
  /** The newest checkpoint's own file, as it was at the beginning. */
  readonly checkpoint: Uint8Array | undefined;
  /** Sizes in checkpoints/, rising. */
  readonly checkpoints: readonly number[];
  /** The largest size that any checkpoint claims; 0 for none. */
  readonly sealed: number;
  /** Sizes that stamps/ has a proof of, rising. */
  readonly stamps: readonly number[];
  /** Partial tiles, and full ones that reach beyond `sealed`. The other full ones are read when their turn comes. */
  readonly tiles: readonly Tile[];
  /** Files in the ledger's own folders whose names are none of theirs, as far as they are counted. */
  readonly unknown: readonly string[];
  /** Folders with the name of a gzipped segment: a reader could take them for one. */
  readonly folders: readonly string[];
}

/** Enough to tell a person of. */
const MAX_UNKNOWN = 32;
/** What our own writers leave behind, or put aside: half-written files, locks, bytes of a first entry that was cut short. */
const OWN_LEFTOVER = /(?:\.tmp|\.torn|\.damaged)$|^lock(?:\.\d)?$/;

export async function readEvidence(files: Files): Promise<Evidence> {
  const unknown: string[] = [];
  const stranger = (path: string): void => {
    if (unknown.length < MAX_UNKNOWN && !OWN_LEFTOVER.test(path.slice(path.lastIndexOf('/') + 1)))
      unknown.push(path);
  };
  const stamps = await stampSizes(files, stranger); // before the checkpoints that they are of
  const checkpoint = await files.read(CHECKPOINT_FILE, 0, MAX_NOTE_BYTES + 1);
  const checkpoints = await checkpointSizes(files, stranger);
  const head = await readHead(files);
  const sealed = Math.max(0, checkpoints.at(-1) ?? 0, sizeOf(checkpoint));
  const tiles: Tile[] = [];
  const found = (tile: Tile): void => {
    if (tile.width < TILE_WIDTH || tileEnd(tile) > sealed) tiles.push(tile);
  };
  await walkTiles(files, TILE_DIR, 0, found, stranger);
  const folders: string[] = [];
  const segments = await listSegments(files, stranger, (path) => {
    if (folders.length < MAX_UNKNOWN) folders.push(path);
  });
  return { segments, head, checkpoint, checkpoints, sealed, stamps, tiles, unknown, folders };
}

/** Number of leaves of the smallest tree that has this tile. */
export function tileEnd(tile: Tile): number {
  return (tile.index * TILE_WIDTH + tile.width) * TILE_WIDTH ** tile.level;
}

type Stranger = (path: string) => void;

export async function listSegments(
  files: Files,
  stranger: Stranger = () => undefined,
  folder: Stranger = stranger,
): Promise<SegmentFile[]> {
  const found = new Map<string, SegmentFile>();
  for (const { name: file, directory } of await files.list(SEGMENT_DIR)) {
    const parsed = attempt(() => parseSegmentName(file));
    if (parsed === undefined || directory) {
      (parsed?.gzipped === true ? folder : stranger)(`${SEGMENT_DIR}/${file}`);
      continue;
    }
    const { first, part, gzipped } = parsed;
    const name = encodeSegmentName(parsed);
    const other = found.get(name);
    found.set(name, {
      name,
      path: `${SEGMENT_DIR}/${name}`,
      first,
      part,
      plain: !gzipped || (other?.plain ?? false),
      gzipped: gzipped || (other?.gzipped ?? false),
    });
  }
  return [...found.values()].sort(compareSegments);
}

async function checkpointSizes(files: Files, stranger: Stranger): Promise<number[]> {
  const sizes: number[] = [];
  for (const { name, directory } of await files.list(CHECKPOINT_DIR)) {
    const size = directory ? undefined : attempt(() => parseCheckpointName(name));
    if (size !== undefined) sizes.push(size);
    else stranger(`${CHECKPOINT_DIR}/${name}`);
  }
  return sizes.sort((a, b) => a - b);
}

async function stampSizes(files: Files, stranger: Stranger): Promise<number[]> {
  const sizes: number[] = [];
  for (const { name, directory } of await files.list(STAMP_DIR)) {
    const stamp = directory ? undefined : attempt(() => parseStampName(name));
    if (stamp === undefined) stranger(`${STAMP_DIR}/${name}`);
    if (stamp?.part === 'ots') sizes.push(stamp.size);
  }
  return sizes.sort((a, b) => a - b);
}

/** A head is replaced in place, so one that looks torn may have been read in the middle of that: look again. */
async function readHead(files: Files): Promise<HeadEvidence> {
  let reason = '';
  for (let tries = 0; tries < 3; tries++) {
    const bytes = await files.read(HEAD_FILE, 0, HEAD_SIZE + 1);
    if (bytes === undefined) return { state: 'missing' };
    try {
      return { state: 'good', position: parseHead(bytes) };
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      reason = error.message;
    }
  }
  return { state: 'damaged', reason };
}

const MAX_TILE_DEPTH = 9;

async function walkTiles(
  files: Files,
  path: string,
  depth: number,
  found: (tile: Tile) => void,
  stranger: Stranger,
): Promise<void> {
  for (const { name, directory } of await files.list(path)) {
    const inner = `${path}/${name}`;
    if (!directory) {
      const tile = attempt(() => parseTilePath(inner));
      if (tile !== undefined) found(tile);
      else stranger(inner);
    } else if (depth < MAX_TILE_DEPTH) await walkTiles(files, inner, depth + 1, found, stranger);
    else stranger(inner);
  }
}

function sizeOf(checkpoint: Uint8Array | undefined): number {
  return (checkpoint && attempt(() => openCheckpoint(checkpoint).checkpoint.size)) ?? 0;
}

/** A name or note that does not parse is nobody's evidence here. */
function attempt<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
