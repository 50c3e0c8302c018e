// One service per ledger, enforced by the operating system: whoever holds the lock serves, and releases it by ending,
// however it ends. State and heartbeat only describe the holder. Only the lock decides.
import { statSync } from 'node:fs';
import { hasCode, monotonic, OsLock, SECTION } from '../store/files/index.ts';
import type { ServiceFiles } from './service-files.ts';

export interface ServiceLock {
  /** False once the lock file is gone or another: then somebody else may hold the lock that counts. */
  isOurs(): boolean;
  release(): void;
}

/** Others look at the lock by taking it for an instant; a service that starts must not give up because of them. */
const GLANCE = 250;
/** Nor because of one that has only begun to end. */
const LEAVING = 1000;
const PAUSE = 10;

export interface HoldOptions {
  readonly wait: number;
  /** Whether the one that has it is as good: then there is no use waiting. */
  isServed(): boolean;
}

/** Undefined where another service has it, and serves, or still has it after `wait` milliseconds. */
export async function holdLock(
  files: ServiceFiles,
  { wait, isServed }: HoldOptions,
): Promise<ServiceLock | undefined> {
  const lock = new OsLock(files.lock);
  const since = monotonic();
  while (!lock.tryLock(SECTION)) {
    const waited = monotonic() - since;
    if ((waited > GLANCE && isServed()) || waited > Math.max(wait, LEAVING)) {
      lock.close();
      return undefined;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  const { ino, dev } = statSync(files.lock);
  return {
    isOurs() {
      try {
        const now = statSync(files.lock);
        return now.ino === ino && now.dev === dev;
      } catch (error) {
        // Only what is plainly gone is gone: out of descriptors or permissions is another matter.
        return !hasCode(error, 'ENOENT', 'ENOTDIR');
      }
    },
    release: () => lock.close(),
  };
}

/** Whether somebody holds it now. Throws where the file can't be opened: EACCES in the ledger of another user. */
export function isHeld(files: ServiceFiles): boolean {
  const lock = new OsLock(files.lock);
  try {
    return !lock.tryLock(SECTION);
  } finally {
    lock.close();
  }
}
