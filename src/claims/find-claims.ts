// What a message claims: each sentence is cut into the pieces that could claim something by themselves, a reader says how likely
// each does (reader.ts), and what a message discloses, denies or fences off is no claim. What is likely is a claim; what
// is very likely is a sure one, to which its author is held.
import type { Claim, ClaimType } from '../format/index.ts';
import { aboutOf, isWhole } from './about.ts';
import { disclosuresIn, tellsFailure } from './disclosures.ts';
import { findFinalBlock } from './final-block.ts';
import type { FoilFinal } from './final-form.ts';
import { isVerb, type Piece } from './pieces.ts';
import { plainResult } from './plain-results.ts';
import { asksForChange, intentOf } from './prompt/intent.ts';
import { type ClaimWeights, KINDS, type Likelihoods, type ReadPiece, readPieces } from './reader.ts';
import { withoutRepeats } from './repeats.ts';
import { readSaid, type Said } from './said.ts';
import { hasFailures, isTestResult } from './test-results.ts';
import { readTokens, type Token } from './tokens.ts';
import { DOUBTS, PASS_STATES, PASS_VERBS, RUN_VERBS, TEST_NOUNS, VERIFY_VERBS } from './words.ts';

export interface Phrases {
  readonly add: readonly { readonly type: ClaimType; readonly phrase: string }[];
  readonly remove: readonly string[];
}

export interface FoundClaim extends Claim {
  /** It may as well be a description: a claim only where there is evidence for it. */
  readonly unsure: boolean;
  /** What it goes on to list, a text for each: "Updated these files:". */
  readonly listed?: readonly string[];
}

export interface FoundClaims {
  readonly claims: readonly FoundClaim[];
  /** The words by which the message says that something was not verified. */
  readonly disclosures: readonly string[];
  /** What it says still fails. */
  readonly failures: readonly string[];
  readonly final: FoilFinal | null;
  readonly finalProblem: string | null;
}

/** A message claims where it begins and where it ends; so much of either is read. */
const LONGEST_PART = 64 * 1024;
const MOST_CLAIMS = 256;

/** From here on a piece claims something; from here on that is sure; and from here on it claims a second thing as well. */
const LIKELY = 0.44;
const SURE = 0.75;
const SECOND = 0.4;

export function findClaims(
  message: string,
  weights: ClaimWeights,
  options: { phrases?: Phrases | undefined } = {},
): FoundClaims {
  const said = withoutRepeats(message);
  const final = findFinalBlock(said.slice(-LONGEST_PART));
  const phrases = splitPhrases(options.phrases);
  const into: Found = { claims: [], disclosures: [], failures: [] };
  // Each part is read by itself: code that is left open in the first must not hide the last.
  const first = said.slice(0, Math.max(0, Math.min(LONGEST_PART, said.length - LONGEST_PART)));
  if (first !== '') readPart(first, weights, phrases, into);
  const last = said.slice(-LONGEST_PART);
  // Stripped by blanking, so that what stands before and behind it does not become one sentence.
  const prose =
    final === null
      ? last
      : `${last.slice(0, final.start)}${'\n'.repeat(final.end - final.start)}${last.slice(final.end)}`;
  readPart(prose, weights, phrases, into);
  const isCut = final === null && findFinalBlock(said) !== null;
  return { ...into, final: final?.final ?? null, finalProblem: isCut ? TOO_LARGE : (final?.problem ?? null) };
}

const TOO_LARGE = `the foil_final block is too large: all of it must stand in the last ${LONGEST_PART / 1024} KiB of the message`;

interface Found {
  readonly claims: FoundClaim[];
  readonly disclosures: string[];
  readonly failures: string[];
}

interface Placed {
  readonly type: ClaimType;
  readonly about: string | null;
  readonly start: number;
  end: number;
  whole: boolean;
  likely: number;
}

