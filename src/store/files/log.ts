// The log on disk, as seen from inside the exclusive section: where it ends, how lines are added, and what is done
// about the remains of a crash. Nothing is ever truncated or overwritten.
//
// The order that makes it safe: lines written, lines synced, caller told, and the head published before the section is
// left. So a published head may lag but never leads; lines past it are adopted if whole and valid; bytes past it that
// are no entry stay where they are, and a new segment begins with a `gap` that names them.
import { StoreError } from '../../core/index.ts';
import {
  compareSegments,
  encodeGap,
  encodeSegmentName,
  type Gap,
  GENESIS,
  type Head,
  LineWriter,
  type Position,
  type Segment,
} from '../../format/index.ts';
import { hasCode, storeError } from './failure.ts';
import type { Fs, Stat } from './fs.ts';
import { HeadFile } from './head-file.ts';
import { beginningOf, checkpointSize, type LogFiles, lookAtEnd, type Walk } from './headless-log.ts';
import { lineBefore, linesBefore } from './last-line.ts';
import { damaged, isNoSpace, removedLog, shortLog } from './log-errors.ts';
import { Segments } from './segments.ts';

/** A segment is closed when the next lines would take it past this. */
export const SEGMENT_LIMIT = 48 * 1024 * 1024;

export interface LogOptions {
  readonly fs: Fs;
  readonly walk: Walk;
  readonly now: () => number;
  /** Was the lock file removed? Then another ledger may lie in its place, which this lock does not protect. */
  readonly lockGone: () => boolean;
  readonly segmentLimit?: number;
  readonly readOnly?: boolean;
}

export class Log {
  readonly #directory: string;
  readonly #fs: Fs;
  readonly #walk: Walk;
  readonly #now: () => number;
  readonly #limit: number;
  readonly #lockGone: () => boolean;
  readonly #head: HeadFile;
  readonly segments: Segments;
  readonly #files: LogFiles;
  #settled: Position | undefined;
  #poison: StoreError | undefined;

