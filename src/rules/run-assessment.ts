// What one finished command proves: nothing, or that its check passed, fresh, over what the turn is about. Each way in
// which it can fall short has its own code and a sentence that names it, so that nobody has to guess what to do next.
import {
  belongsTo,
  isEmptyName,
  isEveryCheck,
  isManifest,
  isTestFile,
  nameWords,
  samePath,
  segments,
  stemWords,
  traitsOf,
} from '../ecosystems/index.ts';
import { type Check, type Claim, type FlawCode, isOwn } from '../format/index.ts';
import { isAsBefore } from './baseline.ts';
import { gapOf, isPart } from './coverage.ts';
import { isBornSkipped, MOST_WEAKENED_LINES, type Run, type Weakening } from './evidence.ts';
import { changedDuring, editsSince } from './freshness.ts';
import { type Fail, failOf, type ValidatorContext } from './validators/validator.ts';
import { isAllowed } from './weakening-consent.ts';

export interface Need {
  /** Tests must have been counted, not only an exit code. A test run that counted none never passes. */
  readonly tests: boolean;
  /** Code must not have changed since. */
  readonly fresh: boolean;
  /** It must reach what the turn is about. */
  readonly covers: boolean;
}

/** Null where it passes. */
export function shortfallOf(run: Run, check: Check, need: Need, context: ValidatorContext): Fail | null {
  const name = `\`${check.command}\``;
  // Tests over a copy elsewhere may be meant to fail, so they say nothing about the work.
  const isApart = check.kind === 'test' && check.directory === null && gapOf(check, context.scope) !== null;
  const fail: MakeFail = (status, code, reason) =>
    isApart && status === 'failed'
      ? failOf('narrow', 'another-directory', `${name} ran outside of the workspace.`, [run.seq])
      : failOf(status, code, reason, [run.seq]);
  if (!run.genuine)
    return fail(
      'trick',
      'forged',
      `${name} isn't in the host's transcript, so the event didn't come from the host.`,
    );
  // What failed before the work says nothing against it.
  const asBefore = context.claim.type === 'done' && isAsBefore(run, context.evidence, context.contract);
  const summary = asBefore ? 'passed' : check.summary;
  // What stands in its place, or other code, has failed.
  if (summary === 'failed' && check.flaw?.code !== 'shadowed')
    return fail(
      'failed',
      'failed',
      check.kind === 'http' ? `${name} got no answer.` : `${name} failed, according to its own summary.`,
    );
  if (summary === 'unclear')
    return fail(
      'unbacked',
      'unclear-end',
      run.exit.code === 0
        ? `The line ends with 0 whatever ${name} finds, and nothing shows what it found. Run it alone.`
        : `A command of the same line failed with exit code ${run.exit.code}, and nothing shows how ${name} ended. Run it alone.`,
    );
  // What the runner says of itself stands in for an exit code that nobody can have.
  const isSummed = summary === 'passed';
  // "`deploy --dry-run` went through" claims no more than that.
  const isSaid = check.flaw?.code === 'dry-run' && context.claim.quote.includes(check.flaw.detail);
  if (!isSummed && check.flaw !== null && !isOwn(check) && !isSaid)
    return fail('trick', check.flaw.code, flawReason(check.flaw.code, check));
  if (!isSummed && run.exit.code === null)
    return fail(
      'unbacked',
      'unknown-exit',
      `Nobody knows how ${name} ended, so it doesn't count as a success.`,
    );
  const counted = need.tests || (check.kind === 'test' && run.tests !== null);
  const nothing =
    counted && run.tests !== null && run.tests.failed === 0 ? countShortfall(run, name, fail) : null;
  if (run.exit.code !== 0 && nothing?.code === 'nothing-ran') return nothing;
  if (!isSummed && run.exit.code !== 0)
    return fail('failed', 'failed', `${name} failed with exit code ${run.exit.code}.`);
  if (!isSummed && run.outcome !== 'ok')
    return fail('failed', 'failed', `${name} didn't finish (${run.outcome}).`);
  const isQuiet = run.tests === null && traitsOf(check.runner.split(' ', 1).join())?.quiet === true;
  const uncounted = counted && !isQuiet ? countShortfall(run, name, fail, asBefore) : null;
  if (uncounted !== null) return uncounted;
  const narrow = need.covers ? narrowness(check, context, name, fail) : null;
  if (narrow !== null) return narrow;
  const weakened = weakeningsOf(context).filter((each) => bearsOn(each, check, need, context.claim));
  if (weakened.length > 0)
    return fail(
      'weakened',
      'weakened',
      `A pass proves nothing: ${weakenedReason(weakened)} ${weakened.every(({ isNew }) => isNew) ? 'Fix that' : 'Put that back'}, or ${weakened.every(({ expects }) => expects) ? 'say in your message that you changed it, and why' : 'ask the user whether it may stay that way'}.`,
    );
  if (need.fresh && !isSummed && check.flaw !== null && changedDuring(run, context.evidence))
    return fail('stale', 'changed-during', flawReason(check.flaw.code, check));
  const edits = need.fresh ? editsSince(run, context.evidence, check) : null;
  // A list of packages says nothing about what was made. Whether it builds, or tests pass, may well depend on it.
  const isAside =
    context.claim.type === 'done' && edits !== null && edits.length > 0 && edits.every(isManifest);
  if (edits !== null && !isAside)
    return fail('stale', 'stale', `${name} passed, but then ${listed(edits)} changed. Run it again.`);
  return null;
}

