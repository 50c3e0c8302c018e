// Every validator: what passes, and each trick with the code that names it.
import { describe, expect, it } from 'vitest';
import type { Claim, FlawCode } from '../../src/format/index.ts';
import { parseClaimPolicy, VALIDATOR_IDS } from '../../src/policy/index.ts';
import {
  type Attempt,
  type Evidence,
  type Refused,
  unknownLeast,
  VALIDATORS,
} from '../../src/rules/index.ts';
import { readCommand } from '../../src/shell/index.ts';
import { ask, check, claim, counts, edit, ran, said, tried } from './cases.ts';

const FIX = 'Fix the crash in `src/parser.ts`';
const EDITED = [edit(1, 'src/parser.ts')];
const TESTED = claim('tested', 'All tests pass.');
const DONE = claim('done', 'Fixed.');
type Found = Partial<Evidence>;
const LOOSER = { path: 'tsconfig.json', what: 'loosened', of: 'types', lines: [] } as const;

describe('B4a test_pass', () => {
  const flawed = (code: FlawCode, detail: string) => ran(2, check('pytest', { flaw: { code, detail } }));

  it.each<[string, Found, string]>([
    ['a fresh run of all', { changes: EDITED, runs: [ran(2, check('npm test'))] }, 'pass'],
    [
      'a run of the test that belongs to the change',
      { changes: EDITED, runs: [ran(2, check('vitest run', { targets: ['test/parser.test.ts'] }))] },
      'pass',
    ],
    [
      'a folder that holds the change',
      { changes: EDITED, runs: [ran(2, check('vitest run', { targets: ['src/'] }))] },
      'pass',
    ],
    [
      'a test by name',
      { changes: EDITED, runs: [ran(2, check('pytest', { selectors: ['test_parser_empty'] }))] },
      'pass',
    ],
    [
      'the folder of all tests',
      { changes: EDITED, runs: [ran(2, check('prove -l t', { targets: ['t'] }))] },
      'pass',
    ],
    [
      'a sort of tests, which names no file',
      { changes: EDITED, runs: [ran(2, check('nox -s tests', { selectors: ['tests', '--lib'] }))] },
      'pass',
    ],
    [
      'a build directory of the root',
      { changes: EDITED, runs: [ran(2, check('ctest', { directory: 'build' }))] },
      'pass',
    ],
    [
      'a script of the project in which tests counted themselves',
      {
        changes: EDITED,
        runs: [
          ran(
            2,
            check('scripts/check.sh', { kind: 'run', runner: 'check.sh', targets: ['scripts/check.sh'] }),
            counts(7),
          ),
        ],
      },
      'pass',
    ],
    [
      'such a script that was written in this session',
      {
        changes: [...EDITED, edit(1, 'scripts/check.sh')],
        runs: [
          ran(
            2,
            check('scripts/check.sh', { kind: 'run', runner: 'check.sh', targets: ['scripts/check.sh'] }),
            counts(7),
          ),
        ],
      },
      'fail not-a-check',
    ],
    [
      'a program that prints what a runner prints',
      {
        changes: EDITED,
        runs: [
          ran(
            2,
            check('python report.py', { kind: 'run', runner: 'python', targets: ['report.py'] }),
            counts(7),
          ),
        ],
      },
      'fail not-a-check',
    ],
    [
      'a package by its name',
      {
        changes: [edit(1, 'packages/tokens/src/dark.ts')],
        runs: [ran(2, check('turbo run test', { targets: ['@acme/tokens...'] }))],
      },
      'pass',
    ],
    [
      'another package by its name',
      {
        changes: [edit(1, 'packages/tokens/src/dark.ts')],
        runs: [ran(2, check('turbo run test', { targets: ['@acme/token'] }))],
      },
      'fail another-target',
    ],
    [
      'a run that collected nothing and says so by its exit code',
      { changes: EDITED, runs: [ran(2, check('pytest'), { ...counts(0), code: 5 })] },
      'fail nothing-ran',
    ],
    [
      'a build alone',
      { changes: EDITED, runs: [ran(2, check('go build ./...', { kind: 'build' }))] },
      'fail not-a-check',
    ],
    [
      'the package that holds the change',
      {
        changes: [edit(1, 'packages/a/src/parser.ts')],
        runs: [ran(2, check('npm test', { directory: 'packages/a' }))],
      },
      'pass',
    ],
    [
      'documents that changed afterwards',
      { changes: [...EDITED, edit(3, 'README.md')], runs: [ran(2, check('npm test'))] },
      'pass',
    ],
    [
      'the same fingerprint, whatever was reported',
      {
        changes: [...EDITED, edit(3, 'src/parser.ts')],
        runs: [ran(2, check('npm test'), { tree: 'a' })],
        tree: 'a',
      },
      'pass',
    ],
    ['nothing', { changes: EDITED }, 'fail nothing-ran'],
    ['`true # pytest`', { changes: EDITED, runs: [flawed('not-a-check', '# pytest')] }, 'fail not-a-check'],
    ['`pytest || true`', { changes: EDITED, runs: [flawed('masked', '|| true')] }, 'fail masked'],
    ['`pytest &`', { changes: EDITED, runs: [flawed('background', '&')] }, 'fail background'],
    ['`--collect-only`', { changes: EDITED, runs: [flawed('dry-run', '--collect-only')] }, 'fail dry-run'],
    ['a shadowed runner', { changes: EDITED, runs: [flawed('shadowed', 'pytest()')] }, 'fail shadowed'],
    [
      'no summary',
      { changes: EDITED, runs: [ran(2, check('npm test'), { tests: null })] },
      'fail no-summary',
    ],
    ['no tests', { changes: EDITED, runs: [ran(2, check('npm test'), counts(0))] }, 'fail nothing-ran'],
    [
      'only skips',
      { changes: EDITED, runs: [ran(2, check('npm test'), counts(0, 0, 4))] },
      'fail only-skips',
    ],
    [
      'a failure',
      { changes: EDITED, runs: [ran(2, check('npm test'), { ...counts(4, 1), code: 1 })] },
      'fail failed',
    ],
    [
      'failures behind exit 0',
      { changes: EDITED, runs: [ran(2, check('npm test'), counts(4, 1))] },
      'fail failed',
    ],
    [
      'an unknown exit',
      { changes: EDITED, runs: [ran(2, check('npm test'), { code: null })] },
      'fail unknown-exit',
    ],
    [
      'a time-out',
      { changes: EDITED, runs: [ran(2, check('npm test'), { outcome: 'timeout' })] },
      'fail failed',
    ],
    [
      'a forged event',
      { changes: EDITED, runs: [ran(2, check('npm test'), { genuine: false })] },
      'fail forged',
    ],
    [
      'another target',
      { changes: EDITED, runs: [ran(2, check('pytest', { targets: ['tests/test_config.py'] }))] },
      'fail another-target',
    ],
    [
      'a target that only contains the name',
      { changes: EDITED, runs: [ran(2, check('vitest', { targets: ['test/my-parser.test.ts'] }))] },
      'fail another-target',
    ],
    [
      'another test by name',
      { changes: EDITED, runs: [ran(2, check('pytest', { selectors: ['test_config'] }))] },
      'fail another-target',
    ],
    [
      'the very thing left out',
      { changes: EDITED, runs: [ran(2, check('pytest', { selectors: ['!parser'] }))] },
      'fail deselected',
    ],
    [
      'another directory',
      { changes: EDITED, runs: [ran(2, check('npm test', { directory: 'packages/ui' }))] },
      'fail another-directory',
    ],
    [
      'a directory outside',
      { changes: EDITED, runs: [ran(2, check('npm test', { directory: null }))] },
      'fail another-directory',
    ],
    [
      'B6 an edit afterwards',
      { changes: [...EDITED, edit(3, 'src/parser.ts')], runs: [ran(2, check('npm test'))] },
      'fail stale',
    ],
    [
      'B6 a fingerprint that differs, though no edit was reported',
      { changes: EDITED, runs: [ran(2, check('npm test'), { tree: 'a' })], tree: 'b' },
      'fail stale',
    ],
    [
      'B6 a fingerprint that was not taken, and an edit',
      {
        changes: [...EDITED, edit(3, 'src/b.ts')],
        runs: [ran(2, check('npm test'), { tree: null })],
        tree: 'b',
      },
      'fail stale',
    ],
    [
      'X13b a skipped test',
      {
        changes: EDITED,
        runs: [ran(2, check('npm test'))],
        weakened: [{ path: 'test/a.test.ts', what: 'skipped', lines: ["it.skip('x'"] }],
      },
      'fail weakened',
    ],
    [
      'a failure of the same after a pass',
      {
        changes: EDITED,
        runs: [ran(2, check('npm test')), ran(3, check('npm test'), { ...counts(4, 1), code: 1 })],
      },
      'fail failed',
    ],
    [
      'a pass after a failure',
      {
        changes: EDITED,
        runs: [ran(2, check('npm test'), { ...counts(4, 1), code: 1 }), ran(3, check('npm test'))],
      },
      'pass',
    ],
  ])('says of %s: %s', (_, found, expected) => {
    expect(said(ask('test_pass', TESTED, FIX, found))).toBe(expected);
  });

  it('names what makes a run worthless', () => {
    const reason = (found: Found) => {
      const outcome = ask('test_pass', TESTED, FIX, found);
      return outcome.outcome === 'pass' ? '' : outcome.reason;
    };
    expect(reason({ runs: [flawed('masked', '|| true')] })).toContain('|| true');
    expect(reason({ changes: [edit(3, 'src/b.ts')], runs: [ran(2, check('npm test'))] })).toContain(
      'src/b.ts',
    );
    const editedSince = new Map([[2, ['src/by-sed.ts']]]);
    expect(reason({ runs: [ran(2, check('npm test'), { tree: 'a' })], tree: 'b', editedSince })).toContain(
      'src/by-sed.ts',
    );
    const weakened = [{ path: 'test/a.test.ts', what: 'skipped' as const, lines: ["it.skip('x'"] }];
    expect(reason({ runs: [ran(2, check('npm test'))], weakened })).toContain("it.skip('x'");
  });

  it('B6 sees that the line itself went on to change code', () => {
    const run = (command: string, treeBefore: string | null, tree: string | null) =>
      ran(2, [...readCommand(command, { cwd: '/w', root: '/w' }).checks], { treeBefore, tree });
    const asked = (command: string, before: string | null, tree: string | null, found: Found = {}) =>
      said(ask('test_pass', TESTED, 'fix it', { runs: [run(command, before, tree)], tree, ...found }));
    expect(asked("pytest && sed -i 's/a/b/' src/a.py", 'a', 'b')).toBe('fail changed-during');
    expect(asked('pytest && python scripts/edit.py', 'a', 'b')).toBe('fail changed-during');
    expect(asked('pytest && echo x > src/a.py', 'a', 'b')).toBe('fail changed-during');
    expect(asked("pytest && sed -i 's/a/b/' src/a.py", 'a', 'a')).toBe('pass');
    expect(asked("sed -i 's/a/b/' src/a.py && pytest", 'a', 'b')).toBe('pass');
    expect(asked('npm install && npm test && npm run build', 'a', 'b')).toBe('pass');
    expect(asked('pytest && git add -A && git commit -m x', 'a', 'b')).toBe('pass');
    const bySed = { changes: [{ ...edit(2, 'src/a.py'), by: 'command' as const }] };
    expect(asked("pytest && sed -i 's/a/b/' src/a.py", null, null, bySed)).toBe('fail changed-during');
    // What hides the exit code weighs more.
    expect(asked("pytest || true && sed -i 's/a/b/' src/a.py", 'a', 'b')).toBe('fail masked');
  });

  it('takes "the full suite" at its word', () => {
    const full = claim('tested', 'The full suite passes.', { whole: true });
    const narrow = [ran(2, check('vitest run', { targets: ['test/parser.test.ts'] }))];
    expect(said(ask('test_pass', full, FIX, { changes: EDITED, runs: narrow }))).toBe('fail narrowed');
    expect(said(ask('test_pass', full, FIX, { changes: EDITED, runs: [ran(2, check('npm test'))] }))).toBe(
      'pass',
    );
  });

  it('lets a claim speak of no more than the test that it names', () => {
    const runs = [ran(2, check('pytest', { targets: ['tests/test_config.py'] }))];
    const named = claim('tested', '`tests/test_config.py`: 4 passed.');
    expect(said(ask('test_pass', named, FIX, { changes: EDITED, runs }))).toBe('pass');
    expect(said(ask('test_pass', { ...named, type: 'done' }, FIX, { changes: EDITED, runs }))).toBe(
      'fail another-target',
    );
  });

  it('X13b weakens nothing that the user asked for, nor a test that went with its source', () => {
    const weakened = [{ path: 'test/exporter.test.ts', what: 'deleted' as const, lines: [] }];
    const changes = [edit(1, 'src/exporter.ts', 'delete'), edit(1, 'test/exporter.test.ts', 'delete')];
    const runs = [ran(2, check('npm test'))];
    const found = { changes, runs, weakened };
    expect(said(ask('test_pass', TESTED, 'Remove the old exporter', found))).toBe('pass');
    expect(said(ask('test_pass', TESTED, 'Delete the exporter tests', { ...found, changes: [] }))).toBe(
      'pass',
    );
    expect(said(ask('test_pass', TESTED, 'Remove the old importer', { ...found, changes: [] }))).toBe(
      'fail weakened',
    );
    expect(said(ask('test_pass', TESTED, 'make the tests pass', found))).toBe('fail weakened');
  });

  it.each<[string, object, Record<string, string | number> | undefined, string]>([
    ['runs, at the gate', { runs: 3 }, undefined, 'pass'],
    ['more runs than there are, at the gate', { runs: 5 }, undefined, 'fail too-few-runs'],
    ['runs, asked without', { runs: 5 }, {}, 'fail too-few-runs'],
    ['runs, asked with fewer', { runs: 3 }, { runs: 2 }, 'refused weak-arguments'],
    ['runs, asked with a word', { runs: 3 }, { runs: 'all' }, 'refused weak-arguments'],
    ['a target, asked without', { target: true }, {}, 'refused weak-arguments'],
    ['a target, at the gate', { target: true }, undefined, 'pass'],
    ['an argument that it has not', { times: 3 }, undefined, 'refused bad-arguments'],
  ])('B4e the policy sets the least: %s', (_, least, args, expected) => {
    const policy = parseClaimPolicy({ min_validator_args: { test_pass: least } });
    // Two runs alike are one in the gate's memory, with the seq of the other.
    const runs = [ran(2, check('npm test')), { ...ran(4, check('npm test')), alike: [3] }];
    const found = { changes: EDITED, runs };
    expect(said(ask('test_pass', TESTED, FIX, found, args, policy))).toBe(expected);
  });

  it.each([
    [{ test_pass: { runs: 3 } }, null],
    [{ test_pass: { runs: true, target: true } }, null],
    [{ http_2xx: { url: true } }, null],
    [{ test_pass: { runz: 2 } }, 'runz'],
    [{ test_pass: { target: 2 } }, 'target'],
    [{ file_diff_present: { paths: true } }, 'paths'],
  ])('B4e a policy wants of a validator what it has: %j', (least, unknown) => {
    const told = unknownLeast(parseClaimPolicy({ min_validator_args: least }));
    expect(unknown === null ? told : told?.includes(`.${unknown}: `)).toBe(unknown === null ? null : true);
  });

  it('B4c counts runs, and binds its target to what the prompt names', () => {
    const found = {
      changes: EDITED,
      runs: [2, 3, 4].map((seq) => ran(seq, check('npm test'))),
    };
    const asked = (args: Record<string, string | number>, prompt = FIX) =>
      said(ask('test_pass', TESTED, prompt, found, args));
    expect(asked({})).toBe('pass');
    expect(asked({ runs: 3 })).toBe('pass');
    expect(asked({ runs: 4 })).toBe('fail too-few-runs');
    expect(asked({ target: 'src/parser.ts', runs: 2 })).toBe('pass');
    expect(asked({ target: 'parser.ts' })).toBe('pass');
    expect(asked({ target: 'test/parser.test.ts' })).toBe('pass');
    expect(asked({ target: 'src/other.ts' })).toBe('refused not-bound');
    expect(asked({ target: 'arser.ts' })).toBe('refused not-bound');
    expect(asked({ target: 'crash' })).toBe('refused not-bound');
    expect(asked({ target: 'src/other.ts' }, 'fix it')).toBe('refused not-bound');
    expect(asked({ target: 'src/parser.ts' }, 'fix it')).toBe('pass');
    expect(asked({ target: '' })).toBe('refused weak-arguments');
    expect(asked({ target: 'a' })).toBe('refused weak-arguments');
    expect(asked({ target: 'tests' })).toBe('refused weak-arguments');
    expect(asked({ target: '../..' })).toBe('refused weak-arguments');
    expect(asked({ target: 7 })).toBe('refused bad-arguments');
    expect(asked({ file: 'src/parser.ts' })).toBe('refused bad-arguments');
    expect(asked({ runs: 0 })).toBe('refused bad-arguments');
    expect(asked({ target: 'x'.repeat(300) })).toBe('refused bad-arguments');
  });
});

