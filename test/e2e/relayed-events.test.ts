// Sessions and prompts that a hook hands over to the real service are recorded as the hook itself would record them.
import { expect, it } from 'vitest';
import { AGENTS } from '../../src/capture/hooks/index.ts';
import { hooksOf } from '../../src/cli/hooks-seen.ts';
import type { JsonObject } from '../../src/core/index.ts';
import { CALLER_VARIABLES, encodeCaller, parseCaller } from '../../src/service/index.ts';
import { send } from '../service/serving.ts';
import { ClaudeSession } from './claude-host.ts';
import { newProject, type Project } from './recorded-project.ts';

const agent = new ClaudeSession('handed-over');

/** What two recordings of the same events must agree on: no times, hashes or process numbers. */
function shapes(project: Project): unknown[] {
  return project.recorded().map(({ kind, source, payload }) => {
    const { pid, hooks = null, ...rest } = payload as JsonObject;
    return { kind, source, members: Object.keys(rest), hooks, ofProcess: typeof pid === 'number' };
  });
}

async function session(project: Project): Promise<void> {
  const events = [agent.start(), agent.prompt('Fix it.'), agent.event('SessionEnd', { reason: 'exit' })];
  for (const { cwd: _, ...event } of events) {
    const { code, stderr } = await project.hook('claude-code', event);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
}

it('a session is recorded by the service as by the hook, and sealed when its end is answered', async () => {
  const [own, served] = [await newProject(), await newProject()];
  await session(own);
  const { child, port, token } = await served.serve();
  await session(served);
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await send({ host: '127.0.0.1', port, path: '/v1/health', headers });
  expect(JSON.parse(body)).toMatchObject({ requests: 3 });
  expect(await served.expectIntact()).toMatchObject({ unsealed: 0 });
  expect(shapes(served)).toEqual(shapes(own));
  expect(shapes(served)).toContainEqual(expect.objectContaining({ kind: 'session.start', ofProcess: true }));
  child.kill('SIGTERM');
});

it('what a hook tells of itself is read back as it was, and nothing else is', () => {
  const env = { HOME: '/home/u', CODEX_HOME: '/ü', AWS_SECRET: 'no' };
  const text = encodeCaller({ pid: 7, cwd: '/work', env }) ?? '';
  expect(parseCaller(text)).toEqual({ pid: 7, cwd: '/work', env: { HOME: '/home/u', CODEX_HOME: '/ü' } });
  expect(encodeCaller({ pid: 7, cwd: `/${'x'.repeat(9000)}`, env })).toBeUndefined();
  const other = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const good = { pid: 7, cwd: '/work', env: {} };
  expect(parseCaller(other(good))).toEqual(good);
  for (const bad of [
    null,
    { ...good, pid: 0 },
    { ...good, pid: '7' },
    { ...good, cwd: 'work' },
    { ...good, env: { PATH: '/' } },
    { ...good, env: { HOME: 1 } },
    { ...good, env: null },
    { ...good, more: 1 },
  ])
    expect(parseCaller(other(bad))).toBeUndefined();
  expect(parseCaller('no json')).toBeUndefined();
});

it('every variable by which hooks are found in settings is told', async () => {
  const project = await newProject();
  const asked = new Set<string>();
  const env = new Proxy(project.env, {
    get(target, name: string) {
      asked.add(name);
      return target[name];
    },
  });
  for (const name of AGENTS) hooksOf(project.located, env, { agent: name, cwd: project.work });
  expect(asked).toContain('CLAUDE_CONFIG_DIR');
  expect([...asked].filter((name) => !CALLER_VARIABLES.includes(name))).toEqual([]);
});
