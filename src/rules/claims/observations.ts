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
import { BE, FAULTS, FIRST, PRONOUNS, TOOLS, words } from './lexicon.ts';

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
const BAD =
  /^(?:fail(?:s|ed|ure|ures|ing)?|crash(?:es|ed)?|errors?|hangs?|hung|wrong|broken|missing|dies|died|not|[45]\d\d|still|timeout|refuses|refused|slow|default|available|up|live|ready|done|would|expired|used|needed|skipped|background|ignored|pending|excluded|todo)$/;
const NUMBERS = words('one two three four five six seven eight nine ten twelve none zero');
const MOTIONS = words(
  'up climbs climbed rises jumps jumped went goes down fell falls dropped drops shrank shrinks grew rose came comes improved',
);
const HOLDS = words(
  'match matches resolve load render validate compile parse open agree respond answer fit hold',
);
const WRONGS = words(
  'overlaps differs differ breaks broke fails leaks complains say complain flickers jumps',
);
/** What one looks for and is glad not to find. */
const AMISS =
  /^(?:missing|broken|circular|dead|undefined|unused|stale|orphaned|duplicated?|unresolved|incompatible|[45]\d\ds)$/;
const UNIT =
  /^(?:%|ms|s|sec|seconds?|minutes?|min|kb|mb|gb|kib|mib|fps|rps|tps|req|\d+(?:\.\d+)?(?:%|x|ms|kb|mb|gb|s))$|%$/;
const BETTER = /^(?:smaller|faster|fewer|less|lower)$/;
const VERBS = words('is are was were has have will can should must need needs takes returns');
const CLEAN = words('no nothing zero 0 none');
/** Quantities that are measured, and how they are told. */
const METRICS =
  words(`memory heap rss latency p50 p90 p95 p99 throughput coverage fps startup start-up runtime footprint cpu load duration
  response time bundle binary image build query benchmark size usage wall-clock rps tps qps cold-start boot score
  query queries page payload overhead allocations`);
const LEVELS = words(
  'is are stays stay holds hold sits at: was drops dropped fell falls goes went remains stands reaches peaks',
);
/** What is set, not measured. */
const SETTINGS =
  words(`timeout timeouts retries retry limit limits default version threshold ttl interval port replicas min max
  minimum maximum quota cap depth level workers concurrency batch`);
/** What is compared after a run, and how it turns out. */
const COMPARED =
  words(`counts count totals total numbers number figures sums sum results result outputs output hashes hash checksums checksum
  sizes values rows snapshots snapshot schemas digests digest columns bytes tests screenshots diffs dumps amounts balances ids`);
const EQUAL = words('match matches agree agrees equal reconcile tally align identical equal matched balance');
const LEFT_OVER = words(
  'references reference uses usages usage callers occurrences occurrence mentions imports hits matches leftovers traces',
);
/** What a check is glad not to have. */
const NOTHING_BAD: ReadonlySet<string> = new Set([
  ...FAULTS,
  ...words('report changes change diff drift findings found broken breaking missing complain px dead'),
]);
/** How long a text is was not measured by a run. */
const SIZES = words('lines files words pages');

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

function isNumber(clause: Clause, at: number): boolean {
  return kindAt(clause, at) === 'number' || NUMBERS.has(wordAt(clause, at));
}