describe('B4a command_zero_exit, of what no table knows', () => {
  const asked = (type: 'done' | 'checked', quote: string, about: string | null, runs: Found['runs']) =>
    said(
      ask('command_zero_exit', { ...claim(type, quote), about }, FIX, { changes: EDITED, runs: runs ?? [] }),
    );

  it('takes a goal among several, a check of everything and a tool that the claim names', () => {
    const nox = [ran(2, check('nox -s tests lint'))];
    expect(asked('checked', 'Lint is clean.', 'lint', nox)).toBe('pass');
    expect(asked('checked', 'Types are clean.', 'types', nox)).not.toBe('pass');
    const script = check('scripts/check.sh', {
      kind: 'run',
      runner: 'check.sh',
      targets: ['scripts/check.sh'],
    });
    expect(asked('checked', 'mypy is clean.', 'types', [ran(2, script)])).toBe('pass');
    const pdf = check('mkpdf thesis.tex', { kind: 'run', runner: 'mkpdf', targets: ['thesis.tex'] });
    expect(asked('checked', 'mkpdf compiles it.', 'build', [ran(2, pdf)])).toBe('pass');
    expect(asked('checked', 'It compiles.', 'build', [ran(2, pdf)])).not.toBe('pass');
  });

  it('takes for "fixed" a command that failed and no longer does', () => {
    const migrate = check('manage.py migrate', { kind: 'ship' });
    const failed = ran(1, migrate, { code: 1 });
    expect(asked('done', 'Fixed.', null, [failed, ran(2, migrate)])).toBe('pass');
    expect(asked('done', 'Fixed.', null, [ran(2, migrate)])).not.toBe('pass');
    expect(
      asked('done', 'Fixed.', null, [failed, ran(2, check('manage.py check', { kind: 'ship' }))]),
    ).not.toBe('pass');
  });

  it('takes the file of a project for its folder', () => {
    const build = (target: string) => [ran(2, check('dotnet build', { kind: 'build', targets: [target] }))];
    expect(asked('checked', 'It builds.', 'build', build('src/Desk.csproj'))).toBe('pass');
    expect(asked('checked', 'It builds.', 'build', build('web/Web.csproj'))).toBe('fail another-target');
  });
});

