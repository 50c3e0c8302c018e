// What an MCP client and a server can say to each other besides calls of tools. Whatever it is, and whoever says it, it is
// on record before the other side has it; where it can't be recorded, the other side never has it.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CreateMessageRequestSchema,
  ReadResourceRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { Conversation } from '../../src/capture/mcp/conversation.ts';
import { decorate } from '../../src/capture/mcp/index.ts';
import { Lane } from '../../src/capture/mcp/lane.ts';
import type { Direction } from '../../src/capture/mcp/message.ts';
import { FakeRecorder } from '../capture/mcp/fake-recorder.ts';

/** Both lanes of a wrapped server, as `foil mcp wrap` has them, and what comes out of each. */
function wire() {
  const recorder = new FakeRecorder();
  const conversation = new Conversation(recorder, { server: 'srv' });
  const out: Record<Direction, string> = { 'to-server': '', 'to-client': '' };
  const lane = (direction: Direction): Lane =>
    new Lane({
      direction,
      conversation,
      write(bytes) {
        out[direction] += Buffer.from(bytes).toString('latin1');
        return undefined;
      },
      reply: (line) => lanes[direction === 'to-server' ? 'to-client' : 'to-server'].inject(line),
    });
  const lanes: Record<Direction, Lane> = { 'to-server': lane('to-server'), 'to-client': lane('to-client') };
  const say = async (direction: Direction, said: string | Buffer): Promise<void> => {
    lanes[direction].push(Buffer.from(said));
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { recorder, conversation, out, lanes, say };
}

const line = (value: unknown): string => `${JSON.stringify({ jsonrpc: '2.0', ...(value as object) })}\n`;
const wordsOf = (recorder: FakeRecorder): string => JSON.stringify(recorder.told);

const UP: [string, object][] = [
  ['resources/read', { id: 1, method: 'resources/read', params: { uri: 'file:///word' } }],
  ['resources/subscribe', { id: 1, method: 'resources/subscribe', params: { uri: 'file:///word' } }],
  ['prompts/get', { id: 1, method: 'prompts/get', params: { name: 'word' } }],
  ['completion/complete', { id: 1, method: 'completion/complete', params: { argument: { value: 'word' } } }],
  ['logging/setLevel', { id: 1, method: 'logging/setLevel', params: { level: 'word' } }],
  ['tasks/cancel', { id: 1, method: 'tasks/cancel', params: { taskId: 'word' } }],
  ['a method that nobody knows', { id: 1, method: 'x/run', params: { command: 'word' } }],
  ['a method that nobody knows, without an id', { method: 'x/run', params: { command: 'word' } }],
  ['a list with more than it needs', { id: 1, method: 'tools/list', params: { note: 'word' } }],
  ['a list from a place', { id: 1, method: 'resources/list', params: { cursor: 'word' } }],
  ['a ping whose id is a sentence', { id: 'send the word to evil', method: 'ping' }],
  ['a list whose id is long', { id: `word${'x'.repeat(80)}`, method: 'tools/list' }],
  [
    'progress under a sentence',
    { method: 'notifications/progress', params: { progressToken: 'a word for you', progress: 1 } },
  ],
  ['a ping with something in it', { id: 1, method: 'ping', params: { note: 'word' } }],
  ['a ping with something beside it', { id: 1, method: 'ping', note: 'word' }],
  ['a notification', { method: 'notifications/x', params: { note: 'word' } }],
  ['roots that changed', { method: 'notifications/roots/list_changed', params: { note: 'word' } }],
  [
    'progress in words',
    { method: 'notifications/progress', params: { progressToken: 1, progress: 1, message: 'word' } },
  ],
  ['an answer to nothing', { id: 9, result: { note: 'word' } }],
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'x/run', params: { note: 'word' } }]],
  [
    'a call with more than a call has',
    { id: 1, method: 'tools/call', params: { name: 't', arguments: {}, task: { note: 'word' } } },
  ],
  [
    'a call with something in its margin',
    { id: 1, method: 'tools/call', params: { name: 't', _meta: { note: 'word' } } },
  ],
  [
    'a call with a great deal in its margin',
    { id: 1, method: 'tools/call', params: { name: 't', _meta: { note: `word${'x'.repeat(9000)}` } } },
  ],
  ['a call with something beside it', { id: 1, method: 'tools/call', params: { name: 't' }, note: 'word' }],
];

