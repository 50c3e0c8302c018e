// Words that pass beside the body of a request or an answer, where a client or a server may look for them: query, headers,
// subprotocols, comments, members and events that nobody knows, what comes behind the end. All are on record; of what may
// be a credential nothing is but its length.
import { once } from 'node:events';
import { join } from 'node:path';
import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { AnswerWatch, findApi } from '../../src/capture/llm/index.ts';
import { openRecorder } from '../../src/entry/index.ts';
import { audited } from '../../src/entry/llm.ts';
import type { Entry } from '../../src/format/index.ts';
import { httpHere } from '../e2e/mcp-client.ts';
import { newProject } from '../e2e/recorded-project.ts';
import { ask, entriesIn, type Stage, sse, stage, upstream } from '../service/gateway/stage.ts';
import { temporary } from '../temporary.ts';
import { contentAt, messagesIn, observed } from './wire-contents.ts';

const SECRET = ['zq', 'credential', '4711'].join('-');
const EVENTS = { 'content-type': 'text/event-stream' };
const START = {
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-x', content: [], usage: {} },
};
const BLOCK = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
const delta = (text: string, more = {}) => ({
  type: 'content_block_delta',
  index: 0,
  delta: { type: 'text_delta', text, ...more },
});
const END = { type: 'message_stop' };
const named = (...events: { type: string }[]) => sse(...events.map((e): [string, unknown] => [e.type, e]));
const REQUEST = JSON.stringify({ model: 'claude-x', max_tokens: 9, stream: true, messages: [] });

async function besides(on: Stage): Promise<unknown[]> {
  const seen = await observed(on.directory, on.entries());
  return seen.filter(({ event }) => event === 'besides').flatMap(({ content }) => content as unknown[]);
}

describe('an answer through the gateway', () => {
  it.each<[string, string, string[]]>([
    ['in comments of the stream', `: first words\n\n${named(START, END)}`, [': first words']],
    ['in a field that nobody knows', `aside: hidden words\n${named(START, END)}`, ['aside: hidden words']],
    ['in the id of an event', `id: some hidden words\n${named(START, END)}`, ['id: some hidden words']],
    ['in a time to retry', `retry: later, friend\n${named(START, END)}`, ['retry: later, friend']],
    [
      'in the name of an event',
      `event: hidden words\ndata: {"type":"ping"}\n\n${named(START, END)}`,
      ['event: hidden words'],
    ],
    [
      'in an event that has a name alone',
      `event: hidden words\n\n${named(START, END)}`,
      ['event: hidden words'],
    ],
    [
      'in an event that nobody knows',
      named(START, { type: 'words', text: 'hidden words' } as never, END),
      ['hidden words'],
    ],
    [
      'in a member that nobody knows',
      named(START, BLOCK, delta('said', { aside: 'hidden words' }), END),
      ['hidden words'],
    ],
    [
      'in a name of a member',
      named(START, { type: 'ping', 'hidden words': 1 } as never, END),
      ['hidden words'],
    ],
    ['in a piece of a block that never began', named(START, delta('hidden words'), END), ['hidden words']],
    [
      'in an error',
      named(START, { type: 'error', error: { type: 'x', message: 'hidden words' } } as never),
      ['hidden words'],
    ],
  ])('that says words %s has them on record', async (_, stream, words) => {
    const on = await stage();
    on.upstream.answer = (__, response) => {
      response.writeHead(200, EVENTS);
      response.end(stream);
    };
    const reply = await ask(`${on.url}/anthropic/v1/messages`, REQUEST);
    expect(reply.body.toString()).toBe(stream);
    expect(await besides(on)).toEqual(words);
    const kinds = on.entries().map(({ kind }) => kind);
    expect(kinds.indexOf('observation')).toBeLessThan(kinds.indexOf('model.result'));
  });

  it('that goes on behind its end has what comes there on record', async () => {
    const on = await stage();
    const [first, rest] = [named(START, END), ': hidden words\n\ndata: {"text":"more"}\n\n'];
    on.upstream.answer = async (_, response) => {
      response.writeHead(200, EVENTS);
      response.write(first);
      while (on.entries('model.result').length === 0) await new Promise((resolve) => setImmediate(resolve));
      response.end(rest);
    };
    expect((await ask(`${on.url}/anthropic/v1/messages`, REQUEST)).body.toString()).toBe(first + rest);
    const seen = await observed(on.directory, on.entries());
    expect(seen.flatMap(({ content }) => content)).toEqual([': hidden words', '{"text":"more"}']);
  });

  it('that is no stream has members on record which nobody knows', async () => {
    const on = await stage();
    const message = {
      ...START.message,
      content: [{ type: 'text', text: 'hi' }],
      aside: { a: ['hidden words'] },
    };
    on.upstream.answer = (_, response) => response.end(JSON.stringify(message));
    await ask(`${on.url}/anthropic/v1/messages`, '{"messages":[]}');
    expect(await besides(on)).toEqual(['hidden words']);
  });

  it('that keeps its connection alive says that once, and one without such words says nothing besides', async () => {
    const on = await stage();
    const plain = named(
      START,
      BLOCK,
      delta('Hello'),
      delta(' world'),
      { type: 'content_block_stop', index: 0 } as never,
      END,
    );
    let ping = '';
    on.upstream.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.end(`${ping.repeat(50)}${plain}`);
    };
    await ask(`${on.url}/anthropic/v1/messages`, REQUEST);
    expect(await besides(on)).toEqual([]);
    ping = ': keep-alive\n\n';
    await ask(`${on.url}/anthropic/v1/messages`, REQUEST);
    expect(await besides(on)).toEqual([': keep-alive']);
  });
});

