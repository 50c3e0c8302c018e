// A counterfoil.yaml that an agent put there to be rid of its recorder, or to read with it: hosts let a hook that hangs
// go by, and a service that hangs records nobody.
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/index.ts';
import { temporary } from '../temporary.ts';
import { ClaudeSession } from './claude-host.ts';
import { newProject, post } from './recorded-project.ts';

const isPipe = (path: string): boolean => spawnSync('mkfifo', [path]).status === 0;

describe('a counterfoil.yaml that is no plain file', () => {
  it.each([
    ['a pipe', (path: string) => expect(isPipe(path)).toBe(true)],
    ['an endless device', (path: string) => symlinkSync('/dev/zero', path)],
    ['a directory', (path: string) => symlinkSync('/', path)],
  ])('K8 %s: guard refuses, observe records, and both at once', async (_, plant) => {
    const project = await newProject();
    plant(join(project.work, 'counterfoil.yaml'));
    const session = new ClaudeSession('s', project.work);
    const refused = await project.hook('claude-code', session.call('c1'), { mode: 'guard' });
    expect(refused.stdout).toContain('"permissionDecision":"deny"');
    expect(refused.stdout).toContain('not a plain file');
    expect(await project.hook('claude-code', session.call('c2'))).toMatchObject({ code: 0, stdout: '' });
    const calls = project.recorded().filter(({ kind }) => kind === 'tool.call');
    expect(calls.map(({ payload }) => payload.tool_use_id)).toEqual(['c2']);
  });

  it('the service goes on', async () => {
    const project = await newProject();
    expect(isPipe(join(project.work, 'counterfoil.yaml'))).toBe(true);
    project.settings('guard');
    const serving = await project.serve();
    const session = new ClaudeSession('s', project.work);
    expect((await post(serving, 'claude-code', session.call('c1'))).body).toContain('not a plain file');
    const elsewhere = new ClaudeSession('t', project.root);
    expect(await post(serving, 'claude-code', elsewhere.call('c2'))).toMatchObject({ status: 200, body: '' });
  });

  it('locked follows no link: what it leads to may be for the service alone', () => {
    const root = temporary();
    symlinkSync('/etc/passwd', join(root, 'counterfoil.yaml'));
    const parse = (): never => {
      throw new Error('it was read');
    };
    expect(() => readConfig(root, parse)).toThrow('it was read');
    expect(() => readConfig(root, parse, { links: false })).toThrow(/can't be read \(ELOOP.*or remove it$/);
  });
});
