// Small files that appear whole or not at all: checkpoints, tiles, salts, keys. Written aside, synced, moved into
// place, and the directory synced.
import { dirname, join } from 'node:path';
import { hasCode } from './failure.ts';
import type { Fs } from './fs.ts';

let counter = 0;

export function exists(fs: Fs, path: string): boolean {
  try {
    fs.size(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/** Undefined when it is not there. */
export function readWhole(fs: Fs, path: string): Uint8Array | undefined {
  let fd: number;
  try {
    fd = fs.open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
  try {
    const bytes = new Uint8Array(fs.stat(fd).size);
    return bytes.subarray(0, fs.read(fd, bytes, 0));
  } finally {
    fs.close(fd);
  }
}

/**
 * Durable when it resolves. Replaces the file, or with `keep` leaves one that is there as it is. Several files in one
 * directory can share its sync: `syncDirectory: false`, and sync it once after.
 */
export async function writeDurably(
  fs: Fs,
  path: string,
  bytes: Uint8Array,
  { keep = false, syncDirectory = true }: { keep?: boolean; syncDirectory?: boolean } = {},
): Promise<void> {
  const { temporary, fd } = openTemporary(fs, path);
  try {
    try {
      await fs.append(fd, bytes);
      await fs.datasync(fd);
    } finally {
      fs.close(fd);
    }
    if (keep) linkOnce(fs, temporary, path);
    else fs.rename(temporary, path);
  } catch (error) {
    removeQuietly(fs, temporary);
    throw error;
  }
  if (keep) removeQuietly(fs, temporary);
  if (syncDirectory) await fs.syncDirectory(dirname(path));
}

/**
 * A name may be taken: by another thread of this process, which counts for itself, or by a crash of one that had the
 * same id, as the first process of a container always has.
 */
function openTemporary(fs: Fs, path: string): { temporary: string; fd: number } {
  for (;;) {
    const temporary = `${path}.${process.pid}.${counter++}.tmp`;
    try {
      return { temporary, fd: fs.open(temporary, 'wx') };
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

/** Makes a directory and those above it, each durable. */
export async function makeDirectories(fs: Fs, path: string): Promise<void> {
  try {
    fs.makeDirectory(path);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    if (!hasCode(error, 'ENOENT') || dirname(path) === path) throw error;
    await makeDirectories(fs, dirname(path));
    // Once and not again: a link above it that leads nowhere is there, and nothing can be made below it.
    if (!madeNow(fs, path)) return;
  }
  try {
    await fs.syncDirectory(join(path, '..'));
  } catch (error) {
    // The next call must not take it for one whose name is durable.
    removeDirectoryQuietly(fs, path);
    throw error;
  }
}

/** False where it was there. */
function madeNow(fs: Fs, path: string): boolean {
  try {
    fs.makeDirectory(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function linkOnce(fs: Fs, from: string, to: string): void {
  try {
    fs.link(from, to);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

function removeDirectoryQuietly(fs: Fs, path: string): void {
  try {
    fs.removeDirectory(path);
  } catch {
    // Somebody uses it already.
  }
}

function removeQuietly(fs: Fs, path: string): void {
  try {
    fs.remove(path);
  } catch {
    // What is left is a .tmp file that nobody reads.
  }
}
