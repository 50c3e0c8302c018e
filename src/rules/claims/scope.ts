// Is it asserted? What stands before a claim's words can turn it round: not, should, will, tried, "make sure", "what",
// "the previous release". Each reaches as far as its clause does, and on into what is joined to it without a subject.
import { type Clause, type Found, isAdverb, isTool, kindAt, leftOf, rightOf, wordAt } from './clause.ts';
import {
  ASKING,
  ATTEMPTS,
  BE,
  FIRST,
  FLOATING_HEDGES,
  FUTURES,
  HEDGES,
  NEGATIONS,
  NOUN_ORDERS,
  ORDERS,
  PAST_MARKS,
  words,
} from './lexicon.ts';
import type { Segment } from './segments.ts';

/** What goes over from one segment to the next that is joined to it. */
export interface Reach {
  /** An auxiliary that turns the verb round: `did not fix or test`. Ends at a new subject. */
  readonly auxiliary: boolean;
  /** What embeds whole clauses: "make sure that a and b", "I believe a and b". */
  readonly embedded: boolean;
  /** It tells of an earlier time: "in v1 it was added and was removed". */
  readonly history: boolean;
}

export const NO_REACH: Reach = { auxiliary: false, embedded: false, history: false };

const AUXILIARIES = words('not never will would should can could may might must shall');
const BELIEFS = words('believe think expect assume guess suspect hope doubt suppose imagine');
const MANAGED = words(
  'continue continues continued able happy pleased glad managed delighted continue continues continued',
);
const RELEASES = new Set(
  'release commit version pr clean-up cleanup rewrite migration author refactor change maintainer sprint session agent run developer upgrade'.split(
    ' ',
  ),
);
const FORMER = words('previous last earlier original same first initial next major latest current');
const MONTHS = words(`january february march april may june july august september october november december`);
const SEASONS = words(
  'week month year night sprint spring summer autumn fall winter quarter time monday tuesday wednesday thursday friday',
);
const TRANSPARENT_ORDERS = words('confirm report say verify see note');
const SAYING = words('says said say claims states stated reads mentions describes assumes according wrote');
const NOW = words('now no longer anymore again');
/** "Test the page" is an order; "test for the page added" is none. */
const OBJECT_STARTS = words('the a an this that these those any each every some my your our its their');

export function reachOf(clause: Clause, found: Found | null, asserted: boolean, inherited: Reach): Reach {
  const { segment } = clause;
  const joined = segment.link === 'coordinate';
  const stop = found === null ? segment.to : found.from;
  let auxiliary = false;
  let embedded = joined && inherited.embedded && !FIRST.has(wordAt(clause, segment.from));
  for (let at = segment.from; at < stop; at++) {
    const word = wordAt(clause, at);
    if (AUXILIARIES.has(word)) auxiliary = true;
    if (BELIEFS.has(word)) embedded = true;
    if (word === 'to' && ORDERS.has(wordAt(clause, at + 1)) && !MANAGED.has(wordAt(clause, at - 1)))
      embedded = true;
  }
  if (orderAt(clause) !== -1) embedded = true;
  return {
    auxiliary:
      auxiliary || (found !== null && !asserted) || (joined && inherited.auxiliary && found === null),
    embedded,
    history: found !== null && !asserted && found.subject === 'thing' && isHistory(clause, found),
  };
}

/** Where an order to the reader begins, or -1. */
function orderAt(clause: Clause): number {
  const first = rightOf(clause, clause.segment.from - 1);
  const word = wordAt(clause, first);
  if (!ORDERS.has(word) || kindAt(clause, first) !== 'word') return -1;
  // "Home, Enter and Escape": keys.
  if (clause.segment.link === 'coordinate' && first + 1 >= clause.segment.to) return -1;
  if (!NOUN_ORDERS.has(word)) return first;
  const next = wordAt(clause, first + 1);
  const kind = kindAt(clause, first + 1);
  const object =
    kind === 'code' ||
    kind === 'quote' ||
    next === 'it' ||
    next === 'all' ||
    next === 'everything' ||
    next === 'sure';
  return object || OBJECT_STARTS.has(next) ? first : -1;
}

