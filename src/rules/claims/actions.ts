// Claims that say what was done: "Fixed …", "I've added …", "has been removed", "PR opened", "verified that …". A verb in
// the past is one by its place: at the start of an item, behind `I`, behind `has been`. "The added file" is not.
import type { ClaimType } from '../../format/index.ts';
import {
  type Clause,
  type Found,
  isAdverb,
  kindAt,
  leftOf,
  rightOf,
  sortIn,
  sortOf,
  wordAt,
} from './clause.ts';
import {
  BE,
  CHANGED_VERBS,
  DEMONSTRATIVES,
  DETERMINERS,
  DONE_VERBS,
  FIRST,
  FIXES,
  NEGATIONS,
  NO_ACTIONS,
  ORDERS,
  OTHERS,
  PAST_BE,
  PREPOSITIONS,
  PRONOUNS,
  RUN_VERBS,
  SHIPPED_VERBS,
  STATIVE,
  TRIAL_VERBS,
  VERIFY_VERBS,
  words,
} from './lexicon.ts';

const MANUAL = words(
  `manually browser hand curl device devices emulator simulator screen postman repl shell`,
);
const SEEN_IN = words('browser chrome firefox safari edge emulator simulator postman');
const REQUESTS = words('pr pull mr prs tag');
const RAISED = words('opened created raised filed submitted sent');
const RESULTS = words('without successfully cleanly fine ok correct correctly expected');
/** Their past is their present: an order as much as a report. */
const AMBIGUOUS = words('set read let');
const PRESENT_TOO = words('put cut');
/** What is said of the work when it is verified; "is checked" tells what a program does. */
const STATED = words('verified confirmed tested validated double-checked proven checked');
/** What migrating is shipping: data, not code. */
const DATA = words(`database db data production staging prod table tables users records rows cluster`);
const LIVE = words('production prod staging');
const MIGRATION = words('migration migrations');
const TOLD = words('it they the all everything both this that each output no its got saw as');
/** Never participles: "React threw it away" is no passive. */
const PAST_ONLY = words('wrote rewrote took gave brought threw undid redid ran let');
const GENERAL = /^(?:an?|each|every|any)$/;
const MOVED = words('removed moved renamed saved extracted replaced');
const GENERIC = words(
  `files file changes change what tests issues lines items things code modules dependencies`,
);

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

interface Verb {
  readonly type: ClaimType | 'run' | 'trial';
  /** From a list, not just by its ending. */
  readonly known: boolean;
}

/** The verbs of the lexicon; where one is in two lists, the stronger counts. */
const VERBS: ReadonlyMap<string, Verb> = new Map(
  (
    [
      [RAISED, 'changed', false],
      [CHANGED_VERBS, 'changed', true],
      [DONE_VERBS, 'done', true],
      [SHIPPED_VERBS, 'shipped', true],
      [TRIAL_VERBS, 'trial', true],
      [RUN_VERBS, 'run', true],
      [VERIFY_VERBS, 'checked', true],
    ] as const
  ).flatMap(([verbs, type, known]) => [...verbs].map((verb) => [verb, { type, known }] as const)),
);

function verbOf(word: string): Verb | null {
  const known = VERBS.get(word);
  if (known !== undefined) return known;
  if (word.startsWith('re-')) return VERBS.get(word.slice(3)) ?? null;
  if (word === 'run') return { type: 'run', known: true };
  const past = word.length > 4 && word.endsWith('ed') && !word.startsWith('un') && !word.includes('-');
  return past && !NO_ACTIONS.has(word) ? { type: 'changed', known: false } : null;
}

function actionAt(clause: Clause, at: number, verb: Verb): Found | null {
  const built = structureOf(clause, at, verb);
  if (built === null) return null;
  if (isNothing(clause, at) || (verb.type === 'checked' && isFinding(clause, at))) return null;
  const type = typeOf(clause, at, verb, built.passive);
  if (type === null) return null;
  const run =
    (verb.type === 'run' || verb.type === 'trial') && type !== 'changed' && !hasWord(clause, RESULTS, at);
  return {
    type,
    from: built.from,
    to: at + 1,
    form: built.state ? 'state' : 'action',
    subject: built.subject,
    run,
    soft:
      verb.type === 'trial' ||
      (built.subject === 'none' && PRESENT_TOO.has(wordAt(clause, at))) ||
      (built.subject === 'thing' && (type === 'changed' || type === 'shipped')),
  };
}

