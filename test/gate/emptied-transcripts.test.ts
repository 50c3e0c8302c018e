// An agent that wants to pass for one that said nothing: it empties the host's record of the session, puts an older one in
// its place or takes it away, and then claims what it likes. Only where the host itself says that there is no message is
// there none.
import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { lastMessage } from '../../src/gate/index.ts';
import { makeProject, type Project } from '../e2e/recorded-project.ts';

const LIE = 'I ran all the tests and they all pass.';
const line = (value: JsonObject): string => `${JSON.stringify(value)}\n`;

let project: Project;
let transcript: string;
let session = 0;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());
beforeEach(() => {
  session++;
  transcript = join(project.root, `transcript-${session}.jsonl`);
});

async function tell(agent: string, name: string, more: JsonObject = {}): Promise<void> {
  const event = { session_id: `s-${session}`, cwd: project.work, hook_event_name: name, ...more };
  await project.tell(agent, event, { mode: 'guard' });
}

function verdict(): unknown {
  const { verdict, extraction, text_from } =
    project.entries().findLast(({ kind }) => kind === 'gate')?.payload ?? {};
  return [verdict, extraction, text_from];
}

const BLOCKED = ['block', 'unreadable', 'transcript'];

/** What each host writes of a turn: the prompt, a call of a tool, and the last message. */
const FORMS = {
  'claude-code': {
    user: (content: string) => line({ type: 'user', message: { role: 'user', content } }),
    call: (text: string) =>
      line({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }) +
      line({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'tool_use', id: 't' }] } }) +
      line({ type: 'user', message: { role: 'user', content: [{ type: 'tool_result', content: 'ok' }] } }),
    last: (text: string) =>
      line({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'thinking' }] } }) +
      line({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text }] } }),
  },
  codex: {
    user: (text: string) => item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
    call: (text: string) =>
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }) +
      item({ type: 'function_call', call_id: 'c' }) +
      item({ type: 'function_call_output', call_id: 'c', output: 'ok' }),
    last: (text: string) =>
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }),
  },
  copilot: {
    user: (content: string) => line({ type: 'user.message', data: { content } }),
    call: (content: string) =>
      line({ type: 'assistant.message', data: { content, toolRequests: [{ name: 'bash' }] } }) +
      line({ type: 'tool.execution_complete', data: {} }),
    last: (content: string) =>
      line({
        type: 'assistant.message',
        timestamp: new Date(Date.now() + 1000).toISOString(),
        data: { content, toolRequests: [] },
      }),
  },
};
function item(payload: JsonObject): string {
  return line({ type: 'response_item', payload });
}

describe.each(Object.entries(FORMS))('%s', (agent, { user, call, last }) => {
  const paths = (): JsonObject => ({ transcript_path: transcript });
  /** A turn before this one, and this one up to its last message. */
  async function work(): Promise<void> {
    writeFileSync(transcript, user('Say hello.') + last('Hello.'));
    await tell(agent, 'UserPromptSubmit', { ...paths(), prompt: 'Fix the sum.' });
    appendFileSync(transcript, user('Fix the sum.') + call('Let me look.'));
  }
  const stop = async (): Promise<unknown> => {
    await tell(agent, 'Stop', { ...paths(), stop_hook_active: false });
    return verdict();
  };

  it('B10a is held where its record is empty, gone, an older one, or one that ends with a call', async () => {
    await work();
    const working = readFileSync(transcript);
    const before = Buffer.byteLength(user('Say hello.') + last('Hello.'));
    const spoilt: Readonly<Record<string, () => void>> = {
      emptied: () => truncateSync(transcript, 0),
      'cut to before the prompt': () => truncateSync(transcript, before),
      'without its last message': () => writeFileSync(transcript, working),
      gone: () => rmSync(transcript),
    };
    // This host's record is waited for where it tells of no end.
    const cases = Object.entries(spoilt).slice(0, agent === 'copilot' ? 2 : undefined);
    for (const [how, spoil] of cases) {
      writeFileSync(transcript, working);
      await tell(agent, 'UserPromptSubmit', { ...paths(), prompt: `Again: ${how}` });
      appendFileSync(transcript, last(LIE));
      spoil();
      expect([how, await stop()]).toEqual([how, BLOCKED]);
      // Nor is what was said in another turn on record as said in this one.
      expect(project.entries().findLast(({ kind }) => kind === 'response')?.payload.text).toBeNull();
    }
  });

  it('B10a is held where the record is shorter than it was in this turn, whatever it says', async () => {
    await work();
    await tell(agent, 'PreToolUse', {
      ...paths(),
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: 't',
    });
    writeFileSync(transcript, user('x') + last('Hello.'));
    expect(await stop()).toEqual(BLOCKED);
  });

  it('is judged by what the record says where it is whole', async () => {
    await work();
    appendFileSync(transcript, last('Hello.'));
    expect(await stop()).toEqual(['silent', 'ok', 'transcript']);
    appendFileSync(transcript, user('Go on.') + last(LIE));
    expect(await stop()).toEqual(['block', 'ok', 'transcript']);
  });
});

