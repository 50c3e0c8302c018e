// The clients that people use, over the gateway and straight to the upstream: they must not be able to tell which.
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { type Stage, sse, stage } from './stage.ts';

/** Keeps the bytes that each client got. */
function tapped(): { fetch: typeof fetch; readonly bodies: Promise<string>[] } {
  const bodies: Promise<string>[] = [];
  return {
    bodies,
    fetch: async (...args) => {
      const response = await fetch(...args);
      bodies.push(response.clone().text());
      return response;
    },
  };
}

const EVENTS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'request-id': 'req_1',
  'x-request-id': 'req_1',
};
const JSON_TYPE = { 'content-type': 'application/json', 'request-id': 'req_1', 'x-request-id': 'req_1' };

const BLOCKS = [
  { type: 'text', text: 'Let me add.' },
  { type: 'tool_use', id: 'toolu_9', name: 'add', input: { a: 1, b: [2, 'é'] } },
];
const MESSAGE = {
  id: 'msg_9',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: BLOCKS,
  stop_reason: 'tool_use',
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 7 },
};
const ANTHROPIC_STREAM = sse(
  ['message_start', { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } }],
  [
    'content_block_start',
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Let me ' } },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'add.' } },
  ],
  ['content_block_stop', { type: 'content_block_stop', index: 0 }],
  [
    'content_block_start',
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_9', name: 'add', input: {} },
    },
  ],
  [
    'content_block_delta',
    {
      type: 'content_block_delta',
      index: 1,
      delta: { type: 'input_json_delta', partial_json: '{"a":1,"b"' },
    },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: ':[2,"é"]}' } },
  ],
  ['content_block_stop', { type: 'content_block_stop', index: 1 }],
  [
    'message_delta',
    {
      type: 'message_delta',
      delta: { stop_reason: 'tool_use', stop_sequence: null },
      usage: { output_tokens: 7 },
    },
  ],
  ['message_stop', { type: 'message_stop' }],
);

const TOOL_CALL = { id: 'call_9', type: 'function', function: { name: 'add', arguments: '{"a":1}' } };
const chunk = (delta: unknown, finish: string | null = null, more = {}) => ({
  id: 'chatcmpl_9',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'gpt-x',
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const COMPLETION = {
  id: 'chatcmpl_9',
  object: 'chat.completion',
  created: 1,
  model: 'gpt-x',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, tool_calls: [TOOL_CALL] },
      finish_reason: 'tool_calls',
    },
  ],
  usage: { prompt_tokens: 4, completion_tokens: 2, total_tokens: 6 },
};
const CHAT_STREAM = sse(
  [null, chunk({ role: 'assistant', content: null })],
  [null, chunk({ tool_calls: [{ index: 0, ...TOOL_CALL, function: { name: 'add', arguments: '' } }] })],
  [null, chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a"' } }] })],
  [null, chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] })],
  [null, chunk({}, 'tool_calls')],
  [null, { ...chunk({}), choices: [], usage: COMPLETION.usage }],
  [null, '[DONE]'],
);

const CALL_ITEM = {
  type: 'function_call',
  id: 'fc_9',
  call_id: 'call_9',
  name: 'add',
  arguments: '{"a":1}',
  status: 'completed',
};
const RESPONSE = {
  id: 'resp_9',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-x',
  output: [CALL_ITEM],
  usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
};
const RESPONSES_STREAM = sse(
  [
    'response.created',
    {
      type: 'response.created',
      sequence_number: 0,
      response: { ...RESPONSE, output: [], status: 'in_progress' },
    },
  ],
  [
    'response.output_item.added',
    {
      type: 'response.output_item.added',
      sequence_number: 1,
      output_index: 0,
      item: { ...CALL_ITEM, arguments: '' },
    },
  ],
  [
    'response.function_call_arguments.delta',
    {
      type: 'response.function_call_arguments.delta',
      sequence_number: 2,
      output_index: 0,
      item_id: 'fc_9',
      delta: '{"a":1}',
    },
  ],
  [
    'response.function_call_arguments.done',
    {
      type: 'response.function_call_arguments.done',
      sequence_number: 3,
      output_index: 0,
      item_id: 'fc_9',
      name: 'add',
      arguments: '{"a":1}',
    },
  ],
  [
    'response.output_item.done',
    { type: 'response.output_item.done', sequence_number: 4, output_index: 0, item: CALL_ITEM },
  ],
  ['response.completed', { type: 'response.completed', sequence_number: 5, response: RESPONSE }],
);

