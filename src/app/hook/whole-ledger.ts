// The whole ledger, for what the gate seldom does: the first policy, the first key, a count of overrides. Hooks load it
// only then.
import { randomBytes } from 'node:crypto';
import type { ValidationSigner } from '../../gate/index.ts';
import {
  grantsInForce,
  type Located,
  openValidator,
  type RecordedGrants,
  readGrants,
  type Store,
} from '../../ledger/index.ts';
import { openFileStore, openKeyring } from '../../store/files/index.ts';

export interface WholeLedger {
  withStore<T>(located: Located, work: (store: Store) => Promise<T>): Promise<T>;
  /** Reads the log for the key of the validators, and makes it where there is none yet. */
  openValidator(located: Located): Promise<ValidationSigner>;
  /** Reads the log for the grants in force, and notes them. */
  grantsInForce(located: Located): Promise<RecordedGrants | null>;
  readGrants(located: Located): Promise<readonly RecordedGrants[]>;
}

export const wholeLedger: WholeLedger = {
  withStore,
  grantsInForce: (located) => withStore(located, grantsInForce),
  readGrants: (located) => withStore(located, readGrants),
  openValidator: (located) =>
    withStore(located, (store) =>
      openValidator({
        store,
        keyring: openKeyring(located.keyDirectory),
        random: (length) => randomBytes(length),
      }),
    ),
};

async function withStore<T>({ directory }: Located, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openFileStore(directory);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
