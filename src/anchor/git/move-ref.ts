// Moves a ref the way git does: a lock file beside it that only one can make, a look at where the ref stands, and the
// lock file put in its place. So nothing that git or another writer did meanwhile is ever overwritten.
//
// A writer that is killed leaves its lock behind. Ours is a second name of a file of ours, by which it is known again;
// a lock of anybody else's is left alone.
import { link, lstat, open, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { GitFailure, isErrno } from './git-problem.ts';
import { namesIn, readRef } from './repository.ts';

const OURS = 'foil-ref.tmp';
const LOCK = '.lock';

/**
 * From `before` (undefined: it is not there) to `after`, ids both. False where it stands elsewhere by now; then it is
 * left there. Durable once its directory is.
 */
export async function moveRef(
  git: string,
  name: string,
  before: string | undefined,
  after: string,
): Promise<boolean> {
  const ref = join(git, name);
  const lock = ref + LOCK;
  const ours = join(git, OURS);
  await rm(ours, { force: true });
  const file = await open(ours, 'wx', 0o600);
  try {
    await file.writeFile(`${after}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(ours, lock);
  } catch (error) {
    await rm(ours, { force: true });
    if (!isErrno(error, 'EEXIST')) throw error;
    throw new GitFailure(
      'LOCKED',
      `${lock} exists: another process is writing to the repository, or was killed while writing. If no git is running, remove the file.`,
    );
  }
  let isMoved = false;
  try {
    if (readRef(git, name) === before) {
      await rename(lock, ref);
      isMoved = true;
    }
  } finally {
    // Once it is moved, a lock of that name is somebody else's.
    if (!isMoved) await rm(lock, { force: true });
    await rm(ours, { force: true });
  }
  return isMoved;
}

/** Takes away what a writer of ours left that was killed. For whoever holds the lock among us. */
export async function clearOwnLocks(git: string): Promise<void> {
  const ours = join(git, OURS);
  const left = await statOf(ours);
  if (left === undefined) return;
  if (left.nlink > 1) {
    for (const directory of ['refs/heads', 'refs/archive']) {
      for (const name of namesIn(join(git, directory))) {
        const path = join(git, directory, name);
        const found = name.endsWith(LOCK) ? await statOf(path) : undefined;
        if (found?.ino === left.ino && found.dev === left.dev) await unlink(path);
      }
    }
  }
  await rm(ours, { force: true });
}

async function statOf(path: string): Promise<{ ino: number; dev: number; nlink: number } | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}
