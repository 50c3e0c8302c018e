// Walks a pack of content record by record. Each record must hold what its header commits to. A crash may have cut a
// record short, and the next one follows behind it: such a torn record is nobody's evidence and no damage. Everything
// else that is no record is damage, because neither a writer nor a crash leaves it. spec/content.md has the rules.
import { contentCommitments } from '../core/index.ts';
import {
  isPackHeaderStart,
  MAX_PACK_HEADER,
  MAX_PACKED,
  type PackHeader,
  scanPackHeader,
} from '../format/index.ts';
import type { Files } from './files.ts';

export interface PackVisitor {
  /** A whole record. `good` is undefined where the salt is gone and nothing can be said. */
  record(header: PackHeader, good: boolean | undefined, offset: number): void;
  /** A record that was cut short; its header where it can be read. At the tail the writing may still be going on. */
  torn(bytes: number, tail: boolean, header?: PackHeader): void;
  damaged(offset: number, message: string): void;
}

const LINE_FEED = 0x0a;
const MAX_RECORD = MAX_PACK_HEADER + MAX_PACKED + 1;
const WINDOW = 4 * MAX_RECORD;
/**
 * A header of a hundred bytes can claim a mebibyte of content, which has to be hashed before it is known to be cut
 * short. Crashes leave a few of those; a pack made of them would take hours.
 */
const MAX_WORK = 256 * MAX_PACKED;
const HASHED_A_BYTE = 16;
const B = 0x62; // a header begins with `blob `

/**
 * Reads the pack from `from`, which must be where a record begins. Gives the offset to go on from when the pack has
 * grown: its end, or the beginning of a torn record there.
 */
export async function scanPack(
  files: Files,
  path: string,
  from: number,
  salt: Uint8Array | undefined,
  visitor: PackVisitor,
): Promise<number> {
  let offset = from;
  const work = { hashed: 0 };
  const content = { isSalted: salt !== undefined, commit: contentCommitments(salt ?? null) };
  for (;;) {
    const bytes = (await files.read(path, offset, offset + WINDOW)) ?? new Uint8Array(0);
    const atEnd = bytes.length < WINDOW;
    const scan = new WindowScan(bytes, offset, atEnd, content, visitor, work);
    const used = scan.run();
    offset += used;
    if (work.hashed > MAX_WORK + HASHED_A_BYTE * offset) {
      visitor.damaged(offset, `up to offset ${offset}, records lie within records: the rest was not checked`);
      return Number.MAX_SAFE_INTEGER - WINDOW;
    }
    if (atEnd) return offset;
  }
}

interface SaltedContent {
  readonly isSalted: boolean;
  readonly commit: ReturnType<typeof contentCommitments>;
}

class WindowScan {
  readonly #bytes: Uint8Array;
  readonly #offset: number;
  readonly #atEnd: boolean;
  readonly #content: SaltedContent;
  readonly #visitor: PackVisitor;
  readonly #work: { hashed: number };

  constructor(
    bytes: Uint8Array,
    offset: number,
    atEnd: boolean,
    content: SaltedContent,
    visitor: PackVisitor,
    work: { hashed: number },
  ) {
    this.#work = work;
    this.#bytes = bytes;
    this.#offset = offset;
    this.#atEnd = atEnd;
    this.#content = content;
    this.#visitor = visitor;
  }

