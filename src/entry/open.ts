// Wires the ledger to plain files: what the package's own users, the command and the worker open.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { KEY_DIR } from '../format/index.ts';
import {
  assertUnprepared,
  createLedger as create,
  type Environment,
  isHere,
  keepOutOfGit,
  Ledger,
  type LedgerOptions,
  prepareRegistry,
  registerHere,
  SEAL_EVERY,
} from '../ledger/index.ts';
import { blockingFs, createFileStore, openFileStore, openKeyring } from '../store/files/index.ts';
import { type Place, Thread } from './thread.ts';

export interface OpenOptions {
  /** Seal by itself when so many entries are unsealed (256; 0 for never), once a second at most. It happens in a worker thread. */
  readonly sealEvery?: number;
  /** Wait for each write in this thread: quicker by itself, for a process that has nothing else to do meanwhile. */
  readonly blocking?: boolean;
  /** Nothing is written and no lock is taken: for a ledger that can't be written, or that another process holds. */
  readonly readOnly?: boolean;
}

/** Between two seals by itself, in milliseconds. */
const SEAL_PAUSE = 1000;

/**
 * Makes a new ledger with a new key and its first checkpoint. A `.foil/` is registered as this user's, in the state
 * directory that `env` names. Throws StoreError DENIED where that can't be done: such a ledger would never count.
 */
export async function createLedger(
  place: Place,
  { env = process.env }: { readonly env?: Environment } = {},
): Promise<Ledger> {
  const { directory, keyDirectory } = place;
  const isRegistered = isHere(directory);
  if (isRegistered) {
    prepareRegistry(env);
    assertUnprepared(directory);
  }
  const store = await createFileStore(directory);
  if (isRegistered || keyDirectory === join(directory, KEY_DIR)) keepOutOfGit(directory);
  try {
    const random = (length: number) => randomBytes(length);
    const ledger = await create({ store, keyring: openKeyring(keyDirectory), random });
    if (isRegistered) registerHere(directory, (await ledger.identity()).origin, env);
    return ledger;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens a ledger that is there. Throws StoreError NOT_FOUND where there is none. */
export function openLedger(
  place: Place,
  { readOnly = false, sealEvery = readOnly ? 0 : SEAL_EVERY, blocking = false }: OpenOptions = {},
): Ledger {
  const { directory, keyDirectory } = place;
  if (keyDirectory === join(directory, KEY_DIR) && isHere(directory)) keepOutOfGit(directory);
  return new Ledger({
    store: openFileStore(place.directory, { readOnly, ...(blocking ? { fs: blockingFs } : {}) }),
    keyring: openKeyring(place.keyDirectory),
    random: (length) => randomBytes(length),
    sealEvery,
    sealPause: SEAL_PAUSE,
    ...(sealEvery > 0 ? { sealer: sealer(place) } : {}),
  });
}

/** Hashing and signing in a thread of its own, so that they never hold up the appends. */
function sealer(place: Place): NonNullable<LedgerOptions['sealer']> {
  const thread = new Thread();
  return { seal: () => thread.seal(place), close: () => thread.close() };
}
