// How the test runners of Python, Ruby and PHP say what became of their tests. What is printed may be forged or cut; a
// count is what the output says, no more. Where a runner reports a failure outside of any test (a file that did not
// load), at least one failure is counted, so that no count hides it.
import { add, behind, countOf, n, type Reader, type Runner, take, wait } from './test-report.ts';

// ==== 1 failed, 2 passed, 1 xfailed in 0.12s ====
const pytest: Reader = (line, report) => {
  const match = /^=*\s*(no tests ran|\d{1,9} [a-z].*) in \d+(?:\.\d+)?s(?: \([\d:, a-z]+\))?\s*=*$/.exec(
    line,
  );
  if (!match) return false;
  const text = match[1] ?? '';
  const failed = countOf(text, 'failed') + countOf(text, 'error') + countOf(text, 'errors');
  // A test that failed as expected was not seen to pass.
  const skipped = countOf(text, 'skipped') + countOf(text, 'xfailed');
  const passed = countOf(text, 'passed') + countOf(text, 'xpassed');
  if (passed + failed + skipped === 0 && !/no tests ran|deselected/.test(text)) return false;
  return add(report, 'pytest', passed, failed, skipped);
};

// Ran 5 tests in 0.001s
// FAILED (failures=1, errors=1, skipped=1)
const unittest: Reader = (line, report) => {
  const ran = /^Ran (\d{1,9}) tests? in [\d.]+s$/.exec(line);
  if (ran) {
    report.waiting.set('unittest', n(ran[1]));
    return true;
  }
  const status = /^(OK|FAILED|NO TESTS RAN)(?: \(([a-z= ,\d]*)\))?$/.exec(line);
  if (!status || !report.waiting.has('unittest')) return false;
  const total = take(report, 'unittest');
  const text = status[2] ?? '';
  const bad = behind(text, 'failures') + behind(text, 'errors') + behind(text, 'unexpected successes');
  const failed = status[1] === 'FAILED' ? Math.max(1, bad) : 0;
  const skipped = behind(text, 'skipped') + behind(text, 'expected failures');
  return add(report, 'unittest', total - failed - skipped, failed, skipped, total);
};

// 5 examples, 1 failure, 1 pending, 1 error occurred outside of examples
const rspec: Reader = (line, report) => {
  const match = /^(\d{1,9}) examples?, (\d{1,9}) failures?(.*)$/.exec(line);
  if (!match) return false;
  const outside = n(/, (\d{1,9}) errors? occurred outside of examples/.exec(match[3] ?? '')?.[1]);
  const pending = n(/^, (\d{1,9}) pending/.exec(match[3] ?? '')?.[1]);
  const [total, failed] = [n(match[1]), n(match[2])];
  return add(report, 'rspec', total - failed - pending, failed + outside, pending, total);
};

// minitest:   5 runs, 7 assertions, 1 failures, 0 errors, 1 skips
// test-unit:  5 tests, 7 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications
const minitest: Reader = (line, report) => {
  const match =
    /^(\d{1,9}) (runs|tests), \d+ assertions, (\d{1,9}) failures, (\d{1,9}) errors, (\d{1,9}) (?:skips|pendings)(?:, (\d{1,9}) omissions)?/.exec(
      line,
    );
  if (!match) return false;
  const total = n(match[1]);
  const failed = n(match[3]) + n(match[4]);
  const skipped = n(match[5]) + n(match[6]);
  const runner = match[2] === 'runs' ? 'minitest' : 'test-unit';
  return add(report, runner, total - failed - skipped, failed, skipped, total);
};

