// The directory stamps/ on disk. Files appear whole or not at all; one process at a time works in it, by an OS lock that
// a killed one lets go of. What lies there may be anybody's: it is read within bounds, and a pipe is not waited for.
import { readdirSync, statSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { StampFiles } from '../../anchor/calendars/index.ts';
import { StoreError } from '../../core/index.ts';
import { STAMP_DIR } from '../../format/index.ts';
import {
  after,
  hasCode,
  makeDirectories,
  nodeFs,
  OsLock,
  openFiles,
  SECTION,
  writeDurably,
} from '../../store/files/index.ts';

export function openStampFiles(directory: string): StampFiles {
  const stamps = join(directory, STAMP_DIR);
  const files = openFiles(directory);
  return {
    async list() {
      return namesIn(stamps).flatMap((name) => {
        const found = statSync(join(stamps, name), { throwIfNoEntry: false });
        return found?.isFile() === true ? [{ name, changed: found.mtimeMs }] : [];
      });
    },
    read: (name, most) => files.read(`${STAMP_DIR}/${name}`, 0, most),
    async write(name, bytes) {
      await makeDirectories(nodeFs, stamps);
      await writeDurably(nodeFs, join(stamps, name), bytes);
    },
    async remove(name) {
      try {
        unlinkSync(join(stamps, name));
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw error;
      }
    },
    async exclusive(work, wait) {
      await makeDirectories(nodeFs, stamps);
      const lock = new OsLock(join(stamps, 'lock'));
      try {
        try {
          await lock.wait(SECTION, after(wait));
        } catch (error) {
          if (error instanceof StoreError && error.code === 'LOCK_TIMEOUT') return undefined;
          throw error;
        }
        try {
          return await work();
        } finally {
          lock.unlock(SECTION);
        }
      } finally {
        lock.close();
      }
    },
  };
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}
