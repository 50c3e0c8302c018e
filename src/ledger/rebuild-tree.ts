// Puts a ledger's tree files right: tiles that are missing or changed are computed again from the lines, and the copy
// of the newest checkpoint is taken from those kept. Only ever towards what was signed: where the lines contradict a
// signature, nothing is touched.
import {
  type Checkpoint,
  encodeTilePath,
  HASH_SIZE,
  openCheckpoint,
  StoreError,
  sameBytes,
  type Tile,
  TileBuilder,
  verifyNote,
} from '../core/index.ts';
import { CHECKPOINT_FILE, GENESIS } from '../format/index.ts';
import { checkLines } from '../verify/index.ts';
import { readEpochs } from './epochs.ts';
import type { LogReader, Store } from './ports.ts';

/** What a store must allow for that. */
export interface TreeRepair {
  checkpoints(): readonly { readonly name: string; readonly note: Uint8Array }[];
  restoreTile(tile: Tile, bytes: Uint8Array): Promise<void>;
  writeCheckpoint(size: number, note: Uint8Array): Promise<void>;
  setAside(name: string): Promise<void>;
}

interface Signed {
  readonly name: string;
  readonly note: Uint8Array;
  readonly checkpoint: Checkpoint;
}

/** Gives what was done, a sentence each. Call it inside store.sealing. DAMAGED where it can't be made right. */
export async function rebuildTree(store: Store, repair: TreeRepair): Promise<string[]> {
  const { seq: last } = await store.head();
  const { good, bad } = await sortCheckpoints(store, repair, last);
  const newest = good.at(-1);
  if (newest === undefined) throw damaged("no checkpoint is signed by this ledger's key");
  const { tiles, roots } = await computeTree(
    store,
    newest.checkpoint.size,
    new Set(good.map(({ checkpoint }) => checkpoint.size)),
  );
  for (const { name, checkpoint } of good) {
    const root = roots.get(checkpoint.size);
    if (root === undefined || !sameBytes(root, checkpoint.root)) {
      throw damaged(`the entries don't lead to the root that ${name} signs. Restore the log from a copy`);
    }
  }
  const did: string[] = [];
  for (const { tile, bytes } of tiles) {
    const present = await readTile(store, tile);
    if (present !== undefined && sameBytes(present, bytes)) continue;
    await repair.restoreTile(tile, bytes);
    did.push(`recomputed ${encodeTilePath(tile)}`);
  }
  for (const { name } of bad) {
    await repair.setAside(name);
    did.push(`renamed ${name} to ${name}.damaged, because it is not a checkpoint of this ledger`);
  }
  const copy = good.find(({ name }) => name === CHECKPOINT_FILE);
  if (copy === undefined || !sameBytes(copy.note, newest.note)) {
    await repair.writeCheckpoint(newest.checkpoint.size, newest.note);
    did.push(`restored the newest checkpoint, which covers ${newest.checkpoint.size} entries`);
  }
  return did;
}

/** Those that the key of their epoch signed, by size; and the others. One that covers more than the log has ends it. */
async function sortCheckpoints(
  store: LogReader,
  repair: TreeRepair,
  last: number,
): Promise<{ good: Signed[]; bad: { name: string }[] }> {
  const epochs = await readEpochs(store, last);
  const good: Signed[] = [];
  const bad: { name: string }[] = [];
  for (const { name, note } of repair.checkpoints()) {
    try {
      const { checkpoint, note: parsed } = openCheckpoint(note);
      const key = epochs.findLast(({ from }) => from <= checkpoint.size)?.key;
      const signed =
        key !== undefined &&
        key.name === checkpoint.origin &&
        verifyNote(parsed, [key]).verified.length === 1;
      if (!signed) bad.push({ name });
      else if (checkpoint.size > last)
        throw damaged(
          `${name} covers ${checkpoint.size} entries, but the log has ${last}. Restore the log from a copy`,
        );
      else good.push({ name, note, checkpoint });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      bad.push({ name });
    }
  }
  good.sort((a, b) => a.checkpoint.size - b.checkpoint.size);
  return { good, bad };
}

/** All tiles of the tree of `size`, and the roots on the way. Every line is verified. */
async function computeTree(
  store: LogReader,
  size: number,
  wanted: ReadonlySet<number>,
): Promise<{ tiles: { tile: Tile; bytes: Uint8Array }[]; roots: Map<number, Uint8Array> }> {
  const tiles: { tile: Tile; bytes: Uint8Array }[] = [];
  const roots = new Map<number, Uint8Array>();
  const builder = new TileBuilder((tile, bytes) => tiles.push({ tile, bytes }));
  let hash = GENESIS;
  for await (const piece of store.read(1, size)) {
    const { findings, first, last, leaves } = checkLines(piece, 0, piece.length, { kinds: [] });
    const [finding] = findings;
    if (finding !== undefined) throw damaged(`entry ${finding.seq ?? builder.size + 1}: ${finding.message}`);
    if (first?.seq !== builder.size + 1 || first.hash !== hash || last === null) {
      throw damaged(`entry ${builder.size + 1} does not follow from the one before it`);
    }
    hash = last.hash;
    for (let at = 0; at < leaves.length; at += HASH_SIZE) {
      builder.push(leaves.subarray(at, at + HASH_SIZE));
      if (wanted.has(builder.size)) roots.set(builder.size, builder.root());
    }
  }
  if (builder.size !== size) throw damaged(`the log ends at entry ${builder.size}`);
  builder.flushPartials();
  return { tiles, roots };
}

/** A tile of a wrong length counts as missing. */
async function readTile(store: Store, tile: Tile): Promise<Uint8Array | undefined> {
  try {
    return await store.readTile(tile);
  } catch {
    return undefined;
  }
}

function damaged(what: string): StoreError {
  return new StoreError('DAMAGED', `foil can't recover the ledger: ${what}.`);
}
