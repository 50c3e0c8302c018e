// Reads segments as runs of whole lines, about a mebibyte each, for checkLines. Memory stays flat whatever a file
// holds: a line too long to be an entry is cut to a length that is still too long. Bytes that a later `gap` entry
// declares torn are not lines: they are hashed, and whoever joins the runs compares.

import { sha256Stream } from '#platform';
import { ParseError } from '../core/index.ts';
import { type Entry, type Gap, MAX_LINE, parseEntry, parseGap } from '../format/index.ts';
import type { SegmentFile } from './evidence.ts';
import type { Files } from './files.ts';

export type TornGap = Extract<Gap, { reason: 'torn' }> & { readonly seq: number };

export interface Run {
  /** Index of the segment, and of the last one that holds entries: what a crash leaves may lie behind it. */
  readonly segment: number;
  readonly lastSegment: number;
  /** Where the run begins in the segment, and how many bytes of it the run stands for. */
  readonly offset: number;
  readonly bytes: number;
  /** The lines: buffer[start, end). The buffer belongs to the receiver. */
  readonly buffer: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** On the last run of a segment (each has at least one, maybe empty). */
  readonly ending?: SegmentEnding;
}

export interface SegmentEnding {
  /** The `gap` that declares the rest of the segment torn, and what the rest is. */
  readonly gap?: TornGap;
  readonly tornBytes: number;
  readonly tornSha256: string;
  /** Why the compressed form could not be read to its end. */
  readonly broken?: string;
}

export const RUN_BYTES = 1024 * 1024;
const FIRST_BYTES = 4096;
const LINE_FEED = 0x0a;
const PEEK_BYTES = 4 * (MAX_LINE + 1);

/** All runs of all segments, in order. Independent of what is found in them, so a reader may run ahead. */
export async function* readRuns(files: Files, segments: readonly SegmentFile[]): AsyncGenerator<Run> {
  const lastSegment = await lastThatBegins(files, segments);
  const gaps = new Gaps(files, segments);
  for (const [index, segment] of segments.entries()) {
    const gap = await gaps.after(index);
    for await (const part of split(readSegment(files, segment), gap))
      yield { segment: index, lastSegment, ...part };
  }
}

/** Gaps alone do not count: a crash in the middle of several leaves files behind that none of them names yet. */
async function lastThatBegins(files: Files, segments: readonly SegmentFile[]): Promise<number> {
  for (let index = segments.length - 1; index > 0; index--) {
    const segment = segments[index];
    if (segment !== undefined && !(await leadingGaps(files, segment)).open) return index;
  }
  return 0;
}

/**
 * The gap that names a segment, at the beginning of the next segment that holds entries. Where a crash came in the
 * middle of several gaps, the rest of them begin the segment after. Each segment's beginning is looked at once, however
 * many of them are empty.
 */
class Gaps {
  readonly #files: Files;
  readonly #segments: readonly SegmentFile[];
  readonly #places: ReadonlyMap<string, number>;
  /** The first gap that names a segment, among those that may. */
  readonly #found = new Map<string, TornGap>();
  /** Segments up to this one have been looked at; none before `#since` may be named by a later one. */
  #seen = 0;
  #since = 0;

  constructor(files: Files, segments: readonly SegmentFile[]) {
    this.#files = files;
    this.#segments = segments;
    this.#places = new Map(segments.map(({ name }, index) => [name, index]));
  }

  async after(index: number): Promise<TornGap | undefined> {
    const name = this.#segments[index]?.name ?? '';
    while (!this.#found.has(name) && this.#since <= index && this.#seen < this.#segments.length - 1) {
      this.#seen = Math.max(this.#seen, index) + 1;
      await this.#look(this.#seen);
    }
    const gap = this.#found.get(name);
    this.#found.delete(name);
    return gap;
  }

