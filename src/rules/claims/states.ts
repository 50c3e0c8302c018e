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
  sortIn,
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
} from './lexicon.ts';

const PHRASES: readonly (readonly [ClaimType, readonly string[]])[] = STATE_PHRASES.map(([type, text]) => [
  type,
  text.split(' '),
]);
const COUNTED = new Set(['passed', 'passing', 'pass', 'passes', 'green', 'ok', 'successful', 'succeeded']);
const ALL = new Set([
  'all',
  'everything',
  'they',
  'both',
  'it',
  'these',
  'those',
  'each',
  'others',
  'rest',
  'three',
  'two',
  'four',
  'five',
  'ones',
]);
const FINE = new Set([
  'now',
  'again',
  'correctly',
  'fine',
  'properly',
  'locally',
  'flawlessly',
  'perfectly',
  'reliably',
  'well',
  'everywhere',
  'too',
  'nicely',
  'great',
  'smoothly',
  'cleanly',
  'successfully',
]);
const ABSENT = new Set(['no', '0', 'zero', 'without', 'any']);
const SHOWN = new Set([
  'with',
  'reports',
  'reported',
  'shows',
  'finds',
  'found',
  'has',
  'gives',
  'without',
  'are',
  'is',
  'produces',
  'raises',
  'and',
  'there',
  'had',
  'were',
  'was',
  'came',
  'emits',
  'prints',
  'returned',
  'returns',
  'got',
]);
const GOING = new Set(['throws', 'crashes', 'fails', 'hangs']);

export function findStates(clause: Clause): Found[] {
  const found: Found[] = [];
  const add = (state: Found | null) => {
    if (state !== null) found.push(state);
  };
  for (let at = clause.segment.from; at < clause.segment.to; at++) {
    add(countAt(clause, at));
    if (kindAt(clause, at) !== 'word' && kindAt(clause, at) !== 'number') continue;
    add(phraseStateAt(clause, at));
    add(passAt(clause, at));
    add(worksAt(clause, at));
    add(adjectiveAt(clause, at));
    add(buildAt(clause, at));
    add(noFaultsAt(clause, at));
    add(changeOfStateAt(clause, at));
  }
  return found;
}

function state(type: ClaimType, from: number, to: number): Found {
  return { type, from, to, form: 'state', subject: 'thing' };
}

/** What is said about: the words before it in the segment, else the label. */
function subjectSort(clause: Clause, at: number): 'test' | 'check' | null {
  return sortIn(clause.tokens, clause.segment.from, at) ?? sortIn(clause.label);
}

function byType(sort: 'test' | 'check' | null, otherwise: ClaimType): ClaimType {
  return sort === 'test' ? 'tested' : sort === 'check' ? 'checked' : otherwise;
}

/** "42 passed", "204/204", "42 tests, 0 failures", "0 failed". */
function countAt(clause: Clause, at: number): Found | null {
  if (kindAt(clause, at) !== 'number') return null;
  const number = wordAt(clause, at);
  let next = at + 1;
  for (
    let skipped = 0;
    skipped < 4 && next < clause.segment.to && !COUNTED.has(wordAt(clause, next));
    skipped++
  )
    next++;
  const word = wordAt(clause, next);
  if (number !== '0' && COUNTED.has(word) && !takesObject(clause, next))
    return state(byType(subjectSort(clause, next), 'tested'), at, next + 1);
  if (number === '0' && FAULTS.has(wordAt(clause, at + 1)) && wordAt(clause, at + 1).startsWith('fail'))
    return state('tested', at, at + 2);
  const halves = number.split('/');
  if (halves.length === 2 && halves[0] === halves[1] && subjectSort(clause, clause.segment.to) === 'test')
    return state('tested', at, at + 1);
  return null;
}

function phraseStateAt(clause: Clause, at: number): Found | null {
  for (const [type, phrase] of PHRASES) {
    const end = phraseAt(clause, at, phrase);
    if (end !== -1) return state(type, at, end);
  }
  return null;
}

/** `passes a seed` has an object, and so is about something else. */
function takesObject(clause: Clause, at: number): boolean {
  const next = rightOf(clause, at);
  const word = wordAt(clause, next);
  if (next >= clause.segment.to || PREPOSITIONS.has(word)) return false;
  const kind = kindAt(clause, next);
  return (
    kind === 'code' ||
    kind === 'quote' ||
    kind === 'number' ||
    (kind === 'word' && !isAdverb(word) && !FAULTS.has(word) && word !== 'end')
  );
}

