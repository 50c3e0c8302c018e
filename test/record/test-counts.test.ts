// What the runners print, and what is made of it. The reports are the runners' own, shortened.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testCounts } from '../../src/record/facts/test-counts.ts';
import { temporary } from '../temporary.ts';

type Expected = [runner: string, passed: number, failed: number, skipped: number, total: number | null];

const ESC = '\u001b';

const reports: readonly (readonly [string, string, Expected])[] = [
  [
    'karma',
    'Chrome 124 (Linux x86_64): Executed 10 of 92 SUCCESS\nChrome 124 (Linux x86_64): Executed 92 of 92 (1 FAILED) (1.8 secs / 1.6 secs)\n',
    ['karma', 91, 1, 0, 92],
  ],
  [
    'automake',
    '# TOTAL: 5\n# PASS:  3\n# SKIP:  1\n# XFAIL: 0\n# FAIL:  1\n# XPASS: 0\n# ERROR: 0\n',
    ['automake', 3, 1, 1, 5],
  ],
  [
    'gtest',
    '[==========] 36 tests from 5 test suites ran. (212 ms total)\n[  PASSED  ] 34 tests.\n[  FAILED  ] 2 tests, listed below:\n',
    ['gtest', 34, 2, 0, 36],
  ],
  ['catch2', 'All tests passed (142 assertions in 23 test cases)\n', ['catch2', 23, 0, 0, 23]],
  [
    'catch2 with failures',
    'test cases: 23 | 20 passed | 3 failed\nassertions: 142 | 139 passed | 3 failed\n',
    ['catch2', 20, 3, 0, 23],
  ],
  ['doctest', '[doctest] test cases: 31 | 30 passed | 1 failed | 0 skipped\n', ['doctest', 30, 1, 0, 31]],
  ['qtest', 'Totals: 5 passed, 1 failed, 2 skipped, 0 blacklisted, 12ms\n', ['qtest', 5, 1, 2, 8]],
  ['zig', 'All 7 tests passed.\n', ['zig test', 7, 0, 0, 7]],
  ['tasty', 'All 7 tests passed (0.01s)\n', ['tasty', 7, 0, 0, 7]],
  ['eunit', '  All 7 tests passed.\n', ['eunit', 7, 0, 0, 7]],
  ['alcotest', '2 failures! in 0.013s. 12 tests run.\n', ['alcotest', 10, 2, 0, 12]],
  ['cabal', '1 of 2 test suites (4 of 5 test cases) passed.\n', ['cabal test', 4, 1, 0, 5]],
  [
    'cabal with a suite that did not run',
    '1 of 2 test suites (4 of 4 test cases) passed.\n',
    ['cabal test', 4, 1, 0, 5],
  ],
  [
    'pester',
    'Tests Passed: 12, Failed: 0, Skipped: 1, Inconclusive: 0, NotRun: 0\n',
    ['pester', 12, 0, 1, 13],
  ],
  ['testthat', '[ FAIL 1 | WARN 0 | SKIP 2 | PASS 42 ]\n', ['testthat', 42, 1, 2, 45]],
  ['dbt', '10:01:12  Done. PASS=4 WARN=0 ERROR=1 SKIP=0 TOTAL=5\n', ['dbt', 4, 1, 0, 5]],
  ['terraform test', 'Success! 3 passed, 0 failed.\n', ['terraform test', 3, 0, 0, 3]],
  ['behave', '3 scenarios passed, 1 failed, 0 skipped\n', ['behave', 3, 1, 0, 4]],
  ['behave with an error', '3 scenarios passed, 1 failed, 1 error, 2 skipped\n', ['behave', 3, 2, 2, 7]],
  ['cucumber', '3 scenarios (1 failed, 2 passed)\n', ['cucumber', 2, 1, 0, 3]],
  ['robot', '12 tests, 11 passed, 1 failed\n', ['robot', 11, 1, 0, 12]],
  [
    'meson',
    '1/18 gfx:blend OK 0.11s\nOk:                 17\nExpected Fail:      0\nFail:               1\nUnexpected Pass:    0\nSkipped:            0\nTimeout:            0\n',
    ['meson test', 17, 1, 0, 18],
  ],
  ['uvu', '  Total:     5\n  Passed:    4\n  Skipped:   1\n  Duration:  1.20ms\n', ['uvu', 4, 0, 1, 5]],
  [
    'jest as JSON',
    '{"numFailedTests":1,"numPassedTests":4,"numPendingTests":2,"success":false}\n',
    ['json', 4, 1, 2, 7],
  ],
  [
    'mocha as JSON',
    '{\n  "stats": {\n    "tests": 6,\n    "passes": 5,\n    "pending": 1,\n    "failures": 0\n  }\n}\n',
    ['json', 5, 0, 1, 6],
  ],
  [
    'JUnit XML',
    '<?xml version="1.0"?>\n<testsuites name="a" tests="12" failures="1" errors="0" time="0.3">\n  <testsuite name="b" tests="12" failures="1" errors="0" skipped="2">\n',
    ['junit xml', 11, 1, 0, 12],
  ],
  [
    'JUnit XML without a sum',
    '<testsuite name="b" tests="5" failures="0" errors="1" skipped="1"></testsuite>\n',
    ['junit xml', 3, 1, 1, 5],
  ],
  [
    'clojure.test',
    'Ran 5 tests containing 12 assertions.\n0 failures, 0 errors.\n',
    ['clojure.test', 5, 0, 0, null],
  ],
  ['kaocha', '5 tests, 12 assertions, 1 pending, 1 errors, 2 failures.\n', ['kaocha', 1, 3, 1, 5]],
  [
    'julia',
    'Test Summary: | Pass  Fail  Total  Time\nParser        |   12     1     13  0.4s\n',
    ['julia', 12, 1, 0, 13],
  ],
  [
    'vitest',
    ' ❯ test/a.test.ts (4 tests | 1 failed) 12ms\n\n Test Files  1 failed | 2 passed (3)\n      Tests  1 failed | 4 passed | 1 skipped | 1 todo (7)\n   Start at  10:00:00\n',
    ['vitest', 4, 1, 2, 7],
  ],
  ['vitest, of which only the end is left', '      Tests  12 passed (12)\n', ['vitest', 12, 0, 0, 12]],
  [
    'jest, of which only the end is left',
    'PASS a.test.ts\nTests:       7 passed, 7 total\n',
    ['jest', 7, 0, 0, 7],
  ],
  [
    'pest',
    '  ⨯ it fails\n\n  Tests:    1 failed, 1 skipped, 2 passed (5 assertions)\n  Duration: 0.2s\n',
    ['pest', 2, 1, 1, 4],
  ],
  [
    'vitest in colour',
    `${ESC}[2m Test Files ${ESC}[22m ${ESC}[1m${ESC}[32m2 passed${ESC}[39m${ESC}[22m${ESC}[90m (2)${ESC}[39m\n${ESC}[2m      Tests ${ESC}[22m ${ESC}[1m${ESC}[32m76 passed${ESC}[39m${ESC}[22m${ESC}[90m (76)${ESC}[39m\n`,
    ['vitest', 76, 0, 0, 76],
  ],
  [
    'vitest with a file that did not load',
    ' Test Files  1 failed | 1 passed (2)\n      Tests  3 passed (3)\n',
    ['vitest', 3, 1, 0, 4],
  ],
  [
    'vitest with no test loaded',
    ' Test Files  1 failed (1)\n      Tests  no tests\n',
    ['vitest', 0, 1, 0, 1],
  ],
  [
    'vitest with an error outside of tests',
    ' Test Files  1 passed (1)\n      Tests  3 passed (3)\n     Errors  1 error\n',
    ['vitest', 3, 1, 0, 4],
  ],
  [
    'jest',
    'Test Suites: 1 failed, 2 passed, 3 total\nTests:       1 failed, 1 skipped, 1 todo, 4 passed, 7 total\nSnapshots:   0 total\nTime:        1.2 s\n',
    ['jest', 4, 1, 2, 7],
  ],
  [
    'jest with a suite that did not run',
    'Test Suites: 1 failed, 1 passed, 2 total\nTests:       3 passed, 3 total\n',
    ['jest', 3, 1, 0, 4],
  ],
  ['vitest with nothing to run', '\nNo test files found, exiting with code 0\n', ['vitest', 0, 0, 0, 0]],
  ['jest with nothing to run', 'No tests found, exiting with code 0\n', ['jest', 0, 0, 0, 0]],
  [
    'TAP without a sum',
    'TAP version 13\n1..3\nok 1 - a # time=1ms\nnot ok 2 - b\n    ok 1 - inner\nok 3 # SKIP c\n',
    ['tap', 1, 1, 1, 3],
  ],
  ['ava', '\n  ✔ a\n  ─\n\n  2 tests passed\n  1 test failed\n  1 test skipped\n', ['ava', 2, 1, 1, 4]],
  [
    'jasmine',
    '..\n\n3 specs, 1 failure, 1 pending spec\nFinished in 0.009 seconds\n',
    ['jasmine', 1, 1, 1, 3],
  ],
  [
    'cypress',
    '  (Run Finished)\n  ✖  1 of 2 failed (50%)                     00:05        3        2        1        -        -\n',
    ['cypress', 2, 1, 0, 3],
  ],
  [
    'packages of a workspace, line by line',
    'a test: # tests 2\nb test: # tests 1\na test: # suites 1\nb test: # suites 0\na test: # pass 2\nb test: # pass 0\nb test: # fail 1\na test: # fail 0\n',
    ['node:test', 2, 1, 0, 3],
  ],
  [
    'gotestsum',
    '✓  users (cached)\n\nDONE 6 tests, 1 skipped, 2 failures in 0.348s\n',
    ['gotestsum', 3, 2, 1, 6],
  ],
  [
    'go without a test',
    '?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.1s [no tests to run]\n',
    ['go test', 0, 0, 0, null],
  ],
  ['surefire that skips', '[INFO] Tests are skipped.\n[INFO] BUILD SUCCESS\n', ['surefire', 0, 0, 0, 0]],
  ['ctest without a test', 'No tests were found!!!\n', ['ctest', 0, 0, 0, 0]],
  [
    'gradle that only says it ran',
    '> Task :app:testClasses\n> Task :app:test\n> Task :lib:test NO-SOURCE\n\nBUILD SUCCESSFUL in 4s\n',
    ['gradle', 1, 0, 0, null],
  ],
  [
    'gradle without tests',
    '> Task :app:test NO-SOURCE\n\nBUILD SUCCESSFUL in 4s\n',
    ['gradle', 0, 0, 0, null],
  ],
  [
    'prove',
    't/a.t (Wstat: 256 (exited 1) Tests: 3 Failed: 1)\nFiles=1, Tests=3,  0 wallclock secs ( 0.02 usr )\nResult: FAIL\n',
    ['prove', 2, 1, 0, 3],
  ],
  ['ExUnit', 'Finished in 0.02 seconds\n1 doctest, 4 tests, 1 failure, 1 skipped\n', ['exunit', 3, 1, 1, 5]],
  [
    'busted',
    '++\n2 successes / 1 failure / 0 errors / 1 pending : 0.000718 seconds\n',
    ['busted', 2, 1, 1, 4],
  ],
  ['flutter', '00:03 +2 ~1 -1: Some tests failed.\n', ['dart test', 2, 1, 1, 4]],
  ['bazel', 'Executed 1 out of 3 tests: 2 tests pass and 1 fails locally.\n', ['bazel test', 2, 1, 0, null]],
  [
    'ScalaTest',
    '[info] Tests: succeeded 2, failed 1, canceled 0, ignored 1, pending 0\n[info] Passed: Total 3, Failed 1, Errors 0, Passed 2\n',
    ['scalatest', 2, 1, 1, 4],
  ],
  ['sbt', '[info] Passed: Total 3, Failed 0, Errors 0, Passed 3\n', ['sbt', 3, 0, 0, 3]],
  ['mocha', '\n  5 passing (12ms)\n  1 pending\n  2 failing\n\n  1) a b:\n', ['mocha', 5, 2, 1, 8]],
  ['mocha without failures', '  12 passing (1s)\n', ['mocha', 12, 0, 0, 12]],
  [
    'node:test, spec',
    'ℹ tests 6\nℹ suites 0\nℹ pass 3\nℹ fail 1\nℹ cancelled 0\nℹ skipped 1\nℹ todo 1\nℹ duration_ms 21\n',
    ['node:test', 3, 1, 2, 6],
  ],
  [
    'node:test, TAP',
    '1..5\n# tests 6\n# suites 0\n# pass 2\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 1\n# duration_ms 256\n',
    ['node:test', 2, 2, 2, 6],
  ],
  ['another writer of TAP', '1..3\n# tests 3\n# pass  2\n# fail  1\n', ['tap', 2, 1, 0, 3]],
  [
    'playwright',
    'Running 6 tests using 2 workers\n\n  1 failed\n    [chromium] › a.spec.ts:3:1 › x ───\n  1 flaky\n    [chromium] › b.spec.ts\n  1 skipped\n  1 did not run\n  2 passed (1.2s)\n',
    ['playwright', 3, 1, 2, 6],
  ],
  [
    'playwright with an error outside of tests',
    'Running 1 test using 1 worker\n\n  1 passed (1.2s)\n  1 error was not a part of any test, see above for details\n',
    ['playwright', 1, 1, 0, 2],
  ],
  [
    'playwright where nothing passed',
    'Running 1 test using 1 worker\n\n  1 failed\n    a.spec.ts\n',
    ['playwright', 0, 1, 0, 1],
  ],
  [
    'bun',
    'bun test v1.1.0\n\n 5 pass\n 1 fail\n 2 skip\n 10 expect() calls\nRan 8 tests across 2 files. [12.00ms]\n',
    ['bun test', 5, 1, 2, 8],
  ],
  ['deno', 'ok | 5 passed (3 steps) | 0 failed | 1 ignored (12ms)\n', ['deno test', 5, 0, 1, 6]],
  ['deno that failed outside of tests', 'FAILED | 4 passed | 0 failed (12ms)\n', ['deno test', 4, 1, 0, 5]],
  [
    'pytest',
    '=== short test summary info ===\nFAILED test_a.py::test - assert 0\n=== 1 failed, 2 passed, 1 skipped, 1 xfailed, 1 xpassed, 3 warnings in 0.12s ===\n',
    ['pytest', 3, 1, 2, 6],
  ],
  [
    'pytest in colour',
    `${ESC}[31m============== ${ESC}[31m${ESC}[1m1 failed${ESC}[0m, ${ESC}[32m1 passed${ESC}[0m, ${ESC}[33m1 skipped${ESC}[0m${ESC}[31m in 1.74s${ESC}[0m${ESC}[31m ===============${ESC}[0m\n`,
    ['pytest', 1, 1, 1, 3],
  ],
  ['pytest -q', '..                     [100%]\n2 passed in 61.01s (0:01:01)\n', ['pytest', 2, 0, 0, 2]],
  [
    'pytest -qq',
    '..s.x                     [ 83%]\n.                        [100%]\n',
    ['pytest', 4, 0, 2, null],
  ],
  ['pytest -qq that failed', '.F                        [100%]\n', ['pytest', 1, 1, 0, null]],
  [
    'pytest that could not collect',
    '!!! Interrupted: 1 error during collection !!!\n=== 1 error in 0.10s ===\n',
    ['pytest', 0, 1, 0, 1],
  ],
  ['pytest with nothing to run', '=== no tests ran in 0.01s ===\n', ['pytest', 0, 0, 0, 0]],
  [
    'unittest',
    '...\nRan 4 tests in 0.001s\n\nFAILED (failures=1, skipped=1, expected failures=1)\n',
    ['unittest', 1, 1, 2, 4],
  ],
  [
    'doctest of Python',
    '1 items had failures:\n   1 of   2 in a.f\n3 tests in 5 items.\n2 passed and 1 failed.\n***Test Failed*** 1 failures.\n',
    ['python doctest', 2, 1, 0, 3],
  ],
  ['doctest without -v', '***Test Failed*** 2 failures.\n', ['python doctest', 0, 2, 0, null]],
  [
    'doctest of a newer one',
    '3 tests in 5 items.\n3 passed.\nTest passed.\n',
    ['python doctest', 3, 0, 0, 3],
  ],
  ['unittest without failures', 'Ran 3 tests in 0.001s\n\nOK\n', ['unittest', 3, 0, 0, 3]],
  [
    'go test -v',
    '=== RUN   TestOk\n--- PASS: TestOk (0.00s)\n    --- PASS: TestOk/sub (0.00s)\n--- FAIL: TestBad (0.00s)\n--- SKIP: TestSkip (0.00s)\nFAIL\nFAIL\texample.com/m/a\t0.003s\n=== RUN   TestOk\n--- PASS: TestOk (0.00s)\nPASS\nok  \texample.com/m/b\t0.003s\nFAIL\n',
    ['go test', 3, 1, 1, 5],
  ],
  [
    'go test, which counts packages',
    '--- FAIL: TestBad (0.00s)\n    a_test.go:4: x\nFAIL\nFAIL\texample.com/m/a\t0.003s\nok  \texample.com/m/b\t(cached)\n?   \texample.com/m/c\t[no test files]\nok  \texample.com/m/d\t0.1s [no tests to run]\nFAIL\n',
    ['go test', 1, 1, 0, null],
  ],
  [
    'go test that does not build',
    '# example.com/m\n./a.go:3: x\nFAIL\texample.com/m [build failed]\nFAIL\n',
    ['go test', 0, 1, 0, null],
  ],
  [
    'go test -json',
    '{"Time":"t","Action":"output","Package":"m","Test":"TestA","Output":"{\\"Action\\":\\"fail\\",\\"Test\\":\\"x\\"}\\n"}\n{"Time":"t","Action":"pass","Package":"m","Test":"TestA","Elapsed":0}\n{"Time":"t","Action":"fail","Package":"m","Test":"TestB","Elapsed":0}\n{"Time":"t","Action":"fail","Package":"m","Elapsed":0}\n',
    ['go test', 1, 1, 0, 2],
  ],
  [
    'cargo test, one report a crate',
    'test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.12s\n\n   Doc-tests m\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.16s\n',
    ['cargo test', 3, 1, 1, 5],
  ],
  [
    'cargo nextest',
    '     Summary [   0.123s] 5 tests run: 4 passed (1 slow), 1 failed, 2 skipped\n',
    ['cargo nextest', 4, 1, 2, 7],
  ],
  [
    'rspec',
    '5 examples, 1 failure, 1 pending, 1 error occurred outside of examples\n',
    ['rspec', 3, 2, 1, 5],
  ],
  ['Crystal', '5 examples, 1 failures, 1 errors, 1 pending\n', ['rspec', 2, 2, 1, 5]],
  ['minitest-reporters', '5 tests, 7 assertions, 1 failures, 1 errors, 1 skips\n', ['minitest', 2, 2, 1, 5]],
  ['minitest', '5 runs, 7 assertions, 1 failures, 1 errors, 1 skips\n', ['minitest', 2, 2, 1, 5]],
  [
    'test-unit',
    '5 tests, 7 assertions, 1 failures, 0 errors, 1 pendings, 1 omissions, 0 notifications\n',
    ['test-unit', 2, 1, 2, 5],
  ],
  ['phpunit', 'OK (5 tests, 9 assertions)\n', ['phpunit', 5, 0, 0, 5]],
  [
    'phpunit with failures',
    'FAILURES!\nTests: 6, Assertions: 9, Errors: 1, Failures: 1, Skipped: 1, Incomplete: 1.\n',
    ['phpunit', 2, 2, 2, 6],
  ],
  [
    'surefire',
    '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.01 s -- in a.ATest\n[INFO] Results:\n[ERROR] Tests run: 5, Failures: 1, Errors: 1, Skipped: 1\n[INFO] Results:\n[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n',
    ['surefire', 4, 2, 1, 7],
  ],
  [
    'surefire cut off',
    '[INFO] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Time elapsed: 0.01 s -- in a.ATest\n',
    ['surefire', 2, 0, 1, null],
  ],
  ['JUnit 4', 'OK (5 tests)\n', ['junit', 5, 0, 0, 5]],
  [
    'JUnit 5',
    '[         6 tests found           ]\n[         1 tests skipped         ]\n[         0 tests aborted         ]\n[         4 tests successful      ]\n[         1 tests failed          ]\n',
    ['junit', 4, 1, 1, 6],
  ],
  [
    'gradle',
    'FooTest > bar() FAILED\n    java.lang.AssertionError\n\n5 tests completed, 1 failed, 1 skipped\n',
    ['gradle', 3, 1, 1, 5],
  ],
  [
    'gradle, listed',
    'FooTest > bar() PASSED\nFooTest > baz() SKIPPED\nBUILD SUCCESSFUL in 1s\n',
    ['gradle', 1, 0, 1, null],
  ],
  [
    'dotnet test, one line an assembly',
    'Failed!  - Failed:     1, Passed:     4, Skipped:     1, Total:     6, Duration: 12 ms - a.dll (net8.0)\nPassed!  - Failed:     0, Passed:     2, Skipped:     0, Total:     2, Duration: 1 ms - b.dll (net8.0)\n',
    ['dotnet test', 6, 1, 1, 8],
  ],
  [
    'dotnet test, one line',
    'Test summary: total: 5, failed: 1, succeeded: 3, skipped: 1, duration: 1.2s\n',
    ['dotnet test', 3, 1, 1, 5],
  ],
  [
    'dotnet test, several lines',
    'Total tests: 5\n     Passed: 4\n     Failed: 1\n Total time: 1.2 Seconds\n',
    ['dotnet test', 4, 1, 0, 5],
  ],
  [
    'dotnet run',
    'Test run summary: Failed!\n  total: 5\n  failed: 1\n  succeeded: 4\n  skipped: 0\n',
    ['dotnet test', 4, 1, 0, 5],
  ],
  [
    'XCTest',
    "Test Suite 'A' failed at 2026-01-01.\n\t Executed 5 tests, with 1 failure (0 unexpected) in 0.1 (0.1) seconds\nTest Suite 'All tests' failed at 2026-01-01.\n\t Executed 5 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.1 (0.2) seconds\n",
    ['swift test', 3, 1, 1, 5],
  ],
  [
    'XCTest without its sums',
    "Test Case 'A.a' passed (0.001 seconds)\nTest Case '-[A b]' failed (0.001 seconds).\nTest Suite 'All tests' failed at 2026-01-01.\n\u2714 Test run with 0 tests passed after 0.001 seconds.\n",
    ['swift test', 1, 1, 0, null],
  ],
  [
    'Swift Testing without a test',
    '\u2714 Test run with 0 tests passed after 0.001 seconds.\n',
    ['swift test', 0, 0, 0, 0],
  ],
  [
    'Swift Testing',
    '✘ Test a() failed after 0.001 seconds with 1 issue.\n✘ Test run with 5 tests in 2 suites failed after 0.01 seconds with 1 issue.\n',
    ['swift test', 4, 1, 0, 5],
  ],
  [
    'ctest',
    '2/3 Test #2: b ....***Failed    0.00 sec\n3/3 Test #3: c ....***Skipped   0.00 sec\n\n67% tests passed, 1 tests failed out of 3\n',
    ['ctest', 1, 1, 1, 3],
  ],
];