describe('a host that tells the message itself', () => {
  it.each([
    ['claude-code', 'UserPromptSubmit', 'Stop', 'last_assistant_message'],
    ['codex', 'UserPromptSubmit', 'Stop', 'last_assistant_message'],
    ['gemini', 'BeforeAgent', 'AfterAgent', 'prompt_response'],
    ['opencode', 'chat.message', 'session.idle', 'last_assistant_message'],
  ])('B10a %s: an empty one is harmless, and none at all is not', async (agent, prompt, stop, member) => {
    await tell(agent, prompt, { prompt: 'Fix the sum.' });
    await tell(agent, stop, { [member]: '', stop_hook_active: false });
    expect(verdict()).toEqual(['silent', 'ok', 'message']);
    await tell(agent, stop, { stop_hook_active: false });
    expect(verdict()).toEqual(['block', 'unreadable', 'none']);
  });
});

describe('a message of another type than text', () => {
  it.each([
    ['claude-code', 'UserPromptSubmit', 'Stop', 'last_assistant_message'],
    ['codex', 'UserPromptSubmit', 'Stop', 'last_assistant_message'],
    ['gemini', 'BeforeAgent', 'AfterAgent', 'prompt_response'],
    ['opencode', 'chat.message', 'session.idle', 'last_assistant_message'],
  ])('B10a %s: is none, and counted like one that is not there', async (agent, prompt, stop, member) => {
    await tell(agent, prompt, { prompt: 'Fix the sum.' });
    for (const said of [[{ type: 'text', text: LIE }], { text: LIE }]) {
      await tell(agent, stop, { [member]: said, stop_hook_active: false });
      expect(verdict()).toEqual(['block', 'unreadable', 'none']);
    }
    await tell(agent, stop, { [member]: 7, stop_hook_active: true });
    expect(verdict()).toEqual(['ungated', 'unreadable', 'none']);
  });

  it('B10a is looked for in the transcript', async () => {
    const { user, last } = FORMS['claude-code'];
    const paths = { transcript_path: transcript };
    await tell('claude-code', 'UserPromptSubmit', { ...paths, prompt: 'Fix the sum.' });
    writeFileSync(transcript, user('Fix the sum.') + last(LIE));
    await tell('claude-code', 'Stop', { ...paths, last_assistant_message: [LIE], stop_hook_active: false });
    expect(verdict()).toEqual(['block', 'ok', 'transcript']);
  });
});

