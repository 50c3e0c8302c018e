// Agents tell their model who commits and what git sees, so a replay has those settings of whoever replays, and no other.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startingTree } from '../../src/app/index.ts';
import { SETTINGS, writeGitSettings } from '../../src/app/replay/replayed-agent.ts';
import { temporary } from '../temporary.ts';

function place(): { root: string; home: string; env: NodeJS.ProcessEnv } {
  const [root, home] = [temporary(), temporary()];
  const env = { PATH: process.env.PATH, HOME: home };
  execFileSync('git', ['init', '-q', root], { env });
  mkdirSync(join(home, '.config/git'), { recursive: true });
  return { root, home, env };
}

async function settings(root: string, env: NodeJS.ProcessEnv) {
  const to = join(temporary(), 'git');
  await writeGitSettings(to, root, env);
  const get = (key: string): string =>
    spawnSync('git', ['config', '--file', join(to, 'config'), '--get', key], { encoding: 'utf8' }).stdout;
  return { to, get, text: readFileSync(join(to, 'config'), 'utf8') };
}

it('O8 a replayed agent finds the same identity in git, and no other setting of the user', async () => {
  const { root, home, env } = place();
  expect((await settings(root, env)).text).toBe('');
  writeFileSync(join(home, '.config/git/config'), '[user]\nname = other\nemail = ann@example.com\n');
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\nname = "Ann \\"L\\" # Lee"\n[core]\nsshCommand = elsewhere\n',
  );
  const { get, text } = await settings(root, env);
  expect([get('user.name'), get('user.email')]).toEqual(['Ann "L" # Lee\n', 'ann@example.com\n']);
  expect(text).not.toContain('elsewhere');
});

it('O8 an identity may be in a file that is included, for all folders or for this one', async () => {
  const { root, home, env } = place();
  writeFileSync(
    join(home, '.gitconfig'),
    `[user]\nname = Home\n[include]\npath = ~/all\n[includeIf "gitdir:${root}/"]\npath = work\n`,
  );
  writeFileSync(join(home, 'all'), '[user]\nemail = all@example.com\n');
  writeFileSync(join(home, 'work'), '[user]\nname = Work\n');
  const { get } = await settings(root, env);
  expect([get('user.name'), get('user.email')]).toEqual(['Work\n', 'all@example.com\n']);
});

it.each([
  ['.config/git/ignore', ''],
  ['mine', '[core]\nexcludesFile = ~/mine\n'],
])('O8 what the user ignores everywhere is not kept, nor seen in a replay: %s', async (name, text) => {
  const { root, home, env } = place();
  writeFileSync(join(home, '.gitconfig'), text);
  writeFileSync(join(home, name), '.env\n');
  for (const file of ['.env', 'kept']) writeFileSync(join(root, file), file);
  const paths = (await startingTree(root, env)).map(({ path }) => path);
  expect(paths).toContain('kept');
  expect(paths).not.toContain('.env');
  const { to, get } = await settings(root, env);
  expect(get('core.excludesFile')).toBe(`${SETTINGS}/ignore\n`);
  expect(readFileSync(join(to, 'ignore'), 'utf8')).toBe('.env\n');
});

it('O8 a work tree whose repository is elsewhere is not kept, and the reason is told', async () => {
  const { root, env } = place();
  mkdirSync(join(root, 'below'));
  await expect(startingTree(join(root, 'below'), env)).rejects.toThrow('in a linked worktree');
});
