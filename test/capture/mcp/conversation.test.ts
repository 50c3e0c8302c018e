// What is recorded of a conversation, whoever of the two misbehaves.
import { describe, expect, it } from 'vitest';
import { Conversation } from '../../../src/capture/mcp/conversation.ts';
import { type Direction, frameOfValue } from '../../../src/capture/mcp/message.ts';
import type { Ruling } from '../../../src/capture/mcp/passing.ts';
import type { Json } from '../../../src/core/index.ts';
import { FakeRecorder } from './fake-recorder.ts';

function talk() {
  const recorder = new FakeRecorder();
  let time = 0;
  const conversation = new Conversation(recorder, { server: 'srv', now: () => time++ });
  const say = async (direction: Direction, value: Json): Promise<Ruling> =>
    (await conversation.take(direction, {
      frame: frameOfValue(value),
      value: () => value,
      text: () => JSON.stringify(value),
    })) ?? 'forward';
  return {
    recorder,
    conversation,
    up: (value: Json) => say('to-server', value),
    down: (value: Json) => say('to-client', value),
  };
}

const call = (id: Json, name = 'echo', more: Record<string, Json> = {}): Json => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { message: 'hi' }, ...more },
});
const answer = (id: Json, result: Json = { content: [] }): Json => ({ jsonrpc: '2.0', id, result });

