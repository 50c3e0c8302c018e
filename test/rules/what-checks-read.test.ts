// What makes a pass stale, or worthless, and what only looks as if it did.
import { describe, expect, it } from 'vitest';
import { isCode, isLeftBehind, isTrackedCode } from '../../src/ecosystems/index.ts';
import { TestVersions } from '../../src/gate/test-versions.ts';
import { editsSince } from '../../src/rules/freshness.ts';
import { compareTests, type Evidence, type Run } from '../../src/rules/index.ts';
import { completeChecks, readCommand } from '../../src/shell/index.ts';

const check = (command: string) => {
  const [first] = readCommand(command, { cwd: '/w', root: '/w' }).checks;
  if (first === undefined) throw new Error(`${command} holds no check`);
  return first;
};
const edited = (command: string, path: string, tree: string | null = null) => {
  const checks = [check(command)];
  const exit = { code: 0, origin: 'host' } as const;
  const run: Run = {
    seq: 1,
    checks,
    exit,
    outcome: 'ok',
    tests: null,
    treeBefore: null,
    tree,
    genuine: true,
  };
  const evidence: Evidence = {
    runs: [run],
    changes: [{ seq: 2, path, op: 'edit', by: 'tool' }],
    attempts: [],
    weakened: [],
    tree,
    editedSince: new Map(),
    background: [],
  };
  return editsSince(run, evidence, checks[0]);
};

describe('B6 what a check reads makes it stale', () => {
  it.each([
    ['pytest', '.github/workflows/ci.yml', null],
    ['pytest', 'docs/mkdocs.yml', null],
    ['actionlint', '.github/workflows/ci.yml', ['.github/workflows/ci.yml']],
    ['pytest README.md', 'README.md', ['README.md']],
    ['pytest tests', 'README.md', null],
    ['pytest', 'tests/cases/one.md', ['tests/cases/one.md']],
  ])('%s, then %s', (command, path, stale) => {
    expect(edited(command, path)).toEqual(stale);
  });

  it('a document that it is given counts though the fingerprint of the code is the same', () => {
    expect(edited('pytest README.md', 'README.md', 'a')).toEqual(['README.md']);
  });

  it.each([
    ['build/compile.js', false, true, false],
    ['dist/index.js', false, true, false],
    ['coverage/a.js', false, false, false],
    ['app/test.sqlite3', true, true, true],
    ['uploads/a.json', true, true, true],
    ['uploads/handler.ts', true, true, false],
    ['tests/fixtures/a.db', true, true, false],
    ['tests/README.md', false, false, false],
    ['specs/001-login/tasks.md', false, false, false],
  ])('%s', (path, code, tracked, left) => {
    expect([isCode(path), isTrackedCode(path), isLeftBehind(path)]).toEqual([code, tracked, left]);
  });
});

const GO = (body: string): string => `func TestTurn(t *testing.T) {\n${body}\n}\n`;
const STEP = (call: string): string =>
  `\tif err := ${call}; err != nil {\n\t\tt.Fatalf("${call}: %v", err)\n\t}`;
const WANT = (what: string): string =>
  `\tif got != ${what} {\n\t\tt.Errorf("got %d, want ${what}", got)\n\t}`;
const weakened = (before: string, after: string) =>
  compareTests(new Map([['a_test.go', before]]), new Map([['a_test.go', after]])).map(({ what }) => what);

describe('X13 a test that is rewritten', () => {
  it.each([
    [
      'expects as much, and a step went',
      [STEP('stop()'), STEP('again()'), WANT('1')],
      [STEP('stop()'), WANT('2')],
      [],
    ],
    ['expects less', [WANT('1'), WANT('2')], [WANT('3')], ['loosened']],
    ['expects nearly nothing', [WANT('1'), STEP('a()')], ['\tassert.NotNil(t, got)'], ['loosened']],
  ])('%s', (_, before, after, found) => {
    expect(weakened(GO(before.join('\n')), GO(after.join('\n')))).toEqual(found);
  });
});

