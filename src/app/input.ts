// Bytes from files and pipes, bounded: a command never reads more than it could use.
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { UsageError } from '../core/index.ts';

/** A file that the user named. What can't be read is wrong usage, and so is more than `limit` bytes. */
export function readFile(path: string, limit: number, what: string): Uint8Array {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (cause) {
    throw new UsageError(`${what}: can't read ${path}: ${(cause as Error).message}.`, { cause });
  }
  try {
    // A pipe or device tells no size, so it is read until it ends or is too long.
    const pieces: Uint8Array[] = [];
    let length = 0;
    while (length <= limit) {
      const piece = new Uint8Array(
        Math.min(limit + 1 - length, Math.max(65_536, fstatSync(fd).size - length)),
      );
      const count = readSync(fd, piece, 0, piece.length, null);
      if (count === 0) return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
      pieces.push(piece.subarray(0, count));
      length += count;
    }
  } catch (cause) {
    throw new UsageError(`${what}: can't read ${path}: ${(cause as Error).message}.`, { cause });
  } finally {
    closeSync(fd);
  }
  throw new UsageError(`${what}: ${path} has more than ${limit} bytes.`);
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** All of a stream; UsageError where it has more than `limit` bytes. */
export async function readBounded(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
  what: string,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    length += piece.length;
    if (length > limit) throw new UsageError(`${what}: more than ${limit} bytes.`);
  }
  return Buffer.concat(pieces);
}

/** The whole lines of each piece as it comes, without their newlines; a last line may lack its own. */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
): AsyncGenerator<Uint8Array[], void, void> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of stream) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (lines.length > 0) yield lines;
    if (rest.length > limit) throw new UsageError(`a line has more than ${limit} bytes.`);
  }
  if (rest.length > 0) yield [rest];
}
