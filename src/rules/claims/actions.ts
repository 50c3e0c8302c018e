// Claims that say what was done: "Fixed …", "I've added …", "has been removed", "PR opened", "verified that …". A verb in
// the past is one by its place: at the start of an item, behind `I`, behind `has been`. "The added file" is not.
import { becameAt, fixesAt } from './changes.ts';
import { type Clause, type Found, hasWord, isAdverb, kindAt, leftOf, rightOf, wordAt } from './clause.ts';
import { fragmentStructure, type Structure } from './fragments.ts';
import {
  BE,
  DETERMINERS,
  FIRST,
  OBJECTED,
  ORDERS,
  OTHERS,
  PAST_BE,
  PREPOSITIONS,
  STATIVE,
  TITLES,
  words,
} from './lexicon.ts';
import {
  GIT,
  hasGoodWord,
  hasObject,
  isFinding,
  isNothing,
  RAISED,
  TARGETS,
  typeOf,
  type Verb,
  verbOf,
} from './verbs.ts';

/** Their past is their present: an order as much as a report. */
const AMBIGUOUS = words('read');
/** "Taken together", "given that": never a report by themselves. */
const PARTICIPLES = words('taken given become');
const PRESENT_TOO = words('put cut set let reset');
const SHIPPABLE =
  words(`pr prs request requests commit commits branch branches release releases version tag tags package packages
  image mr it they everything all both this that change changes fix fixes work patch crate gem`);
const GENERAL = /^(?:an?|each|every|any)$/;
const MOVED = words(
  'added split recorded removed moved renamed saved extracted replaced upgraded bumped downgraded pinned switched ported converted written rewritten translated',
);
/** Of verbs that need an object, what changes something whoever says it. */
const REWIRED = words('linked limited pointed grouped attached nested named');
const INTERJECTIONS = words('ok okay right sure yes yep great alright afterwards lastly then hi hello');
/** What things do, too. */
const BY_ITSELF = words(
  'moved changed restarted rolled turned switched became gained left broke stuck split merged',
);
/** What plural things do. */
const FINITE =
  /^(?:survive|stay|remain|need|get|go|fail|work|pass|keep|use|take|come|return|live|run|have|had|don|joined|caused|made|broke|never|always|still|count|appear|show|expire|end|start|cost|lead|mean|hold)$/;

export function findActions(clause: Clause): Found[] {
  const found: Found[] = [];
  for (let at = clause.segment.from; at < clause.segment.to; at++) {
    if (kindAt(clause, at) !== 'word') continue;
    const verb = verbOf(wordAt(clause, at));
    const action = (verb === null ? fixesAt(clause, at) : actionAt(clause, at, verb)) ?? becameAt(clause, at);
    if (action !== null) found.push(action);
  }
  return found;
}

function actionAt(clause: Clause, at: number, verb: Verb): Found | null {
  const built = structureOf(clause, at, verb);
  if (built === null) return null;
  if (isNothing(clause, at) || (verb.type === 'checked' && isFinding(clause, at))) return null;
  const loose = OBJECTED.has(wordAt(clause, at)) || (!verb.known && wordAt(clause, at).includes('-'));
  const owned = built.subject === 'none' || (built.subject === 'first' && REWIRED.has(wordAt(clause, at)));
  if (loose && !(owned && hasObject(clause, at))) return null;
  const type = typeOf(clause, at, verb, built.passive);
  if (type === null) return null;
  const run =
    ((verb.type === 'run' || verb.type === 'trial') &&
      (type === 'checked' || type === 'tested') &&
      !hasGoodWord(clause, at)) ||
    // "Verified: …"
    (verb.type === 'checked' &&
      clause.segment.to === clause.segment.from + 1 &&
      clause.tokens[clause.segment.to]?.text === ':');
  return {
    type,
    from: built.from,
    to: at + 1,
    form: built.state ? 'state' : 'action',
    subject: built.subject,
    run,
    soft:
      (verb.type === 'trial' && type === 'checked') ||
      (built.subject === 'none' && PRESENT_TOO.has(wordAt(clause, at))) ||
      (built.subject === 'thing' &&
        (((type === 'changed' || type === 'shipped') && !isFragment(clause, at)) ||
          PAST_BE.has(wordAt(clause, leftOf(clause, at))))),
  };
}

