// What a check's own output says of its end, where its exit code did not come through. It is weaker than an exit code: a
// program can print what it likes. So it is read only of runners that are known, by the words that each of them ends with.
import { complaintOf, ends, plainText, traitsOf, traitsOfCommand } from '../ecosystems/index.ts';
import type { Check, TestCounts } from '../format/index.ts';
import type { View } from './facts.ts';
import { isKept, type Shown } from './views.ts';

export type Summary = NonNullable<Check['summary']>;

/** Read from a summary of no known form. */
const PLAIN = 'plain';

interface Words {
  readonly good: RegExp;
  readonly bad: RegExp;
  /** A line of a bad end; none where a good one shows that there was no other. */
  readonly failing?: string;
  /** How far from the end that line stands, at least. */
  readonly depth?: number;
}

const BUILT: Words = {
  good: /\bAll checks passed!|\bSuccess: no issues found|\b(?:0 errors|0 issues|0 problems|Found 0 (?:errors|warnings))\b|\b[Nn]o (?:issues|problems|errors|fixes|lint errors)\b|\bCompiled successfully|\bcompiled successfully|\b[Bb]uilt (?:in )?\d|\bBUILD SUCCESS|\bBuild succeeded|^\s*Finished `?\w+|\bCompiled with warnings|\bAll matched files use Prettier|\bwould be left unchanged|\bLinting passed|\bFixed \d+ files?\b|\b(?:Type ?[Cc]heck|Lint|Build)(?:ing)? (?:passed|succeeded|successful|complete)/m,
  bad: /\berror TS\d|✖ \d+ problem|\b[1-9]\d* (?:errors?|problems?)\b|\bFound [1-9]\d* (?:errors?|issues?)|\b[1-9]\d* issues?\b|\bBUILD FAIL|\bBuild failed|\bFailed to compile|\bnpm (?:ERR!|error)|\bELIFECYCLE|^error(?:\[|:| )|: error(?:\[|:)|^\S+\.go:\d+:\d+: |\bCommand failed|\bexited with code [1-9]|\bexit (?:status|code) [1-9]|\*\*\* \[|\bTraceback \(most recent|\bpanic: /m,
  failing: 'src/a.ts(1,1): error TS2322: 1 error',
};

/** Words of a bad end, in the output of whatever it is. */
export function showsFailure(output: string): boolean {
  return isBad(plainText(output));
}

const isBad = (text: string): boolean => BUILT.bad.test(text) || ends().some(({ bad }) => bad?.test(text));
const isGood = (text: string): boolean =>
  BUILT.good.test(text) || ends().some(({ good }) => good?.test(text));

const SHIPPED: readonly (Words & { readonly runner: RegExp })[] = [
  {
    runner: /^git push/,
    // Nothing was pushed by one that says "Everything up-to-date".
    good: /^\s*[*+ ]?\s*(?:\[new (?:branch|tag|reference)\]|[0-9a-f]{7,}\.{2,3}[0-9a-f]{7,})\s.*->/m,
    bad: /! \[(?:remote )?rejected\]|^error: failed to push|^fatal:/m,
    // What is not the fault of one ref leaves none that was pushed.
    failing: ' ! [rejected]        main -> main (fetch first)',
  },
  {
    runner: /^git commit/,
    good: /^\[[^\]\n]{1,200} [0-9a-f]{7,}\] /m,
    // What a hook prints before it says nothing: git names the commit once it is made.
    bad: /^(?:nothing to commit|no changes added)/m,
  },
  {
    runner: /^git (?:merge|pull|cherry-pick|revert)/,
    good: /^(?:Merge made by|Fast-forward|Already up to date|Updating [0-9a-f]+\.\.|\[[^\]\n]{1,200} [0-9a-f]{7,}\] )/m,
    bad: /^(?:CONFLICT|Automatic merge failed|fatal:|error:)/m,
    failing: 'CONFLICT (content): Merge conflict in a',
  },
  { runner: /^git tag/, good: /(?!)/, bad: /^(?:fatal|error):/m },
  {
    runner: /^git rebase/,
    good: /^(?:Successfully rebased|Current branch .* is up to date)/m,
    bad: /^(?:CONFLICT|fatal:|error:)/m,
    failing: 'CONFLICT (content): Merge conflict in a',
  },
  {
    runner: /^gh pr (?:create|new)/,
    good: /^https:\/\/[^\s/]+\/\S+\/pull\/\d+\s*$/m,
    bad: /^(?:error|failed|GraphQL|a pull request for .* already exists)/im,
    // The address of the one that is there already stands below.
    failing: 'a pull request for branch "a" into branch "b" already exists:',
    depth: 2,
  },
  {
    runner: /^gh stack/,
    good: /^✓ Pushed(?: and synced)? \d+ branch/m,
    bad: /^(?:X |✗ |error|failed)/im,
    failing: 'X failed to push',
  },
  {
    runner: /^gh pr merge/,
    good: /\b(?:[Mm]erged|[Ss]quashed and merged|[Rr]ebased and merged) pull request\b/,
    bad: /^(?:X |error|failed|GraphQL)/im,
    failing: 'X Pull request is not mergeable',
  },
];

/** What npm and its kin print before they run a script, and make before a command. */
const HEADER = /^(?:> .*|\$ .*)$/gm;

/** What runs the parts of a script says so where one of them failed. */
const TASK_FAILED =
  /^(?:g?make(?:\[\d+\])?: \*\*\* |npm (?:ERR!|error) |error Command failed|error: (?:script "|[Rr]ecipe `)|task: Failed to run)|\bELIFECYCLE\b/m;

