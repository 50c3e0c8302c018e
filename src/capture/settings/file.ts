// A host's settings file on disk. It is read whole, and replaced whole or not at all: written aside, synced, and moved
// into place only if it is still what was read. Links are followed to what they point to; permissions stay. A file that
// belongs to somebody else, can't be written or is no plain file is left alone, with a word on why.
import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { StoreError } from '../../core/index.ts';

export interface Snapshot {
  readonly path: string;
  /** Where its links lead. */
  readonly target: string;
  /** Null where there is no file. */
  readonly bytes: Uint8Array | null;
  readonly mode: number;
}

const MAX_BYTES = 4 << 20;

/** `anyOwner`: only to look at, as the host does; what is to be written must be this user's. */
export function readSnapshot(path: string, { anyOwner = false } = {}): Snapshot {
  let target: string;
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return { path, target: path, bytes: null, mode: 0 };
    target = found.isSymbolicLink() ? realpathSync(path) : path;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') throw new StoreError('IO', `${path} is a broken link.`, { cause: error });
    throw refusal(path, error);
  }
  let fd: number;
  try {
    // Without O_NONBLOCK, opening a pipe would wait for its other end.
    fd = openSync(target, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw refusal(path, error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new StoreError('IO', `${path} is not a plain file.`);
    if (!anyOwner && process.getuid !== undefined && stat.uid !== process.getuid())
      throw new StoreError('DENIED', `${path} belongs to another user: run foil as its owner.`);
    if (stat.size > MAX_BYTES)
      throw new StoreError(
        'TOO_LARGE',
        `${path} is larger than 4 MB, which is too large for a settings file.`,
      );
    return { path, target, bytes: readFileSync(fd), mode: stat.mode & 0o7777 };
  } finally {
    closeSync(fd);
  }
}

/** Throws where the file could not be replaced, as far as can be told before trying. */
export function assertWritable({ path, target, bytes, mode }: Snapshot): void {
  if (bytes !== null && (mode & 0o200) === 0)
    throw new StoreError('DENIED', `${path} is read-only. Make it writable (chmod u+w), then try again.`);
  for (let folder = dirname(target); ; folder = dirname(folder)) {
    try {
      accessSync(folder, constants.W_OK | constants.X_OK);
      return;
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw refusal(path, error);
    }
  }
}

/** True if it was done; false if the file is not what was read any more, and nothing was done. */
export function replaceFile(snapshot: Snapshot, bytes: Uint8Array, modeOfNew: number): boolean {
  const { path, target } = snapshot;
  assertWritable(snapshot);
  const folder = dirname(target);
  const temporary = join(folder, `.counterfoil-${process.pid}-${Date.now().toString(36)}.tmp`);
  let made: string | undefined;
  let done = false;
  try {
    made = mkdirSync(folder, { recursive: true });
    const fd = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(fd, bytes);
      fchmodSync(fd, snapshot.bytes === null ? modeOfNew : snapshot.mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    if (!isUnchanged(snapshot)) return false;
    if (snapshot.bytes === null) {
      // Unlike a rename, this fails where another process made the file meanwhile.
      linkSync(temporary, target);
    } else {
      renameSync(temporary, target);
    }
    syncFolder(folder);
    done = true;
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw refusal(path, error);
  } finally {
    unlinkQuietly(temporary);
    if (!done && made !== undefined) removeFolders(folder, made);
  }
}

/** As replaceFile. Of its folders, the innermost `folders` go too if they are empty. */
export function removeFile(snapshot: Snapshot, folders: number): boolean {
  const { path, target } = snapshot;
  if (!isUnchanged(snapshot)) return false;
  try {
    unlinkSync(target);
  } catch (error) {
    throw refusal(path, error);
  }
  let folder = dirname(target);
  try {
    for (let left = folders; left > 0; left--) {
      rmdirSync(folder);
      folder = dirname(folder);
    }
  } catch {
    // Others use it.
  }
  syncFolder(folder);
  return true;
}

/** How many of the outermost of the `folders` above a file that is not there yet are there and empty. */
export function emptyFolders(path: string, folders: number): number {
  let folder = dirname(path);
  for (let level = folders; level > 0; level--) {
    try {
      return readdirSync(folder).length === 0 ? level : 0;
    } catch {
      folder = dirname(folder);
    }
  }
  return 0;
}

function isUnchanged(snapshot: Snapshot): boolean {
  const now = readSnapshot(snapshot.path);
  if (now.bytes === null || snapshot.bytes === null) return now.bytes === snapshot.bytes;
  return now.target === snapshot.target && Buffer.compare(now.bytes, snapshot.bytes) === 0;
}

/** From the innermost up to `last`, as far as they are empty. */
function removeFolders(innermost: string, last: string): void {
  try {
    for (let folder = innermost; ; folder = dirname(folder)) {
      rmdirSync(folder);
      if (folder === last || dirname(folder) === folder) return;
    }
  } catch {
    // Others use it.
  }
}

function syncFolder(folder: string): void {
  try {
    const fd = openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    // Some file systems can't, and the file itself is safe.
  }
}

function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was moved into place, or never made.
  }
}

function refusal(path: string, error: unknown): Error {
  if (error instanceof StoreError) return error;
  const code = codeOf(error);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new StoreError('DENIED', `${path} can't be read or written: permission denied.`, { cause: error });
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new StoreError('NO_SPACE', `${path}: the disk is full. Nothing was changed.`, { cause: error });
  const why = error instanceof Error ? error.message : String(error);
  return new StoreError('IO', `${path}: ${why}`, { cause: error });
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code;
}
