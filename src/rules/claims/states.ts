// Claims that say how the work is: "now works", "is done", "is green", "no longer throws", "in place". The subject
// decides the type: tests, another check, or the work itself.

import { commitAt } from './changes.ts';
import {
  byType,
  type Clause,
  type Found,
  firmSort,
  hasWord,
  isFirm,
  kindAt,
  leftOf,
  phraseAt,
  rightOf,
  sortIn,
  sortOf,
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
  TITLES,
  WORK_VERBS,
  words,
} from './lexicon.ts';
import type { Token } from './tokens.ts';

const PHRASES = STATE_PHRASES.map(([type, text]) => ({ type, phrase: text.split(' ') }));
const PHRASE_STARTS = new Set(PHRASES.map(({ phrase }) => phrase[0]));
const AGAIN = words('now again');
const FINE =
  words(`now again correctly fine properly locally flawlessly perfectly reliably well everywhere too nicely great
  smoothly cleanly successfully as end end-to-end in for with on between across`);
const SAME = words('identical byte-identical right');
const LINKS = words('looks look stays remains stay remain back comes come came runs run');
/** Said of work; what is gone or back may be anything. */
const FIRM = words('done finished fixed resolved solved implemented complete completed ready');
const BUGS =
  words(`bug bugs error errors crash crashes issue issues problem problems leak leaks warning warnings deadlock deadlocks panic
  panics race races failure failures flicker jank stutter hang hangs freeze lag glitch exception exceptions regression
  regressions off-by-one typo typos conflict conflicts flake flakiness timeout timeouts noise duplicate duplicates mismatch
  drift gap hole vulnerability vulnerabilities overflow underflow segfault npe stall bottleneck symptom symptoms delay
  double-charge spam`);
