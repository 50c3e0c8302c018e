// Summaries of runners that nobody knows: numbers beside words that say passed, failed, skipped or tests, in any order,
// or a line for each test with its outcome. Read only where no known runner reported. What is printed may be forged; so
// a line in which more is said than numbers is no summary, and output that shows the very command which prints one
// holds none.
import { add, type Output, type Report } from '../../ecosystems/index.ts';

/** What stands for the name of a runner that nobody knows. */
export const PLAIN = 'plain';

type Word = 'passed' | 'failed' | 'skipped' | 'total';
type Sum = Partial<Record<Word, number>>;

const WORDS: readonly (readonly [Word, RegExp])[] = [
  ['passed', /^(?:pass(?:ed|es|ing)?|ok|succeed(?:ed|s)|success(?:es|ful)?|verified)$/],
  [
    'failed',
    /^(?:fail(?:ed|s|ing|ures?)?|failure\(s\)|errors?|error\(s\)|errored|crash(?:ed|es)?|unexpected)$/,
  ],
  ['skipped', /^(?:skip(?:ped|s)?|pending|ignored|todo|disabled|excluded|xfail(?:ed)?|inconclusive)$/],
  ['total', /^(?:total|count|tests?|specs?|cases|examples|scenarios|checks)$/],
];
/** Words that stand between a number and what it counts, or around a summary, and say nothing themselves. */
const EMPTY =
  /^(?:tests?|specs?|cases?|examples?|scenarios?|checks?|suites?|targets?|configurations?|flows?|controls?|assertions?|files?|total|all|and|of|out|in|with|were|was|have|has|been|summary|results?|run|ran|finished|done|completed|status|took|duration|time|elapsed|for)$/;
/** Words of sentences: a summary is none. */
const PROSE =
  /^(?:the|a|an|is|are|this|that|these|those|we|you|i|it|if|should|would|will|can|not|but|because|so)$/;
const UNIT = /^(?:ms|s|secs?|seconds?|m|mins?|minutes?|h|us|ns|\u00b5s|%)$/;

/** Part of every word that counts what passed, or all there were: without one no line is a summary. */
const MAY_COUNT = /pass|ok|succe|verified|total|count|test|spec|cases|examples|scenarios|checks/;

const TESTS = /\b(?:tests?|specs?|cases?|examples?|scenarios?|assertions?)\b/;

const TOOK = /^\W{0,8}\d{1,9} passed \(\d{1,6}(?:\.\d{1,3})?\s?(?:ms|s|m)\)$/;

const MOST = 240;
const MAX_SUMS = 4096;