describe('usual answers say nothing besides', () => {
  const usual: readonly [string, string, string][] = [
    [
      '/v1/chat/completions',
      sse(
        [
          null,
          {
            id: 'c1',
            object: 'chat.completion.chunk',
            created: 1,
            model: 'gpt-x',
            service_tier: 'default',
            system_fingerprint: 'fp_1',
            choices: [
              {
                index: 0,
                delta: { role: 'assistant', content: '', refusal: null },
                logprobs: null,
                finish_reason: null,
              },
            ],
            obfuscation: 'aB3',
          },
        ],
        [
          null,
          {
            id: 'c1',
            object: 'chat.completion.chunk',
            model: 'gpt-x',
            choices: [
              {
                index: 0,
                delta: {
                  tool_calls: [
                    {
                      index: 0,
                      id: 't1',
                      type: 'function',
                      function: { name: 'add', arguments: '{"a":"on' },
                    },
                  ],
                },
              },
            ],
            obfuscation: 'q',
          },
        ],
        [
          null,
          {
            id: 'c1',
            object: 'chat.completion.chunk',
            model: 'gpt-x',
            choices: [
              {
                index: 0,
                delta: { tool_calls: [{ index: 0, function: { arguments: 'e two"}' } }] },
                finish_reason: 'tool_calls',
              },
            ],
          },
        ],
      ),
      '{}',
    ],
    [
      '/v1/responses',
      named(
        {
          type: 'response.created',
          response: {
            id: 'r',
            object: 'response',
            status: 'in_progress',
            instructions: 'Be short and kind.',
            output: [],
            tools: [{ type: 'function', name: 'add', description: 'Adds two numbers.' }],
          },
        } as never,
        {
          type: 'response.output_item.added',
          output_index: 0,
          item: { id: 'm', type: 'message', role: 'assistant', content: [] },
        } as never,
        {
          type: 'response.output_text.delta',
          output_index: 0,
          item_id: 'm',
          delta: 'Hi ',
          obfuscation: 'x1',
        } as never,
        {
          type: 'response.output_text.delta',
          output_index: 0,
          item_id: 'm',
          delta: 'there',
          obfuscation: 'x2',
        } as never,
        {
          type: 'response.output_item.done',
          output_index: 0,
          item: {
            id: 'm',
            type: 'message',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'Hi there' }],
          },
        } as never,
        {
          type: 'response.completed',
          response: {
            id: 'r',
            status: 'completed',
            model: 'gpt-x',
            output: [
              {
                id: 'm',
                type: 'message',
                role: 'assistant',
                content: [{ type: 'output_text', text: 'Hi there' }],
              },
            ],
          },
        } as never,
      ),
      JSON.stringify({
        instructions: 'Be short and kind.',
        tools: [{ type: 'function', name: 'add', description: 'Adds two numbers.' }],
      }),
    ],
    [
      '/v1/messages',
      named(
        START,
        {
          type: 'content_block_start',
          index: 0,
          content_block: { type: 'tool_use', id: 't', name: 'write', input: {} },
        } as never,
        {
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'input_json_delta', partial_json: '{"path": "a b.txt", "te' },
        } as never,
        {
          type: 'content_block_delta',
          index: 0,
          delta: { type: 'input_json_delta', partial_json: 'xt": "two \\"words\\""}' },
        } as never,
        { type: 'content_block_stop', index: 0 } as never,
        END,
      ),
      '{}',
    ],
  ];
  it.each(usual)('%s', (path, stream, sent) => {
    const watch = new AnswerWatch(findApi('POST', path), 'events', sent);
    watch.push(Buffer.from(stream));
    expect(watch.done(true)).toMatchObject({ besides: [], understood: 'whole' });
  });

  it('pieces that the whole does not repeat are told', () => {
    const watch = new AnswerWatch(findApi('POST', '/v1/responses'), 'events');
    const item = {
      id: 'm',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Yes.' }],
    };
    watch.push(
      Buffer.from(
        named(
          { type: 'response.output_text.delta', output_index: 0, delta: 'hidden words' } as never,
          { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item] } } as never,
        ),
      ),
    );
    expect(watch.done(true).besides).toEqual(['hidden words']);
  });
});

