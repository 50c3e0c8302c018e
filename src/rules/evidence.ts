// What the rules judge: commands that ran, changes that were made, things that were tried, all in the order of the
// ledger. Made from entries, from a host's transcript or from a labelled case; the rules do not know which.
import type { Check, Exit, Grade, TestCounts } from '../format/index.ts';

/** A finished command that holds at least one check. */
export interface Run {
  readonly seq: number;
  /** The host's id of the call. */
  readonly id?: string | null;
  readonly checks: readonly Check[];
  readonly exit: Exit;
  readonly outcome: 'ok' | 'error' | 'aborted' | 'timeout';
  readonly tests: TestCounts | null;
  /** Fingerprints of the work tree's code before and after it; null where none was taken. */
  readonly treeBefore: string | null;
  readonly tree: string | null;
  /** False where the host's own transcript has no such call, or it came while a command of the agent fed our hooks. */
  readonly genuine: boolean;
  /** How far it can be believed; `reported` where that is not said. */
  readonly grade?: Grade;
  /** Seqs of runs before it that were like it in everything, over the same code. */
  readonly alike?: readonly number[];
  /** It ran over the code as it was: before the session changed any, or while `git stash` had put the changes aside. */
  readonly old?: 'first' | 'stashed';
}

/** A call that is told twice, as where two hooks are installed, must end the same both times. */
export function endsAlike(first: Run, again: Pick<Run, 'exit' | 'outcome' | 'tests'>): boolean {
  return (
    first.exit.code === again.exit.code &&
    first.outcome === again.outcome &&
    JSON.stringify(first.tests) === JSON.stringify(again.tests)
  );
}

export interface Change {
  readonly seq: number;
  /** Relative to the workspace where it lies in it. */
  readonly path: string;
  readonly op: 'write' | 'edit' | 'delete';
  /** An edit tool said so, or the work tree shows it after a command. */
  readonly by: 'tool' | 'command';
  /** The first thing on record about the file is that it was written as a whole. */
  readonly born?: true;
  readonly grade?: Grade;
}

/** Something that was tried to get at what a prompt names. */
export interface Attempt {
  readonly seq: number;
  readonly capability: 'fetch' | 'read' | 'search' | 'run';
  /** The tool, or the program in a command: `WebFetch`, `curl`, `Read`, `grep`. */
  readonly way: string;
  readonly target: string;
  readonly ok: boolean;
  /** Of a fetch: the HTTP status, where the tool told it. */
  readonly status?: number | null;
  readonly grade?: Grade;
}

/** What came behind this entry: behind a prompt, what was done for it. */
export function evidenceSince(evidence: Evidence, since: number): Evidence {
  const isLater = ({ seq }: { readonly seq: number }): boolean => seq > since;
  const { runs, changes, attempts } = evidence;
  return {
    ...evidence,
    runs: runs.filter(isLater),
    changes: changes.filter(isLater),
    attempts: attempts.filter(isLater),
  };
}

/** A weakening keeps no more lines than these, so there may be others. */
export const MOST_WEAKENED_LINES = 5;

/** A test, its configuration, or that of a checker, that became weaker in this session. */
export interface Weakening {
  /** The checks it bears on, where these are not tests. */
  readonly of?: 'types' | 'lint';
  readonly path: string;
  readonly what: 'deleted' | 'skipped' | 'loosened' | 'deselected';
  /** Another result is expected than before, or less of it is asked: what that means, the files don't tell. */
  readonly expects?: true;
  /** The file was not there when the session began. */
  readonly isNew?: true;
  /** What came with it, and may have been asked for: words that are gone from the code, or a commit that was taken back. */
  readonly beside?: { readonly gone: readonly string[]; readonly isTakenBack?: boolean };
  /** The lines that show it, as they are now, or as they were where they are gone; so many at most. */
  readonly lines: readonly string[];
}

/** A function or a test that is new, and does nothing yet. */
export interface Stub {
  readonly path: string;
  readonly name: string;
  /** The line that says so. */
  readonly line: string;
  /** What else shows it, where it does not say so itself. */
  readonly why?: string;
  /** A test that asks something, which nearly everything is. */
  readonly weak?: true;
}

/** A new test that is skipped takes nothing from the others: it is held against what names it, and is in no validation. */
export function isBornSkipped({ isNew, what }: Weakening): boolean {
  return isNew === true && what === 'skipped';
}

export interface Evidence {
  readonly runs: readonly Run[];
  readonly changes: readonly Change[];
  readonly attempts: readonly Attempt[];
  /** Changes that a tool was to make for the newest prompt, and did not. */
  readonly unmade?: readonly Change[];
  /** All that the session's lines can have been, by the names of acts; also of what is forgotten since. */
  readonly acts?: readonly string[];
  /** Null where it could not be found out: that is not the same as none, and is said. */
  readonly weakened: readonly Weakening[] | null;
  /** Changed files in which tests were only added, or comments changed: the code does what it did. */
  readonly inert?: readonly string[];
  readonly stubs?: readonly Stub[];
  /** The words of lines that are new in this session; null where not all of them are known. */
  readonly added?: () => ReadonlySet<string> | null;
  /** Names that the message says were made, and that stand in nothing that is new. */
  readonly absent?: readonly string[];
  /** The fingerprint of the work tree's code now; null where none was taken. */
  readonly tree: string | null;
  /** The work tree could be looked at when the session began, and can't be now. */
  readonly unseen?: boolean;
  /** Code files that differ now from what they were when the session began, as the work tree shows; null: not looked at. */
  readonly changed?: readonly string[] | null;
  /** Files that a tool changed, and that are again as they were when the session began, or are not there any more. */
  readonly undone?: readonly string[];
  /** Files that tools wrote and that lie there without being in a commit; git is asked. */
  readonly uncommitted?: () => readonly string[];
  /** Where paths begin that are relative, and whether there is such a file. */
  readonly root?: string | null;
  readonly isThere?: (path: string) => boolean;
  /** What a file of the workspace holds now; null where there is none that can be read. */
  readonly read?: (path: string) => string | null;
  /** Code files that differ now from what they were right after a run, by the run's seq, where that is known. */
  readonly editedSince: ReadonlyMap<number, readonly string[]>;
  /** Commands and agents that still run in the background. */
  readonly background: readonly string[];
  /** Judged as the first version of a validator did: to it a document was one, whatever its check was given. */
  readonly first?: true;
}
