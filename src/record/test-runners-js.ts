// How the test runners of JavaScript say what became of their tests. What is printed may be forged or cut; a count is
// what the output says, no more. Where a runner reports a failure outside of any test (a suite that did not load), at
// least one failure is counted, so that no count hides it.
import { add, countOf, n, type Reader, type Report, type Runner, take, wait } from './test-report.ts';

// Test Files  1 failed | 2 passed (3)
//      Tests  1 failed | 4 passed | 1 skipped (6)
//     Errors  1 error
// No test files found, exiting with code 0
const vitest: Reader = (line, report) => {
  if (line.startsWith('No test files found, exiting with code')) return add(report, 'vitest', 0, 0, 0);
  const files = /^\s*Test Files {2}(.*)$/.exec(line);
  if (files) {
    report.waiting.set('vitest files', countOf((files[1] ?? '').replace(/\(\d+\)$/, ''), 'failed'));
    return true;
  }
  const tests = /^\s*Tests {2}(.*?)(?: ?\((\d{1,9})\)|no tests)$/.exec(line);
  if (tests) {
    const text = tests[1] ?? '';
    const suites = take(report, 'vitest files');
    const passed = countOf(text, 'passed') + countOf(text, 'expected fail');
    const skipped = countOf(text, 'skipped') + countOf(text, 'todo');
    return add(report, 'vitest', passed, countOf(text, 'failed') || suites, skipped);
  }
  const errors = /^\s*Errors {2}(\d{1,9}) errors?$/.exec(line);
  return errors !== null && add(report, 'vitest', 0, n(errors[1]), 0);
};

// Test Suites: 1 failed, 2 passed, 3 total
// Tests:       1 failed, 1 todo, 4 passed, 6 total
// No tests found, exiting with code 0
const jest: Reader = (line, report) => {
  if (line.startsWith('No tests found, exiting with code')) return add(report, 'jest', 0, 0, 0);
  const suites = /^Test Suites:\s+(.*)\d+ total$/.exec(line);
  if (suites) {
    report.waiting.set('jest suites', countOf(suites[1] ?? '', 'failed'));
    return true;
  }
  const tests = /^Tests:\s+((?:\d{1,9} [a-z]+, )*)\d{1,9} total$/.exec(line);
  if (!tests) return false;
  const text = tests[1] ?? '';
  const failed = take(report, 'jest suites');
  const skipped = countOf(text, 'skipped') + countOf(text, 'todo') + countOf(text, 'pending');
  return add(report, 'jest', countOf(text, 'passed'), countOf(text, 'failed') || failed, skipped);
};

// 5 passing (12ms)
// 1 pending
// 2 failing
const mocha: Reader = (line, report) => {
  const match = /^\s*(\d{1,9}) (passing|pending|failing)(?: \([^)]*\))?$/.exec(line);
  if (!match) return false;
  if (match[2] === 'passing') flushMocha(report);
  else if (!report.waiting.has('mocha passing')) return false;
  return wait(report, `mocha ${match[2]}`, n(match[1]));
};

function flushMocha(report: Report): void {
  if (!report.waiting.has('mocha passing')) return;
  const [failed, skipped] = [take(report, 'mocha failing'), take(report, 'mocha pending')];
  add(report, 'mocha', take(report, 'mocha passing'), failed, skipped);
}