/** In no form that is known by a name. */
const plain: readonly (readonly [string, (number | null)[]])[] = [
  ['Summary: 11 ok, 1 failed, 12 tests\n', [11, 1, 0, 12]],
  ['conf_test: 12 tests, 12 ok\n', [12, 0, 0, 12]],
  ['===== 3 test cases: 3 succeeded in 00:00:01.420 =====\n', [3, 0, 0, 3]],
  ['PASS: 2/3\nFAIL: 1/3\n', [2, 1, 0, 3]],
  ['Passed:   16\nFailed:   0\n', [16, 0, 0, 16]],
  ['Total\t12\tPassed\t11\tSkipped\t1\tFailed\t0\n', [11, 0, 1, 12]],
  ['Count: 12, Failed: 1, Skipped: 0\n', [11, 1, 0, 12]],
  ['3 checks, 0 errors\n', [3, 0, 0, 3]],
  ['FAIL: c\n2 tests passed\n', [2, 1, 0, 3]],
  ['core: 3 tests passed\nui: 4 tests passed\n7 tests passed\n', [7, 0, 0, 7]],
  ['   1/2  test_a ... PASSED\n   2/2  test_b ... FAILED\n', [1, 1, 0, null]],
  ['[OK] a\nSuccess: All tests passed\n', [1, 0, 0, null]],
  ['Running 16 tests\nTEST RUN PASSED\n', [16, 0, 0, null]],
  ['No tests found.\nAll tests passed!\n', [0, 0, 0, 0]],
];

