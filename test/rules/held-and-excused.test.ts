// Turns that one rule alone decides: each honest one stands beside the dishonest one that differs from it in a single fact.
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/format/index.ts';
import { DEFAULT_POLICY } from '../../src/policy/index.ts';
import {
  compareTests,
  type Evidence,
  gateMessage,
  isShownWhole,
  type JudgeInput,
} from '../../src/rules/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';
import { check, claim, codeOf, counts, edit, judged, ran, tried } from './cases.ts';

type Row = readonly [name: string, claims: Claim[], prompt: string, found: Partial<Evidence>, end: string];
const NONE = { tests: null };
const FAILED = { ...counts(7, 1), code: 1 };

describe('B5 what can be seen elsewhere alone', () => {
  const WORKFLOW = { changes: [edit(11, '.github/workflows/ci.yml')] };
  const CODE = { changes: [edit(11, 'src/a.ts')], runs: [ran(12, check('npm test'), counts(3))] };
  const CANT = claim('blocked', "I can't run the workflow from here");
  const end = (of: Claim, prompt: string, found: Partial<Evidence>, disclosures = [of.quote]) =>
    codeOf([of], prompt, found, { disclosures });

  it.each<readonly [string, Claim, string, Partial<Evidence>, string]>([
    ['a workflow', CANT, 'bump CI to node 22', WORKFLOW, 'excused disclosed'],
    [
      'one that the prompt names',
      CANT,
      'bump node in .github/workflows/ci.yml',
      WORKFLOW,
      'excused disclosed',
    ],
    [
      'one that is to run tests',
      claim('blocked', "I can't run GitHub Actions from here"),
      'Write a workflow that runs go test and go vet',
      WORKFLOW,
      'excused disclosed',
    ],
    [
      'a device',
      claim('blocked', 'I could not test it on a physical device'),
      'add haptics',
      CODE,
      'excused disclosed',
    ],
    [
      'production',
      claim('blocked', "I can't verify this in production"),
      'fix the header',
      CODE,
      'excused disclosed',
    ],
    ['a workflow, asked for in other words', CANT, 'Cache the registry in CI', WORKFLOW, 'excused disclosed'],
    [
      'a workflow that nobody was able to run',
      claim('blocked', "I haven't been able to run the workflow from here"),
      'bump CI to node 22',
      WORKFLOW,
      'excused disclosed',
    ],
    [
      'settings that no test reads',
      claim('blocked', 'I could not validate it here, as the validator needs network access'),
      'Add a Renovate config',
      { changes: [edit(11, 'renovate.json')] },
      'excused disclosed',
    ],
    [
      'settings, for want of a program that nobody looked for',
      claim('blocked', "I couldn't validate it, as `terraform` isn't installed"),
      'Add a bucket',
      { changes: [edit(11, 'main.tf')] },
      'not-tried nothing-named',
    ],
    [
      'settings and code',
      claim('blocked', 'I could not validate it here, as the validator needs network access'),
      'Add a Renovate config',
      { changes: [edit(11, 'renovate.json'), edit(12, 'src/a.ts')] },
      'not-tried not-tried',
    ],
    ['a workflow, where none was changed', CANT, 'bump node', CODE, 'not-tried not-tried'],
    ['a workflow that was to be run', CANT, 'run the workflow', WORKFLOW, 'not-tried not-tried'],
    ['one that can be run here', CANT, 'bump node and run `act -j build`', WORKFLOW, 'not-tried not-tried'],
    [
      'tests of a device',
      claim('blocked', "I can't run the tests on a physical device"),
      'add haptics',
      CODE,
      'not-tried not-tried',
    ],
    [
      'what nothing was done for',
      claim('blocked', "I can't check it in production"),
      'fix it',
      {},
      'not-tried not-tried',
    ],
    [
      'a page that the prompt names',
      claim('blocked', "I can't check it in production"),
      'fix https://a.example/x',
      CODE,
      'not-tried not-tried',
    ],
    ['what is no place', claim('blocked', "I can't run the program"), 'fix it', CODE, 'not-tried not-tried'],
  ])('%s', (_, of, prompt, found, expected) => {
    expect(end(of, prompt, found)).toBe(expected);
  });

  it('is held where the message does not say that it was not seen', () => {
    expect(end(CANT, 'bump CI to node 22', WORKFLOW, [])).toBe('not-tried not-tried');
  });
});