describe('a last message in the transcript whose parts', () => {
  const held = async (content: readonly Json[]): Promise<unknown> => {
    const { user } = FORMS['claude-code'];
    const paths = { transcript_path: transcript };
    await tell('claude-code', 'UserPromptSubmit', { ...paths, prompt: 'Fix the sum.' });
    const said = line({ type: 'assistant', message: { role: 'assistant', content } });
    writeFileSync(transcript, user('Fix the sum.') + said);
    await tell('claude-code', 'Stop', { ...paths, stop_hook_active: false });
    return verdict();
  };

  it.each<[string, Json]>([
    ['of an unknown type', { type: 'novel', body: LIE }],
    ['whose text is no text', { type: 'text', text: [LIE] }],
    ['that is no object', LIE],
  ])('B10a hold no words in a form that is known blocks: one %s', async (_, part) => {
    expect(await held([{ type: 'thinking', thinking: 'Hm.' }, part])).toEqual([
      'block',
      'schema_drift',
      'transcript',
    ]);
  });

  it('are thoughts alone is one that says nothing', async () => {
    expect(await held([{ type: 'thinking', thinking: 'Hm.' }])).toEqual(['silent', 'ok', 'transcript']);
  });
});

it('B10a OpenCode: its plugin, which hears every message, says that there was none', async () => {
  await tell('opencode', 'chat.message', { prompt: 'Fix the sum.' });
  await tell('opencode', 'session.idle', { last_assistant_message: null });
  expect(verdict()).toEqual(['silent', 'ok', 'message']);
});

it('Copilot: what its autopilot says by the call that ends it is judged, and on record', async () => {
  const paths = { transcript_path: transcript };
  writeFileSync(transcript, '');
  await tell('copilot', 'UserPromptSubmit', { ...paths, prompt: 'Fix the sum.' });
  const toolRequests = [{ name: 'task_complete', arguments: { summary: LIE } }];
  const timestamp = new Date(Date.now() + 1000).toISOString();
  appendFileSync(
    transcript,
    line({ type: 'assistant.message', timestamp, data: { content: '', toolRequests } }),
  );
  await tell('copilot', 'Stop', { ...paths, stop_hook_active: false });
  expect(verdict()).toEqual(['block', 'ok', 'transcript']);
  const response = project.entries().findLast(({ kind }) => kind === 'response');
  expect(await project.content(response, 'text')).toBe(LIE);
});

describe('Cursor', () => {
  const cursor = (name: string, more: JsonObject = {}): Promise<void> =>
    tell('cursor', name, { conversation_id: `c-${session}`, generation_id: 'g', ...more });

  it('B10a is judged by the message that it told before the turn ended', async () => {
    await cursor('beforeSubmitPrompt', { prompt: 'Fix the sum.' });
    await cursor('afterAgentResponse', { text: 'Let me look.' });
    await cursor('afterAgentResponse', { text: LIE });
    await cursor('stop', { status: 'completed', loop_count: 0 });
    expect(verdict()).toEqual(['block', 'ok', 'message']);
    const response = project.entries().findLast(({ kind }) => kind === 'response');
    expect(await project.content(response, 'text')).toBe(LIE);
  });

  it('B10a is held where it told none since, and let go where the person broke it off', async () => {
    await cursor('beforeSubmitPrompt', { prompt: 'Say hello.' });
    await cursor('afterAgentResponse', { text: 'Hello.' });
    await cursor('stop', { status: 'completed', loop_count: 0 });
    expect(verdict()).toEqual(['silent', 'ok', 'message']);
    await cursor('beforeSubmitPrompt', { prompt: 'Fix the sum.' });
    await cursor('stop', { status: 'completed', loop_count: 0 });
    expect(verdict()).toEqual(['block', 'unreadable', 'none']);
    await cursor('stop', { status: 'aborted', loop_count: 0 });
    expect(verdict()).toEqual(['silent', 'ok', 'message']);
  });
});

it('a file is read from where the turn begins', () => {
  const { user, last } = FORMS['claude-code'];
  writeFileSync(transcript, last('Hello.'));
  const from = Buffer.byteLength(last('Hello.'));
  expect(lastMessage(null, transcript)).toMatchObject({ extraction: 'ok', text: 'Hello.' });
  expect(lastMessage(null, transcript, { from, longest: from })).toMatchObject({ extraction: 'unreadable' });
  appendFileSync(transcript, user('Go.'));
  expect(lastMessage(null, transcript, { from, longest: from })).toMatchObject({ extraction: 'unreadable' });
});