/** "All tests pass", "everything passes", "`npm test` passed", "tests are passing". */
function passAt(clause: Clause, at: number): Found | null {
  if (!PASS_VERBS.has(wordAt(clause, at)) || takesObject(clause, at)) return null;
  const left = leftOf(clause, at);
  const word = wordAt(clause, left);
  if (DETERMINERS.has(word) && !ALL.has(word) && word !== 'each') return null;
  if (FIRST.has(word)) return null;
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
  const counted =
    sort !== null || bare || ALL.has(word) || ADVERBS.has(wordAt(clause, at - 1)) || BE.has(word);
  if (!counted && kindAt(clause, left) !== 'number' && kindAt(clause, left) !== 'code') return null;
  return state(byType(sort, 'tested'), at, at + 1);
}

/** "now works", "works as expected", "It works." "The cache works by hashing" tells how. */
function worksAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  if (!WORK_VERBS.has(word)) return null;
  const left = leftOf(clause, at);
  const subject = wordAt(clause, left);
  if (
    left < clause.segment.from
      ? clause.segment.link !== 'coordinate'
      : DETERMINERS.has(subject) && subject !== 'this' && subject !== 'that'
  )
    return null;
  if (word === 'working' && !BE.has(subject)) return null;
  if (FIRST.has(subject) || (word === 'working' && FIRST.has(wordAt(clause, leftOf(clause, left)))))
    return null;
  if (
    word === 'worked' &&
    subject !== 'everything' &&
    subject !== 'it' &&
    subject !== 'that' &&
    subject !== 'this'
  )
    return null;
  const next = wordAt(clause, at + 1);
  const plain = next === '' || kindAt(clause, at + 1) === 'good' || kindAt(clause, at + 1) === 'sign';
  const fine =
    plain ||
    FINE.has(next) ||
    next === 'as' ||
    next === 'end' ||
    next === 'end-to-end' ||
    next === 'in' ||
    next === 'for' ||
    next === 'with' ||
    next === 'on';
  if (!fine && wordAt(clause, at - 1) !== 'now') return null;
  const now = wordAt(clause, at - 1) === 'now' || next === 'now' || next === 'again';
  return state(
    byType(now ? null : subjectSort(clause, at), 'done'),
    wordAt(clause, at - 1) === 'now' ? at - 1 : at,
    at + 1,
  );
}

/** "is done", "is green", "lint clean", "all good", "Done." */
function adjectiveAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  const done = DONE_STATES.has(word);
  if (!done && !PASS_STATES.has(word)) return null;
  const { segment } = clause;
  const left = leftOf(clause, at);
  const subject = wordAt(clause, left);
  const next = rightOf(clause, at);
  const nextWord = wordAt(clause, next);
  const ends =
    next >= segment.to ||
    kindAt(clause, next) === 'sign' ||
    PREPOSITIONS.has(nextWord) ||
    nextWord === 'that';
  if (!ends) return null;
  const sort = subjectSort(clause, at);
  if (left < segment.from) {
    // "Done." alone, "Status: done", "Lint: clean", "… and is ready": never "Ready when you are".
    const lone = done
      ? segment.link !== 'coordinate' || clause.before !== null
      : sort !== null || wordAt(clause, at - 1) === 'all';
    return lone && (next >= segment.to || done) && word !== 'ready'
      ? state(byType(sort, done ? 'done' : 'tested'), at, at + 1)
      : null;
  }
  const linked =
    BE.has(subject) ||
    subject === 'stays' ||
    subject === 'remains' ||
    subject === 'still' ||
    subject === 'came' ||
    subject === 'comes' ||
    subject === 'back';
  if (linked) {
    if (FIRST.has(wordAt(clause, leftOf(clause, left))) && !done) return null;
    if (!done && sort === null && word !== 'green') return null;
    return state(done && sort !== 'test' ? 'done' : byType(sort, 'tested'), at, at + 1);
  }
  if (DETERMINERS.has(subject)) return null;
  // "Dark mode complete", "ESLint clean": a fragment with nothing behind it.
  const fragment = next >= segment.to && left - segment.from < 7 && kindAt(clause, left) !== 'sign';
  if (!fragment || (!done && sort === null) || word === 'good' || word === 'happy' || word === 'fine')
    return null;
  return state(byType(sort === 'check' && done ? null : sort, 'done'), at, at + 1);
}

