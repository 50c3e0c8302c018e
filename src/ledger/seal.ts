// Sealing: the lines since the last checkpoint are read back and verified, the tree's tiles extended, and the new
// root signed; in that order, each durable before the next. Appends never wait for it. The signer trusts its own
// last signature and nothing else: tiles must give the root it signed, and lines must follow from it.
import {
  type Checkpoint,
  HASH_SIZE,
  leafHash,
  makeVerifierKey,
  openCheckpoint,
  parseHex,
  type Signer,
  StoreError,
  sameBytes,
  signCheckpoint,
  type Tile,
  TileBuilder,
  type VerifierKey,
  verifyNote,
} from '../core/index.ts';
import { GENESIS, parseEntry } from '../format/index.ts';
import { checkLines } from '../verify/index.ts';
import { type Identity, nextKey, publicKeyOf, readEpochs, readIdentity } from './epochs.ts';
import type { Keyring, Store } from './ports.ts';

/** What stands signed: the checkpoint and the note that carries it. */
export interface Sealed {
  readonly checkpoint: Checkpoint;
  readonly note: Uint8Array;
}

/** Seals everything that is published. Call it inside store.sealing. */
export async function seal(store: Store, keyring: Keyring): Promise<Sealed> {
  const identity = await readIdentity(store);
  let { seq: size } = await store.head();
  const before = await readSealed(store, keyring, identity);
  if (before !== undefined && before.checkpoint.size > size) {
    // Another process may have sealed what it has not published yet, or died before it did: look at the log itself.
    await store.append(() => undefined);
    ({ seq: size } = await store.head());
  }
  if (before !== undefined && before.checkpoint.size > size) {
    throw new StoreError(
      'SHORT_LOG',
      `the checkpoint covers ${before.checkpoint.size} entries, but the log has ${size}. Entries were lost or cut off. Run \`foil verify\`.`,
    );
  }
  if (before !== undefined && before.checkpoint.size === size) return before;
  const { root, key } = await extend(store, before, identity, size);
  const signer = await loadSigner(keyring, key);
  // The old key goes before the new one first signs: from here on nobody can sign for the past.
  if (publicKeyOf(key) !== publicKeyOf(before?.key ?? key))
    await keyring.destroy(identity.origin, publicKeyOf(before?.key ?? key));
  const checkpoint = { origin: identity.origin, size, root };
  const note = signCheckpoint(checkpoint, signer);
  await store.writeCheckpoint(size, note);
  return { checkpoint, note };
}

/** The newest checkpoint, proven to be signed by the key of its epoch. Undefined before the first. */
export async function readSealed(
  store: Store,
  keyring: Keyring,
  identity: Identity,
): Promise<(Sealed & { key: VerifierKey }) | undefined> {
  const note = await store.readCheckpoint();
  if (note === undefined) return undefined;
  let opened: ReturnType<typeof openCheckpoint>;
  try {
    opened = openCheckpoint(note);
  } catch (cause) {
    throw damaged("the newest checkpoint can't be read", cause);
  }
  const { checkpoint } = opened;
  const signedBy = (key: VerifierKey | undefined): key is VerifierKey =>
    key !== undefined &&
    checkpoint.origin === identity.origin &&
    verifyNote(opened.note, [key]).verified.length === 1;
  // A private key that is here is the current one, for a rotation destroys the old: no need to read the whole log.
  const here = (await keyring.list(identity.origin)).map((key) =>
    makeVerifierKey(identity.origin, parseHex(key, 32)),
  );
  const current = here.find(signedBy);
  if (current !== undefined) return { checkpoint, note, key: current };
  const epochs = await readEpochs(store, checkpoint.size);
  const key = epochs.findLast(({ from }) => from <= checkpoint.size)?.key;
  if (!signedBy(key)) throw damaged("the newest checkpoint is not signed by this ledger's key");
  return { checkpoint, note, key };
}

