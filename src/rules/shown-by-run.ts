// What a run shows though it settles no claim: that the other tests passed where one failed, of which the message tells; what
// a server sent that the line started and stopped. Part of what excuses a claim.
import type { Check, Claim } from '../format/index.ts';
import type { Evidence } from './evidence.ts';
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
