// Claims that say how a run went: "all tests pass", "42 passed", "no errors", "builds cleanly", "curl shows the header".
// What ran decides the type: tests, or another check.
import {
  byType,
  type Clause,
  type Found,
  faultAfter,
  firmSort,
  hasWord,
  isAdverb,
  kindAt,
  leftOf,
  ROUTE,
  rightOf,
  sortIn,
  sortOf,
  stateOf,
  subjectSort,
  wordAt,
} from './clause.ts';
import {
  ADVERBS,
  BE,
  BUILD_VERBS,
  DETERMINERS,
  FAULTS,
  FIRST,
  OTHERS,
  PASS_VERBS,
  PREPOSITIONS,
  PRONOUNS,
  words,
} from './lexicon.ts';

const COUNTED = words('success successes passed passing pass passes green ok successful succeeded succeed');
const ALL = words(
  'all everything they both it these those each others rest them three two four five six seven eight nine ten ones',
);
const SHOWN = words(
  'with reports reported shows finds found has gives without are is produces raises and there had were was emits returned returns got saw',
);
const STRONG = words('validates compiles type-checks typechecks lints builds compile links');
const TELLING = words('prints produces outputs');
const ENDING = words('completes finishes completed boots starts loads renders runs');
const STARTS = words(
  'starts start boots prints shows renders loads runs returns responds answers produces gives',
);
const GOOD_ENDS = words('cleanly successfully clean fine correctly normally properly');

/** Every word a result can be found at, so that most words are done with at once. */
const TRIGGERS = new Set([
  ...PASS_VERBS,
  ...BUILD_VERBS,
  ...words('through none no zero without do does is are did'),
]);

export function findResults(clause: Clause): Found[] {
  const found: Found[] = [];
  for (let at = clause.segment.from; at < clause.segment.to; at++) {
    const kind = kindAt(clause, at);
    if (kind !== 'number' && (kind !== 'word' || !TRIGGERS.has(wordAt(clause, at)))) continue;
    const finders = kind === 'number' ? NUMBER_FINDERS : FINDERS;
    for (const finder of finders) {
      const result = finder(clause, at);
      if (result !== null) found.push(result);
    }
  }
  return found;
}

/** "42 passed", "204/204", "42 tests, 0 failures", "0 failed". */
function countAt(clause: Clause, at: number): Found | null {
  const number = wordAt(clause, at);
  const { segment } = clause;
  let next = at + 1;
  while (next < Math.min(segment.to, at + 5) && !COUNTED.has(wordAt(clause, next))) next++;
  // "200 OK" is an answer.
  if (/^20\d$/.test(number) && wordAt(clause, at + 1) === 'ok') return null;
  const counted =
    COUNTED.has(wordAt(clause, next)) &&
    wordAt(clause, next + 1) !== 'per' &&
    (!takesObject(clause, next) || sortOf(clause.tokens[next + 1]) === 'test');
  if (counted && isPartial(clause, segment.to)) return null;
  if (wordAt(clause, next) === 'successes' && sortIn(clause.label) !== 'test') return null;
  if (number !== '0' && counted) return stateOf(byType(firmSort(clause, next), 'tested'), at, next + 1);
  // "# pass 29", "succeeded 52"
  if (
    number !== '0' &&
    COUNTED.has(wordAt(clause, at - 1)) &&
    at + 1 >= segment.to &&
    sortIn(clause.label) === 'test'
  )
    return stateOf('tested', at - 1, at + 1);
  if (number === '0' && /^fail/.test(wordAt(clause, at + 1)))
    return stateOf(byType(firmSort(clause, at), 'tested'), at, at + 2);
  // "12/12", "92 of 92", "23 out of 23"
  const of = wordAt(clause, at + 1) === 'of' ? at + 2 : wordAt(clause, at + 2) === 'of' ? at + 3 : -1;
  const halves = of === -1 ? number.split('/') : [number, wordAt(clause, of)];
  const lone = segment.from === at && segment.to === (of === -1 ? at : of) + 1 && segment.link === 'start';
  const even =
    halves.length === 2 &&
    halves[0] === halves[1] &&
    (lone || subjectSort(clause, segment.to) === 'test' || sortIn(clause.label) === 'test');
  return even ? stateOf('tested', at, at + 1) : null;
}

