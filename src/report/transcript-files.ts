// The transcripts on a machine: where agents put them, and their lines, read in pieces so that the size of a file does
// not matter. Only read, never written. Links are followed once; what is no plain file is left alone, and a file that
// can't be read is named, not hidden.
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { TRANSCRIPTS, type TranscriptKind } from '../capture/transcripts/index.ts';

export interface TranscriptFile {
  readonly kind: TranscriptKind;
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly changed: number;
}

export interface Places {
  /** Directories and files; where agents put their transcripts if there are none. */
  readonly given?: readonly string[];
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Deeper is nobody's transcript. */
const DEEPEST = 12;
const MOST_FILES = 200_000;
const PIECE = 512 * 1024;
/** A longer line is an image or a file that was read; nothing in it is judged. */
const LONGEST_LINE = 32 * 1024 * 1024;
const LONGEST_DOCUMENT = 256 * 1024 * 1024;

/** Sorted by path; each file once, by whatever links it is reached. */
export function findTranscripts({ given = [], home, env }: Places): TranscriptFile[] {
  const found: TranscriptFile[] = [];
  const seen = new Set<string>();
  const look = (path: string, kinds: readonly TranscriptKind[], depth: number): void => {
    const stat = statOf(path);
    if (stat === undefined || found.length >= MOST_FILES) return;
    const key = `${stat.dev}:${stat.ino}`;
    if (stat.isDirectory()) {
      if (depth > DEEPEST || seen.has(key)) return;
      seen.add(key);
      for (const name of namesIn(path)) {
        // A name is enough to tell most files that are none.
        if (name.isFile() && !/\.jsonl?$/.test(name.name)) continue;
        look(join(path, name.name), kinds, depth + 1);
      }
      return;
    }
    const named = kinds.find((each) => each.matches(path));
    // A file that somebody names is a transcript, whatever it is called.
    const kind = named ?? (depth === 0 ? kinds.at(-1) : undefined);
    if (kind === undefined || !stat.isFile() || seen.has(key)) return;
    seen.add(key);
    found.push({ kind, path, bytes: stat.size, changed: stat.mtimeMs });
  };
  for (const path of given) look(path, CLAIMING, 0);
  if (given.length === 0)
    for (const kind of TRANSCRIPTS) {
      const own = env[kind.home.variable];
      const places = [
        ...(own?.startsWith('/') ? kind.home.under.map((under) => join(own, under)) : []),
        ...kind.under.map((under) => join(home, under)),
      ];
      for (const place of places) look(place, [kind], 1);
    }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Where nothing says whose a file is, the one whose names are most of its own comes first. */
const CLAIMING = [...TRANSCRIPTS].sort(
  (a, b) => Number(a.agent === 'claude-code') - Number(b.agent === 'claude-code'),
);

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // a link in a circle, or nothing that we may see
  }
}

function namesIn(directory: string): import('node:fs').Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Throws what the system says. Lines are good until the next is asked for. `whole` gives the file in one piece. `read` is told of bytes as they are read. */
export function* readPieces(
  path: string,
  whole: boolean,
  read: (bytes: number) => void = () => undefined,
): Iterable<Buffer> {
  // A pipe that nobody writes to must not hold us up.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new Error('not a file');
    if (!whole) {
      yield* readLines(fd, read);
      return;
    }
    if (stat.size > LONGEST_DOCUMENT) throw new Error('larger than a transcript can be');
    const all = Buffer.allocUnsafe(stat.size);
    const count = readSync(fd, all, 0, stat.size, 0);
    read(count);
    yield all.subarray(0, count);
  } finally {
    closeSync(fd);
  }
}

function* readLines(fd: number, read: (bytes: number) => void): Iterable<Buffer> {
  // Used again and again: a line is gone when the next is asked for.
  const piece = Buffer.allocUnsafe(PIECE);
  let rest: Buffer[] = [];
  let length = 0;
  for (;;) {
    const count = readSync(fd, piece, 0, PIECE, null);
    if (count === 0) break;
    read(count);
    let start = 0;
    for (;;) {
      const end = piece.indexOf(10, start);
      if (end < 0 || end >= count) break;
      if (length > 0) {
        rest.push(piece.subarray(start, end));
        if (length + end - start <= LONGEST_LINE) yield Buffer.concat(rest);
        rest = [];
        length = 0;
      } else yield piece.subarray(start, end);
      start = end + 1;
    }
    if (start < count) {
      length += count - start;
      // Counted, but not kept.
      if (length <= LONGEST_LINE) rest.push(Buffer.from(piece.subarray(start, count)));
      else rest = [];
    }
  }
  if (length > 0 && length <= LONGEST_LINE) yield Buffer.concat(rest);
}
