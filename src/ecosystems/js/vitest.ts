// Vitest.
import { add, countOf, keep, type LineReader, n, type Output, take } from '../report.ts';
import type { TestConfig, Traits } from '../runner.ts';
import { each, readOptions, type Table, type Tool } from '../tool.ts';

const VITEST: Tool = {
  kind: 'test',
  runner: 'vitest',
  values:
    '-c --config --dir --reporter --outputFile --environment --pool --mode --workspace --api --maxWorkers --minWorkers --retry --testTimeout --hookTimeout --bail --browser --sequence --configLoader',
  flags:
    '--run --watch -w --coverage --ui --globals --silent --update -u --passWithNoTests --hideSkippedTests --isolate --dom --inspect --clearScreen',
  selectors: '-t --testNamePattern --project --shard --tags-filter',
  excludes: '--exclude',
  directory: '-r --root',
  narrowing: '--changed --related',
  dry: '--listTags --mergeReports --standalone',
  rewrites: '-u --update',
};

export const programs = (): Table => ({
  vitest: {
    ...VITEST,
    subs: {
      ...each('run watch dev related', () => VITEST),
      list: (args) => ({ ...readOptions(VITEST, args), dry: 'vitest list' }),
      bench: { ...VITEST, kind: 'run', runner: 'vitest bench' },
      init: null,
    },
  },
});

// Test Files  1 failed | 2 passed (3)
//      Tests  1 failed | 4 passed | 1 skipped (6)
//     Errors  1 error
// No test files found, exiting with code 0
const read: LineReader = (line, report) => {
  if (line.startsWith('No test files found, exiting with code')) return add(report, 'vitest', 0, 0, 0);
  const files = /^\s*Test Files {2}(.*)$/.exec(line);
  if (files) return keep(report, 'vitest files', countOf((files[1] ?? '').replace(/\(\d+\)$/, ''), 'failed'));
  const tests = /^\s*Tests {2}(.*?)(?: ?\((\d{1,9})\)|no tests)$/.exec(line);
  if (tests) {
    const text = tests[1] ?? '';
    const suites = take(report, 'vitest files');
    const passed = countOf(text, 'passed', 'expected fail');
    const skipped = countOf(text, 'skipped', 'todo');
    return add(report, 'vitest', passed, countOf(text, 'failed') || suites, skipped);
  }
  const errors = /^\s*Errors {2}(\d{1,9}) errors?$/.exec(line);
  return errors !== null && add(report, 'vitest', 0, n(errors[1]), 0);
};

export const outputs: readonly Output[] = [{ signs: ['Test Files', 'Tests  ', 'No test files found'], read }];

export const traits: readonly Traits[] = [
  {
    name: 'vitest',
    finds: true,
    // An error outside of all tests has a line of its own (`Errors`): it fails the run, and none of the tests that are counted.
    failing: [
      [' Test Files  1 failed | 1 passed (2)', ' FAIL  test/a.test.ts [ test/a.test.ts ]'],
      ['      Tests  1 failed | 2 passed (3)', ' FAIL  test/a.test.ts > adds'],
      ['      Tests  1 failed | 2 passed | 1 skipped | 1 todo (5)', ' FAIL  test/a.test.ts > adds'],
    ],
    first: /^\s*Test Files {2}/m,
    once: /^\s*Tests {2}/,
  },
];

export const config: TestConfig = {
  scripts: 'vitest vite',
  names: 'vitestsetup\\.[a-z.]+',
  sections: 'vitest test projects',
  leavesOut: 'testNamePattern',
  reaches: 'include',
  letsThrough: 'passWithNoTests dangerouslyIgnoreUnhandledErrors',
};