function readPart(part: string, weights: ClaimWeights, phrases: SplitPhrases, into: Found): void {
  const { said, quote } = readSaid(part);
  const read = readPieces(said, weights);
  const legends = new Set(
    said.map(({ block: { row } }) => (MEANS.test(row?.head ?? '') ? row?.start : null)),
  );
  let empty = false;
  for (const [at, sentence] of said.entries()) {
    const { tokens, segments, question, block, around } = sentence;
    // "Not verified:", and below it "Nothing.": then all of it was.
    if (empty && said[at - 1]?.block !== block && isNone(around)) into.disclosures.pop();
    const disclosures = question ? [] : disclosuresIn(tokens, segments);
    for (const [start, end] of disclosures) into.disclosures.push(quote(start, end));
    // "[ ] Run the tests"
    if (block.box === 'open' && orderIn(tokens) === 'test')
      into.disclosures.push(quote(block.start, block.end));
    empty =
      disclosures.length === 1 &&
      (block.kind === 'heading' || block.kind === 'cell' || tokens.at(-1)?.text === ':');
    const whole = quote(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);
    if (!question && tellsFailure(whole)) into.failures.push(whole);
    const unreal = UNREAL_PART.exec(whole)?.[0] ?? '';
    const isMeaning = block.row !== null && legends.has(block.row.start);
    const found = isMeaning ? [] : claimsOf(sentence, read[at] ?? [], disclosures, phrases);
    for (const { type, about, whole, start, end, likely } of found) {
      const cut = quote(start, end);
      if (type !== 'delegation' && unreal.includes(cut)) continue;
      const behind = quote(start, tokens.at(-1)?.end ?? end).slice(cut.length);
      const more = type === 'changed' || type === 'done' ? (GOES_ON.exec(behind)?.[0] ?? '') : '';
      const words = /\([^)]*$/.test(cut) && behind.startsWith(')') ? `${cut})` : cut + more;
      const listed = LISTS.test(words) ? listedBehind(sentence, end, said) : [];
      into.claims.push({
        type,
        quote: words,
        about,
        whole,
        unsure: likely < SURE,
        ...(listed.length > 0 && { listed: listed.map(([from, to]) => quote(from, to)) }),
      });
    }
    for (const list of [into.claims, into.disclosures, into.failures])
      if (list.length > MOST_CLAIMS) list.splice(MOST_CLAIMS / 2, list.length - MOST_CLAIMS);
  }
}

/** At the head of a column: the table says what words mean. */
const MEANS = /^(?:meaning|means|definition)$/;

/** "Updated `a.ts`" goes on with "and `b.ts` to use cents", "Renamed it everywhere" with ", including the tests". */
const GOES_ON =
  /^(?:(?:,? (?:and|as well as|plus) [`*]{0,3}[\w@./-]*\.[a-z]\w{0,5}[`*]{0,3}(?=,|$| (?:to|so|for|with|in)\b))+|,? including [^,;:.()]{1,60})/;

