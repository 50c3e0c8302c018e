// The claims in an agent's final message: what it asserts as a fact about this work, in its own prose. English only. In
// layers: blocks of Markdown, sentences, segments, words that could be a claim, and whether they are asserted. The
// message is not trusted: any text is read in linear time, and of a very long one only the end.
import type { Claim, ClaimType } from '../../format/index.ts';
import { findActions } from './actions.ts';
import { type Block, readBlocks } from './blocks.ts';
import type { Clause, Found } from './clause.ts';
import { isDisclosure } from './disclosures.ts';
import { type FoilFinal, findFinalBlock } from './final-block.ts';
import { FIRST, STRENGTH, TRIAL_VERBS, words } from './lexicon.ts';
import { findObservations } from './observations.ts';
import { markedClaim, type Placed, placeOf, seenClaim, settleMessage, settleSentence } from './placed.ts';
import { findRequests } from './requests.ts';
import { findResults } from './results.ts';
import { isAsserted, NO_REACH, type Reach, reachOf } from './scope.ts';
import { announced, type Section, trackSections } from './sections.ts';
import { type Segment, splitSegments } from './segments.ts';
import { findStates } from './states.ts';
import { readTokens, type Sentence, splitSentences, type Token } from './tokens.ts';

/** The words a policy adds to the ones known here, or takes from them. */
export interface Phrases {
  readonly add: readonly { readonly type: ClaimType; readonly phrase: string }[];
  readonly remove: readonly string[];
}

export interface FoundClaims {
  readonly claims: readonly Claim[];
  /** The words by which the message says that something was not verified. */
  readonly disclosures: readonly string[];
  readonly final: FoilFinal | null;
  readonly finalProblem: string | null;
}

/** The end of a message is where it claims; more than this nobody reads. */
const LONGEST_MESSAGE = 64 * 1024;
const MOST_CLAIMS = 256;
/** Columns that report; under others a word in a wide table compares. */
const REPORTING = /^(?:stat|result|done|progress|outcome|chang|what|fix|action|note|how|verif|check|test)/;
/** "It describes the steps: …": what follows is told of a text or a procedure. */
const DESCRIBING = words('describes explains covers lists documents proposes happens happen works steps');
const MOST_BLOCKS = 4096;
/** No clause of an honest message holds more words that could be claims. */
const MOST_CANDIDATES = 24;

interface Lexical {
  readonly add: readonly { type: ClaimType; words: readonly string[] }[];
  readonly remove: readonly (readonly string[])[];
}

export function findClaims(message: string, options: { phrases?: Phrases } = {}): FoundClaims {
  const text = message.length > LONGEST_MESSAGE ? message.slice(-LONGEST_MESSAGE) : message;
  const final = findFinalBlock(text);
  // Stripped by blanking, so that what stands before and behind it does not become one sentence.
  const prose =
    final === null
      ? text
      : `${text.slice(0, final.start)}${'\n'.repeat(final.end - final.start)}${text.slice(final.end)}`;
  const { blocks, marks } = readBlocks(prose);
  const sections = trackSections();
  const lexical = lexicalOf(options.phrases);
  const claims: Placed[] = [];
  const disclosures: string[] = [];
  let said = 0;
  for (const block of blocks.slice(-MOST_BLOCKS)) {
    const section = block.box === 'open' ? 'open' : block.box === 'ticked' ? 'plain' : sections.of(block);
    const tokens = readTokens(prose, block.start, block.end, marks);
    const row =
      block.row === null || block.row.start === block.start
        ? []
        : readTokens(prose, block.row.start, block.row.end, marks);
    const found: Placed[] = [];
    const sentences = splitSentences(tokens);
    for (const sentence of sentences) {
      if (block.kind !== 'heading') said++;
      const read = readSentence(sentence, row, block, section, lexical);
      // A message opens with what it reports.
      if (said === 1) for (const claim of read.claims) claim.soft &&= !claim.thing || !claim.first;
      found.push(...read.claims);
      for (const [start, end] of read.disclosures) disclosures.push(text.slice(start, end));
    }
    sections.announce(block, sentences.at(-1)?.tokens ?? [], found.length > 0);
    if (block.kind !== 'heading' || section !== 'open') claims.push(...found);
    if (claims.length > MOST_CLAIMS) claims.splice(0, claims.length - MOST_CLAIMS);
  }
  return {
    claims: settleMessage(claims, said).map(({ type, about, whole, start, end }) => ({
      type,
      quote: text.slice(start, end),
      about,
      whole,
    })),
    disclosures: disclosures.slice(-MOST_CLAIMS),
    final: final?.final ?? null,
    finalProblem: final?.problem ?? null,
  };
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

interface Read {
  readonly claims: Placed[];
  readonly disclosures: (readonly [number, number])[];
}

function readSentence(
  sentence: Sentence,
  row: readonly Token[],
  block: Block,
  section: Section,
  lexical: Lexical,
): Read {
  const { tokens } = sentence;
  const claims: Placed[] = [];
  const disclosures: (readonly [number, number])[] = [];
  const segments = splitSegments(tokens);
  let label: readonly Token[] = row;
  let before: Clause['before'] = null;
  let reach: Reach = NO_REACH;
  let silent: Section = section;
  let any = false;
  for (const [index, segment] of segments.entries()) {
    if (segment.link !== 'coordinate') before = null;
    if (segment.link !== 'coordinate' && segment.link !== 'label') reach = NO_REACH;
    const clause: Clause = { tokens, segment, label, before, heading: block.kind === 'heading' };
    const candidates = candidatesOf(clause, lexical).slice(0, MOST_CANDIDATES);
    any ||= candidates.length > 0;
    const tail = tailOf(segments, index, tokens);
    const asserted = candidates.filter(
      (found) =>
        (!sentence.question || found.type === 'delegation') &&
        isAsserted(clause, found, reach, segments[index + 1], tail),
    );
    const best = strongest(asserted);
    if (!sentence.question && isDisclosure(clause)) {
      const from = segment.link === 'coordinate' ? (segments[index - 1] ?? segment) : segment;
      disclosures.push([(tokens[from.from] as Token).start, (tokens[segment.to - 1] as Token).end]);
    } else if (
      best !== null &&
      !isEmpty(tokens, segments[index + 1]) &&
      isHeard(best, silent) &&
      !isContinued(clause, best, block, index)
    ) {
      claims.push(placeOf(clause, best));
    }
    if (segments[index + 1]?.link === 'label' && best === null) {
      label = tokens.slice(segment.from, segment.to);
      const heard =
        index > 0 ? 'plain' : label.some(({ text }) => DESCRIBING.has(text)) ? 'open' : announced(label);
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
  return { claims: settleSentence(claims, tokens, disclosures.length > 0), disclosures };
}

/** "Deleted locally: none." */
function isEmpty(tokens: readonly Token[], next: Segment | undefined): boolean {
  return next?.link === 'label' && /^(?:none|nothing|not|no)$/.test(tokens[next.from]?.text ?? '');
}

/** A paragraph that begins in lower case goes on with a sentence that code interrupted: its verb has a subject. */
function isContinued(clause: Clause, found: Found, block: Block, index: number): boolean {
  // The first cell of a row names something, and a lone word in a wide table compares.
  if (block.row !== null) {
    const { start, cells, head } = block.row;
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
        kept.push({ type, from, to: from + words.length, form: 'state', subject: 'thing' });
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
