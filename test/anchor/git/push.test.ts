// Pushing to real repositories: one that takes it, one that holds something else, ones that are not there.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pushRepository } from '../../../src/anchor/git/index.ts';
import { temporary } from '../../temporary.ts';
import { expectSound, git, newScene, type Scene, updated } from './repository.ts';

const env = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' };

async function recorded(end: 'merge' | 'archive' = 'merge'): Promise<Scene & { readonly remote: string }> {
  const scene = await newScene();
  const session = await scene.sessions.begin(930_226);
  await scene.sessions.interact(session);
  await scene.sessions.end(session, 930_227);
  await updated(scene, { end });
  const remote = join(temporary(), 'remote.git');
  git('/', 'init', '-q', '--bare', remote);
  return { ...scene, remote };
}

function refsOf(directory: string): string {
  return git(directory, 'for-each-ref', '--format=%(refname) %(objectname)');
}

it.each(['merge', 'archive'] as const)(
  'G6d all refs of the story can be pushed, and again: %s',
  async (end) => {
    const scene = await recorded(end);
    const { directory, remote } = scene;
    const dry = await pushRepository({ directory, remote, env, dryRun: true });
    expect(dry).toMatchObject({ refs: [{ state: 'new' }, { state: 'new' }] });
    expect(refsOf(remote)).toBe('');
    expect(await pushRepository({ directory, remote, env })).toEqual(dry);
    expect(refsOf(remote)).toBe(refsOf(scene.git));
    expectSound(remote);
    const session = await scene.sessions.begin(930_226);
    await scene.sessions.interact(session);
    await updated(scene);
    const again = await pushRepository({ directory, remote, env });
    expect(
      'refs' in again && again.refs?.map((ref) => (typeof ref === 'string' ? ref : ref.state)).sort(),
    ).toEqual(['moved', 'same']);
    expect(refsOf(remote)).toBe(refsOf(scene.git));
  },
);

it('never replaces what is there', async () => {
  const scene = await recorded();
  const tree = git(scene.remote, 'hash-object', '-t', 'tree', '-w', '/dev/null');
  const other = git(scene.remote, 'commit-tree', tree, '-m', 'somebody was here');
  git(scene.remote, 'update-ref', 'refs/heads/branch-4', other);
  const result = await pushRepository({ directory: scene.directory, remote: scene.remote, env });
  expect(result).toMatchObject({ problem: 'PUSH', refs: ['refs/heads/branch-4'] });
  expect(git(scene.remote, 'rev-parse', 'branch-4')).toBe(other);
});

it('leaves other refs at home', async () => {
  const scene = await recorded();
  git(scene.git, 'update-ref', 'refs/heads/private', 'main');
  git(scene.git, 'tag', 'private-tag', 'main');
  await pushRepository({ directory: scene.directory, remote: scene.remote, env });
  expect(refsOf(scene.remote)).not.toContain('private');
});

it.each([
  ['a path where nothing is', () => join(temporary(), 'nothing'), /does not appear to be a git repository/],
  ['a port where nobody listens', () => 'http://user:secret@127.0.0.1:9/x.git', /unable to access/],
  ['a program', () => 'ext::sh -c touch% /tmp/never', /not allowed/],
  ['an option', () => '--receive-pack=touch /tmp/never', /.+/],
])('says what is wrong with %s', async (_, remoteOf, words) => {
  const { directory } = await recorded();
  const result = await pushRepository({ directory, remote: remoteOf(), env });
  expect(result).toMatchObject({ problem: 'PUSH', message: expect.stringMatching(words) });
  expect(JSON.stringify(result)).not.toContain('secret');
});

it('neither runs the hooks of the user nor goes where their environment points', async () => {
  const scene = await recorded();
  const home = temporary();
  const mark = join(home, 'mark');
  mkdirSync(join(home, 'hooks'));
  writeFileSync(join(home, 'hooks/pre-push'), `#!/bin/sh\ntouch ${mark}\nexit 1\n`, { mode: 0o700 });
  writeFileSync(
    join(home, '.gitconfig'),
    `[core]\n\thooksPath = ${home}/hooks\n[push]\n\tdefault = matching\n`,
  );
  const result = await pushRepository({
    directory: scene.directory,
    remote: scene.remote,
    env: { ...env, HOME: home, GIT_DIR: home, GIT_WORK_TREE: home, GIT_OBJECT_DIRECTORY: home },
  });
  expect(result).toHaveProperty('refs');
  expect(refsOf(scene.remote)).toBe(refsOf(scene.git));
  expect(existsSync(mark)).toBe(false);
});

it('says so where there is nothing to push', async () => {
  const scene = await newScene();
  const remote = temporary();
  expect(await pushRepository({ directory: scene.directory, remote, env })).toMatchObject({
    problem: 'FOREIGN',
  });
  await updated(scene);
  expect(await pushRepository({ directory: scene.directory, remote, env })).toEqual({ refs: [] });
});