describe('a conversation', () => {
  it('K2, K9b: records a call with its tool, arguments and the host’s id, and its answer', async () => {
    const { recorder, up, down } = talk();
    await up(call(1, 'echo', { _meta: { 'claudecode/toolUseId': 'toolu_1' } }));
    await down(answer(1, { content: [{ type: 'text', text: 'hi' }] }));
    expect(recorder.told).toMatchObject([
      {
        what: 'call',
        call: {
          tool: 'echo',
          args: { message: 'hi' },
          toolUseId: 'toolu_1',
          beside: { mcp: { server: 'srv', method: 'tools/call', request_id: '1' } },
        },
      },
      { what: 'result', of: 1, end: { result: 'ok', errorCode: null, durationMs: 1 } },
    ]);
  });

  it.each([
    ['resources/read', { uri: 'file:///a' }],
    ['prompts/get', { name: 'p', arguments: {} }],
    ['tasks/result', { taskId: 't' }],
  ])('K8a records %s as a call as well', async (method, params) => {
    const { recorder, up } = talk();
    await up({ jsonrpc: '2.0', id: 'x', method, params });
    expect(recorder.calls()).toMatchObject([{ tool: method, args: params }]);
  });

  it('K9b keeps ids of the two sides, and of two types, apart', async () => {
    const { recorder, up, down } = talk();
    await up(call(1, 'number'));
    await up(call('1', 'string'));
    await down({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: { messages: [] } });
    await up({ jsonrpc: '2.0', id: 1, result: { role: 'assistant' } });
    await down(answer('1', { of: 'string' }));
    await down(answer(1, { of: 'number' }));
    const results = recorder.told.filter(({ what }) => what === 'result');
    expect(results.map(({ of, end }) => [of, end?.output])).toEqual([
      [2, { of: 'string' }],
      [1, { of: 'number' }],
    ]);
    expect(recorder.observations().map(({ event, beside }) => [event, beside.mcp])).toMatchObject([
      ['sampling/createMessage', { direction: 'to-client', type: 'request' }],
      ['sampling/createMessage', { direction: 'to-server', type: 'response' }],
    ]);
  });

  it('K9b lets an id that is used again before it was answered wait behind the first', async () => {
    const { recorder, up, down } = talk();
    await up(call(1, 'a'));
    await up(call(1, 'b'));
    await down(answer(1));
    await down(answer(1));
    expect(recorder.told.map(({ what, of }) => [what, of])).toEqual([
      ['call', undefined],
      ['call', undefined],
      ['result', 1],
      ['result', 2],
    ]);
  });

  it.each<[string, Json, string, string]>([
    [
      'an error of the protocol',
      { jsonrpc: '2.0', id: 1, error: { code: -32602, message: 'no' } },
      'error',
      'JSONRPC_-32602',
    ],
    ['an error of the tool', answer(1, { isError: true, content: [] }), 'error', 'TOOL_ERROR'],
  ])('tells %s from a success', async (_, value, result, errorCode) => {
    const { recorder, up, down } = talk();
    await up(call(1));
    await down(value);
    expect(recorder.ends()).toMatchObject([{ result, errorCode }]);
  });

  it('K9b records each call of a batch, and forwards it when all are on record', async () => {
    const { recorder, up, down } = talk();
    await up([call(1, 'a'), { jsonrpc: '2.0', method: 'notifications/initialized' }, call('2', 'b')]);
    await down([answer('2'), answer(1)]);
    expect(recorder.calls().map(({ tool }) => tool)).toEqual(['a', 'b']);
    expect(recorder.ends()).toHaveLength(2);
  });

  it('K8a, K9b: refuses a batch whole where one call of it can not be recorded, and answers each request', async () => {
    const { recorder, up, conversation } = talk();
    let calls = 0;
    recorder.failing = (what) => what === 'call' && ++calls === 2;
    const ruling = await up([call(1, 'a'), call('b', 'b'), { jsonrpc: '2.0', id: 3, method: 'ping' }]);
    if (ruling === 'forward') throw new Error('it was forwarded');
    const replies = JSON.parse(Buffer.from(ruling.reply ?? '').toString()) as { id: Json; error: Json }[];
    expect(replies.map(({ id }) => id)).toEqual([1, 'b', 3]);
    await conversation.end('SERVER_EXITED');
    // The one that was on record did not run, and that is told.
    expect(recorder.ends()).toMatchObject([{ result: 'aborted', errorCode: 'AUDIT_APPEND_FAILED' }]);
  });

  it('K8b withholds the answers of a batch that can not be recorded, and only those', async () => {
    const { recorder, up, down } = talk();
    await up([call(1), call(2)]);
    recorder.failing = () => true;
    const ping: Json = { jsonrpc: '2.0', id: 'p', method: 'ping' };
    const ruling = await down([answer(1), ping]);
    if (ruling === 'forward') throw new Error('it was forwarded');
    const instead = JSON.parse(Buffer.from(ruling.instead ?? '').toString()) as Json[];
    expect(instead).toMatchObject([{ id: 1, error: { data: { code: 'AUDIT_APPEND_FAILED' } } }, ping]);
  });

  it('K8b also withholds an error of the tool: the audit error wins', async () => {
    const { recorder, up, down } = talk();
    await up(call(1));
    recorder.failing = (what) => what === 'result';
    const ruling = await down({ jsonrpc: '2.0', id: 1, error: { code: -1, message: 'tool failed' } });
    if (ruling === 'forward') throw new Error('it was forwarded');
    expect(Buffer.from(ruling.instead ?? '').toString()).toMatch(/AUDIT_APPEND_FAILED/);
    expect(Buffer.from(ruling.instead ?? '').toString()).not.toMatch(/tool failed/);
  });

  it('K9c notes a cancellation with the call it is about, and an answer that comes all the same', async () => {
    const { recorder, up, down } = talk();
    await up(call(1));
    await up({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, reason: 'user' } });
    await down(answer(1));
    expect(recorder.observations()).toMatchObject([
      { event: 'notifications/cancelled', cause: 1, content: { requestId: 1, reason: 'user' } },
    ]);
    expect(recorder.ends()).toMatchObject([{ result: 'ok', beside: { cancelled: true } }]);
  });

  it('K9c ends a cancelled call that is never answered as such, and others as what ended them', async () => {
    const { recorder, up, conversation } = talk();
    await up(call(1));
    await up(call(2));
    await up({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await conversation.end('SERVER_EXITED');
    expect(recorder.ends()).toMatchObject([
      { result: 'aborted', errorCode: 'CANCELLED' },
      { result: 'aborted', errorCode: 'SERVER_EXITED' },
    ]);
  });

  it('K9c counts progress and keeps none of it', async () => {
    const { recorder, up, down } = talk();
    await up(call(1, 'slow', { _meta: { progressToken: 'p' } }));
    for (let progress = 0; progress < 500; progress++)
      await down({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p', progress },
      });
    await down(answer(1));
    expect(recorder.told).toHaveLength(2);
    expect(recorder.ends()).toMatchObject([{ beside: { progress: 500 } }]);
  });

  it('puts on record what answers nothing, or answers twice, before it is delivered', async () => {
    const { recorder, up, down } = talk();
    await up(call(1));
    await down(answer(1));
    await down(answer(1, { second: true }));
    await down(answer(77));
    expect(recorder.observations().map(({ problem }) => problem)).toEqual(['answered-twice', 'unknown-id']);
    recorder.failing = () => true;
    expect(await down(answer(78))).toMatchObject({ instead: expect.anything() });
  });

  it('records a call that asks for no answer, before it is forwarded', async () => {
    const { recorder, up, conversation } = talk();
    await up({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'rm' } });
    await conversation.end('x');
    expect(recorder.calls()).toMatchObject([{ tool: 'rm' }]);
    expect(recorder.ends()).toMatchObject([{ errorCode: 'NOT_ANSWERABLE' }]);
  });

  it('lets no more than so many calls wait, and refuses the next', async () => {
    const { up } = talk();
    for (let id = 0; id < 10_000; id++) await up(call(id));
    const ruling = await up(call('more'));
    if (ruling === 'forward') throw new Error('it was forwarded');
    expect(Buffer.from(ruling.reply ?? '').toString()).toMatch(/AUDIT_BUFFER_FULL/);
  });

  it('O4 leaves a call its answer although an unclear message with its id was refused', async () => {
    const { recorder, conversation, up, down } = talk();
    await up(call(1));
    recorder.failing = (what) => what === 'observation';
    const { messages } = frameOfValue(call(1));
    const frame = { messages, batch: false, problem: 'ambiguous' as const };
    const text = () => '{"id":1,"id":1}';
    expect(await conversation.take('to-server', { frame, value: () => undefined, text })).toHaveProperty(
      'reply',
    );
    await down(answer(1));
    expect(recorder.ends()).toMatchObject([{ result: 'ok' }]);
  });

  it('records every line of junk before it is delivered, those that come at once together', async () => {
    const { recorder, conversation } = talk();
    const junk = { frame: { messages: [], batch: false, problem: 'not-json' as const } };
    const rulings = Array.from({ length: 100 }, (_, i) =>
      conversation.take('to-client', { ...junk, value: () => undefined, text: () => `line ${i}` }),
    );
    expect(await Promise.all(rulings)).toEqual(Array(100).fill('forward'));
    const lines = recorder.observations().flatMap(({ content }) => content);
    expect(lines).toEqual(Array.from({ length: 100 }, (_, i) => `line ${i}`));
    expect(recorder.observations().length).toBeLessThan(3);
  });

  it('K4 keeps path, hash and length of a file that a tool writes, not its content', async () => {
    const { recorder, up } = talk();
    const args = { path: '/w/a.ts', content: 'secret plan' };
    await up({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'write_file', arguments: args },
    });
    const edits = { path: 'a', edits: [{ oldText: 'a', newText: 'b' }] };
    await up({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'editFile', arguments: edits } });
    const read = { path: 'a', content: 'x' };
    await up({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'read_file', arguments: read } });
    expect(recorder.calls().map(({ file }) => file?.members)).toEqual([['content'], ['edits'], undefined]);
  });
});

