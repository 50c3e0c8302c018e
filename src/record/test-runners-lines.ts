// Runners that sum up in one line, as data: C and C++, Zig, OCaml, Haskell, Erlang, Julia, R, PowerShell, data and
// infrastructure, and reports as XML or JSON. What is printed may be forged or cut; a count is what the output says,
// no more. Numbers are named in the pattern; what it does not name follows from the total, else it is none.
import { add, n, type Reader, type Report, type Runner, take, wait } from './test-report.ts';

type Line = readonly [runner: string, sign: string, line: RegExp];

const LINES: readonly Line[] = [
  // [  PASSED  ] 34 tests.
  ['gtest', '[  PASSED  ]', /^\[ {2}PASSED {2}\] (?<passed>\d{1,9}) tests?\.$/],
  ['gtest', '[  FAILED  ]', /^\[ {2}FAILED {2}\] (?<failed>\d{1,9}) tests?, listed below:$/],
  ['gtest', '[  SKIPPED ]', /^\[ {2}SKIPPED \] (?<skipped>\d{1,9}) tests?, listed below:$/],
  // All tests passed (142 assertions in 23 test cases)
  [
    'catch2',
    'All tests passed (',
    /^All tests passed \(\d{1,9} assertions? in (?<passed>\d{1,9}) test cases?\)$/,
  ],
  // test cases: 23 | 20 passed | 3 failed
  [
    'catch2',
    'test cases: ',
    /^test cases:\s+(?<total>\d{1,9})(?: \|\s+(?<passed>\d{1,9}) passed)?(?: \|\s+(?<failed>\d{1,9}) failed)?(?: \|\s+(?<skipped>\d{1,9}) skipped)?/,
  ],
  // [doctest] test cases: 31 | 31 passed | 0 failed | 0 skipped
  [
    'doctest',
    '[doctest] test cases:',
    /^\[doctest\] test cases:\s+\d{1,9} \|\s+(?<passed>\d{1,9}) passed \|\s+(?<failed>\d{1,9}) failed \|(?:\s+(?<skipped>\d{1,9}) skipped)?/,
  ],
  // Totals: 5 passed, 0 failed, 0 skipped, 0 blacklisted, 12ms
  [
    'qtest',
    'Totals: ',
    /^Totals: (?<passed>\d{1,9}) passed, (?<failed>\d{1,9}) failed, (?<skipped>\d{1,9}) skipped/,
  ],
  // Zig, tasty, eunit
  [
    'zig test',
    'Build Summary: ',
    /^Build Summary: .{1,60}; (?<passed>\d{1,9})\/(?<total>\d{1,9}) tests passed(?:; (?<failed>\d{1,9}) failed)?/,
  ],
  ['zig test', ' tests passed', /^All (?<passed>\d{1,9}) tests passed(?:\.| \([\d.]+s\))?$/],
  [
    'zig test',
    ' passed; ',
    /^(?<passed>\d{1,9}) passed; (?<skipped>\d{1,9}) skipped; (?<failed>\d{1,9}) failed\.$/,
  ],
  ['tasty', ' out of ', /^(?<failed>\d{1,9}) out of (?<total>\d{1,9}) tests failed \([\d.]+s\)$/],
  [
    'eunit',
    'Passed: ',
    /^\s*Failed: (?<failed>\d{1,9})\.\s+Skipped: (?<skipped>\d{1,9})\.\s+Passed: (?<passed>\d{1,9})\.$/,
  ],
  // Test Successful in 0.013s. 12 tests run.
  ['alcotest', ' tests run.', /^Test Successful in [\d.]+s\. (?<passed>\d{1,9}) tests? run\.$/],
  [
    'alcotest',
    ' failures! in ',
    /^(?<failed>\d{1,9}) failures?! in [\d.]+s\. (?<total>\d{1,9}) tests? run\.$/,
  ],
  // Tests Passed: 12, Failed: 0, Skipped: 1, Inconclusive: 0, NotRun: 0
  [
    'pester',
    'Tests Passed: ',
    /^Tests Passed: (?<passed>\d{1,9}), Failed: (?<failed>\d{1,9}), Skipped: (?<skipped>\d{1,9})/,
  ],
  // [ FAIL 0 | WARN 0 | SKIP 1 | PASS 42 ]
  [
    'testthat',
    '[ FAIL ',
    /^\[ FAIL (?<failed>\d{1,9}) \| WARN \d{1,9} \| SKIP (?<skipped>\d{1,9}) \| PASS (?<passed>\d{1,9}) \]$/,
  ],
  // Done. PASS=4 WARN=0 ERROR=0 SKIP=0 TOTAL=4
  [
    'dbt',
    'Done. PASS=',
    /^(?:[\d:.]{5,16}\s+)?Done\. PASS=(?<passed>\d{1,9}) WARN=\d{1,9} ERROR=(?<failed>\d{1,9}) SKIP=(?<skipped>\d{1,9})/,
  ],
  // Success! 3 passed, 0 failed.
  [
    'terraform test',
    ' passed, ',
    /^(?:Success!|Failure!) (?<passed>\d{1,9}) passed, (?<failed>\d{1,9}) failed(?:, (?<skipped>\d{1,9}) skipped)?\.$/,
  ],
  // 3 scenarios passed, 0 failed, 0 skipped
  [
    'behave',
    ' scenario',
    /^(?<passed>\d{1,9}) scenarios? passed, (?<failed>\d{1,9}) failed, (?<skipped>\d{1,9}) skipped/,
  ],
  // 3 scenarios (1 failed, 2 passed)
  [
    'cucumber',
    ' scenario',
    /^(?<total>\d{1,9}) scenarios? \((?:(?<failed>\d{1,9}) failed,? ?)?(?:(?<skipped>\d{1,9}) (?:skipped|undefined|pending),? ?)*(?:(?<passed>\d{1,9}) passed)?\)$/,
  ],
  // Suite result: ok. 7 passed; 0 failed; 0 skipped; finished in 41.20ms
  [
    'forge test',
    'Suite result: ',
    /^Suite result: (?:ok|FAILED)\. (?<passed>\d{1,9}) passed; (?<failed>\d{1,9}) failed; (?<skipped>\d{1,9}) skipped;/,
  ],
  // 1 of 1 test suites (3 of 3 test cases) passed.
  [
    'cabal test',
    ' test suites (',
    /^\d{1,9} of \d{1,9} test suites \((?<passed>\d{1,9}) of (?<total>\d{1,9}) test cases\) passed\.$/,
  ],
  // Ran 5 tests, 4 results as expected, 1 unexpected, 1 skipped (2026-02-08 10:11:02+0100, 0.012 sec)
  [
    'ert',
    ' results as expected',
    /^Ran (?<total>\d{1,9}) tests?, (?<passed>\d{1,9}) results? as expected, (?<failed>\d{1,9}) unexpected(?:, (?<skipped>\d{1,9}) skipped)? \(/,
  ],
  // │              assertions │                12 │                 0 │
  [
    'newman',
    ' assertions │',
    /^\u2502\s{1,40}assertions \u2502\s{1,40}(?<total>\d{1,9}) \u2502\s{1,40}(?<failed>\d{1,9}) \u2502$/,
  ],
  // 12 tests, 12 passed, 0 failed
  [
    'robot',
    ' tests, ',
    /^(?<total>\d{1,9}) tests?, (?<passed>\d{1,9}) passed, (?<failed>\d{1,9}) failed(?:, (?<skipped>\d{1,9}) skipped)?$/,
  ],
];

const oneLine =
  ([runner, , pattern]: Line): Reader =>
  (line, report) => {
    const groups = pattern.exec(line)?.groups;
    if (groups === undefined) return false;
    const [failed, skipped] = [n(groups.failed), n(groups.skipped)];
    const total = groups.total === undefined ? undefined : n(groups.total);
    const passed =
      groups.passed === undefined && total !== undefined ? total - failed - skipped : n(groups.passed);
    return add(report, runner, passed, failed, skipped, total ?? passed + failed + skipped);
  };

/** Sums of several lines: a number a line, in any order, together one report. */
interface Listed {
  readonly runner: string;
  readonly sign: string;
  readonly line: RegExp;
  readonly words: Readonly<Record<string, 'passed' | 'failed' | 'skipped' | 'total'>>;
}

const LISTED: readonly Listed[] = [
  // Ok:                 18
  // Expected Fail:      0
  // Fail:               0
  {
    runner: 'meson test',
    sign: 'Ok: ',
    line: /^(Ok|Expected Fail|Fail|Unexpected Pass|Skipped|Timeout):\s+(\d{1,9})\s*$/,
    words: {
      Ok: 'passed',
      'Expected Fail': 'passed',
      Fail: 'failed',
      'Unexpected Pass': 'failed',
      Timeout: 'failed',
      Skipped: 'skipped',
    },
  },
  // # TOTAL: 3
  // # PASS:  3
  {
    runner: 'automake',
    sign: '# TOTAL: ',
    line: /^# (PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): {1,2}(\d{1,9})$/,
    words: {
      PASS: 'passed',
      XFAIL: 'passed',
      FAIL: 'failed',
      XPASS: 'failed',
      ERROR: 'failed',
      SKIP: 'skipped',
    },
  },
  // Total:     5
  // Passed:    5
  // Skipped:   0
  {
    runner: 'uvu',
    sign: '  Passed: ',
    line: /^ {2}(Total|Passed|Skipped): {3,5}(\d{1,9})$/,
    words: { Total: 'total', Passed: 'passed', Skipped: 'skipped' },
  },
];

const listed = ({ runner, sign, line: pattern, words }: Listed): Runner => ({
  signs: [sign],
  read: (line, report) => {
    const match = pattern.exec(line);
    const word = match === null ? undefined : words[match[1] ?? ''];
    return word !== undefined && wait(report, `${runner} ${word}`, n(match?.[2]));
  },
  flush: (report) => {
    if (!report.waiting.has(`${runner} passed`)) return;
    const [passed, skipped] = [take(report, `${runner} passed`), take(report, `${runner} skipped`)];
    const [failed, total] = [take(report, `${runner} failed`), take(report, `${runner} total`)];
    add(report, runner, passed, Math.max(failed, total - passed - skipped), skipped);
  },
});

// "numPassedTests": 4 of vitest and jest, "passes": 4 of mocha, on one line or on many.
const JSON_COUNTS =
  /"(numPassedTests|numFailedTests|numPendingTests|passes|failures|pending)":\s{0,4}(\d{1,9})(?=\s{0,4}(?:[,}]|$))/g;

