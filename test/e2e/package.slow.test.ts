import { spawnSync } from 'node:child_process';
import { afterAll, expect, it } from 'vitest';
import { Sandbox } from '../cli/foil.ts';
import { install } from './package.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

it('the packed tarball runs its demo', ({ skip }) => {
  const outcome = install(sandbox);
  if ('skipped' in outcome) return skip(outcome.skipped);
  const { status, stderr } = spawnSync(outcome.command, ['demo'], {
    cwd: sandbox.work,
    env: sandbox.env,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([0, '']);
});
