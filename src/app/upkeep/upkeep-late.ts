// Was a ledger tidied up within the last day? Asked by hooks, so by the time of a file and nothing else: of the note that
// every run writes, or, where none ever ran, of the lock, which is as old as the ledger.
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { LOCK_FILE, UPKEEP_FILE } from '../../format/index.ts';

const DAY = 24 * 3_600_000;

/** Never throws. */
export function isUpkeepLate(directory: string, now: number): boolean {
  try {
    const stat =
      statSync(join(directory, UPKEEP_FILE), { throwIfNoEntry: false }) ??
      statSync(join(directory, LOCK_FILE), { throwIfNoEntry: false });
    return stat !== undefined && now - stat.mtimeMs > DAY;
  } catch {
    return false;
  }
}

/** One that fails is not started again with every prompt. */
export function noteUpkeepTried(directory: string, now: number): void {
  for (const name of [UPKEEP_FILE, LOCK_FILE])
    try {
      utimesSync(join(directory, name), now / 1000, now / 1000);
      return;
    } catch {
      // There is none yet.
    }
}
