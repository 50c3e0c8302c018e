// The fingerprint of a work tree against real git: what must not change it, what must, and the ways an agent has to
// make an edit that git does not see.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { sha256Hex } from '../../src/core/platform/node.ts';
import { lookAt } from '../../src/gate/file-content.ts';
import {
  differences,
  encodeBase,
  encodeTree,
  fingerprint,
  openBase,
  parseBase,
  parseTree,
  takeTree,
} from '../../src/gate/index.ts';
import { fastDirectory, temporary } from '../temporary.ts';
import { Project } from './git-project.ts';

const FILES = {
  'src/a.ts': 'export const a = 1;\n',
  'src/b.ts': 'export const b = 2;\n',
  'README.md': '# x\n',
};

describe('B6 the fingerprint of a work tree stays the same', () => {
  it.each<[string, (project: Project) => void]>([
    ['when nothing happens', () => undefined],
    ['when all is committed', (project) => project.commit('more')],
    ['when all is staged', (project) => project.git('add', '-A')],
    ['when a file is touched', ({ root }) => utimesSync(join(root, 'src/b.ts'), 1e9, 1e9)],
    ['when a changed file is touched', ({ root }) => utimesSync(join(root, 'src/a.ts'), 1e9, 1e9)],
    [
      'when a file is written with what it holds',
      (project) => project.write({ 'src/b.ts': FILES['src/b.ts'] }),
    ],
    ['when a document changes', (project) => project.write({ 'README.md': '# y\n', 'docs/new.md': 'x' })],
    [
      'when caches and output change',
      (project) =>
        project.write({
          'node_modules/x/i.js': '1',
          'dist/a.js': '1',
          '__pycache__/a.pyc': '1',
          '.foil/x': '1',
        }),
    ],
    [
      'when a branch is made, left and come back to',
      (project) => {
        project.commit('work');
        project.git('checkout', '-q', '-b', 'other', 'HEAD~1');
        project.write({ 'src/b.ts': 'other\n' });
        project.commit('other');
        project.git('checkout', '-q', 'main');
      },
    ],
    [
      'when history is rewritten',
      (project) => {
        project.commit('one');
        project.git('commit', '-q', '--amend', '-m', 'two');
      },
    ],
    ['when .git is gone', ({ root }) => rmSync(join(root, '.git'), { recursive: true })],
  ])('%s', async (_, change) => {
    const project = new Project(FILES);
    await project.begin();
    project.write({ 'src/a.ts': 'export const a = 3;\n', 'src/new.ts': 'new\n' });
    expect(await project.changes(() => change(project))).toEqual([]);
  });

  it('for the same content, whatever came before', async () => {
    const project = new Project(FILES);
    await project.begin();
    const first = await project.take();
    project.write({ 'src/a.ts': 'x\n' });
    const second = await project.take();
    project.write({ 'src/a.ts': FILES['src/a.ts'] });
    const third = await project.take(second);
    expect(fingerprint(third, sha256Hex)).toBe(fingerprint(first, sha256Hex));
    expect(fingerprint(first, sha256Hex)).toMatch(/^[0-9a-f]{64}$/);
    expect(fingerprint(second, sha256Hex)).not.toBe(fingerprint(first, sha256Hex));
  });
});

