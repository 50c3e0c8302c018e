// test_pass {target?, runs?}: tests ran, by their own exit code and their own summary, and passed; fresh, over what the
// turn is about or over `target`, and as many times as `runs` says. A later failure of the same tests undoes a pass. A
// claim that says how many passed needs as many.

import { isEveryCheck, projectScript, runsTests, samePath, segments } from '../../ecosystems/index.ts';
import type { Check } from '../../format/index.ts';
import { isBuiltFirst } from '../command-match.ts';
import { gapOf, isNarrowed, isPart } from '../coverage.ts';
import type { Evidence, Run } from '../evidence.ts';
import { isNamedIn, isOutdated, shortfallOf } from '../run-assessment.ts';
import { pathRefusal } from './binding.ts';
import { mostTelling, unanswered } from './choice.ts';
import {
  type Fail,
  failOf,
  type Outcome,
  refused,
  textArguments,
  type Validator,
  type ValidatorContext,
} from './validator.ts';

const NEED = { tests: true, fresh: true, covers: true };
const MAX_RUNS = 100;

export const testPass: Validator = {
  id: 'test_pass',
  version: 4,
  words: 'tests that passed after the last change, over what changed',
  fields: ['paths', 'backtick_tokens'],
  needs: [],
  judge(args, context) {
    const texts = textArguments(args, ['target'], ['runs']);
    if ('outcome' in texts) return texts;
    const runs = args.runs ?? 1;
    if (typeof runs !== 'number' || !Number.isInteger(runs) || runs < 1 || runs > MAX_RUNS)
      return refused('bad-arguments', `"runs" must be a whole number from 1 to ${MAX_RUNS}.`);
    // "It builds" and "lint is clean" are not said by tests, but for those that are built first.
    const { type, about } = context.claim;
    const otherSort = type === 'checked' && OTHER_SORTS.includes(about ?? '');
    if (otherSort && !(about === 'build' && context.evidence.runs.some(buildsFirst)))
      return refused('wrong-validator', `Tests do not show that ${about} is right.`);
    const { target } = texts;
    const unbound =
      target === undefined ? null : pathRefusal(target, context, true, (context.version ?? 4) < 3);
    if (unbound !== null) return unbound;
    const passed: Candidate[] = [];
    const fails: Fail[] = [];
    for (const candidate of candidates(context, target)) {
      const fail = shortfallOf(candidate.run, candidate.check, NEED, context);
      if (fail === null) passed.push(candidate);
      else if (!isOutdated(fail, candidate.run, context)) fails.push(fail);
    }
    const undone = failureAfter(passed, candidates(context, target), context);
    if (undone !== null) return undone;
    const seqs = [...new Set(passed.flatMap(({ run }) => [run.seq, ...(run.alike ?? [])]))].sort(
      (a, b) => b - a,
    );
    if (seqs.length >= runs) return countedPass(seqs.slice(0, runs), context);
    if (seqs.length > 0)
      return failOf(
        'unbacked',
        'too-few-runs',
        `The tests passed ${seqs.length === 1 ? 'once' : `${seqs.length} times`} since the last change, but ${runs} such runs are required.`,
        seqs,
      );
    return (
      mostTelling(unanswered(fails, context.evidence.runs, context.claim)) ?? nothingRan(target, context)
    );
  },
};

const OTHER_SORTS = ['build', 'types', 'lint', 'format'];

function buildsFirst({ checks }: Run): boolean {
  return checks.some(({ kind, command }) => kind === 'test' && isBuiltFirst(command));
}

interface Candidate {
  readonly run: Run;
  readonly check: Check;
}

function candidates({ evidence }: ValidatorContext, target: string | undefined): Candidate[] {
  return evidence.runs.flatMap((run) =>
    run.checks
      .flatMap((check) => testIn(run, check, evidence) ?? [])
      .filter((check) => target === undefined || gapOf(check, { named: [target], changed: [] }) === null)
      .map((check) => ({ run, check })),
  );
}

/**
 * A test run, or a run of the project's own checks (`make check`, `scripts/ci.sh`) in which tests counted themselves,
 * or a program that is named for tests and did so.
 * A script of this session is none: it prints what it likes.
 */
function testIn(run: Run, check: Check, { changes }: Evidence): Check | null {
  if (check.kind === 'test') return check;
  if (run.tests === null || check.kind === 'http') return null;
  // A commit or a push that went through ran the tests of its hook.
  if (check.kind === 'ship')
    return /^git (?:commit|push)$/.test(check.runner) && run.tests.runner !== 'plain'
      ? { ...check, kind: 'test', targets: [] }
      : null;
  if (check.kind === 'run' && runsTests(check.runner)) {
    // `bin/kaocha`: its own path is no target.
    const targets = check.targets.filter((target) => segments(target).at(-1) !== check.runner);
    return { ...check, kind: 'test', targets };
  }
  const script = projectScript(check) ?? testScript(check);
  // Where no known runner reported, the script must be one of checks: other things, too, go "OK" line by line.
  if (run.tests.runner === 'plain' && !isEveryCheck(check) && testScript(check) === null) return null;
  return script !== null && !changes.some(({ path }) => samePath(path, script))
    ? { ...check, kind: 'test', targets: [] }
    : null;
}

