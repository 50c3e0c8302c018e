// Where a ledger lives: as told, else `.foil/` here or above, else the project's own place in the state directory.
import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLedger } from '../../src/entry/index.ts';
import { configDirectory, locate, locateHere, projectId } from '../../src/ledger/index.ts';
import { temporary } from '../temporary.ts';

let root = '';
let env: NodeJS.ProcessEnv = {};
beforeEach(() => {
  root = realpathSync(temporary());
  env = { XDG_STATE_HOME: join(root, 'state'), XDG_CONFIG_HOME: join(root, 'config') };
});

function directory(...parts: string[]): string {
  const path = join(root, ...parts);
  mkdirSync(path, { recursive: true });
  return path;
}

function git(cwd: string, ...args: string[]): void {
  const identity = ['-c', 'user.name=x', '-c', 'user.email=x@example.org', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...identity, ...args], { cwd, stdio: 'pipe' });
}

describe('the project', () => {
  it('is known by its name and the git directory, from anywhere inside', () => {
    const repository = directory('my project');
    git(repository, 'init', '-q');
    const id = projectId(repository);
    expect(id).toMatch(/^my_project-[0-9a-f]{16}$/);
    expect(projectId(directory('my project', 'deep', 'inside'))).toBe(id);
    expect(locate({ cwd: repository, env })).toEqual({
      directory: join(root, 'state/counterfoil', id),
      keyDirectory: join(root, 'config/counterfoil/keys'),
      how: 'project',
    });
  });

  it('is one for all its work trees', () => {
    const repository = directory('repository');
    git(repository, 'init', '-q');
    git(repository, 'commit', '-q', '--allow-empty', '-m', 'x');
    git(repository, 'worktree', 'add', '-q', join(root, 'elsewhere'));
    expect(projectId(join(root, 'elsewhere'))).toBe(projectId(repository));
  });

  it('is another for a submodule and for a repository inside a repository', () => {
    const outer = directory('outer');
    const inner = directory('outer', 'inner');
    git(outer, 'init', '-q');
    const before = projectId(inner);
    git(inner, 'init', '-q');
    expect(projectId(inner)).not.toBe(before);
    expect(projectId(outer)).toBe(before);
    const module = directory('outer', 'module');
    directory('outer', '.git', 'modules', 'module');
    writeFileSync(join(module, '.git'), 'gitdir: ../.git/modules/module\n');
    expect(projectId(module)).toMatch(/^module-/);
    expect(projectId(module)).not.toBe(before);
  });

  it('without git is where counterfoil.yaml is, or the directory itself', () => {
    const plain = directory('plain', 'sub');
    expect(projectId(plain)).toMatch(/^sub-/);
    writeFileSync(join(root, 'plain/counterfoil.yaml'), '');
    expect(projectId(plain)).toBe(projectId(join(root, 'plain')));
    expect(projectId(plain)).toMatch(/^plain-/);
  });

  it('is the same through a symbolic link', () => {
    const real = directory('real');
    git(real, 'init', '-q');
    symlinkSync(real, join(root, 'link'));
    expect(projectId(join(root, 'link'))).toBe(projectId(real));
  });

  it('with a `.git` that leads nowhere is the directory around it', () => {
    const stale = directory('stale');
    for (const text of ['gitdir: ../gone/.git/worktrees/x\n', 'nonsense', '']) {
      writeFileSync(join(stale, '.git'), text);
      expect(projectId(stale)).toMatch(/^stale-/);
    }
  });

  it('may have any name', () => {
    for (const name of ['ünïcode ✓', 'a'.repeat(200), '-rf', '..x']) {
      expect(projectId(directory(name))).toMatch(/^[A-Za-z0-9._-]{1,64}-[0-9a-f]{16}$/);
    }
    expect(projectId('/')).toMatch(/^root-/);
  });
});

/** One of this user's. */
async function here(...parts: string[]): Promise<string> {
  const place = locateHere(directory(...parts), env);
  await (await createLedger(place, { env })).close();
  return place.directory;
}

describe('the ledger', () => {
  it('is the one that --ledger names, before all others', () => {
    const cwd = directory('work');
    directory('work', '.foil', 'ledger');
    const given = { ledger: '../there', cwd, env: { ...env, FOIL_LEDGER: '/elsewhere' } };
    expect(locate(given)).toMatchObject({ directory: join(root, 'there'), how: 'option' });
  });

  it('is the one that FOIL_LEDGER names, before one that is found; empty is not set', async () => {
    const cwd = directory('work');
    const own = await here('work');
    expect(locate({ cwd, env: { ...env, FOIL_LEDGER: 'there' } })).toMatchObject({
      directory: join(cwd, 'there'),
      how: 'environment',
    });
    expect(locate({ cwd, env: { ...env, FOIL_LEDGER: '' } })).toMatchObject({ directory: own, how: 'here' });
  });

  it('is a .foil/ here or above, the nearest; an empty one is none', async () => {
    const cwd = directory('work', 'a', 'b');
    await here('work');
    expect(locate({ cwd, env })).toMatchObject({ directory: join(root, 'work/.foil'), how: 'here' });
    directory('work', 'a', '.foil');
    expect(locate({ cwd, env })).toMatchObject({ directory: join(root, 'work/.foil') });
    await here('work', 'a');
    expect(locate({ cwd, env })).toMatchObject({ directory: join(root, 'work/a/.foil') });
  });

  it('has its keys inside where they are, else in the configuration', async () => {
    const cwd = directory('work');
    expect(locateHere(cwd, env)).toEqual({
      directory: join(cwd, '.foil'),
      keyDirectory: join(cwd, '.foil/keys'),
      how: 'here',
    });
    await here('work');
    expect(locate({ cwd, env }).keyDirectory).toBe(join(cwd, '.foil/keys'));
    expect(locate({ ledger: '.foil', cwd, env }).keyDirectory).toBe(join(cwd, '.foil/keys'));
    directory('other', 'ledger');
    expect(locate({ ledger: '../other', cwd, env }).keyDirectory).toBe(join(root, 'config/counterfoil/keys'));
    directory('other', 'keys');
    expect(locate({ ledger: '../other', cwd, env }).keyDirectory).toBe(join(root, 'other/keys'));
  });

  it('is under the home directory where XDG says nothing, or something relative', () => {
    const cwd = directory('work');
    for (const value of [undefined, '', 'relative/path']) {
      const other = { XDG_STATE_HOME: value, XDG_CONFIG_HOME: value };
      expect(locate({ cwd, env: other }).directory).toBe(
        join(homedir(), '.local/state/counterfoil', projectId(cwd)),
      );
      expect(configDirectory(other)).toBe(join(homedir(), '.config/counterfoil'));
    }
  });
});
