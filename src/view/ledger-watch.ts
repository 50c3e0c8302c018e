// Whether the files of a ledger still are what they were when somebody began to look, apart from what was added. Only
// names, sizes and times are compared, and the checkpoint is read where it is another: a ledger of a million entries can be
// looked at every second. It says what was seen, and leaves it to `foil verify` to say what that means.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openCheckpoint, ParseError, StoreError, sameBytes } from '../core/index.ts';
import {
  CHECKPOINT_DIR,
  CHECKPOINT_FILE,
  compareSegments,
  encodeCheckpointName,
  encodeSegmentName,
  parseSegmentName,
  SEGMENT_DIR,
  type Segment,
} from '../format/index.ts';
import { ContentWatch } from './content-watch.ts';

interface SegmentFile extends Segment {
  /** As it is called while it is not gzipped. */
  readonly name: string;
  readonly gzipped: boolean;
  readonly size: number;
  /** When it was last written to, and which file it is. */
  readonly written: string;
}

interface SeenCheckpoint {
  readonly size: number;
  readonly written: string;
}

export class LedgerWatch {
  readonly #directory: string;
  readonly #content: ContentWatch;
  #segments: ReadonlyMap<string, SegmentFile> | undefined;
  #checkpoint: SeenCheckpoint | undefined;
  /** Written to and no longer than before: an append may be on its way. Told if it is still so at the next look. */
  #inDoubt: string | undefined;

  constructor(directory: string) {
    this.#directory = directory;
    this.#content = new ContentWatch(directory);
  }

  /** What happened to its files since the last look, other than growth. NOT_FOUND where they are gone. */
  look(): string[] {
    let told: string[];
    try {
      told = [...this.#lookAtSegments(), ...this.#lookAtCheckpoint(), ...this.#content.look()];
    } catch (error) {
      if (!isMissing(error)) throw error;
      throw new StoreError('NOT_FOUND', `there is no ledger in ${this.#directory} any more.`, {
        cause: error,
      });
    }
    return told.map((what) => `${what} while the viewer was open. Run \`foil verify\`.`);
  }

  #lookAtSegments(): string[] {
    const before = this.#segments;
    const now = segmentsIn(join(this.#directory, SEGMENT_DIR));
    this.#segments = now;
    if (before === undefined) return [];
    const last = [...before.values()].sort(compareSegments).at(-1);
    return [...before.values()].flatMap((file) => this.#told(file, now, file === last) ?? []);
  }

  #told(file: SegmentFile, all: ReadonlyMap<string, SegmentFile>, mayGrow: boolean): string | undefined {
    const now = all.get(file.name);
    const path = `${SEGMENT_DIR}/${file.name}`;
    if (now === undefined) return `The file ${path} of this ledger was removed`;
    // Archiving makes another file of it, which says the same.
    if (now.gzipped !== file.gzipped || now.written === file.written) return undefined;
    if (now.size < file.size) return `The file ${path} of this ledger was cut`;
    const hasGrown = now.size > file.size;
    if (mayGrow && hasGrown) return undefined;
    if (mayGrow && this.#inDoubt !== now.written) {
      this.#inDoubt = now.written;
      this.#segments = new Map(all).set(file.name, file);
      return undefined;
    }
    return `The file ${path} of this ledger was changed`;
  }

  /** A newer one, which is also kept under its own name, is what sealing leaves. */
  #lookAtCheckpoint(): string[] {
    const before = this.#checkpoint;
    const path = join(this.#directory, CHECKPOINT_FILE);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) {
      this.#checkpoint = undefined;
      return before === undefined ? [] : ['The checkpoint of this ledger was removed'];
    }
    const written = writtenAt(stats);
    if (before?.written === written) return [];
    const size = this.#sizeOf(path);
    this.#checkpoint = { size, written };
    return before !== undefined && size <= before.size ? ['The checkpoint of this ledger was changed'] : [];
  }

  /** 0 where it is no checkpoint that the ledger keeps. */
  #sizeOf(path: string): number {
    try {
      const bytes = readFileSync(path);
      const { size } = openCheckpoint(bytes).checkpoint;
      const kept = readFileSync(join(this.#directory, CHECKPOINT_DIR, encodeCheckpointName(size)));
      return sameBytes(bytes, kept) ? size : 0;
    } catch (error) {
      if (error instanceof ParseError || error instanceof RangeError || isMissing(error)) return 0;
      throw error;
    }
  }
}

/** By the name that each has while it is not gzipped. Where both are there, the plain one counts: it is removed last. */
function segmentsIn(directory: string): Map<string, SegmentFile> {
  const files = new Map<string, SegmentFile>();
  for (const name of readdirSync(directory).sort()) {
    const segment = segmentOf(name);
    const stats = statSync(join(directory, name), { throwIfNoEntry: false });
    if (segment === undefined || stats === undefined) continue;
    const plain = encodeSegmentName(segment);
    if (!segment.gzipped || !files.has(plain))
      files.set(plain, { ...segment, name: plain, size: stats.size, written: writtenAt(stats) });
  }
  return files;
}

function segmentOf(name: string): (Segment & { readonly gzipped: boolean }) | undefined {
  try {
    return parseSegmentName(name);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

function writtenAt({ ino, mtimeMs, size }: { ino: number; mtimeMs: number; size: number }): string {
  return `${ino} ${mtimeMs} ${size}`;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === 'ENOENT';
}
