// What a test run says of itself, so that a later judgement needs no output: runner, passed, failed, skipped.
// Several reports in one output are added up, of one runner (a workspace has a report a package, cargo one a crate) and
// of several: a later report must not hide the failures of an earlier one. So a run that was repeated until it passed
// counts its failures too, which is what happened.
import { type Output, outputs, PLAIN_TAP, plainText, type Report } from '../../ecosystems/index.ts';
import { openPlainSum, PLAIN } from './test-runners-plain.ts';

export interface TestCounts {
  /** `jest`, `cargo test` …; `cargo test+go test` where an output has reports of both. */
  readonly runner: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Null where not all were counted, or where a runner counts something else than tests. */
  readonly total: number | null;
}

/** Longer output is read at both ends: reports come last, and what came before them tells what ran. */
const HEAD = 64 * 1024;
const TAIL = 448 * 1024;
/** A report is short; a long line is data. */
const MAX_LINE = 2000;

/** Null where no report is found. Never throws; linear, in no more than 512 Ki characters of the text. */
export function testCounts(text: string, plainly = true): TestCounts | null {
  const parts = ends(text).map(plainText);
  const known =
    counted(parts) ?? (parts.some((part) => PREFIXED.test(part)) ? counted(parts.map(regrouped)) : null);
  return known ?? (plainly ? countedPlainly(parts) : null);
}

/** Was it read from a summary of no known form? */
export function isPlain(tests: TestCounts | null): boolean {
  return tests?.runner === PLAIN;
}

function counted(parts: readonly string[]): TestCounts | null {
  const runners = [...outputs(), PLAIN_TAP].filter((runner) => isSigned(runner, parts));
  if (runners.length === 0) return null;
  const report: Report = { tallies: new Map(), waiting: new Map() };
  for (const part of parts) readLines(part, runners, report);
  for (const { flush } of runners) flush?.(report);
  return sum(report, parts.length === 1);
}

/** A runner that nobody knows. */
function countedPlainly(parts: readonly string[]): TestCounts | null {
  const { runner, close } = openPlainSum();
  if (!isSigned(runner, parts)) return null;
  const report: Report = { tallies: new Map(), waiting: new Map() };
  for (const part of parts) readLines(part, [runner], report);
  close(report);
  return sum(report, parts.length === 1);
}

function isSigned({ signs }: Output, parts: readonly string[]): boolean {
  return signs.some((sign) => parts.some((part) => part.includes(sign)));
}

/** All of it, or its two ends without the lines that were cut in two: half a number is another number. */
function ends(text: string): string[] {
  if (text.length <= HEAD + TAIL) return [text];
  const start = text.indexOf('\n', text.length - TAIL);
  return [text.slice(0, text.lastIndexOf('\n', HEAD) + 1), start < 0 ? '' : text.slice(start)];
}

const MAX_GROUPS = 256;
const PREFIXED = /^(?:\S{1,100}[ :][\w:.-]{1,60}|\[[^\]\n]{1,100}\]|[\w@/.-]{1,60} +\|)(?::|(?<=\|)) /m;
const PREFIX = /^(\S{1,100}[ :][\w:.-]{1,60}|\[[^\]]{1,100}\]|[\w@/.-]{1,60} +\|)(?::|(?<=\|))(?: (.*))?$/;

/**
 * Runners of workspaces put the package before each line, and the packages' lines among each other:
 * `packages/a test: # pass 1`, `a:test: 5 passing`, `[@acme/a]: 5 passing`, `app-1  | 5 passed`. Without that, and each package's lines together, they read as ever.
 */
function regrouped(text: string): string {
  const groups = new Map<string, string[]>();
  for (const raw of text.split('\n')) {
    const line = raw.trimEnd();
    const match = line.length > MAX_LINE ? null : PREFIX.exec(line);
    const [, name = '', rest = ''] = match ?? [];
    const lines = groups.get(name);
    if (lines !== undefined) lines.push(match === null ? line : rest);
    else if (groups.size < MAX_GROUPS) groups.set(name, [match === null ? line : rest]);
  }
  return [...groups.values()].map((lines) => lines.join('\n')).join('\n');
}

function sum({ tallies }: Report, whole: boolean): TestCounts | null {
  if (tallies.size === 0) return null;
  let [passed, failed, skipped] = [0, 0, 0];
  let total: number | null = whole ? 0 : null;
  for (const tally of tallies.values()) {
    passed += tally.passed;
    failed += tally.failed;
    skipped += tally.skipped;
    total = total === null || tally.total === null ? null : total + tally.total;
  }
  return { runner: [...tallies.keys()].join('+'), passed, failed, skipped, total };
}

function readLines(text: string, runners: readonly Output[], report: Report): void {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    if (end > start && end - start <= MAX_LINE) {
      const line = text.slice(start, end).trimEnd();
      for (const { read } of runners) if (read(line, report)) break;
    }
    start = end + 1;
  }
}
