// Weakened tests of real work trees, since a session began.
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeBase, findWeakening, parseBase, Trees } from '../../src/gate/index.ts';
import { check, counts, ran } from '../rules/cases.ts';
import { Project } from './git-project.ts';

const TESTS = `it('adds', () => {
  expect(add(1, 2)).toBe(3);
});
it('carries', () => {
  expect(add(9, 1)).toBe(10);
});
`;
const FILES = {
  'src/add.ts': 'export const add = 1;\n',
  'test/add.test.ts': TESTS,
  'test/with space.test.ts': TESTS,
  'src/sums.ts': 'export const sums = 1;\n',
  'test/sums.test.ts': "it('sums', () => {\n  expect(sums).toBe(1);\n});\n",
  'stack/stack.go': 'package stack\n\nfunc Push() {}\n',
  'stack/depth_test.go': 'package stack\n\nfunc TestDepth(t *testing.T) {\n\tt.Error("no")\n}\n',
  'package.json': '{"scripts": {"test": "vitest run"}}\n',
};
const SETTINGS = {
  'tsconfig.json': '{"compilerOptions": {"strict": true}}\n',
  'pyproject.toml': '[tool.pytest.ini_options]\ntestpaths = ["tests"]\n',
};
const SKIPPED = TESTS.replace("it('adds'", "it.skip('adds'");

async function told(project: Project): Promise<string[] | null> {
  const state = await project.take();
  const base = parseBase(encodeBase(project.base ?? (await project.begin()))); // as another process would have it
  const { weakened } = await findWeakening(project.root, base, state, project.options);
  return weakened?.map(({ path, what, lines }) => `${path} ${what}: ${lines.join(' | ')}`) ?? null;
}