  constructor(
    directory: string,
    { fs, walk: remains, now, lockGone, segmentLimit = SEGMENT_LIMIT, readOnly = false }: LogOptions,
  ) {
    this.#directory = directory;
    this.#fs = fs;
    this.#walk = remains;
    this.#now = now;
    this.#limit = segmentLimit;
    this.#lockGone = lockGone;
    this.#head = new HeadFile(directory, fs, readOnly, () => {
      if (lockGone()) throw removedLog(this.#directory);
    });
    this.segments = new Segments(directory, fs);
    this.#files = { directory, fs, segments: this.segments, walk: remains };
  }

  /**
   * A first segment, and a head before the first entry. EXISTS if there are lines already. The remains of a first
   * entry that was cut short are moved aside: no ledger can begin with a gap.
   */
  async create(): Promise<void> {
    const used = this.segments
      .list()
      .filter((segment) => this.segments.reading(segment, (_, size) => size) > 0);
    const begun = (segment: Segment): boolean =>
      this.segments.reading(segment, (fd, size) => this.#walk.holdsEntry(this.#fs, fd, 0, size));
    // Between a roll and the next line, all lines may be in gzipped segments.
    const archived = used.length === 0 && (this.#head.read()?.seq ?? 0) > 0;
    if (archived || (used.length > 0 && (this.#head.read()?.seq !== 0 || used.some(begun)))) {
      throw new StoreError(
        'EXISTS',
        `${this.#directory} already has a ledger. Use it, or choose another directory.`,
      );
    }
    for (const segment of used)
      this.#fs.rename(this.segments.path(segment), `${this.segments.path(segment)}.torn`);
    const segment = await this.segments.create(1);
    this.#head.publish({ seq: 0, hash: GENESIS, segment, offset: 0 });
    await this.#head.sync();
    await this.#fs.syncDirectory(this.#directory);
  }

  /**
   * Where the log ends as far as is known without looking at it: the published head, or what this handle wrote
   * since. Needs no section. Undefined if the head is missing or torn.
   */
  known(): Head | undefined {
    const published = this.#head.read();
    const own = this.#settled;
    return published !== undefined && own !== undefined && own.seq > published.seq ? own : published;
  }

  /**
   * The place for the next line. Call inside the section, before each write. Throws StoreError when the log is
   * shorter than its head or checkpoint, or when what stands before the head is not what the head says.
   */
  async settle(): Promise<Position> {
    if (this.#poison !== undefined) throw this.#poison;
    const known = this.#settled;
    const published = this.#head.read();
    this.#settled = published === undefined ? await this.#rebuild() : await this.#catchUp(published, known);
    return this.#settled;
  }

  /**
   * Makes lines durable behind the position that settle or the last write left. Rejects if that can't be had; the
   * lines may then be there or not. A failed sync poisons the log: the kernel may have dropped what it could not
   * write, so nothing later on this handle could be trusted.
   */
  async write(lines: Uint8Array, head: Head): Promise<void> {
    let position = this.#position();
    if (position.offset > 0 && position.offset + lines.length > this.#limit) position = await this.roll();
    await this.#append(lines);
    const { segment, offset } = position;
    this.#settled = { seq: head.seq, hash: head.hash, segment, offset: offset + lines.length };
  }

  /**
   * The lines behind entry `seq`, all of which are written; undefined where they have more than `most` bytes or begin in an
   * earlier segment. Inside the section.
   */
  behind(seq: number, most: number): Uint8Array | undefined {
    const { seq: last, segment, offset } = this.#position();
    if (seq > last) return undefined;
    if (seq === last) return new Uint8Array(0);
    try {
      const wanted = { count: last - seq, most };
      return this.segments.reading(segment, (fd) => linesBefore(this.#fs, fd, offset, wanted));
    } catch {
      return undefined; // whoever asked reads it in another way, and is told why it can't
    }
  }

  /** Tells other processes where the log ends. Inside the section, after one or more writes. Undefined where nobody knows. */
  publish(): Head | undefined {
    if (this.#poison !== undefined || this.#settled === undefined) return undefined;
    try {
      this.#head.publish(this.#settled);
      return this.#settled;
    } catch (error) {
      // The head may lag: whoever comes next finds the lines behind it.
      throw isNoSpace(error) ? error : this.#poisoned(error);
    }
  }

  /** Closes the current segment, if it has lines, and goes on in a new one. */
  async roll(): Promise<Position> {
    const position = this.#position();
    if (position.offset === 0) return position;
    const segment = await this.#next(position);
    try {
      this.#settled = { ...position, segment, offset: 0 };
      this.#head.publish(this.#settled);
      // After a power cut, an older head would send lines to the closed segment.
      await this.#head.sync();
      return this.#settled;
    } catch (error) {
      throw this.#poisoned(error);
    }
  }

  /**
   * For a log that ends before its head: writes down which acknowledged entries are gone and goes on from where it
   * really ends. Under a checkpoint nothing may be lost: SHORT_LOG still. Inside the section, instead of settle.
   */
  async acceptLoss(): Promise<{ left: number }> {
    const claimed = this.#head.read();
    this.#settled = await this.#rebuild(claimed);
    // The gap that tells of the loss is the last line, and those that tell of torn bytes come just before it.
    const { segment } = this.#settled;
    return { left: segment.first - 1 };
  }

  close(): void {
    this.#head.close();
    this.segments.close();
    this.#poison ??= new StoreError('CLOSED', 'the ledger is closed.', { fatal: true });
  }

  #position(): Position {
    if (this.#settled === undefined) throw new TypeError('settle first');
    return this.#settled;
  }

  async #catchUp(published: Position, known: Position | undefined): Promise<Position> {
    if (known !== undefined && compareSegments(published.segment, known.segment) < 0) {
      throw damaged(`the head of ${this.#directory} went back to an earlier segment`);
    }
    const { size, links } = this.#openSegment(published.segment);
    if (links === 0) throw removedLog(this.#directory);
    if (size < published.offset) {
      throw shortLog(
        this.#directory,
        `its head says that ${encodeSegmentName(published.segment)} has ${published.offset} bytes, but it has ${size}`,
      );
    }
    // Looked at when the head is not the one this handle left: the entry before it must be the one it names, or lines
    // written behind it would follow from nothing. Once a handle: no later segment has lines.
    if (known === undefined || !isSamePosition(known, published)) this.#compareWithHead(published);
    const behind = size > published.offset || (known === undefined && this.#hasLater(published.segment));
    if (behind) return this.#adopt(published);
    if (known === undefined) this.#compareWithCheckpoint(published.seq);
    return published;
  }

  #openSegment(segment: Segment): Stat {
    try {
      return this.segments.open(segment);
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) throw error;
      throw this.#lockGone()
        ? removedLog(this.#directory)
        : shortLog(this.#directory, `${encodeSegmentName(segment)} is missing`);
    }
  }

  #hasLater(segment: Segment): boolean {
    const later = this.segments.list().filter((other) => compareSegments(other, segment) > 0);
    return later.some((other) => this.segments.reading(other, (_, size) => size) > 0);
  }

  #compareWithHead(position: Position): void {
    const last =
      position.offset === 0
        ? this.#lastOfClosed(position)
        : this.#lineBefore(position.segment, position.offset);
    if (last === 'archived') return;
    if (last?.seq !== position.seq || last.hash !== position.hash) {
      throw damaged(`entry ${position.seq} of ${this.#directory} is not the one its head names`);
    }
  }

  #lineBefore(segment: Segment, offset?: number): ReturnType<typeof lineBefore> {
    return this.segments.reading(segment, (fd, size) => lineBefore(this.#fs, fd, offset ?? size));
  }

  /** A segment just begun is empty: the head's entry is the last of the one before, which was closed whole. */
  #lastOfClosed({ seq, segment }: Position): ReturnType<typeof lineBefore> | 'archived' {
    if (seq === 0) return 'archived';
    const before = this.segments.list().filter((other) => compareSegments(other, segment) < 0);
    const used = before.findLast((other) => this.segments.reading(other, (_, size) => size) > 0);
    return used === undefined ? 'archived' : this.#lineBefore(used);
  }

  #compareWithCheckpoint(seq: number): void {
    const size = checkpointSize(this.#files);
    if (size > seq)
      throw shortLog(this.#directory, `its checkpoint covers ${size} entries, but the log has ${seq}`);
  }

  /** Takes in what lies past a head: valid lines as they are, anything else by a gap in a new segment. */
  async #adopt(
    from: Position,
    { headless = false, claimed }: { headless?: boolean; claimed?: Position | undefined } = {},
  ): Promise<Position> {
    let position = from;
    const torn: Gap[] = [];
    for (const segment of this.segments.list().filter((other) => compareSegments(other, from.segment) >= 0)) {
      const start = compareSegments(segment, from.segment) === 0 ? from.offset : 0;
      const { head, offset, rest } = this.segments.reading(segment, (fd, size) => {
        const walked = this.#walk.walkLines(this.#fs, fd, start, size, position);
        const bytes = size - walked.offset;
        // Without a head nobody knows which bytes were acknowledged; what an entry follows surely was.
        if (headless && this.#walk.holdsEntry(this.#fs, fd, walked.offset, size)) {
          throw damaged(`${this.segments.path(segment)} has bytes between its entries that aren't an entry`);
        }
        return {
          ...walked,
          rest: { bytes, sha256: this.#walk.sha256Range(this.#fs, fd, walked.offset, size) },
        };
      });
      if (offset > start || rest.bytes > 0) await this.#syncSegment(segment);
      if (offset > start) {
        // Its first lines are the gaps that name what was torn, in order; a crash may have cut off the last of them.
        torn.splice(0, head.seq - position.seq);
        position = { ...head, segment, offset };
      }
      if (rest.bytes > 0) torn.push({ reason: 'torn', file: encodeSegmentName(segment), offset, ...rest });
    }
    this.#compareWithCheckpoint(position.seq);
    if (torn.length > 0 && position.seq === 0) {
      throw new StoreError(
        'NOT_FOUND',
        `creating the ledger in ${this.#directory} was interrupted. Run \`foil init\` again.`,
      );
    }
    if (claimed !== undefined && claimed.seq > position.seq) {
      torn.push({ reason: 'lost', from: position.seq + 1, to: claimed.seq, headHash: claimed.hash });
    }
    if (torn.length > 0) return this.#writeGaps(torn, position);
    this.segments.open(position.segment);
    this.#head.publish(position);
    return position;
  }

  /** What is adopted, and the very bytes that a gap names, must still be there after a power cut. */
  async #syncSegment(segment: Segment): Promise<void> {
    this.segments.open(segment);
    try {
      await this.segments.sync();
    } catch (error) {
      throw this.#poisoned(error);
    }
  }

  /** The head moves only once the gaps are durable: until then the next opener finds the same remains again. */
  async #writeGaps(gaps: readonly Gap[], position: Position): Promise<Position> {
    let { seq, hash } = position;
    const writer = new LineWriter();
    const ts = new Date(this.#now()).toISOString();
    for (const gap of gaps) {
      seq += 1;
      hash = writer.write({ kind: 'gap', payload: encodeGap(gap), source: 'ledger' }, ts, seq, hash);
    }
    const segment = await this.segments.create(position.seq + 1);
    const lines = writer.take();
    await this.#append(lines);
    this.#head.publish({ seq, hash, segment, offset: lines.length });
    return { seq, hash, segment, offset: lines.length };
  }

  /** Where it ends, for whoever only reads and finds no head. */
  look(): Head {
    return lookAtEnd(this.#files);
  }

  /** The head, where there is none to read. */
  async #rebuild(claimed?: Position): Promise<Position> {
    return this.#adopt(beginningOf(this.#files), { headless: true, claimed });
  }

  /** Without room for a new segment, the one before stays the one that is written to. */
  async #next({ seq, segment }: Position): Promise<Segment> {
    try {
      return await this.segments.create(seq + 1);
    } catch (error) {
      if (!isNoSpace(error)) throw this.#poisoned(error);
      this.segments.open(segment);
      throw error;
    }
  }

  async #append(lines: Uint8Array): Promise<void> {
    try {
      await this.segments.append(lines);
    } catch (error) {
      // Out of space, part of the lines may be there: the next settle finds and records that. Anything else may have
      // been the sync.
      throw isNoSpace(error) ? error : this.#poisoned(error);
    }
  }

  #poisoned(error: unknown): Error {
    const cause = storeError(error, 'write to', this.#directory, { fatal: true });
    this.#poison = new StoreError(
      'POISONED',
      `an earlier write to ${this.#directory} failed (${cause.message}). Reopen the ledger to continue.`,
      { fatal: true, cause },
    );
    return cause;
  }
}

function isSamePosition(a: Position, b: Position): boolean {
  return (
    a.seq === b.seq &&
    a.hash === b.hash &&
    a.offset === b.offset &&
    compareSegments(a.segment, b.segment) === 0
  );
}
