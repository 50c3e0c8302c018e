// What a test run says of itself, so that a later judgement needs no output: runner, passed, failed, skipped.
// Several reports in one output are added up, of one runner (a workspace has a report a package, cargo one a crate) and
// of several: a later report must not hide the failures of an earlier one. So a run that was repeated until it passed
// counts its failures too, which is what happened.
import type { Report } from './test-report.ts';
import * as compiled from './test-runners-compiled.ts';
import * as js from './test-runners-js.ts';
import * as script from './test-runners-script.ts';

export interface TestCounts {
  /** `vitest`, `cargo test` …; `cargo test+pytest` where an output has reports of both. */
  readonly runner: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Null where not all were counted, or where a runner counts something else than tests. */
  readonly total: number | null;
}

const { rspec, minitest, phpunit, pytest, unittest } = script;
const { vitest, jest, mocha, nodeTest, playwright, bun, deno, flushMocha, flushNode, flushPlaywright } = js;
const { go, cargo, junit, gradle, dotnet, swift, ctest, flushGo, flushJunit, flushListed, flushDotnet } =
  compiled;
const READERS = [
  ...[vitest, jest, mocha, nodeTest, playwright, bun, deno, pytest, unittest, rspec, minitest, phpunit],
  ...[go, cargo, junit, gradle, dotnet, swift, ctest],
];
/** For the reports that end where the next begins, or with the output. */
const FLUSHES = [flushMocha, flushNode, flushPlaywright, flushGo, flushDotnet, flushJunit, flushListed];

/** A word that every line of interest has, so that most output is passed over at once. */
const INTERESTING =
  /pass|fail|test|example|runs,|succe|ok|error|skip|pending|todo|ignored|flaky|did not run|interrupted|suites|cancelled|total:/i;

/** Longer output is read at both ends: reports come last, and what came before them tells what ran. */
const HEAD = 64 * 1024;
const TAIL = 448 * 1024;
/** A report is short; a long line is data. */
const MAX_LINE = 2000;

/** Null where no report is found. Never throws; linear, in no more than 512 Ki characters of the text. */
export function testCounts(text: string): TestCounts | null {
  const cut = text.length > HEAD + TAIL;
  const report: Report = { tallies: new Map(), waiting: new Map() };
  // No line that was cut in two: half a number is another number.
  if (cut) readLines(text, 0, text.lastIndexOf('\n', HEAD), report);
  const start = cut ? text.indexOf('\n', text.length - TAIL) : 0;
  if (start >= 0) readLines(text, start, text.length, report);
  for (const flush of FLUSHES) flush(report);
  const found = [...report.tallies];
  if (found.length === 0) return null;
  const sum = { passed: 0, failed: 0, skipped: 0 };
  let total: number | null = cut ? null : 0;
  for (const [, tally] of found) {
    sum.passed += tally.passed;
    sum.failed += tally.failed;
    sum.skipped += tally.skipped;
    total = total === null || tally.total === null ? null : total + tally.total;
  }
  return { runner: found.map(([runner]) => runner).join('+'), ...sum, total };
}

function readLines(text: string, from: number, to: number, report: Report): void {
  for (let start = from; start < to; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 || newline > to ? to : newline;
    if (end - start <= MAX_LINE) {
      const line = plain(text.slice(start, end));
      if (INTERESTING.test(line)) READERS.some((read) => read(line, report));
    }
    start = end + 1;
  }
}

/** Without colours, and without what a terminal has overwritten. */
function plain(line: string): string {
  let out = line.trimEnd();
  if (out.includes('\u001b')) {
    const [first = '', ...pieces] = out.split('\u001b');
    out = `${first}${pieces.map((piece) => piece.replace(/^\[[0-9;:?]*[A-Za-z]/, '')).join('')}`.trimEnd();
  }
  return out.slice(out.lastIndexOf('\r') + 1);
}
