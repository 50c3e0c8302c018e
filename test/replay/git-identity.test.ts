// Agents tell their model who commits, so a replay has the name and the address that git has for whoever replays.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeIdentity } from '../../src/app/replay/replayed-agent.ts';
import { temporary } from '../temporary.ts';

it('O8 a replayed agent finds the same identity in git, and no other setting of the user', async () => {
  const [home, place] = [temporary(), temporary()];
  const env = { PATH: process.env.PATH, HOME: home };
  const file = join(place, 'gitconfig');
  const get = async (key: string): Promise<string> => {
    await writeIdentity(file, place, env);
    return spawnSync('git', ['config', '--file', file, '--get', key], { encoding: 'utf8' }).stdout;
  };
  expect(await get('user.name')).toBe('');
  mkdirSync(join(home, '.config/git'), { recursive: true });
  writeFileSync(join(home, '.config/git/config'), '[user]\nname = other\nemail = ann@example.com\n');
  writeFileSync(
    join(home, '.gitconfig'),
    '[user]\nname = "Ann \\"L\\" # Lee"\n[core]\nsshCommand = elsewhere\n',
  );
  expect(await get('user.name')).toBe('Ann "L" # Lee\n');
  expect(await get('user.email')).toBe('ann@example.com\n');
  expect(readFileSync(file, 'utf8')).not.toContain('elsewhere');
});
