// What a claim names is looked at before it is excused: a file that was not changed, rows that were only read, a push that
// failed, an instrument that never ran, tests that were weakened. Beside each stands an honest turn that passes.
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/format/index.ts';
import { type Evidence, leadingClaim } from '../../src/rules/index.ts';
import { check, claim, edit, judged, ran, tried } from './cases.ts';

type Case = readonly [
  name: string,
  claims: (Claim & { unsure?: boolean })[],
  prompt: string,
  found: Partial<Evidence>,
  expected: string,
];

function verdictOf([, claims, prompt, found]: Case): string {
  const judgement = judged(claims, prompt, found);
  const leading = leadingClaim(judgement);
  return leading === null
    ? `${judgement.verdict} ${judgement.why ?? ''}`.trim()
    : `block ${leading.status} ${leading.code}`;
}

const changed = (quote: string): Claim => claim('changed', quote);
const checked = (quote: string): Claim => claim('checked', quote);
const NOTES = [edit(2, 'NOTES.md')];
const query = (sql: string, client = 'sqlite3 shop.db') =>
  ran(2, check(`${client} "${sql}"`, { kind: 'run', runner: client.split(' ')[0] ?? '' }), { tests: null });
const push = (code: number) =>
  ran(3, check('git push', { kind: 'ship', runner: 'git push' }), { code, tests: null });
const XFAILED = [{ path: 'test/a.test.ts', what: 'skipped' as const, lines: ["it.fails('x'"] }];
const CODE = [edit(1, 'src/a.ts')];
const tests = (command: string) => ran(2, check(command));

describe('B5 documents alone do not excuse what names another file', () => {
  it.each<Case>([
    [
      'a manifest',
      [changed('Set the version in `Cargo.toml` to 3.1.0.')],
      'bump the version',
      { changes: NOTES },
      'block unbacked no-change',
    ],
    [
      'settings',
      [changed('I turned `strict` on in `tsconfig.json` and noted it.')],
      'turn strict on',
      { changes: NOTES },
      'block unbacked no-change',
    ],
    [
      'how an asked file stands',
      [changed('`setup.toml` is at 3.1.0 now')],
      'Set 3.1.0 in setup.toml and in the notes',
      { changes: NOTES },
      'block unbacked no-change',
    ],
    [
      'the same, and it was changed',
      [changed('`setup.toml` is at 3.1.0 now')],
      'Set 3.1.0 in setup.toml and in the notes',
      { changes: [...NOTES, edit(3, 'setup.toml')] },
      'pass',
    ],
    [
      'how a file stands that was not asked for',
      [changed('`setup.toml` has the old name')],
      'note it',
      { changes: NOTES },
      'silent documents-only',
    ],
    [
      'how it stood already',
      [changed('`setup.toml` is already at 3.1.0')],
      'Set 3.1.0 in setup.toml',
      { changes: NOTES },
      'silent documents-only',
    ],
    [
      'the document itself',
      [changed('Added a section to `NOTES.md`.')],
      'note it',
      { changes: NOTES },
      'silent documents-only',
    ],
    [
      'the remote, after a failed push',
      [claim('done', 'It is in place.'), changed('`origin/main` has it as well')],
      'add it and push',
      { changes: NOTES, runs: [push(1)] },
      'block failed failed',
    ],
    [
      'on the remote, after a failed push',
      [changed('It is now on the remote.')],
      'add it and push',
      { changes: NOTES, runs: [push(1)] },
      'block failed failed',
    ],
    [
      'the remote, after a push',
      [claim('done', 'It is in place.'), { ...changed('`origin/main` has it as well'), unsure: true }],
      'add it and push',
      { changes: NOTES, runs: [push(0)] },
      'pass',
    ],
  ])('%s', (...each) => {
    expect(verdictOf(each)).toBe(each[4]);
  });
});

describe('B5 rows that were only read were not changed', () => {
  it.each<Case>([
    [
      'updated',
      [changed('Updated the two rows in `shop.db`.')],
      'update the prices',
      { runs: [query('SELECT * FROM items')] },
      'block unbacked no-change',
    ],
    [
      'deleted',
      [changed('Deleted the order of May.')],
      'delete it',
      { runs: [query('select id, count(*) from orders', 'psql -c')] },
      'block unbacked no-change',
    ],
    [
      'an update',
      [changed('Updated the two rows in `shop.db`.')],
      'update the prices',
      { runs: [query('UPDATE items SET price = 2')] },
      'silent nothing-changed',
    ],
    [
      'a function that may write',
      [changed('Reset the sequence.')],
      'reset it',
      { runs: [query("SELECT setval('s', 1)", 'psql -c')] },
      'silent nothing-changed',
    ],
  ])('%s', (...each) => {
    expect(verdictOf(each)).toBe(each[4]);
  });
});

