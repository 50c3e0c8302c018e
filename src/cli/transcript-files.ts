// The transcripts on a machine: where agents put them, which of them are new enough, and their lines, read in pieces so
// that the size of a file does not matter. Only read, never written; a file that can't be read is named, not hidden.
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TRANSCRIPTS, type TranscriptKind } from '../capture/transcripts/index.ts';

export interface TranscriptFile {
  readonly kind: TranscriptKind;
  readonly path: string;
  readonly bytes: number;
  readonly changed: number;
}

/** Deeper is nobody's transcript, and a link must not lead in circles. */
const DEEPEST = 8;
const MOST_FILES = 200_000;
const PIECE = 1024 * 1024;
/** A longer line is an image or a file that was read; nothing in it is judged. */
const LONGEST_LINE = 32 * 1024 * 1024;

/** In `directories`, or where agents put them under `home`. Sorted by path. */
export function findTranscripts(directories: readonly string[], home: string): TranscriptFile[] {
  const found = new Map<string, TranscriptFile>();
  const look = (directory: string, kinds: readonly TranscriptKind[], depth: number): void => {
    let names: import('node:fs').Dirent[];
    try {
      names = readdirSync(directory, { withFileTypes: true });
    } catch {
      return;
    }
    for (const name of names) {
      if (found.size >= MOST_FILES) return;
      const path = join(directory, name.name);
      if (name.isDirectory() && depth < DEEPEST) look(path, kinds, depth + 1);
      else if (name.isFile()) {
        const kind = kinds.find((each) => each.matches(path));
        const stat = kind === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
        if (kind !== undefined && stat !== undefined)
          found.set(path, { kind, path, bytes: stat.size, changed: stat.mtimeMs });
      }
    }
  };
  if (directories.length > 0) for (const directory of directories) look(directory, CLAIMING, 0);
  else for (const kind of TRANSCRIPTS) for (const under of kind.under) look(join(home, under), [kind], 0);
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Where nothing says whose a file is, the one whose names are most of its own comes first. */
const CLAIMING = [...TRANSCRIPTS].sort(
  (a, b) => Number(a.agent === 'claude-code') - Number(b.agent === 'claude-code'),
);

/** Throws what the system says. `whole` gives the file in one piece. */
export function* readPieces(path: string, whole: boolean): Iterable<string> {
  // A pipe that nobody writes to must not hold us up.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    if (whole) {
      if (size > LONGEST_LINE * 8) return;
      const all = Buffer.alloc(size);
      yield all.toString('utf8', 0, readSync(fd, all, 0, size, 0));
      return;
    }
    yield* readLines(fd);
  } finally {
    closeSync(fd);
  }
}

function* readLines(fd: number): Iterable<string> {
  let rest: Buffer[] = [];
  let length = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE);
    const count = readSync(fd, piece, 0, PIECE, null);
    if (count === 0) break;
    let start = 0;
    for (let end = piece.indexOf(10); end >= 0 && end < count; end = piece.indexOf(10, start)) {
      if (length > 0) {
        rest.push(piece.subarray(start, end));
        if (length + end - start <= LONGEST_LINE) yield Buffer.concat(rest).toString('utf8');
        rest = [];
        length = 0;
      } else yield piece.toString('utf8', start, end);
      start = end + 1;
    }
    if (start < count) {
      length += count - start;
      // Counted, but not kept.
      if (length <= LONGEST_LINE) rest.push(piece.subarray(start, count));
    }
  }
  if (length > 0 && length <= LONGEST_LINE) yield Buffer.concat(rest).toString('utf8');
}
