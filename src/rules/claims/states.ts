// Claims that say how things are: "all tests pass", "the build is green", "42 passed", "now works", "no longer throws",
// "no errors". The subject decides the type: tests, another check, or the work itself.
import type { ClaimType } from '../../format/index.ts';
import {
  type Clause,
  type Found,
  isAdverb,
  kindAt,
  leftOf,
  phraseAt,
  rightOf,
  type Sort,
  sortIn,
  sortOf,
  wordAt,
} from './clause.ts';
import {
  ADVERBS,
  BE,
  BUILD_VERBS,
  DETERMINERS,
  DONE_STATES,
  FAULTS,
  FIRST,
  PASS_STATES,
  PASS_VERBS,
  PREPOSITIONS,
  STATE_PHRASES,
  WORK_VERBS,
  words,
} from './lexicon.ts';

const PHRASES = STATE_PHRASES.map(([type, text]) => ({ type, phrase: text.split(' ') }));
const PHRASE_STARTS = new Set(PHRASES.map(({ phrase }) => phrase[0]));
const COUNTED = words('passed passing pass passes green ok successful succeeded');
const ALL = words(
  'all everything they both it these those each others rest them three two four five six seven eight nine ten ones',
);
const FINE =
  words(`now again correctly fine properly locally flawlessly perfectly reliably well everywhere too nicely great
  smoothly cleanly successfully as end end-to-end in for with on between across`);
const LINKS = words('looks look stays remains stay remain back comes come came runs run');
const SHOWN = words(
  'with reports reported shows finds found has gives without are is produces raises and there had were was emits returned returns got saw',
);
const PRONOUNS = words('this that it everything');
const STRONG = words('compiles type-checks typechecks lints builds');
const WEAK = words('ok okay good fine happy silent quiet empty correct valid');
const SHIPPED_STATES = words('up open out live on');
const SHIPPABLE = words('pr request commit commits branch release version tag package image mr');
const TELLING = words('prints produces outputs');
const ENDING = words('completes finishes completed boots starts loads renders runs');
const GOOD_ENDS = words('cleanly successfully clean fine correctly');
/** What is said of an end that is none: "for now", "once again". */
const NOT_NOW = words('for until right by as of once even over thanks time');
const BAD = /^(?:fail(?:s|ed|ing)?|crash(?:es|ed)?|hangs|hung|broken?|throw(?:s|ing)|wrong|stale|leaks)$/;

export function findStates(clause: Clause): Found[] {
  const found: Found[] = [];
  for (let at = clause.segment.from; at < clause.segment.to; at++) {
    const kind = kindAt(clause, at);
    const number = kind === 'number' ? countAt(clause, at) : null;
    if (number !== null) found.push(number);
    if (kind !== 'word' && kind !== 'number') continue;
    for (const finder of FINDERS) {
      const state = finder(clause, at);
      if (state !== null) found.push(state);
    }
  }
  return found;
}

function state(type: ClaimType, from: number, to: number): Found {
  return { type, from, to, form: 'state', subject: 'thing' };
}

/** What is said about: the words before it in the segment, else the label, else what the clause goes on from. */
function subjectSort(clause: Clause, at: number): Sort {
  const own = sortIn(clause.tokens, clause.segment.from, at) ?? sortIn(clause.label);
  if (own !== null || clause.segment.link !== 'coordinate' || leftOf(clause, at) >= clause.segment.from)
    return own;
  return sortIn(clause.tokens, 0, at);
}

function byType(sort: Sort, otherwise: ClaimType): ClaimType {
  return sort === 'test' ? 'tested' : sort === 'check' ? 'checked' : otherwise;
}

