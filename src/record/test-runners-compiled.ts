// How the test runners of Go, Rust, Java, .NET, Swift and C++ say what became of their tests. What is printed may be
// forged or cut; a count is what the output says, no more. Where a runner reports a failure outside of any test (a
// package that did not build), at least one failure is counted, so that no count hides it.
import { add, behind, countOf, n, type Reader, type Report, type Runner, take, wait } from './test-report.ts';

// --- FAIL: TestA (0.00s)       with -v or -json also PASS and SKIP
// ok  	example.com/a	0.01s    else this alone: then packages are counted, and there is no total
const go: Reader = (line, report) => {
  if (line.startsWith('{"Time":') || line.startsWith('{"Action":')) return goJson(line, report);
  const test = /^\s*--- (PASS|FAIL|SKIP): \S+ \([\d.]+s\)$/.exec(line);
  if (test) return wait(report, `go ${test[1]?.toLowerCase()}`, 1);
  // A package without tests was not tested.
  if (/^\? {3}\t\S+\t\[no test files\]$/.test(line)) return add(report, 'go test', 0, 0, 0, null);
  // gotestsum: DONE 6 tests, 1 skipped, 1 failure in 0.3s
  const sum = /^DONE (?:\d{1,9} runs?, )?(\d{1,9}) tests?((?:, \d{1,9} [a-z]+)*) in [\d.]+s$/.exec(line);
  if (sum) return gotestsum(n(sum[1]), sum[2] ?? '', report);
  const found = /^(ok {2}|FAIL)\t\S+(.*)$/.exec(line);
  if (!found) return false;
  const { listed, failed } = flushGo(report);
  if (found[1] === 'FAIL') return failed > 0 || add(report, 'go test', 0, 1, 0, null);
  if (listed > 0) return true;
  if (found[2]?.includes('[no tests to run]')) return add(report, 'go test', 0, 0, 0, null);
  return add(report, 'go test', 1, 0, 0, null);
};

function gotestsum(total: number, text: string, report: Report): boolean {
  const failed =
    countOf(text, 'failure') + countOf(text, 'failures') + countOf(text, 'error') + countOf(text, 'errors');
  for (const word of ['pass', 'fail', 'skip']) take(report, `go ${word}`);
  return add(
    report,
    'gotestsum',
    total - failed - countOf(text, 'skipped'),
    failed,
    countOf(text, 'skipped'),
    total,
  );
}

function goJson(line: string, report: Report): boolean {
  // In the output of a test these quotes would be escaped.
  const action = /"Action":"(pass|fail|skip)"/.exec(line)?.[1];
  if (action === undefined) return true;
  if (line.includes('"Test":"')) return wait(report, `go ${action}`, 1);
  const { failed } = flushGo(report);
  return action !== 'fail' || failed > 0 || add(report, 'go test', 0, 1, 0, null);
}

/** The tests listed since the last package. */
function flushGo(report: Report): { listed: number; failed: number } {
  const [passed, failed] = [take(report, 'go pass'), take(report, 'go fail')];
  const skipped = take(report, 'go skip');
  const listed = passed + failed + skipped;
  // Without -v only failures are listed, and the total is not known.
  if (listed > 0) add(report, 'go test', passed, failed, skipped, listed > failed ? listed : null);
  return { listed, failed };
}

// cargo test:     test result: FAILED. 4 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.00s
// cargo nextest:  Summary [   0.1s] 5 tests run: 4 passed, 1 failed, 2 skipped
const cargo: Reader = (line, report) => {
  const match = /^test result: (ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored;/.exec(
    line,
  );
  if (match) {
    const failed = match[1] === 'FAILED' ? Math.max(1, n(match[3])) : n(match[3]);
    return add(report, 'cargo test', n(match[2]), failed, n(match[4]));
  }
  const next = /^\s*Summary \[[^\]]*\]\s+[\d/]{1,20} tests? run: (.*)$/.exec(line);
  if (!next) return false;
  const text = (next[1] ?? '').replace(/ \([^)]*\)/g, '');
  const failed = countOf(text, 'failed') + countOf(text, 'timed out') + countOf(text, 'exec failed');
  return add(report, 'cargo nextest', countOf(text, 'passed'), failed, countOf(text, 'skipped'));
};

