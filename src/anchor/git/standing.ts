// How a ledger's repository stands, by what its writer left on disk: no git is run and no entry is read.
import { type GitProblem, problemOf } from './git-problem.ts';
import { gitDirectory, readSettings } from './repository.ts';
import { readWritten } from './written.ts';

export interface GitStanding {
  readonly end: 'merge' | 'archive';
  /** The last entry that it covers; 0 where that is not known. */
  readonly position: number;
  /** Refs that were found to contradict the ledger. */
  readonly contradicting: readonly string[];
}

/** Undefined where there is no repository. Never throws. */
export function gitStanding(ledger: string): GitStanding | GitProblem | undefined {
  const git = gitDirectory(ledger);
  try {
    const settings = readSettings(git);
    if (settings === undefined) return undefined;
    const written = readWritten(git);
    const contradicting = Object.keys(written?.stuck ?? {}).sort();
    return { end: settings.end, position: written?.seq ?? 0, contradicting };
  } catch (error) {
    return problemOf(error);
  }
}
