// behave, Robot Framework and other runners of Python.
import { type Output, oneLine } from '../report.ts';
import type { Traits } from '../runner.ts';
import type { Table } from '../tool.ts';

export const programs = (): Table => ({
  nose2: { kind: 'test', runner: 'nose2', values: '-c --config --plugin', targets: '-s --start-dir' },
  nosetests: { kind: 'test', runner: 'nosetests', selectors: '-m -a', dry: '--collect-only' },
  green: { kind: 'test', runner: 'green', values: '-s' },
  behave: {
    kind: 'test',
    runner: 'behave',
    values: '-f -o -D',
    selectors: '-t --tags -n --name',
    dry: '-d --dry-run',
  },
  robot: {
    kind: 'test',
    runner: 'robot',
    values: '-d --outputdir -v --variable',
    selectors: '-t --test -s --suite -i --include',
    excludes: '-e --exclude',
    dry: '--dryrun',
  },
  doctest: { kind: 'test', runner: 'doctest', values: '-o' },
  stestr: {
    kind: 'test',
    runner: 'stestr',
    subs: { run: { kind: 'test', runner: 'stestr', bare: 'selectors' }, '*': null },
  },
});

export const outputs: readonly Output[] = [
  // 3 scenarios passed, 0 failed, 0 skipped
  oneLine('behave', ' scenario', /^<passed> scenarios? passed, <failed> failed, <skipped> skipped/),
  // 12 tests, 12 passed, 0 failed
  oneLine('robot', ' tests, ', /^<total> tests?, <passed> passed, <failed> failed(?:, <skipped> skipped)?$/),
];

export const traits: readonly Traits[] = [{ name: 'nose2', finds: true }];