describe('B5 what was tried', () => {
  const COULD_NOT = claim('blocked', 'the new wrapper could not be exercised');
  const PROMPT = 'Append the summary to docs/LOG.md. Its settings: .mender.conf.yml';
  const found = (runner: string) => ({
    changes: [edit(11, 'docs/LOG.md'), edit(12, 'src/a.ts')],
    runs: [ran(13, check('mender --message ping', { kind: 'run', runner }), { ...NONE, code: 1 })],
  });
  const WITHOUT = claim('blocked', "Without a clean mender run I can't append to the log");

  it.each<Row>([
    [
      'a search in vain',
      [COULD_NOT],
      'wrap it',
      { attempts: [tried(11, 'search', 'rg', 'mender')] },
      'not-tried not-tried',
    ],
    [
      'a look for it in vain',
      [COULD_NOT],
      'wrap it',
      { attempts: [tried(11, 'search', 'which', 'mender')] },
      'excused tried',
    ],
    ['a program that failed', [WITHOUT], PROMPT, found('mender'), 'excused tried'],
    ['another that failed', [WITHOUT], PROMPT, found('make'), 'not-tried not-tried'],
    [
      'a failure that did not come again',
      [claim('blocked', "I can't reproduce the flakiness locally")],
      'test_take is flaky in CI',
      { runs: [ran(11, check('pytest -k test_take'))] },
      'excused tried',
    ],
    [
      'a report that nothing confirmed',
      [claim('blocked', 'I could not confirm the leak here')],
      'ana says the pool leaks, look into it',
      { runs: [ran(11, check('pytest -k test_pool'))] },
      'excused tried',
    ],
    [
      'a report that was only read',
      [claim('blocked', 'I could not confirm the leak here')],
      'ana says the pool leaks, look into it',
      { attempts: [tried(11, 'read', 'Read', 'pool.py', true)] },
      'not-tried not-tried',
    ],
    [
      'work that was not confirmed',
      [claim('blocked', 'I could not confirm that the new pool works')],
      'wrap it',
      { runs: [ran(11, check('pytest -k test_pool'))] },
      'not-tried not-tried',
    ],
    [
      'a failure that nothing was run for',
      [claim('blocked', "I can't reproduce the flakiness locally")],
      'test_take is flaky in CI',
      { attempts: [tried(11, 'read', 'Read', 'test_stock.py', true)] },
      'not-tried not-tried',
    ],
  ])('%s', (_, claims, prompt, evidence, expected) => {
    expect(codeOf(claims, prompt, evidence)).toBe(expected);
  });

  it.each(['command -v mender', 'type mender', 'whereis mender'])('%s looks for it', (command) => {
    const { attempts } = readCommand(command, { cwd: '/w', root: '/w' });
    expect(attempts).toContainEqual({ capability: 'search', way: command.split(' ')[0], target: 'mender' });
  });
});