// OK (5 tests, 9 assertions)
// Tests: 5, Assertions: 9, Errors: 1, Failures: 1, Skipped: 1.
const phpunit: Reader = (line, report) => {
  const ok = /^OK \((\d{1,9}) tests?, \d+ assertions?\)$/.exec(line);
  if (ok) return add(report, 'phpunit', n(ok[1]), 0, 0);
  if (line === 'No tests executed!') return add(report, 'phpunit', 0, 0, 0);
  // Pest, and Laravel's own:   Tests:    1 failed, 2 passed (5 assertions)
  const pest =
    /^\s{0,8}Tests:\s{1,8}((?:\d{1,9} [a-z]{1,16}, ){0,8}\d{1,9} [a-z]{1,16}) \(\d{1,9} assertions?\)$/.exec(
      line,
    );
  if (pest) {
    const text = pest[1] ?? '';
    const skipped = countOf(text, 'skipped') + countOf(text, 'todo') + countOf(text, 'incomplete');
    return add(report, 'pest', countOf(text, 'passed'), countOf(text, 'failed'), skipped);
  }
  const match = /^Tests: (\d{1,9}), Assertions: \d+(.*)\.$/.exec(line);
  if (!match) return false;
  const text = match[2] ?? '';
  const failed = behind(text, 'Failures') + behind(text, 'Errors');
  const skipped = behind(text, 'Skipped') + behind(text, 'Incomplete');
  return add(report, 'phpunit', n(match[1]) - failed - skipped, failed, skipped, n(match[1]));
};

// t/a.t (Wstat: 256 (exited 1) Tests: 2 Failed: 1)
// Files=1, Tests=2,  0 wallclock secs ( … )
// Result: PASS
const prove: Reader = (line, report) => {
  const file = /^\S+\s+\(Wstat: .{1,60} Tests: \d{1,9} Failed: (\d{1,9})\)$/.exec(line);
  if (file) return wait(report, 'prove failed', n(file[1]));
  const files = /^Files=\d{1,9}, Tests=(\d{1,9}), /.exec(line);
  if (files) return wait(report, 'prove tests', n(files[1]));
  const result = /^Result: (PASS|FAIL|NOTESTS)$/.exec(line);
  if (!result || (!report.waiting.has('prove tests') && result[1] !== 'NOTESTS')) return false;
  const [total, listed] = [take(report, 'prove tests'), take(report, 'prove failed')];
  const failed = result[1] === 'FAIL' ? Math.max(1, listed) : 0;
  return add(report, 'prove', total - failed, failed, 0, Math.max(total, failed));
};

// ExUnit:  3 doctests, 5 tests, 1 failure, 1 excluded, 1 skipped     (bats writes the same, with fewer words)
const exunit: Reader = (line, report) => {
  if (
    !/^(?:\d{1,9} (?:doctests?|propert(?:y|ies)|features?), )*\d{1,9} tests?, \d{1,9} failures?(?:, \d{1,9} [a-z ]{1,20})*$/.test(
      line,
    )
  )
    return false;
  const count = (...words: string[]): number => words.reduce((sum, word) => sum + countOf(line, word), 0);
  const total = count(
    'doctest',
    'doctests',
    'property',
    'properties',
    'feature',
    'features',
    'test',
    'tests',
  );
  const [failed, invalid] = [count('failure', 'failures'), count('invalid')];
  const skipped = count('skipped') + count('excluded') + count('not run');
  return add(report, 'exunit', total - failed - invalid - skipped, failed + invalid, skipped, total);
};

// 2 successes / 0 failures / 0 errors / 0 pending : 0.000718 seconds
const busted: Reader = (line, report) => {
  const match =
    /^(\d{1,9}) success(?:es)? \/ (\d{1,9}) failures? \/ (\d{1,9}) errors? \/ (\d{1,9}) pending : /.exec(
      line,
    );
  if (!match) return false;
  return add(report, 'busted', n(match[1]), n(match[2]) + n(match[3]), n(match[4]));
};

export const SCRIPT_RUNNERS: readonly Runner[] = [
  {
    signs: [
      ' passed',
      ' failed',
      ' error',
      ' skipped',
      ' xfailed',
      ' xpassed',
      ' deselected',
      'no tests ran',
    ],
    read: pytest,
  },
  { signs: ['Ran '], read: unittest },
  { signs: [' examples, ', ' example, '], read: rspec },
  { signs: [' assertions, '], read: minitest },
  { signs: ['Result: '], read: prove },
  { signs: [' failure'], read: exunit },
  { signs: [' pending : '], read: busted },
  { signs: [' assertion', 'Assertions: ', 'No tests executed!'], read: phpunit },
];
