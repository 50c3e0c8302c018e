// Gemini CLI and Copilot give a call no id. Of two equal calls that are under way, the one that was refused stands as refused.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { verifyDirectory } from '../../src/entry/index.ts';
import { newProject } from './recorded-project.ts';

it('O4 a refusal belongs to the call that was refused, also where an equal one is under way', async () => {
  const project = await newProject();
  const { work, directory } = project;
  project.settings('guard');
  for (const folder of ['src', 'secret']) {
    mkdirSync(join(work, folder));
    writeFileSync(join(work, folder, 's'), 's\n');
  }
  const grants = 'grants:\n  allow: ["fs:read:src/**", "process:exec:cat"]\n';
  writeFileSync(join(work, 'counterfoil.yaml'), grants);
  for (const words of [
    ['operator', 'init', '--no-passphrase'],
    ['grants', 'accept'],
  ])
    expect((await project.foil([...words, '--ledger', directory])).code).toBe(0);
  const called = (folder: string) =>
    project.tell('gemini', {
      hook_event_name: 'BeforeTool',
      session_id: 's',
      cwd: join(work, folder),
      tool_name: 'run_shell_command',
      tool_input: { command: 'cat s' },
    });
  expect((await called('src')).stdout).not.toContain('deny');
  expect((await called('secret')).stdout).toContain('deny');
  const entries = project.entries();
  const [, second] = entries.filter(({ kind }) => kind === 'tool.call');
  const denials = entries.filter(({ kind }) => kind === 'tool.denied');
  expect(denials.map(({ cause }) => cause)).toEqual([second?.seq]);
  const { authority } = (await verifyDirectory(directory, { threads: 0 })).facets;
  expect(authority).toMatchObject({ status: 'pass', message: expect.stringContaining('1 call refused') });
});
