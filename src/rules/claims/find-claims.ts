// The claims in an agent's final message: what it asserts as a fact about this work, in its own prose. English only. In
// layers: blocks of Markdown, sentences, segments, words that could be a claim, and whether they are asserted. The
// message is not trusted: any text is read in linear time, and of a very long one only the beginning and the end.
import type { Claim, ClaimType } from '../../format/index.ts';
import { findActions } from './actions.ts';
import type { Block } from './blocks.ts';
import type { Clause, Found } from './clause.ts';
import { isDisclosure, tellsFailure } from './disclosures.ts';
import { type FoilFinal, findFinalBlock } from './final-block.ts';
import { BE, FIRST, PRONOUNS, STRENGTH, TRIAL_VERBS, words } from './lexicon.ts';
import { findObservations } from './observations.ts';
import { markedClaim, type Placed, placeOf, seenClaim, settleMessage, settleSentence } from './placed.ts';
import { withoutRepeats } from './repeats.ts';
import { findRequests } from './requests.ts';
import { findResults } from './results.ts';
import { readSaid, type Said } from './said.ts';
import { isAsserted, NO_REACH, type Reach, reachOf } from './scope.ts';
import { type ReadPiece, readAgain } from './second-reader.ts';
import { announced, type Section, trackSections } from './sections.ts';
import type { Segment } from './segments.ts';
import { findStates } from './states.ts';
import { readTokens, type Token } from './tokens.ts';
import { isAgreed, isSeen, isTakenBack, type Judged, type Weighed, weigh } from './two-readers.ts';

/** The words a policy adds to the ones known here, or takes from them. */
export interface Phrases {
  readonly add: readonly { readonly type: ClaimType; readonly phrase: string }[];
  readonly remove: readonly string[];
}