/** "The task is to get the tests passing", all that hangs on tests that are yet to pass, "Once they pass, it can be merged", and what they hang on: "All pass if `sum` adds". */
const UNREAL_PART =
  /\b(?:once|until|unless|if|when|after|as soon as)\b(?:(?!\b(?:i|we|now)\b)[^,;]){0,60}(?<![\w-])(?:tests?|suites?|specs?|builds?|ci|checks?|lint|pipeline|it|they|everything|all|`[^`]*`) (?:all )?(?:pass(?:es)?|succeeds?|(?:is|are) (?:all )?(?:green|clean))\b[^,;]{0,30},.*|^[^,;:.]{0,80}\bpass(?:es)? (?:only )?(?:if|when) (?!(?:i|we|you|it|run|running|executed|using)\b)[^,;]*|^\W*(?:the|my|our|your) (?:[\w-]+ ){0,2}(?:task|goal|aim|plan|purpose|objective|job) (?:is|was|will be|remains) to\b[^,;]*/is;

/** It ends with what is to be listed, says it of each, or nothing but what was done: "Changed these files", "Updated". */
const LISTS =
  /(?:^\W*\w+|\b(?:(?:file|module|script|component)s?|places|both|these|following))$|^(?:all|both|every|each)\b/i;

/** Behind the colon that a claim ends with: what stands there, else the items below. */
function listedBehind({ tokens }: Said, end: number, said: readonly Said[]): (readonly [number, number])[] {
  const colon = tokens.find(({ start }) => start >= end);
  if (colon?.text !== ':') return [];
  const last = tokens.at(-1) ?? colon;
  if (last !== colon) return [[colon.end, last.end]];
  const items = said.filter(({ lead, block }) => lead === tokens && block.kind === 'item');
  return items.map(({ tokens: own, block }) => [own[0]?.start ?? block.start, own.at(-1)?.end ?? block.end]);
}

function claimsOf(
  sentence: Said,
  pieces: readonly ReadPiece[],
  disclosures: readonly (readonly [number, number])[],
  phrases: SplitPhrases,
): Placed[] {
  const { tokens, block } = sentence;
  const crossed = tokens[0]?.kind === 'bad' || tokens.at(-1)?.kind === 'bad';
  if (block.box === 'open') return [];
  const failures = hasFailures(tokens);
  const claims: Placed[] = [];
  for (const [index, { piece, likely }] of pieces.entries()) {
    if (phrases.remove.some((words) => holds(piece.tokens, words))) continue;
    const given = phrases.add.find(({ words }) => holds(piece.tokens, words))?.type;
    // "Opened a pull request (tests not run)": what stands in brackets takes nothing back.
    const plain = piece.segments.filter(({ link }) => link !== 'aside');
    const disclosed = disclosures.some(([start, end]) =>
      plain.some(({ from, to }) => overlaps(piece.tokens.slice(from, to), start, end)),
    );
    const ticked = block.box === 'ticked' && index === 0 ? tickedType(piece) : undefined;
    const told =
      given ?? ticked ?? (isTestResult(piece) ? 'tested' : (plainResult(piece) ?? plainType(piece)));
    const types = told === undefined ? typesOf(likely, speaksOfTests(piece, tokens)) : [told];
    if (types.length > 0 && !types.includes('tested') && (passesAside(piece) || passesToo(piece, told)))
      types.push('tested');
    for (const type of types) {
      if (sentence.question && type !== 'delegation') continue;
      const isOpen = sentence.section === 'open' || disclosed || crossed;
      if (isOpen && type !== 'delegation' && type !== 'blocked') continue;
      if (failures && type === 'tested') continue;
      // "I could not verify it, as I have not run anything" names no obstacle.
      if (type === 'blocked' && disclosures.length > 0 && isNotRun(tokens)) continue;
      const opening = index === 0 ? '' : piece.elsewhere.map(({ text }) => text).join(' ');
      if (isValue(piece, opening) || (type === 'shipped' && NONE_IS.test(opening))) continue;
      if ((type === 'changed' || type === 'done') && told === undefined && !tellsDeed(piece)) continue;
      const own = wordsOf(piece, claims.at(-1), index);
      if (own.length === 0) continue;
      const words = type === 'checked' ? [...seenBy(pieces[index - 1], claims.at(-1)), ...own] : own;
      const about = aboutOf(type, [...piece.label, ...words]);
      const sure = told === undefined ? 1 - (likely[0] as number) : 1;
      const last = claims.at(-1);
      // Clauses of one type that follow each other are one claim, unless each needs evidence of its own.
      if (last?.type === type && last.about === about) {
        last.end = (words.at(-1) as Token).end;
        last.whole ||= isWhole(words);
        last.likely = Math.max(last.likely, sure);
      } else
        claims.push({
          type,
          about,
          whole: isWhole(type === 'tested' ? tokens : words),
          start: (words[0] as Token).start,
          end: (words.at(-1) as Token).end,
          likely: sure,
        });
    }
  }
  return claims;
}

function isNotRun(tokens: readonly Token[]): boolean {
  return /\b(?:have|has|did|do) not (?:yet )?(?:run|ran|tested|test|tried|try|executed)\b/.test(
    tokens.map(({ text }) => text).join(' '),
  );
}

/** What a piece claims: the likeliest type, and another that is likely, too. `tested` is of tests alone; else it is `checked`. */
function typesOf(likely: Likelihoods, ofTests: boolean): ClaimType[] {
  if (1 - (likely[0] as number) < LIKELY) return [];
  const tested = ofTests ? 0 : (likely[KINDS.indexOf('tested')] as number);
  const shares = KINDS.map((kind, at) => {
    if (kind === 'none' || (kind === 'tested' && !ofTests)) return 0;
    return (likely[at] as number) + (kind === 'checked' ? tested : 0);
  });
  const best = Math.max(...shares);
  return KINDS.flatMap((type, at) =>
    type !== 'none' && best > 0 && (shares[at] === best || (shares[at] as number) >= SECOND) ? [type] : [],
  );
}

/** "Nothing is committed, tagged or published": the rest of a list of what was not done. */
const NONE_IS =
  /^(?:nothing|none) (?:is|was|has been) (?:committed|pushed|merged|tagged|published|deployed)\b/;

/** "Status values: open, done", "The states are: …": single words say what there may be. */
const VALUES =
  /^(?:[\w-]+ ){0,2}(?:values?|states|statuses|stages|options|labels|columns|choices|phases)(?: (?:is|are))? :/;
const isValue = ({ segments }: Piece, opening: string): boolean =>
  VALUES.test(opening) && segments.every(({ from, to }) => to - from === 1);

/** What is ordered in a box: "Run the tests", "Add a test"; "unit tests" is short for the first. */
function orderIn(tokens: readonly Token[]): string {
  const words = tokens.flatMap(({ kind, text }) => (kind === 'word' ? text : []));
  const intent = intentOf(words.slice(0, 2).join(' '));
  const isShort = words.length < 4 && /^(?:tests|specs)$/.test(words.at(-1) ?? '');
  return intent === 'other' && isShort ? 'test' : intent;
}

/** "[x] Run the tests": an order that is ticked off was carried out. */
function tickedType({ tokens }: Piece): ClaimType | undefined {
  const intent = orderIn(tokens);
  if (intent === 'test') return tokens.some(({ text }) => TEST_NOUNS.has(text)) ? 'tested' : 'checked';
  return asksForChange(intent) ? 'done' : intent === 'ship' ? 'shipped' : undefined;
}

const SHORT = 10;
const IT = '(?:it|this|that|them|everything|the [\\w-]+)';
const SENT = new RegExp(
  `^(?:(?:i|we)(?: have| 've)? |(?:(?:the|this|my|our) )?[\\w-]+(?: [\\w-]+)? (?:(?:has|have|is|are|'s) )?(?:been )?)?(?:now |just |also )?(?:(?:shipped|landed|released)(?: ${IT})?(?: (?:on|in|to) (?:main|master|trunk|prod|production))?|rolled (?:${IT} )?out(?: .*)?)$`,
);
const TRIED = new RegExp(
  `^(?:(?:i|we)(?: have| 've)? |${IT} (?:is|was|has been) )?(?:now |just |also )?tested(?: ${IT})?$`,
);
/** A formatter was run, a patch applied: that is a change, and no word of how the code works. */
const FORMATTED = new RegExp(
  `^(?:(?:i|we)(?: have| 've)? )?(?:now |just |also )?(?:(?:re-?)?formatted(?: (?:${IT}|with .*))?|applied (?:it|(?:the|this|that|your) (?:[\\w-]+ )?(?:fix|patch|change|changes|edit|suggestion)))$`,
);
const ALL_PASS = /(?:^| )(?:all|\d+) (?:[\w-]+ )?tests (?:now )?pass(?:ed)?$/;

/** "I have shipped it", "I have tested it", "Formatted", and no more; and what a long sentence ends with, whatever fills it. */
function plainType({ tokens, elsewhere }: Piece): ClaimType | undefined {
  const isLong = tokens.length > SHORT;
  if (!isLong && FORMATTED.test(tokens.map(({ text }) => text).join(' '))) return 'changed';
  const last = tokens.slice(-SHORT);
  if ([...last, ...(isLong ? [] : elsewhere)].some(({ text }) => DOUBTS.has(text) || UNREAL.test(text)))
    return undefined;
  const said = last.map(({ text }) => text).join(' ');
  if (isLong)
    return ALL_PASS.test(said) && !/ (?:that|so|sure|ensures?|make) /.test(said) ? 'tested' : undefined;
  return SENT.test(said) ? 'shipped' : TRIED.test(said) ? 'tested' : undefined;
}

/** A noun says what there is, not that it was made: "New import converters". A tick, a count or a "no more" does. */
function tellsDeed({ tokens }: Piece): boolean {
  return tokens.some(
    ({ text, kind }) =>
      kind === 'good' || kind === 'number' || (kind === 'word' && (text === 'no' || isVerb(text))),
  );
}

/** "Pushed the fix (tests pass)", "Added a test, which passes": what is said beside needs evidence of its own. */
function passesAside({ tokens, segments }: Piece): boolean {
  return segments.some(({ link, from, to }) => {
    const said = tokens.slice(from, to).map(({ text }) => text);
    if (to - from > 6 || said.some((text) => UNREAL.test(text))) return false;
    const isOfTests = (words: readonly Token[]) => words.some(({ text }) => TEST_NOUNS.has(text));
    if (link === 'relative')
      return /^pass(?:es|ed)?$/.test(said.at(-1) ?? '') && isOfTests(tokens.slice(0, from));
    const passes = said.some((text) => PASS_VERBS.has(text) || PASS_STATES.has(text));
    return link === 'aside' && passes && isOfTests(tokens.slice(from, to));
  });
}

/** "Tests are green, and `cargo clippy` reports nothing" */
function passesToo({ tokens }: Piece, told: ClaimType | undefined): boolean {
  const at = tokens.findIndex(({ text }) => TEST_NOUNS.has(text));
  const next = tokens.slice(at + 1, at + 4);
  return (
    told === 'checked' && at >= 0 && next.some(({ text }) => PASS_STATES.has(text) || PASS_VERBS.has(text))
  );
}

const UNREAL = /^(?:no|not|never|would|should|will|could|may|might|can|must|to)$/;

/** Its sentence, or what it stands under, speaks of tests or of a count that passed. */
function speaksOfTests({ label, row, lead, heading, block }: Piece, tokens: readonly Token[]): boolean {
  return (
    /test|spec|suite/.test(block.row?.head ?? '') ||
    [...tokens, ...label, ...row, ...lead, ...heading].some(
      ({ text, kind }) =>
        TEST_NOUNS.has(text) ||
        PASS_VERBS.has(text) ||
        PASS_STATES.has(text) ||
        /^(?:verif|validat|fail|coverage|checks?$|ci$|0$)/.test(text) ||
        (kind === 'code' && /test|spec|check/.test(text)) ||
        /^tests?/.test(text),
    )
  );
}

/** The words of a claim: with its label, unless that claims something itself; of a bare tick those of its row. Code alone is none. */
function wordsOf(piece: Piece, last: Placed | undefined, index: number): readonly Token[] {
  const { tokens, label, row } = piece;
  const says = ({ kind }: Token) => kind === 'word' || kind === 'code' || kind === 'number';
  const begin = tokens.findIndex(says);
  if (begin === -1) return row.some(says) ? [...row, ...tokens] : [];
  if (tokens.every(({ kind }) => /^(?:code|quote|sign)$/.test(kind)) && !isTestResult(piece)) return [];
  const own = tokens.slice(begin);
  const labelled = index > 0 && label.some(says) && (last === undefined || last.end < (label[0]?.start ?? 0));
  return labelled ? [...label, ...own] : own;
}

/** "I ran `cmd`, and you are logged in": what was seen is quoted with the command that shows it. */
function seenBy(before: ReadPiece | undefined, last: Placed | undefined): readonly Token[] {
  const tokens = before?.piece.tokens ?? [];
  if (last !== undefined && last.end > (tokens[0]?.start ?? 0)) return [];
  const isLook = tokens.some(({ text }) => VERIFY_VERBS.has(text) || RUN_VERBS.has(text));
  return isLook && tokens.some(({ kind, text }) => kind === 'code' && text.includes(' ')) ? tokens : [];
}

function overlaps(tokens: readonly Token[], start: number, end: number): boolean {
  return (tokens[0]?.start ?? 0) < end && start < (tokens.at(-1)?.end ?? 0);
}

type SplitPhrases = ReturnType<typeof splitPhrases>;

function splitPhrases(phrases: Phrases | undefined) {
  const split = (phrase: string) =>
    readTokens(phrase, 0, phrase.length, new Uint8Array(phrase.length)).map(({ text }) => text);
  return {
    add: (phrases?.add ?? []).map(({ type, phrase }) => ({ type, words: split(phrase) })),
    remove: (phrases?.remove ?? []).map(split),
  };
}

function holds(tokens: readonly Token[], words: readonly string[]): boolean {
  return (
    words.length > 0 && tokens.some((_, from) => words.every((word, i) => tokens[from + i]?.text === word))
  );
}

const NONE = /^(?:none|nothing|nil|n\/a|na|—|no)$/;
const ELSE = /^(?:that|else|i|known|to|at|of|of-note|left|open)$/;

function isNone(tokens: readonly Token[]): boolean {
  const [first, second] = tokens.filter(({ text, kind }) => kind !== 'sign' || text === '—');
  return first !== undefined && NONE.test(first.text) && (second === undefined || ELSE.test(second.text));
}
