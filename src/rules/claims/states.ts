// Claims that say how the work is: "now works", "is done", "is green", "no longer throws", "in place". The subject
// decides the type: tests, another check, or the work itself.
import {
  byType,
  type Clause,
  type Found,
  kindAt,
  leftOf,
  phraseAt,
  rightOf,
  sortIn,
  stateOf,
  subjectSort,
  wordAt,
} from './clause.ts';
import {
  BE,
  DETERMINERS,
  DONE_STATES,
  FIRST,
  PASS_STATES,
  PREPOSITIONS,
  PRONOUNS,
  STATE_PHRASES,
  WORK_VERBS,
  words,
} from './lexicon.ts';

const PHRASES = STATE_PHRASES.map(([type, text]) => ({ type, phrase: text.split(' ') }));
const PHRASE_STARTS = new Set(PHRASES.map(({ phrase }) => phrase[0]));
const FINE =
  words(`now again correctly fine properly locally flawlessly perfectly reliably well everywhere too nicely great
  smoothly cleanly successfully as end end-to-end in for with on between across`);
const SAME = words('identical byte-identical right');
const LINKS = words('looks look stays remains stay remain back comes come came runs run');
/** Said of work; what is gone or back may be anything. */
const FIRM = words('done finished fixed resolved solved implemented complete completed ready');
const BUGS = words(
  'bug error crash issue problem leak warning warnings errors deadlock panic race failure flicker jank',
);
const WEAK = words('ok okay good fine happy healthy silent quiet empty correct valid');
const SHIPPED_STATES = words('up open out live on');
const SHIPPABLE = words('pr request commit commits branch release version tag package image mr');
/** What is said of an end that is none: "for now", "once again". */
const NOT_NOW = words('for until right by as of once even over thanks time');
const BAD = /^(?:fail(?:s|ed|ing)?|crash(?:es|ed)?|hangs|hung|broken?|throw(?:s|ing)|wrong|stale|leaks)$/;

/** Every word a state can be found at, so that most words are done with at once. */
const TRIGGERS = new Set([
  ...PHRASE_STARTS,
  ...WORK_VERBS,
  ...DONE_STATES,
  ...SHIPPED_STATES,
  ...PASS_STATES,
  ...words('no anymore more longer now again'),
]);

export function findStates(clause: Clause): Found[] {
  const found: Found[] = [];
  for (let at = clause.segment.from; at < clause.segment.to; at++) {
    if (kindAt(clause, at) !== 'word' || !TRIGGERS.has(wordAt(clause, at))) continue;
    for (const finder of FINDERS) {
      const state = finder(clause, at);
      if (state !== null) found.push(state);
    }
  }
  return found;
}

/** "is in place", "all set", never "edited in place". */
function phraseStateAt(clause: Clause, at: number): Found | null {
  if (!PHRASE_STARTS.has(wordAt(clause, at))) return null;
  for (const { type, phrase } of PHRASES) {
    const end = phraseAt(clause, at, phrase);
    if (end === -1) continue;
    const left = leftOf(clause, at);
    if (/^(?:is|are)$/.test(phrase[0] ?? '')) {
      if (end < clause.segment.to || left < clause.segment.from) continue;
      return stateOf(type, at, end, true);
    }
    if (
      type !== 'done' || left < clause.segment.from
        ? end >= clause.segment.to || type !== 'done'
        : BE.has(wordAt(clause, left)) || FIRST.has(wordAt(clause, left)) || wordAt(clause, left) === 'have'
    )
      return stateOf(type, at, end);
  }
  return null;
}