/** What a bug does when it is fixed. */
const VANISHED = words('disappeared vanished gone away closed cured dead history');
const OPENERS = /^(?:the|it|there|both|all|each|every|this|they|`.*)$/;
const LOOKS =
  words(`it they everything all widths layout spacing page pages screen screens rendering chart charts colours colors header footer
  table alignment font fonts icons icon sql markup json html form dialog modal numbers values figures rows data columns dates`);
const NUMBERED = words('phase step part stage task item milestone ticket issue day round iteration');
const WEAK = words('ok okay good fine happy healthy silent quiet empty correct valid content');
const SHIPPED_STATES = words('up open out live on in');
const SHIPPABLE = words('pr request commit commits branch release version tag package image mr crate gem');
const SERVERS = words('api server service app site cluster container stack backend frontend');
/** "… again after a reload", "… now for JSON": under which circumstances. */
const AFTERWARDS = /^(?:instead|after|in|with|for|on|under|when|without)$/;
/** What is said of an end that is none: "for now", "once again". */
const NOT_NOW = words('for until right by as of once even over thanks time');
const BAD_ENDS =
  /^(?:crash|fail|hang|leak|flicker|throw|freez|lock|tim|error|complain|break|loop|flak|panick|spamm)\w*ing$/;
const BAD = /^(?:fail(?:s|ed|ing)?|crash(?:es|ed)?|hangs|hung|broken?|throw(?:s|ing)|wrong|stale|leaks)$/;

const PLACES =
  /^(?:main|master|develop|trunk|origin(?:\/.*)?|npm|pypi|registry|crates\.io|staging|production|prod|testflight)$/;

/** Every word a state can be found at, so that most words are done with at once. */
const TRIGGERS = new Set([
  ...PHRASE_STARTS,
  ...WORK_VERBS,
  ...DONE_STATES,
  ...SHIPPED_STATES,
  ...PASS_STATES,
  ...VANISHED,
  ...words('commit pr mr no anymore more longer now again stopped did took takes went go'),
]);

export function findStates(clause: Clause): Found[] {
  const found: Found[] = [];
  for (let at = clause.segment.from; at < clause.segment.to; at++) {
    if (kindAt(clause, at) !== 'word') continue;
    if (!TRIGGERS.has(wordAt(clause, at)) && !wordAt(clause, at).endsWith('-clean')) continue;
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
        : BE.has(wordAt(clause, left)) ||
          (phrase[1] !== 'up' && (FIRST.has(wordAt(clause, left)) || wordAt(clause, left) === 'have'))
    )
      return stateOf(type === 'tested' ? byType(firmSort(clause, at), type) : type, at, end);
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
  if (wordAt(clause, at - 1) === 'still') return null;
  const next = wordAt(clause, at + 1) === 'here' ? wordAt(clause, at + 2) : wordAt(clause, at + 1);
  const plain = next === '' || kindAt(clause, at + 1) === 'good' || kindAt(clause, at + 1) === 'sign';
  const now = wordAt(clause, at - 1) === 'now';
  if (next === 'on' && /^(?:an?|the|each|its)$/.test(wordAt(clause, at + 2))) return null;
  if (!plain && !FINE.has(next) && !now) return null;
  // "Works in three stages"
  if (next === 'in' && /^(?:two|three|four|five|several|stages|steps|a|an)$/.test(wordAt(clause, at + 2)))
    return null;
  const changed = now || hasWord(clause, AGAIN, at);
  return stateOf(
    changed ? 'done' : byType(subjectSort(clause, at), bare && isTried(clause, next) ? 'checked' : 'done'),
    now ? at - 1 : at,
    at + 1,
    !changed && PREPOSITIONS.has(next) && !bare && !PRONOUNS.has(subject),
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
  return label.length > 0 || PREPOSITIONS.has(next);
}

/** "is done", "is green", "lint clean", "all good", "Done." */
function adjectiveAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  // "It's shellcheck-clean"
  if (word.endsWith('-clean'))
    return BE.has(wordAt(clause, leftOf(clause, at))) ? stateOf('checked', at, at + 1) : null;
  const done = DONE_STATES.has(word);
  const shipped = SHIPPED_STATES.has(word);
  if (!done && !shipped && !PASS_STATES.has(word)) return null;
  const { segment, tokens } = clause;
  const left = leftOf(clause, at);
  const subject = wordAt(clause, left);
  const next = rightOf(clause, at);
  const closed = next >= segment.to || kindAt(clause, next) === 'sign';
  if (shipped) {
    if (!BE.has(subject)) return null;
    if (isShippable(clause, left, at)) return stateOf('shipped', at, at + 1);
    return word === 'up' && hasWord(clause, SERVERS, segment.from, left)
      ? stateOf('done', at, at + 1, true)
      : null;
  }
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
    // "Green across the board."
    const board = word === 'green' && /^(?:across|everywhere|throughout)$/.test(wordAt(clause, next));
    const lone = board || (next >= segment.to && (told !== null || wordAt(clause, at - 1) === 'all'));
    return lone
      ? stateOf(byType(word === 'green' ? firmSort(clause, at) : told, 'tested'), at, at + 1)
      : null;
  }
  // "The container comes up healthy"
  if (subject === 'up' && LINKS.has(wordAt(clause, left - 1)))
    return sort === null ? null : stateOf(byType(sort, 'checked'), at, at + 1);
  if (word === 'back' && /^(?:comes?|came)$/.test(subject)) return null;
  if (BE.has(subject) || LINKS.has(subject)) {
    const first = FIRST.has(wordAt(clause, leftOf(clause, left)));
    const generic =
      /^(?:an?|each|every|any)$/.test(wordAt(clause, segment.from)) && /^(?:is|are)$/.test(subject);
    // "It is done in main()" tells where.
    const told =
      /^(?:by|at|within|before|after|every)$/.test(wordAt(clause, next)) ||
      (word === 'done' && !closed && wordAt(clause, next) !== 'with');
    if (done)
      return generic || told || (first && word === 'ready')
        ? null
        : stateOf('done', at, at + 1, !FIRM.has(word) && !hasWord(clause, BUGS, segment.from, at));
    if (first) return null;
    if (
      SAME.has(word) &&
      (word !== 'right' ||
        (/^looks?$/.test(subject) && (sort !== null || hasWord(clause, LOOKS, segment.from))))
    )
      return stateOf(hasWord(clause, AGAIN, at) ? 'done' : byType(sort, 'checked'), at, at + 1, true);
    return sort === null && word !== 'green' ? null : stateOf(byType(sort, 'tested'), at, at + 1);
  }
  if (clause.heading && left === segment.from && TITLES.has(subject)) return null;
  // "Phase 1 complete"
  const numbered = kindAt(clause, left) === 'number' && NUMBERED.has(wordAt(clause, left - 1));
  if (
    DETERMINERS.has(subject) ||
    kindAt(clause, left) === 'sign' ||
    (kindAt(clause, left) === 'number' && !numbered)
  )
    return null;
  // "Dark mode complete", "ESLint clean": a fragment with nothing behind it.
  if (left - segment.from > 6 || word === 'back' || word === 'gone') return null;
  // "`helm lint` okay", "tests still green after the rebase": of something that was run.
  const ran = isFirm(tokens[left] as Token) || sortOf(tokens[left]) === 'test';
  if (next < segment.to && !(ran && !done)) return null;
  if (!done && (sort === null || (WEAK.has(word) && word !== 'ok' && word !== 'happy' && !ran))) return null;
  return stateOf(done ? 'done' : byType(sort, 'done'), at, at + 1);
}

/** "The PR is up", "v2 is on npm", "1.4.2 is out", "it's on `main`", "the image is in the registry". */
function isShippable(clause: Clause, be: number, at: number): boolean {
  const word = wordAt(clause, at);
  const place =
    PLACES.test(wordAt(clause, at + 1).replaceAll('`', '')) || PLACES.test(wordAt(clause, at + 2));
  if (word === 'in') return place;
  for (let i = clause.segment.from; i < be; i++)
    if (SHIPPABLE.has(wordAt(clause, i)) || /^v?\d+(?:\.\d+)+/.test(wordAt(clause, i)))
      return word !== 'on' || at + 1 < clause.segment.to;
  return word === 'live' || (word === 'on' && place);
}