describe('a request through the gateway', () => {
  const parametersOf = async (on: Stage, name: string): Promise<unknown> => {
    const [call] = on.entries('model.call');
    const { content } =
      ((call?.payload.parameters ?? {}) as Record<string, { content: unknown }>)[name] ?? {};
    return contentAt(on.directory, call?.session_id ?? null, content);
  };

  it('that says words in its query and its headers has them on record, but for what may be a credential', async () => {
    const on = await stage();
    const headers = {
      'x-words': 'hello there',
      authorization: `Bearer ${SECRET}`,
      'x-api-key': SECRET,
      cookie: SECRET,
    };
    await ask(`${on.url}/anthropic/v1/messages?say=hidden+words&key=${SECRET}&a%20b`, REQUEST, { headers });
    expect(await parametersOf(on, '?query')).toEqual({
      '': 'a b',
      say: 'hidden words',
      '?withheld': [{ name: 'key', bytes: SECRET.length }],
    });
    expect(await parametersOf(on, '?headers')).toMatchObject({
      'x-words': 'hello there',
      '?withheld': [
        { name: 'authorization', bytes: SECRET.length + 7 },
        { name: 'x-api-key', bytes: SECRET.length },
        { name: 'cookie', bytes: SECRET.length },
      ],
    });
  });

  it('a client that sends the same headers again has them kept once', async () => {
    const on = await stage();
    const headers = { 'x-words': 'hello there', 'x-counterfoil-session': 'one' };
    for (let i = 0; i < 3; i++) await ask(`${on.url}/anthropic/v1/messages`, REQUEST, { headers });
    const calls = on
      .entries('model.call')
      .map(({ payload }) => payload.parameters as { '?headers': unknown });
    expect(calls).toHaveLength(3);
    expect(new Set(calls.map((each) => JSON.stringify(each['?headers']))).size).toBe(1);
  });

  it('that opens a WebSocket has its subprotocols and headers on record, and no key in them', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'realtime' });
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of server.clients) socket.terminate();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const on = await stage({
      upstream: { url: `http://127.0.0.1:${port}`, arrived: [], answer: () => undefined },
    });
    const protocols = ['realtime', 'hidden-words', `openai-insecure-api-key.${SECRET}`];
    const url = `${on.url.replace('http', 'ws')}/openai/v1/realtime`;
    const client = new WebSocket(url, protocols, { headers: { 'x-words': 'hello there' } });
    onTestFinished(() => client.terminate());
    await once(client, 'open');
    const [{ wire } = { wire: {} }] = await observed(on.directory, on.entries());
    expect(wire).toMatchObject({
      protocols: ['realtime', 'hidden-words', { name: 'openai-insecure-api-key.', bytes: SECRET.length }],
    });
    const [opened] = on.entries('observation');
    const { headers } = (opened?.payload.wire ?? {}) as { headers?: { content: unknown } };
    expect(await contentAt(on.directory, opened?.session_id ?? null, headers?.content)).toEqual({
      'x-words': 'hello there',
    });
  });

  it('whose upstream agrees on a subprotocol that nobody offered gets no WebSocket', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1', handleProtocols: () => 'hidden-words' });
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of server.clients) socket.terminate();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const on = await stage({
      upstream: { url: `http://127.0.0.1:${port}`, arrived: [], answer: () => undefined },
    });
    const client = new WebSocket(`${on.url.replace('http', 'ws')}/openai/v1/realtime`, ['realtime']);
    const [error] = (await once(client, 'error')) as [Error];
    expect(error.message).toContain('502');
  });
});