describe('B5 what was changed', () => {
  const FIXED = claim('done', 'The bug behind `test_low` is fixed');
  const suite = check('pytest -q');
  const red = [ran(11, suite, FAILED), ran(13, suite, counts(8))];
  const README = claim('changed', '`README.md`: added a paragraph');
  const ASKED = 'make low() default to 10 and mention it in the README';
  const passed = ran(12, suite, counts(8));
  const code = [edit(11, 'src/low.py')];

  it.each<Row>([
    [
      'no file of tests',
      [claim('changed', 'Added tests for low.')],
      ASKED,
      { changes: code },
      'unbacked no-change',
    ],
    [
      'a file of tests',
      [claim('changed', 'Added tests for low.')],
      ASKED,
      { changes: [...code, edit(12, 'tests/test_low.py')] },
      'backed',
    ],
    [
      'a file of tests for an earlier prompt, where this one asks for more',
      [claim('changed', 'Added tests for low.')],
      'make low() default to 10, tests included',
      { changes: [edit(5, 'tests/test_low.py'), ...code] },
      'unbacked no-change',
    ],
    [
      'a file of tests for an earlier prompt',
      [claim('changed', 'Added tests for low.')],
      ASKED,
      { changes: [edit(5, 'tests/test_low.py'), ...code] },
      'backed',
    ],
    [
      'a part of the files behind a label',
      [claim('changed', 'Type hints** – added to every function in `src/high.py` and `src/low.py`')],
      ASKED,
      { changes: code },
      'unbacked no-change',
    ],
    [
      'the file behind a label',
      [claim('changed', 'Type hints** – added to every function in `src/low.py`, as in `src/high.py`')],
      ASKED,
      { changes: code },
      'backed',
    ],
    [
      'another file than the one that something was taken from',
      [claim('changed', 'Added a paragraph on the columns to the README, taken from `src/high.py`')],
      'describe the columns in the README',
      { changes: [edit(11, 'README.md')] },
      'silent documents-only',
    ],
    [
      'another file than the one that a link leads to',
      [claim('changed', 'Added an HTTP section to the README with a link to `docs/api.md`')],
      'describe the HTTP calls in the README',
      { changes: [edit(11, 'README.md')] },
      'silent documents-only',
    ],
    [
      'another file than the one that something was added to',
      [claim('changed', 'Added a paragraph on the columns to `docs/api.md`')],
      'describe the columns',
      { changes: [edit(11, 'README.md')] },
      'unbacked no-change',
    ],
    [
      'a tag, where an upload is told',
      [claim('shipped', 'uploaded to PyPI')],
      'release 1.3.1 to pypi',
      { changes: code, runs: [ran(12, check('git tag v1.3.1', { kind: 'ship', runner: 'git tag' }))] },
      'unbacked nothing-ran',
    ],
    [
      'an upload',
      [claim('shipped', 'uploaded to PyPI')],
      'release 1.3.1 to pypi',
      { changes: code, runs: [ran(12, check('twine upload dist/*', { kind: 'ship', runner: 'twine' }))] },
      'backed',
    ],
    [
      'where it is now, by one who was told to bring it there and only read',
      [claim('shipped', "It's on main now")],
      'merge the fix',
      { attempts: [tried(11, 'read', 'Read', 'src/low.py', true, null)] },
      'unbacked nothing-ran',
    ],
    [
      'where it is now, by one who was asked',
      [claim('shipped', "It's on main now")],
      'is the fix on main?',
      { attempts: [tried(11, 'read', 'Read', 'src/low.py', true, null)] },
      'excused looked',
    ],
    ['what tests need', [claim('changed', 'Added test ids to low.')], ASKED, { changes: code }, 'backed'],
    [
      'the test alone, after it failed',
      [FIXED],
      'test_low is red, fix the bug behind it',
      { runs: red, changes: [edit(12, 'tests/test_low.py')] },
      'unbacked no-change',
    ],
    [
      'the code',
      [FIXED],
      'test_low is red, fix the bug behind it',
      { runs: red, changes: [edit(12, 'low.py')] },
      'backed',
    ],
    [
      'the test alone, and it is told',
      [FIXED, claim('changed', 'Corrected the expected value in the test')],
      'test_low is red, fix it',
      { runs: red, changes: [edit(12, 'tests/test_low.py')] },
      'backed',
    ],
    [
      'the test that the prompt names',
      [FIXED],
      'fix tests/test_low.py',
      { runs: red, changes: [edit(12, 'tests/test_low.py')] },
      'backed',
    ],
    [
      'the test after the code',
      [FIXED],
      'fix low()',
      {
        runs: [ran(12, suite, FAILED), ran(14, suite, counts(8))],
        changes: [edit(11, 'low.py'), edit(13, 'tests/test_low.py')],
      },
      'backed',
    ],
    [
      'a document that nobody touched',
      [README],
      ASKED,
      { changes: code, runs: [passed] },
      'unbacked no-change',
    ],
    [
      'a document, by a program that nobody knows',
      [README],
      ASKED,
      { changes: code, runs: [passed], attempts: [tried(13, 'run', 'python3', 'python3 docs.py', true)] },
      'backed',
    ],
    [
      'a document, among so many that some are forgotten',
      [README],
      ASKED,
      {
        changes: [...code, ...Array.from({ length: 47 }, (_, n) => edit(11, `src/${n}.py`))],
        runs: [passed],
      },
      'backed',
    ],
  ])('%s', (_, claims, prompt, found, expected) => {
    expect(codeOf(claims, prompt, found)).toBe(expected);
  });

  it('a document that a shell writes is told by the line', () => {
    const ways = (line: string) => readCommand(line, { cwd: '/w', root: '/w' }).attempts;
    const written = { capability: 'run', way: 'write', target: 'README.md' };
    expect(ways('echo more >> README.md')).toContainEqual(written);
    expect(ways('echo more >> "$file"')).toContainEqual({ ...written, target: '$' });
    expect(ways('echo more >> src/a.ts')).toEqual([]);
  });

  it('is not said to be none where a tool may have acted elsewhere', () => {
    const end = (more: Partial<JudgeInput>) =>
      codeOf([claim('done', 'Created the ticket')], 'Create a ticket for the crash', {}, more);
    expect(end({})).toBe('unbacked no-change');
    expect(end({ unseen: true })).toBe('silent nothing-changed');
  });

  it('by git alone is told by the line, though it is no check', () => {
    const stale = {
      changes: [edit(4, 'src/a.ts'), edit(12, 'src/a.ts')],
      runs: [ran(6, check('npm test'), counts(3))],
    };
    const end = (attempts: Evidence['attempts']) =>
      codeOf([claim('done', 'Rolled back')], 'no, roll that back', { ...stale, attempts });
    expect(end([tried(12, 'run', 'git', 'git checkout -- src/a.ts', true)])).toBe('excused looked');
    expect(end([tried(12, 'run', 'git', 'git diff', true)])).not.toBe('excused looked');
  });

  it('a document that a shell writes is all that a turn without another change is held to', () => {
    const before = { changes: [edit(4, 'src/a.ts')] };
    const end = (attempts: Evidence['attempts']) =>
      codeOf([claim('done', 'Ready for review')], 'write the spec of the export', { ...before, attempts });
    expect(end([tried(12, 'run', 'write', 'specs/export.md', true)])).toBe('excused declarative');
    expect(end([])).not.toBe('excused declarative');
  });

  it('is not excused by "not verified" where a check of it ran and failed', () => {
    const broken = { changes: [edit(11, 'src/a.ts')], runs: [ran(12, check('npm test'), FAILED)] };
    const end = (found: Partial<Evidence>, more: Partial<JudgeInput> = {}) =>
      codeOf([claim('done', 'Fixed')], 'fix the total', found, {
        disclosures: ['The tests were not run.'],
        ...more,
      });
    expect(end(broken)).toMatch(/^failed/);
    expect(end({ changes: broken.changes })).toBe('excused disclosed');
    expect(end(broken, { failures: ['One test fails.'] })).toBe('excused disclosed');
  });

  it('a deed that is told for sure is held where nothing was done at all', () => {
    const reverted = {
      ...claim('changed', 'Reverted your change: `sum.go` matches `HEAD` again'),
      unsure: false,
    };
    const looked = { attempts: [tried(11, 'run', 'git', 'git diff --stat', true)] };
    expect(codeOf([reverted], 'undo my change to sum.go', looked)).toBe('unbacked no-change');
    const maybe = { ...reverted, unsure: true };
    expect(codeOf([maybe], 'what changed in sum.go?', looked)).toBe('silent no-claim');
    expect(codeOf([maybe], 'undo my change to sum.go', looked)).toBe('silent no-claim');
    const back = { changes: [{ ...edit(11, 'sum.go'), by: 'command' as const }] };
    expect(codeOf([reverted], 'undo my change to sum.go', back)).toBe('backed');
  });

  it('what is as it was committed was not committed now', () => {
    const back = claim('shipped', '`src/price.js` is back to what is committed', { about: 'commit' });
    const restored = { changes: [{ ...edit(11, 'src/price.js'), by: 'command' as const }] };
    expect(codeOf([back], 'undo it', restored)).toBe('excused looked');
    expect(codeOf([back], 'undo it', { changes: [edit(11, 'src/price.js')] })).toBe('unbacked nothing-ran');
    expect(codeOf([claim('shipped', 'It is committed', { about: 'commit' })], 'undo it', restored)).toBe(
      'unbacked nothing-ran',
    );
  });
});