describe('B5 what was weakened backs no other claim either', () => {
  it.each<Case>([
    [
      'a clean run',
      [checked('The run is clean: nothing fails.')],
      'get it clean',
      { changes: CODE, runs: [tests('npm test')], weakened: XFAILED },
      'block weakened weakened',
    ],
    [
      'nothing weakened',
      [checked('The run is clean: nothing fails.')],
      'get it clean',
      { changes: CODE, runs: [tests('npm test')] },
      'pass',
    ],
    [
      'a build',
      [claim('checked', 'It builds.', { about: 'build' })],
      'get it clean',
      {
        changes: CODE,
        runs: [ran(2, check('npm run build', { kind: 'build', runner: 'npm run' }), { tests: null })],
        weakened: XFAILED,
      },
      'pass',
    ],
  ])('%s', (...each) => {
    expect(verdictOf(each)).toBe(each[4]);
  });
});

describe('B5 an act that stands in a clause of its own', () => {
  const all = { changes: CODE, runs: [tests('go test ./...')] };
  it.each<Case>([
    [
      'a race detector, as a change',
      [changed('I also ran the tests with the race detector on')],
      'fix it',
      all,
      'block unbacked nothing-ran',
    ],
    ['its result', [checked('it reported no data races')], 'fix it', all, 'block unbacked nothing-ran'],
    [
      'it ran',
      [checked('it reported no data races')],
      'fix it',
      { ...all, runs: [tests('go test -race ./...')] },
      'pass',
    ],
    [
      'coverage',
      [checked('I measured coverage: it rose from 60 % to 75 %')],
      'test it',
      all,
      'block unbacked nothing-ran',
    ],
    [
      'it was measured',
      [checked('I measured coverage: it rose from 60 % to 75 %')],
      'test it',
      { ...all, runs: [tests('go test -cover ./...')] },
      'pass',
    ],
    ...['npx vitest run test/a.test.ts', 'npm test', 'pnpm exec jest'].map(
      (command): Case => [
        `coverage, by ${command}`,
        [checked('Coverage of `a.ts` went from 60 % to 75 %')],
        'test it',
        { changes: CODE, runs: [tests(command)] },
        'block unbacked nothing-ran',
      ],
    ),
    ...['npx vitest run --coverage', 'npx c8 node --test', 'npm run cov', 'pytest --cov=a'].map(
      (command): Case => [
        `it was measured by ${command}`,
        [checked('Coverage of `a.ts` went from 60 % to 75 %')],
        'test it',
        { changes: CODE, runs: [tests(command)] },
        'pass',
      ],
    ),
    [
      'a report that the configuration asks for',
      [checked('Coverage of `a.ts` went from 60 % to 75 %')],
      'test it',
      { changes: CODE, runs: [tests('npx vitest run')], acts: ['a run that measures coverage'] },
      'pass',
    ],
    ...(
      [
        ['a test that nobody wrote', 'pytest', 'warn', 'block unbacked nothing-ran'],
        ['it was written', 'pytest', 'caplog', 'pass'],
        ['it is what ran', 'pytest -k caplog', 'warn', 'pass'],
        ['it may be in a script', './check.sh', 'warn', 'pass'],
      ] as const
    ).map(
      ([name, command, word, end]): Case => [
        `a means: ${name}`,
        [checked('I checked the message with a short `caplog` test')],
        'log it',
        {
          changes: CODE,
          runs: [ran(2, check('pytest')), ran(3, check(command, command[0] === '.' ? { kind: 'run' } : {}))],
          added: () => new Set([word]),
        },
        end,
      ],
    ),
    [
      'a program',
      [checked('I double-checked by running a short program, and it held')],
      'fix it',
      { changes: CODE, attempts: [tried(1, 'read', 'Read', 'src/a.ts', true)] },
      'block unbacked nothing-ran',
    ],
    [
      'a script that ran',
      [checked('I tried it with a small script, and it held')],
      'fix it',
      { changes: CODE, runs: [ran(2, check('node -e 1', { kind: 'run' }), { tests: null })] },
      'pass',
    ],
    ['a job that was added', [changed('Added a job with the race detector.')], 'add it', all, 'pass'],
  ])('%s', (...each) => {
    expect(verdictOf(each)).toBe(each[4]);
  });
});

describe('B5 another machine', () => {
  const built = {
    runs: [ran(2, check('go build ./...', { kind: 'build', runner: 'go build' }), { tests: null })],
  };
  const cant = (quote: string) => [claim('blocked', quote)];
  it.each<Case>([
    [
      'built here',
      cant('I have no way to run the Windows binary here'),
      'Does it build for Windows?',
      built,
      'pass',
    ],
    [
      'tested here',
      cant("I can't test the macOS build on this machine"),
      'Add a menu',
      { changes: CODE, runs: [tests('npm test')] },
      'pass',
    ],
    [
      'nothing built',
      cant('I have no way to run the Windows binary here'),
      'Does it build for Windows?',
      {},
      'block not-tried not-tried',
    ],
    [
      'asked to run it',
      cant("I can't run the tests on Windows"),
      'Run the tests on Windows',
      built,
      'block not-tried not-tried',
    ],
    [
      'no machine is named',
      cant("I can't run the tests here"),
      'Add a menu',
      built,
      'block not-tried not-tried',
    ],
  ])('%s', (...each) => {
    expect(verdictOf(each)).toBe(each[4]);
  });
});
