// Gzips closed segments. The compressed copy is made durable and its hash recorded in the ledger before the plain
// one goes, so a crash in between leaves both, and the next run finishes. The chain is verified across them as before.
import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { sha256Stream } from '#platform';
import {
  type Archive,
  compareSegments,
  encodeSegmentName,
  type Position,
  SEGMENT_DIR,
  type Segment,
} from '../../format/index.ts';
import { storeError } from './failure.ts';
import type { Fs } from './fs.ts';
import { lineBefore } from './last-line.ts';
import { writeDurably } from './whole-file.ts';

export type ArchivedFile = Archive['files'][number] & { readonly gzBytes: number };

/**
 * `segments` must be closed. `record` writes the `archive` entry and is called once, before anything is removed.
 */
export async function archiveSegments(
  directory: string,
  fs: Fs,
  segments: readonly Segment[],
  record: (files: readonly ArchivedFile[]) => Promise<void>,
): Promise<readonly ArchivedFile[]> {
  const files: ArchivedFile[] = [];
  for (const segment of segments) files.push(await compress(directory, fs, encodeSegmentName(segment)));
  if (files.length === 0) return files;
  await record(files);
  for (const { name } of files) fs.remove(join(directory, SEGMENT_DIR, name));
  await fs.syncDirectory(join(directory, SEGMENT_DIR));
  return files;
}

/**
 * Closed segments: all but the one being written. It may have no lines yet; the `archive` entry becomes its first
 * before anything is removed, so the log's end can always be read plainly.
 */
export function closedSegments(segments: readonly Segment[], { segment: current }: Position): Segment[] {
  return segments.filter((segment) => compareSegments(segment, current) !== 0);
}

/**
 * Was it last added to before `moment`, by the clock of its newest entry and by the one that dates files? Either may be
 * wrong. Where it ends in the remains of a crash, the second has to do.
 */
export function isOlder(directory: string, fs: Fs, segment: Segment, moment: number): boolean {
  const path = join(directory, SEGMENT_DIR, encodeSegmentName(segment));
  const fd = fs.open(path, 'r');
  try {
    if (statSync(path).mtimeMs >= moment) return false;
    const last = lineBefore(fs, fd, fs.stat(fd).size);
    return last === undefined || Date.parse(last.ts) < moment;
  } finally {
    fs.close(fd);
  }
}

async function compress(directory: string, fs: Fs, name: string): Promise<ArchivedFile> {
  const path = join(directory, SEGMENT_DIR, name);
  try {
    const plain = sha256Stream();
    const zipped = sha256Stream();
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    const gzip = createGzip();
    createReadStream(path)
      .on('data', (piece) => {
        plain.update(piece as Uint8Array);
        bytes += piece.length;
      })
      .on('error', (error) => gzip.destroy(error))
      .pipe(gzip);
    for await (const piece of gzip as AsyncIterable<Uint8Array>) {
      zipped.update(piece);
      pieces.push(piece);
    }
    const gz = Buffer.concat(pieces);
    await writeDurably(fs, `${path}.gz`, gz);
    return { name, bytes, sha256: plain.hex(), gzSha256: zipped.hex(), gzBytes: gz.length };
  } catch (error) {
    throw storeError(error, 'compress', path);
  }
}