/** "211 of 212 tests pass": that is a failure told. */
function isPartial(clause: Clause, to: number): boolean {
  for (let i = clause.segment.from; i + 2 < to; i++) {
    const the = wordAt(clause, i + 2) === 'the' ? 1 : 0;
    const [some, all] = [wordAt(clause, i), wordAt(clause, i + 2 + the)];
    if (wordAt(clause, i + 1) === 'of' && /^\d/.test(some) && /^\d/.test(all) && some !== all) return true;
  }
  return false;
}

/** `passes a seed` has an object, and so is about something else. */
function takesObject(clause: Clause, at: number): boolean {
  const next = rightOf(clause, at);
  const word = wordAt(clause, next);
  // "passes that flag": what follows was taken for a clause.
  if (word === 'per' || (next >= clause.segment.to && clause.tokens[next]?.text === 'that')) return true;
  if (
    next >= clause.segment.to ||
    PREPOSITIONS.has(word) ||
    /^(?:every|each|end|twice|time|times|unchanged|unmodified|untouched|clean|green|throughout)$/.test(word)
  )
    return false;
  // "passed three times in a row"
  if (/^times?$/.test(wordAt(clause, next + 1)) || /^times?$/.test(wordAt(clause, next + 2))) return false;
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
    if (takesObject(clause, at) || FIRST.has(wordAt(clause, leftOf(clause, at - 1)))) return null;
    if (hasAgain(clause) && sort !== 'test') return stateOf('done', at - 1, at + 1, true);
    const past = /^(?:ran|went|came|got)$/.test(wordAt(clause, at - 1));
    return stateOf(byType(sort, past ? 'done' : 'checked'), at - 1, at + 1, sort === null);
  }
  if (!PASS_VERBS.has(wordAt(clause, at))) return null;
  if (takesObject(clause, at)) {
    const tests =
      sortIn(clause.tokens, at + 1, Math.min(at + 5, clause.segment.to)) === 'test' &&
      wordAt(clause, at) !== 'passed';
    return tests && !FIRST.has(wordAt(clause, leftOf(clause, at))) ? stateOf('tested', at, at + 2) : null;
  }
  const left = leftOf(clause, at);
  const word = wordAt(clause, left);
  // "The order of the two passes"
  if (
    wordAt(clause, at) === 'passes' &&
    (/^(?:two|three|four|both|these|those|many|few)$/.test(word) || kindAt(clause, left) === 'number')
  )
    return null;
  if (isPartial(clause, at)) return null;
  // "It makes the tests pass", "your tests pass", "it passes for the wrong reason".
  if (hasWord(clause, /^(?:makes?|get)$/, clause.segment.from, at) || hasWord(clause, /^wrong$/, at))
    return null;
  // "All names are passed to one call": handed over.
  const handed = BE.has(word)
    ? /^(?:to|into|as|through|by|at|in)$/
    : kindAt(clause, left) === 'code'
      ? /^to$/
      : null;
  if (wordAt(clause, at) === 'passed' && handed?.test(wordAt(clause, at + 1))) return null;
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
  if (!counted && kindAt(clause, left) !== 'number' && kindAt(clause, left) !== 'code')
    return OTHERS.has(word) || kindAt(clause, left) !== 'word' || wordAt(clause, at) === 'pass'
      ? null
      : stateOf('tested', at, at + 1, true);
  // "`:reports:checkstyleMain` succeeds": a task that is no test.
  const task = sort === null && /^succeed/.test(wordAt(clause, at));
  const pronoun = sort === null && /^(?:they|it)$/.test(word) && left === clause.segment.from;
  return stateOf(byType(task ? 'check' : sort, again ? 'done' : 'tested'), at, at + 1, pronoun && !again);
}

