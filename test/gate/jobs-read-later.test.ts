// A test run that Copilot CLI started in the background, and whose end it read later: the exit code in the host's own line
// counts for the command that was started, as long as the code is the same.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { newProject, type Project } from '../e2e/recorded-project.ts';
import { makePackage, WorkingAgent } from '../e2e/working-agent.ts';

const TAP = '# tests 2\n# pass 2\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n';
const ENDED = '<shellId: t1 completed with exit code 0>';
const RUNNING = '<command with shellId: t1 is still running after 2 seconds. The command is still running.>';
const COMMAND = { command: 'node --test', mode: 'async', shellId: 't1' };

class Copilot {
  readonly project: Project;
  readonly #transcript: string;

  constructor(project: Project) {
    this.project = project;
    this.#transcript = join(project.root, 'events.jsonl');
    writeFileSync(this.#transcript, '');
  }

  async tell(name: string, more: JsonObject = {}): Promise<JsonObject> {
    const base = { session_id: 's', cwd: this.project.work, transcript_path: this.#transcript };
    const event = { ...base, hook_event_name: name, ...more };
    const { stdout } = await this.project.tell('copilot', event, { mode: 'guard' });
    return JSON.parse(stdout === '' ? '{}' : stdout) as JsonObject;
  }

  async call(tool_name: string, tool_input: JsonObject, text: string): Promise<void> {
    await this.tell('PreToolUse', { tool_name, tool_input });
    const tool_result = { result_type: 'success', text_result_for_llm: text };
    await this.tell('PostToolUse', { tool_name, tool_input, tool_result });
  }

  async edit(text: string): Promise<void> {
    const path = join(this.project.work, 'src/sum.js');
    writeFileSync(path, text);
    await this.call('Edit', { path, old_str: 'a', new_str: text }, 'done');
  }

  async stop(content: string): Promise<unknown> {
    const data = { content, toolRequests: [] };
    const timestamp = new Date(Date.now() + 1000).toISOString();
    writeFileSync(this.#transcript, `${JSON.stringify({ type: 'assistant.message', timestamp, data })}\n`, {
      flag: 'a',
    });
    await this.tell('Stop', { stop_hook_active: false });
    return this.project.entries().findLast(({ kind }) => kind === 'gate')?.payload.verdict;
  }
}

async function working(): Promise<Copilot> {
  const project = await newProject();
  makePackage(project.work);
  const agent = new Copilot(project);
  await agent.tell('UserPromptSubmit', { prompt: 'Fix `src/sum.js`' });
  await agent.edit('export const sum = (a, b) => a + b;\n');
  await agent.call('Bash', COMMAND, '<command started in background with shellId: t1>');
  return agent;
}

describe('a check that ran in the background of Copilot CLI', () => {
  it('B1, B3e: has the exit code that was read later, and backs a claim', async () => {
    const agent = await working();
    await agent.call('read_bash', { shellId: 't1', delay: 5 }, `${TAP}${ENDED}`);
    const read = agent.project.entries().findLast(({ kind }) => kind === 'tool.result');
    expect(read?.payload).toMatchObject({ tool: 'read_bash', exit_code: 0, exit_origin: 'parsed' });
    expect(await agent.stop('All tests pass.')).toBe('pass');
    await agent.project.expectIntact();
  });

  it.each<[string, (agent: Copilot) => Promise<void>]>([
    ['nobody read its end', async () => undefined],
    ['it still ran', (agent) => agent.call('read_bash', { shellId: 't1' }, `${ENDED}\n${RUNNING}`)],
    [
      'another one ended',
      (agent) => agent.call('read_bash', { shellId: 't2' }, `${TAP}${ENDED.replace('t1', 't2')}`),
    ],
    [
      'the line of another one was printed',
      (agent) => agent.call('read_bash', { shellId: 't2' }, `${TAP}${ENDED}`),
    ],
    ['another tool printed the line', (agent) => agent.call('view', { path: 'log' }, `${TAP}${ENDED}`)],
    [
      'it failed',
      (agent) => agent.call('read_bash', { shellId: 't1' }, `${TAP}${ENDED.replace('0>', '1>')}`),
    ],
    [
      'the code was changed meanwhile',
      async (agent) => {
        await agent.edit('export const sum = (a, b) => b + a;\n');
        await agent.call('read_bash', { shellId: 't1' }, `${TAP}${ENDED}`);
      },
    ],
  ])('B3e, B6: backs none where %s', async (_, then) => {
    const agent = await working();
    await then(agent);
    expect(await agent.stop('All tests pass.')).toBe('block');
  });

  it('its notification is no prompt', async () => {
    const agent = await working();
    const prompt = '<system_notification>Shell t1 completed.</system_notification>';
    await agent.tell('UserPromptSubmit', { prompt });
    const [last] = agent.project.entries().slice(-1);
    expect([last?.kind, last?.payload.origin]).toEqual(['notice', 'system-notification']);
  });
});

it('a check that Claude Code ran in the background is told to be that', async () => {
  const project = await newProject();
  makePackage(project.work);
  const agent = new WorkingAgent(project, 'guard');
  await agent.prompt('Fix `src/sum.js`');
  const input = { command: 'node --test', run_in_background: true };
  const use = { type: 'tool_use', id: 'toolu_b', name: 'Bash', input };
  const message = { role: 'assistant', content: [use] };
  appendFileSync(agent.transcript, `${JSON.stringify({ type: 'assistant', message })}\n`);
  const call = { tool_name: 'Bash', tool_input: input, tool_use_id: 'toolu_b' };
  await agent.event('PreToolUse', call);
  const tool_response = { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b1' };
  await agent.event('PostToolUse', { ...call, tool_response });
  const { reason } = await agent.stop('All tests pass.');
  expect(reason).toContain('`node --test` ran in the background, and nobody was told how it ended.');
});
