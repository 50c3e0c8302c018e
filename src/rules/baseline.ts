// Which tests failed before the work: over the code as the session found it, or as it was while `git stash` had put the changes
// aside. As many failures of the same tests afterwards say nothing against the work.
import type { Contract } from '../format/index.ts';
import type { Attempt, Evidence, Run } from './evidence.ts';

const STASH = /^git (?:-\S+ )*stash\b(?! (?:list|show|drop|clear|create|store)\b)/;
const UNSTASH = / stash (?:pop|apply|branch)\b/;

/** Whether tests that failed just now ran over the old code, as far as the attempts up to then tell. */
export function oldCode(
  { seq, tests }: Pick<Run, 'seq' | 'tests'>,
  attempts: readonly Attempt[],
  isChanged: boolean,
): Pick<Run, 'old'> {
  if (tests === null || tests.failed === 0) return {};
  const stashes = attempts.filter(({ target }) => STASH.test(target));
  // The same line may put the changes back after its tests.
  const own = stashes.find((attempt) => attempt.seq === seq && !UNSTASH.test(attempt.target));
  const last = own ?? stashes.at(-1);
  if (last !== undefined && !UNSTASH.test(last.target)) return { old: 'stashed' };
  return isChanged ? {} : { old: 'first' };
}

/** No more of these tests fail than failed over the old code, so this says nothing against the work. */
export function isAsBefore(run: Run, { runs }: Evidence, { intent, fields }: Contract): boolean {
  const failed = run.tests?.failed ?? 0;
  // If the prompt is about the tests, old failures count.
  if (
    failed === 0 ||
    fields.keywords.some((word) => /^(?:tests?|testing|specs?|suite|failing|failures?)$/i.test(word))
  )
    return false;
  return runs.some(
    (other) =>
      other.old !== undefined &&
      (other.old === 'stashed' || intent !== 'fix') &&
      other.genuine &&
      other.tests?.runner === run.tests?.runner &&
      (other.tests?.failed ?? 0) >= failed &&
      testsIn(other) === testsIn(run),
  );
}

function testsIn({ checks }: Run): string {
  const tests = checks.filter(({ kind }) => kind === 'test');
  return JSON.stringify(
    tests.map(({ runner, targets, selectors, directory }) => [runner, targets, selectors, directory]),
  );
}