/** "Changelog updated": nobody describes like that. "CI moved to 3.12" is a sentence. */
function isFragment(clause: Clause, at: number): boolean {
  const left = wordAt(clause, leftOf(clause, at));
  return !BE.has(left) && !/^(?:have|has|looks?)$/.test(left) && !BY_ITSELF.has(wordAt(clause, at));
}

function structureOf(clause: Clause, at: number, verb: Verb): Structure | null {
  const { segment } = clause;
  const left = leftOf(clause, at);
  const word = wordAt(clause, left);
  // Its participle is its present: only "have run" tells.
  if (wordAt(clause, at) === 'run' && !/^(?:have|has|been)$/.test(word)) return null;
  if (left < segment.from) return bareStructure(clause, at, verb);
  if (FIRST.has(word)) return { from: at, subject: 'first', passive: false, state: false };
  if (word === 'have' || word === 'has') return perfectStructure(clause, left, at, verb);
  if (BE.has(word)) return verb.known || word === 'been' ? passiveStructure(clause, left, at, verb) : null;
  if (!verb.known && !RAISED.has(wordAt(clause, at))) return null;
  return fragmentStructure(clause, left, at, verb);
}

/** Nothing before the verb: "Fixed …", or the second half of "I found it and fixed it". */
function bareStructure(clause: Clause, at: number, verb: Verb): Structure | null {
  const { link, comma } = clause.segment;
  const telegraphic: Structure = { from: at, subject: 'none', passive: false, state: false };
  const next = wordAt(clause, at + 1);
  const word = wordAt(clause, at);
  if (clause.before !== 'first' && (AMBIGUOUS.has(word) || (PRESENT_TOO.has(word) && isOrder(clause, at))))
    return null;
  // "Extrapolated, it is …": how the rest is meant.
  if (clause.segment.to === at + 1 && clause.tokens[at + 1]?.text === ',' && verb.type === 'changed')
    if (!verb.known || /^(?:the|an?|it|this|that|they|each|all)$/.test(clause.tokens[at + 2]?.text ?? ''))
      return null;
  if (PARTICIPLES.has(word)) return null;
  // "Fixed by restarting": says how, and of something else.
  if (next === 'by' && (!verb.known || verb.type === 'changed') && word !== 'replaced') return null;
  // "Tested by the web team"
  if (
    next === 'by' &&
    verb.type === 'checked' &&
    /^(?:the|an?|our|your|another|someone|others)$/.test(wordAt(clause, at + 2))
  )
    return null;
  // "Removed in 4.0"
  if (next === 'in' && /^v?\d+\.\d|^(?:19|20)\d\d$/.test(wordAt(clause, at + 2)) && verb.type !== 'shipped')
    return null;
  // "Created in": the head of a row.
  if (PREPOSITIONS.has(next) && clause.segment.to === at + 2) return null;
  if (isPremodifier(clause, at)) return null;
  // "## Repaired" is the name of a section.
  if (clause.heading && (clause.segment.to - clause.segment.from === 1 || next === 'in')) return null;
  if (link !== 'coordinate' && !isWordBreak(clause))
    return link === 'aside' && !verb.known ? null : telegraphic;
  if (clause.before === 'first') return { ...telegraphic, subject: 'first' };
  if (afterInterjection(clause)) return telegraphic;
  if (clause.before === 'telegraphic') return verb.known || !comma ? telegraphic : null;
  // "…, checked with curl"
  const told =
    verb.type === 'checked' &&
    comma &&
    /^(?:with|by|in|via|on|against|using|through|locally|manually)$/.test(next);
  const sent = verb.type === 'shipped' && next !== 'by' && (clause.before === 'other' || comma);
  return told || sent ? telegraphic : null;
}

