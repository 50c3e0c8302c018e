// The attester as a process: it is killed at any moment, and told to leave.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { readAttesterToken } from '../../src/service/index.ts';
import { bundle, Child } from '../fault/child.ts';
import { temporary } from '../temporary.ts';
import { post, result } from './attesting.ts';
import { survivesKills } from './kills.ts';
import { submission } from './stand-in.ts';

it('C11 loses no accepted job and answers none in two ways when it is killed again and again', async () => {
  await survivesKills({ jobs: 20, kills: 5 });
});

it('leaves in order when it is told to, with the job that runs', async () => {
  const state = join(temporary(), 'attester');
  const file = await bundle('server-child', 'attester');
  const started = async () => {
    const child = new Child(file, [state]);
    await child.until(() => child.lines.length > 0);
    return { child, port: Number(child.lines[0]?.slice(6)), token: readAttesterToken(join(state, 'token')) };
  };
  const first = await started();
  const body = submission('while it leaves');
  await post(first, body);
  await first.child.until(() => first.child.lines.includes('begins'));
  first.child.process.kill('SIGTERM');
  expect(await first.child.ended).toEqual({ code: 0, signal: null });
  expect(first.child.lines).toContain('left');
  const second = await started();
  expect(await result(second, sha256Hex(body))).toMatchObject({ status: 'done', attempt: 1 });
  expect(second.child.lines).not.toContain('begins');
});
