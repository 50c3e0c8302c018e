// Where a message says itself that something was not verified: "untested", "I have not run the tests", "couldn't run the
// suite here". It excuses `done` and `changed`; so it must be said of this work, and not as a condition or a question.
import type { Link, Segment } from './segments.ts';
import type { Token } from './tokens.ts';
import { BE, FIRST, words } from './words.ts';

const CHECKING =
  words(`run ran test tested verify verified check checked execute executed validate validated confirm confirmed exercise exercised
  rerun re-run start try tried compile compiled build built tests running testing verifying checking executing
  validating retest`);
const UNCHECKED = words('untested unverified unchecked unconfirmed unvalidated');
/** What is done to see whether something works; what was not checked or validated may be a finding in the code. */
const TRIED = words('run executed built compiled tested exercised tried deployed started rendered installed');
const SUBJECTS =
  words(`this it that they these change changes fix code tests suite test everything nothing patch migration build
  script`);

const ADVERBS =
  words(`now also just already then again all both since still only even too yet either once here there
  therefore thus hence instead further together finally each re well always first next`);

/** A segment of a sentence under examination. */
interface Clause {
  readonly tokens: readonly Token[];
  readonly segment: Segment;
}

/** Where a sentence discloses something: places in the text. */
export function disclosuresIn(
  tokens: readonly Token[],
  segments: readonly Segment[],
): [start: number, end: number][] {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (first?.text === 'whether' && last !== undefined)
    return IS_OPEN.test(tokens.map(({ text }) => text).join(' ')) ? [[first.start, last.end]] : [];
  if (first !== undefined && last !== undefined && UNDONE.test(tokens.map(({ text }) => text).join(' ')))
    return [[first.start, last.end]];
  if (segments[0]?.link === 'condition') return [];
  const found: [number, number][] = [];
  for (const [index, segment] of segments.entries()) {
    if (OFF.has(segment.link) || !isDisclosure({ tokens, segment })) continue;
    const joined = segment.link === 'coordinate' || segment.link === 'alternative';
    const from = joined ? (segments[index - 1] ?? segment) : segment;
    found.push([(tokens[from.from] as Token).start, (tokens[segment.to - 1] as Token).end]);
  }
  return found;
}

/** "Whether it holds on Windows is not verified." */
const IS_OPEN =
  / (?:is|was|has) (?:still )?(?:not (?:yet )?(?:been )?(?:verified|tested|checked|confirmed|validated)|un(?:tested|verified|checked|confirmed))\b/;

/**
 * "Verification: none", "The edit is done, verification is not", "Someone should run the tests, I did not"; "No verification has been
 * done", "Tests still need to be run", "Verification is still open", "Nothing has been verified", "I have verified nothing".
 */
const UNDONE = new RegExp(
  [
    '^(?:verification|testing|tests|checks|verified|tested) [:—] (?:none|nothing|no|skipped|not (?:done|run))$',
    '\\b(?:verification|testing) (?:is|was) not$',
    '\\b(?:run|test|verify|check)\\b.* (?:i|we) (?:did|have) not$',
    '\\bno (?:verification|testing|checks?) (?:has been|have been|was|were) (?:done|made|performed|carried out)(?: yet)?$',
    '(?:^|, )(?:the )?(?:verification|testing|tests)(?: (?:is|are))?(?: still)? (?:pending|open|outstanding|(?:needs? )?to be (?:run|done))$',
    '\\bnothing (?:has been|was) (?:verified|tested|checked)(?: yet)?$',
    "^(?:i|we) (?:have |[’']ve )?(?:verified|tested|checked) nothing(?: yet)?$",
  ].join('|'),
);

/** What stands behind these asserts nothing. */
const OFF: ReadonlySet<Link> = new Set(['condition', 'time', 'cause', 'relative', 'that']);

function isDisclosure(clause: Clause): boolean {
  const { segment } = clause;
  for (let at = segment.from; at < segment.to; at++) {
    if (kindAt(clause, at) !== 'word') continue;
    const word = wordAt(clause, at);
    const next = wordAt(clause, at + 1);
    if (UNCHECKED.has(word) && !isAttributive(clause, at)) return true;
    if (word === 'not' || word === 'never' || word === 'unable' || word === 'without' || word === 'skipped') {
      if (isUnchecked(clause, at, word)) return true;
    }
    if (word === 'yet' && next === 'to' && CHECKING.has(wordAt(clause, at + 3) || wordAt(clause, at + 2)))
      return true;
    if (word === 'no' && (isNoneRun(clause, at) || isRunOfNone(clause, at))) return true;
    if (word === 'not' && isCutShort(clause, at)) return true;
    if (word === 'nothing' && BE.has(next) && CHECKING.has(wordAt(clause, at + 2))) return true;
  }
  return false;
}

/** "No tests were run", "No automated tests run". */
function isNoneRun(clause: Clause, at: number): boolean {
  const following = [1, 2, 3, 4, 5].map((ahead) => wordAt(clause, at + ahead));
  const noun = following.findIndex((word) => /^(?:tests?|suites?|verification|checks?)$/.test(word));
  const verb = following.slice(noun + 1).find((word) => !BE.has(word) && !/^ha(?:ve|s)$/.test(word)) ?? '';
  return noun >= 0 && noun < 3 && CHECKING.has(verb) && !/ing$/.test(verb);
}

/** "I ran no tests", "Ran no checks either"; but not "no tests that wait". */
function isRunOfNone(clause: Clause, at: number): boolean {
  const noun = [1, 2].find((ahead) => /^(?:tests?|suites?|checks?)$/.test(wordAt(clause, at + ahead)));
  const next = clause.tokens[at + (noun ?? 0) + 1]?.text ?? '';
  return (
    noun !== undefined &&
    /^(?:ran|executed)$/.test(wordAt(clause, at - 1)) &&
    !/^(?:that|which|with|without|from|in|of|but|except)$/.test(next)
  );
}