/** A failure from before the last edit that came without any test result: it says nothing against the work. */
export function isOutdated(fail: Fail | null, run: Run, { claim, evidence }: ValidatorContext): boolean {
  const isIt = fail?.status === 'trick' || (fail?.status === 'failed' && run.tests === null);
  return claim.type === 'done' && isIt && editsSince(run, evidence) !== null;
}

type MakeFail = (status: Fail['status'], code: string, reason: string) => Fail;

function countShortfall({ tests }: Run, name: string, fail: MakeFail, isOld = false): Fail | null {
  if (tests === null)
    return fail(
      'unbacked',
      'no-summary',
      `${name} printed no test summary, so nothing shows that any test ran.`,
    );
  if (tests.failed > 0 && !isOld)
    return fail('failed', 'failed', `${name}: ${tests.failed} failed, ${tests.passed} passed.`);
  if (tests.passed > 0) return null;
  return tests.skipped > 0
    ? fail('trick', 'only-skips', `${name} only skipped tests: ${tests.skipped} skipped, none passed.`)
    : fail('trick', 'nothing-ran', `${name} ran no tests at all.`);
}

const SCRATCH = /^(?:\/private)?(?:\/var)?\/tmp\/(?:[^/]+|.*\bscratch\w*\/.*)$/;

function narrowness(
  check: Check,
  { claim, scope }: ValidatorContext,
  name: string,
  fail: MakeFail,
): Fail | null {
  if (claim.whole && (isPart(check) || (check.directory ?? '') !== ''))
    return fail('narrow', 'narrowed', `The claim covers everything, but ${name} ran only part of it.`);
  // A scratch file counts as the work only if the message says that something is done.
  const changed = scope.changed.filter((path) => claim.type === 'done' || !SCRATCH.test(path));
  const gap = gapOf(check, { ...scope, changed });
  if (gap === null || isNamedIn(claim, check)) return null;
  const what = listed(scope.changed.length > 0 ? scope.changed : scope.named);
  switch (gap.code) {
    case 'another-directory':
      return fail(
        'narrow',
        gap.code,
        `${name} ran ${check.directory === null ? gap.detail : `in ${gap.detail}`}, which does not reach ${what}.`,
      );
    case 'another-target':
      return fail('narrow', gap.code, `${name} ran only ${gap.detail}, which does not cover ${what}.`);
    case 'deselected':
      return fail('narrow', gap.code, `${name} left out ${gap.detail}, which is what changed.`);
  }
}

/** "`tests/test_a.py`: 9 passed" claims no more than what it names. */
export function isNamedIn({ type, quote }: Claim, check: Check): boolean {
  if (type === 'done' || check.directory === null) return false;
  const names = [
    ...check.targets.map((target) => segments(target).at(-1) ?? ''),
    ...check.selectors.filter((selector) => !selector.startsWith('!')),
    segments(check.directory).at(-1) ?? '',
  ];
  // "All tests pass" names no folder of tests.
  if (names.some((name) => name.length > 3 && !isEmptyName(name) && quote.includes(name))) return true;
  // "The import test passes" is of `tests/test_gui_import.py`.
  const said = new Set(type === 'tested' ? nameWords(quote) : []);
  const words = check.targets.filter(isTestFile).flatMap(stemWords);
  return words.some((word) => word.length > 3 && !isEmptyName(word) && said.has(word));
}

/** What became weaker, but for what the user asked for, and tests that went with the code they belong to. */
export function weakeningsOf({ evidence, contract }: ValidatorContext): readonly Weakening[] {
  const gone = evidence.changes.filter(({ op }) => op === 'delete').map(({ path }) => path);
  return (evidence.weakened ?? []).filter((each) => {
    const { path, what } = each;
    const isLeft = gone.some((source) => source !== path && belongsTo(path, source));
    if (isOfGone(each, gone)) return false;
    return !isAllowed(each, contract) && (what !== 'deleted' || contract.intent !== 'remove' || !isLeft);
  });
}

