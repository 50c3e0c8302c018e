// The lock that all who write a ledger's git repository share, so that one does and the others leave it to that one.
import { join } from 'node:path';
import { LOCK_FILE } from '../../format/index.ts';
import { GIT, OsLock } from './os-lock.ts';

/** Asks without waiting: undefined where another has it, in this process or another. What it gives lets go. */
export function gitLock(directory: string): () => (() => void) | undefined {
  return () => {
    const lock = new OsLock(join(directory, LOCK_FILE));
    if (lock.tryLock(GIT)) return () => lock.close();
    lock.close();
    return undefined;
  };
}