describe('X13a tests that became weaker in a session', () => {
  it.each<[string, (project: Project) => void, string[]]>([
    ['nothing', () => undefined, []],
    ['code', (project) => project.write({ 'src/add.ts': 'x' }), []],
    [
      'a test that went with the source of its name',
      (project) => {
        rmSync(join(project.root, 'src/add.ts'));
        rmSync(join(project.root, 'test/add.test.ts'));
      },
      [],
    ],
    [
      'a test that went, while its source moved',
      (project) => {
        rmSync(join(project.root, 'src/add.ts'));
        rmSync(join(project.root, 'test/add.test.ts'));
        project.write({ 'src/add/index.ts': 'export const add = 2;\n' });
      },
      ["test/add.test.ts deleted: it('adds', () => { | it('carries', () => {"],
    ],
    [
      'a test that went, while what it tests is declared elsewhere',
      (project) => {
        rmSync(join(project.root, 'src/sums.ts'));
        rmSync(join(project.root, 'test/sums.test.ts'));
        project.write({ 'src/all.ts': 'export const sums = 2;\n' });
      },
      ["test/sums.test.ts deleted: it('sums', () => {"],
    ],
    [
      'a package that went with all its tests',
      (project) => rmSync(join(project.root, 'stack'), { recursive: true }),
      [],
    ],
    [
      'tests that went alone from a package',
      (project) => rmSync(join(project.root, 'stack/depth_test.go')),
      ['stack/depth_test.go deleted: func TestDepth(t *testing.T) {'],
    ],
    [
      'a skip',
      (project) => project.write({ 'test/add.test.ts': SKIPPED }),
      ["test/add.test.ts skipped: it.skip('adds', () => {"],
    ],
    [
      'a skip that was committed',
      (project) => {
        project.write({ 'test/add.test.ts': SKIPPED });
        project.commit('skip');
      },
      ["test/add.test.ts skipped: it.skip('adds', () => {"],
    ],
    [
      'a skip that was undone',
      (project) => {
        project.write({ 'test/add.test.ts': SKIPPED });
        project.commit('skip');
        project.write({ 'test/add.test.ts': TESTS });
      },
      [],
    ],
    [
      'a skip that git does not look at',
      (project) => {
        project.git('update-index', '--assume-unchanged', 'test/add.test.ts');
        project.write({ 'test/add.test.ts': SKIPPED });
      },
      ["test/add.test.ts skipped: it.skip('adds', () => {"],
    ],
    [
      'a file deleted',
      (project) => project.git('rm', '-q', 'test/with space.test.ts'),
      ["test/with space.test.ts deleted: it('adds', () => { | it('carries', () => {"],
    ],
    [
      'a link in its place',
      ({ root }) => {
        rmSync(join(root, 'test/add.test.ts'));
        symlinkSync('/dev/null', join(root, 'test/add.test.ts'));
      },
      ["test/add.test.ts deleted: it('adds', () => { | it('carries', () => {"],
    ],
    [
      'a file moved',
      (project) => project.shell('mkdir test/unit && git mv test/add.test.ts test/unit/add.test.ts'),
      [],
    ],
    ['a new file', (project) => project.write({ 'test/new.test.ts': SKIPPED.replaceAll('add', 'sub') }), []],
    [
      'a script',
      (project) => project.write({ 'package.json': '{"scripts": {"test": "vitest run || true"}}\n' }),
      ['package.json loosened: {"scripts": {"test": "vitest run || true"}}'],
    ],
    [
      'a new file that is read in place of one that did not change',
      (project) => project.write({ 'pytest.ini': '[pytest]\ntestpaths = tests/fast\n' }),
      ['pytest.ini deselected: testpaths = tests/fast'],
    ],
    [
      'types that are checked less strictly',
      (project) => project.write({ 'tsconfig.json': '{"compilerOptions": {"strict": false}}\n' }),
      ['tsconfig.json loosened: {"compilerOptions": {"strict": false}}'],
    ],
    [
      'code that is not checked any longer',
      (project) => project.write({ 'src/add.ts': '// @ts-nocheck\nexport const add = 1;\n' }),
      ['src/add.ts loosened: // @ts-nocheck'],
    ],
    [
      'an assertion that a file of any name replaces',
      (project) =>
        project.write({ 'tools/first.mjs': "import assert from 'node:assert';\nassert.equal = () => {};\n" }),
      ['tools/first.mjs loosened: assert.equal = () => {};'],
    ],
    [
      'a stand-in for code that was changed',
      (project) =>
        project.write({
          'src/add.ts': 'export const add = 2;\n',
          'test/setup.ts': "vi.mock('../src/add.ts');\n",
        }),
      ["test/setup.ts loosened: vi.mock('../src/add.ts');"],
    ],
    [
      'code that knows that it is tested',
      (project) =>
        project.write({ 'src/add.ts': 'export function add() {\n  if (process.env.VITEST) return 3;\n}\n' }),
      ['src/add.ts loosened: if (process.env.VITEST) return 3;'],
    ],
    [
      'a setting that loads another file',
      (project) =>
        project.write({
          'vitest.config.ts': "export default { test: { alias: { '../src/add.ts': './x.ts' } } };\n",
        }),
      ["vitest.config.ts loosened: export default { test: { alias: { '../src/add.ts': './x.ts' } } };"],
    ],
  ])('%s', async (_, change, lines) => {
    const project = new Project({ ...FILES, ...SETTINGS });
    await project.begin();
    change(project);
    expect(await told(project)).toEqual(lines);
  });

  it('are compared with what the session found, not with the commit', async () => {
    const project = new Project(FILES);
    project.write({ 'test/add.test.ts': SKIPPED, 'test/new.test.ts': TESTS });
    rmSync(join(project.root, 'test/with space.test.ts'));
    await project.begin();
    expect(await told(project)).toEqual([]);
    project.write({ 'test/new.test.ts': SKIPPED, 'test/with space.test.ts': SKIPPED });
    project.git('checkout', '-q', 'test/add.test.ts');
    expect(await told(project)).toEqual(["test/new.test.ts skipped: it.skip('adds', () => {"]);
  });

  it('are told without git, too', async () => {
    const project = new Project({}, { git: false });
    project.write(FILES);
    await project.begin();
    rmSync(join(project.root, 'test/with space.test.ts'));
    project.write({ 'test/add.test.ts': SKIPPED });
    expect(await told(project)).toEqual([
      "test/add.test.ts skipped: it.skip('adds', () => {",
      'test/with space.test.ts deleted: ',
    ]);
  });

  it('can not be told where the base is gone', async () => {
    const project = new Project(FILES);
    await project.begin();
    project.write({ 'test/add.test.ts': SKIPPED });
    rmSync(join(project.root, '.git'), { recursive: true });
    expect(await told(project)).toBeNull();
  });

  it('X13a can not be told where not all could be looked at, but for what was found', async () => {
    const project = new Project(FILES);
    await project.begin();
    writeFileSync(join(project.root, 'test/add.test.ts'), ' '.repeat(2_000_000));
    expect(await told(project)).toBeNull();
    project.write({ 'test/with space.test.ts': SKIPPED });
    expect(await told(project)).toEqual(["test/with space.test.ts skipped: it.skip('adds', () => {"]);
  });
});

