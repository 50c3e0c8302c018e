// What signs validations, opened from where a ledger is. Looks only for the key that is noted to be the newest; where
// that is not known, the ledger is read for it. The service signs at every turn, so what was opened is kept; one whose
// key was rotated meanwhile refuses to sign, and is opened again.
import { randomBytes } from 'node:crypto';
import type { ValidationSigner } from '../gate/index.ts';
import { type Located, openValidator } from '../ledger/index.ts';
import { openFileStore, openKeyring } from '../store/files/index.ts';

const kept = new Map<string, Promise<ValidationSigner>>();

export function openSigner(located: Located, { again = false } = {}): Promise<ValidationSigner> {
  const key = JSON.stringify([located.directory, located.keyDirectory]);
  const known = again ? undefined : kept.get(key);
  if (known !== undefined) return known;
  const opened = open(located);
  kept.set(key, opened);
  opened.catch(() => kept.delete(key));
  return opened;
}

async function open({ directory, keyDirectory }: Located): Promise<ValidationSigner> {
  const store = openFileStore(directory);
  try {
    const keyring = openKeyring(keyDirectory);
    return await openValidator({ store, keyring, random: (length) => randomBytes(length) });
  } finally {
    await store.close();
  }
}
