// What can be said of a command line before anybody knows how it ended.
import type { Check } from '../format/index.ts';

export { type Found, MAX_WORDS } from '../ecosystems/index.ts';

export interface Where {
  /** The directory the line was started in, absolute; null where the host does not say. */
  readonly cwd: string | null;
  /** The workspace. */
  readonly root: string | null;
  /** Files changed in this session, relative to the workspace. */
  readonly changed?: readonly string[];
}

/** A way that was tried; whether it worked is for the caller to add. */
export interface Way {
  readonly capability: 'fetch' | 'read' | 'search' | 'run';
  readonly way: string;
  readonly target: string;
}

/** What a command does to a file, as its words say. */
export interface Effect {
  /** Empty: to files that are not named. */
  readonly path: string;
  readonly op: 'write' | 'edit' | 'delete';
  /** It is not gone, but here. */
  readonly to?: string;
}

export const UNNAMED: Effect = { path: '', op: 'edit' };

/** A file that the line writes: from the workspace where it lies in it, else absolute, or as it was written. */
export interface Written extends Effect {
  /** No check of the line comes after it. */
  readonly last: boolean;
}

/** What stands between a check and who reads its output: the words of each program behind the pipe. */
export type View = readonly (readonly string[])[];

/** A line that `echo` prints, as a pattern: with a group where it is an exit code. */
export interface Told {
  readonly text: string;
  readonly line: string;
  /** It has no words: only the last line of the output can be it. */
  readonly isBare: boolean;
  /** It stands in a loop. */
  readonly isMany: boolean;
  /** What passed if the code is 0, and what passed if the line is there at all. */
  readonly zero: readonly Check[];
  readonly known: readonly Check[];
  /** What passed if the line is not there: `curl … || echo "no answer"`. */
  readonly absent?: readonly Check[];
  /** Where the code is `$?`: the command right before it. */
  readonly last?: string;
}

export interface CommandFacts {
  readonly checks: readonly Check[];
  /** Checks whose output went through other programs, where the words of these are known. */
  readonly views: ReadonlyMap<Check, View>;
  /** Checks that ran whatever came before, unless that is told. */
  readonly reached: ReadonlySet<Check>;
  /** By a check, what has passed if it runs at all: `git commit` before `&& git push`. */
  readonly after: ReadonlyMap<Check, readonly Check[]>;
  /** What the line itself prints of how they ended. */
  readonly told: readonly Told[];
  /** It runs nothing that could fail but one check. */
  readonly single: boolean;
  /** Behind so many checks it runs a program that nobody knows: what is printed may be its word. */
  readonly foreign: number;
  /** Behind so many it runs the first of those; none where that is not known. */
  readonly firstForeign?: number;
  /** What it prints by itself before it runs the first of those, and behind how many checks. */
  readonly heads?: readonly { readonly text: string; readonly behind: number }[];
  readonly attempts: readonly Way[];
  /** It feeds our own hooks: what was recorded meanwhile may be forged. */
  readonly feedsHooks: boolean;
  readonly background: boolean;
  readonly writes: boolean;
  /** The files that it changed by its own words, in order; far from all. */
  readonly wrote: readonly Written[];
  readonly changed?: readonly string[] | undefined;
  /** Too long, or no shell that can be read: then nothing is said of it. */
  readonly unparsed: boolean;
  /** Words by which the line itself prints what looks like a report: then counts in its output are not a runner's. */
  readonly pasted: string | null;
  /** It prints words of success by itself: then a summary in no known form is not a runner's either. */
  readonly says: boolean;
  /** Errors, or all that is printed, go elsewhere somewhere in it. */
  readonly mutes?: boolean;
  /** It runs no other program before its first check. */
  readonly opens?: boolean;
}

export const MAX_COMMAND = 64 * 1024;
export const MAX_CHECKS = 8;
export const MAX_ATTEMPTS = 16;
export const MAX_TEXT = 256;
export const MAX_WRITTEN = 64;

export function basename(path: string): string {
  const whole = path.replace(/\/+$/, '');
  return whole.slice(whole.lastIndexOf('/') + 1);
}

export function clip(text: string, most = MAX_TEXT): string {
  const kept = text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  // Half a character before the ellipsis would not be text.
  return kept.replace(/[\ud800-\udbff](?=…$)/, '');
}