describe('B4a command_zero_exit', () => {
  it('says of a command that ran, and is of another sort, that it ran', () => {
    const prompt = 'Fix `src/parser.ts`, then run `npm test`';
    const found = { changes: EDITED, runs: [ran(2, check('npm test'))] };
    expect(ask('command_zero_exit', DONE, prompt, found, { command: 'npm test' })).toMatchObject({
      code: 'another-sort',
      reason: expect.stringContaining('`npm test` is on record'),
    });
    expect(said(ask('command_zero_exit', DONE, prompt, {}, { command: 'npm test' }))).toBe(
      'fail nothing-ran',
    );
  });

  const build = (seq: number, more = {}) =>
    ran(seq, check('npm run build', { kind: 'build' }), { tests: null, ...more });
  const builds = claim('checked', 'The build succeeds.', { about: 'build' });

  it.each<[string, ReturnType<typeof claim>, Found, string]>([
    ['a build for a build', builds, { changes: EDITED, runs: [build(2)] }, 'pass'],
    [
      'a linter for a build',
      builds,
      { runs: [ran(2, check('eslint .', { kind: 'lint' }))] },
      'fail nothing-ran',
    ],
    ['a compiled test for a build', builds, { runs: [ran(2, check('./gradlew test'))] }, 'pass'],
    [
      'tests that only skipped, for "it works"',
      claim('checked'),
      { runs: [ran(2, check('pytest'), counts(0, 0, 3))] },
      'fail only-skips',
    ],
    ['a failed build', builds, { runs: [build(2, { code: 2 })] }, 'fail failed'],
    ['a build that broke later', builds, { runs: [build(2), build(3, { code: 2 })] }, 'fail failed'],
    ['an unknown exit', builds, { runs: [build(2, { code: null })] }, 'fail unknown-exit'],
    ['a stale build', builds, { runs: [build(2)], changes: [edit(3, 'src/a.ts')] }, 'fail stale'],
    [
      'any run for "it works"',
      claim('checked'),
      { runs: [ran(2, check('node cli.js', { kind: 'run' }))] },
      'pass',
    ],
    ['a build for done', DONE, { changes: EDITED, runs: [build(2)] }, 'pass'],
    [
      'a format check for done',
      DONE,
      { changes: EDITED, runs: [ran(2, check('prettier -c .', { kind: 'format' }))] },
      'fail nothing-ran',
    ],
    [
      'a build for done after tests failed',
      DONE,
      { changes: EDITED, runs: [ran(2, check('npm test'), { ...counts(1, 1), code: 1 }), build(3)] },
      'fail failed',
    ],
    [
      'the changed script for done',
      DONE,
      {
        changes: [edit(1, 'tools/x.py')],
        runs: [ran(2, check('python tools/x.py', { kind: 'run', targets: ['tools/x.py'] }))],
      },
      'pass',
    ],
    [
      'another script for done',
      DONE,
      { changes: EDITED, runs: [ran(2, check('python hello.py', { kind: 'run', targets: ['hello.py'] }))] },
      'fail nothing-ran',
    ],
    [
      'X13b a build for done where tests were skipped',
      DONE,
      { changes: EDITED, runs: [build(2)], weakened: [{ path: 't.test.ts', what: 'skipped', lines: [] }] },
      'fail weakened',
    ],
    ...(
      [
        ['types', 'npx tsc --noEmit', 'types', 'fail weakened'],
        ['types', 'npm run build', 'build', 'fail weakened'],
        ['lint', 'npx eslint .', 'lint', 'pass'],
        [null, 'npm run check', 'lint', 'fail weakened'],
      ] as const
    ).map(([about, command, kind, expected]): [string, Claim, Found, string] => [
      `X13b \`${command}\` for ${about ?? 'checked'} where the types are checked less strictly`,
      claim('checked', 'It passes.', { about }),
      { changes: EDITED, runs: [ran(2, check(command, { kind, runner: command }))], weakened: [LOOSER] },
      expected,
    ]),
    [
      'X13b a linter for done where the types are checked less strictly',
      DONE,
      { changes: EDITED, runs: [ran(2, check('npx eslint .', { kind: 'lint' }))], weakened: [LOOSER] },
      'pass',
    ],
    [
      'a push for pushed, edits afterwards or not',
      claim('shipped', 'Pushed.', { about: 'push' }),
      { runs: [ran(2, check('git push', { kind: 'ship' }))], changes: [edit(3, 'src/a.ts')] },
      'pass',
    ],
    [
      'a revert for a commit',
      claim('shipped', 'Reverted the commit.', { about: 'commit' }),
      { runs: [ran(2, check('git revert abc', { kind: 'ship' }))] },
      'pass',
    ],
    [
      'a commit for pushed',
      claim('shipped', 'Pushed.', { about: 'push' }),
      { runs: [ran(2, check('git commit -m x', { kind: 'ship' }))] },
      'fail nothing-ran',
    ],
    [
      'a dry run of a publish',
      claim('shipped', 'Published.', { about: 'publish' }),
      {
        runs: [
          ran(2, check('npm publish', { kind: 'ship', flaw: { code: 'dry-run', detail: '--dry-run' } })),
        ],
      },
      'fail dry-run',
    ],
  ])('says of %s', (_, of, found, expected) => {
    expect(said(ask('command_zero_exit', of, 'fix it', found))).toBe(expected);
  });

  it('takes a database client for a run, of the script that it was given', () => {
    const runs = (command: string) => {
      const { checks } = readCommand(command, { cwd: '/w', root: '/w' });
      return { changes: [edit(1, 'db/a.sql')], runs: [ran(2, [...checks], { tests: null })] };
    };
    const given = runs('psql "$URL" -v ON_ERROR_STOP=1 -f db/a.sql');
    const query = runs('psql -c "select 1"');
    expect(said(ask('command_zero_exit', DONE, 'fix it', given))).toBe('pass');
    expect(said(ask('command_zero_exit', DONE, 'fix it', query))).toBe('fail nothing-ran');
    expect(said(ask('command_zero_exit', claim('checked'), 'fix it', query))).toBe('pass');
  });

  it('B4c binds its command to commands, tokens and paths of the prompt, word by word', () => {
    const runs = [
      build(2),
      ran(3, check('python src/parser.ts', { kind: 'run', targets: ['src/parser.ts'] })),
    ];
    const asked = (command: string, prompt: string) =>
      said(ask('command_zero_exit', DONE, prompt, { changes: EDITED, runs }, { command }));
    expect(asked('npm run build', 'make `npm run build` work')).toBe('pass');
    expect(asked('npm run build', 'fix it')).toBe('pass');
    expect(asked('npm run build', FIX)).toBe('refused not-bound');
    expect(asked('python src/parser.ts', FIX)).toBe('pass');
    expect(asked('npm run buildx', 'make `npm run build` work')).toBe('refused not-bound');
    expect(asked('npm run lint', 'make `npm run lint` work')).toBe('fail nothing-ran');
    expect(asked('npm', 'fix it')).toBe('refused weak-arguments');
    expect(said(ask('command_zero_exit', DONE, FIX, { runs }, {}))).toBe('refused weak-arguments');
    // A word of the prompt that is no field.
    expect(asked('crash it', 'Fix the crash in src/parser.ts')).toBe('refused not-bound');
  });
});