// surefire:  [ERROR] Tests run: 5, Failures: 1, Errors: 0, Skipped: 1
//            with `Time elapsed` for a class: those count only where the sum was cut off
// JUnit 4:   OK (5 tests), or Tests run: 5,  Failures: 1
// JUnit 5:   [         5 tests successful      ]
// [INFO] Tests are skipped.
const junit: Reader = (line, report) => {
  if (/^\[[A-Z]+\]\s+Tests are skipped\.$/.test(line)) return add(report, 'surefire', 0, 0, 0);
  const match = /^(?:\[[A-Z]+\]\s+)?Tests run: (\d{1,9}),\s+Failures: (\d{1,9})(.*)$/.exec(line);
  if (match) {
    const rest = match[3] ?? '';
    const failed = n(match[2]) + behind(rest, 'Errors');
    const skipped = behind(rest, 'Skipped');
    const passed = n(match[1]) - failed - skipped;
    if (rest.includes('Time elapsed')) {
      wait(report, 'surefire passed', passed);
      wait(report, 'surefire failed', failed);
      return wait(report, 'surefire skipped', skipped);
    }
    return add(report, rest === '' ? 'junit' : 'surefire', passed, failed, skipped, n(match[1]));
  }
  const old = /^OK \((\d{1,9}) tests?\)$/.exec(line);
  if (old) return add(report, 'junit', n(old[1]), 0, 0);
  const box = /^\[\s*(\d{1,9}) tests (found|skipped|aborted|successful|failed)\s*\]$/.exec(line);
  if (!box) return false;
  if (box[2] === 'found') flushJunit(report);
  return wait(report, `junit ${box[2]}`, n(box[1]));
};

function flushJunit(report: Report): void {
  const complete = report.waiting.has('junit successful') && report.waiting.has('junit failed');
  const skipped = take(report, 'junit skipped') + take(report, 'junit aborted');
  const [passed, failed] = [take(report, 'junit successful'), take(report, 'junit failed')];
  const total = take(report, 'junit found');
  if (complete) add(report, 'junit', passed, failed, skipped, total);
}

function flushSurefire(report: Report): void {
  flushJunit(report);
  flushListed(report, 'surefire');
}

// 5 tests completed, 1 failed, 1 skipped     only where one failed
// FooTest > bar() PASSED                     where the build says so
const gradle: Reader = (line, report) => {
  const sum = /^(\d{1,9}) tests? completed(?:, (\d{1,9}) failed)?(?:, (\d{1,9}) skipped)?$/.exec(line);
  if (sum) {
    const [total, failed, skipped] = [n(sum[1]), n(sum[2]), n(sum[3])];
    return add(report, 'gradle', total - failed - skipped, failed, skipped, total);
  }
  // Where it says no more than this, tasks are counted, and there is no total. What was up to date had passed.
  const task =
    /^> Task :(?:[\w.-]+:)*(?:test|check|\w*Test)(?: (NO-SOURCE|SKIPPED|UP-TO-DATE|FROM-CACHE|FAILED))?$/.exec(
      line,
    );
  if (task) {
    const idle = task[1] === 'NO-SOURCE' || task[1] === 'SKIPPED';
    return wait(
      report,
      task[1] === 'FAILED' ? 'gradle task failed' : idle ? 'gradle task idle' : 'gradle task passed',
      1,
    );
  }
  const test = /^\S.* > .* (PASSED|FAILED|SKIPPED)$/.exec(line);
  return test !== null && wait(report, `gradle ${test[1]?.toLowerCase()}`, 1);
};

function flushGradle(report: Report): void {
  flushListed(report, 'gradle');
  const [passed, failed] = [take(report, 'gradle task passed'), take(report, 'gradle task failed')];
  const idle = take(report, 'gradle task idle');
  if (passed + failed + idle > 0 && !report.tallies.has('gradle'))
    add(report, 'gradle', passed, failed, 0, null);
}

/** Where the sum never came: what was listed one by one. */
function flushListed(report: Report, runner: string): void {
  const [passed, failed] = [take(report, `${runner} passed`), take(report, `${runner} failed`)];
  const skipped = take(report, `${runner} skipped`);
  if (passed + failed + skipped > 0 && !report.tallies.has(runner)) {
    add(report, runner, passed, failed, skipped, null);
  }
}