const IN_TESTS =
  /(?:^|\/)(?:tests?|specs?|t)\/[\w./-]{1,200}\.[a-z]{1,5}$|(?:^|[/_.-])tests?[_.-][\w.-]{0,60}[a-z]$/i;
const TEXT = /\.(?:txt|log|out|tap|xml|html|json|md|csv|ya?ml)$/i;

/** A script of the tests' own folder, by whatever runs it: `sbcl --script tests/run.lisp`. */
function testScript({ kind, targets }: Check): string | null {
  return (kind === 'run' && targets.find((target) => IN_TESTS.test(target) && !TEXT.test(target))) || null;
}

/** Over the whole session, as long as it is fresh: what is counted need not reach what changed. */
const COUNTED = { tests: true, fresh: true, covers: false };

/** `test:e2e`, `--config e2e.ts`: what makes a run that is narrowed to nothing one of other tests. */
const APART = /\s(?:[a-z]\w*[:_-]\w[\w:.-]*|(?:-c|--config|--project|--dir|--root)[ =]\S+)/g;

/** Which tests it counted, as far as its words tell: the same runner counts the same ones under any command. */
function testsOf({ tests, checks }: Run): { suite: string; part: string } {
  const words = checks.flatMap(({ directory, command }) => [directory, ...(command.match(APART) ?? [])]);
  const parts = checks.flatMap((check) => (isPart(check) ? [...check.targets, ...check.selectors] : []));
  return { suite: [tests?.runner, ...new Set(words)].join('\n'), part: parts.join('\n') };
}

/** Does the number that the claim names hold, over all that ran? Runs of the same tests count once. */
function countedPass(seqs: readonly number[], context: ValidatorContext): Outcome {
  const { count = null } = context.claim;
  const pass = { outcome: 'pass', evidence: seqs } as const;
  if (count === null) return pass;
  const runs = new Map<string, Map<string, Run>>();
  for (const { run, check } of candidates(context, undefined)) {
    if (shortfallOf(run, check, COUNTED, context) !== null) continue;
    // A runner that counts packages says nothing of tests.
    if (run.tests?.total == null) return pass;
    const { suite, part } = testsOf(run);
    const parts = runs.get(suite) ?? new Map<string, Run>();
    runs.set(suite, parts.set(part, run));
  }
  // Where all of them ran, a part of them adds nothing.
  const counted = [...runs.values()]
    .flatMap((parts) => parts.get('') ?? [...parts.values()])
    .map(({ seq, tests }) => ({ seq, passed: tests?.passed ?? 0 }));
  const one = counted.findLast(({ passed }) => passed >= count);
  if (one !== undefined) return { outcome: 'pass', evidence: [...new Set([one.seq, ...seqs])] };
  const all = [...new Set([...seqs, ...counted.map(({ seq }) => seq)])].sort((a, b) => b - a);
  const passed = counted.reduce((sum, each) => sum + each.passed, 0);
  if (passed >= count) return { outcome: 'pass', evidence: all };
  return failOf(
    'narrow',
    'fewer-passed',
    `The claim says that ${count} tests passed, but only ${passed} passed since the last change.`,
    all,
  );
}

function nothingRan(target: string | undefined, { evidence, claim }: ValidatorContext): Fail {
  // Who looked at something need not have run tests.
  const what = claim.type === 'checked' ? 'command that checks it' : 'test run';
  const none = `No ${what}${target === undefined ? '' : ` of ${target}`} is on record`;
  const ran = evidence.runs.flatMap(({ checks }) => checks);
  const test = ran.findLast(({ kind }) => kind === 'test');
  const other = test ?? ran.at(-1);
  const apart = target === undefined ? 'ran before the last change' : 'does not cover it';
  return failOf(
    'unbacked',
    other === undefined ? 'nothing-ran' : 'not-a-check',
    other === undefined || claim.type === 'checked'
      ? `${none}.`
      : `${none}: \`${other.command}\` ${test === undefined ? 'runs no tests' : apart}.`,
  );
}

/** The newest run that failed after a pass of the same tests, or of all where the claim is of all. */
function failureAfter(
  passed: readonly Candidate[],
  all: readonly Candidate[],
  context: ValidatorContext,
): Fail | null {
  const pass = passed.at(-1);
  if (pass === undefined) return null;
  for (const later of all.toReversed()) {
    if (later.run.seq <= pass.run.seq) return null;
    const fail = shortfallOf(later.run, later.check, NEED, context);
    if (fail?.status !== 'failed' || !contradicts(later.check, pass.check, context)) continue;
    if (unanswered([fail], context.evidence.runs, context.claim).length > 0) return fail;
  }
  return null;
}

function contradicts(failed: Check, passed: Check, { claim }: ValidatorContext): boolean {
  if (!isNarrowed(passed)) return true;
  // "All tests in `tests/test_a.py` pass" speaks of that file.
  if (!isNarrowed(failed) && !claim.whole && isNamedIn(claim, passed)) return false;
  if (!isNarrowed(failed))
    return (
      claim.type === 'done' || claim.whole || /\b(?:all|suite|every|everything|green)\b/i.test(claim.quote)
    );
  return (
    failed.targets.join() === passed.targets.join() && failed.selectors.join() === passed.selectors.join()
  );
}
