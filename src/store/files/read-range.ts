// Lines by their number, from plain and gzipped segments, as stored and unverified. How many lines a closed segment
// has follows from where the next one begins, so the remains of a crash at its end are passed over. An empty segment
// begins nothing: a crash may have left it, and writing went on in the one before.
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import {
  compareSegments,
  encodeSegmentName,
  MAX_LINE,
  parseSegmentName,
  SEGMENT_DIR,
  type Segment,
} from '../../format/index.ts';
import { hasCode, storeError } from './failure.ts';
import type { Fs } from './fs.ts';
import { findLine } from './walk.ts';

const WINDOW = 1 << 20;

/** Lines `from` to `to` inclusive, in pieces of whole lines. Fewer where the log ends earlier. */
export async function* readRange(
  directory: string,
  fs: Fs,
  from: number,
  to: number,
): AsyncGenerator<Uint8Array> {
  const segments = listSegments(directory, fs);
  let next = Math.max(1, from);
  for (let i = 0; i < segments.length && next <= to; i++) {
    const segment = segments[i] as Segment;
    let after = Number.MAX_SAFE_INTEGER;
    for (let j = i + 1; j < segments.length && after === Number.MAX_SAFE_INTEGER; j++) {
      const later = segments[j] as Segment;
      if (later.first > segment.first && !isEmpty(directory, fs, later)) after = later.first;
    }
    // Of segments with one first line (a crash came before it was whole), the last one has the lines.
    if (after <= next || hasLaterPart(directory, fs, segments, i)) continue;
    const end = Math.min(to, after - 1);
    yield* readLines(directory, fs, segment, next, end - next + 1);
    next = end + 1;
  }
}

/** An empty one has nothing, and may have been left by a crash as well. */
function hasLaterPart(directory: string, fs: Fs, segments: readonly Segment[], index: number): boolean {
  const first = segments[index]?.first;
  for (let i = index + 1; segments[i]?.first === first; i++) {
    if (!isEmpty(directory, fs, segments[i] as Segment)) return true;
  }
  return false;
}

function isEmpty(directory: string, fs: Fs, segment: Segment): boolean {
  const path = join(directory, SEGMENT_DIR, encodeSegmentName(segment));
  try {
    return fs.size(path) === 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false; // only the gzipped form is there
    throw storeError(error, 'read', path);
  }
}

/** Every segment, plain or gzipped, once. */
export function listSegments(directory: string, fs: Fs): Segment[] {
  const segments = new Map<string, Segment>();
  for (const { name } of namesIn(join(directory, SEGMENT_DIR), fs)) {
    try {
      const { first, part } = parseSegmentName(name);
      segments.set(encodeSegmentName({ first, part }), { first, part });
    } catch {
      // Not a segment.
    }
  }
  return [...segments.values()].sort(compareSegments);
}

function namesIn(directory: string, fs: Fs): ReturnType<Fs['list']> {
  try {
    return fs.list(directory);
  } catch (error) {
    throw storeError(error, 'read', directory);
  }
}

async function* readLines(
  directory: string,
  fs: Fs,
  segment: Segment,
  from: number,
  count: number,
): AsyncGenerator<Uint8Array> {
  const path = join(directory, SEGMENT_DIR, encodeSegmentName(segment));
  let fd: number;
  try {
    fd = fs.open(path, 'r');
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw storeError(error, 'read', path);
    yield* takeLines(gunzip(`${path}.gz`), from - segment.first, count);
    return;
  }
  try {
    const { size } = fs.stat(fd);
    const start = findLine(fs, fd, size, segment.first, from);
    yield* takeLines(windows(fs, fd, start, size), 0, count);
  } catch (error) {
    throw storeError(error, 'read', path);
  } finally {
    fs.close(fd);
  }
}

/** As far as the file reached when it was opened. */
async function* windows(fs: Fs, fd: number, from: number, size: number): AsyncGenerator<Uint8Array> {
  for (let offset = from; offset < size; ) {
    const window = new Uint8Array(Math.min(WINDOW, size - offset));
    const length = fs.read(fd, window, offset);
    if (length === 0) return;
    yield window.subarray(0, length);
    offset += length;
  }
}

async function* gunzip(path: string): AsyncGenerator<Uint8Array> {
  const stream = createReadStream(path).on('error', (error) => inflated.destroy(error));
  const inflated = stream.pipe(createGunzip());
  try {
    yield* inflated as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw storeError(error, 'read', path);
  } finally {
    stream.destroy();
  }
}

/** `count` whole lines after the first `skip`. */
async function* takeLines(
  pieces: AsyncIterable<Uint8Array>,
  skip: number,
  count: number,
): AsyncGenerator<Uint8Array> {
  let skipping = skip;
  let wanted = count;
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    let start = 0;
    while (skipping > 0) {
      const end = bytes.indexOf(0x0a, start);
      if (end < 0) break;
      start = end + 1;
      skipping--;
    }
    let end = start;
    while (skipping === 0 && wanted > 0) {
      const newline = bytes.indexOf(0x0a, end);
      if (newline < 0) break;
      end = newline + 1;
      wanted--;
    }
    if (end > start) yield bytes.subarray(start, end);
    if (wanted === 0) return;
    rest = bytes.subarray(end);
    // Not an entry, and not to be held in memory: it is cut to a length that is still too long for one.
    if (rest.length > MAX_LINE + 1) rest = rest.slice(0, MAX_LINE + 1);
  }
}
