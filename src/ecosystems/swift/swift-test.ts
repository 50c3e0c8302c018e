// swift test: XCTest and Swift Testing.
import { add, keep, type LineReader, n, type Output, type Report, take, wait } from '../report.ts';
import { JAVA, type Language, type Mark, type TestConfig, TRIVIAL } from '../runner.ts';
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

export const outputs: readonly Output[] = [
  { signs: ['Executed ', 'Test run with'], read, flush: flushSwift },
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
