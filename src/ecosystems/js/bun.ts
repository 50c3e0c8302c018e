// bun test.
import { add, type LineReader, n, type Output, take, wait } from '../report.ts';
import type { Traits } from '../runner.ts';
import { type Table, whole } from '../tool.ts';

export const programs = (): Table => ({
  bun: {
    kind: 'run',
    runner: 'bun',
    values: '--cwd --preload -r',
    directory: '--cwd',
    subs: {
      test: {
        kind: 'test',
        runner: 'bun test',
        values:
          '--timeout --preload --rerun-each --coverage-reporter --coverage-dir --reporter --reporter-outfile --max-concurrency --seed --env-file',
        flags: '--watch --coverage --bail --only --todo --update-snapshots -u',
        selectors: '-t --test-name-pattern',
        narrowing: '--only',
        rewrites: '-u --update-snapshots',
      },
      build: whole('build', 'bun build', { dry: '-h -v' }),
    },
  },
});

// 5 pass
// 1 fail
// 2 skip
// Ran 8 tests across 2 files. [12.00ms]
const read: LineReader = (line, report) => {
  const match = /^\s*(\d{1,9}) (pass|fail|skip|todo|error)s?$/.exec(line);
  if (match) {
    if (match[2] === 'pass') for (const word of BUN) take(report, `bun ${word}`);
    return wait(report, `bun ${match[2]}`, n(match[1]));
  }
  const ran = /^Ran (\d{1,9}) tests? across \d+ files?\./.exec(line);
  if (!ran) return false;
  // `| tail -3` leaves the line of failures and this one: all that did not fail passed.
  const isCut = !report.waiting.has('bun pass') && report.waiting.has('bun fail');
  const [passed = 0, failed = 0, errors = 0, skipped = 0, todo = 0] = BUN.map((word) =>
    take(report, `bun ${word}`),
  );
  const [total, others] = [n(ran[1]), failed + errors + skipped + todo];
  return add(report, 'bun test', isCut ? total - others : passed, failed + errors, skipped + todo, total);
};

const BUN = ['pass', 'fail', 'error', 'skip', 'todo'];

export const outputs: readonly Output[] = [{ signs: [' across '], read }];

export const traits: readonly Traits[] = [
  { name: 'bun test', finds: true, failing: [' 1 fail', ' 1 error'] },
];