const json: Reader = (line, report) => {
  let any = false;
  for (const [, word = '', count] of line.matchAll(JSON_COUNTS)) {
    const [failed, skipped] = [/fail/i.test(word), /pend/i.test(word)];
    any = add(
      report,
      'json',
      failed || skipped ? 0 : n(count),
      failed ? n(count) : 0,
      skipped ? n(count) : 0,
    );
  }
  return any;
};

// <testsuites tests="12" failures="0" …>, or without one its <testsuite …>s
const junitXml: Reader = (line, report) => {
  if (/<testsuites [^>]{0,500}\btests="/.test(line)) report.waiting.set('xml all', 1);
  for (const [tag] of line.matchAll(/<testsuites? [^>]{1,1000}>/g)) {
    if (tag.startsWith('<testsuite ') && report.waiting.has('xml all')) continue;
    const of = (name: string): number => n(new RegExp(`\\s${name}="(\\d{1,9})"`).exec(tag)?.[1]);
    const [total, failed, skipped] = [
      of('tests'),
      of('failures') + of('errors'),
      of('skipped') + of('disabled'),
    ];
    add(report, 'junit xml', total - failed - skipped, failed, skipped, total);
  }
  return /^\s*<testsuites?[\s>]/.test(line);
};

// Chrome 124 (Linux): Executed 92 of 92 (1 FAILED) (1.8 secs / 1.6 secs)     earlier lines of the sort are on the way
const karma: Reader = (line, report) => {
  const match =
    /: Executed (\d{1,9}) of (\d{1,9})(?: \(skipped (\d{1,9})\))?(?: SUCCESS| \((\d{1,9}) FAILED\)) \([\d.]+ secs \/ [\d.]+ secs\)$/.exec(
      line,
    );
  if (!match) return false;
  const [skipped, failed, total] = [n(match[3]), n(match[4]), n(match[2])];
  return n(match[1]) + skipped < total || add(report, 'karma', n(match[1]) - failed, failed, skipped, total);
};

// Ran 5 tests containing 12 assertions.
// 0 failures, 0 errors.
const clojure: Reader = (line, report) => {
  const ran = /^Ran (\d{1,9}) tests containing \d{1,9} assertions\.$/.exec(line);
  if (ran) return wait(report, 'clojure ran', n(ran[1]));
  const match = /^(\d{1,9}) failures, (\d{1,9}) errors\.$/.exec(line);
  if (!match || !report.waiting.has('clojure ran')) return false;
  const failed = n(match[1]) + n(match[2]);
  const total = take(report, 'clojure ran');
  return add(report, 'clojure.test', Math.max(0, total - failed), failed, 0, null);
};

// Test Summary: | Pass  Fail  Total  Time
// Parser        |   12     1     13  0.4s
const julia: Reader = (line, report) => {
  const head = /^Test Summary:\s*\|((?:\s+[A-Z][a-z]+)+)\s*$/.exec(line);
  if (head) {
    const columns = (head[1] ?? '').trim().split(/\s+/);
    for (const [at, word] of columns.slice(0, 8).entries()) report.waiting.set(`julia ${word}`, at + 1);
    return true;
  }
  if (!report.waiting.has('julia Total')) return false;
  const row = /^\S[^|]{0,200}\|((?:\s+[\d.msh]+)+)\s*$/.exec(line);
  if (!row) return false;
  const cells = (row[1] ?? '').trim().split(/\s+/);
  // Only the columns that are not empty are written, so a row of another length is a part of the one above.
  const of = (word: string): number => {
    const at = take(report, `julia ${word}`);
    return at === 0 ? 0 : n(cells[at - 1]);
  };
  const [passed, failed] = [of('Pass'), of('Fail') + of('Error')];
  const [skipped, total] = [of('Broken'), of('Total')];
  return add(report, 'julia', passed, failed, skipped, total);
};

// ✓ src/geo/distance_test.py:tests succeeded in 0.92s (cached locally).     targets are counted, not tests
const pants: Reader = (line, report) => {
  const match =
    /^[\u2713\u2715\u{10102}] \S{1,300} (succeeded|failed)(?: in [\d.]{1,10}s)?(?: \([\w ]{1,40}\))?\.$/u.exec(
      line,
    );
  if (!match) return false;
  return add(report, 'pants test', match[1] === 'failed' ? 0 : 1, match[1] === 'failed' ? 1 : 0, 0, null);
};

// INFO     Idempotence completed successfully.
// INFO     Verifier completed successfully.     what a play did on the way counts only where it failed
const molecule: Reader = (line, report) => {
  if (/^\S{0,8}\s{1,8}(?:Idempotence|Verifier) completed successfully\.$/.test(line))
    return wait(report, 'molecule passed', 1);
  const host = /^\S{1,100}\s{1,40}: ok=\d{1,9} .{0,80}\bunreachable=(\d{1,9}) {1,8}failed=(\d{1,9})/.exec(
    line,
  );
  return host !== null && wait(report, 'molecule failed', n(host[1]) + n(host[2]));
};

function flushMolecule(report: Report): void {
  const [passed, failed] = [take(report, 'molecule passed'), take(report, 'molecule failed')];
  if (passed > 0) add(report, 'molecule', passed, failed, 0, null);
}

export const LINE_RUNNERS: readonly Runner[] = [
  ...LINES.map((line): Runner => ({ signs: [line[1]], read: oneLine(line) })),
  ...LISTED.map(listed),
  { signs: ['"numPassedTests"', '"passes"'], read: json },
  { signs: ['<testsuite'], read: junitXml },
  { signs: [': Executed '], read: karma },
  { signs: [' tests containing '], read: clojure },
  { signs: ['Test Summary:'], read: julia },
  { signs: [' succeeded', ' failed'], read: pants },
  { signs: ['Verifier completed', 'Idempotence completed'], read: molecule, flush: flushMolecule },
];
