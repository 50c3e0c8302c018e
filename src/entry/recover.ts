// Recovery after a crash or a fault, as far as it can be had without making anything up: the head is rebuilt, remains
// are recorded by a gap, tiles are computed again. What was signed is never contradicted and nothing is removed that
// could be evidence.
import { StoreError } from '../core/index.ts';
import { parseEntry } from '../format/index.ts';
import { rebuildTree, seal } from '../ledger/index.ts';
import { type FileStore, openFileStore, openKeyring, removeLeftovers } from '../store/files/index.ts';
import type { Place } from './thread.ts';

export interface RecoverOptions {
  /** Goes on although acknowledged entries are gone, which a gap then says for ever. Never under a checkpoint. */
  readonly acceptLoss?: boolean;
}

/** What was done, a sentence each; empty when there was nothing to do. Throws StoreError where it can't be done. */
export async function recoverLedger(
  place: Place,
  { acceptLoss = false }: RecoverOptions = {},
): Promise<string[]> {
  const store = openFileStore(place.directory);
  try {
    const did = await recoverLog(store, acceptLoss);
    did.push(...(await store.sealing(() => rebuildTree(store, store.tree))));
    did.push(...removeLeftovers(place.directory).map((path) => `removed ${path}, which was never finished`));
    did.push(...(await sealIfPossible(store, place)));
    return did;
  } finally {
    await store.close();
  }
}

async function recoverLog(store: FileStore, acceptLoss: boolean): Promise<string[]> {
  const before = store.publishedHead()?.seq;
  let left = Number.POSITIVE_INFINITY;
  try {
    await store.inSection(async () => undefined);
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'SHORT_LOG')) throw error;
    if (!acceptLoss) {
      throw new StoreError(
        'SHORT_LOG',
        `${error.message} \`foil recover --accept-loss\` continues from what is left and records the loss. It can't do that if a checkpoint covers the lost entries; then you need a copy.`,
        { cause: error },
      );
    }
    left = await lossAccepted(store);
  }
  const { seq: after } = await store.head();
  if (before === undefined) return [`wrote the head again: the log ends at entry ${after}`];
  // A loss takes seqs over again, beginning with the one after the last that is left.
  const did: string[] = [];
  for await (const piece of store.read(Math.min(before, left) + 1, after)) {
    for (const line of lines(piece)) {
      const { seq, kind, payload } = parseEntry(line);
      if (kind !== 'gap') did.push(`published entry ${seq}, which had been written but not published`);
      else if (payload.reason === 'torn')
        did.push(
          `recorded ${payload.bytes} bytes in ${payload.file} that aren't an entry (gap, entry ${seq})`,
        );
      else
        did.push(
          `recorded that ${payload.from === payload.to ? `entry ${payload.from} is` : `entries ${payload.from}–${payload.to} are`} lost (gap, entry ${seq})`,
        );
    }
  }
  return did;
}

/** The entry that the log ends at now. */
async function lossAccepted(store: FileStore): Promise<number> {
  try {
    return (await store.acceptLoss()).left;
  } catch (error) {
    if (!(error instanceof StoreError && error.code === 'SHORT_LOG')) throw error;
    throw new StoreError(
      'SHORT_LOG',
      "a checkpoint covers the lost entries, so foil can't accept the loss: the signature would contradict the log forever. Restore a copy of the ledger. If you have none, keep this ledger unchanged as evidence: move it away, then run `foil init` to start another.",
      { cause: error },
    );
  }
}

async function sealIfPossible(store: FileStore, place: Place): Promise<string[]> {
  try {
    const before = await store.readCheckpoint();
    const { checkpoint, note } = await store.sealing(() => seal(store, openKeyring(place.keyDirectory)));
    return before !== undefined && Buffer.compare(before, note) === 0
      ? []
      : [`sealed everything up to entry ${checkpoint.size}`];
  } catch (error) {
    if (error instanceof StoreError && error.code === 'KEY') return [];
    throw error;
  }
}

function* lines(piece: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < piece.length; ) {
    const end = piece.indexOf(0x0a, start);
    yield piece.subarray(start, end);
    start = end + 1;
  }
}
