// The exit code is the answer that every host understands, so nothing around the hook may change it: not an input that
// can't be read, nor a compiled start that can't be left behind.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { FOIL } from '../cli/foil.ts';
import { ClaudeSession } from './claude-host.ts';
import { newProject } from './recorded-project.ts';

it('K8 an input that can not be read is refused where only the settings say guard, and recorded as empty', async () => {
  const project = await newProject();
  project.settings('guard');
  const words = project.hookWords('claude-code').map((word) => `'${word}'`);
  // Standard input is a directory.
  const { status, stderr } = spawnSync(
    'sh',
    ['-c', `'${process.execPath}' '${FOIL}' ${words.join(' ')} < /`],
    {
      env: project.env,
      cwd: project.work,
      encoding: 'utf8',
    },
  );
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^Counterfoil could not understand this hook's input \(empty\), so it let nothing through\. Try once more\./,
  );
  expect(project.recorded().at(-1)).toMatchObject({ kind: 'observation', payload: { problem: 'empty' } });
});

it('K8 --compile where nothing can be left does not change the exit code', async () => {
  const project = await newProject();
  const copy = join(project.root, 'copy');
  cpSync(dirname(FOIL), copy, { recursive: true });
  // A directory stands where the compiled form should be: root can't write it either.
  for (const name of readdirSync(copy)) if (name.endsWith('.cache')) rmSync(join(copy, name));
  mkdirSync(join(copy, `start-${process.version}-${process.arch}.cache`, 'full'), { recursive: true });
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(copy, 'foil.cjs'), '--compile', ...project.hookWords('claude-code', { mode: 'guard' })],
    {
      env: project.env,
      cwd: project.work,
      encoding: 'utf8',
      input: JSON.stringify(new ClaudeSession('s', project.work).call('c1')),
    },
  );
  expect([status, stderr]).toEqual([0, '']);
});