/** Does the clause go on well behind `at`: with something to see, and nothing bad? */
function isShown(clause: Clause, at: number): boolean {
  for (let i = at; i < clause.segment.to; i++) {
    const before = wordAt(clause, i - 1);
    const denied = CLEAN.has(before) || before === 'without' || CLEAN.has(wordAt(clause, i - 2));
    if (BAD.test(wordAt(clause, i)) && !denied) return false;
    // "clippy has one warning", "reports 4 high-severity issues"
    const counted = [i - 1, i - 2, i - 3].find((n) => n >= at && isNumber(clause, n));
    if (
      FAULTS.has(wordAt(clause, i)) &&
      !denied &&
      counted !== undefined &&
      !CLEAN.has(wordAt(clause, counted))
    )
      return false;
  }
  return at < clause.segment.to;
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

/** "4 ms where it was 2.3 s", "one request instead of six", "61 kB smaller", "38 ms, from 210", "down to 0". */
function measuredAt(clause: Clause, at: number): Found | null {
  if (!isNumber(clause, at)) return null;
  const { tokens, segment } = clause;
  const behind = tokens.slice(at + 1, at + 6).map(({ text }) => text);
  const before = wordAt(clause, at - 1);
  const compared =
    BETTER.test(behind[0] ?? '') ||
    (BETTER.test(behind[1] ?? '') && /^(?:times|lines|files|%)$|^[kmg]?i?b$|^m?s$/.test(behind[0] ?? '')) ||
    (behind.includes('where') && behind.includes('was')) ||
    insteadOf(clause, at) ||
    (behind.includes(',') &&
      behind.includes('from') &&
      tokens[at + 2 + behind.indexOf('from')]?.kind === 'number') ||
    (before === 'to' &&
      (wordAt(clause, at - 2) === 'down' ||
        wordAt(clause, at - 3) === 'from' ||
        wordAt(clause, at - 4) === 'from'));
  const moved = wordAt(clause, at - 3) === 'from' || wordAt(clause, at - 4) === 'from';
  if (moved && !hasWord(clause, MOTIONS, segment.from, at)) return null;
  if (!compared || (at + 1 < segment.to && !isShown(clause, at + 1))) return null;
  if (hasWord(clause, /^(?:i|we|can)$/, segment.from, at)) return null;
  const size = behind.some((word) => SIZES.has(word));
  if (size && PRONOUNS.has(wordAt(clause, segment.from))) return null;
  const setting = tokens.slice(segment.from, at).some(({ text }) => SETTINGS.has(text));
  // "from 188 errors to 40" is not well yet; "46 files down to 9" was not measured.
  const told = tokens
    .slice(segment.from, at)
    .some(({ text }) => SIZES.has(text) || (FAULTS.has(text) && !CLEAN.has(wordAt(clause, at))));
  if (told) return null;
  return stateOf(size || setting ? 'changed' : 'checked', at, at + 1, true);
}

/** "One request instead of six": of figures. */
function insteadOf(clause: Clause, at: number): boolean {
  for (let i = at + 1; i < at + 6; i++)
    if (wordAt(clause, i) === 'instead')
      return wordAt(clause, i + 1) === 'of' && (isNumber(clause, i + 2) || isNumber(clause, i + 3));
  return false;
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

/** "Memory stays flat at 80 MB", "coverage is 97 %", "the demo holds 60 fps": a measure with its figure. */
function levelAt(clause: Clause): Found | null {
  const { segment } = clause;
  let metric = false;
  for (let at = segment.from; at < segment.to; at++) {
    const word = wordAt(clause, at);
    if (FIRST.has(word) || word === 'you' || SETTINGS.has(word)) return null;
    if (metric && LEVELS.has(word)) {
      const near = [at + 1, at + 2, at + 3].some((i) => kindAt(clause, i) === 'number');
      const unit = clause.tokens
        .slice(at + 1, Math.min(segment.to, at + 7))
        .some(({ text }) => UNIT.test(text));
      const worse = clause.tokens
        .slice(at, segment.to)
        .some(({ text }) => /^(?:longer|slower|worse|larger|bigger|higher)$/.test(text));
      return near && unit && !worse && isShown(clause, at) ? stateOf('checked', at, at + 1, true) : null;
    }
    metric ||= METRICS.has(word);
    if (word === 'holds' && kindAt(clause, at + 1) === 'number') return stateOf('checked', at, at + 2, true);
  }
  return null;
}

/** "The row counts match", "the numbers add up", "hashes are equal". */
function equalAt(clause: Clause): Found | null {
  const { segment, tokens } = clause;
  for (let at = segment.from + 1; at < segment.to; at++) {
    const word = wordAt(clause, at);
    const same =
      word === 'same' &&
      COMPARED.has(wordAt(clause, at + 1)) &&
      /^(?:both|all|two|three)$/.test(wordAt(clause, segment.from));
    if (same) return stateOf('checked', at, at + 2, true);
    if (word === 'as' && wordAt(clause, at + 1) === 'expected' && /^looks?$/.test(wordAt(clause, at - 1)))
      return stateOf('checked', at - 1, at + 2, true);
    const equal =
      EQUAL.has(word) || (/^(?:add|adds|line|lines)$/.test(word) && wordAt(clause, at + 1) === 'up');
    if (!equal) continue;
    const compared = tokens.slice(segment.from, at).some(({ text }) => COMPARED.has(text));
    const turned = tokens
      .slice(segment.from, at)
      .some(({ text }) => /^(?:not|must|to|should|if|when|whose|no)$/.test(text));
    return compared && !turned
      ? stateOf(sortIn(tokens, segment.from, at) === 'test' ? 'tested' : 'checked', at, at + 1, true)
      : null;
  }
  return null;
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
