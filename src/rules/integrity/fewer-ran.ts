// Tests that ran when the session began and run no more, by the runner's own counts: the files declare as many as before, the
// same command ran fewer. However that was done, it was done by what changed beside the code.
import type { Run } from '../evidence.ts';
import { profileOf } from './test-profile.ts';

export interface Ran {
  readonly runs: readonly Run[];
  /** Were tests and their settings then as when the session began? */
  readonly isOfBeginning: (run: Run) => boolean;
}

/** What two runs must share to be compared; null where nobody knows how many tests ran. */
function keyOf({ checks, tests, genuine }: Run): string | null {
  const [check, other] = checks.filter(({ kind }) => kind === 'test');
  if (!genuine || check === undefined || other !== undefined || tests === null || tests.total === null)
    return null;
  const { command, directory, targets, selectors } = check;
  return JSON.stringify([command, directory, targets, selectors, tests.runner]);
}

const countOf = ({ tests }: Run): number => (tests?.passed ?? 0) + (tests?.failed ?? 0);

/** The counts, in words; null where as many ran, or nobody knows. */
export function fewerRan({ runs, isOfBeginning }: Ran): string | null {
  const last = runs.findLast((run) => keyOf(run) !== null);
  if (last === undefined || last.tests?.failed !== 0) return null;
  const first = runs.find((run) => run !== last && keyOf(run) === keyOf(last) && isOfBeginning(run));
  if (first === undefined || countOf(last) === 0 || countOf(last) >= countOf(first)) return null;
  return `${countOf(first)} tests ran at first, ${countOf(last)} now`;
}

/** Does the file declare all the tests, and cases of them, that it did? */
export function declaresAsMany(path: string, before: string, now: string): boolean {
  const [was, is] = [profileOf(path, before), profileOf(path, now)];
  if (was?.kind !== 'test' || is?.kind !== 'test') return was?.kind === is?.kind;
  return is.tests >= was.tests && is.tables === was.tables && (is.cases ?? 0) >= (was.cases ?? 0);
}
