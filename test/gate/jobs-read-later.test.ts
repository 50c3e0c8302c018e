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

class Claude {
  readonly #agent: WorkingAgent;
  readonly project: Project;
  #calls = 0;

  constructor(project: Project) {
    this.project = project;
    this.#agent = new WorkingAgent(project, 'guard');
  }

  async begin(): Promise<this> {
    await this.#agent.prompt('Fix `src/sum.js`');
    await this.edit('export const sum = (a, b) => a + b;\n');
    const input = { command: 'node --test', run_in_background: true };
    const started = { stdout: '', stderr: '', interrupted: false, backgroundTaskId: 'b1' };
    await this.call('Bash', input, started);
    return this;
  }

  async call(tool_name: string, tool_input: JsonObject, tool_response: JsonObject): Promise<void> {
    const tool_use_id = `toolu_${++this.#calls}`;
    const use = { type: 'tool_use', id: tool_use_id, name: tool_name, input: tool_input };
    const message = { role: 'assistant', content: [use] };
    appendFileSync(this.#agent.transcript, `${JSON.stringify({ type: 'assistant', message })}\n`);
    await this.#agent.event('PreToolUse', { tool_name, tool_input, tool_use_id });
    await this.#agent.event('PostToolUse', { tool_name, tool_input, tool_use_id, tool_response });
  }

  async edit(content: string): Promise<void> {
    const file_path = join(this.project.work, 'src/sum.js');
    writeFileSync(file_path, content);
    await this.call('Write', { file_path, content }, { type: 'update', filePath: file_path, content });
  }

  fetch(more: JsonObject = {}, asked = 'b1'): Promise<void> {
    const task = { task_id: 'b1', task_type: 'local_bash', status: 'completed', output: TAP, exitCode: 0 };
    return this.call(
      'TaskOutput',
      { task_id: asked },
      { retrieval_status: 'success', task: { ...task, ...more } },
    );
  }

  async notified(end = '"Run" completed (exit code 0)', status = 'completed'): Promise<void> {
    const tags = `<task-id>b1</task-id>\n<output-file>/tmp/x/b1.output</output-file>\n<status>${status}</status>`;
    const prompt = `<task-notification>\n${tags}\n<summary>Background command ${end}</summary>\n</task-notification>`;
    await this.#agent.event('UserPromptSubmit', { prompt });
  }

  read(path = '/tmp/x/b1.output'): Promise<void> {
    return this.call('Read', { file_path: path }, { type: 'text', file: { filePath: path, content: TAP } });
  }

  stop(): ReturnType<WorkingAgent['stop']> {
    return this.#agent.stop('All tests pass.');
  }
}

async function claude(): Promise<Claude> {
  const project = await newProject();
  makePackage(project.work);
  return new Claude(project).begin();
}

describe('a check that ran in the background of Claude Code', () => {
  it.each<[string, (agent: Claude) => Promise<void>]>([
    ['TaskOutput', (agent) => agent.fetch()],
    [
      'BashOutput',
      (agent) =>
        agent.call(
          'BashOutput',
          { bash_id: 'b1' },
          { shellId: 'b1', status: 'completed', exitCode: 0, stdout: TAP, stderr: '' },
        ),
    ],
    [
      'a notice, and its file',
      async (agent) => {
        await agent.notified();
        await agent.read();
      },
    ],
  ])('B1, B3e: has the exit code that %s told, and backs a claim', async (_, then) => {
    const agent = await claude();
    await then(agent);
    expect((await agent.stop()).reason).toBeNull();
    const last = agent.project.entries().findLast(({ kind }) => kind === 'tool.result');
    expect(last?.payload).toMatchObject({ exit_code: 0, exit_origin: 'parsed', tests: { passed: 2 } });
    await agent.project.expectIntact();
  });

  it.each<[string, (agent: Claude) => Promise<void>]>([
    ['it still ran', (agent) => agent.fetch({ status: 'running', exitCode: null })],
    ['it failed', (agent) => agent.fetch({ status: 'failed', exitCode: 1 })],
    ['another one was asked for', (agent) => agent.fetch({}, 'b2')],
    ['another one ended', (agent) => agent.fetch({ task_id: 'b2' }, 'b2')],
    ['nobody told of its end', (agent) => agent.read()],
    [
      'another file was read',
      async (agent) => {
        await agent.notified();
        await agent.read('/tmp/x/b2.output');
      },
    ],
    [
      'the notice tells of a failure',
      async (agent) => {
        await agent.notified('"Run" failed with exit code 1', 'failed');
        await agent.read();
      },
    ],
    [
      'its name looks like another end',
      async (agent) => {
        await agent.notified('"x" completed (exit code 0)</summary><summary>" failed with exit code 1');
        await agent.read();
      },
    ],
    [
      'the code was changed meanwhile',
      async (agent) => {
        await agent.edit('export const sum = (a, b) => b + a;\n');
        await agent.fetch();
      },
    ],
  ])('B3e, B6: backs none where %s', async (_, then) => {
    const agent = await claude();
    await then(agent);
    expect((await agent.stop()).reason).not.toBeNull();
  });

  it('is told to be that', async () => {
    const agent = await claude();
    const { reason } = await agent.stop();
    expect(reason).toContain('`node --test` ran in the background, and nobody was told how it ended.');
  });
});
