// swift test: XCTest and Swift Testing.
import { add, keep, type LineReader, n, type Output, type Report, take, wait } from '../report.ts';
import { JAVA, type Language, type Mark, type TestConfig, TRIVIAL, type Traits } from '../runner.ts';
import { found, type Reader, readOptions, type Table } from '../tool.ts';

const swift: Reader = (args) => {
  const [sub, ...rest] = args;
  if (sub === 'test')
    return readOptions(
      {
        kind: 'test',
        runner: 'swift test',
        values:
          '-c --configuration --num-workers -j --jobs --xunit-output --build-path --scratch-path -Xswiftc -Xcc',
        selectors: '--filter -s --specifier',
        excludes: '--skip',
        directory: '--package-path',
        packages: '--test-product',
        dry: '-l --list-tests list',
        bare: 'selectors',
      },
      rest,
    );
  if (sub === 'build')
    return readOptions(
      {
        kind: 'build',
        runner: 'swift build',
        values: '-c --configuration --target --product -Xswiftc',
        directory: '--package-path',
        bare: 'nothing',
      },
      rest,
    );
  if (sub === 'run')
    return found('run', 'swift run', { packages: rest.filter((arg) => !arg.startsWith('-')).slice(0, 1) });
  return sub?.endsWith('.swift') ? found('run', 'swift', { targets: [sub] }) : null;
};

const xcodebuild: Reader = (args) => {
  const tests = args.find((arg) => arg === 'test' || arg === 'test-without-building');
  const selectors = args.flatMap((arg) => /^-only-testing:?(.+)$/.exec(arg)?.[1] ?? []);
  const excluded = args
    .flatMap((arg) => /^-skip-testing:?(.+)$/.exec(arg)?.[1] ?? [])
    .map((word) => `!${word}`);
  if (tests !== undefined)
    return found('test', 'xcodebuild test', { selectors: [...selectors, ...excluded] });
  return args.includes('-version') || args.includes('-list') ? null : found('build', 'xcodebuild');
};

export const programs = (): Table => ({
  swift,
  xcodebuild,
  swiftlint: { kind: 'lint', runner: 'swiftlint', values: '--config', rewrites: '--fix' },
});

// XCTest:         Test Suite 'All tests' failed at …
//                 	 Executed 5 tests, with 1 test skipped and 1 failure (0 unexpected) in 0.1 (0.2) seconds
// Swift Testing:  ✘ Test a() failed after 0.1 seconds with 2 issues.
//                 ✘ Test run with 5 tests in 2 suites failed after 0.1 seconds with 2 issues.
const read: LineReader = (line, report) => {
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
      keep(report, 'xctest last', total - skipped - failed);
      keep(report, 'xctest last failed', failed);
      return keep(report, 'xctest last skipped', skipped);
    }
    keep(report, 'xctest whole', 1);
    return add(report, 'swift test', total - skipped - failed, failed, skipped, total);
  }
  const run = /^\S*\s*Test run with (\d{1,9}) tests?(?: in \d+ suites?)? (passed|failed) after /.exec(line);
  if (run) {
    const listed = take(report, 'swift failed');
    const failed = run[2] === 'failed' ? Math.max(1, Math.min(listed, n(run[1]))) : 0;
    // Where all tests are of XCTest, it runs none.
    if (n(run[1]) + failed === 0) return keep(report, 'swift none', 1);
    return add(report, 'swift test', n(run[1]) - failed, failed, 0, n(run[1]));
  }
  // Where a viewer left the sum out.
  const listed = /^Test Case '.*' (passed|failed|skipped) \([\d.]+ seconds\)\.?$/.exec(line)?.[1];
  if (listed !== undefined) return wait(report, `xctest ${listed}`, 1);
  const one = /^\S*\s*Test \S.* failed after [\d.]+ seconds? with \d+ issues?\.$/.test(line);
  return one && wait(report, 'swift failed', 1);
};