/** "42 passed", "204/204", "42 tests, 0 failures", "0 failed". */
function countAt(clause: Clause, at: number): Found | null {
  const number = wordAt(clause, at);
  const { segment } = clause;
  let next = at + 1;
  while (next < Math.min(segment.to, at + 5) && !COUNTED.has(wordAt(clause, next))) next++;
  const counted =
    COUNTED.has(wordAt(clause, next)) &&
    wordAt(clause, next + 1) !== 'per' &&
    (!takesObject(clause, next) || sortOf(clause.tokens[next + 1]) === 'test');
  if (number !== '0' && counted) return state(byType(subjectSort(clause, next), 'tested'), at, next + 1);
  if (number === '0' && /^fail/.test(wordAt(clause, at + 1))) return state('tested', at, at + 2);
  const halves = number.split('/');
  const even = halves.length === 2 && halves[0] === halves[1] && subjectSort(clause, segment.to) === 'test';
  return even ? state('tested', at, at + 1) : null;
}

/** "is in place", "all set", never "edited in place". */
function phraseStateAt(clause: Clause, at: number): Found | null {
  if (!PHRASE_STARTS.has(wordAt(clause, at))) return null;
  for (const { type, phrase } of PHRASES) {
    const end = phraseAt(clause, at, phrase);
    if (end === -1) continue;
    const left = leftOf(clause, at);
    if (
      type !== 'done' || left < clause.segment.from
        ? end >= clause.segment.to || type !== 'done'
        : BE.has(wordAt(clause, left)) || FIRST.has(wordAt(clause, left)) || wordAt(clause, left) === 'have'
    )
      return state(type, at, end);
  }
  return null;
}

/** `passes a seed` has an object, and so is about something else. */
function takesObject(clause: Clause, at: number): boolean {
  const next = rightOf(clause, at);
  const word = wordAt(clause, next);
  if (word === 'per') return true;
  if (next >= clause.segment.to || PREPOSITIONS.has(word) || /^(?:every|each|end|twice|time)$/.test(word))
    return false;
  const kind = kindAt(clause, next);
  return (
    kind === 'code' ||
    kind === 'quote' ||
    kind === 'number' ||
    (kind === 'word' && !isAdverb(word) && !FAULTS.has(word))
  );
}

/** "All tests pass", "everything passes", "`npm test` passed", "tests are passing". */
function passAt(clause: Clause, at: number): Found | null {
  const through =
    wordAt(clause, at) === 'through' &&
    /^(?:run|runs|ran|goes|go|went|comes|came|got)$/.test(wordAt(clause, at - 1));
  if (through) {
    const sort = subjectSort(clause, at - 1);
    return sort === null || takesObject(clause, at) ? null : state(byType(sort, 'checked'), at - 1, at + 1);
  }
  if (!PASS_VERBS.has(wordAt(clause, at))) return null;
  if (takesObject(clause, at)) {
    const tests =
      sortIn(clause.tokens, at + 1, Math.min(at + 5, clause.segment.to)) === 'test' &&
      wordAt(clause, at) !== 'passed';
    return tests && !FIRST.has(wordAt(clause, leftOf(clause, at))) ? state('tested', at, at + 2) : null;
  }
  const left = leftOf(clause, at);
  const word = wordAt(clause, left);
  const going = word === 'to' && /^continued?s?$/.test(wordAt(clause, left - 1));
  if ((DETERMINERS.has(word) && !ALL.has(word) && !going) || FIRST.has(word)) return null;
  const sort = subjectSort(clause, at);
  const bare = left < clause.segment.from;
  if (
    sort === null &&
    bare &&
    clause.before === null &&
    clause.label.length === 0 &&
    wordAt(clause, at + 1) !== ''
  )
    return null;
  const again = /^(?:again|now)$/.test(wordAt(clause, at + 1));
  const counted =
    sort !== null ||
    bare ||
    again ||
    ALL.has(wordAt(clause, clause.segment.from)) ||
    ALL.has(word) ||
    ADVERBS.has(wordAt(clause, at - 1)) ||
    BE.has(word);
  if (!counted && kindAt(clause, left) !== 'number' && kindAt(clause, left) !== 'code') return null;
  return state(byType(sort, again ? 'done' : 'tested'), at, at + 1);
}