/** "The build is green, and so are the tests", "so does `npm test`": what was said of the one holds for the other. */
function soAt(clause: Clause, at: number): Found | null {
  const { tokens, segment } = clause;
  if (!/^(?:do|does|did|is|are)$/.test(wordAt(clause, at)) || tokens[at - 1]?.text !== 'so') return null;
  const sort = sortIn(tokens, at + 1, segment.to);
  return sort === null || segment.to - at > 8 ? null : stateOf(byType(sort, 'checked'), at, segment.to);
}

/** "builds cleanly", "The project compiles", "tsc exits 0", "returns 200". */
function buildAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  if (!BUILD_VERBS.has(word)) return null;
  if (word === 'validates' && at + 1 < clause.segment.to && wordAt(clause, at + 1) !== 'against') return null;
  const left = leftOf(clause, at);
  const subject = wordAt(clause, left);
  if (left < clause.segment.from && clause.segment.link !== 'coordinate')
    // "Builds cleanly.", "Verification: starts without errors".
    return (STRONG.has(word) &&
      clause.segment.to === at + 1 &&
      !/^(?:before|after|that|which|since)$/.test(clause.tokens[at + 1]?.text ?? '')) ||
      (STRONG.has(word) && /^(?:with|under|on|for|without)$/.test(wordAt(clause, at + 1))) ||
      ((STRONG.has(word) || clause.label.length > 0) && resultAfter(clause, at + 1) !== -1)
      ? stateOf('checked', at, at + 1)
      : null;
  if (DETERMINERS.has(subject) && !PRONOUNS.has(subject)) return null;
  // "three failing builds": a noun.
  if (
    word === 'builds' &&
    /(?:ing|ed)$|^(?:all|both|old|new|recent|other|two|three|these|those|nightly|many)$/.test(
      wordAt(clause, at - 1),
    )
  )
    return null;
  if (STARTS.has(word) && hasAgain(clause)) return null;
  // "I looked and found nothing"
  if (left < clause.segment.from && clause.before === 'first' && word === 'found') return null;
  const result = resultAfter(clause, at + 1);
  const lone =
    rightOf(clause, at) >= clause.segment.to ||
    (STRONG.has(word)
      ? /^(?:without|on|with|for|against|under)$/
      : word === 'runs'
        ? /^without$/
        : /^(?:without|with|from|in|inside)$/
    ).test(wordAt(clause, at + 1));
  const command =
    left === clause.segment.from && kindAt(clause, left) === 'code' && wordAt(clause, left).includes(' ');
  if (command && TELLING.has(word)) return stateOf('checked', at, at + 1);
  if (
    result === -1 &&
    !(
      lone &&
      (STRONG.has(word) ||
        (word === 'runs' && PRONOUNS.has(subject)) ||
        (ENDING.has(word) &&
          (left < clause.segment.from || !PREPOSITIONS.has(wordAt(clause, clause.segment.from))
            ? subjectSort(clause, at)
            : sortIn(clause.tokens, left - 1, left + 1)) !== null))
    )
  )
    return null;
  if (FIRST.has(subject) && word !== 'ran') return null;
  if (word === 'has' && subjectSort(clause, at) === null) return null;
  const sort = sortIn(clause.tokens, clause.segment.from, clause.segment.to);
  return stateOf(
    sort === 'test' && !STRONG.has(word) ? 'tested' : 'checked',
    at,
    Math.max(at + 1, result),
    result === -1 && wordAt(clause, at + 1) === 'in',
  );
}

/** "ESLint starts without errors now": that it does so again is more than that it was seen. */
function hasAgain(clause: Clause): boolean {
  for (let i = clause.segment.from; i < clause.segment.to; i++)
    if (
      /^(?:now|again|anymore)$/.test(wordAt(clause, i)) ||
      (wordAt(clause, i) === 'more' && wordAt(clause, i - 1) === 'any')
    )
      return true;
  return false;
}