/** Both ways, and what each client made of it and got. */
async function compare<T>(
  on: Stage,
  prefix: string,
  run: (baseURL: string, tap: typeof fetch) => Promise<T>,
): Promise<{ readonly over: T; readonly body: string }> {
  const [direct, over] = [tapped(), tapped()];
  const expected = await run(`${on.upstream.url}${prefix.replace(/^\/[a-z]+/, '')}`, direct.fetch);
  const got = await run(`${on.url}${prefix}`, over.fetch);
  const [straight, through] = [await Promise.all(direct.bodies), await Promise.all(over.bodies)];
  expect(through).toEqual(straight);
  expect(got).toEqual(expected);
  const [first, second] = on.upstream.arrived;
  expect([second?.url, second?.body.toString()]).toEqual([first?.url, first?.body.toString()]);
  const besides = (headers: typeof first extends undefined ? never : Record<string, unknown>) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'host'));
  expect(besides(second?.headers ?? {})).toEqual(besides(first?.headers ?? {}));
  return { over: got, body: through.join('') };
}

const TOOLS = [
  { name: 'add', description: 'adds', input_schema: { type: 'object' as const, properties: {} } },
];
const ASKED = [{ role: 'user' as const, content: 'Add 1 and 2.' }];

describe('G15f @anthropic-ai/sdk', () => {
  const client = (baseURL: string, tap: typeof fetch) =>
    new Anthropic({ baseURL, apiKey: 'none', fetch: tap, maxRetries: 0 });
  const body = { model: 'claude-x', max_tokens: 100, messages: ASKED, tools: TOOLS };

  it('gets the same answer', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify(MESSAGE));
    const { over } = await compare(on, '/anthropic', async (url, tap) => {
      const { content, usage, _request_id } = await client(url, tap).messages.create(body);
      return { content, usage, _request_id };
    });
    expect(over.content).toEqual(BLOCKS);
    expect(on.entries('model.tool_use')[0]?.payload).toMatchObject({ tool_use_id: 'toolu_9', tool: 'add' });
    expect(on.entries('model.result')[0]?.payload).toMatchObject({ result: 'ok', stop_reason: 'tool_use' });
  });

  it('gets the same stream', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.writeHead(200, EVENTS).end(ANTHROPIC_STREAM);
    const { over, body: bytes } = await compare(on, '/anthropic', async (url, tap) => {
      const stream = client(url, tap).messages.stream(body);
      const events: unknown[] = [];
      for await (const event of stream) events.push(event);
      return { events: events.length, content: (await stream.finalMessage()).content };
    });
    expect(over).toEqual({ events: 11, content: BLOCKS });
    expect(bytes).toBe(ANTHROPIC_STREAM);
    const [use] = on.entries('model.tool_use');
    expect(use?.payload).toMatchObject({ tool_use_id: 'toolu_9', tool: 'add', whole: true });
  });

  it('the same call streamed or not has the same hash of its input', async () => {
    const on = await stage();
    const named = { headers: { 'x-counterfoil-session': 'one' } };
    on.upstream.answer = (_, response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify(MESSAGE));
    await client(`${on.url}/anthropic`, fetch).messages.create(body, named);
    on.upstream.answer = (_, response) => response.writeHead(200, EVENTS).end(ANTHROPIC_STREAM);
    await client(`${on.url}/anthropic`, fetch).messages.stream(body, named).finalMessage();
    const [one, two] = on.entries('model.tool_use');
    expect(one?.payload).toEqual(two?.payload);
    expect(on.entries('model.result').map(({ payload }) => payload.response_hash)).toEqual(
      Array(2).fill(on.entries('model.result')[0]?.payload.response_hash),
    );
  });

  it('throws where the stream could not be recorded', async () => {
    const { RecordError } = await import('../../../src/record/index.ts');
    const on = await stage({
      spoil: (gateway) => ({
        ...gateway,
        begin: async (...args) => ({
          ...(await gateway.begin(...args)),
          finish: () => Promise.reject(new RecordError('AUDIT_APPEND_FAILED', 'no room')),
        }),
      }),
    });
    on.upstream.answer = (_, response) => response.writeHead(200, EVENTS).end(ANTHROPIC_STREAM);
    const stream = client(`${on.url}/anthropic`, fetch).messages.stream(body);
    await expect(stream.finalMessage()).rejects.toThrow(/AUDIT_APPEND_FAILED|could not record/);
  });
});