/** "now works", "works as expected", "It works." "The cache works by hashing" tells how. */
function worksAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  if (!WORK_VERBS.has(word) || (word === 'work' && !isPlural(clause, at))) return null;
  const left = leftOf(clause, at);
  const subject = wordAt(clause, left);
  const bare = left < clause.segment.from;
  if (bare ? word !== 'works' : DETERMINERS.has(subject) && !PRONOUNS.has(subject)) return null;
  if (
    FIRST.has(subject) ||
    (word === 'working' && (!BE.has(subject) || FIRST.has(wordAt(clause, leftOf(clause, left)))))
  )
    return null;
  if (word === 'worked' && !PRONOUNS.has(subject)) return null;
  const next = wordAt(clause, at + 1) === 'here' ? wordAt(clause, at + 2) : wordAt(clause, at + 1);
  const plain = next === '' || kindAt(clause, at + 1) === 'good' || kindAt(clause, at + 1) === 'sign';
  const now = wordAt(clause, at - 1) === 'now';
  if (next === 'on' && /^(?:an?|the|each|its)$/.test(wordAt(clause, at + 2))) return null;
  if (!plain && !FINE.has(next) && !now) return null;
  const changed = now || next === 'now' || next === 'again';
  return stateOf(
    changed ? 'done' : byType(subjectSort(clause, at), bare && isTried(clause, next) ? 'checked' : 'done'),
    now ? at - 1 : at,
    at + 1,
  );
}

/** "All of them work", not "performance work". */
function isPlural(clause: Clause, at: number): boolean {
  for (let i = clause.segment.from; i < at; i++)
    if (
      /^(?:all|both|they|them|these|those|two|three)$|[^s]s$/.test(wordAt(clause, i)) ||
      kindAt(clause, i) === 'code'
    )
      return true;
  return clause.segment.link === 'coordinate';
}

/** "Works in Chrome", "Tried it, works", "Rendering: works": seen, not just said to be so. */
function isTried(clause: Clause, next: string): boolean {
  const { label, before, segment } = clause;
  if (segment.link === 'coordinate') return before === 'first' || before === 'telegraphic';
  return label.length > 0 || next !== '';
}

/** "is done", "is green", "lint clean", "all good", "Done." */
function adjectiveAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  const done = DONE_STATES.has(word);
  const shipped = SHIPPED_STATES.has(word);
  if (!done && !shipped && !PASS_STATES.has(word)) return null;
  const { segment, tokens } = clause;
  const left = leftOf(clause, at);
  const subject = wordAt(clause, left);
  const next = rightOf(clause, at);
  const closed = next >= segment.to || kindAt(clause, next) === 'sign';
  if (shipped)
    return BE.has(subject) && isShippable(clause, left, at) ? stateOf('shipped', at, at + 1) : null;
  if (
    !closed &&
    (!PREPOSITIONS.has(wordAt(clause, next)) || (WEAK.has(word) && wordAt(clause, next) !== 'with'))
  )
    return null;
  const sort = subjectSort(clause, at);
  if (left < segment.from) {
    // "Done." alone, "Status: done", "Lint: clean", "OK (38 tests)", "… and is ready".
    if (done && clause.heading && next < segment.to) return null;
    if (done)
      return segment.link !== 'coordinate' || clause.before !== null ? stateOf('done', at, at + 1) : null;
    const told = sort ?? (word === 'ok' || wordAt(clause, at - 1) === 'all' ? sortIn(tokens) : null);
    const lone = next >= segment.to && (told !== null || wordAt(clause, at - 1) === 'all');
    return lone ? stateOf(byType(told, 'tested'), at, at + 1) : null;
  }
  if (BE.has(subject) || LINKS.has(subject)) {
    const first = FIRST.has(wordAt(clause, leftOf(clause, left)));
    const generic =
      /^(?:an?|each|every|any)$/.test(wordAt(clause, segment.from)) && /^(?:is|are)$/.test(subject);
    // "It is done in main()" tells where.
    const told =
      wordAt(clause, next) === 'by' || (word === 'done' && !closed && wordAt(clause, next) !== 'with');
    if (done)
      return generic || told || (first && word === 'ready')
        ? null
        : stateOf('done', at, at + 1, !FIRM.has(word) && !hasBug(clause, at));
    if (first) return null;
    if (SAME.has(word) && (word !== 'right' || /^looks?$/.test(subject)))
      return stateOf(byType(sort, 'checked'), at, at + 1, true);
    return sort === null && word !== 'green' ? null : stateOf(byType(sort, 'tested'), at, at + 1);
  }
  if (DETERMINERS.has(subject) || kindAt(clause, left) === 'sign' || kindAt(clause, left) === 'number')
    return null;
  // "Dark mode complete", "ESLint clean": a fragment with nothing behind it.
  if (next < segment.to || left - segment.from > 6 || word === 'back' || word === 'gone') return null;
  if (!done && (sort === null || (WEAK.has(word) && word !== 'ok' && word !== 'happy'))) return null;
  return stateOf(done ? 'done' : byType(sort, 'done'), at, at + 1);
}