describe('X13 tests as a transcript shows them', () => {
  const one = 'func TestParseDate(t *testing.T) {\n\tt.Error("x")\n}\n';
  const edit = (before: string, after: string) => ({ old_string: before, new_string: after });

  it('a test goes with what it tested, unless that only moved', () => {
    for (const [moved, found] of [
      [false, []],
      [true, ['deleted']],
    ] as const) {
      const versions = new TestVersions();
      versions.edited('date.go', edit('func ParseDate() {}', ''), '');
      if (moved) versions.edited('other.go', edit('package a', 'package a\nfunc ParseDate() {}'), '');
      versions.edited('date_test.go', edit(one, ''), { originalFile: `package a\n${one}` });
      expect(versions.weakened.map(({ what }) => what)).toEqual(found);
    }
  });

  it.each(['marked', 'told by its lines'])('a text that was shortened is no file: %s', (how) => {
    const tests = Array.from({ length: 6 }, (_, i) => one.replace('ParseDate', `Case${i}`));
    const gap = how === 'marked' ? '…[cut]…\n' : '';
    const versions = new TestVersions();
    const patch = (oldStart: number) => ({ structuredPatch: [{ oldStart, lines: [' // end'] }] });
    versions.edited('a_test.go', edit('// end', `${one}// end`), {
      originalFile: `${tests.slice(0, 4).join('')}${gap}// end`,
      ...patch(20),
    });
    versions.edited('a_test.go', edit('// end', '// the end'), {
      originalFile: `${tests.slice(0, 2).join('')}${gap}// end`,
      ...patch(23),
    });
    expect(versions.weakened).toEqual([]);
  });
});

describe('B4 what a line of several commands shows', () => {
  const complete = (command: string, output: string, exit: number, changed: string[] = []) => {
    const tests = /(\d+) pass/.exec(output);
    const passed = Number(tests?.[1] ?? 0);
    const counts = { runner: 'bun test', passed, failed: 0, skipped: 0, total: passed };
    const read = readCommand(command, { cwd: '/w', root: '/w', changed });
    return completeChecks(read, { output, exit, tests: tests ? counts : null, changed });
  };

  it('the task that failed is named, so the one before it passed', () => {
    const output =
      '$ bun test src/\n 5 pass\n 0 fail\nRan 5 tests across 2 files. [1.00ms]\n$ biome check\nFound 1 error.\nerror: script "lint" exited with code 1\n';
    const [test] = complete('bun run test && bun run lint', output, 1);
    expect(test).toMatchObject({ kind: 'test', summary: 'passed' });
    const [failed] = complete('bun run test && bun run lint', output.replace('"lint"', '"test"'), 1);
    expect(failed?.summary).not.toBe('passed');
  });

  it('a commit that found nothing to commit did nothing, and failed at nothing', () => {
    const nothing = 'On branch main\nnothing to commit, working tree clean\n';
    const kinds = (line: string, exit: number, output = nothing) =>
      complete(line, output, exit).map(({ kind }) => kind);
    expect(kinds('git add -A && git commit -qm fix', 1)).toEqual([]);
    expect(kinds('git commit -qm fix; git log --oneline -1', 0, `${nothing}1234567 fix\n`)).toEqual([]);
    expect(kinds('git commit -qm fix && git status', 0)).toEqual(['ship']);
    expect(kinds('git commit -m fix', 1, 'nothing added to commit but untracked files present\n')).toEqual([
      'ship',
    ]);
  });

  const COMMIT = '$ biome check\n$ tsc --noEmit\nmypy.................Passed\n[main 1234567] fix\n';

  it('a commit that went through shows the checks of its hook, but not those of a hook of this session', () => {
    const kinds = (changed: string[], output = COMMIT) =>
      complete('git commit -m fix', output, 0, changed).map(({ kind }) => kind);
    expect(kinds([])).toEqual(['ship', 'lint', 'types', 'types']);
    expect(kinds(['.husky/pre-commit'])).toEqual(['ship']);
    expect(kinds([], '[main 1234567] fix\n$ tsc --noEmit\n')).toEqual(['ship']);
  });
});