describe('G15f openai', () => {
  const client = (baseURL: string, tap: typeof fetch) =>
    new OpenAI({ baseURL, apiKey: 'none', fetch: tap, maxRetries: 0 });
  const tools = [{ type: 'function' as const, function: { name: 'add', parameters: {} } }];
  const body = { model: 'gpt-x', messages: ASKED, tools };

  it('gets the same completion', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify(COMPLETION));
    const { over } = await compare(on, '/openai/v1', async (url, tap) => {
      const { choices } = await client(url, tap).chat.completions.create(body);
      return choices[0]?.message;
    });
    expect(over?.tool_calls).toEqual([TOOL_CALL]);
    expect(on.entries('model.tool_use')[0]?.payload).toMatchObject({ tool_use_id: 'call_9', tool: 'add' });
  });

  it('gets the same stream of chunks', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.writeHead(200, EVENTS).end(CHAT_STREAM);
    const { body: bytes } = await compare(on, '/openai/v1', async (url, tap) => {
      const stream = await client(url, tap).chat.completions.create({ ...body, stream: true });
      const chunks: unknown[] = [];
      for await (const each of stream) chunks.push(each);
      return chunks;
    });
    expect(bytes).toBe(CHAT_STREAM);
    expect(on.entries('model.tool_use')[0]?.payload).toMatchObject({ tool_use_id: 'call_9', whole: true });
    expect(on.entries('model.result')[0]?.payload).toMatchObject({
      result: 'ok',
      stop_reason: 'tool_calls',
      tokens: { input: 4, output: 2 },
    });
  });

  it('gets the same response, and the same stream of events', async () => {
    const on = await stage();
    on.upstream.answer = ({ body: sent }, response) =>
      JSON.parse(sent.toString()).stream === true
        ? response.writeHead(200, EVENTS).end(RESPONSES_STREAM)
        : response.writeHead(200, JSON_TYPE).end(JSON.stringify(RESPONSE));
    const asked = { model: 'gpt-x', instructions: 'Be brief.', input: 'Add.' };
    await compare(
      on,
      '/openai/v1',
      async (url, tap) => (await client(url, tap).responses.create(asked)).output,
    );
    on.upstream.arrived.length = 0;
    const { body: bytes } = await compare(on, '/openai/v1', async (url, tap) => {
      const stream = await client(url, tap).responses.create({ ...asked, stream: true });
      const types: string[] = [];
      for await (const { type } of stream) types.push(type);
      return types;
    });
    expect(bytes).toBe(RESPONSES_STREAM);
    expect(on.entries('model.tool_use').map(({ payload }) => payload.tool_use_id)).toEqual([
      'call_9',
      'call_9',
    ]);
    expect(on.entries('model.result').map(({ payload }) => [payload.result, payload.stop_reason])).toEqual([
      ['ok', 'completed'],
      ['ok', 'completed'],
    ]);
    expect(on.entries('model.call')[0]?.payload).toMatchObject({
      api: 'openai.responses',
      messages: { count: 2 },
    });
  });
});
