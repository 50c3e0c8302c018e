// What a place that gives blocks must do, and what can be wrong with one. Nothing that it says is believed: it names a
// block, and whether that is one is found out from its header by who asked.
import type { HeaderReason } from '../../core/index.ts';

/** What a source says is a block, in its own words. */
export interface ClaimedBlock {
  readonly height: number;
  readonly hash: string;
  readonly header: Uint8Array;
}

/** Both ways of asking reject with a SourceError, soon after the signal at the latest. */
export interface BlockSource {
  /** For people. Has no password in it, and is short. */
  readonly name: string;
  newest(signal: AbortSignal): Promise<ClaimedBlock>;
  at(height: number, signal: AbortSignal): Promise<ClaimedBlock>;
}

export type ProblemCode =
  | 'NO_ANSWER' // not in time
  | 'UNREACHABLE' // no connection, or it broke off
  | 'REDIRECTED' // sent us elsewhere, where we do not go
  | 'REFUSED' // any other answer but 200
  | 'TOO_LONG' // more than an answer can have
  | 'UNREADABLE' // a file that is not there, or is something else
  | 'STALE' // a block, but an old one
  | 'CLOCK_BEHIND' // of ours: the block is newer than now
  | Exclude<HeaderReason, 'OK'>;

/** Something a source did wrong. Nothing in it is text that the source sent. */
export interface BlockProblem {
  readonly source: string;
  readonly code: ProblemCode;
  readonly message: string;
  /** When it was seen, in milliseconds since 1970. */
  readonly at: number;
}

export const MOST_PROBLEMS = 16;
const REMEMBERED = 24 * 3600 * 1000;

/** Those of the last day, oldest first, and of each kind the newest. */
export function mergeProblems(problems: readonly BlockProblem[], now: number): readonly BlockProblem[] {
  const kinds = new Map<string, BlockProblem>();
  for (const problem of [...problems].sort((a, b) => a.at - b.at)) {
    const kind = `${problem.code} ${problem.source}`;
    kinds.delete(kind); // so that the newest stands last
    if (problem.at <= now && now - problem.at <= REMEMBERED) kinds.set(kind, problem);
  }
  return [...kinds.values()].slice(-MOST_PROBLEMS);
}

export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly code: ProblemCode;

  constructor(code: ProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}

const LONGEST_NAME = 120;

/** A URL as people are shown it: without user, password and the rest. */
export function shownUrl(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname === '/' ? '' : url.pathname}`.slice(0, LONGEST_NAME);
}

export function shownPath(path: string): string {
  return path.length <= LONGEST_NAME ? path : `…${path.slice(1 - LONGEST_NAME)}`;
}