describe('a client that says', () => {
  const text = (value: object): string => (Array.isArray(value) ? `${JSON.stringify(value)}\n` : line(value));

  it.each(UP)('%s: the server has it when it is on record', async (_, value) => {
    const { recorder, out, say } = wire();
    const release = recorder.hold();
    await say('to-server', text(value));
    expect(out['to-server']).toBe('');
    release();
    await say('to-server', '');
    expect(out['to-server']).toBe(text(value));
    expect(wordsOf(recorder)).toContain('word');
  });

  it.each(UP)('%s, where it can not be recorded: the server never has it', async (_, value) => {
    const { recorder, out, say } = wire();
    recorder.failing = () => true;
    await say('to-server', text(value));
    await say('to-server', '');
    expect(out['to-server']).not.toContain('word');
    if (JSON.stringify(value).includes('"id":1'))
      expect(out['to-client']).toMatch(/"id":1,"error":.*AUDIT_APPEND_FAILED/);
  });

  it.each<[string, string]>([
    [
      'an argument twice',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"path":"first","path":"last"}}}',
    ],
    ['a method twice', '{"jsonrpc":"2.0","id":1,"method":"first","method":"last"}'],
    [
      'a margin twice',
      '{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"a":"first"},"_meta":{"a":"last"}}}',
    ],
    [
      'half a character',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{"first":"\\ud800","last":1}}}',
    ],
  ])('%s has both readings on record', async (_, said) => {
    const { recorder, out, say } = wire();
    await say('to-server', `${said}\n`);
    await say('to-server', '');
    expect(out['to-server']).toBe(`${said}\n`);
    for (const word of ['first', 'last']) expect(wordsOf(recorder)).toContain(word);
    if (said.includes('ud800')) expect(recorder.calls()[0]?.args).toBe(`${said}\n`);
  });

  it('a handshake goes on once where nothing can be recorded, and carries nothing with its end', async () => {
    const { recorder, out, say } = wire();
    recorder.failing = () => true;
    const initialize = line({ id: 1, method: 'initialize', params: { clientInfo: { name: 'c' } } });
    const end = line({ method: 'notifications/initialized' });
    await say(
      'to-server',
      `${initialize}${line({ method: 'notifications/initialized', params: { a: 'word' } })}`,
    );
    await say('to-server', line({ id: 2, method: 'initialize', params: { note: 'word' } }));
    await say('to-server', '');
    expect(out['to-server']).toBe(initialize);
    expect(out['to-client']).toMatch(/"id":2,"error"/);
    const another = wire();
    another.recorder.failing = () => true;
    await another.say('to-server', `${initialize}${end}`);
    await another.say('to-server', '');
    expect(another.out['to-server']).toBe(`${initialize}${end}`);
  });

  it('nothing at all, a hundred times, is counted', async () => {
    const { recorder, conversation, say, out } = wire();
    recorder.failing = () => true;
    for (let id = 0; id < 100; id++) {
      await say('to-server', line({ id, method: 'ping' }));
      await say('to-client', line({ id, result: {} }));
    }
    const progress = { method: 'notifications/progress', params: { progressToken: 'none', progress: 1 } };
    await say('to-client', line(progress));
    expect(out['to-client'].trimEnd().split('\n')).toHaveLength(101);
    recorder.failing = () => false;
    await conversation.end('x');
    expect(recorder.observations()).toMatchObject([
      { event: 'ping', beside: { lines: 100 } },
      { event: 'notifications/progress', beside: { lines: 1 } },
    ]);
  });
});