/** "no longer throws", "now returns null", "is stable now", "starts again", "doesn't crash any more", "no more warnings". */
function changeOfStateAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  const { segment } = clause;
  const next = wordAt(clause, at + 1);
  const joined = at > segment.from || segment.link === 'coordinate';
  if (word === 'no' && next === 'longer' && joined) return stateOf('done', at, at + 3, true);
  if (
    word === 'no' &&
    next === 'more' &&
    kindAt(clause, at + 2) === 'word' &&
    wordAt(clause, at + 2) !== 'than'
  )
    return stateOf('done', at, at + 2);
  if (word === 'anymore' || (/^(?:more|longer)$/.test(word) && wordAt(clause, at - 1) === 'any')) {
    for (let i = segment.from; i < at; i++) {
      const modal = /^(?:can|could|will)$/.test(wordAt(clause, i - 1)) ? i - 1 : i;
      if (/^(?:not|no|never|nothing)$/.test(wordAt(clause, i)))
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
    (rightOf(clause, at) < segment.to && !AFTERWARDS.test(wordAt(clause, at + 1))) ||
    (NOT_NOW.has(wordAt(clause, at - 1)) &&
      !(wordAt(clause, at - 1) === 'once' && wordAt(clause, at) === 'now') &&
      !(
        wordAt(clause, at - 1) === 'right' &&
        (wordAt(clause, at) === 'again' || BE.has(wordAt(clause, at - 2)))
      ))
  )
    return null;
  if (segment.link === 'coordinate' && /ed$|^(?:built|ran|made|got)$/.test(wordAt(clause, segment.from)))
    return null;
  let modal = at;
  for (let i = segment.from; i < at; i++) {
    const word = wordAt(clause, i);
    if (FIRST.has(word) || word === 'you' || (BAD.test(word) && wordAt(clause, i - 2) !== 'instead'))
      return null;
    if (
      i === segment.from &&
      (wordAt(clause, at) === 'now' ? /^an?$/ : /^(?:an?|each|every|any)$/).test(word)
    )
      return null;
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
  // "Now the page loads at once."
  const opens = segment.from === 0 && left < segment.from && !clause.heading && OPENERS.test(next);
  if (opens && segment.to - at > 3 && clause.tokens[segment.to]?.text !== ':')
    return stateOf('done', at, at + 2, true);
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

/** "The crash has disappeared", "the error went away", "it stopped crashing", "that did the trick". */
function vanishedAt(clause: Clause, at: number): Found | null {
  const word = wordAt(clause, at);
  const next = wordAt(clause, at + 1);
  const { segment } = clause;
  const left = leftOf(clause, at);
  if (left < segment.from || FIRST.has(wordAt(clause, left))) return null;
  if (word === 'stopped' && BAD_ENDS.test(next))
    return stateOf(byType(subjectSort(clause, at), 'done'), at, at + 2);
  const did =
    word === 'did' &&
    PRONOUNS.has(wordAt(clause, left)) &&
    (next === 'it' || (next === 'the' && wordAt(clause, at + 2) === 'trick'));
  if (did) return stateOf('done', at, at + 2);
  const care = word === 'took' || (word === 'takes' && PRONOUNS.has(wordAt(clause, left)));
  if (care && next === 'care' && wordAt(clause, at + 2) === 'of')
    return left === segment.from || left === segment.from + 1 ? stateOf('done', at, at + 3) : null;
  const away = /^(?:gone|went|go)$/.test(word) && next === 'away';
  if (!away && !VANISHED.has(word)) return null;
  const finite =
    BE.has(wordAt(clause, left)) || /^(?:have|has)$/.test(wordAt(clause, left)) || word === 'went';
  return finite && hasWord(clause, BUGS, segment.from, at) && at + (away ? 2 : 1) >= segment.to
    ? stateOf('done', at, at + 1)
    : null;
}

const FINDERS = [phraseStateAt, worksAt, adjectiveAt, changeOfStateAt, vanishedAt, commitAt];
