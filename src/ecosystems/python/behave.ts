// behave, Robot Framework and other runners of Python.
import { add, type LineReader, n, type Output, oneLine, take, wait } from '../report.ts';
import type { Traits } from '../runner.ts';
import { plainTest, type Table, withVerbs } from '../tool.ts';

export const programs = (): Table => ({
  nose2: plainTest('nose2', '-c --config --plugin', { targets: '-s --start-dir' }),
  nosetests: plainTest('nosetests', '', { selectors: '-m -a', dry: '--collect-only' }),
  green: plainTest('green', '-s'),
  behave: plainTest('behave', '-f -o -D', { selectors: '-t --tags -n --name', dry: '-d --dry-run' }),
  robot: plainTest('robot', '-d --outputdir -v --variable', {
    selectors: '-t --test -s --suite -i --include',
    excludes: '-e --exclude',
    dry: '--dryrun',
  }),
  doctest: plainTest('doctest', '-o'),
  stestr: withVerbs('test', 'stestr', { run: plainTest('stestr', '', { bare: 'selectors' }) }),
});

// 3 tests in 5 items.
// 2 passed and 1 failed.
// ***Test Failed*** 1 failures.       without -v this alone, and nothing if all is well
const doctest: LineReader = (line, report) => {
  if (/^\d{1,9} tests? in \d{1,9} items?\.$/.test(line)) return wait(report, 'doctest', 1);
  const sum = /^(\d{1,9}) passed(?: and (\d{1,9}) failed)?\.$/.exec(line);
  if (sum !== null && take(report, 'doctest') > 0) {
    wait(report, 'doctest summed', 1);
    return add(report, 'python doctest', n(sum[1]), n(sum[2]), 0);
  }
  const end = /^(?:Test passed|\*\*\*Test Failed\*\*\* (\d{1,9}) failures?)\.$/.exec(line);
  if (end === null) return false;
  return take(report, 'doctest summed') > 0 || add(report, 'python doctest', 0, n(end[1]), 0, null);
};

export const outputs: readonly Output[] = [
  { signs: [' tests in ', ' test in ', '***Test Failed***'], read: doctest },
  // 3 scenarios passed, 0 failed, 0 skipped
  oneLine(
    'behave',
    ' scenario',
    /^<passed> scenarios? passed, <failed> failed, (?:<failed2> error, )?<skipped> skipped/,
  ),
  // 12 tests, 12 passed, 0 failed
  oneLine('robot', ' tests, ', /^<total> tests?, <passed> passed, <failed> failed(?:, <skipped> skipped)?$/),
];

export const traits: readonly Traits[] = [
  { name: 'nose2', finds: true },
  {
    name: 'python doctest',
    failing: ['***Test Failed*** 1 failures.'],
    once: /^\d+ tests? in \d+ items?\.$/,
    depth: 3,
  },
  { name: 'behave', failing: ['2 scenarios passed, 1 failed, 0 skipped'] },
  { name: 'robot', failing: ['3 tests, 2 passed, 1 failed'] },
];
