// A repository whose own configuration would run something: no git that we start does. And a `.git` that points into
// another project does not have this one recorded there.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pushRepository } from '../../src/anchor/git/index.ts';
import { gitState, gitTracks } from '../../src/app/hosts/hosts.ts';
import { install } from '../../src/cli/commands/install.ts';
import { askGit, findGit } from '../../src/gate/index.ts';
import { openBase } from '../../src/gate/work-tree.ts';
import { projectId } from '../../src/ledger/index.ts';
import { Machine } from './hostile-clone.ts';

/** A repository that leaves `ran` wherever its configuration gets a program run. */
function hostile(machine: Machine): string {
  const ran = join(machine.root, 'ran');
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...words], {
      cwd: machine.project,
      stdio: 'pipe',
    });
  git('init', '-q');
  machine.file('home/me/project/a.txt', 'a');
  machine.file('home/me/project/.gitattributes', '* filter=evil diff=evil\n');
  machine.file('home/me/project/.claude/settings.json', '{}');
  git('add', '.');
  git('commit', '-qm', 'x');
  const program = machine.file('evil.sh', `#!/bin/sh\necho "$0 $*" >> ${ran}\n`, 0o755);
  const hooks = join(machine.root, 'hooks');
  mkdirSync(hooks);
  for (const name of ['post-index-change', 'reference-transaction', 'pre-push', 'pre-auto-gc'])
    writeFileSync(join(hooks, name), readFileSync(program), { mode: 0o755 });
  for (const name of [
    'fsmonitor',
    'pager',
    'editor',
    'askPass',
    'sshCommand',
    'alternateRefsCommand',
    'gitProxy',
  ])
    git('config', `core.${name}`, program);
  git('config', 'core.hooksPath', hooks);
  for (const name of ['filter.evil.clean', 'filter.evil.smudge', 'filter.evil.process', 'diff.evil.textconv'])
    git('config', name, program);
  for (const name of ['diff.external', 'gpg.program', 'credential.helper', 'interactive.diffFilter'])
    git('config', name, program);
  git('config', 'alias.ls-files', `!${program}`);
  git('config', 'extensions.partialClone', 'origin');
  git('config', 'remote.origin.url', `ext::${program}`);
  git('config', 'remote.origin.promisor', 'true');
  git('config', 'protocol.ext.allow', 'always');
  return ran;
}

describe('a repository whose configuration runs programs', () => {
  it('foil install runs none of them', async () => {
    const machine = new Machine();
    const ran = hostile(machine);
    await machine.run(install, ['claude-code', 'codex', 'gemini']);
    expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
  });

  it('neither does any question of ours about it', async () => {
    const machine = new Machine();
    const ran = hostile(machine);
    expect(gitState(join(machine.project, 'a.txt'), machine.project)).toBe('tracked');
    expect(gitState(join(machine.project, 'b.txt'), machine.project)).toBe('open');
    expect(gitTracks('.foil', machine.project)).toBe(false);
    askGit(machine.project, ['cat-file', '-e', '0123456789012345678901234567890123456789']);
    await openBase(machine.project, { directory: join(machine.root, 'trees') });
    expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
  });

  it('a git that the work tree brings is not the one that is started', () => {
    const machine = new Machine();
    const bin = join(machine.project, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'git'), '#!/bin/sh\n', { mode: 0o755 });
    expect(findGit(machine.project, `${bin}:${process.env.PATH}`)).not.toContain(machine.project);
    symlinkSync(join(bin, 'git'), join(machine.root, 'git'));
    expect(findGit(machine.project, `${machine.root}:${process.env.PATH}`)).not.toBe(
      join(machine.root, 'git'),
    );
    expect(findGit(machine.project, `bin:.:${process.env.PATH}`)).toMatch(/^\//);
  });
});