function hasBug(clause: Clause, at: number): boolean {
  for (let i = clause.segment.from; i < at; i++) if (BUGS.has(wordAt(clause, i))) return true;
  return false;
}

/** "The PR is up", "v2 is on npm", "the branch is live". */
function isShippable(clause: Clause, be: number, at: number): boolean {
  for (let i = clause.segment.from; i < be; i++)
    if (SHIPPABLE.has(wordAt(clause, i)) || /^v\d/.test(wordAt(clause, i)))
      return wordAt(clause, at) !== 'on' || at + 1 < clause.segment.to;
  return wordAt(clause, at) === 'live';
}

/** "no longer throws", "now returns null", "is stable now", "starts again", "doesn't crash any more", "no more warnings". */
function changeOfStateAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  const { segment } = clause;
  const next = wordAt(clause, at + 1);
  if (word === 'no' && next === 'longer' && at > segment.from) return stateOf('done', at, at + 3, true);
  if (
    word === 'no' &&
    next === 'more' &&
    kindAt(clause, at + 2) === 'word' &&
    wordAt(clause, at + 2) !== 'than'
  )
    return stateOf('done', at, at + 2);
  if (word === 'anymore' || (/^(?:more|longer)$/.test(word) && wordAt(clause, at - 1) === 'any')) {
    for (let i = segment.from; i < at; i++) {
      const modal = /^(?:can|could)$/.test(wordAt(clause, i - 1)) ? i - 1 : i;
      if (wordAt(clause, i) === 'not' || wordAt(clause, i) === 'no')
        return FIRST.has(wordAt(clause, modal - 1)) ? null : stateOf('done', modal, at + 1, true);
    }
    return null;
  }
  if (word !== 'now' && word !== 'again') return null;
  return trailingAt(clause, at) ?? (word === 'now' ? leadingNowAt(clause, at) : null);
}

/** "The upload is stable now", "Old exports can be read again": the last word of a clause that has a subject and a verb. */
function trailingAt(clause: Clause, at: number): Found | null {
  const { segment } = clause;
  if (
    at - segment.from < 2 ||
    (rightOf(clause, at) < segment.to && wordAt(clause, at + 1) !== 'instead') ||
    NOT_NOW.has(wordAt(clause, at - 1))
  )
    return null;
  if (segment.link === 'coordinate' && /ed$|^(?:built|ran|made|got)$/.test(wordAt(clause, segment.from)))
    return null;
  let modal = at;
  for (let i = segment.from; i < at; i++) {
    const word = wordAt(clause, i);
    if (FIRST.has(word) || word === 'you' || (BAD.test(word) && wordAt(clause, i - 2) !== 'instead'))
      return null;
    if (i === segment.from && /^(?:an?|each|every|any)$/.test(word)) return null;
    if (word === 'can') modal = i;
  }
  return stateOf('done', modal, at + 1, true);
}

/** "The parser now returns null", "it is now optional", "you can now pass a path". */
function leadingNowAt(clause: Clause, at: number): Found | null {
  const { segment } = clause;
  const left = leftOf(clause, at);
  const subject = wordAt(clause, left);
  const next = wordAt(clause, at + 1);
  const kind = kindAt(clause, at + 1);
  if (left < segment.from && !(segment.link === 'coordinate' && clause.before !== null)) return null;
  if (
    FIRST.has(subject) ||
    NOT_NOW.has(subject) ||
    DETERMINERS.has(subject) ||
    /^(?:have|has)$/.test(subject)
  )
    return null;
  if (BE.has(subject))
    return kind === null || next === 'in' || next === 'a' || FIRST.has(wordAt(clause, left - 1))
      ? null
      : stateOf('done', at, at + 2, true);
  const verb =
    kind === 'word' &&
    !PREPOSITIONS.has(next) &&
    !DETERMINERS.has(next) &&
    !/(?:ing|ed)$/.test(next) &&
    !BAD.test(next);
  return verb ? stateOf('done', at, at + 2, true) : null;
}

const FINDERS = [phraseStateAt, worksAt, adjectiveAt, changeOfStateAt];
