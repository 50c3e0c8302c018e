// What a test expects was changed, and no code with it: the test may have been wrong, or the code still is. The files don't
// tell which. So nobody is held to it who says so in the message, or was asked to work on tests as such.

import { isTestFile } from '../../ecosystems/index.ts';
import type { Contract } from '../../format/index.ts';
import type { Weakening } from '../evidence.ts';
import { saysOther } from '../unchanged-behaviour.ts';
import { isOnlyWord } from '../weakening-consent.ts';
import { without } from './asked-less.ts';
import type { Asked } from './given-names.ts';

/** Up to where the expected value stands: the last argument, what `expect` compares with, what follows `==`. */
const UP_TO_VALUE =
  /^(?:await )?(?:(?:self\.)?assert[\w.]*!?\(.*,|expect\(.*\)\.(?:\w+\.)*to\w+\()[^(),]*$|^assert .*==[^(),]*$/;
const LITERAL = /^[\w\s.,:"'`[\]{}+-]*$/;
const CLOSES = /^[\w"'`\])};\s]*$/;

/** A file in which more is other is compared in part. */
const MOST = 300;

/** By these one value, or nothing but its likes, is let through. */
const EXACT =
  /[eE]quals?\w*\(|\b(?:eq|Object\.is|same\w*)\(|\.(?:Eq|[eE]qls?|Exactly)\(|\bis\((?!(?:any\w*|greater\w*|less\w*|in|instanceOf|has\w*|contains\w*|either|both)\()|\bmatches!\((?!.*(?:\b_\b|\.\.| \| ))|\bto (?:eql?|equal|be|match_array|contain_exactly)\b(?! *[<>_])|^assert_(?:equal|same|nil)\b|\b(?:shouldBe|must_(?:equal|be_nil|be_same_as))\b|_eq!|\.toBe\(|\.to(?:StrictEqual|Match\w*Snapshot)\(|===?| is (?:None|True|False)|toBe(?:Null|Undefined|NaN|True|False)\(|[iI]s_?(?:Null|None|Nil)\(|\.Nil\(/;
const INEXACT =
  /\bnot|Not|typeof|isinstance|instanceof|\.any\(|\bANY\b|!=|\|\|| or |<=? ?(?:\d*e\d|\d{6})|Infinity|\bdelta ?= ?[1-9]|\bplaces ?= ?(?:0|-)|Equals\([^",]*,[^",]*, ?[1-9][\d.]*[dDfF]?\)/;
/** Other code may well come to a result that is exact no more, or to none. */
const NEARLY =
  /approx\((?!.*\b(?:abs|rel)=)|close(?!.*_tol ?= ?(?!1e-|0?\.0)|To\((?:[^,]*,[^,]*, ?[1-9]|[^,()]*, ?-))|almost(?!.*\b(?:delta ?= ?[1-9]|places ?= ?0))|\babs\(.*[<>]=? ?(?:1e-|0?\.0|eps|tol|delta)|\b(?:abs|rel)=(?:1e-|0?\.0)/i;
const FAILS = /\b(?:throws|rejects|panics)\b|toThrow|[rR]aises|\berr\w* [!=]= nil\b/;
/** Many values do: those beyond a bound, of a list, with a part, or that come to the same when they are rounded. */
const MANY =
  / [<>]=? |\b(?:abs|rel)=|\.(?:includes|has|some|test|search|match\w*|startsWith|endsWith|startswith|endswith)\(|[a-z.](?:Match(?!\w*Snapshot)\w*|Contain\w*|Greater\w*|Less\w*|Between|InDelta|HaveLength)\(|\bassert\.(?:match|include)\(|\b(?:is(?:Finite|Integer|SafeInteger|NaN|Array)|isdigit|round|floor|ceil|trunc|abs|Abs|sign|len|bool|Boolean|min|max|any|all)\(|\b[mM]ath\.|\bObject\.(?:keys|values)\(| in [[({]|strings\.(?:Contains|Has\w+)|re\.(?:match|search)/;
/** What is asked, in what became of it: turned into yes or no, a remainder, a part or its length. */
const PART =
  /(?<!\w)!+\(?·|·\S* (?:%|&|\||\^|\?)|[%&|^] ·|·\S*\.(?:length|size|replace\w*|slice|substr\w*)\b/;
/** Where a test fails by what an `if` compares: on all but one value. */
const FAILS_BUT_ON =
  /^if\b[^&|<>]* !==? (?!nil\b|err)[^&|<>=]+$|^if\b[^&|<>]*!(?:(?:reflect|slices|maps|bytes|cmp)?\.?\w*Equal\w*|(?:err|·)ors\.(?:Is|As))\(/;
/** What is asked: the first call in it, with all that it is given, or the name that a value was given. */
const ASKED =
  /(?<![\w.])(?!(?:assert\w*|expect|require|self|typeof|await|isinstance|if|eql?|be\w*|raise_error|List|Set|Map|Arrays|Optional|BigDecimal|Decimal|Some|Ok|Err|listOf|setOf|mapOf|matches)\b)[A-Za-z_$][\w$.]*(?:\(|(?= [=!<>]=))/;
/** The first of the calls that are given none. */
const INNER = /(?<![\w.])(?!(?:assert|expect|self|typeof|await|isinstance|if)\b)[A-Za-z_$][\w$.]*\([^()]*\)/;
/** A member, where nothing is called: of what `expect` is given, or what comes second. */
const MEMBER =
  /^(?:await )?(?:expect\(([\w$@]+(?:\.[\w$?!]+|\[[^[\]]*\])+)\)|assert_equal [^,]+, ([\w@]+(?:\.[\w?!]+)+)$)/;
/** Which part of it, also by calls; not the words of an assertion that follow. */
const TAIL = /^(?:\??\.(?!should|must|wont)\w+(?:\([^()]*\))?|\[[^[\]]*\])*/;
/** A function of the project that is given the thing: what it asks, nobody knows. */
const HELPER =
  /^(?:self\.)?assert_(?!equal|that|true|not|nil|in\b|in_|is|raise|include|match|operator|empty|kind|instance|nothing|respond|almost|greater|less)\w+\(/;
/** It was asked whether it is, or is not, something of two. */
const YES_OR_NO = /\b(?:true|True|false|False|null|None|nil|undefined)\b/;

/**
 * Of the assertions that were added: those of something that was compared exactly, and now is no more; where the code is
 * as it was, also those that differ from one that is gone in the value alone.
 */
export function changedExpectations(
  before: readonly Asked[],
  now: readonly Asked[],
  isCodeChanged: boolean,
): string[] {
  const textsOf = (asked: readonly Asked[]): string[] => asked.map(({ text }) => text);
  const gone = without(textsOf(before), textsOf(now)).slice(0, MOST);
  const news = new Set(without(textsOf(now), textsOf(before)));
  const added = gone.length === 0 ? [] : now.filter(({ text }) => news.has(text));
  const loose = (added.length === 0 ? [] : gone).flatMap((was) =>
    thingsIn(was).flatMap((thing) => looser(was, thing, now, news, isCodeChanged)),
  );
  return added
    .filter(
      ({ text }) =>
        loose.includes(text) ||
        (!isCodeChanged &&
          gone.some((was) => [differsInValue, isNowSnapshot, asksPart].some((is) => is(was, text)))),
    )
    .map(({ line }) => line);
}

/** What asks of the same thing in the place of `was`, if nothing compares it exactly any more. */
function looser(
  was: string,
  thing: string,
  now: readonly Asked[],
  news: ReadonlySet<string>,
  isCodeChanged: boolean,
): string[] {
  const end = was.indexOf(thing) + thing.length;
  const whole = thing + (TAIL.exec(was.slice(end))?.[0] ?? '');
  const old = shapeOf(was, thing);
  if (!isExact(old) || YES_OR_NO.test(old) || (!isCodeChanged && /approx|close/i.test(old))) return [];
  const pins = ({ text }: Asked): boolean => {
    // Another part of the thing says nothing of this one, unless it stands in its place.
    if (!text.includes(thing) || (!news.has(text) && isOtherPart(text, thing, whole))) return false;
    const shape = shapeOf(text, thing);
    if (HELPER.test(shape)) return true;
    if (isCodeChanged) return isExact(shape) || NEARLY.test(shape) || FAILS.test(shape);
    return isExact(shape) && !/approx|close/i.test(shape);
  };
  return now.some(pins) ? [] : [...news].filter((text) => text.includes(thing));
}

function isOtherPart(text: string, thing: string, whole: string): boolean {
  return !text.includes(whole) && /^\??[.[]/.test(text.slice(text.indexOf(thing) + thing.length));
}

/** A call and the first within it: each may be what another assertion asks in its place. */
function thingsIn(text: string): string[] {
  const { 0: head = '', index: from = 0 } = ASKED.exec(text) ?? {};
  let [to, depth] = [from + head.length, head.endsWith('(') ? 1 : 0];
  while (depth > 0 && to < text.length) {
    const string = /^(["'`])(?:\\.|(?!\1).){0,200}\1/.exec(text.slice(to, to + 204))?.[0].length ?? 0;
    const sign = text.charAt(to);
    depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
    to += Math.max(1, string);
  }
  const [, ...members] = MEMBER.exec(text) ?? [];
  const things = [text.slice(from, to), INNER.exec(text)?.[0] ?? '', ...members.map((each) => each ?? '')];
  return [...new Set(things)].filter((thing) => thing !== '');
}

/** The thing that is asked as one sign, and nothing of what is in strings. */
function shapeOf(text: string, thing: string): string {
  return text.replaceAll(thing, '·').replace(/(["'`])(?:\\.|(?!\1).){0,200}\1/g, '$1$1');
}

function isExact(shape: string): boolean {
  if (shape.startsWith('if ')) return FAILS_BUT_ON.test(shape);
  return EXACT.test(shape) && ![INEXACT, MANY, PART].some((form) => form.test(shape));
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

/** `if a != 1 || b != 2 {` that became `if a != 1 {`. */
function asksPart(was: string, is: string): boolean {
  const [before = [], now = []] = [was, is].map((text) =>
    text.split(/ (?:\|\||&&|and) /).map((part) => part.replace(/^(?:if|assert)[ (]+|\W+$/g, '')),
  );
  return now.length < before.length && now.every((part) => before.includes(part));
}

const SNAPSHOT = /\.toMatch\w*Snapshot\(/;

const VALUE = /^\.to\w+\(["'`]?(.*?)["'`]?\);?$/;

/** `toBe(90)` that became `toMatchInlineSnapshot('-900')`: whatever came is what is expected. */
function isNowSnapshot(was: string, is: string): boolean {
  const at = is.search(SNAPSHOT);
  if (at < 0 || !was.startsWith(is.slice(0, at)) || SNAPSHOT.test(was)) return false;
  const [before, now] = [was, is].map((text) => VALUE.exec(text.slice(at))?.[1] ?? '');
  return before !== '' && before !== now;
}

const CHANGED =
  '(?:updat|chang|adjust|correct|alter|edit|rewr[io]t|modif|align|loosen|relax|weaken|soften)\\w*';
const LESS =
  '(?:weaker|looser|less strict|(?:only|just|merely) (?:check|ask|assert|verif|requir|want|compar)\\w*|no longer (?:check|ask|assert|pin|compar|requir)\\w*|now (?:accept|allow|tolerat)\\w*)';
/** The bounds keep a message that is one long word from being read again from each of its letters. */
const TESTS =
  '(?:\\btests?\\b|\\bspecs?\\b|\\.(?:test|spec)\\.|test_|_test\\b|\\bexpect|\\bassert)[\\w./-]{0,200}`?';
const SAYS_SO = new RegExp(
  `\\b${CHANGED}(?: (?!and\\b|so\\b|then\\b|to\\b|ran\\b)[^\\s.;,]{1,200}){0,5} \`?[\\w./-]{0,200}${TESTS}(?! (?:now )?(?:pass|succeed|are green))|` +
    `${TESTS}(?: [^\\s.;,]{1,200}){0,6} (?:${CHANGED}|${LESS}|wrong|outdated|incorrect|stale|expects?)\\b`,
  'i',
);

/** That a test lets more through than it did. */
const SAYS_LESS = new RegExp(
  `\\b(?:${LESS}|loosen\\w*|relax\\w*|weaken\\w*|soften\\w*|lenient\\w*|accept\\w*|allow\\w*|tolera\\w*|at (?:least|most)|any (?:\\w+ )?(?:value|number|result|amount|error|string)|positive|non-?empty|greater than|less than|more than|bounds?|ranges?|between|approx\\w*|roughly|contains?|patterns?|regex\\w*|prefix|inexact|no longer exact|(?:instead of|rather than|not) (?:an? |the )?exact\\w*)\\b`,
  'i',
);

function letsMany(line: string): boolean {
  return !EXACT.test(line) && (MANY.test(line) || INEXACT.test(line));
}

/** That code gives another result while tests run: "in the test as well" says that it does not. */
const SAYS_WHEN =
  /\b(?:in|under|during|while|when|for|only)\b[^.\n]{0,30}\b(?:(?:vi|py)tests?|tests(?! (?:pass|succeed|are green)))\b|\bunder test\b|\btest (?:mode|environment|run|binar)|\bNODE_ENV\b/i;
const SAYS_BOTH = /\bas well as\b|\bboth in\b|\b(?:production|reality) and\b/i;

const SAYS_FEWER =
  /\b(?:remov|delet|dropp|merg|skipp|combin|consolidat|collaps|disabl|fewer|replac)\w*\b[^.\n]{0,60}\b(?:tests?|specs?|cases?)\b|\b(?:tests?|specs?|cases?)\b[^.\n]{0,60}\b(?:removed|deleted|dropped|merged|skipped|combined|gone|fewer)\b/i;
/** Of a test, in a line that skips it. */
const TITLE = /\((\w+)\)$|["'`]([^"'`]+)["'`]/;

const REMOVES = /^(?:remov|delet|drop|unused)/;
const TAKES_BACK = /^(?:revert|undo|reset|roll|back)/;

/** Those that the message tells of, or the prompt asks for. */
export function toldExpectations(
  weakened: readonly Weakening[] | null,
  message: string,
  { intent, fields, mayLeaveOut = [] }: Pick<Contract, 'intent' | 'fields' | 'mayLeaveOut'>,
): Weakening[] {
  const { keywords, paths, backtick_tokens } = fields;
  const isOfTests =
    keywords.some((word) => /^(?:tests?|specs?|expect\w*|assert\w*|snapshots?)$/.test(word)) ||
    [...paths, ...backtick_tokens].some(isTestFile);
  const isOfFailure =
    intent === 'fix' || keywords.some((word) => /^(?:pass|fail|green|broken|error)/.test(word));
  const said = message.slice(0, 65_536);
  // Who says that the code does something else now does not tell of the test.
  const isAsked = isOfTests && !isOfFailure && !said.split(/[.;\n]\s/).some(saysOther);
  const isTold = isAsked || SAYS_SO.test(said);
  const isWhen = SAYS_WHEN.test(said) && !SAYS_BOTH.test(said);
  // A word of the prompt need not be one of the test that is meant; the message says which one was taken for it.
  const isMeant = ({ what, lines }: Weakening): boolean =>
    (what === 'skipped' || what === 'deleted') &&
    mayLeaveOut.length > 0 &&
    mayLeaveOut.every(isOnlyWord) &&
    lines.every((line) => said.includes(TITLE.exec(line)?.find((title, i) => i > 0 && title) ?? line));
  const isFewer = isTold || SAYS_FEWER.test(said);
  const isLess = isAsked || SAYS_LESS.test(said);
  const isSaid = ({ what, path, lines }: Weakening): boolean => {
    if (what === 'deselected') return isFewer;
    // Who says that the test was changed does not say that it lets more through.
    return isTestFile(path) ? (lines.some(letsMany) ? isLess : isTold) : isWhen;
  };
  // "Remove `discount`", and its tests with it; "Revert the last commit", and what tests that had brought.
  const removes = intent === 'remove' || keywords.some((word) => REMOVES.test(word));
  const names = new Set([
    ...keywords,
    ...[...backtick_tokens, said].flatMap((text) => text.match(/\w+/g) ?? []),
  ]);
  const isBeside = ({ beside }: Weakening): boolean =>
    (beside?.isTakenBack === true && keywords.some((word) => TAKES_BACK.test(word))) ||
    (removes && beside?.gone.some((word) => names.has(word) || names.has(word.toLowerCase())) === true);
  return (weakened ?? []).filter(
    (each) => (each.expects === true && isSaid(each)) || isMeant(each) || isBeside(each),
  );
}