function wordOf(text: string | undefined): Word | null {
  if (text === undefined) return null;
  return WORDS.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

/** `12 tests, 11 passed, 1 failed`, `PASS: 3/3`, `conf: 12 ok (0.2 s)`. Null where it is no summary. */
function sumOf(line: string): Sum | null {
  if (line.length > MOST || !/\d/.test(line)) return null;
  // TAP counts elsewhere; what a play did to a host is no test; clocks and durations are no counts.
  if (/^\s*(?:not )?ok \d|\b(?:changed|unreachable)=\d/.test(line)) return null;
  const lower = line.toLowerCase();
  if (!MAY_COUNT.test(lower)) return null;
  const text = lower
    .replace(/^\W{0,8}(?:info|debug|notice)\b\W{0,8}/, '')
    .replace(/\d{1,4}(?:[:-]\d{1,2}){1,2}(?:[.,]\d{1,9})?/g, ' ')
    .replace(/\d{1,9}[.,]\d{1,9}/g, ' ')
    .replace(/([=*#~_-])\1{2,}/g, ' ');
  const tokens = text.match(/\d{1,9}(?![\w.])|[a-z\u00b5%][\w()'-]*|[:=/,;|.]/g) ?? [];
  if (tokens.length > 40) return null;
  // `Total 12 Passed 12 Failed 0`: each number belongs to the word before it.
  const labels =
    /\d$/.test(tokens.at(-1) ?? '') &&
    tokens.findIndex((token) => wordOf(token) !== null) < tokens.findIndex((token) => /^\d/.test(token));
  const sum: Sum = {};
  let loose = 0;
  const set = (word: Word, count: number): void => {
    sum[word] = (sum[word] ?? 0) + count;
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (/^\d/.test(token)) {
      const before = tokens[at - 1];
      // "Round 1 passed" counts nothing.
      if (before !== undefined && /^[a-z]/.test(before) && !EMPTY.test(before) && wordOf(before) === null)
        return null;
      if (before === 'test' || before === 'case' || before === 'suite') return null;
      const read = numberAt(tokens, at);
      if (read.word !== null) {
        set(read.word, Number(token));
        if (read.of !== null && read.word === 'passed') {
          set('total', read.of);
          set('failed', Math.max(0, read.of - Number(token)));
        }
      }
      at = read.end;
    } else if (/^[a-z\u00b5%]/.test(token)) {
      if (PROSE.test(token)) return null;
      const word = wordOf(token);
      const label = word === null ? null : labelled(tokens, at, labels);
      if (word !== null && label !== null) {
        set(word, label.count);
        if (label.of !== null && word === 'passed') {
          set('total', label.of);
          set('failed', Math.max(0, label.of - label.count));
        }
        at = label.end;
      } else if (!EMPTY.test(token) && !UNIT.test(token) && !(at <= 1 && tokens[at + 1] === ':')) loose++;
    }
  }
  // One number beside "passed" may count anything, unless the line says that it is tests.
  const kinds = Object.keys(sum).length;
  const counted = kinds > 1 || TESTS.test(text) || TOOK.test(line);
  const whole = sum.passed !== undefined || (sum.total !== undefined && sum.failed !== undefined);
  return whole && counted && loose <= 2 * kinds ? sum : null;
}

/** The number at this place: what it counts, by the words behind it. */
function numberAt(
  tokens: readonly string[],
  at: number,
): { word: Word | null; of: number | null; end: number } {
  let end = at;
  let of: number | null = null;
  const joined = tokens[at + 1] === '/' || tokens[at + 1] === 'of' ? at + 2 : -1;
  const from = joined > 0 && tokens[joined] === 'of' ? joined + 1 : joined;
  if (from > 0 && /^\d/.test(tokens[from] ?? '')) {
    of = Number(tokens[from]);
    end = from;
  }
  let counts: Word | null = null;
  for (let next = end + 1; next <= end + 3; next++) {
    const token = tokens[next];
    const word = wordOf(token);
    if (word !== null && word !== 'total') return { word, of, end: next };
    if (word === 'total') counts = 'total';
    if (token === undefined || !EMPTY.test(token)) {
      // A number of something else: `3 warnings`.
      const unit = counts === null && token !== undefined && /^[a-z]/.test(token) && next === end + 1;
      return { word: counts, of, end: unit ? next : next - 1 };
    }
  }
  return { word: counts, of, end: end + (counts === null ? 0 : 3) };
}

/** `Passed: 16`, `ok=3`, `PASS: 3/3`: the number behind a word, unless it is another word's. */
function labelled(
  tokens: readonly string[],
  at: number,
  labels: boolean,
): { count: number; of: number | null; end: number } | null {
  let place = at + 1;
  // `Passed checks: 12`
  if (EMPTY.test(tokens[place] ?? '') && /^[:=]$/.test(tokens[place + 1] ?? '')) place++;
  if (/^[:=]$/.test(tokens[place] ?? '')) place++;
  if (!/^\d/.test(tokens[place] ?? '')) return null;
  const read = numberAt(tokens, place);
  if (read.word !== null && !labels) return null;
  const end = read.of === null ? place : read.end;
  return { count: Number(tokens[place]), of: read.of, end };
}

const OUTCOMES: Readonly<Record<string, Word>> = {
  PASS: 'passed',
  PASSED: 'passed',
  OK: 'passed',
  FAIL: 'failed',
  FAILED: 'failed',
  SKIP: 'skipped',
  SKIPPED: 'skipped',
};

/** `[OK] name`, `PASS: name`, `1/3 name ... PASSED`, `name: PASS (41 ms)`: what became of one test. */
function outcomeOf(line: string): Word | null {
  if (line.length > MOST) return null;
  const text = line.trim().replace(/ \([^()]{1,40}\)$/, '');
  const first = /^(?:\[\s?([A-Za-z]{2,7})\s?\]|(PASS|PASSED|FAIL|FAILED|SKIP|SKIPPED)(?:\s?[:-])?)\s\S/.exec(
    text,
  );
  const word = (first?.[1] ?? first?.[2] ?? '').toUpperCase();
  if (Object.hasOwn(OUTCOMES, word)) return OUTCOMES[word] ?? null;
  const last = /\s(?:\[([A-Za-z]{2,7})\]|(PASS|PASSED|FAIL|FAILED|SKIP|SKIPPED)|(ok|OK))$/.exec(text);
  if (last === null) return null;
  const end = (last[1] ?? last[2] ?? last[3] ?? '').toUpperCase();
  // "Checking the compiler: ok" is no test; with dots or a bracket before it, it is one of a list.
  if (last[3] !== undefined && !/(?:\.\.|\])$/.test(text.slice(0, last.index))) return null;
  return Object.hasOwn(OUTCOMES, end) ? (OUTCOMES[end] ?? null) : null;
}

/** It says that all went well, without a number. */
const ALL_WELL =
  /(?:^|[.!:] )\W{0,6}(?:success: |info\s{1,8})?(?:all (?:\w+ ){0,2}(?:tests?|specs?|checks?|cases?|scenarios?) (?:have |were )?(?:pass(?:ed)?|ok|succeeded|successful)|test run (?:passed|successful|succeeded))\b.{0,40}$/i;
const STARTED =
  /\b(?:running|collected|found|discovered|executing|executed|finished) (\d{1,9}) (?:tests?|specs?|test cases|cases)\b/i;
const NONE =
  /\b(?:no|0|zero) (?:unit |matching )?(?:tests?|specs?|test (?:files|cases|suites)|scenarios?)\b(?! (?:have )?(?:fail|error|were skipped|skipped))/i;
/** The shell's own trace, or make's: a summary that is printed by a command of the script is not a runner's. */
const PRINTED = /^\s{0,8}(?:[>$+#]{1,4}\s{0,4})?@?(?:echo|printf|cat|print)\s.*(?:pass|ok\b|succe|\d)/i;

/** One line a number: `Passed:   16`, then `Failed:   0`. */
const ROW =
  /^\s{0,8}(?:[-*\u2022] ?)?(?:number of |tests? )?([a-z]{2,12})(?: {1,3}(?:tests?|files|cases|checks))?\s{0,24}[:=]?\s{0,24}(\d{1,9})(?: \([\d.]{1,6}%\))?$/i;

/** Reads one output, once. */
export function openPlainSum(): { readonly runner: Output; readonly close: (report: Report) => void } {
  const sums: Sum[] = [];
  const rows: Sum = {};
  const items = { passed: 0, failed: 0, skipped: 0, total: 0 };
  let [well, none, printed] = [false, false, false];
  let started = 0;
  const read = (line: string): boolean => {
    if (PRINTED.test(line)) printed = true;
    if (NONE.test(line)) none = true;
    const all = ALL_WELL.test(line);
    if (all) well = true;
    started += Number(STARTED.exec(line)?.[1] ?? 0);
    const row = ROW.exec(line);
    const word = row === null ? null : wordOf((row[1] ?? '').toLowerCase());
    if (word !== null) {
      rows[word] = (rows[word] ?? 0) + Number(row?.[2]);
      return true;
    }
    const sum = sumOf(line);
    if (sum !== null && sums.length < MAX_SUMS) sums.push(sum);
    else {
      const outcome = all ? null : outcomeOf(line);
      if (outcome !== null) items[outcome]++;
    }
    return true;
  };
  return {
    runner: { signs: SIGNS, read },
    close: (report) => {
      if (printed) return;
      const [one] = sums;
      if (one !== undefined) {
        addAll(report, sums);
        // A sum that tells of no failures may leave them out.
        if (items.failed > 0 && sums.every(({ failed }) => failed === undefined))
          add(report, PLAIN, 0, items.failed, 0);
      } else if (rows.passed !== undefined && (rows.failed !== undefined || rows.total !== undefined))
        put(report, rows);
      else if (items.failed > 0 || items.passed > 1 || (items.passed > 0 && well))
        add(report, PLAIN, items.passed, items.failed, items.skipped, null);
      else if (well && none) add(report, PLAIN, 0, 0, 0);
      else if (well && started > 0) add(report, PLAIN, started, 0, 0, null);
    },
  };
}

export const SIGNS: readonly string[] = [
  'pass',
  'Pass',
  'PASS',
  ' ok',
  'OK',
  'ucce',
  'check',
  'test',
  'verified',
  'ailed: ',
];

function put(report: Report, { passed, failed = 0, skipped = 0, total }: Sum): void {
  const ok = passed ?? Math.max(0, (total ?? 0) - failed - skipped);
  add(report, PLAIN, ok, Math.max(failed, 0), skipped, Math.max(total ?? 0, ok + failed + skipped));
}

/** Where the last is the sum of those before it, they were its parts. */
function addAll(report: Report, sums: readonly Sum[]): void {
  const of = (sum: Sum): number =>
    sum.passed ?? Math.max(0, (sum.total ?? 0) - (sum.failed ?? 0) - (sum.skipped ?? 0));
  const last = sums.at(-1);
  const before = sums.slice(0, -1);
  const parts =
    last !== undefined &&
    before.length > 0 &&
    before.reduce((all, sum) => all + of(sum), 0) === of(last) &&
    before.reduce((all, sum) => all + (sum.failed ?? 0), 0) === (last.failed ?? 0);
  for (const sum of parts && last !== undefined ? [last] : sums) put(report, sum);
}
