// What the lines of a test run's output add up to, while they are read. A line is looked at once, in order; a report of
// several lines waits here until it is whole.

/** What one runner reported so far. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  /** Null where the runner does not say, or says something else than tests: then the others may be too low. */
  total: number | null;
}

export interface Report {
  readonly tallies: Map<string, Tally>;
  /** Numbers that wait for the line they belong to, by runner and word. */
  readonly waiting: Map<string, number>;
}

/** True where the line was the runner's. */
export type LineReader = (line: string, report: Report) => boolean;

export interface Output {
  /** Output without any of these has no report of this runner. Looking for them is all that most output costs. */
  readonly signs: readonly string[];
  readonly read: LineReader;
  /** For reports that end where the next begins, or with the output. */
  readonly flush?: (report: Report) => void;
}

export function add(
  { tallies }: Report,
  runner: string,
  passed: number,
  failed: number,
  skipped: number,
  total: number | null = passed + failed + skipped,
): true {
  const tally = tallies.get(runner) ?? { passed: 0, failed: 0, skipped: 0, total: 0 };
  tally.passed += Math.max(0, passed);
  tally.failed += failed;
  tally.skipped += skipped;
  tally.total = tally.total === null || total === null ? null : tally.total + total;
  tallies.set(runner, tally);
  return true;
}

export function wait({ waiting }: Report, key: string, count: number): true {
  waiting.set(key, (waiting.get(key) ?? 0) + count);
  return true;
}

/** In the place of what waited. */
export function keep({ waiting }: Report, key: string, count: number): true {
  waiting.set(key, count);
  return true;
}

export function take({ waiting }: Report, key: string): number {
  const count = waiting.get(key) ?? 0;
  waiting.delete(key);
  return count;
}

/** `1 failed, 2 passed` in any order: the numbers before these words. */
export function countOf(text: string, ...words: readonly string[]): number {
  let sum = 0;
  for (const part of text.split(/[,|]/)) {
    const match = /^\s*(\d{1,9}) ([a-z][a-z ]*?)\s*$/i.exec(part);
    if (words.includes(match?.[2] ?? '')) sum += Number(match?.[1]);
  }
  return sum;
}

/** `Failures: 1, Errors: 2`, or `failures=1, errors=2`: the number behind a word. */
export function behind(text: string, word: string): number {
  const match = new RegExp(`(?:^|[-,(:]\\s*)${word}\\s*[:=]\\s*(\\d{1,9})`, 'i').exec(text);
  return Number(match?.[1] ?? 0);
}

export const n = (digits: string | undefined): number => Number(digits ?? 0);

/** Where the sum never came: what was listed one by one. */
export function flushListed(report: Report, runner: string): void {
  const [passed, failed] = [take(report, `${runner} passed`), take(report, `${runner} failed`)];
  const skipped = take(report, `${runner} skipped`);
  if (passed + failed + skipped > 0 && !report.tallies.has(runner)) {
    add(report, runner, passed, failed, skipped, null);
  }
}

/**
 * A sum in one line. `<passed>`, `<failed>`, `<skipped>` and `<total>` stand for their numbers, `<failed2>` and the like
 * for more of them; what is not there follows from the total, else it is none. With a group `bad` one has failed at least.
 */
export const oneLine = (runner: string, sign: string, form: RegExp): Output => {
  let pattern: RegExp | undefined;
  const read: LineReader = (line, report) => {
    pattern ??= new RegExp(form.source.replace(/<(passed|failed2?|skipped[23]?|total)>/g, '(?<$1>\\d{1,9})'));
    const groups = pattern.exec(line)?.groups;
    if (groups === undefined) return false;
    const failed = Math.max(groups.bad === undefined ? 0 : 1, n(groups.failed) + n(groups.failed2));
    const skipped = n(groups.skipped) + n(groups.skipped2) + n(groups.skipped3);
    const total = groups.total === undefined ? undefined : n(groups.total);
    const passed =
      groups.passed === undefined && total !== undefined ? total - failed - skipped : n(groups.passed);
    return add(report, runner, passed, failed, skipped, total ?? passed + failed + skipped);
  };
  return { signs: [sign], read };
};

/** Sums of several lines: a number a line, in any order, together one report. */
interface Listed {
  readonly runner: string;
  readonly signs: readonly string[];
  /** With groups `count` and `word`; without a word it is a failure. */
  readonly line: RegExp;
  readonly words: Readonly<Record<string, 'passed' | 'failed' | 'skipped' | 'total'>>;
  /** By this word a report begins, and no other counts before it. */
  readonly first?: string;
}

export const listed = ({ runner, signs, line: pattern, words, first }: Listed): Output => {
  const flush = (report: Report): void => {
    const counts = ['passed', 'failed', 'skipped', 'total'].map((word) => `${runner} ${word}`);
    if (!counts.some((key) => report.waiting.has(key))) return;
    const [passed = 0, failed = 0, skipped = 0, total = 0] = counts.map((key) => take(report, key));
    add(report, runner, passed, Math.max(failed, total - passed - skipped), skipped);
  };
  const read: LineReader = (line, report) => {
    const { count, word = 'failed' } = pattern.exec(line)?.groups ?? {};
    const counted = count === undefined ? undefined : words[word];
    if (counted === undefined) return false;
    if (word === first) flush(report);
    else if (first !== undefined && !report.waiting.has(`${runner} ${words[first]}`)) return false;
    return wait(report, `${runner} ${counted}`, n(count));
  };
  return { signs, read, flush };
};

/** Behind the sign of an escape: colours, and what moves the cursor. */
const ESCAPED = /^(?:\[[0-9;:?<=>!]{0,32}[ -/]{0,2}[@-~]|[()][A-Z0-9]|[=>78cDEHM\\])/;

/** Output as it is read on a screen: without colours, and without what the same line has overwritten, as progress bars do. */
export function plainText(text: string): string {
  const [first = '', ...pieces] = text.split('\u001b');
  const bare = `${first}${pieces.map(unescaped).join('')}`;
  if (!bare.includes('\r')) return bare;
  return bare
    .split('\n')
    .map((line) => {
      const end = line.trimEnd();
      return end.slice(end.lastIndexOf('\r') + 1);
    })
    .join('\n');
}

/** A title or a link goes on to a bell, or to the next escape. */
function unescaped(piece: string): string {
  return piece.startsWith(']')
    ? piece.slice(piece.indexOf('\u0007') + 1 || piece.length)
    : piece.replace(ESCAPED, '');
}
