// A note of what a program has not recorded yet, or could not: calls that wait for a session, and what a wire refused
// while the ledger could not be written. The program keeps it up to date for as long as it lives. Once it has given up,
// or is gone, the note is free, and whoever records next tells of it as a gap: see missed.ts.
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { fateOf, processFact } from '../../session/index.ts';
import type { Missed } from './missed-time.ts';
import { isRuntimeDirectory, makeRuntimeDirectory } from './runtime-directory.ts';

const HELD = 'held-';
const LEFT = 'left-';
const UNFINISHED = '.new';
/** More than any that we write. */
const MOST_BYTES = 256 * 1024;

let notes = 0;

/** Nothing of it throws: there may be nowhere left to write. */
export class HeldNote {
  readonly #find: () => string;
  /** Where it was first: what says where notes are may be what can't be read now. */
  #directory: string | undefined;
  readonly #name = `${process.pid}-${Date.now().toString(36)}-${++notes}`;
  #held: string | undefined;

  constructor(find: () => string) {
    this.#find = find;
  }

  /** What is to be told if nothing more is heard of this process. It must be clean. False where that can't be written. */
  hold(missed: Missed): boolean {
    try {
      const directory = this.#directory ?? this.#find();
      makeRuntimeDirectory(directory);
      if (!isRuntimeDirectory(directory)) return false;
      const path = `${directory}/${HELD}${this.#name}`;
      const note = { v: 1, process: processFact(process.pid), ...missed };
      // On a full disk the note of before is still there.
      writeFileSync(`${path}${UNFINISHED}`, `${JSON.stringify(note)}\n`, { mode: 0o600 });
      renameSync(`${path}${UNFINISHED}`, path);
      [this.#directory, this.#held] = [directory, path];
      return true;
    } catch {
      return false;
    }
  }

  /** It is in the ledger. */
  told(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined) return;
    try {
      unlinkSync(held);
    } catch {
      // Somebody else told it, or cleared it away.
    }
  }

  /** It never will be, by this process: the next recorder may tell it at once. False where there is no note. */
  leave(): boolean {
    const held = this.#held;
    if (held === undefined) return false;
    try {
      renameSync(held, held.replace(`/${HELD}${this.#name}`, `/${LEFT}${this.#name}`));
    } catch {
      return false;
    }
    this.#held = undefined;
    return true;
  }
}

/** By its name. */
export function isHeldNote(name: string): boolean {
  return (name.startsWith(HELD) || name.startsWith(LEFT)) && !name.endsWith(UNFINISHED);
}

/** May it be taken: did its process give it up, or end? Never throws. */
export function isFreeNote(directory: string, name: string): boolean {
  if (name.startsWith(LEFT)) return true;
  try {
    const { process: by } = JSON.parse(readFileSync(`${directory}/${name}`, 'utf8')) as {
      readonly process: ReturnType<typeof processFact>;
    };
    const fate = fateOf(by);
    return fate === 'unknown' ? !isThere(by.pid) : fate !== 'running';
  } catch {
    return false;
  }
}

/** Undefined for what is none of ours. */
export function parseHeldNote(bytes: Uint8Array): Missed | undefined {
  if (bytes.length > MOST_BYTES) return undefined;
  let note: unknown;
  try {
    note = JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    return undefined;
  }
  const { since, until, events, why, calls } = (note ?? {}) as Record<string, unknown>;
  if (!isMoment(since) || !isMoment(until) || typeof why !== 'string' || !Array.isArray(calls))
    return undefined;
  if (!Number.isSafeInteger(events) || Number(events) < 1) return undefined;
  return {
    since,
    until,
    events: Number(events),
    why,
    calls: calls.filter((call) => typeof call === 'string'),
  };
}

function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ESRCH';
  }
}
