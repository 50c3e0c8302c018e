// What stands in the way of the repository. None of it is in the way of the ledger: the repository follows from the
// entries and can be made good at any time. Nothing here throws for the state that a disk or a stranger left.

export type GitProblemCode =
  /** Somebody else is at it: it is left to them. */
  | 'BUSY'
  /** A lock file of git's stands in the way. */
  | 'LOCKED'
  /** A ref is at a commit that does not follow from the ledger. It is left alone. */
  | 'CONTRADICTION'
  /** It is no repository, or of a form that is not written here. */
  | 'FOREIGN'
  | 'DISK_FULL'
  /** The ledger's entries can't be read. */
  | 'LEDGER'
  | 'NO_GIT'
  /** The other repository did not take it, or could not be reached. */
  | 'PUSH'
  | 'IO';

export interface GitProblem {
  readonly problem: GitProblemCode;
  /** What it is and what to do about it, in a sentence or two. */
  readonly message: string;
  /** The refs that it is about: of a contradiction, of a push that was refused. */
  readonly refs?: readonly string[];
}

export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  readonly problem: GitProblemCode;

  constructor(problem: GitProblemCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}

export function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes(String((error as { code?: unknown }).code));
}

/** Of what was thrown while the repository was written. */
export function problemOf(error: unknown): GitProblem {
  if (error instanceof GitFailure) return { problem: error.problem, message: error.message };
  const message = error instanceof Error ? error.message : String(error);
  if (isErrno(error, 'ENOSPC', 'EDQUOT'))
    return {
      problem: 'DISK_FULL',
      message: `there is no space left for the git repository (${message}). Foil catches up when there is.`,
    };
  return { problem: 'IO', message: `the git repository can't be written: ${message}` };
}
