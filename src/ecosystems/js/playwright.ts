// Playwright.
import { add, keep, type LineReader, n, type Output, type Report, take, wait } from '../report.ts';
import type { TestConfig, Traits } from '../runner.ts';
import { type Table, type Tool, withVerbs } from '../tool.ts';

const playwright: Tool = {
  kind: 'test',
  runner: 'playwright',
  values:
    '-c --config --reporter --workers -j --retries --timeout --global-timeout --max-failures --output --trace --repeat-each --tsconfig --name --test-list --update-source-method',
  flags:
    '--headed --debug --ui --forbid-only --fully-parallel --pass-with-no-tests --quiet -x --ignore-snapshots --no-deps --update-snapshots -u',
  selectors: '-g --grep --project --shard',
  excludes: '--grep-invert -gv',
  narrowing: '--last-failed --only-changed',
  dry: '--list -h',
  rewrites: '-u --update-snapshots',
};

export const programs = (): Table => ({
  playwright: withVerbs('run', 'playwright', { test: playwright }),
});

// Running 6 tests using 2 workers
//   1 failed
//   1 flaky
//   1 skipped
//   3 did not run
//   5 passed (1.2s)
//   1 error was not a part of any test, see above for details
const read: LineReader = (line, report) => {
  if (/^Running \d{1,9} tests? using \d+ workers?/.test(line)) {
    flushPlaywright(report);
    return keep(report, 'playwright', 1);
  }
  if (/^ {2}\d+ errors? (?:was|were) not a part of any test\b/.test(line))
    return wait(report, 'playwright failed', 1);
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

export const outputs: readonly Output[] = [{ signs: [' worker', ' passed ('], read, flush: flushPlaywright }];

export const traits: readonly Traits[] = [
  {
    name: 'playwright',
    // Failures stand above the passes, each with a line of its own, below a blank line or the hint about slow files.
    failing: [['  1 failed', '  1 failed']],
    first:
      /^(?:[ \t]{0,3}| {2}Consider .*)\n(?: {2}\d{1,9} (?:flaky|skipped|did not run)\n(?: {4}.*\n)*)* {2}\d{1,9} passed /m,
  },
];

export const config: TestConfig = { scripts: 'playwright', leavesOut: 'testIgnore grepInvert grep' };