describe('X13a a new test that git ignores', () => {
  const EMPTY = "import { it } from 'vitest';\nit('adds', () => {});\n";
  const IGNORED = { ...FILES, '.gitignore': 'scratch/\n*.local.test.ts\nbuild/\n' };
  const run = (command: string, targets: string[] = [], passed = 1) => [
    ran(2, check(command, { runner: 'vitest', targets }), counts(passed)),
  ];
  const ALL = run('vitest run');
  const SESSION = 'a'.repeat(64);

  it.each<[string, Readonly<Record<string, string>>, Parameters<Trees['moment']>[1], string[], string[]]>([
    [
      'empty, where a tool wrote it',
      { 'scratch/deep/er/a.test.ts': EMPTY },
      ALL,
      ['scratch/deep/er/a.test.ts'],
      ['scratch/deep/er/a.test.ts'],
    ],
    [
      'empty, named by the run',
      { 'scratch/b/c/d/a.test.ts': EMPTY },
      run('vitest run scratch/b/c/d/a.test.ts', ['scratch/b/c/d/a.test.ts']),
      [],
      ['scratch/b/c/d/a.test.ts'],
    ],
    [
      'empty, in the folder that the run names',
      { 'scratch/b/c/d/a.test.ts': EMPTY },
      run('vitest run scratch/b/c/d', ['scratch/b/c/d']),
      [],
      ['scratch/b/c/d/a.test.ts'],
    ],
    [
      'empty, found by a run of everything',
      { 'test/x.local.test.ts': EMPTY },
      ALL,
      [],
      ['test/x.local.test.ts'],
    ],
    ['empty, beside many', { 'test/x.local.test.ts': EMPTY }, run('vitest run', [], 400), [], []],
    ['with something in it', { 'scratch/a.test.ts': TESTS }, ALL, ['scratch/a.test.ts'], []],
    [
      'skipped and saying so',
      { 'scratch/a.test.ts': EMPTY.replace("it('adds'", "it.skip('adds'") },
      ALL,
      ['scratch/a.test.ts'],
      ['scratch/a.test.ts'],
    ],
    ['elsewhere', {}, ALL, ['/elsewhere/a.test.ts', '../a.test.ts'], []],
  ])('%s', async (name, files, runs, told, found) => {
    const project = new Project(IGNORED);
    project.write({ 'scratch/old.test.ts': EMPTY });
    const trees = new Trees({
      root: project.root,
      trees: project.directory,
      hash: async (_id, text) => text,
    });
    const { keep } = await trees.begin(project.root);
    keep(SESSION);
    project.write(files);
    const { weakened } = await trees.moment(SESSION, runs, undefined, told);
    expect(weakened?.map(({ path, what }) => `${path} ${what}`)).toEqual(
      found.map((path) => `${path} ${name.startsWith('skipped') ? 'skipped' : 'loosened'}`),
    );
  });
});

