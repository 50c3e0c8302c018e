// How each runner and checker ends, well and badly, and which viewers leave enough of it in view: those before the arrow
// would have kept a failure as well, those behind it would have hidden it. What is printed is the tools' own, shortened.
import { describe, expect, it } from 'vitest';
import { testCounts } from '../../src/record/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';

function summary(command: string, output: string, exit: number | null = 0): string | undefined {
  const read = readCommand(command, { cwd: '/work/app', root: '/work/app' });
  const tests = read.pasted === null ? testCounts(output, !read.says) : null;
  return completeChecks(read, { output, exit, tests }).at(-1)?.summary;
}

interface Ends {
  readonly good: string;
  /** Each is another way to fail. */
  readonly bad: readonly string[];
  /** The tests passed, and something beside them failed: who looks at the end sees it. */
  readonly beside?: readonly string[];
  /** Behind these, the good end shows a pass. */
  readonly keeps: readonly string[];
  /** Behind these nothing is told: they would have left out what failed. */
  readonly hides: readonly string[];
}

/** So many lines that say nothing, as they stand above a summary. */
const above = (output: string): string => `${'compiled a file\n'.repeat(60)}${output}`;

/** What is in view behind the viewers of a command. */
function seen(command: string, output: string): string {
  const views = command.split(/\s*(?:2>&1\s*)?\|\s*(?=(?:tail|head|tee|cat|grep)\b)/).slice(1);
  return views.reduce((text, view) => {
    const lines = text.replace(/\n$/, '').split('\n');
    const [name, ...words] = view.split(' ');
    if (name === 'tail') return `${lines.slice(-Number(words.at(-1)?.replace('-', ''))).join('\n')}\n`;
    if (name === 'head') return `${lines.slice(0, Number(words.at(-1)?.replace('-', ''))).join('\n')}\n`;
    if (name !== 'grep') return text;
    const [, options = '', pattern = ''] = /^grep (-\w+ )?["']?(.*?)["']?$/.exec(view) ?? [];
    const form = options.includes('E') ? pattern : pattern.replace(/[+?|(){}]/g, '\\$&');
    const like = new RegExp(form, options.includes('i') ? 'i' : '');
    return lines
      .filter((line) => like.test(line) !== options.includes('v'))
      .map((line) => `${line}\n`)
      .join('');
  }, output);
}

const RUNNERS: Readonly<Record<string, Ends>> = {
  maven: {
    good: '[INFO] Running a.ATest\n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.02 s -- in a.ATest\n[INFO] \n[INFO] Results:\n[INFO] \n[INFO] Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] \n[INFO] ----\n[INFO] BUILD SUCCESS\n[INFO] ----\n[INFO] Total time:  2.1 s\n[INFO] Finished at: 2026-01-01T10:00:00Z\n[INFO] ----\n',
    bad: [
      '[ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] \n[INFO] ----\n[INFO] BUILD FAILURE\n[INFO] ----\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-surefire-plugin:3.2.5:test\n',
    ],
    beside: [
      '[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0\n[INFO] ----\n[INFO] BUILD FAILURE\n[INFO] ----\n[ERROR] COMPILATION ERROR : \n',
    ],
    keeps: [
      'mvn test 2>&1 | tail -30',
      './mvnw -B verify | tail -40',
      'mvn test | grep -E "Tests run|BUILD|ERROR"',
      'mvn test | tee out.log | tail -20',
      'mvn test | grep "Tests run:"',
      'mvn test | grep INFO',
    ],
    hides: [
      'mvn test | grep "Failures: 0, Errors: 0"',
      'mvn test | grep -v ERROR',
      'mvn test | grep "in a.ATest"',
    ],
  },
  gradle: {
    good: '> Task :compileJava\n> Task :test\n\nBUILD SUCCESSFUL in 4s\n3 actionable tasks: 3 executed\n',
    bad: [
      '> Task :test FAILED\n\nATest > a FAILED\n    java.lang.AssertionError at ATest.java:10\n\n3 tests completed, 1 failed\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 2s\n4 actionable tasks: 4 executed\n',
      '> Task :app:test\n> Task :lib:compileJava FAILED\n\nFAILURE: Build failed with an exception.\n\nBUILD FAILED in 2s\n',
    ],
    keeps: [
      './gradlew test | tail -20',
      'gradle test --console=plain 2>&1 | tail -5',
      './gradlew test | grep -E "BUILD|Task"',
    ],
    hides: [
      './gradlew test | grep SUCCESSFUL',
      './gradlew test | grep "Task :test$"',
      './gradlew test | tail -3',
    ],
  },
  sbt: {
    good: '[info] Run completed in 1 second.\n[info] Suites: completed 1, aborted 0\n[info] Tests: succeeded 2, failed 0, canceled 0, ignored 0, pending 0\n[info] All tests passed.\n[success] Total time: 3 s, completed Jan 1, 2026\n',
    bad: [
      '[info] Tests: succeeded 1, failed 1, canceled 0, ignored 0, pending 0\n[info] *** 1 TEST FAILED ***\n[error] Failed tests:\n[error] \ta.ASpec\n[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful\n[error] Total time: 3 s, completed Jan 1, 2026\n',
      '[info] Tests: succeeded 2, failed 0, canceled 0, ignored 0, pending 0\n[info] *** 1 SUITE ABORTED ***\n[error] Error during tests:\n[error] \ta.BSpec\n[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful\n',
    ],
    keeps: ['sbt test | tail -5', 'sbt test | grep -E "Tests:|error"'],
    hides: ['sbt test | grep "failed 0"', 'sbt test | grep -v error'],
  },
  'MUnit in sbt': {
    good: '[info] Passed: Total 3, Failed 0, Errors 0, Passed 3\n[success] Total time: 3 s, completed Jan 1, 2026\n',
    bad: [
      '[error] Failed: Total 3, Failed 1, Errors 0, Passed 2\n[error] Failed tests:\n[error] \ta.ASuite\n[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful\n',
    ],
    keeps: ['sbt test | tail -3', 'sbt test 2>&1 | grep -E "Total [0-9]"'],
    hides: ['sbt test | grep Passed:', 'sbt test | grep info'],
  },
  clojure: {
    good: 'Ran 5 tests containing 12 assertions.\n0 failures, 0 errors.\n',
    bad: [
      'Ran 5 tests containing 12 assertions.\n1 failures, 0 errors.\nTests failed.\n',
      'Ran 5 tests containing 12 assertions.\n0 failures, 2 errors.\n',
    ],
    keeps: ['lein test | tail -3', 'lein test | grep -E "Ran|failures"'],
    hides: ['lein test | grep -E "Ran|0 failures, 0 errors"'],
  },
  kaocha: {
    good: '[(.....)]\n5 tests, 12 assertions, 0 failures.\n',
    bad: ['5 tests, 12 assertions, 1 errors, 2 failures.\n', '5 tests, 12 assertions, 1 failures.\n'],
    keeps: ['clojure -M:test | tail -1', 'clojure -M:test | grep assertions'],
    hides: ['clojure -M:test | grep " 0 failures"'],
  },
  junit: {
    good: '[         6 tests found           ]\n[         0 tests skipped         ]\n[         0 tests aborted         ]\n[         6 tests successful      ]\n[         0 tests failed          ]\n',
    bad: [
      '[         6 tests found           ]\n[         5 tests successful      ]\n[         1 tests failed          ]\n',
    ],
    keeps: [
      'java -jar junit-platform-console-standalone.jar --scan-classpath | tail -5',
      'java -jar junit-platform-console-standalone.jar --scan-classpath | grep -E "tests (found|successful|failed)"',
    ],
    hides: ['java -jar junit-platform-console-standalone.jar --scan-classpath | grep successful'],
  },
  dotnet: {
    good: 'Starting test execution, please wait...\nA total of 1 test files matched the specified pattern.\n\nPassed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 12 ms - a.dll (net8.0)\n',
    bad: [
      'Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 12 ms - a.dll (net8.0)\n',
    ],
    beside: [
      '/src/b.cs(3,4): error CS1002: ; expected [/src/b.csproj]\nPassed!  - Failed:     0, Passed:     5, Skipped:     0, Total:     5, Duration: 12 ms - a.dll (net8.0)\n',
    ],
    keeps: ['dotnet test | tail -5', 'dotnet test | grep -E "Passed!|Failed!"', 'dotnet test | grep Total:'],
    hides: ['dotnet test | grep "Passed!"', 'dotnet test | grep -v Failed!'],
  },
  'dotnet, several lines': {
    good: 'Test Run Successful.\nTotal tests: 5\n     Passed: 5\n Total time: 1.2 Seconds\n',
    bad: ['Test Run Failed.\nTotal tests: 5\n     Passed: 4\n     Failed: 1\n Total time: 1.2 Seconds\n'],
    keeps: [
      'dotnet test -v n | tail -4',
      'dotnet test -v n | grep -E "Test Run|Total tests|Passed:|Failed:"',
    ],
    hides: ['dotnet test -v n | grep -E "Total tests|Passed!"'],
  },
  dart: {
    good: '00:01 +4: loading test/b_test.dart\n00:03 +5: All tests passed!\n',
    bad: ['00:03 +2 -1: Some tests failed.\n'],
    keeps: [
      'flutter test | tail -3',
      'dart test 2>&1 | tail -1',
      'flutter test | grep -E "All tests|Some tests"',
    ],
    hides: ['flutter test | grep "All tests passed"', 'dart test | grep -v Some'],
  },
  behave: {
    good: '1 feature passed, 0 failed, 0 skipped\n3 scenarios passed, 0 failed, 0 skipped\n12 steps passed, 0 failed, 0 skipped, 0 undefined\nTook 0m0.010s\n',
    bad: [
      '0 features passed, 1 failed, 0 skipped\n2 scenarios passed, 1 failed, 0 skipped\n11 steps passed, 1 failed, 0 skipped, 0 undefined\nTook 0m0.034s\n',
      '0 features passed, 0 failed, 1 error, 0 skipped\n2 scenarios passed, 0 failed, 1 error, 0 skipped\n',
    ],
    keeps: ['behave | tail -4', 'behave | grep scenarios'],
    hides: ['behave | grep "passed, 0 failed"'],
  },
  robot: {
    good: '12 tests, 12 passed, 0 failed\n=====\nOutput:  /a/output.xml\n',
    bad: ['12 tests, 11 passed, 1 failed\n=====\nOutput:  /a/output.xml\n'],
    keeps: ['robot tests | tail -5', 'robot tests | grep "tests, "'],
    hides: ['robot tests | grep " 0 failed"'],
  },
  prove: {
    good: 'All tests successful.\nFiles=1, Tests=3,  0 wallclock secs ( 0.02 usr )\nResult: PASS\n',
    bad: [
      't/a.t (Wstat: 256 (exited 1) Tests: 3 Failed: 1)\nFiles=1, Tests=3,  0 wallclock secs ( 0.02 usr )\nResult: FAIL\n',
    ],
    keeps: ['prove -l t | tail -3', 'prove t | grep -E "^(Files|Result)"'],
    hides: ['prove t | grep -E "Files=|PASS"'],
  },
  busted: {
    good: '++\n2 successes / 0 failures / 0 errors / 0 pending : 0.000718 seconds\n',
    bad: [
      '2 successes / 1 failure / 0 errors / 0 pending : 0.01 seconds\n',
      '2 successes / 0 failures / 1 error / 0 pending : 0.01 seconds\n',
    ],
    keeps: ['busted | tail -2', 'busted | grep successes'],
    hides: ['busted | grep -E "0 failures / 0 errors"'],
  },
  bats: {
    good: '1..2\nok 1 adds\nok 2 takes away\n',
    bad: ['1..2\nok 1 adds\nnot ok 2 takes away\n'],
    keeps: ['bats test | tail -20', 'bats test | grep -E "^(ok|not ok|1\\.\\.)"'],
    hides: ['bats test | grep -E "^(ok|1\\.\\.)"'],
  },
  tape: {
    good: 'ok 5 adds\n\n1..5\n# tests 5\n# pass  5\n\n# ok\n',
    bad: ['not ok 5 adds\n\n1..5\n# tests 5\n# pass  4\n# fail  1\n'],
    keeps: ['npx tape test/*.js | tail -6'],
    hides: ['npx tape test/*.js | grep "# pass"'],
  },
  tasty: {
    good: 'All 12 tests passed (0.01s)\n',
    bad: ['1 out of 12 tests failed (0.01s)\n'],
    keeps: ['stack test | tail -2', 'cabal test | grep "tests "'],
    hides: ['stack test | grep passed'],
  },
  alcotest: {
    good: 'Test Successful in 0.013s. 12 tests run.\n',
    bad: ['1 failure! in 0.013s. 12 tests run.\n'],
    keeps: ['dune test 2>&1 | tail -2', 'dune runtest | grep "tests run"'],
    hides: ['dune test | grep Successful'],
  },
  cabal: {
    good: 'Test suite a: PASS\n1 of 1 test suites (3 of 3 test cases) passed.\n',
    bad: ['Test suite a: FAIL\n0 of 1 test suites (2 of 3 test cases) passed.\n'],
    keeps: ['cabal test | tail -1', 'cabal test | grep "test suites"'],
    hides: ['cabal test | grep "1 of 1 test suites"'],
  },
  zig: {
    good: 'All 7 tests passed.\n',
    bad: [
      '6 passed; 0 skipped; 1 failed.\nerror: the following test command failed with exit code 1:\n/a/test\n',
    ],
    keeps: ['zig test a.zig 2>&1 | tail -3', 'zig test a.zig 2>&1 | grep -E "passed|failed"'],
    hides: ['zig test a.zig 2>&1 | grep "All "'],
  },
  forge: {
    good: 'Suite result: ok. 7 passed; 0 failed; 0 skipped; finished in 41.20ms (12.00ms CPU time)\n\nRan 1 test suite in 150ms (41ms CPU time): 7 tests passed, 0 failed, 0 skipped (7 total tests)\n',
    bad: [
      'Suite result: FAILED. 1 passed; 1 failed; 0 skipped; finished in 41.20ms (12.00ms CPU time)\n\nSuite result: ok. 7 passed; 0 failed; 0 skipped; finished in 41.20ms (12.00ms CPU time)\n\nEncountered a total of 1 failing tests, 8 tests succeeded\n',
    ],
    keeps: ['forge test | tail -3', 'forge test | grep "Suite result"'],
    hides: ['forge test | grep "result: ok"'],
  },
  phpunit: {
    good: 'Time: 00:00.123, Memory: 10.00 MB\n\nOK (5 tests, 9 assertions)\n',
    bad: [
      'FAILURES!\nTests: 5, Assertions: 9, Failures: 1.\n',
      'ERRORS!\nTests: 5, Assertions: 8, Errors: 2.\n',
    ],
    beside: [
      'OK (5 tests, 9 assertions)\nScript phpunit handling the test event returned with error code 1\n',
    ],
    keeps: [
      'vendor/bin/phpunit | tail -3',
      'phpunit | grep -E "^(OK|Tests:)"',
      'phpunit | grep -E "OK|FAILURES|ERRORS"',
      'composer test 2>&1 | tail -5',
    ],
    hides: ['phpunit | grep OK', 'phpunit | grep -E "OK|FAILURES!"'],
  },
  pest: {
    good: '  Tests:    5 passed (9 assertions)\n  Duration: 0.12s\n',
    bad: ['  Tests:    1 failed, 4 passed (9 assertions)\n  Duration: 0.12s\n'],
    keeps: ['vendor/bin/pest | tail -4', 'php artisan test | grep Tests:'],
    hides: ['vendor/bin/pest | grep -E "Tests: +[0-9]+ passed"'],
  },
  XCTest: {
    good: "Test Case 'ATests.testA' passed (0.001 seconds)\nTest Suite 'All tests' passed at 2026-01-01 10:00:00.000.\n\t Executed 5 tests, with 0 failures (0 unexpected) in 0.1 (0.2) seconds\n◇ Test run started.\n↳ Testing Library Version: 6.0.3\n✔ Test run with 0 tests passed after 0.001 seconds.\n",
    bad: [
      "Test Case 'ATests.testA' failed (0.001 seconds)\nTest Suite 'All tests' failed at 2026-01-01 10:00:00.000.\n\t Executed 5 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds\n✔ Test run with 3 tests passed after 0.001 seconds.\n",
    ],
    keeps: [
      'swift test 2>&1 | tail -6',
      "swift test 2>&1 | grep -E 'error|passed|failed'",
      'swift test 2>&1 | grep -E "Executed|Test run with"',
    ],
    hides: ['swift test | grep passed', 'swift test 2>&1 | grep "with 0 failures"'],
  },
  'Swift Testing behind XCTest': {
    good: '\t Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds\n✔ Test a() passed after 0.001 seconds.\n✔ Test run with 3 tests in 1 suite passed after 0.001 seconds.\n',
    bad: [
      '\t Executed 0 tests, with 0 failures (0 unexpected) in 0.0 (0.0) seconds\n✘ Test a() failed after 0.001 seconds with 1 issue.\n✘ Test run with 3 tests in 1 suite failed after 0.001 seconds with 1 issue.\n',
    ],
    keeps: ['swift test | tail -8', "swift test 2>&1 | grep -E 'error|passed|failed'"],
    // What XCTest found stands above.
    hides: ['swift test | tail -1', 'swift test | grep "passed after"'],
  },
  xcodebuild: {
    good: "Test Suite 'All tests' passed at 2026-01-01 10:00:00.000.\n\t Executed 5 tests, with 0 failures (0 unexpected) in 0.1 (0.2) seconds\n\nTest session results, code coverage, and logs:\n\t/a.xcresult\n\n** TEST SUCCEEDED **\n\n",
    bad: [
      "Test Suite 'All tests' failed at 2026-01-01 10:00:00.000.\n\t Executed 5 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds\n\n** TEST FAILED **\n\n",
      '\t Executed 5 tests, with 0 failures (0 unexpected) in 0.1 (0.2) seconds\n\n** TEST FAILED **\n\n',
    ],
    keeps: [
      'xcodebuild test -scheme A 2>&1 | tail -20',
      'xcodebuild test -scheme A | grep -E "Executed|TEST (SUCCEEDED|FAILED)"',
    ],
    hides: ['xcodebuild test -scheme A | grep -E "0 failures|SUCCEEDED"'],
  },
  minitest: {
    good: 'Finished in 0.1s, 50.0 runs/s.\n\n5 runs, 7 assertions, 0 failures, 0 errors, 0 skips\n',
    bad: [
      '5 runs, 7 assertions, 1 failures, 0 errors, 0 skips\nrake aborted!\nCommand failed with status (1): [ruby -w]\n\nTasks: TOP => test\n',
      '5 runs, 6 assertions, 0 failures, 1 errors, 0 skips\n',
    ],
    beside: [
      '5 runs, 7 assertions, 0 failures, 0 errors, 0 skips\nrake aborted!\nTasks: TOP => default => lint\n',
    ],
    keeps: ['bundle exec rake test | tail -4', 'bin/rails test | tail -5', 'rake test | grep "assertions,"'],
    hides: ['bundle exec rake test | grep "0 failures, 0 errors"', 'rake test | grep -v failures'],
  },
  'minitest-reporters': {
    good: 'Finished in 0.01s\n5 tests, 7 assertions, 0 failures, 0 errors, 0 skips\n',
    bad: ['5 tests, 7 assertions, 1 failures, 0 errors, 0 skips\n'],
    keeps: ['bundle exec rake test | tail -2', 'rake test | grep "tests, "'],
    hides: ['rake test | grep "0 failures"'],
  },
  'test-unit': {
    good: '5 tests, 7 assertions, 0 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n100% passed\n',
    bad: [
      '5 tests, 7 assertions, 0 failures, 1 errors, 0 pendings, 0 omissions, 0 notifications\n80% passed\n',
    ],
    keeps: ['ruby test/a_test.rb | tail -3', 'rake test | grep tests,'],
    hides: ['ruby test/a_test.rb | grep "0 errors"'],
  },
  cucumber: {
    good: '3 scenarios (3 passed)\n12 steps (12 passed)\n0m0.010s\n',
    bad: ['3 scenarios (1 failed, 2 passed)\n12 steps (1 failed, 11 passed)\n0m0.010s\n'],
    keeps: ['bundle exec cucumber | tail -3', 'npx cucumber-js | grep scenarios'],
    hides: ['cucumber | grep "scenarios (3 passed)"'],
  },
  ctest: {
    good: '3/3 Test #3: c ....   Passed    0.00 sec\n\n100% tests passed, 0 tests failed out of 3\n\nTotal Test time (real) =   0.01 sec\n',
    bad: [
      '67% tests passed, 1 tests failed out of 3\n\nTotal Test time (real) =   0.01 sec\n\nThe following tests FAILED:\n\t  2 - b (Failed)\nErrors while running CTest\n',
    ],
    keeps: [
      'ctest | tail -4',
      'ctest --output-on-failure | grep "tests passed"',
      'ctest | grep -E "tests passed|Failed"',
    ],
    hides: ['ctest | grep "100% tests passed"', 'ctest | grep " 0 tests failed"'],
  },
  googletest: {
    good: '[==========] 36 tests from 5 test suites ran. (212 ms total)\n[  PASSED  ] 36 tests.\n',
    bad: ['[  PASSED  ] 35 tests.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] A.b\n\n 1 FAILED TEST\n'],
    keeps: ['ctest -V | tail -5', 'ctest -V | grep -E "PASSED|FAILED"'],
    hides: ['ctest -V | grep PASSED', 'ctest -V | grep -v FAILED'],
  },
  catch2: {
    good: 'All tests passed (142 assertions in 23 test cases)\n',
    bad: ['test cases: 23 | 20 passed | 3 failed\nassertions: 142 | 139 passed | 3 failed\n'],
    keeps: ['ctest -V | tail -3', 'ctest -V | grep "test cases"'],
    hides: ['ctest -V | grep "All tests passed"'],
  },
  doctest: {
    good: '[doctest] test cases: 31 | 31 passed | 0 failed | 0 skipped\n[doctest] assertions: 90 | 90 passed | 0 failed |\n[doctest] Status: SUCCESS!\n',
    bad: ['[doctest] test cases: 31 | 30 passed | 1 failed | 0 skipped\n[doctest] Status: FAILURE!\n'],
    keeps: ['ctest -V | tail -3', 'ctest -V | grep doctest'],
    hides: ['ctest -V | grep -E "\\| 0 failed"'],
  },
  'doctest of Python': {
    good: '1 items passed all tests:\n   2 tests in a.f\n2 tests in 4 items.\n2 passed and 0 failed.\nTest passed.\n',
    bad: [
      '1 items had failures:\n   1 of   2 in a.f\n2 tests in 4 items.\n1 passed and 1 failed.\n***Test Failed*** 1 failures.\n',
      '1 items had failures:\n   1 of   2 in a.f\n***Test Failed*** 1 failures.\n',
    ],
    keeps: [
      'python -m doctest -v a.py | tail -8',
      'python3 -m doctest -v a.py | grep -E "tests in|passed|Failed"',
    ],
    hides: [
      'python -m doctest -v a.py | grep -E "tests in|passed"',
      'python -m doctest -v a.py | grep -v Failed',
    ],
  },
  meson: {
    good: 'Ok:                 18\nExpected Fail:      0\nFail:               0\nUnexpected Pass:    0\nSkipped:            0\nTimeout:            0\n\nFull log written to /a/testlog.txt\n',
    bad: [
      'Ok:                 17\nExpected Fail:      0\nFail:               1\nUnexpected Pass:    0\nSkipped:            0\nTimeout:            0\n',
    ],
    keeps: ['meson test -C build | tail -12', 'meson test | grep -E "^(Ok|Fail|Timeout):"'],
    hides: ['meson test | grep -E "^(Ok|Skipped):"', 'meson test | grep Ok:'],
  },
  jasmine: {
    good: '..\n\n3 specs, 0 failures\nFinished in 0.009 seconds\n',
    bad: [
      '3 specs, 1 failure\nFinished in 0.009 seconds\n',
      'Incomplete: fit() or fdescribe() was found\n3 specs, 0 failures\n',
    ],
    keeps: ['npx jasmine | tail -3', 'npx jasmine | grep -E "specs|Incomplete"'],
    hides: ['npx jasmine | grep "0 failures"'],
  },
  karma: {
    good: 'Chrome 124 (Linux x86_64): Executed 92 of 92 SUCCESS (1.8 secs / 1.6 secs)\nTOTAL: 92 SUCCESS\n',
    bad: [
      'Chrome 124 (Linux x86_64): Executed 92 of 92 (1 FAILED) (1.8 secs / 1.6 secs)\nTOTAL: 1 FAILED, 91 SUCCESS\n',
    ],
    keeps: ['npx karma start --single-run | tail -5', 'npx karma start | grep Executed'],
    hides: ['npx karma start | grep -E "92 SUCCESS"'],
  },
  ava: {
    good: '  ✔ a\n  ─\n\n  2 tests passed\n',
    bad: ['  1 test failed\n', '  2 tests passed\n  1 uncaught exception\n'],
    keeps: ['npx ava | tail -3', 'npx ava | grep -E "test|exception|rejection"'],
    hides: ['npx ava | grep passed', 'npx ava | grep -E "tests? (passed|failed)"'],
  },
  cypress: {
    good: '  │ ✔  a.cy.js                                  00:02        2        2        -        -        - │\n  └────┘\n    ✔  All specs passed!                        00:02        2        2        -        -        -  \n\n',
    bad: [
      '    ✖  1 of 2 failed (50%)                     00:05        3        2        1        -        -  \n\n',
    ],
    keeps: ['npx cypress run | tail -40', 'npx cypress run | grep -E "All specs passed|failed"'],
    hides: ['npx cypress run | grep "All specs"'],
  },
  playwright: {
    good: 'Running 6 tests using 2 workers\n  ✓  6 [chromium] › a.spec.ts:3:1 › x (1.2s)\n\n  1 skipped\n  5 passed (2.1s)\n',
    bad: ['\n  1 failed\n    [chromium] › a.spec.ts:3:1 › x ───\n  1 skipped\n  4 passed (2.1s)\n'],
    beside: [
      '\n  1 interrupted\n    [chromium] › a.spec.ts:3:1 › x ───\n  5 passed (2.1s)\n',
      '\n  5 passed (2.1s)\n  1 error was not a part of any test, see above for details\n',
    ],
    keeps: [
      'npx playwright test | tail -5',
      "npx playwright test 2>&1 | grep -E '(passed|failed)'",
      'npx playwright test --reporter=line | tail -3',
    ],
    hides: [
      'npx playwright test | tail -1',
      'npx playwright test | tail -2',
      'npx playwright test | grep passed',
    ],
  },
  deno: {
    good: '\nok | 5 passed (3 steps) | 0 failed (12ms)\n\n',
    bad: [
      'FAILED | 4 passed | 1 failed (12ms)\n\nerror: Test failed\n',
      'ok | 4 passed | 0 failed (12ms)\n\nerror: Test failed\n',
    ],
    keeps: ['deno test -A | tail', 'deno test -A 2>&1 | tail -3', 'deno test | grep -E "passed|error"'],
    hides: ['deno test | grep "ok |"', 'deno test | grep "0 failed"'],
  },
  uvu: {
    good: '  Total:     2\n  Passed:    2\n  Skipped:   0\n  Duration:  1.20ms\n',
    bad: ['  Total:     2\n  Passed:    1\n  Skipped:   0\n  Duration:  1.20ms\n'],
    keeps: ['npx uvu test | tail -5', 'npx uvu test | grep -E "Total|Passed|Skipped"'],
    hides: ['npx uvu test | grep Passed', 'npx uvu test | tail -3'],
  },
  'cargo nextest': {
    good: '     Summary [   0.123s] 5 tests run: 5 passed, 0 skipped\n',
    bad: [
      '     Summary [   0.123s] 5 tests run: 4 passed, 1 failed, 0 skipped\n        FAIL [   0.010s] a b\nerror: test run failed\n',
    ],
    keeps: ['cargo nextest run 2>&1 | tail -3', 'cargo nextest run 2>&1 | grep Summary'],
    hides: ['cargo nextest run 2>&1 | grep "5 passed, 0"'],
  },
  gotestsum: {
    good: '✓  a (cached)\n\nDONE 6 tests in 0.348s\n',
    bad: ['DONE 6 tests, 2 failures in 0.348s\n', 'DONE 6 tests, 1 error in 0.348s\n'],
    keeps: ['gotestsum ./... | tail -1', 'gotestsum | grep DONE'],
    hides: ['gotestsum | grep -E "DONE [0-9]+ tests in"'],
  },
  bazel: {
    good: '//a:b                PASSED in 0.1s\n\nExecuted 3 out of 3 tests: 3 tests pass.\n',
    bad: ['//a:b   FAILED in 0.1s\n\nExecuted 3 out of 3 tests: 2 tests pass and 1 fails locally.\n'],
    keeps: ['bazel test //... 2>&1 | tail -5', 'bazel test //... | grep Executed'],
    hides: ['bazel test //... | grep "tests pass\\.$"'],
  },
  pants: {
    good: '\n✓ src/a_test.py:tests succeeded in 0.92s.\n✓ src/b_test.py:tests succeeded in 0.12s.\n',
    bad: ['\n✕ src/a_test.py:tests failed in 0.92s.\n✓ src/b_test.py:tests succeeded in 0.12s.\n'],
    keeps: ['pants test :: | tail -20', 'pants test :: | grep -E "succeeded|failed"'],
    hides: ['pants test :: | tail -1', 'pants test :: | grep succeeded'],
  },
  dbt: {
    good: '10:01:12  Done. PASS=5 WARN=0 ERROR=0 SKIP=0 TOTAL=5\n',
    bad: ['10:01:12  Done. PASS=4 WARN=0 ERROR=1 SKIP=0 TOTAL=5\n'],
    keeps: ['dbt test | tail -2', 'dbt build | grep Done'],
    hides: ['dbt test | grep "ERROR=0"'],
  },
  julia: {
    good: 'Test Summary: | Pass  Total  Time\nParser        |   12     12  0.4s\n     Testing A tests passed\n',
    bad: [
      'Test Summary: | Pass  Fail  Total  Time\nParser        |   11     1     12  0.4s\nERROR: LoadError: Some tests did not pass: 11 passed, 1 failed, 0 errored, 0 broken.\n',
    ],
    keeps: ["julia -e 'using Pkg; Pkg.test()' | tail -5"],
    hides: ["julia -e 'using Pkg; Pkg.test()' | grep -E 'Summary|Parser'"],
  },
  'terraform test': {
    good: 'Success! 3 passed, 0 failed.\n',
    bad: ['Failure! 2 passed, 1 failed.\n'],
    keeps: ['terraform test | tail -1', 'terraform test | grep passed'],
    hides: ['terraform test | grep Success'],
  },
};

const CHECKERS: Readonly<Record<string, Ends>> = {
  'mvn compile': {
    good: '[INFO] BUILD SUCCESS\n[INFO] ----\n[INFO] Total time:  2.1 s\n',
    bad: ['[INFO] BUILD FAILURE\n[INFO] ----\n[ERROR] Failed to execute goal org.apache.maven.plugins\n'],
    keeps: ['mvn compile | tail -5', 'mvn compile | grep -E "BUILD|ERROR"'],
    hides: ['mvn compile | grep "BUILD SUCCESS"'],
  },
  'gradle assemble': {
    good: 'BUILD SUCCESSFUL in 4s\n3 actionable tasks: 3 executed\n',
    bad: ['FAILURE: Build failed with an exception.\n\nBUILD FAILED in 2s\n'],
    keeps: ['./gradlew assemble | tail -3', './gradlew assemble | grep BUILD'],
    hides: ['./gradlew assemble | grep SUCCESSFUL'],
  },
  'dotnet build': {
    good: 'Build succeeded.\n    0 Warning(s)\n    0 Error(s)\n\nTime Elapsed 00:00:01.23\n',
    bad: [
      '/src/a.cs(1,1): error CS1002: ; expected [/src/a.csproj]\n\nBuild FAILED.\n    0 Warning(s)\n    1 Error(s)\n\nTime Elapsed 00:00:01.23\n',
    ],
    keeps: ['dotnet build | tail -5', 'dotnet build | grep -E "Build|error"'],
    hides: ['dotnet build | grep succeeded'],
  },
  'swift build': {
    good: '[3/3] Linking a\nBuild complete! (1.23s)\n',
    bad: ['/src/a.swift:1:1: error: cannot find x in scope\nerror: fatalError\n'],
    keeps: ['swift build 2>&1 | tail -3', 'swift build 2>&1 | grep -E "error|complete"'],
    hides: ['swift build 2>&1 | grep complete'],
  },
  'xcodebuild build': {
    good: '** BUILD SUCCEEDED **\n\n',
    bad: ['** BUILD FAILED **\n\nThe following build commands failed:\n\tSwiftCompile a\n(1 failure)\n'],
    keeps: ['xcodebuild build -scheme A | tail -5', 'xcodebuild -scheme A | grep BUILD'],
    hides: ['xcodebuild -scheme A | grep SUCCEEDED'],
  },
  'cargo clippy': {
    good: '    Checking a v0.1.0\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 1.2s\n',
    bad: ['error[E0308]: mismatched types\n\nerror: could not compile `a` (lib) due to 1 previous error\n'],
    keeps: ['cargo clippy 2>&1 | tail -3', 'cargo build 2>&1 | grep -E "^(warning|error)|Finished"'],
    hides: ['cargo check 2>&1 | grep Finished'],
  },
  'next build': {
    good: ' ✓ Compiled successfully\n\n○  (Static)   prerendered as static content\nƒ  (Dynamic)  server-rendered on demand\n\n',
    bad: [
      ' ✓ Compiled successfully\n   Linting and checking validity of types ...\nFailed to compile.\n\n./src/a.ts:3:5\nType error: x\n',
    ],
    keeps: ['npx next build | tail -5', 'npx next build | grep -E "Static|Failed|error"'],
    hides: ['npx next build | grep Compiled', 'npx next build | grep -E "Static"'],
  },
  'vite build': {
    good: 'dist/index.html  0.46 kB\n✓ built in 1.23s\n',
    bad: ['error during build:\n[vite]: Rollup failed to resolve import "a"\n'],
    keeps: [
      'npx vite build | tail -3',
      'npm run build 2>&1 | tail -3',
      'npx vite build 2>&1 | grep -E "built|error"',
    ],
    hides: ['npx vite build | grep built'],
  },
  webpack: {
    good: 'webpack 5.90.0 compiled successfully in 1234 ms\n',
    bad: ['ERROR in ./src/a.js 1:1\nwebpack 5.90.0 compiled with 1 error in 1234 ms\n'],
    keeps: ['npx webpack | tail -1', 'npx webpack | grep compiled'],
    hides: ['npx webpack | grep successfully'],
  },
  rollup: {
    good: 'src/a.js → dist/a.js...\ncreated dist/a.js in 1.2s\n',
    bad: ['[!] RollupError: Could not resolve "./b" from "src/a.js"\n'],
    keeps: ['npx rollup -c 2>&1 | tail -2', 'npx rollup -c 2>&1 | grep -E "created|\\[!\\]"'],
    hides: ['npx rollup -c 2>&1 | grep created'],
  },
  esbuild: {
    good: '  dist/a.js  1.2mb\n\n⚡ Done in 12ms\n',
    bad: ['✘ [ERROR] Could not resolve "./a"\n\n1 error\n'],
    keeps: ['npx esbuild a.js --bundle 2>&1 | tail -2'],
    hides: ['npx esbuild a.js --bundle 2>&1 | grep Done'],
  },
  cmake: {
    good: '[ 50%] Building C object a.o\n[100%] Built target a\n',
    bad: [
      'a.c:1:1: error: expected expression\nmake[2]: *** [a.o] Error 1\n',
      'FAILED: a.o \nninja: build stopped: subcommand failed.\n',
    ],
    keeps: ['cmake --build build | tail -3', 'cmake --build build 2>&1 | grep -E "error|Built"'],
    hides: ['cmake --build build | grep Built'],
  },
  'ruff format': {
    good: '12 files already formatted\n',
    bad: ['Would reformat: src/a.py\n1 file would be reformatted, 11 files already formatted\n'],
    keeps: ['ruff format --check . | tail -1', 'ruff format --check . | grep files'],
    hides: ['ruff format --check . | grep -vi would'],
  },
  mypy: {
    good: 'Success: no issues found in 12 source files\n',
    bad: [
      'src/a.py:1: error: Incompatible types  [assignment]\nFound 1 error in 1 file (checked 12 source files)\n',
    ],
    keeps: ['mypy src | tail -1', 'mypy src | grep -E "error|Success"'],
    hides: ['mypy src | grep Success'],
  },
  pyright: {
    good: '0 errors, 0 warnings, 0 informations \n',
    bad: ['  /src/a.py:1:1 - error: x\n1 error, 0 warnings, 0 informations \n'],
    keeps: ['pyright | tail -1', 'npx pyright src | grep warnings,'],
    hides: ['pyright | grep "0 errors"'],
  },
  black: {
    good: 'All done! ✨ 🍰 ✨\n12 files would be left unchanged.\n',
    bad: [
      'would reformat src/a.py\n\nOh no! 💥 💔 💥\n1 file would be reformatted, 11 files would be left unchanged.\n',
    ],
    keeps: ['black --check . 2>&1 | tail -2', 'black --check . 2>&1 | grep "would be"'],
    hides: ['black --check . 2>&1 | grep "All done"'],
  },
  prettier: {
    good: 'Checking formatting...\nAll matched files use Prettier code style!\n',
    bad: [
      'Checking formatting...\n[warn] src/a.ts\n[warn] Code style issues found in 2 files. Run Prettier with --write to fix.\n',
    ],
    keeps: ['npx prettier --check . | tail -2', 'npx prettier --check . 2>&1 | grep -iE "warn|style"'],
    hides: ['npx prettier --check . | grep "All matched"'],
  },
  biome: {
    good: 'Checked 12 files in 34ms. No fixes applied.\n',
    bad: ['Checked 12 files in 34ms. No fixes applied.\nFound 3 errors.\n'],
    keeps: ['npx biome check . | tail -3', 'npx biome ci . 2>&1 | grep -E "Checked|Found"'],
    hides: ['npx biome check . | grep Checked'],
  },
  rubocop: {
    good: 'Inspecting 12 files\n............\n\n12 files inspected, no offenses detected\n',
    bad: ['12 files inspected, 1 offense detected, 1 offense autocorrectable\n'],
    keeps: ['bundle exec rubocop | tail -3', 'rubocop | grep inspected'],
    hides: ['rubocop | grep "no offenses"'],
  },
  phpstan: {
    good: '\n [OK] No errors\n\n',
    bad: ['\n [ERROR] Found 3 errors\n\n'],
    keeps: ['vendor/bin/phpstan analyse src | tail -4', 'phpstan analyse | grep -E "OK|ERROR"'],
    hides: ['phpstan analyse | grep OK'],
  },
  'php-cs-fixer': {
    good: 'Found 0 of 12 files that can be fixed in 0.123 seconds, 14.00 MB memory used\n',
    bad: [
      '   1) src/a.php\n\nFound 1 of 12 files that can be fixed in 0.123 seconds, 14.00 MB memory used\n',
    ],
    keeps: ['vendor/bin/php-cs-fixer check | tail -2'],
    hides: ['vendor/bin/php-cs-fixer check | grep "Found 0"'],
  },
  pint: {
    good: '\n  PASS   ............................................ 12 files\n\n',
    bad: ['\n  FAIL   ............................................ 12 files, 1 style issue\n'],
    keeps: ['vendor/bin/pint --test | tail -3', 'vendor/bin/pint --test | grep files'],
    hides: ['vendor/bin/pint --test | grep PASS'],
  },
  'golangci-lint': {
    good: '0 issues.\n',
    bad: ['a.go:1:1: Error return value is not checked (errcheck)\n1 issues:\n* errcheck: 1\n'],
    keeps: ['golangci-lint run | tail -3', 'golangci-lint run | grep issues'],
    hides: ['golangci-lint run | grep "0 issues"'],
  },
  'flutter analyze': {
    good: 'Analyzing app...\nNo issues found! (ran in 1.2s)\n',
    bad: [
      '  error • Undefined name • lib/a.dart:1:1 • undefined_identifier\n\n1 issue found. (ran in 2.1s)\n',
    ],
    keeps: ['flutter analyze | tail -2', 'flutter analyze | grep -E "issues? found"'],
    hides: ['flutter analyze | grep "No issues"'],
  },
  'terraform validate': {
    good: 'Success! The configuration is valid.\n\n',
    bad: ['╷\n│ Error: Unsupported argument\n│ \n╵\n'],
    keeps: ['terraform validate | tail -5', 'terraform validate 2>&1 | grep -E "Success|Error"'],
    hides: ['terraform validate | grep Success'],
  },
  'helm lint': {
    good: '==> Linting chart\n\n1 chart(s) linted, 0 chart(s) failed\n',
    bad: ['Error: 1 chart(s) linted, 1 chart(s) failed\n'],
    keeps: ['helm lint chart | tail -1', 'helm lint chart 2>&1 | grep linted'],
    hides: ['helm lint chart | grep "0 chart(s) failed"'],
  },
  turbo: {
    good: '\n Tasks:    3 successful, 3 total\nCached:    0 cached, 3 total\n  Time:    1.2s\n',
    bad: [
      '\n Tasks:    2 successful, 3 total\nCached:    0 cached, 3 total\n  Time:    1.2s\nFailed:    web#build\n\n ERROR  run failed: command  exited (1)\n',
    ],
    keeps: ['npx turbo run build | tail -5', 'npx turbo build 2>&1 | grep -E "Tasks:|Failed:"'],
    hides: ['npx turbo build | grep "3 successful, 3"'],
  },
  nx: {
    good: '\n NX   Successfully ran target build for project web\n\n',
    bad: ['\n NX   Running target build for project web failed\n\nFailed tasks:\n\n- web:build\n'],
    keeps: ['npx nx build web | tail -5', 'npx nx build web | grep NX'],
    hides: ['npx nx build web | grep Successfully'],
  },
};

/** None of its viewers shows what would have told of a failure, or all of them do. */
describe.each([
  ['runner', RUNNERS],
  ['checker', CHECKERS],
] as const)('B4a the end of a %s', (_, all) => {
  const of = (pick: (ends: Ends) => readonly string[]) =>
    Object.values(all).flatMap((ends) => pick(ends).map((command) => ({ command, ...ends })));

  it.each(of(({ keeps }) => keeps))('passes behind `$command`', ({ command, good }) => {
    expect(seen(command, above(good))).not.toBe('');
    expect(summary(command, seen(command, above(good)))).toBe('passed');
  });

  it.each(of(({ keeps }) => keeps))('does not pass behind `$command`', ({ command, bad, beside = [] }) => {
    const atEnd = /\| tail [^|]*$/.test(command) ? beside : [];
    for (const each of [...bad, ...atEnd])
      expect([each, summary(command, seen(command, above(each)))]).not.toEqual([each, 'passed']);
  });

  it.each(Object.entries(all))('%s is seen to fail', (_name, { keeps, bad, beside = [] }) => {
    const ends = keeps.flatMap((command) =>
      [...bad, ...beside].map((each) => summary(command, seen(command, above(each)))),
    );
    expect(ends).toContain('failed');
  });

  it.each(of(({ hides }) => hides))('is hidden by `$command`', ({ command, good, bad }) => {
    expect(summary(command, seen(command, above(good)))).not.toBe('passed');
    for (const each of bad) expect(summary(command, seen(command, above(each)))).not.toBe('passed');
  });
});

describe('B4a a runner that counts nothing', () => {
  it.each([
    ['./gradlew test -q | tail -20', '', 'passed'],
    ['./gradlew test -q | tail -20', 'FAILURE: Build failed with an exception.\n', 'failed'],
    ['mvn -q test 2>&1 | tail -30', '[ERROR] Failed to execute goal org.apache\n', 'failed'],
    ['mvn test 2>&1 | tail -3', '[INFO] BUILD FAILURE\n', 'failed'],
    // There may have been no tests at all.
    ['mvn -q test 2>&1 | tail -30', '', undefined],
    ['mvn test 2>&1 | tail -5', '[INFO] BUILD SUCCESS\n[INFO] ----\n', undefined],
    ['./gradlew test | tail -3', '\nBUILD SUCCESSFUL in 4s\n3 actionable tasks: 3 executed\n', undefined],
    ['./gradlew test -q | tail -20', 'bash: ./gradlew: No such file or directory\n', undefined],
    ['./gradlew test -q | grep FAILED', '', undefined],
    ['./gradlew test -q | tail -0', '', undefined],
    ['./gradlew test -q | tail -5; ./gradlew lint -q | tail -5', '', undefined],
  ])('%s: %j', (command, output, expected) => expect(summary(command, output)).toBe(expected));
});
