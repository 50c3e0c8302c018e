// What a run showed, told as a plain fact: "curl shows the header", "`vue-tsc` has no objections", "38 ms, from 210". It
// could as well tell how the program works, so it counts only where the message reports work.
import {
  type Clause,
  type Found,
  isCommand,
  kindAt,
  sortIn,
  stateOf,
  subjectSort,
  wordAt,
} from './clause.ts';
import { FIRST, TOOLS, words } from './lexicon.ts';

/** What is looked at or looked with. Of a page or a function one tells what it does; of these what they did. */
const OBSERVERS: ReadonlySet<string> = new Set([
  ...TOOLS,
  ...words('request run rerun re-run rebuild dry-run benchmark profiler'),
]);
const TELLS =
  words(`shows showed shown prints printed returns returned gives gave reports reported says said lists listed
  answers answered responds responded produces produced outputs yields yielded takes took finds found has is
  comes came brings brought exits exited finishes finished completes completed measures measured puts goes went agrees
  accepts accepted confirms confirmed reads turns detects detected ends ended stays contains fires logs logged sees saw`);
const PLACES =
  words(`browser bench staging machine device emulator simulator container database db sandbox dump sample
  fixture chrome firefox safari windows linux phone production`);
const BAD =
  /^(?:fail(?:s|ed|ure|ures|ing)?|crash(?:es|ed)?|errors?|hangs?|hung|wrong|broken|missing|dies|died|not|[45]\d\d|still|timeout|refuses|refused|slow|default|available|up|live|ready|done|would|expired|used|run|needed)$/;
const NUMBERS = words('one two three four five six seven eight nine ten twelve none zero');
const CLEAN = words('no nothing zero 0 none');
/** How long a text is was not measured by a run. */
const SIZES = words('lines files words pages');

export function findObservations(clause: Clause): Found[] {
  const { segment } = clause;
  const found: Found[] = [];
  for (let at = segment.from; at < segment.to; at++) {
    const one = toldAt(clause, at) ?? measuredAt(clause, at);
    if (one !== null) found.push(one);
  }
  const labelled = cleanLabel(clause) ?? placed(clause);
  return labelled === null ? found : [...found, labelled];
}

function isNumber(clause: Clause, at: number): boolean {
  return kindAt(clause, at) === 'number' || NUMBERS.has(wordAt(clause, at));
}

/** Does the clause go on well behind `at`: with something to see, and nothing bad? */
function isShown(clause: Clause, at: number): boolean {
  for (let i = at; i < clause.segment.to; i++) {
    const before = wordAt(clause, i - 1);
    const denied = CLEAN.has(before) || before === 'without' || CLEAN.has(wordAt(clause, i - 2));
    if (BAD.test(wordAt(clause, i)) && !denied) return false;
  }
  return at < clause.segment.to;
}

/** "A request with curl shows the header", "`terraform validate` says the configuration is valid". */
function toldAt(clause: Clause, at: number): Found | null {
  if (kindAt(clause, at) !== 'word' || !TELLS.has(wordAt(clause, at))) return null;
  const { segment, tokens } = clause;
  let observer = false;
  for (let i = segment.from; i < at; i++) {
    const word = wordAt(clause, i);
    if (FIRST.has(word) || word === 'you' || TELLS.has(word)) return null;
    observer ||=
      isCommand(tokens[i]) || (kindAt(clause, i) !== 'number' && OBSERVERS.has(word.replaceAll('`', '')));
  }
  if (!observer || !isShown(clause, at + 1)) return null;
  const sort = subjectSort(clause, at);
  return stateOf(sort === 'test' ? 'tested' : 'checked', at, at + 1, true);
}

/** "4 ms where it was 2.3 s", "one request instead of six", "61 kB smaller", "38 ms, from 210", "down to 0". */
function measuredAt(clause: Clause, at: number): Found | null {
  if (!isNumber(clause, at)) return null;
  const { tokens, segment } = clause;
  const behind = tokens.slice(at + 1, at + 6).map(({ text }) => text);
  const before = wordAt(clause, at - 1);
  const compared =
    behind.some((word) => /^(?:smaller|faster|slower|larger|fewer|less)$/.test(word)) ||
    (behind.includes('where') && behind.includes('was')) ||
    (behind.includes('instead') && behind.includes('of')) ||
    (behind.includes('→') && kindAt(clause, at + 2) === 'number') ||
    (behind.includes(',') && behind.includes('from')) ||
    (before === 'to' && (wordAt(clause, at - 2) === 'down' || wordAt(clause, at - 3) === 'from'));
  if (!compared || !isShown(clause, at + 1)) return null;
  for (let i = segment.from; i < at; i++)
    if (FIRST.has(wordAt(clause, i)) || wordAt(clause, i) === 'can') return null;
  return behind.some((word) => SIZES.has(word)) ? null : stateOf('checked', at, at + 1, true);
}

/** "ESLint: nothing to report", "`cargo fmt --check` | no diff". */
function cleanLabel(clause: Clause): Found | null {
  const { segment, label } = clause;
  const sort = sortIn(label);
  if (sort === null || !CLEAN.has(wordAt(clause, segment.from)) || segment.to - segment.from < 2) return null;
  if (label.length > 6 || sortIn(clause.tokens, segment.from, segment.to) === 'test') return null;
  return stateOf(sort === 'test' ? 'tested' : 'checked', segment.from, segment.from + 1, true);
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