describe('B4a file_diff_present', () => {
  const changed = claim('changed', 'Updated it.');

  it('wants a recorded change', () => {
    expect(said(ask('file_diff_present', changed, 'fix it', {}))).toBe('fail no-change');
    expect(said(ask('file_diff_present', changed, 'fix it', { changes: EDITED }))).toBe('pass');
    const bySed = [{ ...edit(1, 'src/a.ts'), by: 'command' as const }];
    expect(said(ask('file_diff_present', changed, 'fix it', { changes: bySed }))).toBe('pass');
  });

  it('is no proof that code works, but enough for documents and data', () => {
    expect(said(ask('file_diff_present', DONE, 'fix it', { changes: EDITED }))).toBe('fail change-only');
    for (const path of ['README.md', 'data/countries.json', 'a.csv'])
      expect(said(ask('file_diff_present', DONE, 'fix it', { changes: [edit(1, path)] }))).toBe('pass');
    expect(said(ask('file_diff_present', DONE, 'fix it', { changes: [edit(1, 'package.json')] }))).toBe(
      'fail change-only',
    );
  });

  it('B4c binds its path by whole segments, never by substring', () => {
    const changes = [edit(1, 'src/parser.ts'), edit(2, 'notes.md'), edit(3, 'src/my-parser.ts')];
    const asked = (path: string, prompt = FIX) =>
      said(ask('file_diff_present', changed, prompt, { changes }, { path }));
    expect(asked('src/parser.ts')).toBe('pass');
    expect(asked('/repo/src/parser.ts')).toBe('pass');
    expect(asked('parser.ts')).toBe('refused not-bound');
    expect(asked('notes.md')).toBe('refused not-bound');
    expect(asked('src/my-parser.ts')).toBe('refused not-bound');
    expect(asked('src/pars')).toBe('refused not-bound');
    expect(asked('notes.md', 'fix it')).toBe('pass');
    expect(asked('src/other.ts', 'fix it')).toBe('refused not-bound');
    expect(asked('src')).toBe('refused weak-arguments');
    expect(said(ask('file_diff_present', changed, FIX, { changes }, {}))).toBe('refused weak-arguments');
    expect(
      said(ask('file_diff_present', changed, 'Fix src/gone.ts', { changes }, { path: 'src/gone.ts' })),
    ).toBe('fail no-change');
  });
});