/** "Ok, removed it", "Finally, renamed the file". */
function afterInterjection({ tokens, segment }: Clause): boolean {
  return (
    segment.from > 0 &&
    segment.from < 4 &&
    tokens
      .slice(0, segment.from)
      .every(
        ({ text, kind }) => kind === 'sign' || kind === 'good' || isAdverb(text) || INTERJECTIONS.has(text),
      )
  );
}

/** "It computed the delay but passed it on": the subject is that of the clause before. */
function isWordBreak({ tokens, segment }: Clause): boolean {
  return (
    segment.link === 'break' && /^(?:but|yet|so|though|although)$/.test(tokens[segment.from - 1]?.text ?? '')
  );
}

/** "Set `DEBUG=1` to see more", "put it into your profile", "set it if you want": for the reader to do. */
function isOrder(clause: Clause, at: number): boolean {
  const { segment, tokens } = clause;
  for (let i = at + 1; i < segment.to; i++) {
    const word = wordAt(clause, i);
    if (
      /^(?:me|us|your|environment|shell)$/.test(word) ||
      (word === 'to' && ORDERS.has(wordAt(clause, i + 1)))
    )
      return true;
  }
  const joint = tokens[segment.to]?.text ?? '';
  if (joint === 'before') return /^you$|ing$/.test(tokens[segment.to + 1]?.text ?? '');
  return /^(?:if|when|once|unless|until)$/.test(joint);
}

/** "Reduced rates were applied", "Completed tasks": the participle belongs to the noun behind it. */
function isPremodifier(clause: Clause, at: number): boolean {
  const { segment } = clause;
  const next = wordAt(clause, at + 1);
  if (kindAt(clause, at + 1) !== 'word' || DETERMINERS.has(next) || PREPOSITIONS.has(next) || isAdverb(next))
    return false;
  const titled =
    clause.heading || (clause.tokens[segment.to]?.text === ':' && !verbOf(wordAt(clause, at))?.known);
  // "Updated files", "Completed tasks": the title of a list.
  if (
    segment.from === at &&
    segment.to === at + 2 &&
    segment.link === 'start' &&
    (titled || TITLES.has(next))
  )
    return /[^s]s$/.test(next);
  // "Prefetched tasks survive", "split shipments joined one order to two rows".
  if (/[^s]s$/.test(next) && FINITE.test(wordAt(clause, at + 2))) return true;
  return hasWord(clause, /^(?:is|are|was|were|can|could|will|would|must|should|may|might|do|does)$/, at + 2);
}

/** "I have fixed", "this has fixed". */
function perfectStructure(clause: Clause, have: number, at: number, verb: Verb): Structure | null {
  const subject = leftOf(clause, have);
  const word = wordAt(clause, subject);
  if (FIRST.has(word)) return { from: at, subject: 'first', passive: false, state: false };
  if (OTHERS.has(word) || !verb.known) return null;
  if (subject < clause.segment.from)
    return clause.before === 'first' ? { from: at, subject: 'first', passive: false, state: false } : null;
  return { from: at, subject: 'thing', passive: false, state: false };
}

