// Claims with their place, and which of them stand beside others: in a sentence the result of a run takes in what
// follows it; in a message that reports no work, what things are like is a description.
import type { ClaimType } from '../../format/index.ts';
import type { Block } from './blocks.ts';
import { type Clause, type Found, isFirm, sortIn } from './clause.ts';
import { ABOUT, ABOUT_SHIPPED, FUTURES, HEDGES, NEGATIONS, words } from './lexicon.ts';
import type { Said } from './said.ts';
import type { Section } from './sections.ts';
import type { Sentence, Token } from './tokens.ts';

/** In so few sentences nobody explains; what is said there is said of the work. */
const HEADS = /test|build|lint|types|compil/;
const SHORT_MESSAGE = 2;
const SOME = words('one two three four five some others run');

/** A claim with its place: `start` to `end` in the text that was read. */
export interface Placed {
  type: ClaimType;
  about: string | null;
  whole: boolean;
  start: number;
  end: number;
  /** Told by somebody who ran it; how it went is told behind. */
  run: boolean;
  /** In the first clause of its sentence. */
  first: boolean;
  /** Said of a thing, not of what the writer did. */
  thing: boolean;
  /** A claim only where the message is a report: something else in it is said to have been done. */
  soft: boolean;
  /** A claim only where no work is reported. */
  idle: boolean;
  /** By a phrase of the policy: nobody takes it back. */
  given: boolean;
}

export function placeOf(clause: Clause, found: Found): Placed {
  const { tokens, segment, label } = clause;
  const labelled = segment.link === 'label' && label.length > 0;
  let first = segment.from;
  while (first < found.from && (tokens[first]?.kind === 'good' || tokens[first]?.kind === 'sign')) first++;
  const own = tokens.slice(segment.from, segment.to);
  const start = labelled ? (label[0] as Token).start : (tokens[first] as Token).start;
  return {
    type: found.type,
    about: aboutOf(found.type, labelled || label.length > 0 ? [...label, ...own] : own),
    whole: isWhole(own),
    start,
    end: (tokens[segment.to - 1] as Token).end,
    run: found.run === true,
    first: segment.from === 0,
    thing: found.subject === 'thing',
    soft: found.soft === true,
    idle: found.idle === true,
    given: found.given === true,
  };
}

/** A claim that a sentence, or a piece of one, makes as a whole. */
export function wholeClaim(type: ClaimType, { tokens, row }: Said): Placed {
  const words = tokens.some(({ kind }) => kind === 'word' || kind === 'code') ? tokens : [...row, ...tokens];
  return {
    type,
    about: aboutOf(type, words),
    whole: isWhole(words),
    start: (words[0] as Token).start,
    end: (words.at(-1) as Token).end,
    run: false,
    first: true,
    thing: true,
    soft: false,
    idle: false,
    given: false,
  };
}

function aboutOf(type: ClaimType, tokens: readonly Token[]): string | null {
  const table = type === 'checked' ? ABOUT : type === 'shipped' ? ABOUT_SHIPPED : [];
  for (const [about, words] of table) {
    for (const [at, { text, kind }] of tokens.entries()) {
      // "builds the right line" says what it makes.
      if (text === 'builds' && /^(?:the|an?|its|right|correct)$/.test(tokens[at + 1]?.text ?? '')) continue;
      if (words.has(text)) return about;
      // A file that is called release-notes is no release.
      if (type === 'shipped') continue;
      if (kind === 'code' && text.length > 2 && text.split(/[^a-z0-9-]+/).some((part) => words.has(part)))
        return about;
    }
  }
  const type2 = tokens.findIndex(
    ({ text }, i) => text === 'type' && /^check/.test(tokens[i + 1]?.text ?? ''),
  );
  return type === 'checked' && type2 !== -1 ? 'types' : null;
}

/** "the full suite", "the entire test suite". */
function isWhole(tokens: readonly Token[]): boolean {
  return tokens.some(({ text }, i) => {
    if (text !== 'full' && text !== 'entire' && text !== 'whole' && text !== 'complete') return false;
    return tokens.slice(i + 1, i + 4).some((token) => sortIn([token]) === 'test');
  });
}

