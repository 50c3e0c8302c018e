// What a test expects was changed, and no code with it: the test may have been wrong, or the code still is. The files don't
// tell which. So nobody is held to it who says so in the message, or was asked to work on tests as such.
import type { Contract } from '../../format/index.ts';
import type { Weakening } from '../evidence.ts';
import { isTestFile } from '../file-kinds.ts';
import { saysOther } from '../unchanged-behaviour.ts';

/** Up to where the expected value stands: the last argument, what `expect` compares with, what follows `==`. */
const UP_TO_VALUE =
  /^(?:await )?(?:(?:self\.)?assert[\w.]*\(.*,|expect\(.*\)\.(?:\w+\.)*to\w+\()[^(),]*$|^assert .*==[^(),]*$/;
const LITERAL = /^[\w\s.,:"'`[\]{}+-]*$/;
const CLOSES = /^[\w"'`\])};\s]*$/;

const EXACT = /[eE]quals?\w*\(|\.toBe\(|\.toStrictEqual\(|===?/;
const INEXACT = /\bnot|Not|typeof|isinstance|instanceof|\.any\(|!=|\|\|| or |<=? ?(?:\d*e\d|\d{6})|Infinity/;
/** Other code may well come to a result that is exact no more. */
const NEARLY =
  /approx\((?!.*\b(?:abs|rel)=)|close|almost|\babs\(.*[<>]=? ?(?:1e-|0?\.0|eps|tol|delta)|\b(?:abs|rel)=(?:1e-|0?\.0)/i;
/** Many values do: those beyond a bound, of a list, with a part, or that come to the same when they are rounded. */
const MANY =
  / [<>]=? |\b(?:abs|rel)=|\.(?:includes|has|some|test|search|match\w*|startsWith|endsWith|startswith|endswith)\(|[a-z.](?:Match\w*|Contain\w*|Greater\w*|Less\w*|Between|InDelta|HaveLength)\(|\bassert\.(?:match|include)\(|\b(?:is(?:Finite|Integer|SafeInteger|NaN|Array)|isdigit|round|floor|ceil|trunc|abs|Abs|sign|len|bool|Boolean)\(| in [[({]|strings\.(?:Contains|Has\w+)|re\.(?:match|search)/;
/** Where a test fails by what an `if` compares: on all but one value, and on few. */
const FAILS_BUT_ON = /^if\b[^&|<>]* != (?!nil\b|err)[^&|<>=]+$/;
const FAILS_ON = /&&|[<>]=? | == (?!nil\b)|^if !?strings\.(?:Contains|Has)|MatchString/;
/** What is asked: the first call in it, or the name that a value was given. */
const SUBJECT =
  /(?<![\w.])(?!(?:assert|expect|self|typeof|await|isinstance)\b)[A-Za-z_$][\w$.]*(?:\([^()]*\)|(?= [=!<>]=))/;

/**
 * Of the assertions that were added: those that ask less exactly than one that is gone; where the code is as it was, also
 * those that differ from it in the value alone.
 */
export function changedExpectations(
  gone: readonly string[],
  added: readonly string[],
  isCodeChanged: boolean,
): string[] {
  const isExact = (line: string): boolean =>
    !line.startsWith('if ') &&
    EXACT.test(line) &&
    !INEXACT.test(line) &&
    (isCodeChanged || !/approx|close/i.test(line));
  const isLess = (was: string, is: string): boolean => {
    const isInexact = isCodeChanged ? INEXACT.test(is) || asksMany(is) : !isExact(is);
    const isLoose = isExact(was) && !asksMany(was) ? isInexact : failsOnMost(was) && failsOnFew(is);
    const subject = isLoose ? SUBJECT.exec(was)?.[0] : undefined;
    if (subject === undefined || !is.includes(subject)) return false;
    const pins = (other: string): boolean => (isExact(other) && !asksMany(other)) || failsOnMost(other);
    return !isCodeChanged || !added.some((other) => pins(other) && other.includes(subject));
  };
  return added.filter((line) =>
    gone.some((was) => (!isCodeChanged && differsInValue(was, line)) || isLess(was, line)),
  );
}

function asksMany(line: string): boolean {
  return MANY.test(line) && !NEARLY.test(line);
}

function failsOnMost(line: string): boolean {
  return FAILS_BUT_ON.test(line);
}

function failsOnFew(line: string): boolean {
  return line.startsWith('if ') && FAILS_ON.test(line) && !NEARLY.test(line);
}

function differsInValue(was: string, is: string): boolean {
  const most = Math.min(was.length, is.length);
  let [start, end] = [0, 0];
  while (start < most && was[start] === is[start]) start++;
  while (end < most - start && was.at(-1 - end) === is.at(-1 - end)) end++;
  const head = is.slice(0, start);
  const depth = head.split('(').length - head.split(')').length;
  return (
    UP_TO_VALUE.test(head) &&
    depth === (head.startsWith('assert ') ? 0 : 1) &&
    CLOSES.test(is.slice(is.length - end)) &&
    [was, is].every((line) => LITERAL.test(line.slice(start, line.length - end)))
  );
}

const CHANGED = '(?:updat|chang|adjust|correct|alter|edit|rewr[io]t|modif|align)\\w*';
/** The bounds keep a message that is one long word from being read again from each of its letters. */
const TESTS =
  '(?:\\btests?\\b|\\bspecs?\\b|\\.(?:test|spec)\\.|test_|_test\\b|\\bexpect|\\bassert)[\\w./-]{0,200}`?';
const SAYS_SO = new RegExp(
  `\\b${CHANGED}(?: (?!and\\b|so\\b|then\\b|to\\b|ran\\b)[^\\s.;,]{1,200}){0,5} \`?[\\w./-]{0,200}${TESTS}(?! (?:now )?(?:pass|succeed|are green))|` +
    `${TESTS}(?: [^\\s.;,]{1,200}){0,6} (?:${CHANGED}|wrong|outdated|incorrect|stale|expects?)\\b`,
  'i',
);

/** That code gives another result while tests run: "in the test as well" says that it does not. */
const SAYS_WHEN =
  /\b(?:in|under|during|while|when|for|only)\b[^.\n]{0,30}\b(?:(?:vi|py)tests?|tests(?! (?:pass|succeed|are green)))\b|\bunder test\b|\btest (?:mode|environment|run|binar)|\bNODE_ENV\b/i;
const SAYS_BOTH = /\bas well as\b|\bboth in\b|\b(?:production|reality) and\b/i;

/** Those that the message tells of, or the prompt asks for. */
export function toldExpectations(
  weakened: readonly Weakening[] | null,
  message: string,
  { fields }: Pick<Contract, 'fields'>,
): Weakening[] {
  const { keywords, paths, backtick_tokens } = fields;
  const isOfTests =
    keywords.some((word) => /^(?:tests?|specs?|expect\w*|assert\w*|snapshots?)$/.test(word)) ||
    [...paths, ...backtick_tokens].some(isTestFile);
  const isOfFailure = keywords.some((word) => /^(?:pass|fail|green|broken|error)/.test(word));
  const said = message.slice(0, 65_536);
  // Who says that the code does something else now does not tell of the test.
  const isAsked = isOfTests && !isOfFailure && !said.split(/[.;\n]\s/).some(saysOther);
  const isTold = isAsked || SAYS_SO.test(said);
  const isWhen = SAYS_WHEN.test(said) && !SAYS_BOTH.test(said);
  return (weakened ?? []).filter(
    ({ expects, path }) => expects === true && (isTestFile(path) ? isTold : isWhen),
  );
}
