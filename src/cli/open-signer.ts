// What signs validations, opened from where a ledger is. Looks only for the key that is noted to be the newest; where
// that is not known, the ledger is read for it.
import { randomBytes } from 'node:crypto';
import type { ValidationSigner } from '../gate/index.ts';
import { type Located, openValidator } from '../ledger/index.ts';
import { openFileStore, openKeyring } from '../store/files/index.ts';

export async function openSigner({ directory, keyDirectory }: Located): Promise<ValidationSigner> {
  const store = openFileStore(directory);
  try {
    const keyring = openKeyring(keyDirectory);
    return await openValidator({ store, keyring, random: (length) => randomBytes(length) });
  } finally {
    await store.close();
  }
}