describe('foil anchor push', () => {
  const CONFIG =
    '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[counterfoil]\n\tend = merge\n';
  const repository = (machine: Machine, more: string): string => {
    const directory = join(machine.root, 'ledger');
    for (const name of ['objects', 'refs/heads'])
      mkdirSync(join(directory, 'git', name), { recursive: true });
    writeFileSync(join(directory, 'git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(directory, 'git/config'), CONFIG + more);
    return directory;
  };

  it.each([
    '[core]\n\tsshCommand = evil\n',
    '[core] sshCommand = evil\n',
    '[include]\n\tpath = /evil\n',
    '[credential]\n\thelper = evil\n',
    '[url "ext::evil"]\n\tinsteadOf = https://\n',
    '[remote "x"]\n\treceivepack = evil\n',
    '[remote "x"]\n\turl = a\\\nb\n',
    '[core]\n\tbare = true\n\tgitProxy = evil\n',
  ])('does not run with the user’s credentials where its repository says %j', async (more) => {
    const machine = new Machine();
    const directory = repository(machine, more);
    expect(await pushRepository({ directory, remote: 'x', env: machine.env })).toMatchObject({
      problem: 'FOREIGN',
    });
  });

  it('goes on where the repository has a remote', async () => {
    const machine = new Machine();
    const directory = repository(
      machine,
      '[remote "x"]\n\turl = /somewhere\n\tfetch = +refs/heads/*:refs/remotes/x/*\n',
    );
    expect(await pushRepository({ directory, remote: 'x', env: machine.env })).toEqual({ refs: [] });
  });
});

describe('a .git that points into another project', () => {
  const victim = (machine: Machine): string => {
    const path = join(machine.root, 'home/me/victim');
    mkdirSync(path);
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@y', ...words], {
        cwd: path,
        stdio: 'pipe',
      });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', join(machine.root, 'home/me/tree'));
    return path;
  };

  it.each([
    ['its repository', (path: string) => `gitdir: ${path}/.git\n`],
    ['one of its work trees', (path: string) => `gitdir: ${path}/.git/worktrees/tree\n`],
    ['its repository, by a way round', (path: string) => `gitdir: ${path}/../victim/./.git\n`],
    [
      'a directory that it brings, and that to the repository',
      (path: string, project: string) => {
        mkdirSync(join(project, 'fake'));
        writeFileSync(join(project, 'fake/commondir'), `${path}/.git\n`);
        writeFileSync(join(project, 'fake/gitdir'), '../.git\n');
        return 'gitdir: fake\n';
      },
    ],
  ])('%s: it is a project of its own', (_, text) => {
    const machine = new Machine();
    const path = victim(machine);
    writeFileSync(join(machine.project, '.git'), text(path, machine.project));
    expect(projectId(machine.project)).not.toBe(projectId(path));
    expect(projectId(machine.project)).toMatch(/^project-/);
  });

  it('by a link: it is a project of its own', () => {
    const machine = new Machine();
    const path = victim(machine);
    symlinkSync(join(path, '.git'), join(machine.project, '.git'));
    expect(projectId(machine.project)).not.toBe(projectId(path));
  });

  it('real work trees and submodules are what they were', () => {
    const machine = new Machine();
    const path = victim(machine);
    expect(projectId(join(machine.root, 'home/me/tree'))).toBe(projectId(path));
    const git = (...words: string[]) =>
      execFileSync(
        'git',
        ['-c', 'protocol.file.allow=always', '-c', 'user.name=x', '-c', 'user.email=x@y', ...words],
        {
          cwd: machine.project,
          stdio: 'pipe',
        },
      );
    git('init', '-q');
    git('submodule', 'add', '-q', path, 'module');
    expect(readdirSync(machine.project)).toContain('module');
    expect(projectId(join(machine.project, 'module'))).toMatch(/^module-/);
    const moved = join(machine.root, 'separate');
    mkdirSync(moved);
    execFileSync('git', ['init', '-q', `--separate-git-dir=${join(machine.root, 'kept.git')}`], {
      cwd: moved,
    });
    expect(projectId(moved)).not.toBe(projectId(machine.project));
  });
});