export interface FoundClaim extends Claim {
  /** It may as well be a description: a claim only where there is evidence for it. */
  readonly unsure: boolean;
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
/** Columns that report; under others a word in a wide table compares. */
const REPORTING = /^(?:stat|result|done|progress|outcome|chang|what|fix|action|note|how|verif|check|test)/;
/** Columns that tell how something is or behaves. */
const DESCRIBING_HEAD =
  /\b(?:when|if|meaning|for|default|description|purpose|used|type|values?|cost|saves?|rule|behaviou?r|response|request|condition|example|since)\b/;
/** "It describes the steps: …": what follows is told of a text or a procedure. */
const DESCRIBING = words('describes explains covers lists documents proposes happens happen works steps');
const NONE = /^(?:none|nothing|nil|n\/a|na|—|no)$/;
const ELSE = /^(?:that|else|i|known|to|at|of|of-note|left|open)$/;
/** No clause of an honest message holds more words that could be claims. */
const MOST_CANDIDATES = 24;

interface Lexical {
  readonly add: readonly { type: ClaimType; words: readonly string[] }[];
  readonly remove: readonly (readonly string[])[];
}

export function findClaims(message: string, options: { phrases?: Phrases } = {}): FoundClaims {
  return readMessage(withoutRepeats(message), options.phrases, readAgain);
}

/** What the rules alone see. */
export function findByRules(message: string, options: { phrases?: Phrases } = {}): FoundClaims {
  return readMessage(message, options.phrases, (all) => all.map(() => []));
}

type SecondReader = (all: readonly Said[]) => readonly (readonly ReadPiece[])[];

function readMessage(message: string, phrases: Phrases | undefined, again: SecondReader): FoundClaims {
  const final = findFinalBlock(message.slice(-LONGEST_PART));
  const lexical = lexicalOf(phrases);
  const read: Part = { claims: [], disclosures: [], failures: [], said: 0 };
  // Each part is read by itself: code that is left open in the first must not hide the last.
  if (message.length > 2 * LONGEST_PART) readPart(message.slice(0, LONGEST_PART), lexical, again, read);
  else if (message.length > LONGEST_PART) readPart(message.slice(0, -LONGEST_PART), lexical, again, read);
  const text = message.slice(-LONGEST_PART);
  // Stripped by blanking, so that what stands before and behind it does not become one sentence.
  const prose =
    final === null
      ? text
      : `${text.slice(0, final.start)}${'\n'.repeat(final.end - final.start)}${text.slice(final.end)}`;
  readPart(prose, lexical, again, read);
  return {
    claims: settleMessage(read.claims, read.said, isSeen)
      .filter((claim) => !isTakenBack(claim))
      .map((claim) => ({
        type: claim.type,
        quote: claim.quote,
        about: claim.about,
        whole: claim.whole,
        // What was shipped or tested is hardly ever told of anything else.
        unsure:
          claim.missed ||
          !isAgreed(claim) ||
          (claim.soft && claim.type !== 'shipped' && claim.type !== 'tested'),
      })),
    disclosures: read.disclosures,
    failures: read.failures,
    final: final?.final ?? null,
    finalProblem: final?.problem ?? null,
  };
}

interface Part {
  readonly claims: Quoted[];
  readonly disclosures: string[];
  readonly failures: string[];
  said: number;
}

interface Quoted extends Weighed {
  readonly quote: string;
}

function readPart(part: string, lexical: Lexical, again: SecondReader, into: Part): void {
  const { said, quote } = readSaid(part);
  const pieces = again(said);
  const sections = trackSections();
  let empty = false;
  for (let at = 0; at < said.length; ) {
    const { block, around } = said[at] as Said;
    const below = sections.of(block);
    const section = block.box === 'open' ? 'open' : block.box === 'ticked' ? 'plain' : below;
    // "Not verified:", and below it "Nothing.": then all of it was.
    if (empty && isNone(around)) into.disclosures.pop();
    empty = false;
    const found: Quoted[] = [];
    let last: Said | undefined;
    for (; said[at]?.block === block; at++) {
      last = said[at] as Said;
      if (block.kind !== 'heading') into.said++;
      const read = readSentence(last, section, lexical);
      // A message opens with what it reports.
      if (into.said === 1) for (const claim of read.claims) claim.soft &&= !claim.thing || !claim.first;
      for (const claim of weigh(last, read, pieces[at] ?? [], isBarred(last, read, lexical)))
        found.push({ ...claim, quote: quote(claim.start, claim.end) });
      for (const [start, end] of read.disclosures) into.disclosures.push(quote(start, end));
      const sentence = quote(last.tokens[0]?.start ?? 0, last.tokens.at(-1)?.end ?? 0);
      if (!last.question && tellsFailure(sentence)) into.failures.push(sentence);
      empty =
        read.disclosures.length === 1 &&
        (block.kind === 'heading' || block.kind === 'cell' || last.tokens.at(-1)?.text === ':');
    }
    sections.announce(
      block,
      last?.tokens ?? [],
      found.some(({ missed }) => !missed),
    );
    if (block.kind !== 'heading' || section !== 'open') into.claims.push(...found);
    for (const list of [into.claims, into.disclosures, into.failures])
      if (list.length > MOST_CLAIMS) list.splice(MOST_CLAIMS / 2, list.length - MOST_CLAIMS);
  }
}

/** Where the rules alone say what is claimed: what an open box, a cross or a phrase of the policy is about. */
function isBarred({ tokens, block, section, row }: Said, { claims }: Read, lexical: Lexical): boolean {
  return (
    section === 'open' ||
    block.box === 'open' ||
    claims.some(({ given }) => given) ||
    tokens[0]?.kind === 'bad' ||
    tokens.at(-1)?.kind === 'bad' ||
    hasRemoved(tokens, lexical) ||
    ![...tokens, ...row].some(({ kind }) => kind === 'word')
  );
}

function hasRemoved(tokens: readonly Token[], { remove }: Lexical): boolean {
  return tokens.some((_, from) =>
    remove.some((words) => words.length > 0 && words.every((word, i) => tokens[from + i]?.text === word)),
  );
}

/** "None.", "n/a", "–" */
function isNone(tokens: readonly Token[]): boolean {
  const [first, second] = tokens.filter(({ text, kind }) => kind !== 'sign' || text === '—');
  return first !== undefined && NONE.test(first.text) && (second === undefined || ELSE.test(second.text));
}

function lexicalOf(phrases: Phrases | undefined): Lexical {
  const split = (phrase: string) => {
    const length = phrase.length;
    return readTokens(phrase, 0, length, new Uint8Array(length)).map(({ text }) => text);
  };
  return {
    add: (phrases?.add ?? []).map(({ type, phrase }) => ({ type, words: split(phrase) })),
    remove: (phrases?.remove ?? []).map(split),
  };
}

interface Read extends Judged {
  readonly claims: Placed[];
  readonly disclosures: (readonly [number, number])[];
}

function readSentence(sentence: Said, section: Section, lexical: Lexical): Read {
  const { tokens, segments, block, row } = sentence;
  const claims: Placed[] = [];
  const disclosures: (readonly [number, number])[] = [];
  const denied = new Set<ClaimType>();
  let label: readonly Token[] = row;
  let before: Clause['before'] = null;
  let reach: Reach = NO_REACH;
  let silent: Section = section;
  let any = false;
  for (const [index, segment] of segments.entries()) {
    const goesOn = segment.link === 'break' && /^(?:but|yet|so)$/.test(tokens[segment.from - 1]?.text ?? '');
    if (segment.link !== 'coordinate' && !goesOn) before = null;
    if (segment.link !== 'coordinate' && segment.link !== 'label') reach = NO_REACH;
    const clause: Clause = { tokens, segment, label, before, heading: block.kind === 'heading' };
    const candidates = candidatesOf(clause, lexical).slice(0, MOST_CANDIDATES);
    any ||= candidates.length > 0;
    const tail = tailOf(segments, index, tokens);
    for (const { type } of candidates) denied.add(type);
    const asserted = candidates.filter(
      (found) =>
        (!sentence.question || found.type === 'delegation') &&
        isAsserted(clause, found, reach, segments[index + 1], tail),
    );
    const best = strongest(asserted);
    const empty = isEmpty(tokens, segments[index + 1]);
    if (!sentence.question && isDisclosure(clause)) {
      if (empty && isNone(tokens.slice(segment.to))) continue;
      const from = segment.link === 'coordinate' ? (segments[index - 1] ?? segment) : segment;
      disclosures.push([(tokens[from.from] as Token).start, (tokens[segment.to - 1] as Token).end]);
      if (best?.idle) claims.push(placeOf(clause, best));
    } else if (best !== null && !empty && isHeard(best, silent) && !isContinued(clause, best, block, index)) {
      claims.push(placeOf(clause, best));
    }
    if (best === null && isLabel(segment, segments[index + 1], tokens)) {
      label = tokens.slice(segment.from, segment.to);
      const heard =
        index === 0 && label.some(({ text }) => DESCRIBING.has(text))
          ? 'open'
          : index > 0 || label.length > 5 || isClausal(label)
            ? 'plain'
            : announced(label);
      if (heard !== 'plain' && silent === 'plain') silent = heard;
    } else if (segment.link !== 'coordinate' && segment.link !== 'label' && segment.link !== 'aside')
      label = row;
    reach = reachOf(clause, candidates[0] ?? null, best !== null, reach);
    before = structureOf(clause, best, before);
  }
  const marked = markedClaim(sentence, row, block, section);
  if (marked !== null && !any) claims.push(marked);
  const seen = silent === 'checks' && !any ? seenClaim(sentence, block) : null;
  if (seen !== null && disclosures.length === 0) claims.push(seen);
  const disclosed = disclosures.length > 0;
  return { claims: settleSentence(claims, tokens, disclosed), denied, disclosed, disclosures };
}

/** "The tests weren't affected: …" is a sentence; "What is left: …" and "Not done: …" are titles. */
function isClausal(label: readonly Token[]): boolean {
  const first = label[0]?.text ?? '';
  return PRONOUNS.has(first) || (!/^(?:what|still)$/.test(first) && label.some(({ text }) => BE.has(text)));
}

/** Before a colon; or a few words before a dash or an arrow: "`npm run build` – succeeds". */
function isLabel(segment: Segment, next: Segment | undefined, tokens: readonly Token[]): boolean {
  if (next?.link === 'label') return true;
  return (
    next?.link === 'break' &&
    segment.to - segment.from < 5 &&
    /^[—→]$/.test(tokens[next.from - 1]?.text ?? '')
  );
}

/** "Deleted locally: none." */
function isEmpty(tokens: readonly Token[], next: Segment | undefined): boolean {
  return next?.link === 'label' && /^(?:none|nothing|not|no|nil|n\/a)$/.test(tokens[next.from]?.text ?? '');
}

/** A paragraph that begins in lower case goes on with a sentence that code interrupted: its verb has a subject. */
function isContinued(clause: Clause, found: Found, block: Block, index: number): boolean {
  // The first cell of a row names something, and a lone word in a wide table compares.
  if (block.row !== null) {
    const { start, cells, head } = block.row;
    // What is second in a first cell belongs to the name: "backfill, tested on a copy".
    if (DESCRIBING_HEAD.test(head) || (start === block.start && cells > 1 && index > 0)) return true;
    if (start === block.start ? cells > 1 && found.form === 'state' : cells > 2 && !REPORTING.test(head)) {
      if (clause.tokens.length < 4 && !clause.tokens.some(({ kind }) => kind === 'number')) return true;
    }
  }
  return (
    block.continues && index === 0 && found.subject === 'none' && clause.tokens[0]?.start === block.start
  );
}

function candidatesOf(clause: Clause, lexical: Lexical): Found[] {
  const found = [
    ...findActions(clause),
    ...findResults(clause),
    ...findStates(clause),
    ...findRequests(clause),
  ];
  if (found.length === 0) found.push(...findObservations(clause));
  const { tokens, segment } = clause;
  const at = (words: readonly string[], from: number) =>
    words.length > 0 && words.every((word, i) => from + i < segment.to && tokens[from + i]?.text === word);
  if (lexical.add.length === 0 && lexical.remove.length === 0) return found;
  let kept = found;
  for (let from = segment.from; from < segment.to; from++) {
    for (const { type, words } of lexical.add)
      if (at(words, from))
        kept.push({ type, from, to: from + words.length, form: 'state', subject: 'thing', given: true });
    for (const words of lexical.remove)
      if (at(words, from)) kept = kept.filter((one) => one.to <= from || one.from >= from + words.length);
  }
  return kept;
}

function strongest(found: readonly Found[]): Found | null {
  for (const type of STRENGTH) {
    const first = found.find((one) => one.type === type);
    if (first !== undefined) return first;
  }
  return null;
}

function isHeard(found: Found, section: Section): boolean {
  if (section === 'open') return found.type === 'delegation';
  return section === 'plain' || section === 'checks' || found.subject !== 'thing' || found.form === 'state';
}

/** Where a clause ends together with the segments behind it that only go on: "a, b and c", "…, I think". */
function tailOf(segments: readonly Segment[], index: number, tokens: readonly Token[]): number {
  let end = segments[index]?.to ?? 0;
  for (let i = index + 1; i < segments.length && i < index + 4; i++) {
    const next = segments[i] as Segment;
    if (
      next.link !== 'coordinate' ||
      next.off ||
      tokens.slice(next.from, next.to).some(({ text }) => text.endsWith('ed') || text === 'all')
    )
      break;
    end = next.to;
  }
  return end;
}

function structureOf(clause: Clause, best: Found | null, before: Clause['before']): Clause['before'] {
  if (best !== null)
    return best.subject === 'first' ? 'first' : best.subject === 'none' ? 'telegraphic' : 'other';
  const { tokens, segment } = clause;
  for (let i = segment.from; i < Math.min(segment.to, segment.from + 3); i++)
    if (FIRST.has(tokens[i]?.text ?? '')) return 'first';
  return segment.link !== 'coordinate' && TRIAL_VERBS.has(tokens[segment.from]?.text ?? '')
    ? 'telegraphic'
    : before;
}
