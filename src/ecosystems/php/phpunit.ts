// PHPUnit and Pest.
import { add, behind, countOf, type LineReader, n, type Output } from '../report.ts';
import { type Language, type Mark, PHP, type TestConfig, type Traits } from '../runner.ts';
import type { Table, Tool } from '../tool.ts';

export const phpunit = (runner: string): Tool => ({
  kind: 'test',
  runner,
  values:
    '-c --configuration --bootstrap --log-junit --coverage-clover --coverage-html --coverage-text --order-by --columns --testdox-text --cache-directory -d --printer --processes -p --runner --random-order-seed',
  flags:
    '--testdox --debug --verbose -v --colors --stop-on-failure --stop-on-error --no-coverage --display-warnings --display-deprecations --no-progress --parallel --compact --bail --ci --coverage',
  selectors: '--filter --group --testsuite --covers --uses',
  excludes: '--exclude-group --exclude-filter --exclude-testsuite',
  dry: '--list-tests --list-tests-xml --list-suites --list-groups --list-test-files --check-version --generate-configuration --migrate-configuration -h',
  narrowing: '--dirty --retry --only',
});

export const programs = (): Table => ({
  phpunit: phpunit('phpunit'),
  'simple-phpunit': phpunit('phpunit'),
  paratest: phpunit('paratest'),
  pest: phpunit('pest'),
});

// OK (5 tests, 9 assertions)
// Tests: 5, Assertions: 9, Errors: 1, Failures: 1, Skipped: 1.
const read: LineReader = (line, report) => {
  const ok = /^OK \((\d{1,9}) tests?, \d+ assertions?\)$/.exec(line);
  if (ok) return add(report, 'phpunit', n(ok[1]), 0, 0);
  if (line === 'No tests executed!') return add(report, 'phpunit', 0, 0, 0);
  // Pest, and Laravel's own:   Tests:    1 failed, 2 passed (5 assertions)
  const pest =
    /^\s{0,8}Tests:\s{1,8}((?:\d{1,9} [a-z]{1,16}, ){0,8}\d{1,9} [a-z]{1,16}) \(\d{1,9} assertions?\)$/.exec(
      line,
    );
  if (pest) {
    const text = pest[1] ?? '';
    const skipped = countOf(text, 'skipped') + countOf(text, 'todo') + countOf(text, 'incomplete');
    return add(report, 'pest', countOf(text, 'passed'), countOf(text, 'failed'), skipped);
  }
  const match = /^Tests: (\d{1,9}), Assertions: \d+(.*)\.$/.exec(line);
  if (!match) return false;
  const text = match[2] ?? '';
  const failed = behind(text, 'Failures') + behind(text, 'Errors');
  const skipped = behind(text, 'Skipped') + behind(text, 'Incomplete');
  return add(report, 'phpunit', n(match[1]) - failed - skipped, failed, skipped, n(match[1]));
};

export const outputs: readonly Output[] = [
  { signs: [' assertion', 'Assertions: ', 'No tests executed!'], read },
];

/** Composer's word of a script. */
const SCRIPT_FAILED = /^Script .+ returned with error code [1-9]/m;

export const traits: readonly Traits[] = [
  {
    name: 'phpunit',
    finds: true,
    failing: [
      ['Tests: 3, Assertions: 3, Failures: 1.', 'FAILURES!'],
      ['Tests: 3, Assertions: 2, Errors: 1.', 'ERRORS!'],
    ],
    bad: SCRIPT_FAILED,
  },
  {
    name: 'pest',
    finds: true,
    failing: ['  Tests:    1 failed, 2 passed (3 assertions)'],
    bad: SCRIPT_FAILED,
  },
  { name: 'paratest', finds: true },
];

const marks: readonly Mark[] = [
  ['attribute', /#\[\s*(?:\w+\\)*Test\b/],
  ['suite', /\bclass\s+(?<name>\w+)/],
  ['test', /\bfunction\s+(?<name>test\w*)\s*\(|(?<![\w$>:])(?:it|test)\s*(?=\()/],
  ['declaration', /\bfunction\s+(?<name>(?!test)\w+)\s*\(/],
  ['skip-here', /\bmarkTest(?:Skipped|Incomplete)\s*\(|->(?:skip|todo)\s*\(/],
  ['only', /->only\s*\(/],
  ['assert', /(?:->|::)assert\w+\s*\(|(?<![\w$>:])expect\s*\(|\bexpectException\w*\s*\(/],
  ['table', /#\[\s*DataProvider|->with\s*\(/],
];

export const language: Language = {
  syntax: PHP,
  marks: [marks],
  trivial: /assertTrue\s*\(\s*true\s*[,)]|assertEquals\s*\(\s*1\s*,\s*1\s*[,)]|expect\s*\(\s*true\s*\)/i,
};

export const config: TestConfig = {
  projects: [
    ['phpunit.xml', 'vendor/bin/phpunit', null],
    ['phpunit.xml.dist', 'vendor/bin/phpunit', null],
  ],
  names: 'composer\\.json|phpunit(?:\\.dist)?\\.xml(?:\\.dist)?|pest\\.php',
};
