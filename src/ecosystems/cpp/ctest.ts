// CTest, and the tests of GoogleTest, Catch2, doctest and Boost.
import { add, type LineReader, listed, n, type Output, oneLine, take, wait } from '../report.ts';
import { type Language, type Mark, RUST, type TestConfig, type Traits } from '../runner.ts';
import type { Table, Tool } from '../tool.ts';

const ctest: Tool = {
  kind: 'test',
  runner: 'ctest',
  values:
    '-j --parallel -C --build-config --timeout -O --output-log -T -M -D --repeat --output-junit --schedule-random',
  flags: '-V -VV --output-on-failure -Q --verbose --stop-on-failure',
  selectors: '-R --tests-regex -L --label-regex -I --tests-information',
  excludes: '-E --exclude-regex -LE --label-exclude',
  directory: '--test-dir',
  narrowing: '--rerun-failed',
  dry: '-N --show-only --print-labels -H',
  bare: 'nothing',
};

export const programs = (): Table => ({ ctest });

// 2/5 Test #2: b ....***Skipped   0.01 sec
// 80% tests passed, 1 tests failed out of 5
// No tests were found!!!
const read: LineReader = (line, report) => {
  if (line === 'No tests were found!!!') return add(report, 'ctest', 0, 0, 0);
  if (/^\s*\d+\/\d+ Test\s+#\d+: .*\*\*\*Skipped/.test(line)) return wait(report, 'ctest skipped', 1);
  const match = /^\d+% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})$/.exec(line);
  if (!match) return false;
  const [failed, total, skipped] = [n(match[1]), n(match[2]), take(report, 'ctest skipped')];
  return add(report, 'ctest', total - failed - skipped, failed, skipped, total);
};

export const outputs: readonly Output[] = [
  { signs: ['% tests passed', 'No tests were found!!!'], read },
  // [  PASSED  ] 34 tests.
  oneLine('gtest', '[  PASSED  ]', /^\[ {2}PASSED {2}\] <passed> tests?\.$/),
  oneLine('gtest', '[  FAILED  ]', /^\[ {2}FAILED {2}\] <failed> tests?, listed below:$/),
  oneLine('gtest', '[  SKIPPED ]', /^\[ {2}SKIPPED \] <skipped> tests?, listed below:$/),
  // All tests passed (142 assertions in 23 test cases)
  oneLine(
    'catch2',
    'All tests passed (',
    /^All tests passed \(\d{1,9} assertions? in <passed> test cases?\)$/,
  ),
  // test cases: 23 | 20 passed | 3 failed
  oneLine(
    'catch2',
    'test cases: ',
    /^test cases:\s+<total>(?: \|\s+<passed> passed)?(?: \|\s+<failed> failed)?(?: \|\s+<skipped> skipped)?/,
  ),
  // [doctest] test cases: 31 | 31 passed | 0 failed | 0 skipped
  oneLine(
    'doctest',
    '[doctest] test cases:',
    /^\[doctest\] test cases:\s+\d{1,9} \|\s+<passed> passed \|\s+<failed> failed \|(?:\s+<skipped> skipped)?/,
  ),
  // Totals: 5 passed, 0 failed, 0 skipped, 0 blacklisted, 12ms
  oneLine('qtest', 'Totals: ', /^Totals: <passed> passed, <failed> failed, <skipped> skipped/),
  // # TOTAL: 3
  // # PASS:  3
  listed({
    runner: 'automake',
    signs: ['# TOTAL: '],
    line: /^# (?<word>PASS|SKIP|XFAIL|FAIL|XPASS|ERROR): {1,2}(?<count>\d{1,9})$/,
    words: {
      PASS: 'passed',
      XFAIL: 'passed',
      FAIL: 'failed',
      XPASS: 'failed',
      ERROR: 'failed',
      SKIP: 'skipped',
    },
  }),
];

export const traits: readonly Traits[] = [
  {
    name: 'ctest',
    failing: [['99% tests passed, 1 tests failed out of 104', 'Errors while running CTest']],
    bad: /^Errors while running CTest$/m,
  },
  // What failed stands below what passed.
  { name: 'gtest', failing: ['[  FAILED  ] 1 test, listed below:'], bad: /^ *\d+ FAILED TESTS?$/m },
  { name: 'catch2', failing: ['test cases: 3 | 2 passed | 1 failed'] },
  {
    name: 'doctest',
    failing: [['[doctest] test cases: 3 | 2 passed | 1 failed | 0 skipped', '[doctest] Status: FAILURE!']],
    bad: /^\[doctest\] Status: FAILURE!$/m,
  },
  { name: 'qtest', failing: ['Totals: 2 passed, 1 failed, 0 skipped, 0 blacklisted, 12ms'] },
  { name: 'automake', failing: ['# FAIL:  1', '# ERROR: 1'], first: /^# ERROR: /m },
];

const marks: readonly Mark[] = [
  ['test', /\b(?:TEST|TEST_F|TEST_P|TYPED_TEST)\s*\(\s*\w+\s*,\s*(?<name>(?!DISABLED_)\w+)/],
  ['test', /\b(?:TEST_CASE|SCENARIO|BOOST_AUTO_TEST_CASE)\s*(?=\()/],
  ['skip-here', /\bGTEST_SKIP\s*\(|\bSKIP\s*\(/],
  ['skip-file', /^\s*#if\s+0\b/],
  ['assert', /\b(?:EXPECT|ASSERT|CHECK|REQUIRE|BOOST_(?:CHECK|REQUIRE|TEST))\w*\s*\(|\bassert\s*\(/],
  ['table', /\bINSTANTIATE_TEST_SUITE_P\b|\bGENERATE\s*\(/],
];

export const language: Language = {
  syntax: RUST,
  marks: [marks],
  trivial: /\b(?:EXPECT|ASSERT)_TRUE\(\s*true\s*\)|\bassert\(\s*(?:true|1)\s*\)/,
};

export const config: TestConfig = { names: 'cmakelists\\.txt|ctesttestfile\\.cmake' };