/** "Made no changes", "made a list", "wrote to the list": done, but no change to the work. */
function isNothing(clause: Clause, at: number): boolean {
  const next = wordAt(clause, at + 1);
  const word = wordAt(clause, at);
  if (next === 'no' || next === 'nothing' || next === 'none') return true;
  if (word === 'left') return next !== 'a' && next !== 'an';
  if (word === 'made' && next === 'a')
    return /^(?:list|start|note|plan|summary|comparison|sketch|proposal)$/.test(wordAt(clause, at + 2));
  return (word === 'wrote' && next === 'to') || (word === 'gave' && wordAt(clause, at + 2) === 'some');
}

/** "Checked whether", "verified that the bug exists": what was looked for or found, not that all is well. */
function isFinding(clause: Clause, at: number): boolean {
  const { tokens, segment } = clause;
  if (
    /^(?:whether|if|where|how|why)$/.test(tokens[segment.to]?.text ?? '') &&
    tokens[segment.to]?.kind === 'word'
  )
    return true;
  let bad = false;
  for (let i = at + 1; i < segment.to; i++) {
    const word = wordAt(clause, i);
    if (NEGATIONS.has(word) || /^(?:gone|fixed|resolved)$/.test(word)) return false;
    bad ||=
      /^(?:fail(?:s|ed)?|crash(?:es|ed)?|exists?|reproduces|reproducible|occurs|happens|broken|throws|hangs|leaks)$/.test(
        word,
      );
  }
  const rest = tokens.slice(segment.to, segment.to + 4).map(({ text }) => text);
  return bad || (rest.includes('but') && rest.includes('found'));
}

interface Structure {
  readonly from: number;
  readonly subject: Found['subject'];
  readonly passive: boolean;
  /** How it is now: `is fixed`. */
  readonly state: boolean;
}

function structureOf(clause: Clause, at: number, verb: Verb): Structure | null {
  const { segment } = clause;
  const left = leftOf(clause, at);
  const word = wordAt(clause, left);
  // Its participle is its present: only "have run" tells.
  if (wordAt(clause, at) === 'run' && word !== 'have' && word !== 'has') return null;
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
  if (
    (AMBIGUOUS.has(wordAt(clause, at)) || (wordAt(clause, at) === 'put' && next === 'your')) &&
    clause.before !== 'first'
  )
    return null;
  // "Fixed by restarting": says how, and of something else.
  if (next === 'by' && !verb.known) return null;
  if (isPremodifier(clause, at)) return null;
  // "## Repaired" is the name of a section.
  if (clause.heading && (clause.segment.to - clause.segment.from === 1 || next === 'in')) return null;
  if (link !== 'coordinate') return link === 'aside' && !verb.known ? null : telegraphic;
  if (clause.before === 'first') return { ...telegraphic, subject: 'first' };
  if (clause.before === 'telegraphic') return verb.known || !comma ? telegraphic : null;
  return verb.type === 'shipped' && next !== 'by' && (clause.before === 'other' || comma)
    ? telegraphic
    : null;
}