/** "builds cleanly", "The project compiles", "tsc exits 0", "returns 200". */
function buildAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  if (!BUILD_VERBS.has(word)) return null;
  const left = leftOf(clause, at);
  if (left < clause.segment.from && clause.segment.link !== 'coordinate') return null;
  if (DETERMINERS.has(wordAt(clause, left)) && !/^(?:this|that|it)$/.test(wordAt(clause, left))) return null;
  const result = resultAfter(clause, at + 1);
  const strong = /^(?:compiles|type-checks|typechecks|lints|builds)$/.test(word);
  if (result === -1 && !(strong && rightOf(clause, at) >= clause.segment.to)) return null;
  if (FIRST.has(wordAt(clause, left)) && !/^(?:found|ran)$/.test(word)) return null;
  const sort = sortIn(clause.tokens, clause.segment.from, clause.segment.to);
  return state(sort === 'test' ? 'tested' : 'checked', at, Math.max(at + 1, result));
}

/** Where a good result right behind a verb ends, or -1. */
function resultAfter(clause: Clause, from: number): number {
  for (let at = from; at < Math.min(clause.segment.to, from + 12); at++) {
    const word = wordAt(clause, at);
    const next = wordAt(clause, at + 1);
    if (
      ABSENT.has(word) &&
      word !== 'any' &&
      (FAULTS.has(next) || (FAULTS.has(wordAt(clause, at + 2)) && word !== 'no'))
    )
      return at + 2;
    if (word === 'nothing' || word === '200' || word === '201' || word === '204') return at + 1;
    if (/^(?:cleanly|successfully|clean|fine)$/.test(word)) return at + 1;
    if (word === '0' && /^(?:exits|exited|code|with|status)$/.test(wordAt(clause, at - 1))) return at + 1;
    if (word === 'as' && next === 'expected') return at + 2;
    if (word === 'correctly' || (word === 'expected' && wordAt(clause, at - 1) === 'the')) return at + 1;
  }
  return -1;
}

/** "no errors", "0 failures", "without warnings" of something that was run. */
function noFaultsAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  if (!ABSENT.has(word) || word === 'any' || !FAULTS.has(wordAt(clause, at + 1))) return null;
  if (/^(?:fail|failing|failed)$/.test(wordAt(clause, at + 1)) && word !== '0') return null;
  const sort = subjectSort(clause, at);
  const lone = at === clause.segment.from && at + 2 >= clause.segment.to;
  if (sort === null && !lone && !SHOWN.has(wordAt(clause, at - 1))) return null;
  if (sort === null && word === 'without')
    return leftOf(clause, at) < clause.segment.from ? null : state('checked', at, at + 2);
  const failures = wordAt(clause, at + 1).startsWith('failure');
  return state(failures ? 'tested' : byType(sort, 'checked'), at, at + 2);
}

/** "no longer throws", "now returns null", "is now optional", "doesn't crash any more". */
function changeOfStateAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  const { segment } = clause;
  if (word === 'no' && wordAt(clause, at + 1) === 'longer' && at > segment.from)
    return state('done', at, at + 3);
  if (/^(?:anymore|more)$/.test(word) && (word === 'anymore' || wordAt(clause, at - 1) === 'any')) {
    for (let i = segment.from; i < at; i++) if (wordAt(clause, i) === 'not') return state('done', i, at + 1);
    return null;
  }
  if (word !== 'now') return null;
  const left = leftOf(clause, at);
  const subject = wordAt(clause, left);
  const next = wordAt(clause, at + 1);
  if (left < segment.from && !(segment.link === 'coordinate' && clause.before !== null)) return null;
  if (
    FIRST.has(subject) ||
    subject === 'for' ||
    subject === 'until' ||
    subject === 'right' ||
    subject === 'by'
  )
    return null;
  const nextKind = kindAt(clause, at + 1);
  if (BE.has(subject))
    return nextKind === null || next === 'in' || next === 'a' ? null : state('done', at, at + 2);
  if (subject === 'can' && wordAt(clause, left - 1) === 'you') return state('done', left, at + 2);
  const verb =
    nextKind === 'word' &&
    (/[^s]s$/.test(next) ||
      next === 'have' ||
      next === 'use' ||
      GOING.has(next) ||
      /^(?:return|handle|show|accept|support|throw|run|get|go|take|work|share|live|point|read|include)$/.test(
        next,
      ));
  return verb ? state('done', at, at + 2) : null;
}