// Failed!  - Failed:     1, Passed:     4, Skipped:     0, Total:     5, Duration: 12 ms - a.dll (net8.0)
// Test summary: total: 5, failed: 1, succeeded: 4, skipped: 0, duration: 1.2s
// Total tests: 5, Passed: 4, Failed: 1, Skipped: 0, a line each; or after `Test run summary:` in small letters
const dotnet: Reader = (line, report) => {
  if (/^(?:(?:Passed|Failed|Skipped)!\s+- Failed:|Test summary: total:)/.test(line)) {
    const passed = behind(line, 'Passed') + behind(line, 'succeeded');
    return add(
      report,
      'dotnet test',
      passed,
      behind(line, 'Failed'),
      behind(line, 'Skipped'),
      behind(line, 'Total'),
    );
  }
  if (line.startsWith('Test run summary:')) {
    report.waiting.set('dotnet summary', 1);
    return true;
  }
  const match = /^\s*(Total tests|total|Passed|succeeded|Failed|failed|Skipped|skipped): (\d{1,9})$/.exec(
    line,
  );
  if (!match) return false;
  const word = (match[1] ?? '').toLowerCase();
  if (word === 'total tests' || (word === 'total' && take(report, 'dotnet summary') === 1)) {
    flushDotnet(report);
    return wait(report, 'dotnet total', n(match[2]));
  }
  return report.waiting.has('dotnet total') && wait(report, `dotnet ${word}`, n(match[2]));
};

function flushDotnet(report: Report): void {
  if (!report.waiting.has('dotnet total')) return;
  const passed = take(report, 'dotnet passed') + take(report, 'dotnet succeeded');
  const [failed, skipped] = [take(report, 'dotnet failed'), take(report, 'dotnet skipped')];
  add(report, 'dotnet test', passed, failed, skipped, take(report, 'dotnet total'));
}