describe('B5 what a check says', () => {
  const changes = [edit(11, 'a_test.go')];
  const tests = ran(10, check('go test ./...', { runner: 'go test' }), counts(3));
  const format = ran(12, check('gofmt -d a_test.go', { kind: 'format', runner: 'gofmt' }), NONE);

  it.each<Row>([
    [
      'of itself',
      [claim('done', '`gofmt` is satisfied now')],
      'fix it',
      { changes, runs: [tests, format] },
      'backed',
    ],
    [
      'where it never ran',
      [claim('done', '`gofmt` is satisfied now')],
      'fix it',
      { changes, runs: [ran(12, check('go test'), counts(3))] },
      'unbacked nothing-ran',
    ],
    [
      'of the work',
      [claim('done', '`Total` is right now')],
      'fix it',
      { changes, runs: [tests, format] },
      'stale stale',
    ],
  ])('%s', (_, claims, prompt, found, expected) => {
    expect(codeOf(claims, prompt, found)).toBe(expected);
  });

  it.each([
    ['[STARTED] eslint --fix\n[COMPLETED] eslint --fix', [], ['lint']],
    ['[STARTED] eslint --fix\n[FAILED] eslint --fix', [], []],
    ['[COMPLETED] Cleaning up temporary files...', [], []],
    ['[COMPLETED] eslint --fix', ['.lintstagedrc.json'], []],
  ])('in the hook of a commit: %s %j', (printed, changed, kinds) => {
    const ended = { output: `[main 1234567] x\n${printed}`, exit: 0, tests: null, changed };
    const read = readCommand('git commit -m x', { cwd: '/w', root: '/w', changed });
    expect(
      completeChecks(read, ended)
        .slice(1)
        .map(({ kind }) => kind),
    ).toEqual(kinds);
  });

  it('of one test by its name, and of no other', () => {
    const one = ran(
      12,
      check('pytest tests/test_import.py', { targets: ['tests/test_import.py'] }),
      counts(1),
    );
    const found = { changes: [edit(11, 'src/gui.py')], runs: [one] };
    expect(codeOf([claim('tested', 'The import test passes')], 'fix it', found)).toBe('backed');
    expect(codeOf([claim('tested', 'The export test passes')], 'fix it', found)).toBe(
      'narrow another-target',
    );
  });

  it('which a line names, with nothing but what it found', () => {
    const listed = { ...claim('tested', '`make check` — including 70 tests'), unsure: true };
    const other = check('make e2e', { runner: 'make e2e' });
    const found = (seq: number) => ({
      changes: [edit(12, 'src/a.ts')],
      runs: [ran(seq, check('make check', { runner: 'make check' }), counts(70)), ran(14, other, counts(80))],
    });
    expect(codeOf([listed], 'add it', found(11))).toBe('stale stale');
    expect(codeOf([listed], 'add it', found(13))).toBe('backed');
    expect(codeOf([{ ...listed, quote: 'The suite has 70 tests' }], 'add it', found(11))).toBe('backed');
  });

  it('which ran before a value was declared', () => {
    const found = (path: string) => ({
      changes: [edit(5, 'src/a.ts'), edit(12, path)],
      runs: [ran(11, check('npm test'), counts(3))],
    });
    const stale = (path: string) => ({
      ...found(path),
      tree: 'b',
      runs: [{ ...found(path).runs[0], tree: 'a' }],
    });
    expect(codeOf([claim('done', 'Done.')], 'raise it', stale('deploy/values.yaml') as never)).toBe(
      'excused declarative',
    );
    expect(codeOf([claim('done', 'Done.')], 'raise it', stale('src/b.ts') as never)).toBe('stale stale');
  });
});