/** Verifies the lines after `before` up to `size` and writes their tiles. Gives the root and the key at the end. */
async function extend(
  store: Store,
  before: (Sealed & { key: VerifierKey }) | undefined,
  identity: Identity,
  size: number,
): Promise<{ root: Uint8Array; key: VerifierKey }> {
  const start = before?.checkpoint.size ?? 0;
  let fresh: { tile: Tile; bytes: Uint8Array }[] = [];
  const read = async (tile: Tile): Promise<Uint8Array> => {
    const bytes = await store.readTile(tile);
    if (bytes === undefined) throw damaged('a tile of the Merkle tree is missing');
    if (bytes.length !== tile.width * HASH_SIZE)
      throw damaged('a tile of the Merkle tree has a wrong length');
    return bytes;
  };
  const builder = await TileBuilder.resume(start, read, (tile, bytes) => fresh.push({ tile, bytes }));
  if (before !== undefined && !sameBytes(builder.root(), before.checkpoint.root)) {
    throw damaged("the tiles don't lead to the root that was signed last");
  }
  let key = before?.key ?? identity.firstKey;
  let { seq, hash } = await sealedEnd(store, start);
  for await (const piece of store.read(start + 1, size)) {
    const result = checkLines(piece, 0, piece.length, { kinds: ['key.rotate'] });
    const [finding] = result.findings;
    if (finding !== undefined) throw damaged(`entry ${finding.seq ?? seq + 1}: ${finding.message}`);
    if (result.first?.seq !== seq + 1 || result.first.hash !== hash || result.last === null) {
      throw damaged(`entry ${seq + 1} does not follow from the one before it`);
    }
    ({ seq, hash } = result.last);
    for (const { seq: at, line } of result.picked) {
      const entry = parseEntry(line);
      if (entry.kind !== 'key.rotate') continue;
      const next = nextKey(entry, key);
      if (next === undefined) throw damaged(`the key rotation in entry ${at} is not valid`);
      key = next;
    }
    for (let at = 0; at < result.leaves.length; at += HASH_SIZE) {
      builder.push(result.leaves.subarray(at, at + HASH_SIZE));
    }
    await store.writeTiles(fresh);
    fresh = [];
  }
  if (seq !== size) throw damaged(`the log ends at entry ${seq}, but its head says ${size}`);
  builder.flushPartials();
  await store.writeTiles(fresh);
  return { root: builder.root(), key };
}

/** The last sealed entry. It is in the signed tree, so the lines after it hang on to what was signed. */
async function sealedEnd(store: Store, size: number): Promise<{ seq: number; hash: string }> {
  if (size === 0) return { seq: 0, hash: GENESIS };
  for await (const piece of store.read(size, size)) {
    const line = piece.subarray(0, piece.length - 1);
    const tile = { level: 0, index: Math.floor((size - 1) / 256), width: ((size - 1) % 256) + 1 };
    const leaf = (await store.readTile(tile))?.subarray(-HASH_SIZE);
    if (leaf === undefined || !sameBytes(leaf, leafHash(line)))
      throw damaged(`entry ${size} is not the entry that was sealed`);
    return { seq: size, hash: parseEntry(line).entry_hash };
  }
  throw damaged(`entry ${size} is sealed, but the log doesn't have it`);
}

export async function loadSigner(
  keyring: Keyring,
  key: VerifierKey,
  what = "the ledger can't be sealed",
): Promise<Signer> {
  const signer = await keyring.load(key.name, publicKeyOf(key));
  if (signer !== undefined) return signer;
  throw new StoreError('KEY', `${what}, because the private key of ${key.name} is not on this machine.`);
}

function damaged(what: string, cause?: unknown): StoreError {
  return new StoreError(
    'DAMAGED',
    `foil can't seal the ledger: ${what}. Run \`foil verify\`.`,
    cause === undefined ? {} : { cause },
  );
}