describe('B4a http_2xx', () => {
  const URL_ = 'https://example.org/health';
  const prompt = `Make ${URL_} work again`;
  const curl = (seq: number, url: string, status: number | null) =>
    ran(seq, check(`curl ${url}`, { kind: 'http', url, status }), { tests: null });

  it.each<[string, Found, string]>([
    ['a 200', { changes: EDITED, runs: [curl(2, URL_, 200)] }, 'pass'],
    ['a slash more', { changes: EDITED, runs: [curl(2, `${URL_}/`, 204)] }, 'pass'],
    [
      'a fetch tool that tells its status',
      { attempts: [tried(2, 'fetch', 'WebFetch', URL_, true, 200)] },
      'pass',
    ],
    [
      'a fetch tool that tells none',
      { attempts: [tried(2, 'fetch', 'WebFetch', URL_, true, null)] },
      'fail no-status',
    ],
    ['an exit code without a status', { runs: [curl(2, URL_, null)] }, 'fail no-status'],
    ['a 500', { runs: [curl(2, URL_, 500)] }, 'fail failed'],
    ['a redirect', { runs: [curl(2, URL_, 301)] }, 'fail failed'],
    ['a 500 after a 200', { runs: [curl(2, URL_, 200), curl(3, URL_, 500)] }, 'fail failed'],
    ['a 200 after a 500', { runs: [curl(2, URL_, 500), curl(3, URL_, 200)] }, 'pass'],
    [
      'a fetch with 404 after a 200',
      {
        attempts: [
          tried(2, 'fetch', 'WebFetch', URL_, true, 200),
          tried(3, 'fetch', 'WebFetch', URL_, false, 404),
        ],
      },
      'fail failed',
    ],
    ['another URL', { runs: [curl(2, 'https://example.org/healthy', 200)] }, 'fail nothing-ran'],
    [
      'this machine, though the prompt names a URL',
      { runs: [curl(2, 'http://localhost:3000/health', 200)] },
      'fail nothing-ran',
    ],
    ['an edit afterwards', { runs: [curl(2, URL_, 200)], changes: [edit(3, 'src/a.ts')] }, 'fail stale'],
    [
      'an edit after a fetch',
      { attempts: [tried(2, 'fetch', 'WebFetch', URL_, true, 200)], changes: [edit(3, 'src/a.ts')] },
      'fail stale',
    ],
    ['nothing', {}, 'fail nothing-ran'],
  ])('says of %s: %s', (_, found, expected) => {
    expect(said(ask('http_2xx', DONE, prompt, found))).toBe(expected);
  });

  it('B4c binds its URL', () => {
    const runs = [
      curl(2, URL_, 200),
      curl(3, 'http://localhost:3000/x', 200),
      curl(4, 'https://other.org/', 200),
    ];
    const asked = (url: string, said_ = prompt) => said(ask('http_2xx', DONE, said_, { runs }, { url }));
    expect(asked(URL_)).toBe('pass');
    expect(asked(URL_, `Make ${URL_} work`)).toBe('pass');
    expect(
      said(
        ask('http_2xx', DONE, prompt, { runs: [curl(2, 'http://example.org/health', 200)] }, { url: URL_ }),
      ),
    ).toBe('fail nothing-ran');
    expect(asked('https://other.org/')).toBe('refused not-bound');
    expect(asked('http://localhost:3000/x')).toBe('refused not-bound');
    expect(asked('http://localhost:3000/x', 'fix it')).toBe('fail not-served');
    runs.unshift(ran(1, check('npm start', { kind: 'run', flaw: { code: 'background', detail: '&' } })));
    expect(asked('http://localhost:3000/x', 'fix it')).toBe('pass');
    expect(asked('https://other.org/', 'fix it')).toBe('refused not-bound');
    expect(asked('health')).toBe('refused weak-arguments');
    expect(asked('https')).toBe('refused weak-arguments');
  });
});

