// What was not recorded, written down where it can be until the ledger can be told: a line for each event that failed,
// in the runtime directory, one for each that came while recording was paused, a note for each session whose hooks ran
// with FOIL=off, and one for each program that ended with something unrecorded (held-note.ts). Whoever records next, be
// it a hook or a program, takes the notes and writes them as `gap` entries, and each failure of a hook as a `crash`. A
// note is taken by renaming it, so that two recorders never tell it twice; one who dies with a note leaves it to the next.
import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
} from 'node:fs';
import { type Crash, PAUSED, type RecordingGap } from '../../format/index.ts';
import { fitting, shorten } from '../short.ts';
import { isFreeNote, isHeldNote, parseHeldNote } from './held-note.ts';
import { gapOf } from './missed-time.ts';
import { isRuntimeDirectory, makeRuntimeDirectory } from './runtime-directory.ts';

/** An event that happened and could not be recorded. */
export interface Missed {
  readonly at: number;
  readonly agent: string;
  readonly event: string;
  readonly call: string | null;
  readonly why: string;
  /** The host's session. */
  readonly session?: string | null;
  /** It is a prompt. */
  readonly prompt?: boolean;
}

const FAILED = 'failed';
const PASSED = 'paused';
const OFF = 'off-';
const TOLD = 'told-';
/** More than this is counted by nobody: the gap says since when and until when. */
const MOST_BYTES = 1024 * 1024;
const MOST_CALLS = 100;
/** At a time; the others are told with the next entry. */
const MOST_NOTES = 16;
const MOST_CALL_BYTES = 32_768;
/** The newest, each in an entry of its own. One more entry tells how many came before; the gap counts them all. */
const MOST_CRASHES = 8;
const LONGEST_NAME = { length: 100, bytes: 200 };
/** An id in a gap, and a reason: a note that no entry can hold would be in the way of every entry after it. */
const LONGEST_CALL = { length: 200, bytes: 1024 };
const LONGEST_WHY = { length: 500, bytes: 4096 };

/** Never throws: there may be nowhere left to write. False then. What it is given must be clean: it goes to a file. */
export function noteMissed(directory: string, missed: Missed): boolean {
  return note(directory, FAILED, missed);
}

/** The same of an event that was let go because recording is paused: whoever records next tells of it. */
export function notePassed(directory: string, missed: Omit<Missed, 'why'>): boolean {
  return note(directory, PASSED, { ...missed, why: PAUSED });
}