describe('B6 the fingerprint of a work tree changes', () => {
  it.each<[string, (project: Project) => void, string[]]>([
    ['by sed -i', (project) => project.shell("sed -i 's/2/3/' src/b.ts"), ['src/b.ts']],
    [
      'by a second edit of a changed file',
      (project) => project.write({ 'src/a.ts': 'again\n' }),
      ['src/a.ts'],
    ],
    ['by a redirection', (project) => project.shell('echo x >> src/new.ts'), ['src/new.ts']],
    ['by git checkout of a file', (project) => project.git('checkout', '-q', 'src/a.ts'), ['src/a.ts']],
    ['by git stash', (project) => project.git('stash', '-u', '-q'), ['src/a.ts', 'src/new.ts']],
    ['by git apply', (project) => project.shell('git diff src/a.ts | git apply -R'), ['src/a.ts']],
    ['by git reset --hard', (project) => project.git('reset', '-q', '--hard'), ['src/a.ts']],
    ['by git clean', (project) => project.git('clean', '-fdq'), ['src/new.ts']],
    ['by a mode', ({ root }) => chmodSync(join(root, 'src/b.ts'), 0o755), ['src/b.ts']],
    ['by a mode of a changed file', ({ root }) => chmodSync(join(root, 'src/new.ts'), 0o755), ['src/new.ts']],
    [
      'by a move',
      ({ root }) => renameSync(join(root, 'src/b.ts'), join(root, 'src/c.ts')),
      ['src/b.ts', 'src/c.ts'],
    ],
    ['by a deletion', ({ root }) => unlinkSync(join(root, 'src/b.ts')), ['src/b.ts']],
    ['by git rm', (project) => project.git('rm', '-q', 'src/b.ts'), ['src/b.ts']],
    [
      'by a file in the place of a directory',
      (project) => project.shell('rm -r src; echo x > src'),
      ['src', 'src/a.ts', 'src/b.ts', 'src/new.ts'],
    ],
    [
      'by a directory in the place of a file',
      (project) => project.shell('rm src/b.ts; mkdir src/b.ts; echo x > src/b.ts/c.ts'),
      ['src/b.ts', 'src/b.ts/c.ts'],
    ],
    [
      'by an edit that keeps size and time',
      ({ root }) => {
        const path = join(root, 'src/b.ts');
        const { atime, mtime } = statSync(path);
        writeFileSync(path, 'export const b = 9;\n');
        utimesSync(path, atime, mtime);
      },
      ['src/b.ts'],
    ],
    [
      'by another branch',
      (project) => {
        project.commit('work');
        project.git('checkout', '-q', '--detach', 'HEAD~1');
      },
      ['src/a.ts', 'src/new.ts'],
    ],
    [
      'by a name that is no UTF-8',
      (project) => project.shell("printf x > $'src/\\xff.ts'"),
      [expect.stringContaining('src/')],
    ],
  ] as [string, (project: Project) => void, string[]][])('%s', async (_, change, paths) => {
    const project = new Project(FILES);
    await project.begin();
    project.write({ 'src/a.ts': 'export const a = 3;\n', 'src/new.ts': 'new\n' });
    expect(await project.changes(() => change(project))).toEqual(paths);
  });

  it('by a symbolic link that points elsewhere, tracked or new', async () => {
    const project = new Project();
    project.write(FILES);
    symlinkSync('a.ts', join(project.root, 'src/link.ts'));
    project.commit('base');
    const change = () => {
      unlinkSync(join(project.root, 'src/link.ts'));
      symlinkSync('b.ts', join(project.root, 'src/link.ts'));
      symlinkSync('b.ts', join(project.root, 'src/more.ts'));
    };
    expect(await project.changes(change)).toEqual(['src/link.ts', 'src/more.ts']);
    expect(
      await project.changes(() => {
        unlinkSync(join(project.root, 'src/more.ts'));
        symlinkSync('/etc/passwd', join(project.root, 'src/more.ts'));
      }),
    ).toEqual(['src/more.ts']);
  });

  it('by the commit of a submodule, and not by looking at it', async () => {
    const inner = new Project({ 'i.ts': '1\n' });
    const project = new Project(FILES);
    project.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner.root, 'sub');
    project.commit('sub');
    await project.begin();
    expect(await project.changes(() => project.git('-C', 'sub', 'status'))).toEqual([]);
    const next = () => project.git('-C', 'sub', 'commit', '-q', '--allow-empty', '-m', 'next');
    expect(await project.changes(next)).toEqual(['sub']);
  });

  it.each([
    ['a repository', 'git init -q src/inner'],
    ['a linked work tree', 'git worktree add -q src/inner -b inner'],
  ])('by an edit inside where git does not look: %s', async (_, command) => {
    const project = new Project(FILES);
    await project.begin();
    project.shell(`${command} && echo 1 > src/inner/x.ts`);
    const edit = () => project.write({ 'src/inner/x.ts': '2\n' });
    expect(await project.changes(edit)).toEqual(['src/inner/x.ts']);
  });

  it('but not by an edit in a work tree that is kept beside, only by its commit', async () => {
    const project = new Project(FILES);
    await project.begin();
    project.shell('git worktree add -q .claude/worktrees/inner -b inner');
    expect(await project.changes(() => project.write({ '.claude/worktrees/inner/x.ts': '2\n' }))).toEqual([]);
    const commit = () =>
      project.git('-C', '.claude/worktrees/inner', 'commit', '-q', '--allow-empty', '-m', 'x');
    expect(await project.changes(commit)).toEqual(['.claude/worktrees/inner']);
  });
});