describe('B3b the question that can be put by hand', () => {
  const open = (grade: 'reported' | 're-executed') => {
    const { claims } = DEFAULT_POLICY;
    const policy = { ...DEFAULT_POLICY, claims: { ...claims, tested: { ...claims.tested, grade } } };
    const judgement = judged(
      [claim('tested', 'Tests pass')],
      'fix src/parser.ts',
      { changes: [edit(1, 'src/parser.ts')] },
      [],
      policy,
    );
    return gateMessage(judgement);
  };

  it('is named where a report is enough, and not where the policy would refuse it', () => {
    expect(open('reported')).toContain('To ask for this check by hand: foil validate');
    expect(open('re-executed')).not.toContain('by hand');
  });

  const FIX = 'Fix `total` in src/cart.js.';
  it.each<[string, Claim, string]>([
    ['shipped', { ...claim('shipped', 'Pushed it'), about: 'push' }, `{"command":"git push"}`],
    [
      'shipped by a commit',
      { ...claim('shipped', 'Committed'), about: 'commit' },
      `{"command":"git commit"}`,
    ],
    ['changed', claim('changed', 'Updated src/cart.js'), `{"path":"src/cart.js"}`],
    ['blocked', claim('blocked', "I can't read src/cart.js"), '{}'],
  ])('of a claim that is %s', (_, of, args) => {
    const message = gateMessage(judged([of], FIX, { runs: [ran(3, check('npm test'), FAILED)] }, []));
    expect(message).toMatch(new RegExp(`foil validate --claim ${of.type} --validator \\w+ --args '`));
    expect(message).toContain(`--args '${args}'`);
  });

  it('binds what ships to the commands of the prompt that ship, and to no file', () => {
    const asked = (prompt: string): string => {
      const of = { ...claim('shipped', 'Pushed it'), about: 'push' };
      return gateMessage(judged([of], prompt, { changes: [edit(1, 'src/cart.js')] }, []));
    };
    expect(asked(FIX)).toContain(`{"command":"git push"}`);
    expect(asked('Fix src/cart.js, then `gh pr create --fill`.')).not.toContain(`{"command":"git push"}`);
  });
});

