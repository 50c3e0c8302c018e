// Runners of JavaScript that are told by little.
import { listed, type Output, oneLine } from '../report.ts';
import type { TestConfig, Traits } from '../runner.ts';
import { each, plainTest, type Table } from '../tool.ts';

export const programs = (): Table => ({
  wdio: plainTest('wdio', '', { selectors: '--spec --suite --mochaOpts.grep' }),
  testcafe: plainTest('testcafe', '-c -r', { selectors: '-t -f -T -F' }),
  qunit: plainTest('qunit', '--reporter --require --seed', { selectors: '-f --filter -m --module' }),
  tape: plainTest('tape', '-r --require -i --ignore'),
  tap: plainTest('tap', '-R --reporter -t --timeout -j --jobs', { selectors: '-g --grep' }),
  uvu: plainTest('uvu', '-r --require -i --ignore -C --cwd'),
  lab: plainTest('lab', '-r -o -t -m', { selectors: '-g --grep' }),
  ...each('wtr web-test-runner', (name) => plainTest(name, '--config --root-dir', { selectors: '--group' })),
  'cucumber-js': plainTest('cucumber-js', '-f --format -r --require -p --profile -i --import', {
    selectors: '-t --tags -n --name',
  }),
});

export const outputs: readonly Output[] = [
  // │              assertions │                12 │                 0 │
  oneLine(
    'newman',
    ' assertions │',
    /^\u2502\s{1,40}assertions \u2502\s{1,40}<total> \u2502\s{1,40}<failed> \u2502$/,
  ),
  // Total:     5
  // Passed:    5
  // Skipped:   0
  listed({
    runner: 'uvu',
    signs: ['  Passed: '],
    line: /^ {2}(?<word>Total|Passed|Skipped): {3,5}(?<count>\d{1,9})$/,
    words: { Total: 'total', Passed: 'passed', Skipped: 'skipped' },
  }),
];

export const traits: readonly Traits[] = [
  {
    name: 'newman',
    failing: ['│              assertions │                12 │                 1 │'],
  },
  // What failed is what is left of the total.
  { name: 'uvu', failing: ['  Total:     9999', '  Passed:    9998'], first: /^ {2}Total: /m },
];

export const config: TestConfig = {
  scripts: 'karma wdio web-test-runner babel metro nightwatch protractor stryker',
  names:
    'test[.-]?setup\\.[a-z.]+|setup-?tests?\\.[a-z.]+|\\.taprc|\\.nycrc(?:\\.[a-z]+)?|\\.c8rc(?:\\.json)?|jasmine\\.json|nightwatch\\.json|bunfig\\.toml',
  sections: 'tap c8 nyc',
};
