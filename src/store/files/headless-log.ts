// A log without a head to go by: from where its entries can be followed, where they end, and how many of them its
// checkpoint covers. It only reads.
import { join } from 'node:path';
import { utf8Decode } from '#platform';
import { parseDecimal, StoreError } from '../../core/index.ts';
import { CHECKPOINT_FILE, compareSegments, GENESIS, type Head, type Position } from '../../format/index.ts';
import type { Fs } from './fs.ts';
import { damaged } from './log-errors.ts';
import type { Segments } from './segments.ts';
import type * as walk from './walk.ts';
import { readWhole } from './whole-file.ts';

/** Reads the remains of a crash. Handed in, so that a process that meets none need not load it. */
export type Walk = Pick<typeof walk, 'firstLine' | 'holdsEntry' | 'sha256Range' | 'walkLines'>;

/** A log, as far as its files tell. */
export interface LogFiles {
  readonly directory: string;
  readonly fs: Fs;
  readonly segments: Segments;
  readonly walk: Walk;
}

/** The newest place from which every entry can be followed: the newest segment that begins with an entry. */
export function beginningOf({ directory, fs, segments, walk: remains }: LogFiles): Position {
  const listed = segments.list();
  const [first] = listed;
  if (first === undefined) throw new StoreError('NOT_FOUND', `there is no ledger in ${directory}.`);
  let start: Position | undefined =
    first.first === 1 ? { seq: 0, hash: GENESIS, segment: first, offset: 0 } : undefined;
  for (const segment of listed.toReversed()) {
    const line = segments.reading(segment, (fd) => remains.firstLine(fs, fd));
    if (line?.seq !== segment.first) continue;
    start = { seq: line.seq - 1, hash: line.prev, segment, offset: 0 };
    // One that begins with a gap goes with those before it: they may have remains that are not named yet.
    if (line.kind !== 'gap') break;
  }
  if (start === undefined) throw damaged(`no segment of ${directory} begins with an entry`);
  return start;
}

/**
 * Where the log ends, for whoever only reads and finds no head: the last entry that follows from those before it.
 * Nothing is settled, so what a crash left behind stays for the next writer.
 */
export function lookAtEnd(log: LogFiles): Head {
  const { fs, segments, walk: remains } = log;
  let position = beginningOf(log);
  const from = position.segment;
  for (const segment of segments.list()) {
    if (compareSegments(segment, from) < 0) continue;
    const { head, offset } = segments.reading(segment, (fd, size) =>
      remains.walkLines(fs, fd, 0, size, position),
    );
    if (offset > 0) position = { ...head, segment, offset };
  }
  return position;
}

/**
 * What the second line of the checkpoint says, or 0 where there is none that can be read. Whether the rest of it is good
 * is for the sealer and the verifier: taking a note apart would cost a short-lived process more than all its other checks.
 */
export function checkpointSize({ directory, fs }: Pick<LogFiles, 'directory' | 'fs'>): number {
  try {
    const note = readWhole(fs, join(directory, CHECKPOINT_FILE));
    if (note === undefined) return 0;
    const start = note.indexOf(0x0a) + 1;
    return parseDecimal(utf8Decode(note.subarray(start, note.indexOf(0x0a, start))));
  } catch {
    return 0;
  }
}
