// What a run shows though it settles no claim: that the other tests passed where one failed, of which the message tells; what
// a server sent that the line started and stopped. Part of what excuses a claim.

import { asksForChange } from '../claims/index.ts';
import { type Check, type Claim, isOwn } from '../format/index.ts';
import { type Evidence, evidenceSince } from './evidence.ts';
import { editsSince } from './freshness.ts';
import type { JudgeInput } from './judge-input.ts';
import type { Fail } from './validators/validator.ts';

/** Words that took an exit code away: they show, tidy up, look, or were to tell it. */
export const TIDIES =
  /^\| |^; (?:(?:rm|rmdir|kill|wait|unset|popd|cd|sleep|head|tail|cat|ls|wc|git (?:status|log|diff|show))\b|echo\b.*\$|echo$)/;

const OTHERS = /\b(?:others?|rest|remaining|existing)\b/i;
const FAILS = /\b(?:fail(?:s|ed|ing|ures?)?|red)\b/i;
const FAILS_NOT =
  /\b(?:no(?:ne|thing)?|not|never|zero|0|longer|used to|before|previously|would|could|might|if|when|on failure)\b|n['’]t\b/i;

/** "`test_b` fails, as it should so far. The other test passes": so the run counted them, and the message says which way. */
export function isOfOthers({ quote, count = null }: Claim, telling: Fail | null, input: JudgeInput): boolean {
  const { evidence, message = '' } = input;
  const run = evidence.runs.findLast(({ seq }) => telling?.evidence.includes(seq) === true);
  if (telling?.status !== 'failed' || !OTHERS.test(quote) || run?.tests == null) return false;
  const { passed, failed } = run.tests;
  const isTold = message
    .slice(0, 65_536)
    .split(/(?<=[.!?;:])\s|\n/)
    .some((sentence) => FAILS.test(sentence) && !FAILS_NOT.test(sentence) && !sentence.includes(quote));
  return isTold && failed > 0 && passed > 0 && passed >= (count ?? 1) && editsSince(run, evidence) === null;
}

/** "All tests pass except `test_net`": as many are named as have failed. */
export function namesFailing(telling: Fail | null, { claims, evidence }: JudgeInput): boolean {
  const run = evidence.runs.findLast(({ seq }) => telling?.evidence.includes(seq) === true);
  const failed = run?.tests?.failed ?? 0;
  return claims.some(({ type, quote }) => {
    const [, named = ''] = EXCEPT.exec(quote) ?? [];
    return failed > 0 && type === 'tested' && (named.match(TEST_NAME) ?? []).length >= failed;
  });
}

const EXCEPT = /\b(?:except|apart from|aside from|other than|but for|besides)\b(.*)/is;
const TEST_NAME = /`[^`]+`|"[^"]+"|\btest_\w+|\bTest[A-Z]\w*/g;

/** Of a line in which tests counted failures, whichever of its commands had them. */
export function isOfFailingLine(telling: Fail | null, { runs }: Evidence): boolean {
  return (
    (telling?.code === 'masked' || telling?.code === 'unclear-end') &&
    runs.some(({ seq, tests }) => telling.evidence.includes(seq) && (tests?.failed ?? 0) > 0)
  );
}

const FAILED_COUNT =
  /(?<![\d.,])([1-9]\d{0,5}) (?:tests? |specs? |cases? )?(?:fail(?:s|ed|ing|ures?)?|errors?|red)\b/i;
const PASSED_COUNT = /(?<![\d.,])(\d{1,6}) (?:tests? |specs? |cases? )?(?:pass(?:es|ed|ing)?|ok|green)\b/i;
const OF_EARLIER =
  /\b(?:before|earlier|first|initial\w*|originally|previously|was|were|had|used to|at the start|so far|until|no longer|fixed)\b/i;

/** "6 passed, 1 failed", as that very run counted them, told of nothing earlier. */
export function tellsCounts(
  { evidence: seqs }: Fail,
  { evidence, message = '' }: JudgeInput,
  text = message,
): boolean {
  const run = evidence.runs.findLast(({ seq }) => seqs.includes(seq));
  if (run?.tests == null || run.tests.failed === 0) return false;
  const { passed, failed } = run.tests;
  return text
    .slice(0, 65_536)
    .split(/(?<=[.!?;])\s|\n/)
    .some((sentence) => {
      const [, red] = FAILED_COUNT.exec(sentence) ?? [];
      const [, green] = PASSED_COUNT.exec(sentence) ?? [];
      return Number(red) === failed && Number(green ?? passed) === passed && !OF_EARLIER.test(sentence);
    });
}

const RUN_BEFORE =
  /\((?:(?:as )?(?:run|ran|counted|taken|measured|checked) )?(?:right |just |shortly )?before (?:the|my|this|that|these|any|i|we|\w+ing)\b[^)]{0,40}\)[\s.!]*$|\b(?:pass|passed|ran|were green|was green) (?:right |just )?before (?:the|my|this|that|these|\w+ing)\b[^.;,:]{0,40}[\s.!]*$/i;

/** "4 pass, 0 fail (before the bump)": that something changed after it is what it says itself. */
export function isRunBefore({ type, quote }: Claim, telling: Fail | null): boolean {
  return (type === 'tested' || type === 'checked') && telling?.code === 'stale' && RUN_BEFORE.test(quote);
}

const ELSEWHERE =
  /\b(?:branch|work-?tree|checkout|clone|copy|PRs?|MRs?|pull request|merge request|commit|tag|fork|upstream)\b/i;

/** "The suite passes on the branch", of a checkout elsewhere that was to be looked at, where nothing was to change here, nor did. */
export function isOfTreeElsewhere({ quote }: Claim, telling: Fail | null, input: JudgeInput): boolean {
  const { evidence, contract, since = 0 } = input;
  if (telling?.code !== 'another-directory' || !ELSEWHERE.test(quote) || asksForChange(contract.intent))
    return false;
  const { changes, runs } = evidenceSince(evidence, since);
  const tests = runs.filter(({ checks }) => checks.some(({ kind }) => kind === 'test'));
  const last = tests.at(-1);
  return (
    changes.length === 0 &&
    last !== undefined &&
    telling.evidence.includes(last.seq) &&
    last.genuine &&
    (last.tests?.passed ?? 0) > 0 &&
    last.tests?.failed === 0 &&
    last.checks
      .filter(({ kind }) => kind === 'test')
      .every((check) => check.summary === 'passed' || (isOwn(check) && last.exit.code === 0))
  );
}

/** "It sends `not found`", of a server that the line itself started and stopped, where nothing was changed. */
export function isAskedAndShown(telling: Fail | null, { runs, changes }: Evidence): boolean {
  // The answer is in view, whatever the line does next.
  const isShown = ({ kind, flaw }: Check): boolean => kind === 'http' && flaw?.code === 'masked';
  return (
    telling?.code === 'masked' &&
    changes.length === 0 &&
    runs.some(
      ({ seq, exit, checks }) =>
        telling.evidence.includes(seq) &&
        exit.code === 0 &&
        checks.some(isShown) &&
        checks.some(({ flaw }) => flaw?.code === 'background'),
    )
  );
}

const EXITS = /\bexit(?:s|ed|ing)?(?: with)?(?: (?:code|status))?(?: of)? [`*]*([1-9]\d{0,2})\b/i;

/** "Without an argument it exits with 2", of a program that was run, and did. */
function isNamedExit(telling: Fail | null, { evidence, claims }: JudgeInput): boolean {
  const codes = claims.flatMap(({ quote }) => EXITS.exec(quote)?.[1] ?? []);
  const ended = evidence.runs.filter(({ seq }) => telling?.evidence.includes(seq) === true);
  return (
    codes.length > 0 &&
    ended.length > 0 &&
    ended.every(
      ({ exit, checks }) =>
        checks.every(({ kind }) => kind === 'run') && (!exit.code || codes.includes(`${exit.code}`)),
    )
  );
}

/** "It answers 404 now", where that is what came. */
export function isAnswer(telling: Fail | null, input: JudgeInput): boolean {
  const { evidence, claims } = input;
  if (isNamedExit(telling, input)) return true;
  return evidence.runs.some(
    ({ seq, checks }) =>
      telling?.evidence.includes(seq) &&
      checks.some(
        ({ status }) =>
          typeof status === 'number' && claims.some(({ quote }) => quote.includes(` ${status}`)),
      ),
  );
}