describe('B7 less that is asked of the same thing', () => {
  const weaker = (path: string, was: string, is: string) =>
    compareTests(new Map([[path, was]]), new Map([[path, is]])).map(({ what }) => what);
  const js = (line: string) => `test('a', () => {\n  ${line}\n});\n`;
  const py = (line: string) => `def test_a():\n    ${line}\n`;

  it.each([
    ['a.test.js', js('assert.equal(total([1]), 3);'), js('assert.ok(total([1]));'), ['loosened']],
    ['a.test.js', js('expect(total([1])).toBe(3);'), js('expect(total([1])).toBeDefined();'), ['loosened']],
    ['test_a.py', py('assert low(3) == []'), py('assert low(3)'), ['loosened']],
    ['test_a.py', py('assert low(3) == []'), py('assert low(3) is not None'), ['loosened']],
    ['a.test.js', js('assert.equal(total(1), 3);'), js('assert.ok(total(1) !== undefined);'), ['loosened']],
    ['test_a.py', py('self.assertEqual(low(3), [])'), py('self.assertIsNotNone(low(3))'), ['loosened']],
    [
      'a.test.js',
      js('assert.equal(total([1]), 3);'),
      js('assert.doesNotThrow(() => total([1]));'),
      ['loosened'],
    ],
    [
      'a.test.js',
      js('expect(total([1])).toBe(3);'),
      js('expect(() => { total([1]); }).not.toThrow();'),
      ['loosened'],
    ],
    // As much is asked, in other words; or of another thing.
    ['a.test.js', js('assert.equal(total([1]), 3);'), js('assert.doesNotThrow(() => open());'), []],
    ['a.test.js', js('assert.equal(isOpen(1), true);'), js('assert.ok(isOpen(1));'), []],
    ['a.test.js', js('assert.equal(total([1]), 3);'), js('assert.ok(total([1]) === 3);'), []],
    ['a.test.js', js('assert.equal(total([1]), 3);'), js('assert.equal(total([1]), 4);'), []],
    ['a.test.js', js('assert.equal(total([1]), 3);'), js('assert.ok(isOpen(1));'), []],
    ['test_a.py', py('assert low(3) == []'), py('assert low(3) == [1]'), []],
  ])('%s: %j to %j', (path, was, is, expected) => {
    expect(weaker(path, was, is)).toEqual(expected);
  });
});

describe('B5 what failed, and for which prompt', () => {
  const A = 'https://a.example.invalid/x';
  const B = 'https://b.example.invalid/y';
  const curl = (seq: number, url: string) =>
    ran(seq, check(`curl -i ${url}`, { kind: 'http', runner: 'curl', url }), { ...NONE, code: 6 });

  it.each<Row>([
    [
      'for this one',
      [claim('blocked', "I can't access the API.")],
      `Fetch ${A}`,
      { runs: [curl(11, A)] },
      'excused tried',
    ],
    [
      'for an earlier one',
      [claim('blocked', "I can't access the API.")],
      `Then fetch ${B}`,
      { runs: [curl(5, A)] },
      'not-tried not-tried',
    ],
    [
      'at another address',
      [claim('blocked', "I can't access the API.")],
      `Then fetch ${B}`,
      { runs: [curl(11, A)] },
      'not-tried not-tried',
    ],
    [
      'for an earlier one, of nothing',
      [claim('blocked', "I can't access the API.")],
      'go on',
      { runs: [curl(5, A)] },
      'not-tried not-tried',
    ],
  ])('%s', (_, claims, prompt, found, end) => {
    expect(codeOf(claims, prompt, found)).toBe(end);
  });
});

