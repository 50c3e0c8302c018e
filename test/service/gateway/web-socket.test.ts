// A WebSocket through the gateway, with a real client and a real server at its ends: what they say to each other is the
// same, and each answer is on record before the client has its end.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { RecordError } from '../../../src/record/index.ts';
import { addKey, authDirectory, presentKey, revokeKey } from '../../../src/session/index.ts';
import { expectIntact } from '../../file-ledger.ts';
import { type Stage, type StageOptions, stage } from './stage.ts';

interface Ends {
  readonly on: Stage;
  readonly client: WebSocket;
  /** What came to the server. */
  readonly arrived: string[];
  readonly headers: Record<string, unknown>[];
}

async function ends(
  answer: (text: string, socket: WebSocket) => void,
  options: StageOptions = {},
): Promise<Ends> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true });
  await once(server, 'listening');
  const arrived: string[] = [];
  const headers: Record<string, unknown>[] = [];
  server.on('connection', (socket, request) => {
    headers.push({ ...request.headers });
    socket.on('message', (data) => {
      arrived.push(data.toString());
      answer(data.toString(), socket);
    });
  });
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const on = await stage({ ...options, upstream: { url, arrived: [], answer: () => undefined } });
  const client = new WebSocket(`${on.url.replace('http', 'ws')}/openai/v1/responses`, {
    headers: { authorization: 'Bearer none' },
  });
  onTestFinished(() => client.terminate());
  await once(client, 'open');
  return { on, client, arrived, headers };
}

const ITEM = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '{"a":1}' };
const EVENTS = [
  { type: 'response.created', response: { id: 'resp_1', model: 'gpt-x', output: [] } },
  { type: 'response.output_item.added', output_index: 0, item: { ...ITEM, arguments: '' } },
  { type: 'response.output_item.done', output_index: 0, item: ITEM },
  {
    type: 'response.completed',
    response: {
      id: 'resp_1',
      model: 'gpt-x',
      status: 'completed',
      output: [ITEM],
      usage: { input_tokens: 3, output_tokens: 2 },
    },
  },
];
const CREATE = JSON.stringify({ type: 'response.create', model: 'gpt-x', input: 'Add.', tools: [] });

function collect(
  client: WebSocket,
  count: number,
  each: (text: string) => void = () => undefined,
): Promise<string[]> {
  const got: string[] = [];
  return new Promise((resolve) => {
    client.on('message', (data) => {
      got.push(data.toString());
      each(data.toString());
      if (got.length === count) resolve(got);
    });
  });
}

describe('a WebSocket', () => {
  it('G15g passes both ways, and calls, tools and results are on record before they count', async () => {
    let before: string[] = [];
    const { on, client, arrived, headers } = await ends((_, socket) => {
      before = on.entries().map(({ kind }) => kind);
      for (const event of EVENTS) socket.send(JSON.stringify(event));
    });
    const missing: string[] = [];
    const got = collect(client, 4, (text) => {
      const kinds = on.entries().map(({ kind }) => kind);
      if (text.includes('output_item.done') && !kinds.includes('model.tool_use')) missing.push('tool');
      if (text.includes('response.completed') && !kinds.includes('model.result')) missing.push('result');
    });
    client.send(CREATE);
    expect(await got).toEqual(EVENTS.map((event) => JSON.stringify(event)));
    expect([arrived, before.at(-1), missing]).toEqual([[CREATE], 'model.call', []]);
    expect(headers[0]).toMatchObject({ authorization: 'Bearer none', upgrade: 'websocket' });
    expect(on.entries('model.call')[0]?.payload).toMatchObject({
      api: 'openai.responses',
      model: 'gpt-x',
      stream: true,
    });
    expect(on.entries('model.tool_use')[0]?.payload).toMatchObject({ tool_use_id: 'call_1', tool: 'add' });
    expect(on.entries('model.result')[0]?.payload).toMatchObject({
      result: 'ok',
      tokens: { input: 3, output: 2 },
    });
    client.close();
    await once(client, 'close');
    await on.stop();
    await expectIntact(on.directory);
    expect(on.entries().at(-1)?.kind).toBe('session.end');
  });

  it('large messages, binary ones, pings and several calls in a row', async () => {
    const large = 'x'.repeat(3_000_000);
    const { on, client, arrived } = await ends((text, socket) => {
      if (text.length > 1_000_000) socket.send(text);
      else for (const event of EVENTS) socket.send(JSON.stringify(event));
    });
    const got = collect(client, 9);
    client.send(large);
    client.ping();
    client.send(CREATE);
    client.send(CREATE);
    expect((await got).map(({ length }) => length)[0]).toBe(large.length);
    expect(arrived.length).toBe(3);
    expect(on.entries('model.result').map(({ payload }) => payload.result)).toEqual(['ok', 'ok']);
  });

  it.each([
    ['the upstream', (ends: Ends) => void ends, 'incomplete', 'UPSTREAM_CLOSED'],
    ['the client', (ends: Ends) => ends.client.terminate(), 'aborted', 'CLIENT_CLOSED'],
  ])('that %s closes in the middle of an answer', async (who, leave, result, code) => {
    const both: Ends = await ends((_, socket) => {
      socket.send(JSON.stringify(EVENTS[0]));
      if (who === 'the upstream') socket.terminate();
    });
    const { client, on } = both;
    const closed = once(client, 'close');
    client.on('error', () => undefined);
    client.once('message', () => leave(both));
    client.send(CREATE);
    await closed;
    await on.stop();
    expect(on.entries('model.result')[0]?.payload).toMatchObject({ result, error_code: code });
  });

  it('G15d where nothing can be recorded nothing goes upstream, and the client is told', async () => {
    const fail = () => Promise.reject(new RecordError('AUDIT_APPEND_FAILED', 'no room'));
    const { client, arrived } = await ends(() => undefined, {
      spoil: (gateway) => ({ ...gateway, begin: fail }),
    });
    client.send(CREATE);
    const [code] = await once(client, 'close');
    expect([code, arrived]).toEqual([1011, []]);
  });

  it('of a web page is refused', async () => {
    const on = await stage();
    const client = new WebSocket(`${on.url.replace('http', 'ws')}/openai/v1/responses`, {
      origin: 'https://evil.example',
    });
    const [error] = (await once(client, 'error')) as [Error];
    expect(error.message).toContain('403');
  });

  it('G2b a call is refused once the key of its session is revoked, and the client is told why', async () => {
    const { on, client, arrived } = await ends((_, socket) => {
      for (const event of EVENTS) socket.send(JSON.stringify(event));
    });
    const store = authDirectory({ keyDirectory: join(on.directory, 'keys') });
    writeFileSync(join(on.directory, 'settings'), '{"v":1,"mode":"guard","port":null}');
    const { key } = addKey(store, 'laptop', { random: randomBytes, now: Date.now() });
    presentKey(store, key, Date.now());
    const answered = collect(client, EVENTS.length);
    client.send(CREATE);
    await answered;
    revokeKey(store, 'laptop', Date.now());
    const closed = once(client, 'close') as Promise<[number, Buffer]>;
    client.send(CREATE);
    const [code, reason] = await closed;
    expect([code, reason.toString()]).toEqual([1008, expect.stringContaining('no valid auth key')]);
    expect(arrived.length).toBe(1);
    expect(on.entries('model.call').length).toBe(1);
    expect(on.entries('auth.fail')).toMatchObject([{ payload: { reason: 'revoked', at: 'call' } }]);
  });
});
