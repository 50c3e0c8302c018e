// Agents tell their model who commits, so a replay has the name and the address that git has for whoever replays.
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { gitIdentity } from '../../src/app/replay/replayed-agent.ts';
import { temporary } from '../temporary.ts';

it('O8 a replayed agent finds the same identity in git, although the home is empty', async () => {
  const [home, empty] = [temporary(), temporary()];
  const env = { PATH: process.env.PATH, HOME: home, GIT_CONFIG_NOSYSTEM: '1' };
  const get = async (key: string): Promise<string> => {
    const settings = { GIT_CONFIG_KEY_0: 'safe.directory', GIT_CONFIG_VALUE_0: '*' };
    const given = { ...env, HOME: empty, ...settings, ...(await gitIdentity(empty, env)) };
    return spawnSync('git', ['config', '--get', key], { env: given, encoding: 'utf8', cwd: empty }).stdout;
  };
  expect(await get('user.name')).toBe('');
  expect(await get('safe.directory')).toBe('*\n');
  for (const [key, value] of [
    ['user.name', 'Ann Lee'],
    ['user.email', 'ann@example.com'],
  ] as const)
    spawnSync('git', ['config', '--global', key, value], { env });
  expect([await get('user.name'), await get('user.email'), await get('safe.directory')]).toEqual([
    'Ann Lee\n',
    'ann@example.com\n',
    '*\n',
  ]);
});