// node:test in both its forms, and other writers of TAP:
// # tests 5, # suites 1, # pass 4, # fail 1, # cancelled 0, # skipped 0, # todo 0, a line each; or with ℹ
const nodeTest: Reader = (line, report) => {
  const match = /^(\u2139|#) (tests|suites|pass|fail|cancelled|skipped|todo)\s+(\d{1,9})$/.exec(line);
  if (!match) return false;
  if (match[2] === 'tests') flushNode(report);
  else if (!report.waiting.has('tap tests')) return false;
  if (match[2] === 'suites') report.waiting.set('tap node', 1);
  return wait(report, `tap ${match[2]}`, n(match[3]));
};

function flushNode(report: Report): void {
  if (!report.waiting.has('tap tests')) return;
  const runner = take(report, 'tap node') === 1 ? 'node:test' : 'tap';
  take(report, 'tap suites');
  const failed = take(report, 'tap fail') + take(report, 'tap cancelled');
  const skipped = take(report, 'tap skipped') + take(report, 'tap todo');
  add(report, runner, take(report, 'tap pass'), failed, skipped, take(report, 'tap tests'));
}

// Running 6 tests using 2 workers
//   1 failed
//   1 flaky
//   1 skipped
//   3 did not run
//   5 passed (1.2s)
const playwright: Reader = (line, report) => {
  if (/^Running \d{1,9} tests? using \d+ workers?/.test(line)) {
    flushPlaywright(report);
    report.waiting.set('playwright', 1);
    return true;
  }
  const match =
    /^ {2}(\d{1,9}) (failed|interrupted|flaky|skipped|did not run|passed)( \([\d.]+[a-z]+\))?$/.exec(line);
  if (!match || (!report.waiting.has('playwright') && match[3] === undefined)) return false;
  return wait(report, `playwright ${match[2]}`, n(match[1]));
};

function flushPlaywright(report: Report): void {
  const count = (word: string): number => take(report, `playwright ${word}`);
  take(report, 'playwright');
  // A flaky test passed when it was tried again, and the runner calls that a success.
  const passed = count('passed') + count('flaky');
  const failed = count('failed') + count('interrupted');
  const skipped = count('skipped') + count('did not run');
  if (passed + failed + skipped > 0) add(report, 'playwright', passed, failed, skipped);
}

// 5 pass
// 1 fail
// 2 skip
// Ran 8 tests across 2 files. [12.00ms]
const bun: Reader = (line, report) => {
  const match = /^\s*(\d{1,9}) (pass|fail|skip|todo|error)s?$/.exec(line);
  if (match) {
    if (match[2] === 'pass') for (const word of BUN) take(report, `bun ${word}`);
    return wait(report, `bun ${match[2]}`, n(match[1]));
  }
  const ran = /^Ran (\d{1,9}) tests? across \d+ files?\./.exec(line);
  if (!ran) return false;
  const [passed = 0, failed = 0, errors = 0, skipped = 0, todo = 0] = BUN.map((word) =>
    take(report, `bun ${word}`),
  );
  return add(report, 'bun test', passed, failed + errors, skipped + todo, n(ran[1]));
};

const BUN = ['pass', 'fail', 'error', 'skip', 'todo'];

// FAILED | 4 passed (2 steps) | 1 failed | 1 ignored (12ms)
const deno: Reader = (line, report) => {
  const match =
    /^(ok|FAILED) \| (\d{1,9}) passed(?: \(\d+ steps?\))? \| (\d{1,9}) failed(?: \(\d+ steps?\))?(.*)$/.exec(
      line,
    );
  if (!match) return false;
  const ignored = n(/ \| (\d{1,9}) ignored/.exec(match[4] ?? '')?.[1]);
  const failed = match[1] === 'FAILED' ? Math.max(1, n(match[3])) : n(match[3]);
  return add(report, 'deno test', n(match[2]), failed, ignored);
};

//   2 tests passed
//   1 test failed
//   1 test skipped
//   1 test todo
const ava: Reader = (line, report) => {
  const match = /^ {2}(\d{1,9}) (?:tests?|known failures?|hooks?) (passed|failed|skipped|todo)$/.exec(line);
  if (match) return wait(report, `ava ${match[2]}`, n(match[1]));
  const outside = /^ {2}(\d{1,9}) (?:uncaught exceptions?|unhandled rejections?)$/.exec(line);
  return outside !== null && wait(report, 'ava failed', n(outside[1]));
};

function flushAva(report: Report): void {
  const [passed, failed] = [take(report, 'ava passed'), take(report, 'ava failed')];
  const skipped = take(report, 'ava skipped') + take(report, 'ava todo');
  if (passed + failed + skipped > 0) add(report, 'ava', passed, failed, skipped);
}

// 2 specs, 0 failures, 1 pending spec
const jasmine: Reader = (line, report) => {
  const match = /^(\d{1,9}) specs?, (\d{1,9}) failures?(?:, (\d{1,9}) pending specs?)?$/.exec(line);
  if (!match) return false;
  const [total, failed, skipped] = [n(match[1]), n(match[2]), n(match[3])];
  return add(report, 'jasmine', total - failed - skipped, failed, skipped, total);
};

//   ✔  All specs passed!      00:02    2    2    -    -    -
//   ✖  1 of 2 failed (50%)    00:05    3    2    1    -    -
const cypress: Reader = (line, report) => {
  const match =
    /^\s{1,4}\S\s{1,4}(?:All specs passed!|\d{1,6} of \d{1,6} failed \(\d{1,3}%\))\s+[\d:]{4,9}\s+([\d-]{1,9})\s+([\d-]{1,9})\s+([\d-]{1,9})\s+([\d-]{1,9})\s+([\d-]{1,9})$/.exec(
      line,
    );
  if (!match) return false;
  const [, total, passed, failed, pending, skipped] = match.map((text) => (/^\d+$/.test(text) ? n(text) : 0));
  return add(report, 'cypress', passed ?? 0, failed ?? 0, (pending ?? 0) + (skipped ?? 0), total ?? 0);
};

// 1..3
// ok 1 - adds
// not ok 2 - takes away
// ok 3 # SKIP no network
// Writers of TAP that sum up nothing: vitest's tap reporters, bats, pg_prove. Deeper tests are indented, and are not
// counted again.
const tap: Reader = (line, report) => {
  if (/^1\.\.\d{1,9}(?:\s|$)/.test(line)) return wait(report, 'tap plan', 1);
  const match = /^(not )?ok\b(?:\s+\d{1,9})?(?:\s(.*))?$/.exec(line);
  if (!match) return false;
  const skipped = /#\s*(?:skip|todo)/i.test(match[2] ?? '');
  return wait(report, skipped ? 'tap point skipped' : match[1] ? 'tap point failed' : 'tap point passed', 1);
};

function flushTap(report: Report): void {
  const plans = take(report, 'tap plan');
  const [passed, failed] = [take(report, 'tap point passed'), take(report, 'tap point failed')];
  const skipped = take(report, 'tap point skipped');
  // A sum of the same points is the better report.
  if (plans > 0 && report.tallies.size === 0) add(report, 'tap', passed, failed, skipped);
}

/** Read last of all: its points are also what others sum up. */
export const PLAIN_TAP: Runner = { signs: ['1..'], read: tap, flush: flushTap };

export const JS_RUNNERS: readonly Runner[] = [
  { signs: ['Test Files', 'Tests  ', 'No test files found'], read: vitest },
  { signs: ['Test Suites:', 'Tests: ', 'No tests found'], read: jest },
  { signs: [' passing'], read: mocha, flush: flushMocha },
  { signs: ['# tests ', 'ℹ tests '], read: nodeTest, flush: flushNode },
  { signs: [' worker', ' passed ('], read: playwright, flush: flushPlaywright },
  { signs: [' across '], read: bun },
  { signs: [' passed', ' failed', ' skipped'], read: ava, flush: flushAva },
  { signs: ['All specs passed!', ' failed ('], read: cypress },
  { signs: [' specs, ', ' spec, '], read: jasmine },
  { signs: [' passed | ', ' steps) | ', ' step) | '], read: deno },
];