describe('the list of tools', () => {
  const tool = (name: string, description = ''): Json => ({
    name,
    description,
    inputSchema: { type: 'object' },
  });

  async function listed(...lists: Json[][]) {
    const { recorder, up, down, conversation } = talk();
    for (const [id, tools] of lists.entries()) {
      await up({ jsonrpc: '2.0', id, method: 'tools/list' });
      await down(answer(id, { tools }));
    }
    await conversation.end('x');
    return recorder.observations();
  }

  it('is hashed whatever its order, and kept once', async () => {
    const [first, second] = await listed([tool('a'), tool('b')], [tool('b'), tool('a')]);
    expect(first).toMatchObject({ event: 'tools/list', problem: null, beside: { tools: 2 } });
    expect(second?.beside.tools_hash).toBe(first?.beside.tools_hash);
    expect(second?.content).toBeUndefined();
  });

  it('is a finding where it changes under way', async () => {
    const [first, second] = await listed([tool('a'), tool('b')], [tool('a', 'now does more'), tool('c')]);
    expect(second).toMatchObject({
      problem: 'tools-changed',
      beside: { changed: { added: ['c'], removed: ['b'], altered: ['a'], before: first?.beside.tools_hash } },
    });
  });

  it('is one list in several pages', async () => {
    const { recorder, up, down, conversation } = talk();
    await up({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    await down(answer(1, { tools: [tool('a')], nextCursor: 'n' }));
    await up({ jsonrpc: '2.0', id: 2, method: 'tools/list', params: { cursor: 'n' } });
    await down(answer(2, { tools: [tool('b')] }));
    await conversation.end('x');
    const [whole] = await listed([tool('a'), tool('b')]);
    expect(recorder.observations()).toMatchObject([
      { event: 'tools/list', content: { nextCursor: 'n' } },
      { event: 'tools/list', content: { cursor: 'n' } },
      { beside: { tools_hash: whole?.beside.tools_hash } },
    ]);
  });
});
