// Wires the ledger to plain files: what the package's own users, the command and the worker open.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEY_DIR } from '../format/index.ts';
import { createLedger as create, Ledger, type LedgerOptions, SEAL_EVERY } from '../ledger/index.ts';
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

/** Makes a new ledger with a new key and its first checkpoint. */
export async function createLedger(place: Place): Promise<Ledger> {
  const store = await createFileStore(place.directory);
  if (place.keyDirectory === join(place.directory, KEY_DIR))
    writeFileSync(join(place.directory, '.gitignore'), '*\n');
  try {
    return await create({
      store,
      keyring: openKeyring(place.keyDirectory),
      random: (length) => randomBytes(length),
    });
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