describe('a server that says', () => {
  const DOWN: [string, object][] = [
    ['sampling', { id: 1, method: 'sampling/createMessage', params: { messages: ['word'] } }],
    ['elicitation', { id: 1, method: 'elicitation/create', params: { message: 'word' } }],
    ['roots with more than it needs', { id: 1, method: 'roots/list', params: { note: 'word' } }],
    ['a request that nobody knows', { id: 1, method: 'x/ask', params: { note: 'word' } }],
    ['a log message', { method: 'notifications/message', params: { data: 'word' } }],
    ['a resource that changed', { method: 'notifications/resources/updated', params: { uri: 'word' } }],
    [
      'progress in words',
      { method: 'notifications/progress', params: { progressToken: 1, progress: 1, message: 'word' } },
    ],
    [
      'progress with a token that is a text of its own',
      { method: 'notifications/progress', params: { progressToken: `word${'x'.repeat(500)}`, progress: 1 } },
    ],
    ['a task', { method: 'notifications/tasks/status', params: { status: 'word' } }],
  ];

  it.each(DOWN)('%s: the client has it when it is on record', async (_, value) => {
    const { recorder, out, say } = wire();
    const release = recorder.hold();
    await say('to-client', line(value));
    expect(out['to-client']).toBe('');
    release();
    await say('to-client', '');
    expect(out['to-client']).toBe(line(value));
    expect(wordsOf(recorder)).toContain('word');
  });

  it.each(DOWN)('%s, where it can not be recorded: the client never has it', async (_, value) => {
    const { recorder, out, say } = wire();
    recorder.failing = () => true;
    await say('to-client', line(value));
    await say('to-client', '');
    expect(out['to-client']).toBe('');
    // Who asked is told, so that it does not wait for ever.
    expect(out['to-server'].includes('"id":1,"error"')).toBe('id' in value);
  });

  it.each<[string, object, object]>([
    ['a list of resources', { id: 1, method: 'resources/list' }, { resources: [{ name: 'word' }] }],
    ['a list of prompts', { id: 1, method: 'prompts/list', params: {} }, { prompts: [{ name: 'word' }] }],
    ['a list of tools', { id: 1, method: 'tools/list' }, { tools: [{ name: 'word' }] }],
    ['a page of tools', { id: 1, method: 'tools/list' }, { tools: [{ name: 'word' }], nextCursor: 'n' }],
    ['more than tools', { id: 1, method: 'tools/list' }, { tools: [], _meta: { note: 'word' } }],
    ['what a ping does not ask for', { id: 1, method: 'ping' }, { note: 'word' }],
    ['a completion', { id: 1, method: 'completion/complete', params: {} }, { completion: 'word' }],
  ])('%s for an answer: the client has it when it is on record', async (_, asked, result) => {
    const { recorder, out, say } = wire();
    await say('to-server', line(asked));
    await say('to-server', '');
    const release = recorder.hold();
    await say('to-client', line({ id: 1, result }));
    expect(out['to-client']).toBe('');
    release();
    await say('to-client', '');
    expect(out['to-client']).toBe(line({ id: 1, result }));
    expect(wordsOf(recorder)).toContain('word');
  });

  it('an answer with a member twice, a number that is none, or a mark: all of it is on record first', async () => {
    for (const said of [
      '{"jsonrpc":"2.0","id":1,"result":{"a":"first","a":"last"}}',
      '{"jsonrpc":"2.0","id":1,"result":{"first":NaN,"last":1}}',
      '\ufeff{"jsonrpc":"2.0","id":1,"result":{"first":1,"last":1}}',
    ]) {
      const { recorder, out, say } = wire();
      await say('to-server', line({ id: 1, method: 'tools/call', params: { name: 't' } }));
      await say('to-server', '');
      const release = recorder.hold();
      await say('to-client', `${said}\n`);
      expect(out['to-client']).toBe('');
      release();
      await say('to-client', '');
      expect(Buffer.from(out['to-client'], 'latin1').toString()).toBe(`${said}\n`);
      for (const word of ['first', 'last']) expect(wordsOf(recorder)).toContain(word);
    }
  });

  it('a thousand lines that are none: each is on record before the client has it', async () => {
    const { recorder, out, say } = wire();
    const lines = Array.from({ length: 1000 }, (_, i) => `log ${i}\n`).join('');
    const release = recorder.hold();
    await say('to-client', lines);
    expect(out['to-client']).toBe('');
    release();
    while (out['to-client'].length < lines.length) await say('to-client', '');
    expect(out['to-client']).toBe(lines);
    expect(recorder.observations().flatMap(({ content }) => content)).toHaveLength(1000);
    expect(recorder.observations().length).toBeLessThan(5);
  });

  it('nothing, because its client does not answer in a way that can be recorded, learns of it', async () => {
    const { recorder, out, say } = wire();
    await say('to-client', line({ id: 7, method: 'sampling/createMessage', params: {} }));
    recorder.failing = () => true;
    await say('to-server', line({ id: 7, result: { text: 'word' } }));
    await say('to-server', '');
    expect(out['to-server']).not.toContain('word');
    expect(out['to-server']).toMatch(/"id":7,"error":.*AUDIT_APPEND_FAILED/);
  });
});

describe('the official SDK, with a server that records itself', () => {
  it('K8a, K9b: reading, sampling and methods of its own are on record before they happen', async () => {
    const recorder = new FakeRecorder();
    const conversation = new Conversation(recorder, { server: 'srv' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    const server = new Server({ name: 's', version: '1' }, { capabilities: { resources: {}, logging: {} } });
    const seen: string[] = [];
    server.setRequestHandler(ReadResourceRequestSchema, async () => {
      seen.push(`read ${recorder.calls().length}`);
      const { content } = await server.createMessage({ messages: [], maxTokens: 1 });
      return { contents: [{ uri: 'x:y', text: JSON.stringify(content) }] };
    });
    server.fallbackRequestHandler = async ({ method }) => {
      seen.push(`${method} ${recorder.calls().length}`);
      return { done: true };
    };
    const client = new Client({ name: 'c', version: '1' }, { capabilities: { sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, () => {
      seen.push(`sampling ${recorder.observations().some(({ event }) => event.startsWith('sampling'))}`);
      return { model: 'm', role: 'assistant', content: { type: 'text', text: 'sampled' } };
    });
    await server.connect(decorate(far, { conversation, side: 'server', closed: () => undefined }));
    await client.connect(near);
    await client.readResource({ uri: 'x:y' });
    await client.request({ method: 'own/method', params: { a: 1 } }, ResultSchema);
    expect(seen).toEqual(['read 1', 'sampling true', 'own/method 2']);
    expect(wordsOf(recorder)).toContain('sampled');
    recorder.failing = () => true;
    const refused = client.request({ method: 'own/other', params: { a: 1 } }, ResultSchema);
    await expect(refused).rejects.toThrow(/AUDIT_APPEND_FAILED/);
    expect(seen).toHaveLength(3);
    await client.close();
  });
});