/** `next` is the segment behind, `tail` where the clause ends with what joined it. */
export function isAsserted(
  clause: Clause,
  found: Found,
  inherited: Reach,
  next: Segment | undefined,
  tail: number,
): boolean {
  const { segment } = clause;
  if (segment.off && !isAddition(clause, found)) return false;
  if (found.form === 'request') return !segment.conditional && !isOffered(clause, found);
  const now = isNow(clause, found);
  if (segment.conditional && !now) return false;
  if (isTurned(clause, found)) return false;
  const bare = leftOf(clause, found.from) < segment.from;
  if (segment.link === 'coordinate') {
    if (bare && inherited.auxiliary) return false;
    if (inherited.history && leftOf(clause, found.from) <= segment.from) return false;
    if (inherited.embedded && !FIRST.has(wordAt(clause, segment.from)) && found.subject !== 'none')
      return false;
  }
  const order = orderAt(clause);
  if (order !== -1 && order < found.from) return false;
  if (found.form === 'state' && !now && next !== undefined && isConditionOf(clause, next)) return false;
  for (let at = found.to; at < tail; at++) {
    const word = clause.tokens[at]?.text ?? '';
    if (FLOATING_HEDGES.has(word)) return false;
    if (FIRST.has(word) && BELIEFS.has(clause.tokens[at + 1]?.text ?? '')) return false;
    if (word === 'according' && !isSource(clause, at)) return false;
    if (!now && word === 'case' && clause.tokens[at - 1]?.text === 'that') return false;
    if (word === 'theory' && clause.tokens[at - 1]?.text === 'in') return false;
  }
  return (found.subject !== 'thing' && segment.link !== 'aside') || !isHistory(clause, found);
}