/** A threshold of its own went with each of these files; more lines than these are not known. */
function isOfGone({ lines }: Weakening, gone: readonly string[]): boolean {
  const files = lines.map((line) => /\/([\w@][^\s*?{]*) is gone$/.exec(line)?.[1]);
  return (
    files.length > 0 &&
    files.length < MOST_WEAKENED_LINES &&
    files.every((file) => file !== undefined && gone.some((path) => samePath(path, file)))
  );
}

/** Weaker tests bear on all that rests on tests, a weaker checker on what it checked. */
function bearsOn(weakening: Weakening, check: Check, need: Need, { type, about, quote }: Claim): boolean {
  const { of, path, lines } = weakening;
  const names = [segments(path).at(-1), ...lines.map((line) => /\((\w{5,})\)$/.exec(line)?.[1])];
  if (isBornSkipped(weakening) && !names.some((name) => name !== undefined && quote.includes(name)))
    return false;
  if (of === undefined) return need.tests || type === 'done';
  return (
    about === of || check.kind === of || (of === 'types' && check.kind === 'build') || isEveryCheck(check)
  );
}

function weakenedReason(weakened: readonly Weakening[]): string {
  return weakened
    .slice(0, 3)
    .map(({ path, what, of, expects, isNew, lines }) => {
      if (expects && what === 'deselected')
        return `Fewer tests have run since ${path} changed (${lines[0]}), and the message does not say so.`;
      if (expects && !isTestFile(path))
        return `${path} gives a different result while tests run (\`${lines[0]}\`).`;
      if (expects)
        return `${path} now expects something different (\`${lines[0]}\`), and the message does not say so.`;
      const shown = lines.slice(0, 2).map((line) => `\`${line.trim().slice(0, 100)}\``);
      if (what === 'deleted' && shown.length > 0)
        return `${path} lost tests in this session (${shown.join(', ')}).`;
      const added = of === undefined ? NEW[what] : undefined;
      if (isNew && added !== undefined)
        return `${path} is new and ${added}${shown.length > 0 ? ` (${shown.join(', ')})` : ''}.`;
      return `${path} was ${of !== undefined && what === 'deselected' ? 'told to check less' : WEAKENED[what]} in this session${shown.length > 0 ? ` (${shown.join(', ')})` : ''}.`;
    })
    .join(' ');
}

const WEAKENED: Readonly<Record<Weakening['what'], string>> = {
  deleted: 'deleted',
  skipped: 'made to skip tests',
  loosened: 'made less strict',
  deselected: 'told to leave tests out',
};

const NEW: Readonly<Partial<Record<Weakening['what'], string>>> = {
  skipped: 'skips its tests',
  loosened: 'lets anything pass',
  deselected: 'leaves tests out',
};

function flawReason(code: FlawCode, { command, runner, flaw }: Check): string {
  const detail = flaw?.detail ?? '';
  const name = `\`${command}\``;
  switch (code) {
    case 'not-a-check':
      return `${name} runs no check${detail === '' ? '' : `: \`${detail}\` only looks like one`}.`;
    case 'masked':
      if (/^(?:npm|pnpm|yarn|bun)\b/.test(runner) && /^[\w./-][^|;&]* (?:\|\|?|;) /.test(detail))
        return `The script behind ${name}, \`${detail}\`, hides a failure. Fix the script, then run it again.`;
      return `\`${detail}\` replaces the exit code of ${name}, so nobody knows how it ended.`;
    case 'background':
      if (detail.startsWith('code changed'))
        return `${name} ran in the background, and code changed before its result was read. Run it again.`;
      return / in the background$/.test(detail)
        ? `${name} ran in the background, and nobody was told how it ended.`
        : `${name} was sent to the background (\`${detail}\`), so nobody knows how it ended.`;
    case 'dry-run':
      return `With \`${detail}\`, ${name} only lists things or makes a dry run, so it checks nothing.`;
    case 'overtaken':
      return `${name} passed, but then the same line continued (\`${detail}\`) and code changed. Run it again.`;
    case 'shadowed':
      return `${name} isn't the real ${runner}: this session put \`${detail}\` in its place.`;
  }
}

export function listed(items: readonly string[]): string {
  const unique = [...new Set(items)];
  if (unique.length === 0) return 'the work tree';
  const rest = unique.length - 3;
  return `${unique.slice(0, 3).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