/** Where a good result behind a verb ends, or -1. */
function resultAfter(clause: Clause, from: number): number {
  for (let at = from; at < Math.min(clause.segment.to, from + 12); at++) {
    const word = wordAt(clause, at);
    const next = wordAt(clause, at + 1);
    const before = wordAt(clause, at - 1);
    const fault = /^(?:no|0|zero|without)$/.test(word) ? faultAfter(clause, at) : -1;
    if (fault !== -1) return fault + 1;
    if (
      (word === 'nothing' &&
        /^(?:finds?|found|reports?|reported|says?|has|have|had|shows?|said|prints?|outputs?|returns?|gives?|flags?|yields?)$/.test(
          before,
        )) ||
      (/^20[014]$/.test(word) && !isContract(clause, from - 1, word)) ||
      GOOD_ENDS.has(word)
    )
      return at + 1;
    if (word === '0' && /^(?:exits?|exited|code|with|status)$/.test(before)) return at + 1;
    if (word === 'without' && /^(?:output|complaint|trouble|incident)$/.test(next)) return at + 2;
    if (word === 'no' && /^(?:changes|drift|diff)$/.test(next)) return at + 2;
    if (word === 'same' && before === 'the' && subjectSort(clause, from) !== null) return at + 1;
    if (/^(?:expected|right|correct)$/.test(word) && (before === 'as' || before === 'the')) return at + 1;
  }
  return -1;
}

/** "`DELETE /teams/{id}` answers 204", "it answers 204": what it is made to do. */
function isContract(clause: Clause, verb: number, status: string): boolean {
  const left = leftOf(clause, verb);
  const subject = wordAt(clause, left);
  return (
    left === verb - 1 &&
    left === clause.segment.from &&
    (subject === 'it' || (ROUTE.test(subject) && status !== '200')) &&
    clause.segment.link !== 'coordinate'
  );
}

/** "no errors", "0 failures", "without warnings" of something that was run. */
function noFaultsAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  if (
    word === 'none' &&
    sortIn(clause.tokens, at, clause.segment.to) === 'test' &&
    /^fail/.test(wordAt(clause, clause.segment.to - 1))
  )
    return stateOf('tested', at, clause.segment.to);
  if (!/^(?:no|0|zero|without)$/.test(word)) return null;
  const to = faultAfter(clause, at) + 1;
  const fault = wordAt(clause, to - 1);
  if (to === 0 || (/^fail(?:ing|ed)?$/.test(fault) && word !== '0' && to === at + 2)) return null;
  const { segment } = clause;
  // "valgrind on `test_arena`: 0 errors": whose word it is comes first.
  const named = clause.label[0]?.kind === 'word' && sortOf(clause.label[0]) === 'check';
  const typed = named || /^(?:type|compile|compiler|typescript|eslint)$/.test(wordAt(clause, to - 2));
  const sort = (typed ? 'check' : sortIn(clause.tokens, at + 1, to - 1)) ?? subjectSort(clause, at);
  if (word === 'without')
    return leftOf(clause, at) <= segment.from || hasAgain(clause)
      ? null
      : stateOf(
          fault.startsWith('failure') ? byType(firmSort(clause, at), 'tested') : byType(sort, 'checked'),
          at,
          to,
        );
  const lone =
    at === segment.from &&
    (to >= segment.to ||
      (/^(?:in|across|over|on|from|by)$/.test(wordAt(clause, to)) &&
        sortIn(clause.tokens, to, segment.to) !== null));
  if (sort === null && !lone && (!SHOWN.has(wordAt(clause, at - 1)) || hasAgain(clause))) return null;
  if (FIRST.has(wordAt(clause, leftOf(clause, at - 1))) && wordAt(clause, at - 1) !== 'saw') return null;
  return stateOf(
    fault.startsWith('failure')
      ? byType(firmSort(clause, at), 'tested')
      : byType(sort ?? sortIn(clause.tokens, to, segment.to), 'checked'),
    at,
    to,
  );
}

const FINDERS = [passAt, buildAt, noFaultsAt, soAt];
const NUMBER_FINDERS = [countAt, noFaultsAt];