  /** How many bytes are settled. */
  run(): number {
    const size = this.#bytes.length;
    let at = 0;
    while (at < size && (this.#atEnd || size - at > MAX_RECORD)) {
      if (this.#work.hashed > MAX_WORK + HASHED_A_BYTE * (this.#offset + at)) return at;
      const header = scanPackHeader(this.#bytes, at);
      const next = header === undefined ? this.#noHeader(at) : this.#record(at, header);
      if (next < 0) return at;
      at = next;
    }
    return at;
  }

  /** Gives the offset to go on from; negative for a torn record at the end of the pack. */
  #noHeader(at: number): number {
    const next = this.#nextStart(at, this.#bytes.length);
    const end = next < 0 ? this.#bytes.length : next;
    if (this.#areHeaderStarts(at, end)) {
      this.#visitor.torn(end - at, next < 0);
      return next;
    }
    this.#visitor.damaged(
      this.#offset + at,
      `${end - at} bytes at offset ${this.#offset + at} are not a record`,
    );
    // A record's beginning may straddle the window's end.
    return next < 0 && !this.#atEnd ? Math.max(at + 1, end - MAX_PACK_HEADER) : end;
  }

  /** One header cut short, or several, each with the newline of the writer that came after it. */
  #areHeaderStarts(at: number, end: number): boolean {
    if (end - at > MAX_RECORD) return false;
    for (let start = at; start < end; ) {
      const newline = this.#bytes.indexOf(LINE_FEED, start);
      const stop = newline < 0 || newline > end ? end : newline;
      let to = stop;
      while (to > start && this.#bytes[to - 1] === 0) to--;
      if (!isPackHeaderStart(this.#bytes, start, to)) return false;
      start = stop + 1;
    }
    return true;
  }

  #record(at: number, header: PackHeader): number {
    const start = at + header.length;
    const end = start + header.bytes + 1;
    const size = this.#bytes.length;
    const whole = end <= size;
    const good = whole ? this.#holds(header, start, end - 1) : undefined;
    const separator = whole ? this.#bytes[end - 1] : undefined;
    if (separator === LINE_FEED && good !== false) {
      this.#visitor.record(header, good, this.#offset + at);
      return end;
    }
    if (good === true) {
      this.#visitor.record(header, good, this.#offset + at);
      // Cut just before its newline, with content that ends in one: the next writer saw nothing amiss.
      if (scanPackHeader(this.#bytes, end - 1) !== undefined && this.#bytes[end - 2] === LINE_FEED)
        return end - 1;
      this.#visitor.damaged(
        this.#offset + at,
        `the record at offset ${this.#offset + at} does not end in a newline`,
      );
      return end;
    }
    return this.#cutShort(at, header, start, end, separator);
  }

  /** A record whose content is not all there, or not what was committed to. */
  #cutShort(
    at: number,
    header: PackHeader,
    start: number,
    end: number,
    separator: number | undefined,
  ): number {
    const size = this.#bytes.length;
    const next = this.#nextStart(start - 1, Math.min(end - 1, size));
    const cut = next < 0 ? size : next;
    if (next >= 0 || end > size) {
      if (cut > start && this.#holds(header, start, cut - 1) === true && this.#bytes[cut - 1] === LINE_FEED) {
        this.#visitor.damaged(
          this.#offset + at,
          `the record at offset ${this.#offset + at} has a wrong length`,
        );
        return cut;
      }
      this.#visitor.torn(cut - at, next < 0, header);
      return next;
    }
    // A file system may give a file its new length before its new bytes, which then read as zero.
    if (separator === 0) {
      this.#visitor.torn(end - at, false, header);
      return end;
    }
    if (separator === LINE_FEED) {
      this.#visitor.record(header, false, this.#offset + at);
      return end;
    }
    this.#visitor.damaged(
      this.#offset + at,
      `the record at offset ${this.#offset + at} doesn't match its header`,
    );
    const later = this.#nextStart(start - 1, size);
    return later < 0 ? size : later;
  }

  #holds({ algorithm, hash }: PackHeader, start: number, end: number): boolean | undefined {
    const content = this.#bytes.subarray(start, end);
    this.#work.hashed += content.length;
    const { isSalted, commit } = this.#content;
    if (algorithm !== 'sha256' && !isSalted) return undefined;
    return commit(algorithm, content) === hash;
  }

  /** Where the next record begins, whole or cut short, its newline before it in [from, to); or -1. */
  #nextStart(from: number, to: number): number {
    const bytes = this.#bytes;
    for (let at = bytes.indexOf(LINE_FEED, from); at >= 0 && at < to; at = bytes.indexOf(LINE_FEED, at + 1)) {
      if (bytes[at + 1] !== B) continue;
      if (scanPackHeader(bytes, at + 1) !== undefined) return at + 1;
      const newline = bytes.indexOf(LINE_FEED, at + 1);
      if (newline < 0 && !this.#atEnd) continue;
      if (this.#areHeaderStarts(at + 1, newline < 0 ? bytes.length : newline)) return at + 1;
    }
    return -1;
  }
}
