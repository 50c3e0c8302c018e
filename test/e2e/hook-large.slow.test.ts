// Output as large as a hook takes, and a lock that somebody else keeps: what needs seconds.
import { expect, it } from 'vitest';
import { bundle, Child } from '../fault/child.ts';
import { ClaudeSession } from './claude-host.ts';
import { newProject, post } from './recorded-project.ts';

const host = new ClaudeSession('large');

it.each([1, 2, 3])(
  '50 MB of output are kept whole and redacted, as a process and over HTTP (%i)',
  async (round) => {
    const project = await newProject();
    const token = `ghp_${'k3Z9'.repeat(9)}`;
    const line = 'all work and no play makes jack a dull boy\n';
    const stdout = line.repeat(Math.ceil((50 * 2 ** 20) / line.length)) + token;
    const tool_response = { stdout, stderr: '', interrupted: false, isImage: false };
    const result = host.result(`c${round}`, { command: 'cat a.txt' }, 'Bash', { tool_response });
    expect(await project.hook('claude-code', result)).toMatchObject({ code: 0, stdout: '' });
    const serving = await project.serve();
    expect(await post(serving, 'claude-code', result)).toMatchObject({ status: 200, body: '' });
    const results = project.recorded().filter(({ kind }) => kind === 'tool.result');
    expect(results).toHaveLength(2);
    for (const entry of results) {
      expect(entry.payload.output_bytes).toBeGreaterThan(stdout.length - token.length);
      expect(entry.payload.redacted).toEqual({ 'github-token': 1 });
    }
    for (const { path, bytes } of project.files()) expect(bytes.includes(token), path).toBe(false);
    await project.expectIntact();
  },
);

it('K5c, K8: a lock that somebody keeps is waited for, then guard refuses and observe goes on', async () => {
  const project = await newProject();
  const holder = new Child(await bundle('holder'), [project.directory, 'section']);
  await holder.until(() => holder.lines.includes('held'));
  const [guard, observe] = await Promise.all([
    project.hook('claude-code', host.call('c1'), { mode: 'guard' }),
    project.hook('claude-code', host.call('c2')),
  ]);
  expect(guard.stdout).toMatch(/"permissionDecision":"deny".*longer than \d+ s/s);
  expect(observe).toMatchObject({ code: 0, stdout: '' });
  holder.tell('go');
  await holder.ended;
  await project.hook('claude-code', host.call('c3'));
  const gap = project.recorded().find(({ kind }) => kind === 'gap');
  expect(gap?.payload).toMatchObject({ reason: 'unrecorded', events: 2 });
  await project.expectIntact();
});
