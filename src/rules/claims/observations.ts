// What a run showed, told as a plain fact: "curl shows the header", "`vue-tsc` has no objections", "38 ms, from 210". It
// could as well tell how the program works, so it counts only where the message reports work.
import {
  type Clause,
  type Found,
  hasWord,
  isCommand,
  isTool,
  kindAt,
  sortIn,
  stateOf,
  subjectSort,
  wordAt,
} from './clause.ts';
import { BE, FAULTS, FIRST, TOOLS, words } from './lexicon.ts';
import { BAD, CLEAN, equalAt, isNumber, isShown, levelAt, measuredAt, NUMBERS } from './measures.ts';

/** What is looked at or looked with. Of a page or a function one tells what it does; of these what they did. */
const OBSERVERS: ReadonlySet<string> = new Set([
  ...TOOLS,
  ...words(`request run rerun re-run rebuild dry-run benchmark profiler fuzzer console plan sanitizer validator checker scanner
  scan audit inspector debugger repro reproduction replay rules explain analyzer analyser criterion lsof`),
]);
const TELLS =
  words(`shows showed shown prints printed returns returned gives gave reports reported says said lists listed
  answers answered responds responded produces produced outputs yields yielded takes took finds found has is
  comes came brings brought exits exited finishes finished completes completed measures measured puts goes went agrees
  accepts accepted confirms confirmed reads turns detects detected ends ended stays contains fires logs logged sees saw counts
  ran opens gets got find show report return print say give list holds serves announces measured`);
const PLACES =
  words(`browser bench staging machine device emulator simulator container database db sandbox dump sample
  fixture chrome firefox safari windows linux phone production`);
const HOLDS = words(
  'match matches resolve load render validate compile parse open agree respond answer fit hold',
);
const WRONGS = words(
  'overlaps differs differ breaks broke fails leaks complains say complain flickers jumps',
);
/** What one looks for and is glad not to find. */
const AMISS =
  /^(?:missing|broken|circular|dead|undefined|unused|stale|orphaned|duplicated?|unresolved|incompatible|[45]\d\ds)$/;
const VERBS = words('is are was were has have will can should must need needs takes returns');
const LEFT_OVER = words(
  'references reference uses usages usage callers occurrences occurrence mentions imports hits matches leftovers traces',
);
/** What a check is glad not to have. */
const NOTHING_BAD: ReadonlySet<string> = new Set([
  ...FAULTS,
  ...words('report changes change diff drift findings found broken breaking missing complain px dead'),
]);

export function findObservations(clause: Clause): Found[] {
  const { segment } = clause;
  const found: Found[] = [];
  for (let at = segment.from; at < segment.to; at++) {
    const one = toldAt(clause, at) ?? measuredAt(clause, at) ?? unharmedAt(clause, at);
    if (one !== null) found.push(one);
  }
  const labelled =
    tooAt(clause) ??
    joinedAt(clause) ??
    levelAt(clause) ??
    equalAt(clause) ??
    leftAt(clause) ??
    cleanLabel(clause) ??
    placed(clause) ??
    allAt(clause) ??
    newAt(clause) ??
    nothingAt(clause);
  return labelled === null ? found : [...found, labelled];
}

function hasFigure(clause: Clause, at: number): boolean {
  for (let i = at + 1; i < clause.segment.to; i++)
    if (
      isNumber(clause, i) ||
      kindAt(clause, i) === 'quote' ||
      /^(?:same|right|expected)$/.test(wordAt(clause, i))
    )
      return true;
  return false;
}