function flushSwift(report: Report): void {
  const isListed = take(report, 'xctest whole') === 0;
  if (report.waiting.has('xctest last')) {
    const [passed, failed] = [take(report, 'xctest last'), take(report, 'xctest last failed')];
    const skipped = take(report, 'xctest last skipped');
    if (isListed) add(report, 'swift test', passed, failed, skipped, null);
  } else if (isListed) flushCases(report);
  if (take(report, 'swift none') === 1 && !report.tallies.has('swift test'))
    add(report, 'swift test', 0, 0, 0);
}

/** They count only where the outermost suite says how it ended. */
function flushCases(report: Report): void {
  const [passed, failed] = [take(report, 'xctest passed'), take(report, 'xctest failed')];
  const skipped = take(report, 'xctest skipped');
  if (take(report, 'xctest') === 1 && passed + failed + skipped > 0)
    add(report, 'swift test', passed, failed, skipped, null);
}

export const outputs: readonly Output[] = [
  { signs: ['Executed ', 'Test run with', "Test Case '"], read, flush: flushSwift },
];

const SWIFT_TESTING_FAILED = '✘ Test run with 3 tests in 2 suites failed after 0.1 seconds with 1 issue.';

export const traits: readonly Traits[] = [
  {
    name: 'swift test',
    // XCTest runs first, and has a sum also where it has no tests: without it, its failures would not be in view.
    failing: [
      [
        '\t Executed 3 tests, with 1 failure (0 unexpected) in 0.1 (0.2) seconds',
        "Test Suite 'All tests' failed at 2026-01-01 10:00:00.000.",
        '** TEST FAILED **',
      ],
      [SWIFT_TESTING_FAILED, SWIFT_TESTING_FAILED, '** TEST FAILED **'],
    ],
    first: /^[ \t]*Executed \d+ tests?, with |^\*\* TEST SUCCEEDED \*\*/m,
    bad: /^\*\* TEST FAILED \*\*|^Test Suite '(?:All|Selected) tests' failed at |^✘ Test run with |^error: (?:fatalError|Exited with)/m,
  },
  {
    name: 'swift',
    good: /^Build complete!/m,
    failing: [['error: fatalError', '/src/a.swift:1:1: error: cannot find 1 in scope']],
  },
  {
    name: 'xcodebuild',
    good: /^\*\* \w+(?: \w+)? SUCCEEDED \*\*/m,
    bad: /^\*\* \w+(?: \w+)? FAILED \*\*/m,
    failing: [['** BUILD FAILED **', '/src/a.swift:1:1: error: cannot find 1 in scope']],
  },
  {
    name: 'swiftlint',
    good: /^Done linting! Found \d+ violations?, 0 serious in /m,
    bad: /^Done linting! Found \d+ violations?, [1-9]\d* serious in /m,
    failing: ['Done linting! Found 1 violation, 1 serious in 3 files.'],
  },
];

const marks: readonly Mark[] = [
  ['attribute', /@Test\b/],
  ['suite', /\b(?:class|struct)\s+(?<name>\w+)/],
  ['test', /\bfunc\s+(?<name>test\w*)\s*\(/],
  ['declaration', /\bfunc\s+(?<name>(?!test)\w+)\s*[(<]/],
  ['skip-next', /@(?:Test|Suite)\s*\([^)]{0,120}\.disabled\b/],
  ['skip-here', /\bXCTSkip\w*\s*\(/],
  ['skip-file', /^\s*#if\s+(?:false|0)\b/],
  ['assert', /\bXCT(?:Assert\w*|Fail|Unwrap)\s*\(|#(?:expect|require)\s*\(|\bexpect\s*\(/],
  ['table', /\barguments:/],
];

export const language: Language = { syntax: JAVA, marks: [marks], trivial: TRIVIAL };

export const config: TestConfig = { projects: [['Package.swift', 'swift test', 'swift build']] };
