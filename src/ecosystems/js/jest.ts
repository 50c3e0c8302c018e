// Jest.
import { add, countOf, keep, type LineReader, type Output, take } from '../report.ts';
import type { TestConfig, Traits } from '../runner.ts';
import type { Table, Tool } from '../tool.ts';

export const jest: Tool = {
  kind: 'test',
  runner: 'jest',
  values:
    '-c --config --roots --testMatch --testRegex --maxWorkers -w --maxConcurrency --reporters --coverageReporters --coverageDirectory --coverageProvider --collectCoverageFrom --coverageThreshold --env --testEnvironment --testTimeout --setupFilesAfterEnv --preset --transform --seed --outputFile --workerIdleMemoryLimit --moduleNameMapper --filter --testRunner --testResultsProcessor',
  flags:
    '--coverage --collectCoverage --ci --runInBand -i --watch --watchAll --verbose --silent --passWithNoTests --findRelatedTests --updateSnapshot -u --bail -b --forceExit --detectOpenHandles --json --colors --color --expand --logHeapUsage --randomize --runTestsByPath --errorOnDeprecated --noStackTrace --useStderr --cache --all',
  selectors: '-t --testNamePattern --selectProjects --shard --changedSince',
  excludes: '--testPathIgnorePatterns --ignoreProjects',
  targets: '--testPathPattern --testPathPatterns',
  directory: '--rootDir',
  narrowing: '--onlyChanged -o --onlyFailures -f --lastCommit --changedFilesWithAncestor',
  dry: '--listTests --showConfig --clearCache --init -h -v',
  rewrites: '-u --updateSnapshot',
};

export const programs = (): Table => ({ jest });

// Test Suites: 1 failed, 2 passed, 3 total
// Tests:       1 failed, 1 todo, 4 passed, 6 total
// No tests found, exiting with code 0
const read: LineReader = (line, report) => {
  if (line.startsWith('No tests found, exiting with code')) return add(report, 'jest', 0, 0, 0);
  const suites = /^Test Suites:\s+(.*)\d+ total$/.exec(line);
  if (suites) return keep(report, 'jest suites', countOf(suites[1] ?? '', 'failed'));
  const tests = /^Tests:\s+((?:\d{1,9} [a-z]+, )*)\d{1,9} total$/.exec(line);
  if (!tests) return false;
  const text = tests[1] ?? '';
  const failed = take(report, 'jest suites');
  const skipped = countOf(text, 'skipped', 'todo', 'pending');
  return add(report, 'jest', countOf(text, 'passed'), countOf(text, 'failed') || failed, skipped);
};

export const outputs: readonly Output[] = [{ signs: ['Test Suites:', 'Tests: ', 'No tests found'], read }];

export const traits: readonly Traits[] = [
  {
    name: 'jest',
    finds: true,
    failing: [
      ['Test Suites: 1 failed, 1 passed, 2 total', 'FAIL test/a.test.js'],
      'Tests:       1 failed, 2 passed, 3 total',
    ],
    first: /^Test Suites:/m,
    once: /^Tests:\s/,
  },
];

export const config: TestConfig = {
  scripts: 'jest',
  names: 'jestsetup\\.[a-z.]+',
  sections: 'jest',
  leavesOut: 'testPathIgnorePatterns testNamePattern',
  letsThrough: 'passWithNoTests',
  reaches: 'testMatch testRegex roots',
};
