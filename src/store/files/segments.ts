// The segment files of a log: which there are, the one being written, and new ones. Opened for appending only, so
// that no line can be overwritten even by a bug.
import { join } from 'node:path';
import {
  compareSegments,
  encodeSegmentName,
  parseSegmentName,
  SEGMENT_DIR,
  type Segment,
} from '../../format/index.ts';
import { hasCode } from './failure.ts';
import type { Fs, Stat } from './fs.ts';

export class Segments {
  readonly #directory: string;
  readonly #fs: Fs;
  #fd = -1;
  #open: Segment | undefined;

  constructor(directory: string, fs: Fs) {
    this.#directory = join(directory, SEGMENT_DIR);
    this.#fs = fs;
  }

  path(segment: Segment): string {
    return join(this.#directory, encodeSegmentName(segment));
  }

  /** Those not gzipped, in order. */
  list(): Segment[] {
    const segments: Segment[] = [];
    for (const { name } of this.#fs.list(this.#directory)) {
      const segment = tryParse(name);
      if (segment !== undefined && !segment.gzipped)
        segments.push({ first: segment.first, part: segment.part });
    }
    return segments.sort(compareSegments);
  }

  /** Opens a segment for appending, or keeps it open. */
  open(segment: Segment): Stat {
    if (this.#open === undefined || compareSegments(this.#open, segment) !== 0) {
      const fd = this.#fs.open(this.path(segment), 'ad');
      this.close();
      this.#fd = fd;
      this.#open = segment;
    }
    return this.#fs.stat(this.#fd);
  }

  /** Begins and opens a segment for lines from `first` on. Its name is durable when it resolves. */
  async create(first: number): Promise<Segment> {
    for (let part = 0; ; part++) {
      const segment = { first, part };
      try {
        this.#fs.close(this.#fs.open(this.path(segment), 'ax'));
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) throw error;
      }
      // One that a crash left empty is free to use.
      if (this.open(segment).size > 0) continue;
      await this.#fs.syncDirectory(this.#directory);
      return segment;
    }
  }

  /** Durable when it resolves. */
  append(bytes: Uint8Array): Promise<void> {
    return this.#fs.appendDurably(this.#fd, bytes);
  }

  sync(): Promise<void> {
    return this.#fs.datasync(this.#fd);
  }

  /** Runs `work` on a descriptor for reading. */
  reading<T>(segment: Segment, work: (fd: number, size: number) => T): T {
    const fd = this.#fs.open(this.path(segment), 'r');
    try {
      return work(fd, this.#fs.stat(fd).size);
    } finally {
      this.#fs.close(fd);
    }
  }

  close(): void {
    if (this.#fd >= 0) this.#fs.close(this.#fd);
    this.#fd = -1;
    this.#open = undefined;
  }
}

function tryParse(name: string): ReturnType<typeof parseSegmentName> | undefined {
  try {
    return parseSegmentName(name);
  } catch {
    return undefined;
  }
}