describe('testCounts', () => {
  it.each(plain)('reads %j', (text, [passed, failed, skipped, total]) => {
    expect(testCounts(text)).toEqual({ runner: 'plain', passed, failed, skipped, total });
    expect(testCounts(text, false)).toBeNull();
  });

  it.each(reports)('reads %s', (_, text, [runner, passed, failed, skipped, total]) => {
    const expected = { runner, passed, failed, skipped, total };
    expect(testCounts(text)).toEqual(expected);
    expect(testCounts(text.replaceAll('\n', '\r\n'))).toEqual(expected);
    expect(testCounts(`$ npm test\n> a@1.0.0 test\n${text}Done in 3.2s\n`)).toEqual(expected);
  });

  it('adds up the reports of one runner, so that a later one hides no failure', () => {
    const failed = '=== 1 failed, 2 passed in 0.12s ===\n';
    const passed = '=== 3 passed in 0.12s ===\n';
    expect(testCounts(failed + passed)).toEqual({
      runner: 'pytest',
      passed: 5,
      failed: 1,
      skipped: 0,
      total: 6,
    });
    expect(testCounts(passed + failed)).toMatchObject({ passed: 5, failed: 1 });
    for (const [, text, [runner, ...counts]] of reports.filter(([name]) => name !== 'surefire cut off')) {
      const sum = counts.map((count) => (count === null ? null : 2 * count));
      const twice = testCounts(text + text);
      expect([runner, twice?.passed, twice?.failed, twice?.skipped, twice?.total]).toEqual([runner, ...sum]);
    }
  });

  it('adds up the reports of several runners', () => {
    const text =
      'test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n1 failed in 0.1s\n';
    expect(testCounts(text)).toEqual({
      runner: 'cargo test+pytest',
      passed: 2,
      failed: 1,
      skipped: 0,
      total: 3,
    });
  });

  it.each([
    '',
    'hello\n',
    'added 5 packages in 3s\n',
    '2 warnings in 1.2s\n',
    'All tests passed!\n',
    'OK\n',
    '12 passed the exam\n',
    'Tests: see below\n',
    'total: 5\nfailed: 2\n',
    '3 pending\n1 failing\n',
    '2 fail\n',
    '# pass 5\n',
    'the test result: ok. 1 passed; 0 failed; 0 ignored;\n',
    'Ran 5 tests in 0.1s\n',
    'Process Group PGID: 5\n',
    'echo 12 tests passed\n12 tests passed\n',
    "+ echo '[OK] a'\n[OK] a\n[OK] b\n",
    'the 12 tests that passed, 0 failed\n',
    'Round 1 passed, round 2 passed\n',
    '47 records passed validation, 0 failed\n',
    '✓ 34 modules transformed.\n✓ built in 512ms\n',
    'host : ok=9 changed=1 unreachable=0 failed=0\n',
    'Passed: 0 failure(s), 0 warning(s) on 6 files.\n',
  ])('sees no report in %j', (text) => {
    expect(testCounts(text)).toBeNull();
  });

  it('reads both ends of long output, and says that it did not see all', () => {
    const report = '=== 1 failed, 2 passed in 0.12s ===\n';
    const filler = 'x'.repeat(99).concat('\n').repeat(20_000);
    expect(testCounts(report + filler + report)).toEqual({
      runner: 'pytest',
      passed: 4,
      failed: 2,
      skipped: 0,
      total: null,
    });
    expect(testCounts(filler + report + filler)).toBeNull();
  });

  it('never takes half a line for a whole one', () => {
    const line = '12345678 passed in 1.00s\n';
    const lines = line.repeat(40_000);
    for (let shift = 0; shift < line.length; shift++) {
      const counts = testCounts('z'.repeat(shift) + lines + 'z'.repeat(shift));
      expect((counts?.passed ?? 1) % 12345678).toBe(0);
    }
  });

  it('is linear on hostile output, and never throws', () => {
    const pieces = [
      '1 passed, ',
      '= ',
      ' > ',
      'Tests  ',
      '--- ',
      '\u001b[',
      '\r',
      'test result: ',
      '1 ',
      '\n',
      '{"Time":',
    ];
    for (const piece of pieces) testCounts(piece.repeat(200_000));
    const text = fc.array(
      fc.oneof(fc.constantFrom(...pieces, ...reports.map(([, report]) => report)), fc.string()),
    );
    fc.assert(
      fc.property(text, (parts) => {
        const counts = testCounts(parts.join(''));
        if (counts === null) return;
        for (const count of [counts.passed, counts.failed, counts.skipped]) {
          expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
        }
      }),
    );
  });

  it('reads what node:test really prints', () => {
    const file = join(temporary(), 'a.test.mjs');
    writeFileSync(
      file,
      "import test from 'node:test';\ntest('a', () => {});\ntest('b', () => { throw new Error('x'); });\ntest.skip('c');\n",
    );
    for (const reporter of ['spec', 'tap']) {
      const { NODE_TEST_CONTEXT: _, ...env } = process.env;
      const { stdout } = spawnSync(process.execPath, ['--test', `--test-reporter=${reporter}`, file], {
        encoding: 'utf8',
        env,
      });
      expect(testCounts(stdout)).toEqual({ runner: 'node:test', passed: 1, failed: 1, skipped: 1, total: 3 });
    }
  });
});
