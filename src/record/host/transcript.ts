// The host's own record of a session, where it keeps one: read to see whether it tells of tool calls, or of ends of turns,
// that never reached us, because the service was away or a hook was skipped. What stands in it is the host's word, in
// a file that the agent can write: it can show that something is missing, never that nothing is.
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { sha256Hex } from '#platform';
import type { Json } from '../../core/index.ts';

/** What one line of the transcript tells of. */
export interface ToldLine {
  /** The ids of tool calls. */
  readonly calls: readonly string[];
  /** When it was written, where it is the last message of a turn. */
  readonly turnEnd: string | null;
}

export type ReadLine = (line: Json) => ToldLine;

/** What one host's lines tell, each where they do. */
export interface TranscriptReader {
  /** Held against what was recorded. */
  readonly readLine?: ReadLine;
  /** Of a message of the model's: its words. Empty at a prompt: what is older is of another turn. */
  readonly messageIn?: (line: Json) => string | null;
  /** Of the last message of a turn: when it was written. */
  readonly endIn?: (line: Json) => string | null;
  /** Of a message of the model's: which model. */
  readonly modelIn?: (line: Json) => string | null;
  /** Of the end of this call: its exit code. */
  readonly exitIn?: (line: Json, id: string) => number | null;
}

/** What the transcript tells of, as far as it was read. */
export interface ToldByHost {
  readonly calls: readonly string[];
  /** When turns ended. */
  readonly turnEnds: readonly string[];
  /** Where to go on from the next time. */
  readonly end: number;
}

/** More of one turn is not looked at: what is older comes first, and is left out. */
const MOST_BYTES = 8 * 1024 * 1024;
/** Fewer than the calls that a session remembers: older ones it may have forgotten. */
const MOST_CALLS = 200;

/** Where it ends now; 0 where there is none. */
export function transcriptEnd(path: string | null): number {
  try {
    return path === null ? 0 : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  } catch {
    return 0;
  }
}

/** Of a turn, where the host's record of it begins. */
export interface TranscriptMark {
  /** Which file, by the hash of its path: a path may hold what must not be kept. */
  readonly of: string;
  readonly from: number;
  /** As long as it was seen to be since. The agent can write it, and may have made it shorter. */
  readonly longest: number;
}

/** How long it is now. `begins`: what comes is of another turn, or of another try to end this one. */
export function markTranscript(
  path: string | null,
  before: TranscriptMark | undefined,
  begins: boolean,
): TranscriptMark | undefined {
  if (path === null) return before;
  const of = sha256Hex(path);
  const size = transcriptEnd(path);
  if (begins) return { of, from: size, longest: size };
  const { from, longest } = before?.of === of ? before : { from: 0, longest: 0 };
  return { of, from, longest: Math.max(longest, size) };
}

/** What it tells of since `from`. Null where it can't be read. Never throws. */
export function readTranscript(path: string, from: number, readLine: ReadLine): ToldByHost | null {
  try {
    const text = readLines(path, from);
    if (text === undefined) return null;
    const told = text.lines
      // Most lines tell of nothing, and taking one apart takes long.
      .filter((line) => line.includes('"tool_use"') || line.includes('"end_turn"'))
      .flatMap((line) => parsedOr(line, readLine) ?? []);
    const calls = new Set(told.flatMap((line) => line.calls));
    const turnEnds = told.flatMap(({ turnEnd }) => turnEnd ?? []);
    return { calls: [...calls].slice(-MOST_CALLS), turnEnds, end: text.end };
  } catch {
    return null;
  }
}

/** What the newest line that tells anything tells; null where none does. Never throws. */
export function newestIn<T>(
  path: string,
  holding: string,
  read: (line: Json) => T | null,
  from = 0,
): T | null {
  try {
    const { lines } = readLines(path, from, MOST_NEWEST) ?? { lines: [] };
    for (const line of lines.filter((each) => each.includes(holding)).reverse()) {
      const found = parsedOr(line, read);
      if (found !== null) return found;
    }
  } catch {
    // There is none, or none that can be read.
  }
  return null;
}

/** A host's record may lag behind what it tells its hooks, in milliseconds. */
const LAG = [0, 30, 70, 150, 300, 600];

/** Looks again, not for ever, until there is something. */
export async function onceWritten<T>(look: () => T | null): Promise<T | null> {
  for (const wait of LAG) {
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const found = look();
    if (found !== null) return found;
  }
  return null;
}

/** Waits for a turn's last message that is newer than `since`. */
export async function untilWritten(
  path: string,
  endIn: (line: Json) => string | null,
  since: string,
): Promise<void> {
  await onceWritten(() => ((newestIn(path, '.message"', endIn) ?? '') > since ? true : null));
}

/** The newest lines are looked for near the end. */
const MOST_NEWEST = 1024 * 1024;

function parsedOr<T>(line: string, read: (line: Json) => T | null): T | null {
  try {
    return read(JSON.parse(line) as Json);
  } catch {
    return null;
  }
}

/** Whole lines only: the last one may still be being written. */
function readLines(
  path: string,
  from: number,
  most = MOST_BYTES,
): { lines: string[]; end: number } | undefined {
  // A host may name anything; a pipe that nobody writes to must not hold us up.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return undefined;
    // Shorter than it was: another one, from its beginning.
    const start = Math.max(from > stat.size ? 0 : from, stat.size - most);
    const bytes = Buffer.alloc(stat.size - start);
    const read = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, start));
    const whole = read.subarray(0, read.lastIndexOf(0x0a) + 1);
    return { lines: whole.toString('utf8').split('\n'), end: start + whole.length };
  } finally {
    closeSync(fd);
  }
}