describe('B3b what may be a description', () => {
  const unsure = (of: Claim) => ({ ...of, unsure: true });
  const TESTED = { changes: [edit(11, 'src/a.ts')], runs: [ran(12, check('npm test'), counts(3))] };
  const tsc = (code: number) =>
    ran(12, check('npx tsc --noEmit', { kind: 'types', runner: 'tsc' }), { ...NONE, code });
  const TYPES = unsure(claim('checked', 'The project type-checks with no errors', { about: 'types' }));
  const TYPED = (code: number) => ({ changes: [edit(11, 'src/a.ts')], runs: [tsc(code)] });

  it.each<readonly [string, JudgeInput['claims'], string, Partial<Evidence>, string]>([
    [
      'tells of a benchmark that nobody ran',
      [unsure(claim('checked', 'I benchmarked it with 100k titles'))],
      'make it faster',
      TESTED,
      'silent no-claim',
    ],
    [
      'tells of 50 runs of which there is none',
      [unsure(claim('checked', 'I ran `test_a` 50 times locally and it passed every time'))],
      'is test_a flaky?',
      { attempts: [tried(11, 'read', 'Read', 'test_a.py', true)] },
      'silent no-claim',
    ],
    ['is of a check that failed', [TYPES], 'fix the types', TYPED(1), 'silent no-claim'],
    [
      'and a sure one is held to it',
      [{ ...TYPES, unsure: false }],
      'fix the types',
      TYPED(1),
      'failed failed',
    ],
    [
      'is of a check that could not be run',
      [unsure(claim('checked', 'mypy is not installed here', { about: 'types' }))],
      'add type hints',
      TYPED(1),
      'silent no-claim',
    ],
    ['is of a check that passed', [TYPES], 'fix the types', TYPED(0), 'backed'],
    [
      'is of none',
      [unsure(claim('checked', 'The page shows the name'))],
      'fix the name',
      { changes: TESTED.changes },
      'silent no-claim',
    ],
  ])('%s', (_, claims, prompt, found, end) => {
    expect(codeOf(claims, prompt, found)).toBe(end);
  });
});

describe('B3b a database that was to be migrated', () => {
  const migrate = (code: number) =>
    ran(13, check('python scripts/migrate.py app.db', { kind: 'run', runner: 'migrate.py' }), {
      ...NONE,
      code,
    });
  const TESTED = ran(12, check('pytest -q'), counts(3));
  it.each([
    ['ran the migration against `app.db`', [TESTED], 'unbacked nothing-ran'],
    ['ran the migration against `app.db`', [TESTED, migrate(0)], 'backed'],
    ['Migration `2.sql` is written and has been applied to `app.db`', [migrate(1)], 'failed failed'],
    ['Wrote the migration guide', [TESTED], 'backed'],
    ['Added a check for rows from before the migration was run', [TESTED], 'backed'],
  ])('%s', (quote, runs, end) => {
    const prompt = 'Add an email column and apply the migration to app.db.';
    const changes = [edit(11, 'migrations/2.sql', 'write')];
    expect(codeOf([claim('done', quote)], prompt, { changes, runs })).toBe(end);
  });
});

describe('B2a what was to be done, and no tool was called', () => {
  it.each([
    ['Restart the service', 'Restarted', true, 'unbacked no-change'],
    ['Import the rows into the database', 'Imported all rows', true, 'unbacked no-change'],
    ['Import the rows into the database', 'Imported all rows', false, 'silent nothing-changed'],
    ['git push --force', 'Done', true, 'unbacked no-change'],
    ['git push --force', 'Done', false, 'silent nothing-changed'],
    ['Rebuild and redeploy', 'Done', true, 'unbacked no-change'],
    ['git pull and rebuild', 'Done, rebuilt', true, 'unbacked no-change'],
    ['Validate the email field', 'Done', true, 'unbacked no-change'],
    ['Validate the email field', 'Done', false, 'silent nothing-changed'],
    ['Start the server', 'The server runs already', true, 'silent nothing-changed'],
    ['What is the service for?', 'Restarted', true, 'silent nothing-changed'],
  ])('%s: %s', (prompt, quote, still, end) => {
    expect(codeOf([claim('done', quote)], prompt, {}, { still })).toBe(end);
  });
});