function note(directory: string, name: string, missed: Missed): boolean {
  try {
    makeRuntimeDirectory(directory);
    if (!isRuntimeDirectory(directory)) return false;
    const path = `${directory}/${name}`;
    if (existsSync(path) && statSync(path).size > MOST_BYTES) return true;
    const { call, why, session = null } = missed;
    const short = {
      ...missed,
      session: session === null ? null : shorten(session, LONGEST_CALL),
      call: call === null ? null : shorten(call, LONGEST_CALL),
      why: shorten(why, LONGEST_WHY),
    };
    appendFileSync(path, `${JSON.stringify(short)}\n`, { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}

/** How many such notes wait since the session's last prompt that was missed, this one included; null where they are not all there. Never throws. */
export function countMissed(directory: string, { agent, event, session = null }: Missed): number | null {
  try {
    const bytes = isRuntimeDirectory(directory) ? readFileSync(`${directory}/${FAILED}`) : null;
    if (bytes === null || bytes.length > MOST_BYTES) return null;
    const short = session === null ? null : shorten(session, LONGEST_CALL);
    const ofSession = missedIn(bytes).filter(
      (each) => each.agent === agent && (each.session ?? null) === short,
    );
    const since = ofSession.findLastIndex(({ prompt }) => prompt === true);
    return ofSession.slice(since + 1).filter((each) => each.event === event).length;
  } catch {
    return null;
  }
}

/** A session's hooks run with FOIL=off: since when is in the note, until when is its time. Never throws. */
export function noteOff(directory: string, session: string | null, now: number): void {
  if (session === null) return;
  try {
    makeRuntimeDirectory(directory);
    if (!isRuntimeDirectory(directory)) return;
    const path = `${directory}/${OFF}${offName(session)}`;
    if (existsSync(path)) utimesSync(path, now / 1000, now / 1000);
    else appendFileSync(path, String(now), { flag: 'ax', mode: 0o600 });
  } catch {
    // Off is off.
  }
}

/**
 * Is recording off for this session? Its hooks that see the environment leave a note; those that do not, because they
 * come over HTTP, go by it.
 */
export function isOff(directory: string, session: string | null): boolean {
  if (session === null) return false;
  const name = offName(session);
  const noted = existsSync(`${directory}/${OFF}${name}`) || existsSync(`${directory}/${TOLD}${name}`);
  return noted && isRuntimeDirectory(directory);
}

/** A hook that sees the environment was recorded: the session is on again. Those notes that were not told stay. */
export function clearOff(directory: string, session: string | null): void {
  if (session === null) return;
  try {
    unlinkSync(`${directory}/${TOLD}${offName(session)}`);
  } catch {
    // It never was off, as nearly always.
  }
}

export interface Taken {
  readonly gaps: readonly RecordingGap[];
  /** The same failures, as crashes of the hooks that had them. */
  readonly crashes: readonly Crash[];
  /** They are in the ledger. */
  told(): void;
  /** They are not. */
  putBack(): void;
}

const NOTHING: Taken = { gaps: [], crashes: [], told: () => undefined, putBack: () => undefined };

/** The notes that wait in any of these. Cheap where there are none, as nearly always. Never throws. */
export function takeMissed(...directories: readonly string[]): Taken {
  const [taken = NOTHING, ...more] = directories.map(takeIn).filter((each) => each !== NOTHING);
  if (more.length === 0) return taken;
  const all = [taken, ...more];
  return {
    gaps: all.flatMap(({ gaps }) => gaps),
    crashes: all.flatMap(({ crashes }) => crashes),
    told() {
      for (const each of all) each.told();
    },
    putBack() {
      for (const each of all) each.putBack();
    },
  };
}

function takeIn(directory: string): Taken {
  let names: string[];
  try {
    if (!existsSync(directory)) return NOTHING;
    names = readdirSync(directory);
  } catch {
    return NOTHING;
  }
  const waiting = names.filter((name) => isWaiting(directory, name));
  if (waiting.length === 0 || !isRuntimeDirectory(directory)) return NOTHING;
  const taken: { to: string; original: string; size: number; gap: RecordingGap }[] = [];
  const crashes: Crash[] = [];
  for (const name of waiting.slice(0, MOST_NOTES)) {
    const original = name.replace(TAKEN, '');
    // A service takes notes while it still tells of others.
    const to = `${directory}/${original}.taken-${process.pid}-${++takes}`;
    try {
      // A pipe would never come to its end.
      if (!lstatSync(`${directory}/${name}`).isFile()) continue;
      renameSync(`${directory}/${name}`, to);
      const bytes = readFileSync(to);
      const gap = gapIn(original, to, bytes);
      if (gap === undefined) unlinkSync(to);
      else {
        taken.push({ to, original, size: bytes.length, gap });
        if (original === FAILED) crashes.push(...crashesIn(missedIn(bytes)));
      }
    } catch {
      // Somebody else took it.
    }
  }
  const finish = (work: (note: (typeof taken)[number]) => void) => (): void => {
    for (const note of taken) {
      try {
        work(note);
      } catch {
        // It will be found again, as one that was left behind.
      }
    }
  };
  return {
    gaps: taken.map(({ gap }) => gap),
    crashes,
    told: finish(({ to, original, size }) => {
      if (original.startsWith(OFF)) {
        renameSync(to, `${directory}/${TOLD}${original.slice(OFF.length)}`);
        return;
      }
      // Whoever had opened it before it was taken may have written one more line.
      const late = readFileSync(to).subarray(size);
      if (isList(original) && late.length > 0)
        appendFileSync(`${directory}/${original}`, late, { mode: 0o600 });
      unlinkSync(to);
    }),
    putBack: finish(({ to, original }) => {
      const path = `${directory}/${original}`;
      if (isList(original)) putBackList(to, path);
      else renameSync(to, path);
    }),
  };
}

/** Another hook may have begun a new list meanwhile, which must not be lost; and may still write to this one. */
function putBackList(from: string, path: string): void {
  try {
    linkSync(from, path);
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
    const bytes = readFileSync(from);
    appendFileSync(path, bytes, { mode: 0o600 });
    const late = readFileSync(from).subarray(bytes.length);
    if (late.length > 0) appendFileSync(path, late);
  }
  unlinkSync(from);
}

function isWaiting(directory: string, name: string): boolean {
  if (TAKEN.test(name)) return isOrphan(name);
  return isList(name) || name.startsWith(OFF) || (isHeldNote(name) && isFreeNote(directory, name));
}

/** What the next entry will tell of, without taking it. Never throws. */
export function peekPending(...directories: readonly string[]): readonly RecordingGap[] {
  return directories.flatMap((directory) => {
    try {
      if (!isRuntimeDirectory(directory)) return [];
      const waiting = readdirSync(directory).filter((name) => isWaiting(directory, name));
      return waiting.slice(0, MOST_NOTES).flatMap((name) => peekGap(directory, name) ?? []);
    } catch {
      return [];
    }
  });
}

function peekGap(directory: string, name: string): RecordingGap | undefined {
  const path = `${directory}/${name}`;
  try {
    return lstatSync(path).isFile() ? gapIn(name.replace(TAKEN, ''), path, readFileSync(path)) : undefined;
  } catch {
    return undefined; // it was told meanwhile
  }
}

/** A line for each event. */
function isList(name: string): boolean {
  return name === FAILED || name === PASSED;
}

/** What failed and was not told yet, without taking it. Null where there is nothing. Never throws. */
export function peekFailed(...directories: readonly string[]): RecordingGap | null {
  for (const directory of directories) {
    try {
      const path = `${directory}/${FAILED}`;
      const gap = failedGap(path, readFileSync(path));
      if (gap !== undefined) return gap;
    } catch {
      // None there.
    }
  }
  return null;
}

/** The crashes that are not in the ledger yet, without taking them. Never throws. */
export function peekCrashes(...directories: readonly string[]): readonly Crash[] {
  return directories.flatMap((directory) => {
    try {
      return isRuntimeDirectory(directory) ? crashesIn(missedIn(readFileSync(`${directory}/${FAILED}`))) : [];
    } catch {
      return [];
    }
  });
}

/** The host's id, or the part of it that can be a file's name. */
export function offName(session: string): string {
  return session.replace(/[^\w-]/g, '').slice(0, 64);
}

/** Which process has it, and which of its takes it was. */
const TAKEN = /\.taken-(\d+)(?:-\d+)?$/;
let takes = 0;

function isOrphan(name: string): boolean {
  const pid = TAKEN.exec(name)?.[1];
  if (pid === undefined || Number(pid) === process.pid) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as { code?: unknown }).code === 'ESRCH';
  }
}

function missedIn(bytes: Buffer): Missed[] {
  const missed: Missed[] = [];
  for (const line of bytes.toString().split('\n')) {
    try {
      const { at, agent, event, call, why, session = null, prompt = false } = JSON.parse(line) as Missed;
      if (Number.isFinite(at) && typeof why === 'string')
        missed.push({ at, agent, event, call, why, session, prompt });
    } catch {
      // Torn, or not ours.
    }
  }
  return missed;
}

function crashesIn(missed: readonly Missed[]): Crash[] {
  const name = (text: unknown): string => shorten(String(text), LONGEST_NAME).toWellFormed();
  const crash = ({ at, agent, event, why }: Missed): Crash => ({
    hook: `hook ${name(agent)}`,
    event: name(event),
    error: shorten(why, LONGEST_WHY).toWellFormed(),
    at: moment(at),
    from: 'fallback',
  });
  const before = missed.slice(0, -MOST_CRASHES);
  const newest = missed.slice(-MOST_CRASHES).map(crash);
  const [first] = before;
  if (first === undefined) return newest;
  const error = `${before.length} more before the ${MOST_CRASHES} that follow, the first of them: ${first.why}`;
  return [crash({ ...first, why: error }), ...newest];
}

function gapIn(name: string, path: string, bytes: Buffer): RecordingGap | undefined {
  if (isList(name)) return failedGap(path, bytes);
  if (!isHeldNote(name)) return offGap(path, bytes);
  const missed = parseHeldNote(bytes);
  return missed === undefined ? undefined : gapOf(missed);
}

function failedGap(path: string, bytes: Buffer): RecordingGap | undefined {
  const whole = bytes.length <= MOST_BYTES;
  const missed = missedIn(bytes);
  const [first] = missed;
  if (first === undefined) return undefined;
  const times = missed.map(({ at }) => at);
  const calls = missed.map(({ call }) => call).filter((call) => typeof call === 'string');
  return {
    reason: missed.every(({ why }) => why === PAUSED) ? 'off' : 'unrecorded',
    since: moment(Math.min(...times)),
    until: moment(whole ? Math.max(...times) : statSync(path).mtimeMs),
    events: whole ? missed.length : null,
    why: shorten(first.why, LONGEST_WHY).toWellFormed(),
    calls: fitting(
      calls.slice(0, MOST_CALLS).map((call) => shorten(call, LONGEST_CALL).toWellFormed()),
      MOST_CALL_BYTES,
    ),
  };
}

function offGap(path: string, bytes: Buffer): RecordingGap {
  const { mtimeMs } = statSync(path);
  const since = Number(bytes.toString('latin1', 0, 20));
  return {
    reason: 'off',
    since: moment(Number.isFinite(since) && since > 0 ? Math.min(since, mtimeMs) : mtimeMs),
    until: moment(mtimeMs),
    events: null,
    why: 'FOIL=off was set for a session',
    calls: [],
  };
}

function moment(time: number): string {
  return new Date(Math.max(0, Math.min(8.64e15, time))).toISOString();
}