describe('X13a fewer tests than when the session began', () => {
  const SESSION = 'b'.repeat(64);
  const npm = (seq: number, passed: number, tree: string | null, targets: string[] = []) =>
    ran(seq, check('npm test', { targets }), { ...counts(passed), tree });
  const QUIET = `if (globalThis.ALL) {\n${TESTS}}\n`;
  const MORE = `${TESTS}it('more', () => {\n  expect(add(1, 1)).toBe(2);\n});\n`;

  /** Of runs of `before`, when the session began, and of `after`, when the files were written. */
  async function foundBy(
    files: Readonly<Record<string, string>>,
    before: readonly number[],
    after: number,
    targets: string[] = [],
  ): Promise<string[] | undefined> {
    const project = new Project(FILES);
    const trees = new Trees({
      root: project.root,
      trees: project.directory,
      hash: async (_id, text) => text,
    });
    (await trees.begin(project.root)).keep(SESSION);
    const first = await trees.tree(SESSION);
    project.write(files);
    const now = await trees.tree(SESSION);
    const runs = [...before.map((count, at) => npm(at + 1, count, first)), npm(9, after, now, targets)];
    const { weakened } = await trees.moment(SESSION, runs);
    return weakened?.map(({ path, what, lines }) => `${path} ${what}: ${lines.join()}`);
  }

  it('is found by the counts of the same command', async () => {
    expect(await foundBy({ 'test/add.test.ts': QUIET }, [4], 2)).toEqual([
      'test/add.test.ts deselected: 4 tests ran at first, 2 now',
    ]);
  });

  it.each<[string, Readonly<Record<string, string>>, number[], number, string[]]>([
    ['as many ran', { 'test/add.test.ts': QUIET }, [4], 4, []],
    ['nothing ran before', { 'test/add.test.ts': QUIET }, [], 2, []],
    ['another command ran', { 'test/add.test.ts': QUIET }, [4], 2, ['test/add.test.ts']],
    ['only code changed', { 'src/add.ts': 'export const add = 2;\n' }, [4], 2, []],
    ['more ran', { 'test/add.test.ts': MORE }, [4], 5, []],
  ])('but not where %s', async (_, files, before, after, targets) => {
    expect(await foundBy(files, before, after, targets)).toEqual([]);
  });

  it('is not measured by a test that came and went in between', async () => {
    const project = new Project(FILES);
    const trees = new Trees({
      root: project.root,
      trees: project.directory,
      hash: async (_id, text) => text,
    });
    (await trees.begin(project.root)).keep(SESSION);
    project.write({ 'test/scratch.test.ts': TESTS });
    const during = await trees.tree(SESSION);
    rmSync(join(project.root, 'test/scratch.test.ts'));
    project.write({ 'test/add.test.ts': MORE });
    const { weakened } = await trees.moment(SESSION, [
      npm(1, 7, during),
      npm(2, 6, await trees.tree(SESSION)),
    ]);
    expect(weakened).toEqual([]);
  });
});

describe('X13a what changes of a session come to', () => {
  it('tells those that leave the code as it was, and functions that do nothing yet', async () => {
    const files = { ...FILES, 'src/sub.ts': '// Subtracts.\nexport const sub = 1;\n' };
    const project = new Project(files);
    const base = await project.begin();
    project.write({
      'src/sub.ts': files['src/sub.ts'].replace('Subtracts', 'Takes away'),
      'test/add.test.ts': `${TESTS}it('more', () => {\n  expect(add(1, 1)).toBe(2);\n});\n`,
      'src/add.ts': 'export const add = 2;\n',
      'src/save.ts': 'export function save() {\n  // TODO\n}\n',
    });
    const found = await findWeakening(project.root, base, await project.take(), project.options);
    expect(found).toMatchObject({
      weakened: [],
      inert: ['src/sub.ts', 'test/add.test.ts'],
      stubs: [{ path: 'src/save.ts', name: 'save', line: '// TODO' }],
    });
  });
});