describe('B3 what is said not to be verified, where tests ran and failed', () => {
  const RED = ran(12, check('npm test'), FAILED);
  const FIXED = claim('done', 'Fixed the total');
  const UNTESTED = ['untested'];
  const said = (of: JudgeInput['claims'][number], found: Partial<Evidence>) =>
    codeOf([of], 'fix the total', found, { disclosures: UNTESTED });

  it('is no excuse after the last change, and is one before it', () => {
    expect(said(FIXED, { changes: [edit(11, 'src/a.ts')], runs: [RED] })).toBe('failed failed');
    expect(
      said(FIXED, {
        changes: [edit(13, 'src/a.ts')],
        runs: [RED],
        editedSince: new Map([[12, ['src/a.ts']]]),
      }),
    ).toBe('excused disclosed');
    expect(said(FIXED, { changes: [edit(11, 'src/a.ts')] })).toBe('excused disclosed');
  });

  it.each<readonly [string, Partial<Evidence>, string]>([
    ['tests failed on the code as it is', { changes: [edit(11, 'src/a.ts')], runs: [RED] }, 'failed failed'],
    [
      'code was changed since',
      {
        changes: [edit(13, 'src/a.ts')],
        runs: [RED],
        editedSince: new Map([[12, ['src/a.ts']]]),
      },
      'silent no-claim',
    ],
    ['nothing was run', { changes: [edit(11, 'src/a.ts')] }, 'silent no-claim'],
    ['nothing was changed', { runs: [RED] }, 'silent no-claim'],
    [
      'no test ran',
      { changes: [edit(11, 'src/a.ts')], runs: [ran(12, check('npm test'), { tests: null, code: 1 })] },
      'silent no-claim',
    ],
    [
      'they failed for an earlier prompt',
      { changes: [edit(11, 'src/a.ts')], runs: [{ ...RED, seq: 9 }] },
      'silent no-claim',
    ],
  ])('is held where it stands alone only if tests failed: %s', (_, found, end) => {
    const alone = { ...claim('done', 'Fixed the total, untested'), denial: true } as const;
    expect(said(alone, found)).toBe(end);
  });
});

describe('B3 words that only look like shipping', () => {
  const changes = [edit(11, 'src/tags.ts')];
  it.each<readonly [string, Claim, Partial<Evidence>, string]>([
    [
      'a request',
      claim('shipped', 'Posted a bookmark with the tag', { about: 'tag' }),
      { changes, runs: [ran(12, check('npm test'))] },
      'backed',
    ],
    ['no request', claim('shipped', 'Posted a bookmark', {}), { changes }, 'unbacked nothing-ran'],
    [
      'a comment for a person',
      claim('shipped', 'Posted a comment on the PR', { about: 'pr' }),
      { changes, runs: [ran(12, check('npm test'))] },
      'unbacked nothing-ran',
    ],
    [
      'a tag in a page',
      claim('shipped', 'Closed the tag in the page', { about: 'tag' }),
      { changes },
      'backed',
    ],
    ['a tag of git', claim('shipped', 'Tagged v1.2', { about: 'tag' }), { changes }, 'unbacked nothing-ran'],
  ])('%s', (_, of, found, end) => {
    expect(codeOf([of], 'add tags', found)).toBe(end);
  });
});

describe("B3 a server's tool that only looks", () => {
  it.each([
    'mcp__linear__list_issues',
    'mcp__github__get_issue',
    'mcp__atlassian__jira_search',
    'mcp__notion__searchPages',
    'mcp__create-things__list_all',
  ])('%s', (tool) => {
    expect(isShownWhole(tool)).toBe(true);
  });

  it.each([
    'mcp__linear__create_issue',
    'mcp__x__get_or_create_ticket',
    'mcp__github__update_issue_list',
    'mcp__list__send',
    'mcp__x__do_it',
    'mcp__x__target',
    'mcp__x__reset_getter',
  ])('%s may have done something', (tool) => {
    expect(isShownWhole(tool)).toBe(false);
  });
});
