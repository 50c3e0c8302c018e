// minitest and test-unit, by themselves and in Rails.
import { type Output, oneLine } from '../report.ts';
import type { Traits } from '../runner.ts';
import { found, type Reader, readOptions, type Table, withLines } from '../tool.ts';

const rails: Reader = (args) => {
  const [sub = '', ...rest] = args;
  if (sub === 'test' || sub === 't' || sub.startsWith('test:')) {
    const read = readOptions(
      {
        kind: 'test',
        runner: 'rails test',
        values: '-s --seed -e --environment',
        flags: '-v -b -d -f',
        selectors: '-n --name',
      },
      rest,
    );
    const area = sub.startsWith('test:') && sub !== 'test:all' ? [`test/${sub.slice(5)}`] : [];
    return withLines({ ...read, targets: [...area, ...read.targets] });
  }
  if (/^db:(?:migrate|rollback|prepare|schema:load)/.test(sub)) return found('ship', `rails ${sub}`);
  if (/^(?:runner|server|s)$/.test(sub)) return found('run', `rails ${sub}`);
  if (sub === 'zeitwerk:check') return found('build', 'rails zeitwerk:check');
  return sub === 'assets:precompile' ? found('build', `rails ${sub}`) : null;
};

/** `ruby -Itest test/a_test.rb -n name`. */
const ruby: Reader = (args) => {
  const read = readOptions(
    { kind: 'run', runner: 'ruby', values: '-I -r -C -E -W', selectors: '-n --name', flags: '-w -v' },
    args,
  );
  if (args.some((arg) => arg === '-v' || arg === '--version'))
    return found('run', 'ruby', { dry: '--version' });
  if (args.includes('-c')) return found('build', 'ruby -c', { targets: read.targets });
  if (args.includes('-e')) return found('run', 'ruby -e');
  const [script = ''] = read.targets;
  if (/(?:_test|_spec|^test|\/test_\w+)\.rb$/.test(script))
    return { ...read, kind: 'test', targets: [script] };
  return script === '' ? null : found('run', 'ruby', { targets: [script] });
};

export const programs = (): Table => ({
  rails,
  ruby,
  minitest: { kind: 'test', runner: 'minitest', selectors: '-n' },
});

export const outputs: readonly Output[] = [
  // 5 runs, 7 assertions, 1 failures, 0 errors, 1 skips     or tests, of minitest-reporters
  oneLine(
    'minitest',
    ' assertions, ',
    /^<total> (?:runs|tests), \d+ assertions, <failed> failures, <failed2> errors, <skipped> skips/,
  ),
  // 5 tests, 7 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications
  oneLine(
    'test-unit',
    ' assertions, ',
    /^<total> tests, \d+ assertions, <failed> failures, <failed2> errors, <skipped> pendings(?:, <skipped2> omissions)?/,
  ),
];

/** Rake runs what it is told to, and ends with this where that failed. */
const ABORTED = /^rake aborted!$/m;

export const traits: readonly Traits[] = [
  { name: 'rails test', finds: true },
  {
    name: 'minitest',
    failing: [
      [
        '3 runs, 3 assertions, 1 failures, 0 errors, 0 skips',
        '3 tests, 3 assertions, 1 failures, 0 errors, 0 skips',
      ],
      [
        '3 runs, 2 assertions, 0 failures, 1 errors, 0 skips',
        '3 tests, 2 assertions, 0 failures, 1 errors, 0 skips',
      ],
    ],
    bad: ABORTED,
  },
  {
    name: 'test-unit',
    failing: [
      '3 tests, 3 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications',
      '3 tests, 2 assertions, 0 failures, 1 errors, 0 pendings, 0 omissions, 0 notifications',
    ],
    bad: ABORTED,
  },
  { name: 'ruby', good: /^Syntax OK$/m },
];
