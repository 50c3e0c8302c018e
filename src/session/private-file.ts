// Files that are their owner's alone. A link is not followed, a file of somebody else or one that others can read is not
// believed, and each of these is said: whoever asks must not take it for a file that is not there.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';

export type PrivateRead = { readonly text: string } | { readonly problem: string } | null;

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Null where it is not there. Never throws. */
export function readPrivate(path: string, limit: number): PrivateRead {
  let fd: number;
  try {
    // A pipe by that name would never come to its end.
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    return { problem: code === 'ELOOP' ? `${path} is a link` : `${path} can't be read (${code})` };
  }
  try {
    const stat = fstatSync(fd);
    const problem = stat.isFile() ? ownerProblem(path, stat, '600') : `${path} is not a plain file`;
    if (problem !== null) return { problem };
    if (stat.size > limit) return { problem: `${path} is too long for such a file` };
    const bytes = Buffer.allocUnsafe(stat.size);
    return { text: bytes.toString('utf8', 0, readSync(fd, bytes, 0, bytes.length, 0)) };
  } catch (error) {
    return { problem: `${path} can't be read (${(error as { code?: string }).code})` };
  } finally {
    closeSync(fd);
  }
}

/** Is it there, a directory, and its owner's alone? Never throws. */
export function lookAtDirectory(path: string): 'absent' | 'private' | { readonly problem: string } {
  let stat: Stats | undefined;
  try {
    stat = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    const { code } = error as { code?: string };
    return code === 'ENOTDIR' ? 'absent' : { problem: `${path} can't be examined (${code})` };
  }
  if (stat === undefined) return 'absent';
  if (stat.isSymbolicLink()) return { problem: `${path} is a link` };
  if (!stat.isDirectory()) return { problem: `${path} is not a directory` };
  const problem = ownerProblem(path, stat, '700');
  return problem === null ? 'private' : { problem };
}

/** For this user alone, with those above it. Throws where it is there and is not. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lookAtDirectory(path);
  if (typeof found === 'object') throw new Error(found.problem);
}

let counter = 0;

/** Whole or not at all, and durable when it returns. Throws what the system throws. */
export function writePrivate(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.${counter++}.tmp`;
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    try {
      fchmodSync(fd, 0o600); // whatever the umask is
      writeSync(fd, text);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
  } catch (error) {
    unlinkSync(temporary);
    throw error;
  }
  syncDirectory(dirname(path));
}

/** One line more. Not durable: it is a note. */
export function appendPrivate(path: string, line: string): void {
  const fd = openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600);
  try {
    writeSync(fd, line);
  } finally {
    closeSync(fd);
  }
}

/** False where it was not there. Durable when it returns. */
export function removePrivate(path: string): boolean {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return false;
    throw error;
  }
  syncDirectory(dirname(path));
  return true;
}

function syncDirectory(path: string): void {
  const fd = openSync(path, O_RDONLY);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function ownerProblem(path: string, { uid, mode }: Stats, right: string): string | null {
  if (process.getuid !== undefined && uid !== process.getuid()) return `${path} belongs to another user`;
  return (mode & 0o077) === 0 ? null : `other users may use ${path}: run \`chmod ${right} ${path}\``;
}