// XCTest:         Test Suite 'All tests' failed at …
//                 	 Executed 5 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.1 (0.2) seconds
// Swift Testing:  ✘ Test a() failed after 0.1 seconds with 2 issues.
//                 ✘ Test run with 5 tests in 2 suites failed after 0.1 seconds with 2 issues.
const swift: Reader = (line, report) => {
  const suite = /^Test Suite '(.*)' (?:passed|failed) at /.exec(line);
  if (suite) {
    // Every suite has a sum; that of the outermost is the sum of all.
    if (suite[1] === 'All tests' || suite[1] === 'Selected tests') report.waiting.set('xctest', 1);
    return true;
  }
  const sum =
    /^\s*Executed (\d{1,9}) tests?, with (?:(\d{1,9}) tests? skipped and )?(\d{1,9}) failures? \(/.exec(line);
  if (sum) {
    const [total, skipped, failed] = [n(sum[1]), n(sum[2]), n(sum[3])];
    if (take(report, 'xctest') === 0) {
      // A formatter of the output leaves the names of suites out; then the last sum is that of all.
      report.waiting.set('xctest last', total - skipped - failed);
      report.waiting.set('xctest last failed', failed);
      report.waiting.set('xctest last skipped', skipped);
      return true;
    }
    return add(report, 'swift test', total - skipped - failed, failed, skipped, total);
  }
  const run = /^\S*\s*Test run with (\d{1,9}) tests?(?: in \d+ suites?)? (passed|failed) after /.exec(line);
  if (run) {
    const listed = take(report, 'swift failed');
    const failed = run[2] === 'failed' ? Math.max(1, Math.min(listed, n(run[1]))) : 0;
    return add(report, 'swift test', n(run[1]) - failed, failed, 0, n(run[1]));
  }
  const one = /^\S*\s*Test \S.* failed after [\d.]+ seconds? with \d+ issues?\.$/.test(line);
  return one && wait(report, 'swift failed', 1);
};

function flushSwift(report: Report): void {
  if (!report.waiting.has('xctest last')) return;
  const [passed, failed] = [take(report, 'xctest last'), take(report, 'xctest last failed')];
  const skipped = take(report, 'xctest last skipped');
  if (!report.tallies.has('swift test')) add(report, 'swift test', passed, failed, skipped, null);
}

// 2/5 Test #2: b ....***Skipped   0.01 sec
// 80% tests passed, 1 tests failed out of 5
// No tests were found!!!
const ctest: Reader = (line, report) => {
  if (line === 'No tests were found!!!') return add(report, 'ctest', 0, 0, 0);
  if (/^\s*\d+\/\d+ Test\s+#\d+: .*\*\*\*Skipped/.test(line)) return wait(report, 'ctest skipped', 1);
  const match = /^\d+% tests passed, (\d{1,9}) tests? failed out of (\d{1,9})$/.exec(line);
  if (!match) return false;
  const [failed, total, skipped] = [n(match[1]), n(match[2]), take(report, 'ctest skipped')];
  return add(report, 'ctest', total - failed - skipped, failed, skipped, total);
};

// 00:03 +2 ~1 -1: Some tests failed.     of Dart and Flutter
const dart: Reader = (line, report) => {
  const match =
    /^\d\d:\d\d \+(\d{1,9})(?: ~(\d{1,9}))?(?: -(\d{1,9}))?: (All tests (?:passed|skipped)[!.]|Some tests failed\.|No tests ran\.)$/.exec(
      line,
    );
  if (!match) return false;
  const failed = match[4]?.startsWith('Some') ? Math.max(1, n(match[3])) : n(match[3]);
  return add(report, 'dart test', n(match[1]), failed, n(match[2]));
};

// Executed 1 out of 3 tests: 2 tests pass and 1 fails locally.     programs are counted, not tests
const bazel: Reader = (line, report) => {
  const match = /^Executed \d{1,9} out of (\d{1,9}) tests?: (.{1,200})$/.exec(line);
  if (!match) return false;
  const text = match[2] ?? '';
  const passed = n(/(?:^|\s)(\d{1,9}) tests? pass(?:es)?\b/.exec(text)?.[1]);
  const skipped = n(/(?:^|\s)(\d{1,9}) (?:was|were) skipped\b/.exec(text)?.[1]);
  return add(report, 'bazel test', passed, Math.max(0, n(match[1]) - passed - skipped), skipped, null);
};

// ScalaTest:         [info] Tests: succeeded 2, failed 0, canceled 0, ignored 0, pending 0
// others under sbt:  [info] Passed: Total 2, Failed 0, Errors 0, Passed 2
const sbt: Reader = (line, report) => {
  const scala =
    /^(?:\[\w+\] )?Tests: succeeded (\d{1,9}), failed (\d{1,9}), canceled (\d{1,9}), ignored (\d{1,9}), pending (\d{1,9})$/.exec(
      line,
    );
  if (scala) {
    const skipped = n(scala[3]) + n(scala[4]) + n(scala[5]);
    return add(report, 'scalatest', n(scala[1]), n(scala[2]), skipped);
  }
  const sum =
    /^\[\w+\] (?:Passed|Failed|Error): Total (\d{1,9}), Failed (\d{1,9}), Errors (\d{1,9}), Passed (\d{1,9})(.{0,100})$/.exec(
      line,
    );
  if (!sum) return false;
  // ScalaTest has said the same already.
  if (report.tallies.has('scalatest')) return true;
  const failed = n(sum[2]) + n(sum[3]);
  return add(report, 'sbt', n(sum[4]), failed, n(sum[1]) - failed - n(sum[4]), n(sum[1]));
};

export const COMPILED_RUNNERS: readonly Runner[] = [
  { signs: ['--- ', 'ok  \t', 'FAIL\t', '"Action":"', '[no test files]', 'DONE '], read: go, flush: flushGo },
  { signs: ['test result: ', 'Summary ['], read: cargo },
  {
    signs: ['Tests run: ', 'OK (', ' tests successful', 'Tests are skipped.'],
    read: junit,
    flush: flushSurefire,
  },
  {
    signs: [' completed', ' PASSED', ' FAILED', ' SKIPPED', '> Task :'],
    read: gradle,
    flush: flushGradle,
  },
  {
    signs: ['Passed!', 'Failed!', 'Skipped!', 'Test summary:', 'Total tests:', 'Test run summary:'],
    read: dotnet,
    flush: flushDotnet,
  },
  { signs: ['Executed ', 'Test run with'], read: swift, flush: flushSwift },
  { signs: [' tests passed!', ' tests failed.', ' tests skipped.', 'No tests ran.'], read: dart },
  { signs: [' out of '], read: bazel },
  { signs: ['succeeded ', ': Total '], read: sbt },
  { signs: ['% tests passed', 'No tests were found!!!'], read: ctest },
];