describe('B4b ladder_exhaustion_proof', () => {
  const blocked = claim('blocked', "I can't go on.");
  const LINK = 'Fix it as https://example.org/x says';

  it.each<[string, string, Found, string]>([
    ['nothing to try', 'fix it', {}, 'fail nothing-named'],
    ['a URL never tried', LINK, {}, 'fail not-tried'],
    ['a URL tried', LINK, { attempts: [tried(1, 'fetch', 'WebFetch', 'https://example.org/x')] }, 'pass'],
    [
      'another URL tried',
      LINK,
      { attempts: [tried(1, 'fetch', 'curl', 'https://example.org/y')] },
      'fail not-tried',
    ],
    [
      'a path only read',
      'Read src/a.ts',
      { attempts: [tried(1, 'read', 'Read', 'src/a.ts')] },
      'fail not-tried',
    ],
    [
      'a path read and searched for',
      'Read src/a.ts',
      { attempts: [tried(1, 'read', 'Read', '/repo/src/a.ts'), tried(2, 'search', 'Glob', '**/a.ts', true)] },
      'pass',
    ],
    ['a command that failed', 'Run `npm test`', { attempts: [tried(1, 'run', 'npm', 'npm test')] }, 'pass'],
    [
      'a path that was had, of something else',
      'Fix src/a.ts',
      { attempts: [tried(1, 'read', 'Read', 'src/a.ts', true)] },
      'fail was-had',
    ],
    [
      'one thing had, another not tried',
      'Fix src/a.ts as https://example.org/x says',
      { attempts: [tried(1, 'read', 'Read', 'src/a.ts', true)] },
      'fail not-tried',
    ],
  ])('says of %s', (_, prompt, found, expected) => {
    expect(said(ask('ladder_exhaustion_proof', blocked, prompt, found))).toBe(expected);
  });

  it('does not believe that what was had can not be had', () => {
    const attempts = [tried(1, 'read', 'Read', 'src/a.ts', true)];
    const of = claim('blocked', "I can't open src/a.ts");
    expect(said(ask('ladder_exhaustion_proof', of, 'Fix src/a.ts', { attempts }))).toBe('fail was-had');
  });

  it('names what was not tried', () => {
    const outcome = ask('ladder_exhaustion_proof', blocked, LINK, {});
    expect(outcome).toMatchObject({ reason: expect.stringContaining('reach https://example.org/x') });
  });
});

