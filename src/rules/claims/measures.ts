// What was measured or compared, told with its figure: "38 ms, from 210", "memory stays at 80 MB", "the row counts match".
// A figure that was set is a change, and one that got worse is no claim.
import { type Clause, type Found, hasWord, kindAt, sortIn, stateOf, wordAt } from './clause.ts';
import { FAULTS, FIRST, PRONOUNS, words } from './lexicon.ts';

export const BAD =
  /^(?:fail(?:s|ed|ure|ures|ing)?|crash(?:es|ed)?|errors?|hangs?|hung|wrong|broken|missing|dies|died|not|[45]\d\d|still|timeout|refuses|refused|slow|default|available|up|live|ready|done|would|expired|used|needed|skipped|background|ignored|pending|excluded|todo)$/;
export const NUMBERS = words('one two three four five six seven eight nine ten twelve none zero');
const MOTIONS = words(
  'up climbs climbed rises jumps jumped went goes down fell falls dropped drops shrank shrinks grew rose came comes improved',
);
const UNIT =
  /^(?:%|ms|s|sec|seconds?|minutes?|min|kb|mb|gb|kib|mib|fps|rps|tps|req|\d+(?:\.\d+)?(?:%|x|ms|kb|mb|gb|s))$|%$/;
const BETTER = /^(?:smaller|faster|fewer|less|lower)$/;
export const CLEAN = words('no nothing zero 0 none');
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
/** How long a text is was not measured by a run. */
const SIZES = words('lines files words pages');

export function isNumber(clause: Clause, at: number): boolean {
  return kindAt(clause, at) === 'number' || NUMBERS.has(wordAt(clause, at));
}

/** Does the clause go on well behind `at`: with something to see, and nothing bad? */
export function isShown(clause: Clause, at: number): boolean {
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

/** "4 ms where it was 2.3 s", "one request instead of six", "61 kB smaller", "38 ms, from 210", "down to 0". */
export function measuredAt(clause: Clause, at: number): Found | null {
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

/** "Memory stays flat at 80 MB", "coverage is 97 %", "the demo holds 60 fps": a measure with its figure. */
export function levelAt(clause: Clause): Found | null {
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
export function equalAt(clause: Clause): Found | null {
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