/** "has been fixed", "is now fixed", "was removed". */
function passiveStructure(clause: Clause, be: number, at: number, verb: Verb): Structure | null {
  const word = wordAt(clause, be);
  const sent = typeOf(clause, at, verb, true) === 'shipped';
  if (verb.type === 'changed' && word !== 'been' && STATIVE.has(wordAt(clause, at)) && !sent) return null;
  const earlier = leftOf(clause, be);
  if (FIRST.has(wordAt(clause, earlier)) && word !== 'got') return null;
  if (word === 'been') {
    const have = wordAt(clause, earlier);
    if (have !== 'have' && have !== 'has' && have !== "'s") return null;
    // "Has been disabled since March" is how it was.
    if (clause.tokens[clause.segment.to]?.text === 'since') return null;
    return { from: at, subject: 'thing', passive: true, state: false };
  }
  if (word === 'be' || word === 'get' || word === 'gets') return null;
  const past = PAST_BE.has(word);
  if (past || word === 'got') return { from: at, subject: 'thing', passive: true, state: false };
  // "The cache is updated on every write" tells how it works; "the docs are updated" tells what was done.
  const now = wordAt(clause, be + 1) === 'now' || wordAt(clause, be - 1) === 'now';
  const next = wordAt(clause, rightOf(clause, at));
  const general = next === '' ? /^(?:an?|any)$/ : GENERAL;
  const indefinite =
    general.test(wordAt(clause, clause.segment.from)) ||
    general.test(wordAt(clause, clause.segment.from + 1));
  if (verb.type === 'checked' && !/^(?:verified|confirmed|tested)$/.test(wordAt(clause, at))) return null;
  if (verb.type === 'shipped' && !isShippedNow(clause, be, at)) return null;
  // "The file is written atomically": how, each time.
  if (
    verb.type === 'changed' &&
    !now &&
    /^(?!accordingly|correctly|successfully|properly|fully|completely).*ly$/.test(wordAt(clause, at + 1))
  )
    return null;
  const described =
    !sent &&
    !(MOVED.has(wordAt(clause, at)) && hasCode(clause, be)) &&
    (verb.type === 'changed' || verb.type === 'checked') &&
    !now &&
    next !== '' &&
    next !== 'accordingly' &&
    next !== 'as' &&
    !(MOVED.has(wordAt(clause, at)) && isNamed(clause, rightOf(clause, at) + 1) && isDefinite(clause, be));
  const timed = /^(?:at|within|before|after|every)$/.test(next) && !now && verb.type === 'done';
  if (
    described ||
    timed ||
    verb.type === 'run' ||
    hasAgent(clause, at) ||
    (wordAt(clause, at) === 'released' && !now && !hasRelease(clause, be)) ||
    (indefinite && !now)
  )
    return null;
  return { from: at, subject: 'thing', passive: true, state: true };
}

/** "Rows that fail are written to `rejects.csv`": rows in general. */
function isDefinite({ tokens, segment }: Clause, be: number): boolean {
  return (
    /^(?:is|was)$/.test(tokens[be]?.text ?? '') ||
    DETERMINERS.has(tokens[segment.from]?.text ?? '') ||
    tokens.slice(segment.from, be).some(({ kind }) => kind === 'code' || kind === 'number')
  );
}

/** A file, a version: not a directory, where things go all day. */
function isNamed(clause: Clause, at: number): boolean {
  return (
    kindAt(clause, at) === 'number' || (kindAt(clause, at) === 'code' && !wordAt(clause, at).endsWith('/`'))
  );
}

function hasCode(clause: Clause, to: number): boolean {
  return clause.tokens.slice(0, to).some(({ kind }) => kind === 'code');
}

/** "Offsets are committed in batches", "a row is published after each run": how it works, not what was done. */
function isShippedNow(clause: Clause, be: number, at: number): boolean {
  const { segment, tokens } = clause;
  if (hasWord(clause, SHIPPABLE, segment.from, be) || hasWord(clause, /^v?\d+\.\d/, segment.from, be))
    return true;
  if (hasWord(clause, TARGETS, at + 1) || hasWord(clause, GIT, at + 1)) return true;
  if (wordAt(clause, be) === 'are' && kindAt(clause, be - 1) === 'word') return at + 1 >= segment.to;
  const timed = /^(?:before|after|when|each|every|once|per|onto|if|whenever|until|topic)$/;
  return !hasWord(clause, timed, at + 1) && !timed.test(tokens[segment.to]?.text ?? '');
}

/** "Are moved to the bucket by the worker": who does it tells that it is done over and over. */
function hasAgent(clause: Clause, at: number): boolean {
  for (let i = at + 1; i + 1 < clause.segment.to; i++)
    if (wordAt(clause, i) === 'by' && !wordAt(clause, i + 1).endsWith('hand')) return true;
  return false;
}

/** "Version 2.0 is released", not "the lock is released". */
function hasRelease(clause: Clause, be: number): boolean {
  for (let i = clause.segment.from; i < be; i++)
    if (kindAt(clause, i) !== 'word' || /^(?:version|package|it)$/.test(wordAt(clause, i))) return true;
  return false;
}