/** "The tests could not complete here." */
function isCutShort(clause: Clause, at: number): boolean {
  const isEnd = [1, 2].some((ahead) => /^(?:complete|finish)(?:d|ed)?$/.test(wordAt(clause, at + ahead)));
  const said = clause.tokens.slice(clause.segment.from, at).map(({ text }) => text);
  return (
    isEnd &&
    /\b(?:tests?|suites?|checks?|verification|validation)\b/.test(said.join(' ')) &&
    /^(?:could|did|can|does)$/.test(said.at(-1) ?? '')
  );
}

function isAttributive(clause: Clause, at: number): boolean {
  return (
    kindAt(clause, at + 1) === 'word' &&
    !/^(?:on|in|here|against|so|and|at|for|by|with|yet|as|locally)$/.test(wordAt(clause, at + 1))
  );
}

function isUnchecked(clause: Clause, at: number, word: string): boolean {
  const { segment } = clause;
  let checks = false;
  for (let i = at + 1; i <= Math.min(at + 4, segment.to - 1); i++) {
    const candidate = wordAt(clause, i);
    // "Not a single test fails": they were run.
    if (FIRST.has(candidate) || candidate === 'that' || /^fail/.test(wordAt(clause, i + 1))) break;
    checks ||= CHECKING.has(candidate) && kindAt(clause, i) === 'word' && !isMaking(clause, i);
    if (checks) break;
  }
  if (!checks) return false;
  if (word === 'without')
    return (
      clause.tokens.slice(0, at).some(({ text }) => FIRST.has(text)) ||
      segment.from === at ||
      clause.tokens[segment.from]?.text.endsWith('ed') === true
    );
  if (hasWord(clause, FIRST, segment.from, at)) return true;
  const auxiliary = leftOf(clause, at);
  const before = wordAt(clause, auxiliary);
  // Telegraphic: "Not verified", "Did not run the tests", "Couldn't run …".
  if (auxiliary < segment.from || leftOf(clause, auxiliary) < segment.from)
    return before !== 'do' && before !== 'does' && before !== 'will';
  if (before !== 'have' && before !== 'has' && before !== 'could' && !BE.has(before)) return false;
  if (/^(?:was|were)$/.test(before) && TRIED.has(wordAt(clause, at + 1))) return true;
  return before === 'have' || before === 'has' || hasWord(clause, SUBJECTS, segment.from, auxiliary);
}

/** "I can't build the navbar": that is the work itself, not a check of it. */
function isMaking(clause: Clause, at: number): boolean {
  return (
    /^(?:build|built|start)$/.test(wordAt(clause, at)) &&
    /^(?:the|a|an|any)$/.test(wordAt(clause, at + 1)) &&
    !/^(?:project|app|application|image|package|solution|target|binary|server|container|program|code)$/.test(
      wordAt(clause, at + 2),
    )
  );
}

function wordAt({ tokens, segment }: Clause, at: number): string {
  return at < segment.from || at >= segment.to ? '' : (tokens[at]?.text ?? '');
}

function kindAt({ tokens, segment }: Clause, at: number): Token['kind'] | null {
  return at < segment.from || at >= segment.to ? null : (tokens[at]?.kind ?? null);
}

function hasWord(clause: Clause, wanted: ReadonlySet<string>, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (wanted.has(wordAt(clause, at))) return true;
  return false;
}

/** The nearest word to the left of `at` that is no adverb and no mark; before the segment's start if there is none. */
function leftOf(clause: Clause, at: number): number {
  let left = at - 1;
  // Nobody strings more adverbs together; a bound keeps this from growing with the sentence.
  while (left >= clause.segment.from && at - left < 8) {
    const kind = kindAt(clause, left);
    if (kind !== 'good' && !(kind === 'word' && isAdverb(wordAt(clause, left)))) break;
    left--;
  }
  return left;
}

function isAdverb(word: string): boolean {
  return ADVERBS.has(word) || (word.length > 4 && /ly$/.test(word) && !/^(?:re|ap)ply$/.test(word));
}

const FAILS = /\b(?:fails?|failing|failures?|(?:is|are|stays?|remains?) (?:still )?(?:red|broken))\b/i;
const NONE =
  /\b(?:no|zero|0|without|not|never|any)\s+(?:\w+\s+){0,2}(?:failures?|failing|fails?)\b|\bno longer\b/i;
/** Of another's making, or left as it was: not how something used to be, nor why. */
const APART =
  /\b(?:still|elsewhere|unrelated|un-related|pre-?existing|flaky|nothing to do with|not related|on (?:main|master)|without my changes?|before (?:my|this|these|the) changes?|(?:as|like) (?:it did )?before|same as before|in the (?:complete|full|whole|entire) (?:test )?(?:run|suite)|already failed|already failing|(?:broken|tests? (?:fail|are failing)) (?:right now|at the moment|for now)|as (?:you )?(?:asked|requested|wanted|intended)|on purpose|not (?:yet )?(?:finished|done|complete)|(?<=[:—–|] )open|[1-9]\d* (?:out )?of (?:the )?\d+ (?:\w+ )?(?:tests?|specs?|cases?) (?:now )?(?:fails?|(?:is|are) failing))\b/i;

/** Does a sentence tell that something fails, and that this stays? "`TestMailer` still fails: it wants a server." */
export function tellsFailure(sentence: string): boolean {
  return FAILS.test(sentence) && APART.test(sentence) && !NONE.test(sentence);
}