/** How they name it: `error: script "lint" exited with code 1`. */
const FAILED_TASK =
  /^(?:error: script "([\w:.-]+)" |g?make: \*\*\* \[(?:[^\]\n]{1,100}: )?([\w.-]+)\] |error: [Rr]ecipe `([\w.-]+)` |task: Failed to run task "([\w:.-]+)")/gm;

/**
 * In `bun run test && bun run lint`, the second has failed. The outermost is told last. One that no command of the line names
 * is a part of one that they name.
 */
function isOfAnother(text: string, { command }: Check, line: readonly Check[]): boolean {
  const name = [...text.matchAll(FAILED_TASK)].at(-1)?.slice(1).find(Boolean) ?? '';
  const isNamed = (words: string): boolean => words.split(/\s+/).includes(name);
  return !isNamed(command) && line.some((other) => isNamed(other.command));
}

/** The shell could not go where it was to run. */
const NOT_THERE = /: cd: |^(?:fatal|mkdir): /m;
const GIT_FAILS = /^(?:fatal|error|hint|husky)\b|\b(?:fail(?:s|ed|ure)?|abort(?:ed|ing))\b/im;

/** Git says nothing of what it did, and still says why it did not. */
function isQuiet({ runner, command }: Check): boolean {
  return (
    runner === 'git tag' || (/^git /.test(runner) && /\s(?:--quiet|-[a-z]*q[a-z]*)(?=\s|$)/.test(command))
  );
}

const wordsOf = ({ kind, runner }: Check): Words | undefined =>
  kind === 'ship' ? SHIPPED.find((words) => words.runner.test(runner)) : BUILT;

/** Could both have printed the same end? A push and a commit say different things. */
export function endsAlike(one: Check, other: Check): boolean {
  return one.kind === other.kind && (wordsOf(one) === wordsOf(other) || (isLocal(one) && isLocal(other)));
}

const isLocal = ({ runner }: Check): boolean => !/^(?:git push|gh )/.test(runner);

/** What else is in its line. */
interface Beside {
  /** All checks of the line: one alone has printed all that was printed. */
  readonly line: readonly Check[];
  /** So many, itself among them, print ends like it. */
  readonly same: number;
  /** It did run. */
  readonly reached: boolean;
}

/** Null where nothing in view tells. */
export function summaryOf(
  check: Check,
  output: string,
  tests: TestCounts | null,
  view: View,
  { line, same, reached }: Beside,
): Summary | null {
  const alone = line.length === 1;
  const text = plainText(output);
  const shown: Shown = { lines: text.split('\n', 10_000).length, coloured: output.includes('\u001b') };
  // Whoever ran it says that a part of it failed, whatever the last part said of itself.
  if (check.kind !== 'ship' && TASK_FAILED.test(text) && !isOfAnother(text, check, line))
    return alone ? 'failed' : null;
  if (check.kind === 'test') {
    if (tests === null) return alone && reached ? uncounted(check, text, view, shown) : null;
    if (tests.passed === 0 && tests.failed === 0) return null;
    if (same > 1 && !isEach(tests, text, same)) return null;
    if (tests.failed > 0) return same > 1 ? null : 'failed';
    // What is not in view may have failed.
    if (view.length > 0 && (tests.total ?? 0) > tests.passed + tests.skipped) return null;
    const runners = tests.runner.split('+');
    if (runners.some((runner) => traitsOf(runner)?.bad?.test(text))) return alone ? 'failed' : null;
    return runners.every(
      (runner) => runner !== PLAIN && (isWhole(runner, text, view, shown) || isSum(tests, view)),
    )
      ? 'passed'
      : null;
  }
  const words = wordsOf(check);
  if (same > 1 || words === undefined || !['build', 'types', 'lint', 'format', 'ship'].includes(check.kind))
    return null;
  // A commit that was made is made, whatever `git status` says after it.
  const isMade = check.runner === 'git commit' && words.good.test(text);
  // Of several checks in a line nobody can say which one failed.
  if (!isMade && (words === BUILT ? isBad(text) : words.bad.test(text))) return alone ? 'failed' : null;
  const own = check.kind === 'ship' ? undefined : traitsOfCommand(check.runner);
  const failing = own?.failing ?? (words.failing === undefined ? [] : [words.failing]);
  if (!failing.every((lines) => isEitherKept(lines, view, shown, words.depth))) return null;
  if (words === BUILT ? isGood(text) : words.good.test(text)) return 'passed';
  const headers = [...text.matchAll(HEADER)].map(([line]) => line.slice(2));
  const complaints = [check.runner, ...headers].flatMap((each) => complaintOf(each) ?? []);
  const isQuietScript = isBelowItsName(check, text, view) && !complaints.some((each) => each.test(text));
  if (isQuietScript && reached && !NOT_THERE.test(text)) return 'passed';
  // That nothing was printed shows only where all of it would be in view: `| tail -1` may show the blank line after errors.
  if (!isKept(null, view, shown)) return null;
  if (check.kind === 'ship') return reached && isQuiet(check) && !GIT_FAILS.test(text) ? 'passed' : null;
  const [complaint] = complaints;
  if (complaint === undefined) return null;
  const isEmpty = alone && text.replace(HEADER, '').trim() === '';
  // What others of the line printed has none of its words.
  const isClean = reached && headers.length === 0 && !complaint.test(text) && !NOT_THERE.test(text);
  return isEmpty || isClean ? 'passed' : null;
}

