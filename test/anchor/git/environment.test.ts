// Whatever the user's git is set up to do, the repository is the same, and the user's own is never touched.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { readGitEvidence } from '../../../src/anchor/git/index.ts';
import { temporary } from '../../temporary.ts';
import { expectSound, git, newScene, updated } from './repository.ts';

afterEach(() => vi.unstubAllEnvs());

function snapshot(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => `${path} ${readFileSync(path).toString('base64')}`)
    .sort();
}

it('G6f neither the environment nor the settings of the user matter, and their work tree is left alone', async () => {
  const home = temporary();
  const mark = join(home, 'mark');
  const evil = join(home, 'evil');
  writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o700 });
  mkdirSync(join(home, 'hooks'));
  for (const hook of ['reference-transaction', 'post-commit', 'pre-auto-gc'])
    writeFileSync(join(home, 'hooks', hook), `#!/bin/sh\ntouch ${mark}\nexit 1\n`, { mode: 0o700 });
  const hostile = `[core]\n\thooksPath = ${home}/hooks\n\tfsmonitor = ${evil}\n\tpager = ${evil}\n[init]\n\tdefaultBranch = evil\n\ttemplateDir = ${home}/hooks\n[user]\n\tname = Mallory\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = ${evil}\n[extensions]\n\tobjectFormat = sha256\n[alias]\n\tcat-file = !${evil}\n`;
  writeFileSync(join(home, '.gitconfig'), hostile);
  const work = join(home, 'work');
  execFileSync('git', ['init', '-q', work], { env: { PATH: process.env.PATH } });
  writeFileSync(join(work, 'mine.txt'), 'mine');
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', home);
  vi.stubEnv('GIT_DIR', join(work, '.git'));
  vi.stubEnv('GIT_WORK_TREE', work);
  vi.stubEnv('GIT_INDEX_FILE', join(work, '.git/index'));
  vi.stubEnv('GIT_OBJECT_DIRECTORY', join(work, '.git/objects'));
  vi.stubEnv('GIT_CONFIG_COUNT', '1');
  vi.stubEnv('GIT_CONFIG_KEY_0', 'core.fsmonitor');
  vi.stubEnv('GIT_CONFIG_VALUE_0', evil);
  vi.stubEnv('GIT_EXEC_PATH', home);
  vi.stubEnv('GIT_TRACE', mark);
  vi.stubEnv('GIT_EXTERNAL_DIFF', evil);
  const before = snapshot(home);
  const scene = await newScene();
  const session = await scene.sessions.begin(930_226);
  for (let i = 0; i < 45; i++) {
    await scene.sessions.interact(session);
    await updated(scene); // often enough for git to be run, too
  }
  await scene.sessions.end(session, 930_227);
  await updated(scene);
  const evidence = await readGitEvidence(scene.directory);
  expect(evidence?.unreadable).toBe(null);
  expect(evidence?.commits.size).toBe(47);
  expect(snapshot(home)).toEqual(before);
  expectSound(scene.git);
  expect(git(scene.git, 'rev-list', '--count', 'branch-4')).toBe('46');
  expect(readdirSync(scene.git).sort()).toEqual(
    expect.arrayContaining(['HEAD', 'config', 'description', 'foil.json', 'objects', 'refs']),
  );
});