/** "A request with curl shows the header", "`terraform validate` says the configuration is valid". */
function toldAt(clause: Clause, at: number): Found | null {
  const { segment, tokens } = clause;
  const verb = wordAt(clause, at);
  const command =
    at === segment.from + 1 &&
    isCommand(tokens[at - 1]) &&
    /[^s]s$/.test(verb) &&
    !FAULTS.has(verb) &&
    (hasFigure(clause, at) ||
      (at + 1 >= segment.to && !/^(?:stays|remains|exists|goes|helps|does|needs)$/.test(verb)));
  if (kindAt(clause, at) !== 'word' || !(TELLS.has(verb) || command)) return null;
  let observer = false;
  for (let i = segment.from; i < at; i++) {
    const word = wordAt(clause, i);
    if (FIRST.has(word) || word === 'you' || TELLS.has(word)) return null;
    observer ||=
      isCommand(tokens[i]) || (kindAt(clause, i) !== 'number' && OBSERVERS.has(word.replaceAll('`', '')));
  }
  if (!observer || !isShown(clause, at) || /^(?:in|into|there|more)$/.test(wordAt(clause, at + 1)))
    return null;
  // "A new run has started", "the request is sent" show nothing yet.
  if (
    /^(?:has|is)$/.test(verb) &&
    /(?:ed|ing|un|sent|built|to|yours|set)$|^the$/.test(wordAt(clause, at + 1))
  )
    return null;
  // "The linter found two real problems", "`knip` still lists two exports": a fault told.
  if (
    /^(?:finds?|found|detects|detected|sees|saw)$/.test(verb) &&
    at + 1 < segment.to &&
    !hasWord(clause, CLEAN, at)
  )
    return null;
  if (/^(?:lists?|reports?|finds?|shows?|says)$/.test(verb) && wordAt(clause, at - 1) === 'still')
    return null;
  const tests = tokens
    .slice(at, segment.to)
    .some(({ text }) => /^(?:tests?|specs?|examples|assertions)$/.test(text));
  const sort = tests ? 'test' : subjectSort(clause, at);
  return stateOf(sort === 'test' ? 'tested' : 'checked', at, at + 1, true);
}

/** "ESLint: nothing to report", "`cargo fmt --check` | no diff". */
function cleanLabel(clause: Clause): Found | null {
  const { segment, label } = clause;
  const sort = sortIn(label);
  if (sort === null) return null;
  // "`curl localhost/health` → 200"
  const answer = segment.to === segment.from + 1 || wordAt(clause, segment.from + 1) === 'ok';
  if (/^20\d$/.test(wordAt(clause, segment.from)) && answer && label.some(isCommand))
    return stateOf('checked', segment.from, segment.to, true);
  if (segment.to - segment.from < 2) return null;
  if (
    !CLEAN.has(wordAt(clause, segment.from)) &&
    !(sort === 'test' && isNumber(clause, segment.from) && isShown(clause, segment.from))
  )
    return null;
  if (label.length > 6 || sortIn(clause.tokens, segment.from, segment.to) === 'test') return null;
  // "Rollout: nothing to do", "Tests: none exist", "no Docker here".
  const clean = CLEAN.has(wordAt(clause, segment.from)) && !isNumber(clause, segment.from);
  if (clean && !hasWord(clause, NOTHING_BAD)) return null;
  return stateOf(sort === 'test' ? 'tested' : 'checked', segment.from, segment.from + 1, true);
}

/** "`yarn test` passes, `yarn lint` too": what was said of the one holds for the other. */
function tooAt(clause: Clause): Found | null {
  const { segment, tokens, before } = clause;
  if (segment.link !== 'coordinate' || before !== 'other' || segment.to - segment.from > 6) return null;
  const last = wordAt(clause, segment.to - 1);
  if (last !== 'too' && !(last === 'well' && wordAt(clause, segment.to - 2) === 'as')) return null;
  if (hasWord(clause, BE)) return null;
  const sort = sortIn(tokens, segment.from, segment.to);
  return sort === null
    ? null
    : stateOf(sort === 'test' ? 'tested' : 'checked', segment.from, segment.to, true);
}

/** "No references to `oldName` remain", "no other callers". */
function leftAt(clause: Clause): Found | null {
  const { segment, tokens } = clause;
  for (let at = segment.from; at < segment.to; at++) {
    if (!/^(?:no|zero|0)$/.test(wordAt(clause, at))) continue;
    const thing = [at + 1, at + 2, at + 3].find((i) => LEFT_OVER.has(wordAt(clause, i)));
    const told = tokens
      .slice(at, segment.to)
      .some(({ text }) => /^(?:remain|remains|left|exist|anywhere|elsewhere)$/.test(text));
    const found = /^(?:finds?|found|shows?|returns?|reports?|gives?|are|were|is)$/.test(
      wordAt(clause, at - 1),
    );
    if (thing !== undefined && (told || found)) return stateOf('checked', at, thing + 1, true);
  }
  return null;
}