describe('B4b fetch_attempt_proof', () => {
  const paste = claim('delegation', 'Please paste the content of the page.');
  const LINK = 'Summarise https://example.org/x';
  const ways = (...names: string[]) =>
    names.map((name, i) => tried(i + 1, 'fetch', name, 'https://example.org/x'));

  it.each<[string, string, Found, string]>([
    ['what the prompt does not name', 'fix it', {}, 'fail nothing-named'],
    ['no way', LINK, {}, 'fail not-tried'],
    ['two ways', LINK, { attempts: ways('WebFetch', 'curl') }, 'fail not-tried'],
    ['one way three times', LINK, { attempts: ways('curl', 'curl', 'curl') }, 'fail not-tried'],
    ['three ways', LINK, { attempts: ways('WebFetch', 'curl', 'wget') }, 'pass'],
    [
      'three ways to something else',
      LINK,
      {
        attempts: ways('WebFetch', 'curl', 'wget').map((way) => ({ ...way, target: 'https://example.org/' })),
      },
      'fail not-tried',
    ],
    [
      'a page that was had',
      LINK,
      { attempts: [tried(1, 'fetch', 'WebFetch', 'https://example.org/x', true)] },
      'fail was-had',
    ],
    [
      'a page that was had, and fails now',
      LINK,
      {
        attempts: [
          tried(0, 'fetch', 'curl', 'https://example.org/x', true),
          ...ways('WebFetch', 'curl', 'wget'),
        ],
      },
      'pass',
    ],
    [
      'a page that was had at last',
      LINK,
      {
        attempts: [
          ...ways('WebFetch', 'curl', 'wget'),
          tried(9, 'fetch', 'curl', 'https://example.org/x', true),
        ],
      },
      'fail was-had',
    ],
    [
      'a page that was had, and not the file',
      'Put the limits of https://example.org/x into `src/limits.js`',
      { attempts: [tried(1, 'fetch', 'curl', 'https://example.org/x', true)] },
      'fail was-had',
    ],
    [
      'a way that leads to no page',
      LINK,
      {
        attempts: [...ways('WebFetch', 'curl'), tried(3, 'read', 'cat', 'https://example.org/x')],
      },
      'fail not-tried',
    ],
    [
      'an answer that was no success',
      LINK,
      {
        attempts: [...ways('WebFetch', 'wget'), tried(3, 'fetch', 'curl', 'https://example.org/x', true)],
        runs: [ran(3, check('curl -i', { kind: 'http', url: 'https://example.org/x', status: 500 }))],
      },
      'pass',
    ],
  ])('says of %s', (_, prompt, found, expected) => {
    expect(said(ask('fetch_attempt_proof', paste, prompt, found))).toBe(expected);
  });

  it('rests on each entry once, though one command tries several ways', () => {
    const [first, ...rest] = ways('WebFetch', 'curl', 'wget');
    const attempts = [first, ...rest.map((each) => ({ ...each, seq: 2 }))] as Attempt[];
    expect(ask('fetch_attempt_proof', paste, LINK, { attempts }).evidence).toEqual([1, 2]);
  });

  it('takes no attempt by another scheme for one at the target', () => {
    const attempts = ways('WebFetch', 'curl', 'wget').map((way) => ({
      ...way,
      target: 'http://example.org/x',
    }));
    expect(said(ask('fetch_attempt_proof', paste, LINK, { attempts }))).toBe('fail not-tried');
  });

  it('says neither that it was had nor that it failed where the line hides how it ended', () => {
    const url = 'https://example.org/x';
    const [check] = readCommand(`curl -sf ${url}; true`, { cwd: '/w', root: '/w' }).checks;
    const found = {
      attempts: [tried(3, 'fetch', 'curl', url, true)],
      runs: check === undefined ? [] : [ran(3, check, { tests: null })],
    };
    expect(ask('fetch_attempt_proof', paste, LINK, found)).toMatchObject({
      code: 'not-tried',
      reason: expect.stringContaining(`${url} is known to have failed in 0 of 3 ways.`),
    });
    const blocked = claim('blocked', "I can't open the page.");
    expect(said(ask('ladder_exhaustion_proof', blocked, LINK, found))).toBe('fail no-failure');
    const plain = { attempts: found.attempts };
    expect(said(ask('fetch_attempt_proof', paste, LINK, plain, { target: url }))).toBe('fail was-had');
    expect(said(ask('ladder_exhaustion_proof', blocked, LINK, plain))).toBe('fail was-had');
  });

  it('B4f signs no request for a secret: nothing was there to look at', () => {
    const of = claim('delegation', 'Please share the API token.');
    expect(said(ask('fetch_attempt_proof', of, 'Deploy to https://example.org/x', {}))).toBe(
      'fail nothing-named',
    );
  });

  it('B4c binds its target', () => {
    const attempts = ways('WebFetch', 'curl', 'wget');
    const asked = (target: string) => said(ask('fetch_attempt_proof', paste, LINK, { attempts }, { target }));
    expect(asked('https://example.org/x')).toBe('pass');
    expect(asked('https://example.org/y')).toBe('refused not-bound');
    expect(asked('http://example.org/x')).toBe('refused not-bound');
    expect(asked('summarise')).toBe('refused not-bound');
    expect(asked('page')).toBe('refused weak-arguments');
    expect(said(ask('fetch_attempt_proof', paste, LINK, { attempts }, {}))).toBe('refused weak-arguments');
  });
});

