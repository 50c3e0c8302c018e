// Claude Code in a linked git work tree runs the hooks of the main checkout's settings.local.json, too.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeDefence } from '../../src/app/hook/defence.ts';
import { hooksOf } from '../../src/app/hook/hooks-seen.ts';
import { findRunning } from '../../src/capture/settings/index.ts';
import { locate } from '../../src/ledger/index.ts';
import { Sandbox } from './foil.ts';

it('in a linked work tree, hooks of the main checkout are seen, follow the mode, and are guarded', () => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  const git = (...words: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t.t', '-C', sandbox.work, ...words], {
      env: { ...sandbox.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const linked = join(sandbox.root, 'linked');
  git('worktree', 'add', '-q', linked);
  sandbox.ok(['install', 'claude-code', '--mode', 'guard']);
  const path = join(sandbox.work, '.claude/settings.local.json');

  const said = JSON.parse(sandbox.run(['status', '--json'], { cwd: linked }).stdout);
  expect(said.hooks).toMatchObject([{ agent: 'claude-code', scope: 'local', path }]);

  const located = locate({ cwd: linked, env: sandbox.env });
  expect(hooksOf(located, sandbox.env, { agent: 'claude-code', cwd: linked })?.files).toContain(path);
  const attack = makeDefence(located, sandbox.env)(
    { commands: [], paths: [path] },
    { agent: 'claude-code', cwd: linked },
  );
  expect(attack).not.toBeNull();

  expect(sandbox.run(['mode', 'observe'], { cwd: linked }).stdout).toContain(path);
  expect(readFileSync(path, 'utf8')).not.toContain('guard');
});

it('a `.git` that only claims to be of another checkout brings no hooks in', () => {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.remove());
  execFileSync('git', ['init', '-q', sandbox.work]);
  sandbox.ok(['install', 'claude-code']);
  const liar = join(sandbox.root, 'liar');
  mkdirSync(liar);
  mkdirSync(join(sandbox.work, '.git/worktrees/x'), { recursive: true });
  writeFileSync(join(sandbox.work, '.git/worktrees/x/commondir'), '../..\n');
  writeFileSync(join(sandbox.work, '.git/worktrees/x/gitdir'), join(sandbox.root, 'other/.git'));
  writeFileSync(join(liar, '.git'), `gitdir: ${join(sandbox.work, '.git/worktrees/x')}\n`);
  expect(findRunning({ project: liar, home: sandbox.root, env: sandbox.env })).toEqual([]);
});