  async #look(at: number): Promise<void> {
    const next = this.#segments[at];
    if (next === undefined) return;
    const { gaps, open } = await leadingGaps(this.#files, next);
    for (const gap of gaps) {
      const named = this.#places.get(gap.file) ?? at;
      if (named >= this.#since && named < at && !this.#found.has(gap.file)) this.#found.set(gap.file, gap);
    }
    if (!open) this.#since = at;
  }
}

/** `open` when no other entry follows them: more may come in the next segment. */
async function leadingGaps(files: Files, segment: SegmentFile): Promise<{ gaps: TornGap[]; open: boolean }> {
  const bytes = await peek(files, segment);
  const gaps: TornGap[] = [];
  for (let at = 0; ; ) {
    const end = bytes.indexOf(LINE_FEED, at);
    const entry = end < 0 ? undefined : entryOf(bytes.subarray(at, end));
    if (entry === undefined) return { gaps, open: true };
    if (entry.kind !== 'gap') return { gaps, open: false };
    const gap = tornGapOf(entry);
    if (gap === 'recording') return { gaps, open: false };
    if (gap !== undefined) gaps.push(gap);
    at = end + 1;
  }
}

/** A gap in the recording is an entry like any other: none of those that the log begins a segment with. */
function tornGapOf(entry: Entry): TornGap | 'recording' | undefined {
  try {
    const gap = parseGap(entry.payload);
    if (gap.reason === 'torn') return { ...gap, seq: entry.seq };
    return gap.reason === 'lost' ? undefined : 'recording';
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

function entryOf(line: Uint8Array): Entry | undefined {
  try {
    return parseEntry(line);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

async function peek(files: Files, segment: SegmentFile): Promise<Uint8Array> {
  const plain = segment.plain ? await files.read(segment.path, 0, PEEK_BYTES) : undefined;
  if (plain !== undefined) return plain;
  const bytes = new Uint8Array(PEEK_BYTES);
  let filled = 0;
  if ((await files.read(`${segment.path}.gz`, 0, 1)) === undefined) return bytes.subarray(0, 0);
  try {
    for await (const piece of files.gunzip(`${segment.path}.gz`)) {
      bytes.set(piece.subarray(0, PEEK_BYTES - filled), filled);
      filled = Math.min(PEEK_BYTES, filled + piece.length);
      if (filled === PEEK_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
  return bytes.subarray(0, filled);
}

/** The plain form where it is there; an archiver may replace it by the gzipped one at any moment. */
async function* readSegment(files: Files, segment: SegmentFile): AsyncGenerator<Uint8Array> {
  let at = 0;
  // A log that is written to never stops growing: what is there at the first short read, and once more, is enough.
  for (let short = 0; segment.plain && short < 2; ) {
    const bytes = await files.read(segment.path, at, at + RUN_BYTES);
    if (bytes === undefined) break;
    if (bytes.length < RUN_BYTES) short++;
    at += bytes.length;
    if (bytes.length > 0) yield bytes;
    if (short === 2) return;
  }
  let skip = at;
  if ((await files.read(`${segment.path}.gz`, 0, 1)) === undefined) return;
  for await (const piece of files.gunzip(`${segment.path}.gz`)) {
    if (piece.length > skip) yield piece.subarray(skip);
    skip = Math.max(0, skip - piece.length);
  }
}

type Part = Omit<Run, 'segment' | 'lastSegment'>;

async function* split(pieces: AsyncIterable<Uint8Array>, gap: TornGap | undefined): AsyncGenerator<Part> {
  const lines = new LineBuffer();
  const torn = sha256Stream();
  const limit = gap?.offset ?? Number.POSITIVE_INFINITY;
  let read = 0;
  let broken: string | undefined;
  try {
    for await (const piece of pieces) {
      const mine = piece.subarray(0, Math.max(0, Math.min(piece.length, limit - read)));
      if (mine.length < piece.length) torn.update(piece.subarray(mine.length));
      read += piece.length;
      for (let at = 0; at < mine.length; ) {
        at += lines.fill(mine.subarray(at));
        const part = lines.takeFull();
        if (part !== undefined) yield part;
      }
    }
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    broken = error.message;
  }
  const ending: SegmentEnding = {
    ...(gap === undefined ? {} : { gap }),
    tornBytes: Math.max(0, read - limit),
    tornSha256: torn.hex(),
    ...(broken === undefined ? {} : { broken }),
  };
  yield { ...lines.takeRest(), ending };
}

/** Bytes waiting for their newline. One spare byte comes first, for the leaf prefix. */
class LineBuffer {
  #buffer = new Uint8Array(1 + FIRST_BYTES);
  #end = 1;
  #offset = 0;
  /** Bytes dropped from a line that is too long to be an entry; its beginning is still in the buffer. */
  #dropped = 0;

  /** Takes what fits and says how much that was. */
  fill(piece: Uint8Array): number {
    if (this.#dropped > 0) {
      const newline = piece.indexOf(LINE_FEED);
      if (newline !== 0) {
        const gone = newline < 0 ? piece.length : newline;
        this.#dropped += gone;
        return gone;
      }
    }
    if (this.#end + piece.length > this.#buffer.length) this.#grow(this.#end + piece.length);
    const taken = piece.subarray(0, this.#dropped > 0 ? 1 : this.#buffer.length - this.#end);
    this.#buffer.set(taken, this.#end);
    this.#end += taken.length;
    return taken.length;
  }

  /** Whole lines, once the buffer is full or a line that is too long has ended. */
  takeFull(): Part | undefined {
    const ended = this.#buffer[this.#end - 1] === LINE_FEED && this.#end > 1;
    if (this.#dropped > 0) return ended ? this.#take(this.#end) : undefined;
    if (this.#end <= RUN_BYTES) return undefined;
    const newline = this.#buffer.lastIndexOf(LINE_FEED);
    if (newline > 0) return this.#take(newline + 1);
    const kept = 1 + MAX_LINE + 1;
    this.#dropped = this.#end - kept;
    this.#end = kept;
    return undefined;
  }

  takeRest(): Part {
    return this.#take(this.#end);
  }

  /** Small files need small buffers, and large ones soon have one of full size. */
  #grow(needed: number): void {
    const length = Math.min(1 + RUN_BYTES, Math.max(needed, 2 * this.#buffer.length));
    if (length <= this.#buffer.length) return;
    const grown = new Uint8Array(length);
    grown.set(this.#buffer.subarray(0, this.#end));
    this.#buffer = grown;
  }

  #take(end: number): Part {
    const buffer = this.#buffer;
    const bytes = end - 1 + this.#dropped;
    const part = { offset: this.#offset, bytes, buffer, start: 1, end };
    this.#offset += bytes;
    this.#dropped = 0;
    const rest = buffer.subarray(end, this.#end);
    this.#buffer = new Uint8Array(1 + (rest.length === 0 && end <= FIRST_BYTES ? 0 : RUN_BYTES));
    this.#buffer.set(rest, 1);
    this.#end = 1 + rest.length;
    return part;
  }
}
