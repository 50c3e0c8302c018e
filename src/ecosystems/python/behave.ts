// behave, Robot Framework and other runners of Python.
import { type Output, oneLine } from '../report.ts';
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

export const outputs: readonly Output[] = [
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
  { name: 'behave', failing: ['2 scenarios passed, 1 failed, 0 skipped'] },
  { name: 'robot', failing: ['3 tests, 2 passed, 1 failed'] },
];