/** "now works", "works as expected", "It works." "The cache works by hashing" tells how. */
function worksAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  if (!WORK_VERBS.has(word)) return null;
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
  return state(
    changed ? 'done' : byType(subjectSort(clause, at), bare ? 'checked' : 'done'),
    now ? at - 1 : at,
    at + 1,
  );
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
  if (shipped) return BE.has(subject) && isShippable(clause, left, at) ? state('shipped', at, at + 1) : null;
  if (
    !closed &&
    (!PREPOSITIONS.has(wordAt(clause, next)) || (WEAK.has(word) && wordAt(clause, next) !== 'with'))
  )
    return null;
  const sort = subjectSort(clause, at);
  if (left < segment.from) {
    // "Done." alone, "Status: done", "Lint: clean", "OK (38 tests)", "… and is ready".
    if (done)
      return segment.link !== 'coordinate' || clause.before !== null ? state('done', at, at + 1) : null;
    const told = sort ?? (word === 'ok' || wordAt(clause, at - 1) === 'all' ? sortIn(tokens) : null);
    const lone = next >= segment.to && (told !== null || wordAt(clause, at - 1) === 'all');
    return lone ? state(byType(told, 'tested'), at, at + 1) : null;
  }
  if (BE.has(subject) || LINKS.has(subject)) {
    const first = FIRST.has(wordAt(clause, leftOf(clause, left)));
    const generic =
      /^(?:an?|each|every|any)$/.test(wordAt(clause, segment.from)) && /^(?:is|are)$/.test(subject);
    // "It is done in main()" tells where.
    const told = word === 'done' && !closed && wordAt(clause, next) !== 'with';
    if (done) return generic || told || (first && word === 'ready') ? null : state('done', at, at + 1);
    if (first || (word === 'empty' && subject !== 'back')) return null;
    return sort === null && word !== 'green' ? null : state(byType(sort, 'tested'), at, at + 1);
  }
  if (DETERMINERS.has(subject) || kindAt(clause, left) === 'sign') return null;
  // "Dark mode complete", "ESLint clean": a fragment with nothing behind it.
  if (next < segment.to || left - segment.from > 6 || word === 'back' || word === 'gone') return null;
  if (!done && (sort === null || (WEAK.has(word) && word !== 'ok'))) return null;
  return state(done ? 'done' : byType(sort, 'done'), at, at + 1);
}

/** "The PR is up", "v2 is on npm", "the branch is live". */
function isShippable(clause: Clause, be: number, at: number): boolean {
  for (let i = clause.segment.from; i < be; i++)
    if (SHIPPABLE.has(wordAt(clause, i)) || /^v\d/.test(wordAt(clause, i)))
      return wordAt(clause, at) !== 'on' || at + 1 < clause.segment.to;
  return wordAt(clause, at) === 'live';
}

/** "builds cleanly", "The project compiles", "tsc exits 0", "returns 200". */
function buildAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  if (!BUILD_VERBS.has(word)) return null;
  const left = leftOf(clause, at);
  const subject = wordAt(clause, left);
  if (left < clause.segment.from && clause.segment.link !== 'coordinate') return null;
  if (DETERMINERS.has(subject) && !PRONOUNS.has(subject)) return null;
  const result = resultAfter(clause, at + 1);
  const lone =
    rightOf(clause, at) >= clause.segment.to ||
    /^(?:without|on|with|for|against)$/.test(wordAt(clause, at + 1));
  const command =
    left === clause.segment.from && kindAt(clause, left) === 'code' && wordAt(clause, left).includes(' ');
  if (command && TELLING.has(word)) return state('checked', at, at + 1);
  if (
    result === -1 &&
    !(
      lone &&
      (STRONG.has(word) ||
        (word === 'runs' && PRONOUNS.has(subject)) ||
        (ENDING.has(word) && subjectSort(clause, at) !== null))
    )
  )
    return null;
  if (FIRST.has(subject) && word !== 'ran') return null;
  if (word === 'has' && subjectSort(clause, at) === null) return null;
  const sort = sortIn(clause.tokens, clause.segment.from, clause.segment.to);
  return state(sort === 'test' ? 'tested' : 'checked', at, Math.max(at + 1, result));
}

