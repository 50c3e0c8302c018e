// What hosts tell their hooks only in part: Gemini CLI all that was said since the prompt, Codex no exit codes, Copilot CLI no
// message, and most of them no model. Their own records have it, in the forms that the real hosts write.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import { makeProject, type Project } from '../e2e/recorded-project.ts';

let project: Project;
let transcript: string;
beforeEach(async () => {
  project = await makeProject();
  transcript = join(project.root, 'transcript.jsonl');
});
afterEach(() => project.remove());

const captured = (name: string): string[] =>
  readFileSync(new URL(`../hosts/captured/${name}.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n');

async function tell(agent: string, event: JsonObject): Promise<JsonObject> {
  const { stdout } = await project.tell(agent, event, { mode: 'guard' });
  return JSON.parse(stdout === '' ? '{}' : stdout) as JsonObject;
}

const of = (kind: string): Entry[] => project.entries().filter((entry) => entry.kind === kind);
const verdicts = (): unknown[] => of('gate').map(({ payload }) => payload.verdict);

describe('Gemini CLI', () => {
  const event = (name: string, more: JsonObject): JsonObject => ({
    session_id: 's',
    cwd: '/home/dev/proj',
    hook_event_name: name,
    ...more,
  });
  const LIE = 'I ran all the tests and they all pass.\n';
  const stop = (prompt_response: string): JsonObject =>
    event('AfterAgent', { prompt: 'go', prompt_response, stop_hook_active: false });

  it('B10b is judged by what it said last, and what it took back is not held against it again', async () => {
    await tell('gemini', event('BeforeAgent', { prompt: 'Fix the sum.' }));
    const { reason } = await tell('gemini', stop(LIE));
    await tell('gemini', event('BeforeAgent', { prompt: String(reason) }));
    expect(
      await tell('gemini', stop(`${LIE}\nI take that back. Not verified: the tests were not run.\n`)),
    ).toEqual({});
    expect(verdicts()[0]).toBe('block');
    expect(verdicts()).toHaveLength(2);
    expect(await project.content(of('response')[1], 'text')).toBe(
      'I take that back. Not verified: the tests were not run.',
    );
  });

  it('is judged by all of it where the words before are not those that it told', async () => {
    await tell('gemini', event('BeforeAgent', { prompt: 'Fix the sum.' }));
    await tell('gemini', stop('Hello.\n'));
    await tell('gemini', stop(LIE));
    await tell('gemini', stop(`Hallo.\n${LIE}`));
    expect(verdicts()).toEqual(['silent', 'block', 'block']);
  });
});

describe('Codex', () => {
  const [rollout = ''] = captured('codex-rollout').filter((line) => line.includes('"CommandExecution"'));
  const hooks = captured('codex-hooks').map((line) => JSON.parse(line) as JsonObject);
  const id = 'call_000000000000000000000002';
  const event = (name: string, more: JsonObject = {}): JsonObject => {
    const found = hooks.find(({ hook_event_name }) => hook_event_name === name) ?? {};
    return { ...found, transcript_path: transcript, tool_use_id: id, ...more };
  };
  const run = async (): Promise<unknown> => {
    await tell('codex', event('UserPromptSubmit'));
    const call = { tool_input: { command: 'node --test' } };
    await tell('codex', event('PreToolUse', call));
    await tell('codex', event('PostToolUse', { ...call, tool_response: '# pass 1\n# fail 0\n' }));
    const { exit_code, exit_origin } = of('tool.result')[0]?.payload ?? {};
    return [exit_code, exit_origin];
  };

  it('has the exit code of a command in its rollout', async () => {
    writeFileSync(transcript, `not JSON "${id}"\n${rollout}\n`);
    expect(await run()).toEqual([0, 'parsed']);
  });

  it('has another one where another command ended', async () => {
    writeFileSync(transcript, `${rollout.replace('"exit_code":0', '"exit_code":7')}\n`);
    expect(await run()).toEqual([7, 'parsed']);
  });

  it.each([
    ['there is no rollout', null],
    ['it tells of another call', () => rollout.replaceAll(id, 'call_1')],
    ['the output only looks like one', () => JSON.stringify({ output: rollout })],
    ['its code is none', () => rollout.replace('"exit_code":0', '"exit_code":"0"')],
  ])('has none where %s', async (_, line) => {
    if (line !== null) writeFileSync(transcript, `${line()}\n`);
    expect(await run()).toEqual([null, 'unknown']);
  });
});

describe('Copilot CLI', () => {
  const hooks = captured('copilot-hooks').map((line) => JSON.parse(line) as JsonObject);
  const event = (name: string): JsonObject => ({
    ...hooks.find(({ hook_event_name }) => hook_event_name === name),
    transcript_path: transcript,
  });
  const said = (content: string): string =>
    `${JSON.stringify({ type: 'assistant.message', timestamp: new Date().toISOString(), data: { content, model: 'gpt-4.1', toolRequests: [] } })}\n`;

  it.each([
    ['a question that claims nothing passes in silence', 'Hello.', ['silent']],
    ['a lie is held', 'I ran all the tests and they all pass.', ['block']],
  ])('has its message among its events: %s', async (_, text, wanted) => {
    await tell('copilot', event('UserPromptSubmit'));
    writeFileSync(transcript, `${captured('copilot-events').join('\n')}\n`);
    appendFileSync(transcript, said(text));
    await tell('copilot', event('Stop'));
    expect(verdicts()).toEqual(wanted);
    expect(of('response')[0]?.payload.model).toBe('gpt-4.1');
    expect(of('gate')[0]?.payload.extraction).toBe('ok');
    expect(await project.content(of('response')[0], 'text')).toBe(text);
  });
});

describe('Copilot CLI at the end of a turn', () => {
  it('is waited for until its message is written, and an older one is not taken for it', async () => {
    const hooks = captured('copilot-hooks').map((line) => JSON.parse(line) as JsonObject);
    const event = (name: string): JsonObject => ({
      ...hooks.find((each) => each.hook_event_name === name),
      transcript_path: transcript,
    });
    const say = (content: string): void => {
      const data = { content, model: 'm', toolRequests: [] };
      const line = { type: 'assistant.message', timestamp: new Date().toISOString(), data };
      appendFileSync(transcript, `${JSON.stringify(line)}\n`);
    };
    await tell('copilot', event('UserPromptSubmit'));
    say('I ran all the tests and they all pass.');
    await tell('copilot', event('Stop'));
    setTimeout(() => say('I take that back. Not verified: the tests were not run.'), 120);
    await tell('copilot', event('Stop'));
    expect(verdicts()[0]).toBe('block');
    expect(verdicts()[1]).not.toBe('block');
    expect(await project.content(of('response')[1], 'text')).toContain('I take that back');
  });
});

describe('Copilot CLI at its start', () => {
  it('tells of the first prompt before or after the start, and that is one session', async () => {
    const hooks = captured('copilot-hooks').map((line) => JSON.parse(line) as JsonObject);
    const event = (name: string): JsonObject => hooks.find((each) => each.hook_event_name === name) ?? {};
    await tell('copilot', event('UserPromptSubmit'));
    await tell('copilot', event('SessionStart'));
    await tell('copilot', event('PreToolUse'));
    expect(of('session.start')).toHaveLength(1);
  });
});

describe('Claude Code', () => {
  it('G4 has the model in its transcript', async () => {
    const line = (model: string, more: JsonObject = {}): string =>
      `${JSON.stringify({ type: 'assistant', message: { model, content: [] }, ...more })}\n`;
    const event = (name: string, more: JsonObject): JsonObject => ({
      session_id: 's',
      cwd: '/home/dev/proj',
      hook_event_name: name,
      transcript_path: transcript,
      ...more,
    });
    await tell('claude-code', event('UserPromptSubmit', { prompt: 'Hello?' }));
    writeFileSync(
      transcript,
      line('claude-one') + line('claude-sub', { isSidechain: true }) + line('<synthetic>'),
    );
    await tell('claude-code', event('Stop', { last_assistant_message: 'Hello.', stop_hook_active: false }));
    expect(of('response')[0]?.payload.model).toBe('claude-one');
  });
});