it('a client that records itself has a body on record that it sends in pieces', async () => {
  const directory = temporary();
  const recorder = await openRecorder({
    place: { directory, keyDirectory: join(directory, 'keys') },
    cwd: directory,
  });
  onTestFinished(() => recorder.close());
  const session = await recorder.session();
  const to = await upstream((_, response) => response.end('{}'));
  let patched: typeof fetch | undefined;
  const client = {
    withOptions: ({ fetch: given }: { fetch: typeof fetch }) => {
      patched = given;
      return client;
    },
  };
  audited(client as unknown as Anthropic, { session });
  const text = '{"model":"claude-x","messages":[{"role":"user","content":"in pieces"}]}';
  const pieces = new ReadableStream({
    start(controller) {
      for (const piece of [text.slice(0, 20), text.slice(20)])
        controller.enqueue(new TextEncoder().encode(piece));
      controller.close();
    },
  });
  const form = new FormData();
  form.set('purpose', 'all the words');
  for (const body of [pieces, new Blob([text.replace('pieces', 'a blob')]), form]) {
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit;
    await (await patched?.(`${to.url}/v1/messages`, init))?.text();
  }
  const calls = entriesIn(directory).filter(({ kind }) => kind === 'model.call');
  const kept = await Promise.all(
    calls.map(async (call) => JSON.stringify(await messagesIn(directory, call))),
  );
  expect(kept.map((each) => /in pieces|in a blob|all the words/.exec(each)?.[0])).toEqual([
    'in pieces',
    'in a blob',
    'all the words',
  ]);
  expect(to.arrived.map(({ body }) => body.toString().includes('"content":"in '))).toEqual([
    true,
    true,
    false,
  ]);
  expect(to.arrived[2]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
  const init = { method: 'POST', body: { odd: true } } as unknown as RequestInit;
  await expect(patched?.(`${to.url}/v1/messages`, init)).rejects.toMatchObject({
    code: 'AUDIT_APPEND_FAILED',
  });
  expect(to.arrived).toHaveLength(3);
});

it('an MCP server over HTTP: words in headers, a query, and in lines beside the data are on record', async () => {
  const project = await newProject();
  const result = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [] } });
  const to = await upstream((_, response) => {
    response.writeHead(200, EVENTS);
    response.end(
      `: hidden comment\nid: 1\nnote: hidden note\nevent: message\ndata: ${result}\n\n: last words`,
    );
  });
  const { url, stop } = await httpHere(project, `${to.url}/mcp`);
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 't', arguments: {} },
  });
  const headers = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'x-words': 'hello there',
    authorization: `Bearer ${SECRET}`,
  };
  const reply = await ask(`${url}?say=hidden+words&token=${SECRET}`, body, { method: 'POST', headers });
  expect(reply.body.toString()).toContain(': hidden comment');
  expect(reply.body.toString()).toContain(': last words');
  await ask(url, body.replace('"id":1', '"id":2'), { method: 'POST', headers });
  await stop();
  const seen = await observed(project.directory, project.entries() as Entry[]);
  const told = seen.filter(({ event }) => ['http', 'http.headers', 'besides'].includes(String(event)));
  expect(told.map(({ event, content }) => [event, content])).toEqual([
    [
      'http.headers',
      expect.objectContaining({
        'x-words': 'hello there',
        '?withheld': [{ name: 'authorization', bytes: 25 }],
      }),
    ],
    [
      'http',
      {
        method: 'POST',
        path: '/mcp',
        query: { say: 'hidden words', '?withheld': [{ name: 'token', bytes: 18 }] },
      },
    ],
    ['besides', [': hidden comment', 'note: hidden note']],
    ['besides', [': last words']],
    ['besides', [': hidden comment', 'note: hidden note']],
    ['besides', [': last words']],
  ]);
  await project.expectIntact();
});