/** Where a good result behind a verb ends, or -1. */
function resultAfter(clause: Clause, from: number): number {
  for (let at = from; at < Math.min(clause.segment.to, from + 12); at++) {
    const word = wordAt(clause, at);
    const next = wordAt(clause, at + 1);
    const before = wordAt(clause, at - 1);
    if (
      /^(?:no|0|zero|without)$/.test(word) &&
      (FAULTS.has(next) || (word !== 'no' && FAULTS.has(wordAt(clause, at + 2))))
    )
      return at + 2;
    if (
      (word === 'nothing' && /^(?:finds|found|reports|reported|says|has|shows)$/.test(before)) ||
      /^20[014]$/.test(word) ||
      GOOD_ENDS.has(word)
    )
      return at + 1;
    if (word === '0' && /^(?:exits|exited|code|with|status)$/.test(before)) return at + 1;
    if (word === 'without' && /^(?:output|complaint|trouble|incident)$/.test(next)) return at + 2;
    if (word === 'no' && /^(?:changes|drift|diff)$/.test(next)) return at + 2;
    if (/^(?:expected|right|correct)$/.test(word) && (before === 'as' || before === 'the')) return at + 1;
  }
  return -1;
}

/** "no errors", "0 failures", "without warnings" of something that was run. */
function noFaultsAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  if (
    word === 'none' &&
    sortIn(clause.tokens, at, clause.segment.to) === 'test' &&
    /^fail/.test(wordAt(clause, clause.segment.to - 1))
  )
    return state('tested', at, clause.segment.to);
  if (!/^(?:no|0|zero|without)$/.test(word)) return null;
  const middle = /^(?:type|compile|typescript)$/.test(wordAt(clause, at + 1))
    ? 'check'
    : sortOf(clause.tokens[at + 1]);

  const to = middle !== null && FAULTS.has(wordAt(clause, at + 2)) ? at + 3 : at + 2;
  const fault = wordAt(clause, to - 1);
  if (!FAULTS.has(fault) || (/^fail(?:ing|ed)?$/.test(fault) && word !== '0' && to === at + 2)) return null;
  const { segment } = clause;
  const sort = to === at + 3 ? middle : subjectSort(clause, at);
  if (word === 'without')
    return leftOf(clause, at) <= segment.from ? null : state(byType(sort, 'checked'), at, to);
  const lone =
    at === segment.from &&
    (to >= segment.to || (wordAt(clause, to) === 'in' && sortIn(clause.tokens, to, segment.to) !== null));
  if (sort === null && !lone && !SHOWN.has(wordAt(clause, at - 1))) return null;
  if (FIRST.has(wordAt(clause, leftOf(clause, at - 1))) && wordAt(clause, at - 1) !== 'saw') return null;
  return state(fault.startsWith('failure') ? 'tested' : byType(sort, 'checked'), at, to);
}

/** "no longer throws", "now returns null", "is stable now", "starts again", "doesn't crash any more", "no more warnings". */
function changeOfStateAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  const { segment } = clause;
  const next = wordAt(clause, at + 1);
  if (word === 'no' && next === 'longer' && at > segment.from) return state('done', at, at + 3);
  if (word === 'no' && next === 'more' && kindAt(clause, at + 2) === 'word') return state('done', at, at + 2);
  if (word === 'anymore' || (/^(?:more|longer)$/.test(word) && wordAt(clause, at - 1) === 'any')) {
    for (let i = segment.from; i < at; i++) {
      const modal = /^(?:can|could)$/.test(wordAt(clause, i - 1)) ? i - 1 : i;
      if (wordAt(clause, i) === 'not' || wordAt(clause, i) === 'no')
        return FIRST.has(wordAt(clause, modal - 1)) ? null : state('done', modal, at + 1);
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
  return state('done', modal, at + 1);
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
      : state('done', at, at + 2);
  if (subject === 'can') return state('done', left, at + 2);
  const verb =
    kind === 'word' &&
    !PREPOSITIONS.has(next) &&
    !DETERMINERS.has(next) &&
    !/(?:ing|ed)$/.test(next) &&
    !BAD.test(next);
  return verb ? state('done', at, at + 2) : null;
}

const FINDERS = [phraseStateAt, passAt, worksAt, adjectiveAt, buildAt, noFaultsAt, changeOfStateAt];