/** "tsc doesn't complain", "the repro doesn't crash". */
function unharmedAt(clause: Clause, at: number): Found | null {
  const { segment, tokens } = clause;
  if (wordAt(clause, at) !== 'not' || !/^(?:do|does|did)$/.test(wordAt(clause, at - 1))) return null;
  if (!/^(?:complain|crash|fail|flag|report|warn|error|hang|leak|object|find)$/.test(wordAt(clause, at + 1)))
    return null;
  const observer = tokens.slice(segment.from, at).some((token) => isTool(token) || OBSERVERS.has(token.text));
  return observer && !hasWord(clause, /^(?:the|that|this|when|if|because)$/, at + 2)
    ? stateOf('checked', at - 1, at + 2, true)
    : null;
}

/** "Nothing overlaps", "not one pixel differs", "had nothing to say". */
function nothingAt(clause: Clause): Found | null {
  const { segment } = clause;
  for (let at = segment.from; at < segment.to; at++) {
    const word = wordAt(clause, at);
    const next = wordAt(clause, at + 1);
    const none =
      word === 'nothing' || (word === 'not' && next === 'one') || (word === 'no' && at === segment.from);
    if (!none) continue;
    // "No missing keys", "no circular imports"
    if (word === 'no' && segment.to - at < 8 && AMISS.test(next)) return stateOf('checked', at, at + 2, true);
    for (let i = at + 1; i < Math.min(segment.to, at + 5); i++)
      if (WRONGS.has(wordAt(clause, i))) return stateOf('checked', at, i + 1, true);
  }
  return null;
}

/** "I pushed it, and the page displays the banner": behind what was done, how that showed. */
function joinedAt(clause: Clause): Found | null {
  const { segment, before } = clause;
  if (segment.link !== 'coordinate' || (before !== 'first' && before !== 'telegraphic')) return null;
  if (!/^(?:the|a|an|both)$/.test(wordAt(clause, segment.from))) return null;
  for (let at = segment.from + 2; at < Math.min(segment.to - 1, segment.from + 7); at++) {
    const next = wordAt(clause, at + 1);
    const object =
      /^(?:the|an?|no|both|all)$/.test(next) ||
      isNumber(clause, at + 1) ||
      kindAt(clause, at + 1) === 'quote';
    if (
      /[^s]s$/.test(wordAt(clause, at)) &&
      kindAt(clause, at) === 'word' &&
      object &&
      !BE.has(wordAt(clause, at))
    )
      return isShown(clause, at) ? stateOf('checked', at, at + 1, true) : null;
  }
  return null;
}

/** "New: `backoff.ts`", "Three new files under `infra/`": a change without a verb. */
function newAt(clause: Clause): Found | null {
  const { segment, tokens } = clause;
  const from = isNumber(clause, segment.from) ? segment.from + 1 : segment.from;
  const labelled = clause.label.length < 3 && clause.label[0]?.text === 'new';
  if (wordAt(clause, from) !== 'new' && !labelled) return null;
  // A noun behind a file's name tells what is in it.
  if (!labelled && segment.link !== 'start') return null;
  const own = tokens.slice(segment.from, segment.to);
  if (!own.some(({ kind }) => kind === 'code') || own.some(({ text }) => VERBS.has(text))) return null;
  return { type: 'changed', from: segment.from, to: segment.to, form: 'action', subject: 'none' };
}

/** "All 212 links resolve": each of so many was looked at. */
function allAt(clause: Clause): Found | null {
  const { segment, tokens } = clause;
  const from = segment.from;
  if (!/^(?:all|every|each|both)$/.test(wordAt(clause, from))) return null;
  for (let i = from + 2; i < segment.to; i++)
    if (HOLDS.has(wordAt(clause, i)))
      return stateOf(sortIn(tokens, from, i) === 'test' ? 'tested' : 'checked', i, i + 1, true);
  return null;
}

/** "On the dev database it takes 84 ms": seen somewhere, with a figure. */
function placed(clause: Clause): Found | null {
  const { segment, tokens } = clause;
  if (!/^(?:in|on|against|under|with|at)$/.test(wordAt(clause, segment.from))) return null;
  for (let i = segment.from + 1; i < Math.min(segment.to, segment.from + 6); i++) {
    if (!PLACES.has(wordAt(clause, i))) continue;
    const rest = tokens.slice(i + 1, i + 12);
    const seen = rest.some(({ kind, text }) => kind === 'number' || kind === 'quote' || NUMBERS.has(text));
    const turned = rest.some(
      ({ text }) => BAD.test(text) || FIRST.has(text) || text === 'you' || text === 'can',
    );
    return seen && !turned ? stateOf('checked', i, i + 1, true) : null;
  }
  return null;
}
