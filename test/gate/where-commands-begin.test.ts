// A host that moves with `cd` tells, with the result, where the command left it. What the command ran is read from where it
// began, in the hooks' events as in a transcript.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { TRANSCRIPTS } from '../../src/capture/transcripts/index.ts';
import { newProject } from '../e2e/recorded-project.ts';
import { WorkingAgent } from '../e2e/working-agent.ts';

const input = { command: 'cd packages/web && npm test' };
const response = { stdout: '# tests 1\n# pass 1\n# fail 0\n', stderr: '', interrupted: false };

it.each(['toolu_1', null])(
  'a check behind `cd` ran in that folder, not in one of that name below it: id %s',
  async (id) => {
    const project = await newProject();
    mkdirSync(join(project.work, '.git'), { recursive: true });
    const agent = new WorkingAgent(project, 'observe');
    await agent.prompt('Fix it');
    const call = { tool_name: 'Bash', tool_input: input, ...(id === null ? {} : { tool_use_id: id }) };
    await agent.event('PreToolUse', call);
    await agent.event('PostToolUse', {
      ...call,
      cwd: `${project.work}/packages/web`,
      tool_response: response,
    });
    const [result] = project.entries().filter(({ kind }) => kind === 'tool.result');
    expect(result?.payload.checks).toMatchObject([{ command: 'npm test', directory: 'packages/web' }]);
  },
);

it('the same in a transcript of Claude Code', () => {
  const reader = TRANSCRIPTS.find(({ agent }) => agent === 'claude-code')?.open('/t/s.jsonl', {});
  const lines = [
    { type: 'user', cwd: '/w', message: { role: 'user', content: 'Fix it' } },
    {
      type: 'assistant',
      cwd: '/w',
      message: { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Bash', input }] },
    },
    {
      type: 'user',
      cwd: '/w/packages/web',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
      toolUseResult: response,
    },
  ];
  const told = lines.flatMap((line) => [...(reader?.line(Buffer.from(JSON.stringify(line))) ?? [])]);
  const [result] = told.filter(({ input: event }) => event.hook_event_name === 'PostToolUse');
  expect(result?.input.cwd).toBe('/w');
});