/** "Reduced rates were applied", "Completed tasks": the participle belongs to the noun behind it. */
function isPremodifier(clause: Clause, at: number): boolean {
  const { segment } = clause;
  const next = wordAt(clause, at + 1);
  if (kindAt(clause, at + 1) !== 'word' || DETERMINERS.has(next) || PREPOSITIONS.has(next) || isAdverb(next))
    return false;
  if (segment.from === at && segment.to === at + 2 && segment.link === 'start' && clause.heading)
    return /[^s]s$/.test(next);
  for (let i = at + 2; i < segment.to; i++)
    if (/^(?:is|are|was|were|can|could|will|would|must|should|may|might|do|does)$/.test(wordAt(clause, i)))
      return true;
  return false;
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
  if (verb.type === 'changed' && word !== 'been' && STATIVE.has(wordAt(clause, at))) return null;
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
  const indefinite =
    GENERAL.test(wordAt(clause, clause.segment.from)) ||
    GENERAL.test(wordAt(clause, clause.segment.from + 1));
  if (verb.type === 'checked' && !/^(?:verified|confirmed|tested)$/.test(wordAt(clause, at))) return null;
  const described =
    (verb.type === 'changed' || verb.type === 'checked') &&
    !now &&
    next !== '' &&
    next !== 'accordingly' &&
    next !== 'as' &&
    !(MOVED.has(wordAt(clause, at)) && kindAt(clause, rightOf(clause, at) + 1) === 'code');
  if (
    described ||
    verb.type === 'run' ||
    hasAgent(clause, at) ||
    (wordAt(clause, at) === 'released' && !now && !hasRelease(clause, be)) ||
    (indefinite && !now)
  )
    return null;
  return { from: at, subject: 'thing', passive: true, state: true };
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

/** "Bug fixed", "PR opened", "This fixed it". */
function fragmentStructure(clause: Clause, left: number, at: number, verb: Verb): Structure | null {
  const { segment } = clause;
  const word = wordAt(clause, left);
  const next = rightOf(clause, at);
  const nextWord = wordAt(clause, next);
  const thing: Structure = { from: at, subject: 'thing', passive: true, state: false };
  if (PAST_ONLY.has(wordAt(clause, at)) || wordAt(clause, left) === '0') return null;
  if (
    DEMONSTRATIVES.has(word) &&
    verb.type === 'done' &&
    left - segment.from < 2 &&
    nextWord !== '' &&
    nextWord !== 'in'
  )
    return { ...thing, passive: false };
  if (kindAt(clause, left) === 'sign' || DETERMINERS.has(word) || OTHERS.has(word)) return null;
  if (segment.link === 'coordinate' && clause.before === null) return null;
  const first = wordAt(clause, segment.from);
  if (
    left - segment.from > 6 ||
    (left === segment.from &&
      GENERIC.has(first) &&
      verb.type === 'changed' &&
      (clause.heading || clause.tokens[segment.to]?.text === ':')) ||
    first === 'what'
  )
    return null;
  for (let i = segment.from; i < left; i++) {
    const middle = wordAt(clause, i);
    if (
      BE.has(middle) ||
      FIRST.has(middle) ||
      middle === 'have' ||
      middle === 'has' ||
      middle === 'to' ||
      middle === 'not'
    )
      return null;
  }
  for (let i = at + 1; i < segment.to; i++)
    if (BE.has(wordAt(clause, i)) || wordAt(clause, i) === 'not') return null;
  return next >= segment.to || (PREPOSITIONS.has(nextWord) && nextWord !== 'by') ? thing : null;
}

function typeOf(clause: Clause, at: number, verb: Verb, passive: boolean): ClaimType | null {
  const { tokens, segment } = clause;
  const word = wordAt(clause, at);
  const sort = passive ? sortIn(tokens, segment.from, at) : sortIn(tokens, at + 1, segment.to);
  const raised =
    RAISED.has(word) && (hasWord(clause, REQUESTS, segment.from) || wordAt(clause, at + 1) === '#');
  if (raised) return 'shipped';
  if (word === 'looked' && wordAt(clause, at + 1) !== 'at') return null;
  if (verb.type === 'trial' && /^to$|ing$/.test(wordAt(clause, at + 1))) return null;
  if (word === 'sorted' && !passive && wordAt(clause, at + 1) === 'the') return 'changed';
  if (!verb.known && hasWord(clause, SEEN_IN, at)) return 'checked';
  if (verb.type === 'trial') return passive || !hasResult(clause, at) ? null : 'checked';
  if (verb.type === 'run') {
    // To have run is no result; tests that were run are said to have passed.
    const result = hasResult(clause, at);
    if (passive) return result ? 'checked' : null;
    if (word === 'built' || word === 'compiled' || word === 'rebuilt') return result ? 'checked' : 'changed';
    if (sort === 'test') return 'tested';
    if (hasWord(clause, MIGRATION, at) && hasWord(clause, LIVE, at)) return 'shipped';
    return result ? 'checked' : null;
  }
  if (word === 'rolled' && wordAt(clause, at + 1) === 'out') return 'shipped';
  if (word === 'took' && (wordAt(clause, at + 1) === 'a' || at + 1 >= segment.to)) return null;
  if (verb.type === 'changed' && RAISED.has(word) && !verb.known) return null;
  if (word === 'migrated' && segment.to - segment.from > 1 && !hasWord(clause, DATA, segment.from))
    return 'changed';
  if (word === 'applied' && (hasWord(clause, DATA, segment.from) || hasWord(clause, MIGRATION, segment.from)))
    return 'shipped';
  if (verb.type !== 'checked') {
    if (word === 'merged' && !passive && wordAt(clause, at + 1) === 'the' && sortOf(tokens[at + 2]) !== null)
      return 'changed';
    return verb.type;
  }
  if (word.endsWith('tested') && segment.to - segment.from < 3) return 'tested';
  if (passive && !STATED.has(word)) return null;
  return sort === 'test' && !hasWord(clause, MANUAL, segment.from) ? 'tested' : 'checked';
}

function hasWord(clause: Clause, words: ReadonlySet<string>, from: number): boolean {
  for (let i = from; i < clause.segment.to; i++) if (words.has(wordAt(clause, i))) return true;
  return false;
}

/** "Ran it without errors", "ran it: …", "ran it and it prints …": what comes behind tells how it went. */
function hasResult(clause: Clause, at: number): boolean {
  if (hasWord(clause, RESULTS, at)) return true;
  const { tokens, segment } = clause;
  const rest = tokens.slice(segment.to);
  if (rest.some(({ text }) => text === 'without')) return true;
  if (!/^(?:and|,|:|;|—)$/.test(rest[0]?.text ?? '')) return false;
  const told = rest.find(({ kind, text }) => kind !== 'sign' && text !== 'and');
  const subject =
    told !== undefined && (rest[0]?.text === ':' || told.kind !== 'word' || TOLD.has(told.text));
  return (
    subject &&
    !rest.some(
      ({ text }, i) =>
        (text === 'not' && rest[i + 1]?.text !== 'one') || /^(?:fail|crash|err|hang|broke)/.test(text),
    )
  );
}

/** "`README.md` gained a chapter", "the helpers went into `util.py`": what has become of a thing. */
function becameAt(clause: Clause, at: number): Found | null {
  const after = BECAME.get(wordAt(clause, at));
  const left = leftOf(clause, at);
  if (after === undefined || left < clause.segment.from || !after.test(wordAt(clause, at + 1))) return null;
  const subject = wordAt(clause, left);
  if (
    BE.has(subject) ||
    FIRST.has(subject) ||
    OTHERS.has(subject) ||
    DETERMINERS.has(subject) ||
    PRONOUNS.has(subject)
  )
    return null;
  return { type: 'changed', from: at, to: at + 1, form: 'action', subject: 'thing', soft: true };
}

const BECAME: ReadonlyMap<string, RegExp> = new Map([
  ['became', /./],
  ['gained', /./],
  ['moved', /^(?:to|into|from|behind|out|under|up|down|below)$/],
  ['went', /^(?:into|to)$/],
  ['got', /^(?:an?|its|the|one|two|three|new)$/],
  ['turned', /^into$/],
  ['lost', /^(?:its|the|their|`)/],
  ['joined', /^the$/],
]);

/** "This fixes the crash", ", which resolves it". */
function fixesAt(clause: Clause, at: number): Found | null {
  // "I was able to fix it", "I managed to resolve it".
  if (/^(?:fix|resolve|solve|implement|complete|finish)$/.test(wordAt(clause, at))) {
    const managed = wordAt(clause, at - 1) === 'to' && /^(?:able|managed)$/.test(wordAt(clause, at - 2));
    return managed ? { type: 'done', from: at, to: at + 1, form: 'action', subject: 'first' } : null;
  }
  // "I've had to change the signature".
  if (wordAt(clause, at - 1) === 'to' && wordAt(clause, at - 2) === 'had' && ORDERS.has(wordAt(clause, at))) {
    const owner = leftOf(clause, at - 2);
    const own = FIRST.has(wordAt(clause, wordAt(clause, owner) === 'have' ? owner - 1 : owner));
    return own ? { type: 'changed', from: at, to: at + 1, form: 'action', subject: 'first' } : null;
  }
  if (!FIXES.has(wordAt(clause, at))) return null;
  const { segment } = clause;
  const left = leftOf(clause, at);
  if (left < segment.from) {
    const joined = segment.link === 'relative' || (segment.link === 'coordinate' && clause.before !== null);
    return joined ? { type: 'done', from: at, to: at + 1, form: 'action', subject: 'thing' } : null;
  }
  if (!DEMONSTRATIVES.has(wordAt(clause, left)) || left - segment.from > 3) return null;
  if (isAdverb(wordAt(clause, segment.from)) && segment.from === left) return null;
  return { type: 'done', from: at, to: at + 1, form: 'action', subject: 'thing' };
}