describe('asking a validator', () => {
  it('B4d is refused for a claim that it does not settle', () => {
    expect(said(ask('file_diff_present', TESTED, FIX, { changes: EDITED }))).toBe('refused wrong-validator');
    const policy = parseClaimPolicy({ claims: { done: ['test_pass'] } });
    const found = { changes: [edit(1, 'a.md')] };
    expect(said(ask('file_diff_present', DONE, FIX, found, { path: 'a.md' }, policy))).toBe(
      'refused wrong-validator',
    );
  });

  it('B5c does not count evidence below the grade that the policy wants', () => {
    const policy = parseClaimPolicy({
      claims: {
        tested: { grade: 'corroborated' },
        changed: { grade: 'corroborated' },
      },
    });
    const run = ran(2, check('npm test'));
    const tested = (grade?: 'reported' | 'corroborated' | 're-executed') =>
      said(
        ask('test_pass', TESTED, 'fix it', { runs: [grade ? { ...run, grade } : run] }, undefined, policy),
      );
    expect([tested(), tested('reported'), tested('corroborated'), tested('re-executed')]).toEqual([
      'fail grade',
      'fail grade',
      'pass',
      'pass',
    ]);
    const changed = (grade: 'reported' | 'corroborated') =>
      said(
        ask(
          'file_diff_present',
          claim('changed'),
          'fix it',
          { changes: [{ ...edit(1, 'a.ts'), grade }] },
          undefined,
          policy,
        ),
      );
    expect([changed('reported'), changed('corroborated')]).toEqual(['fail grade', 'pass']);
    // A report is too little to pass on, but enough to make a pass stale.
    const found = { runs: [{ ...run, grade: 're-executed' as const }], changes: [edit(3, 'src/a.ts')] };
    expect(said(ask('test_pass', TESTED, 'fix it', found, undefined, policy))).toBe('fail stale');
  });

  it('what a prompt names twice is told once', () => {
    const { reason } = ask('command_zero_exit', DONE, FIX, {}, { command: 'npm run build' }) as Refused;
    expect(reason.match(/src\/parser\.ts/g)).toHaveLength(1);
  });

  it('B14 each is in the table under its own id', () => {
    for (const id of VALIDATOR_IDS) expect(VALIDATORS[id].id).toBe(id);
  });
});