/** "✅ Parser handles empty input", "Login page ✅", "- [x] Dark mode", a ticked cell of a table. */
export function markedClaim(
  sentence: Sentence,
  row: readonly Token[],
  block: Block,
  section: Section,
): Placed | null {
  const { tokens } = sentence;
  const ticked = tokens[0]?.kind === 'good' || tokens.at(-1)?.kind === 'good' || block.box === 'ticked';
  if (!ticked || section === 'open' || sentence.question) return null;
  // A matrix of ticks compares things; a row of a name and a tick reports one.
  if (
    block.row !== null &&
    (block.row.cells > 3 || !(row.some(({ kind }) => kind === 'word') || HEADS.test(block.row.head)))
  )
    return null;
  const named = tokens.some(({ kind }) => kind === 'word' || kind === 'code');
  const words = named ? tokens : [...row, ...tokens];
  const turned = words.some(
    ({ text, kind }) => kind === 'bad' || NEGATIONS.has(text) || HEDGES.has(text) || FUTURES.has(text),
  );
  if (turned || !words.some(({ kind }) => kind === 'word' || kind === 'code')) return null;
  const head = block.row === null ? null : HEADS.exec(block.row.head);
  const said = sortIn(words);
  // "✅ Bean validation on `Order`" is a piece of work; "✅ Build" a check.
  const sort =
    head === null
      ? said === 'check' && !words.some(isFirm)
        ? null
        : said
      : head[0] === 'test'
        ? 'test'
        : 'check';
  const type = sort === 'test' ? 'tested' : sort === 'check' ? 'checked' : 'done';
  const first = words.find(({ kind }) => kind !== 'good' && kind !== 'sign') ?? (words[0] as Token);
  return {
    type,
    about: aboutOf(type, words),
    whole: isWhole(words),
    start: first.start,
    end: (words.at(-1) as Token).end,
    run: false,
    first: true,
    thing: true,
    soft: false,
    idle: false,
    given: false,
  };
}

/** Below "Verification", what was seen: something with a figure or a name, and nothing against it. */
export function seenClaim(sentence: Sentence, block: Block): Placed | null {
  const { tokens, question } = sentence;
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (question || block.kind !== 'item' || first === undefined || last === undefined || last.text === ':')
    return null;
  if (!tokens.some(({ kind }) => kind === 'number' || kind === 'code' || kind === 'quote')) return null;
  const turned = ({ text, kind }: Token) =>
    kind === 'bad' ||
    text === 'not' ||
    HEDGES.has(text) ||
    FUTURES.has(text) ||
    /^(?:if|when|fail|skipp)/.test(text);
  if (tokens.some(turned) || tokens.length < 3) return null;
  const type = sortIn(tokens) === 'test' ? 'tested' : 'checked';
  const about = aboutOf(type, tokens);
  return {
    type,
    about,
    whole: false,
    start: first.start,
    end: last.end,
    run: false,
    first: true,
    thing: true,
    soft: true,
    idle: false,
    given: false,
  };
}

/** Which claims of a sentence stand, given what is around them. */
export function settleSentence(
  claims: readonly Placed[],
  tokens: readonly Token[],
  disclosed: boolean,
): Placed[] {
  if (tokens[0]?.kind === 'bad' || tokens.at(-1)?.kind === 'bad') return [];
  const failures = hasFailures(tokens);
  const kept: Placed[] = [];
  for (const [i, claim] of claims.entries()) {
    if (failures && claim.type === 'tested') continue;
    if (disclosed && claim.type === 'blocked' && !claim.idle) continue;
    // "Ran the suite: 12 passed": the result is the claim.
    if (claim.run && isResult(claims[i + 1])) continue;
    const last = kept.at(-1);
    // "Applied to staging: 2 resources added"
    if (last?.type === 'shipped' && claim.type === 'changed' && claim.thing) continue;
    // "I ran it once: the report is written": whatever follows a run is its result.
    if (last?.run && !isResult(claim) && claim.thing) {
      last.end = claim.end;
      continue;
    }
    // "✅ Extracted the logger": a ticked piece of work is done.
    const type = tokens[0]?.kind === 'good' && claim.type === 'changed' ? 'done' : claim.type;
    if (last !== undefined && last.type === type && last.about === claim.about) {
      last.end = Math.max(last.end, claim.end);
      last.whole ||= claim.whole;
      last.soft &&= claim.soft;
    } else kept.push({ ...claim, type, whole: claim.whole || (type === 'tested' && isWhole(tokens)) });
  }
  return kept;
}

/** A message that says of nothing that it was done explains: there "the tag is pushed" tells what happens. */
export function settleMessage<T extends Placed>(
  claims: readonly T[],
  sentences: number,
  isSeen: (claim: T) => boolean,
): readonly T[] {
  const worked = claims.some(({ type }) => type === 'done' || type === 'changed' || type === 'shipped');
  const reports =
    sentences <= SHORT_MESSAGE ||
    claims.some(({ soft, type }) => !soft && type !== 'blocked' && type !== 'delegation');
  return claims.filter((claim) => (reports || !claim.soft || isSeen(claim)) && !(claim.idle && worked));
}

function isResult(claim: Placed | undefined): boolean {
  return claim?.type === 'tested' || claim?.type === 'checked';
}

/** "40 passed, 2 failed", "the run failed; unit tests passed" claim no pass. */
function hasFailures(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind, text }, i) => {
    const next = tokens[i + 1]?.text ?? '';
    return (
      (kind === 'number' && text !== '0' && /^fail/.test(next)) ||
      (SOME.has(text) && /^fail(?:s|ed)?$/.test(next))
    );
  });
}
