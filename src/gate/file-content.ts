// What one path of a work tree holds, as one short word, and the text of a file for those who read it. An agent may
// put anything there at any moment: a pipe that never ends, a link to elsewhere, a file that grows. Nothing is opened
// but regular files, no link is followed at the end of a path, and reading stops at a limit.
import { hash as digest } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
} from 'node:fs';
import type { Content } from './tree-state.ts';

/** More is told by size and times alone. */
const LARGEST_HASHED = 4 * 1024 * 1024;
/** A file that changed less than this ago may change again and show the same times. */
const SETTLED_MS = 50;
const READ_ONLY = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export interface Looked {
  readonly content: Content;
  /** Undefined where it has to be read again next time. */
  readonly stat: string | undefined;
}

/** `before` is what was found last time. A directory gives undefined: what that means is the caller's to say. */
export function lookAt(path: string | Buffer, before?: Looked): Looked | undefined {
  let stats: BigIntStats;
  try {
    stats = lstatSync(path, { bigint: true });
  } catch {
    return { content: 'deleted', stat: undefined };
  }
  if (stats.isDirectory()) return undefined;
  const stat = `${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.ino}:${stats.mode}`;
  if (before?.stat === stat) return before;
  const content = contentAt(path, stats);
  const isSettled = Number(stats.ctimeMs) < Date.now() - SETTLED_MS;
  return { content, stat: isSettled ? stat : undefined };
}

function contentAt(path: string | Buffer, stats: BigIntStats): Content {
  const timed = `stat:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}`;
  try {
    if (stats.isSymbolicLink()) return `link:${digest('sha256', readlinkSync(path, 'buffer'))}`;
    if (!stats.isFile()) return 'other';
    if (stats.size > LARGEST_HASHED) return timed;
    const bytes = readRegular(path, LARGEST_HASHED);
    if (bytes === undefined) return timed;
    return `${(stats.mode & 0o100n) === 0n ? '' : 'x:'}${digest('sha256', bytes)}`;
  } catch {
    return timed;
  }
}

/** Undefined where it is no regular file, or longer than that. Throws what the system throws. */
function readRegular(path: string | Buffer, most: number): Buffer | undefined {
  const fd = openSync(path, READ_ONLY);
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > most) return undefined;
    const bytes = Buffer.allocUnsafe(stats.size + 1);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, null);
      if (read === 0) return bytes.subarray(0, length);
      length += read;
    }
    return undefined; // it grows while it is read
  } finally {
    closeSync(fd);
  }
}

/** The text of a regular file; null where there is none, it can't be read, or is longer than `most` bytes. */
export function readText(path: string, most: number): string | null {
  try {
    return readRegular(path, most)?.toString('utf8') ?? null;
  } catch {
    return null;
  }
}