describe('B6 an edit can not be hidden', () => {
  const EDIT = { 'src/b.ts': 'export const b = 8;\n' };
  const cases: [string, (project: Project) => void][] = [
    ['by assume-unchanged', (project) => project.git('update-index', '--assume-unchanged', 'src/b.ts')],
    ['by skip-worktree', (project) => project.git('update-index', '--skip-worktree', 'src/b.ts')],
    [
      'by taking it out of the index',
      (project) => {
        project.git('rm', '-q', '--cached', 'src/b.ts');
        project.write({ '.gitignore': 'src\n' });
      },
    ],
    [
      'by a filter that always says the same',
      (project) => {
        project.write({ '.gitattributes': '*.ts filter=same\n' });
        project.git('config', 'filter.same.clean', 'echo "export const b = 2;"');
        project.git('config', 'filter.same.required', 'true');
      },
    ],
    [
      'by attributes of the repository',
      (project) => {
        mkdirSync(join(project.root, '.git/info'), { recursive: true });
        writeFileSync(join(project.root, '.git/info/attributes'), '*.ts filter=same ident -diff binary\n');
        project.git('config', 'filter.same.clean', 'cat /dev/null');
      },
    ],
    [
      'by a file system monitor',
      (project) => {
        writeFileSync(
          join(project.root, '.git/monitor'),
          '#!/bin/sh\ntouch .git/monitored\nprintf "token\\0"\n',
          { mode: 0o755 },
        );
        project.git('config', 'core.fsmonitor', '.git/monitor');
      },
    ],
    [
      'by settings',
      (project) => {
        for (const [name, value] of [
          ['core.fileMode', 'false'],
          ['core.trustctime', 'false'],
          ['core.checkStat', 'minimal'],
          ['core.ignoreStat', 'true'],
          ['core.worktree', '/tmp'],
          ['diff.external', 'true'],
          ['core.hooksPath', '/nowhere'],
          ['core.sparseCheckout', 'true'],
        ] as const)
          project.git('config', name, value);
      },
    ],
    ['by an index of another form', (project) => project.git('update-index', '--split-index')],
    ['by a broken index', ({ root }) => writeFileSync(join(root, '.git/index'), 'broken')],
    ['by broken settings', ({ root }) => writeFileSync(join(root, '.git/config'), '[broken')],
    [
      'by a replaced commit',
      (project) => {
        project.write(EDIT);
        project.commit('replacement');
        project.git('replace', project.base?.commit ?? '', 'HEAD');
      },
    ],
  ];
  it.each(cases)('%s', async (_, trick) => {
    const project = new Project(FILES);
    await project.begin();
    await project.take();
    trick(project);
    const before = await project.take();
    project.write({ 'src/b.ts': 'export const b = 7;\n' });
    const after = await project.take(before);
    expect(differences(before, after)).toEqual(['src/b.ts']);
    expect(existsSync(join(project.root, '.git/monitored'))).toBe(false);
  });

  it.each<[string, (project: Project) => void]>([
    ['.gitignore', (project) => project.write({ '.gitignore': 'src/\n*.ts\n' })],
    ['a .gitignore that hides itself', (project) => project.write({ 'src/.gitignore': '*\n' })],
    [
      '.git/info/exclude',
      ({ root }) => {
        mkdirSync(join(root, '.git/info'), { recursive: true });
        writeFileSync(join(root, '.git/info/exclude'), '*\n');
      },
    ],
    [
      'core.excludesFile',
      (project) => {
        writeFileSync(join(project.directory, '..', 'rules'), '*\n');
        project.git('config', 'core.excludesFile', join(project.directory, '..', 'rules'));
      },
    ],
  ])('as a new file, by rules that are made in the session: %s', async (_, hide) => {
    const project = new Project(FILES);
    await project.begin();
    hide(project);
    expect(await project.changes(() => project.write({ 'src/new.ts': '1\n' }))).toEqual(['src/new.ts']);
    expect(await project.changes(() => project.write({ 'src/new.ts': '2\n' }))).toEqual(['src/new.ts']);
  });

  it.each([
    'GIT_DIR',
    'GIT_INDEX_FILE',
    'GIT_WORK_TREE',
    'GIT_CONFIG_GLOBAL',
    'GIT_CEILING_DIRECTORIES',
    'GIT_OBJECT_DIRECTORY',
  ])('by the environment: %s', async (name) => {
    const project = new Project(FILES);
    const other = new Project(FILES);
    vi.stubEnv(name, join(other.root, '.git'));
    try {
      expect(await project.changes(() => project.write(EDIT))).toEqual(['src/b.ts']);
      expect(project.base?.commit).toMatch(/^[0-9a-f]{40}$/);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('by a git of the work tree in PATH', async () => {
    const project = new Project(FILES);
    project.write({ 'node_modules/.bin/git': `#!/bin/sh\ntouch ${project.root}/ran\n` });
    chmodSync(join(project.root, 'node_modules/.bin/git'), 0o755);
    vi.stubEnv('PATH', `${join(project.root, 'node_modules/.bin')}:.:${process.env.PATH}`);
    try {
      expect(await project.changes(() => project.write(EDIT))).toEqual(['src/b.ts']);
      expect(existsSync(join(project.root, 'ran'))).toBe(false);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('what was left out when the session began', () => {
  it('stays out, by rules at every depth, and what they let in again counts', async () => {
    const project = new Project({
      ...FILES,
      '.gitignore': '/generated\n*.gen.ts\nlogs/\n',
      'src/.gitignore': 'local/*\n!local/kept.ts\n/top.ts\ndeep\n',
    });
    project.shell('mkdir -p src/env && echo "*" > src/env/.gitignore && echo 1 > src/env/x.py');
    writeFileSync(join(project.root, '.git/info/exclude'), 'private/\n');
    await project.begin();
    const left = {
      'generated/a.ts': '1',
      'src/a.gen.ts': '1',
      'src/logs/a.ts': '1',
      'src/local/a.ts': '1',
      'src/top.ts': '1',
      'src/x/deep/a.ts': '1',
      'private/a.ts': '1',
      'src/env/y.py': '1',
    };
    expect(await project.changes(() => project.write(left))).toEqual([]);
    const counted = {
      'top.ts': '1',
      'src/local/kept.ts': '1',
      'src/x/top.ts': '1',
      'deep/a.ts': '1',
      'src/generated/a.ts': '1',
    };
    expect(await project.changes(() => project.write(counted))).toEqual(Object.keys(counted).sort());
  });
});

describe('the base of a session', () => {
  it('has what differed already, with profiles of tests', async () => {
    const project = new Project({ ...FILES, 'test/a.test.ts': "it('a', () => expect(1 + 1).toBe(2));\n" });
    project.write({ 'src/a.ts': 'dirty\n', 'test/a.test.ts': "it('b', () => expect(f()).toBe(2));\n" });
    const base = await project.begin();
    expect(base).toMatchObject({ how: 'git', commit: project.git('rev-parse', 'HEAD') });
    expect([...base.dirty.keys()].sort()).toEqual(['src/a.ts', 'test/a.test.ts']);
    expect(base.dirty.get('src/a.ts')?.profile).toBeNull();
    expect(base.dirty.get('test/a.test.ts')?.profile).toMatchObject({
      kind: 'test',
      tests: 1,
      assertions: 1,
    });
    expect(parseBase(encodeBase(base))).toEqual(base);
    const state = await project.take();
    expect(parseTree(encodeTree(state))).toEqual(state);
  });

  it('is one for the sessions of one commit, and leaves nothing else behind', async () => {
    const project = new Project(FILES);
    const first = await project.begin();
    const second = await project.begin();
    expect(second.place).toBe(first.place);
    project.commit('next');
    expect((await project.begin()).place).not.toBe(first.place);
    const { readdirSync } = await import('node:fs');
    expect(readdirSync(project.directory)).toHaveLength(2);
  });

  it('before the first commit is empty: all files count', async () => {
    const project = new Project();
    project.write(FILES);
    expect(await project.begin()).toMatchObject({ how: 'git', commit: null });
    expect([...(await project.take()).files.keys()].sort()).toEqual(['src/a.ts', 'src/b.ts']);
    expect(await project.changes(() => project.commit('first'))).toEqual([]);
    expect(await project.changes(() => project.write({ 'src/b.ts': '1' }))).toEqual(['src/b.ts']);
  });

  it('of a linked work tree, and of a directory below the top, is its own', async () => {
    const project = new Project({ ...FILES, 'packages/p/src/x.ts': '1\n' });
    project.git('worktree', 'add', '-q', '../linked', '-b', 'linked');
    const linked = join(project.root, '..', 'linked');
    const below = join(project.root, 'packages/p');
    for (const [root, path] of [
      [linked, 'src/a.ts'],
      [below, 'src/x.ts'],
    ] as const) {
      const { options } = project;
      const { base, state } = await openBase(root, options);
      expect(base.how).toBe('git');
      expect([...(state?.files.keys() ?? [])]).toEqual([]);
      writeFileSync(join(root, path), 'changed\n');
      expect([...((await takeTree(root, base, undefined, options))?.files.keys() ?? [])]).toEqual([path]);
    }
  });

  it('of a repository with SHA-256 can be had', async () => {
    const project = new Project({}, { git: false });
    project.git('init', '-q', '--object-format=sha256', '.');
    project.write(FILES);
    project.commit('base');
    expect((await project.begin()).commit).toMatch(/^[0-9a-f]{64}$/);
    expect(await project.changes(() => project.write({ 'src/b.ts': '1' }))).toEqual(['src/b.ts']);
  });
});

describe('without git', () => {
  it('all code files are walked, and links are not followed', async () => {
    const project = new Project({}, { git: false });
    project.write({ ...FILES, 'node_modules/x.js': '1', 'build/x.js': '1' });
    symlinkSync('/', join(project.root, 'everything'));
    expect(await project.begin()).toMatchObject({ how: 'walk', commit: null, place: null });
    expect([...(await project.take()).files.keys()].sort()).toEqual(['everything', 'src/a.ts', 'src/b.ts']);
    expect(await project.changes(() => project.write({ 'src/a.ts': '1', 'README.md': '1' }))).toEqual([
      'src/a.ts',
    ]);
    expect(await project.changes(() => project.shell('git init -q .; rm src/a.ts'))).toEqual(['src/a.ts']);
    expect(await project.changes(() => utimesSync(join(project.root, 'src/b.ts'), 5, 5))).toEqual([]);
  });
});

describe('where nothing can be told', () => {
  it.each<[string, (project: Project) => void]>([
    ['the work tree is gone', ({ root }) => rmSync(root, { recursive: true })],
    [
      'a file is in its place',
      ({ root }) => {
        rmSync(root, { recursive: true });
        writeFileSync(root, '');
      },
    ],
  ])('the state is null: %s', async (_, change) => {
    const project = new Project(FILES);
    const base = await project.begin();
    change(project);
    expect(await takeTree(project.root, base, undefined, { directory: project.directory })).toBeNull();
  });

  it('there is no base: a bare repository, no git, no time, no place to keep an index', async () => {
    const project = new Project(FILES);
    const { directory, root } = project;
    project.git('config', 'core.bare', 'true');
    expect((await openBase(root, { directory })).base.how).toBe('none');
    project.git('config', 'core.bare', 'false');
    expect((await openBase(root, { directory, timeoutMs: 0 })).base.how).toBe('none');
    writeFileSync(join(root, 'file'), '');
    expect((await openBase(root, { directory: join(root, 'file') })).base.how).toBe('none');
    vi.stubEnv('PATH', '/nowhere');
    try {
      const { base, state } = await openBase(root, { directory });
      expect([base.how, state]).toEqual(['none', null]);
      expect(await takeTree(root, base, undefined, { directory })).toBeNull();
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('too slow is null', async () => {
    const project = new Project(FILES);
    const base = await project.begin();
    const { root, directory } = project;
    expect(await takeTree(root, base, undefined, { directory, timeoutMs: 0.001 })).toBeNull();
    expect(await takeTree(root, { ...base, how: 'walk' }, undefined, { directory, timeoutMs: 0 })).toBeNull();
  });

  it('an index of ours that is gone or broken is made anew', async () => {
    const project = new Project(FILES);
    const base = await project.begin();
    project.write({ 'src/b.ts': '1' });
    rmSync(project.directory, { recursive: true });
    expect([...(await project.take()).files.keys()]).toEqual(['src/b.ts']);
    writeFileSync(join(project.directory, base.place ?? '', 'index'), 'broken');
    const state = await takeTree(project.root, base, undefined, project.options);
    expect([...(state?.files.keys() ?? [])]).toEqual(['src/b.ts']);
  });

  it('pipes and huge files are not read', async () => {
    const project = new Project(FILES);
    await project.begin();
    project.shell('mkfifo src/pipe.ts; truncate -s 5M src/huge.ts');
    const { files } = await project.take();
    expect(files.get('src/huge.ts')).toMatch(/^stat:5242880:/);
    expect(files.get('src/pipe.ts') ?? 'other').toBe('other');
  });
});

describe('calls that come together', () => {
  it('share one run, and none gets one that began before it', async () => {
    const project = new Project(FILES);
    const base = await project.begin();
    const { options } = project;
    const first = takeTree(project.root, base, undefined, options);
    project.write({ 'src/b.ts': '1' });
    const others = [1, 2, 3].map(() => takeTree(project.root, base, undefined, options));
    expect(new Set(others).size).toBe(1);
    await first;
    const [second] = await Promise.all(others);
    expect([...(second?.files.keys() ?? [])]).toEqual(['src/b.ts']);
  });
});

describe('a stored state', () => {
  it.each([
    '',
    '[]',
    '{}',
    '{"v":2,"files":[]}',
    '{"v":1,"files":{}}',
    '{"v":1,"files":[["a"]]}',
    '{"v":1,"files":[["a","deleted",null],["a","deleted",null]]}',
    '{"v":1,"files":[["","deleted",null]]}',
    '{"v":1,"files":[["a","x",null]]}',
    '{"v":1,"files":[["a","deleted","1:2"]]}',
    '{"v":1,"files":[],"more":1}',
  ])('that is none is refused: %s', (text) => {
    expect(() => parseTree(text)).toThrow(expect.objectContaining({ name: 'ParseError' }));
    expect(() => parseBase(text)).toThrow(expect.objectContaining({ name: 'ParseError' }));
  });

  it('with names of prototypes is kept as it is', () => {
    const state = {
      files: new Map([
        ['__proto__', 'deleted'],
        ['constructor', 'other'],
      ]),
      stat: new Map(),
    };
    expect(parseTree(encodeTree(state))).toEqual(state);
  });

  it('has no times of what changed just now: it may change again and look the same', () => {
    const path = join(temporary(fastDirectory), 'a.ts');
    writeFileSync(path, '1');
    const { ctimeMs } = statSync(path);
    const now = vi.spyOn(Date, 'now');
    try {
      now.mockReturnValue(ctimeMs + 1);
      expect(lookAt(path)?.stat).toBeUndefined();
      now.mockReturnValue(ctimeMs + 1000);
      expect(lookAt(path)?.stat).toMatch(/^1:/);
    } finally {
      now.mockRestore();
    }
  });

  it('is used again: what looks as it did is not read', async () => {
    const project = new Project(FILES);
    await project.begin();
    project.write({ 'src/b.ts': '1' });
    const path = join(project.root, 'src/b.ts');
    const before = await project.take();
    const { size, mtimeNs, ctimeNs, ino, mode } = statSync(path, { bigint: true });
    const told = 'ab'.repeat(32);
    const stat = new Map([['src/b.ts', `${size}:${mtimeNs}:${ctimeNs}:${ino}:${mode}`]]);
    const after = await project.take({ files: new Map([['src/b.ts', told]]), stat });
    expect(after.files.get('src/b.ts')).toBe(told);
    expect(before.files.get('src/b.ts')).toBe(sha256Hex(readFileSync(path)));
  });
});

it('temporary directories of these tests lie outside any repository', () => {
  expect(existsSync(join(temporary(fastDirectory), '..', '.git'))).toBe(false);
});