/** `> shop@1.0.0 types` and `> tsc --noEmit` below it: behind `| tail` all that followed is in view. */
const SCRIPT = /^> \S+ (\S+)(?: \S+)?\n> ([^&;|\n]+)$/gm;

/** A script of one checker that says nothing if all is well, of which the lines are in view that name it. */
function isBelowItsName({ kind, command }: Check, text: string, view: View): boolean {
  if (kind === 'ship' || !view.every(([name]) => name === 'tail')) return false;
  const words = command.split(/\s+/);
  return [...text.matchAll(SCRIPT)].some(
    ([, script = '', line = '']) => words.includes(script) && complaintOf(line) !== undefined,
  );
}

/** "# tests 5" and "# pass 5": what is behind `| tail -8 | head -3` can't have failed. */
function isSum({ runner, passed, skipped, total }: TestCounts, view: View): boolean {
  // `| head` alone may have cut off another run.
  const isOfEnd =
    view[0]?.[0] !== 'head' && view.every(([name = '']) => /^(?:tail|head|tee|cat)$/.test(name));
  return traitsOf(runner)?.sums === true && total === passed + skipped && isOfEnd;
}

/** Without counts a good end shows nothing: it may be that of a run without tests. A bad one is a bad one. */
function uncounted({ runner }: Check, text: string, view: View, shown: Shown): Summary | null {
  const { quiet = false, bad } = traitsOfCommand(runner) ?? {};
  if (bad?.test(text)) return 'failed';
  return quiet && text.trim() === '' && isKept(null, view, shown) ? 'passed' : null;
}

/** One of several lines would have been seen: that of the sum, or one of those above it, which may stand far from the end. */
function isEitherKept(
  lines: string | readonly string[],
  view: View,
  shown: Shown,
  depth?: number,
  isWhole = true,
): boolean {
  const [sum = '', ...before] = [lines].flat();
  return (
    (isWhole && isKept(sum, view, shown, depth)) ||
    before.some((line) => isKept(line, view, shown, Number.POSITIVE_INFINITY))
  );
}

/** Did each of so many runs print its own sum? */
function isEach({ runner }: TestCounts, text: string, runs: number): boolean {
  const { once, lines } = traitsOf(runner) ?? {};
  const printed = text.split('\n', 10_000);
  if (lines === undefined)
    return once !== undefined && printed.filter((line) => once.test(line)).length === runs;
  const known = printed.map((line) => lines.exec(line.trimEnd()));
  return known.every(Boolean) && known.filter((line) => line?.groups?.good !== undefined).length >= runs;
}

function isWhole(runner: string, text: string, view: View, shown: Shown): boolean {
  const { failing = [], first, mark } = traitsOf(runner) ?? {};
  if (failing.some((line) => `\n${text}\n`.includes(`\n${[line].flat()[0]}\n`))) return false;
  if (isKept(null, view, shown)) return true;
  // Of a runner whose ends nobody knows the whole output must be in view.
  if (failing.length === 0) return false;
  const sign = mark?.exec(text)?.[0];
  return failing.every((lines) => {
    const [sum = '', ...before] = [lines].flat();
    const line = sign === undefined ? sum : sum.replace('#', sign);
    return isEitherKept([line, ...before], view, shown, 1, first?.test(text) !== false);
  });
}