/** "According to `madge`", "according to the analyzer": a result. According to a text or a person: hearsay. */
function isSource(clause: Clause, at: number): boolean {
  return [at + 2, at + 3, at + 4].some(
    (i) =>
      isTool(clause.tokens[i]) ||
      /^`[^.]*$|(?:analy[sz]er|profiler|stats|benchmark)$/.test(clause.tokens[i]?.text ?? ''),
  );
}

/** ", which fixes it", ", which I removed", ", where I added a guard": said by the way, but said. */
function isAddition(clause: Clause, found: Found): boolean {
  const { link, from } = clause.segment;
  if (found.form !== 'action') return link === 'relative' && found.type === 'tested';
  const where = link === 'time' && clause.tokens[from - 1]?.text === 'where';
  return (
    (link === 'relative' && found.subject !== 'none' && found.type !== 'changed') ||
    ((link === 'relative' || where) && found.subject === 'first')
  );
}

function isOffered(clause: Clause, found: Found): boolean {
  for (let at = clause.segment.from; at < found.from; at++) {
    const word = wordAt(clause, at);
    if (word === 'if' || word === 'may' || word === 'might') return true;
    if (word === 'not' && found.type === 'delegation') return true;
  }
  return false;
}

function isNow(clause: Clause, found: Found): boolean {
  for (let at = found.from; at < found.to; at++) if (NOW.has(wordAt(clause, at))) return true;
  return wordAt(clause, found.from - 1) === 'now';
}

/** Negated, hedged, planned, tried, asked: by a word before it in its own segment. */
function isTurned(clause: Clause, found: Found): boolean {
  for (let at = clause.segment.from; at < found.from; at++) {
    const word = wordAt(clause, at);
    if (kindAt(clause, at) === 'bad') return true;
    if (kindAt(clause, at) !== 'word') continue;
    const next = wordAt(clause, at + 1);
    if (
      NEGATIONS.has(word) &&
      !(word === 'without' && at > clause.segment.from) &&
      !(word === 'not' && next === 'only') &&
      next !== 'doubt' &&
      next !== 'longer'
    )
      return true;
    if (/^fail(?:s|ed)?$/.test(word) && next === 'to') return true;
    if (
      word === 'looks' &&
      /^(?:good|fine|right|correct|identical)$/.test(wordAt(clause, at + 1) || wordAt(clause, found.from))
    )
      continue;
    if (HEDGES.has(word) && !(word === 'expected' && wordAt(clause, at - 1) === 'as')) return true;
    if (
      FUTURES.has(word) &&
      !(word === 'can' && (next === 'now' || TRANSPARENT_ORDERS.has(next) || next === 'also')) &&
      !(word === 'free' && wordAt(clause, at - 1) !== 'feel') &&
      !(word === 'let' && BE.has(wordAt(clause, at - 1)))
    )
      return true;
    if (ATTEMPTS.has(word)) return true;
    // What a tool says is a result; what a person or a text says is not the writer's word.
    if (
      SAYING.has(word) &&
      !isTool(clause.tokens[at - 1]) &&
      // "Empty states are in place", "it reads its defaults from there now".
      !BE.has(next) &&
      !(word === 'reads' && found.type === 'done') &&
      !(word === 'wrote' && FIRST.has(wordAt(clause, at - 1)))
    )
      return true;
    if (ASKING.has(word) && (at === clause.segment.from || word === 'how' || word === 'why')) return true;
    // "Here is what was done"
    if (word === 'what' && found.subject === 'thing' && found.from - at < 3) return true;
    if (word === 'to' && found.form === 'state' && ORDERS.has(next) && !MANAGED.has(wordAt(clause, at - 1)))
      return true;
    if (word === 'rather' && next === 'than') return true;
    if (word === 'half' && at === found.from - 1) return true;
    if (word === 'being' || (word === 'still' && /^(?:to|being)$/.test(next))) return true;
  }
  return false;
}

/** "works if", "is finished when": a state under a condition is a rule, not a report. */
function isConditionOf(clause: Clause, next: Segment): boolean {
  if (!next.off || next.comma) return false;
  const joint = clause.tokens[next.from - 1]?.text ?? '';
  if (FIRST.has(clause.tokens[next.from]?.text ?? '')) return false;
  return (
    (next.link === 'condition' && joint !== 'before' && joint !== 'whether') ||
    joint === 'when' ||
    joint === 'whenever'
  );
}

function isHistory(clause: Clause, found: Found): boolean {
  const { segment } = clause;
  for (let at = segment.from; at < found.from; at++) {
    const word = wordAt(clause, at);
    if (
      PAST_MARKS.has(word) &&
      word !== 'upstream' &&
      !(word === 'once' && at > segment.from && isNow(clause, found)) &&
      !/^(?:failing|broken|failed|skipped|flaky|missing)$/.test(wordAt(clause, at + 1))
    )
      return true;
    if (
      (word === 'had' && !/^(?:no|nothing|zero|0)$/.test(wordAt(clause, at + 1))) ||
      (word === 'already' && (found.form === 'action' || found.type === 'done'))
    )
      return true;
    if (word === 'upstream' && at <= segment.from + 1) return true;
    if (word === 'last' && SEASONS.has(wordAt(clause, at + 1))) return true;
    if (/^(?:previous|last|earlier|original)$/.test(word) && RELEASES.has(wordAt(clause, at + 1)))
      return true;
    if (word === 'in' && isRelease(clause, at + 1)) return true;
  }
  for (let at = found.to; at < segment.to; at++) {
    const word = wordAt(clause, at);
    if (word === 'last' && SEASONS.has(wordAt(clause, at + 1)) && wordAt(clause, at + 2) !== "'s")
      return true;
    if (word === 'ago' || word === 'upstream' || word === 'originally' || word === 'previously') return true;
    if (word === 'in' && isRelease(clause, at + 1)) return true;
    if (
      word === 'by' &&
      at <= found.to + 1 &&
      /(?:ed|en|ne|lt|de)$/.test(wordAt(clause, found.to - 1)) &&
      !isOwnDoing(clause, at + 1)
    )
      return true;
  }
  return false;
}

/** `in v2.3`, `in version 4`, `in 0aa4c77`, `in the last release`, `in 2021`. */
function isRelease(clause: Clause, at: number): boolean {
  const word = wordAt(clause, at).replaceAll('`', '');
  if (
    kindAt(clause, at + 1) === 'number' &&
    !/^(?:lines?|steps?|section|chapter|column|row|file|page)$/.test(word) &&
    kindAt(clause, at) === 'word'
  )
    return true;
  if (
    /^v\d/.test(word) ||
    MONTHS.has(word) ||
    (/^\d{1,2}(?:\.\d+)*$/.test(word) && !/[a-z]/.test(wordAt(clause, at + 1).replace('already', ''))) ||
    /^(?:version|commit|release)$/.test(word) ||
    /^(?:19|20)\d\d$/.test(word)
  )
    return true;
  if (/^#\d*$/.test(word) || (/^[0-9a-f]{7,40}$/.test(word) && /\d/.test(word))) return true;
  if (!isAdverb(word) && /^(?:the|a|an|that)$/.test(word)) {
    const next = wordAt(clause, at + 1);
    if (next === 'change' || next === 'run' || next === 'new') return false;
    if (/^(?:builds?|notes|branch|pipeline|job|mode|candidate|script)$/.test(wordAt(clause, at + 2)))
      return false;
    return (
      RELEASES.has(next) ||
      (FORMER.has(next) && (RELEASES.has(wordAt(clause, at + 2)) || RELEASES.has(wordAt(clause, at + 3))))
    );
  }
  return false;
}

function isOwnDoing(clause: Clause, at: number): boolean {
  const word = wordAt(clause, at);
  return (
    word.endsWith('ing') ||
    wordAt(clause, at - 2) === 'replaced' ||
    word === 'me' ||
    word === 'this' ||
    word === 'my'
  );
}
