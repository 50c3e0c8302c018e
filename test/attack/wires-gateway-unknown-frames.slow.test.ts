// A WebSocket through the gateway that says something else than the calls we know: whatever it is, of either side, it is
// on record as it came before the other side has it; and what is no WebSocket to the letter gets nowhere.

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { RecordError } from '../../src/record/index.ts';
import { expectIntact } from '../file-ledger.ts';
import { type Stage, type StageOptions, stage } from '../service/gateway/stage.ts';
import { observed } from './wire-contents.ts';
import { dial } from './wire-ends.ts';

interface Ends {
  readonly on: Stage;
  readonly client: WebSocket;
  /** What came to the server, and what of the session was on record by then. */
  readonly arrived: { readonly bytes: Buffer; readonly observations: number; readonly calls: number }[];
  readonly server: WebSocket;
}

async function ends(path: string, options: StageOptions = {}): Promise<Ends> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: true });
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const { port } = server.address() as { port: number };
  const upstream = { url: `http://127.0.0.1:${port}`, arrived: [], answer: () => undefined };
  const on = await stage({ ...options, upstream });
  const connected = once(server, 'connection') as Promise<[WebSocket]>;
  const client = new WebSocket(`${on.url.replace('http', 'ws')}${path}`);
  onTestFinished(() => client.terminate());
  const [[socket]] = await Promise.all([connected, once(client, 'open')]);
  const arrived: Ends['arrived'] = [];
  socket.on('message', (data: Buffer) => {
    const [observations, calls] = [on.entries('observation').length, on.entries('model.call').length];
    arrived.push({ bytes: Buffer.from(data), observations, calls });
  });
  return { on, client, arrived, server: socket };
}

async function until(is: () => boolean): Promise<void> {
  while (!is()) await new Promise((resolve) => setImmediate(resolve));
}

const CREATE = '{"type":"response.create","model":"gpt-x","input":"Add."}';
const messagesOf = async (on: Stage, way: string) =>
  (await observed(on.directory, on.entries())).filter(({ wire }) => wire.direction === way);

describe('a client that says', () => {
  it.each<[string, string, string | Buffer, unknown]>([
    ['anything to /anthropic', '/anthropic/v1/messages', '{"messages":[{"role":"user"}]}', null],
    ['a call to /anthropic', '/anthropic/v1/messages', CREATE, null],
    [
      'an item of a realtime conversation',
      '/openai/v1/realtime?model=x',
      '{"type":"conversation.item.create","item":{"type":"message"}}',
      null,
    ],
    ['a session update', '/openai/v1/realtime', '{"type":"session.update","session":{"tools":[]}}', null],
    ['what is no call of responses', '/openai/v1/responses', '{"type":"response.cancel"}', null],
    ['a call behind a mark of byte order', '/openai/v1/responses', `\ufeff${CREATE}`, 'not-json'],
    [
      'a type twice',
      '/openai/v1/responses',
      '{"type":"response.create","type":"response.cancel","input":"x"}',
      'repeated-name',
    ],
    [
      'a type twice, the call last',
      '/openai/v1/responses',
      '{"type":"response.cancel","type":"response.create","input":"x"}',
      'repeated-name',
    ],
    [
      'a type in other capitals',
      '/openai/v1/responses',
      '{"type":"response.create","Type":"response.cancel"}',
      'repeated-name',
    ],
    [
      'a name twice, once in escapes',
      '/openai/v1/responses',
      '{"type":"response.create","input":"a","inp\\u0075t":"b"}',
      'repeated-name',
    ],
    [
      'a name twice, deep inside',
      '/openai/v1/responses',
      '{"type":"response.create","input":[{"role":"user","content":"a","content":"b"}]}',
      'repeated-name',
    ],
    [
      'a request in two places',
      '/openai/v1/responses',
      '{"type":"response.create","response":{"input":"a"},"input":"b"}',
      null,
    ],
    ['a number that is none', '/openai/v1/responses', '{"type":"response.create","input":NaN}', 'not-json'],
    ['a comment', '/openai/v1/responses', `${CREATE}// and more`, 'not-json'],
    ['two texts in one message', '/openai/v1/responses', `${CREATE}${CREATE}`, 'not-json'],
    [
      'half a character',
      '/openai/v1/responses',
      '{"type":"response.create","input":"\\ud800"}',
      'lone-surrogate',
    ],
    [
      'a number past all numbers',
      '/openai/v1/responses',
      '{"type":"response.create","seed":1e999}',
      'inexact-number',
    ],
    ['a list', '/openai/v1/responses', `[${CREATE}]`, null],
    ['bytes', '/openai/v1/responses', Buffer.from([0, 0xff, 0xfe, 0x80]), 'not-utf8'],
  ])('%s: it is on record whole before the upstream has it', async (_, path, said, problem) => {
    const { on, client, arrived } = await ends(path);
    const before = on.entries('observation').length;
    client.send(said);
    await until(() => arrived.length > 0);
    expect(arrived[0]?.bytes.equals(Buffer.from(said))).toBe(true);
    expect(arrived[0]).toMatchObject({ observations: before + 1, calls: 0 });
    const [seen] = await messagesOf(on, 'to-upstream');
    expect(seen).toMatchObject({ event: 'message', problem });
    const kept = seen?.content;
    const whole = typeof kept === 'string' ? kept : JSON.stringify(kept);
    if (typeof said === 'string' && problem === null) expect(JSON.parse(whole)).toEqual(JSON.parse(said));
    else if (typeof said === 'string') expect(kept).toBe(said);
    else expect(kept).toEqual({ latin1: said.toString('latin1') });
  });

  it('a call of the realtime API has its call, its tools and its end on record', async () => {
    const { on, client, server } = await ends('/openai/v1/realtime');
    const item = { type: 'function_call', id: 'i', call_id: 'c', name: 'rm', arguments: '{}' };
    server.on('message', () => {
      server.send(JSON.stringify({ type: 'response.output_item.done', output_index: 0, item }));
      const response = { id: 'r', status: 'completed', output: [item] };
      server.send(JSON.stringify({ type: 'response.done', response }));
    });
    let got = 0;
    client.on('message', () => void got++);
    client.send('{"type":"response.create","event_id":"e","response":{"instructions":"x"}}');
    await until(() => got === 2);
    expect(on.entries('model.call')[0]?.payload).toMatchObject({
      api: 'openai.realtime',
      parameters: { event_id: 'e' },
    });
    expect(on.entries('model.tool_use')[0]?.payload).toMatchObject({ tool: 'rm' });
    expect(on.entries('model.result')[0]?.payload).toMatchObject({ result: 'ok', understood: 'whole' });
    expect(await messagesOf(on, 'to-client')).toEqual([]);
  });

  it('half a message and then a ping: nothing of the message leaves before it is whole', async () => {
    const { on, client, arrived, server } = await ends('/anthropic/v1/messages');
    let early = false;
    server.on('ping', () => {
      early = on.entries('observation').length < 2;
    });
    const raw = (server as unknown as { _socket: Socket })._socket;
    let bytes = '';
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.toString('latin1');
    });
    client.send('{"secret plan":', { fin: false });
    client.ping();
    await until(() => client.bufferedAmount === 0);
    client.send('1}', { fin: true });
    await until(() => arrived.length > 0);
    expect([early, bytes.length > 0]).toEqual([false, true]);
    expect((await messagesOf(on, 'to-upstream')).at(-1)?.content).toEqual({ 'secret plan': 1 });
  });

  it('something in a ping, a pong or a close has it on record', async () => {
    const { on, client, server } = await ends('/openai/v1/responses');
    const heard: string[] = [];
    server.on('ping', (data: Buffer) => heard.push(data.toString()));
    server.on('pong', (data: Buffer) => heard.push(data.toString()));
    client.ping('in a ping');
    client.pong('in a pong');
    client.close(1000, 'in a close');
    await once(server, 'close');
    await on.stop();
    expect(heard).toEqual(['in a ping', 'in a pong']);
    const said = (await messagesOf(on, 'to-upstream')).map(({ event, content }) => [event, content]);
    expect(said.slice(0, 2)).toEqual([
      ['ping', 'in a ping'],
      ['pong', 'in a pong'],
    ]);
    expect(String(JSON.stringify(said[2]))).toContain('in a close');
    const end = (await observed(on.directory, on.entries())).at(-1);
    expect(end).toMatchObject({ event: 'websocket.end', content: { to_upstream: { control: 3 } } });
    await expectIntact(on.directory);
  });
});

describe('a server that says', () => {
  it.each<[string, string | Buffer]>([
    ['a type that nobody knows', '{"type":"response.exec","command":"rm -rf /"}'],
    ['something before any call', '{"type":"session.created","session":{}}'],
    [
      'a call of a tool under a type twice',
      '{"type":"response.output_text.delta","type":"response.output_item.done"}',
    ],
    ['bytes', Buffer.from([1, 2, 0xff])],
    ['sound', '{"type":"response.output_audio.delta","delta":"AAAA"}'],
  ])('%s, with a call open or without: it is on record before the client has it', async (_, said) => {
    const { on, client, server, arrived } = await ends('/openai/v1/responses');
    const missing: number[] = [];
    let got = 0;
    client.on('message', (data: Buffer) => {
      got += 1;
      expect(data.equals(Buffer.from(said))).toBe(true);
      const seen = on.entries('observation').filter(({ payload }) => payload.event === 'message');
      if (seen.length < got) missing.push(got);
    });
    server.send(said);
    await until(() => got === 1);
    client.send(CREATE);
    await until(() => arrived.length === 1);
    server.send(said);
    await until(() => got === 2);
    expect(missing).toEqual([]);
    expect((await messagesOf(on, 'to-client')).length).toBe(2);
    expect(on.entries('model.call')).toHaveLength(1);
  });

  it('a great deal at once has all of it on record, in order', async () => {
    const { on, client, server } = await ends('/openai/v1/realtime');
    const got: string[] = [];
    client.on('message', (data: Buffer) => got.push(data.toString()));
    const said = Array.from({ length: 300 }, (_, i) => `{"type":"odd","i":${i}}`);
    for (const each of said) server.send(each);
    await until(() => got.length === said.length);
    expect(got).toEqual(said);
    const kept = (await messagesOf(on, 'to-client')).map(({ content }) =>
      JSON.parse(JSON.stringify(content)),
    );
    expect(kept.map(({ i }) => i)).toEqual(said.map((_, i) => i));
  });
});

describe('where nothing can be recorded', () => {
  const fail = (): Promise<never> => Promise.reject(new RecordError('AUDIT_APPEND_FAILED', 'no room'));

  it('a WebSocket is not even opened', async () => {
    const opened = ends('/anthropic/v1/messages', { spoil: (gateway) => ({ ...gateway, observe: fail }) });
    await expect(opened).rejects.toThrow(/503/);
  });

  it.each(['to-upstream', 'to-client'])('no message goes %s that is not known', async (way) => {
    let failing = false;
    const { client, server, arrived } = await ends('/anthropic/v1/messages', {
      spoil: (gateway) => ({
        ...gateway,
        observe: (...args) => (failing ? fail() : gateway.observe(...args)),
      }),
    });
    let got = 0;
    client.on('message', () => void got++);
    failing = true;
    if (way === 'to-upstream') client.send('{"a":1}');
    else server.send('{"a":1}');
    const [code] = (await once(client, 'close')) as [number];
    expect([code, got, arrived]).toEqual([1011, 0, []]);
  });
});

/** A frame of a client, masked with nothing, or of a server. */
function frame(first: number, payload: Uint8Array | string, masked = true): Buffer {
  const body = Buffer.from(payload);
  return Buffer.concat([
    Buffer.from([first, (masked ? 0x80 : 0) | body.length]),
    ...(masked ? [Buffer.alloc(4)] : []),
    body,
  ]);
}

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** An upstream that agrees to everything, and says what it is told to. */
async function rude(extension: string | null, say: Buffer): Promise<{ on: Stage; bytes: () => Buffer }> {
  const came: Buffer[] = [];
  const server = createTcpServer((socket) => {
    let head = '';
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      if (head.includes('\r\n\r\n')) {
        came.push(chunk);
        return;
      }
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      const key = /sec-websocket-key: (\S+)/i.exec(head)?.[1] ?? '';
      const accept = createHash('sha1').update(`${key}${GUID}`).digest('base64');
      const agreed = extension === null ? '' : `Sec-WebSocket-Extensions: ${extension}\r\n`;
      socket.write(
        `HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n${agreed}\r\n`,
      );
      socket.write(say);
    });
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };
  const on = await stage({
    upstream: { url: `http://127.0.0.1:${port}`, arrived: [], answer: () => undefined },
  });
  return { on, bytes: () => Buffer.concat(came) };
}

describe('frames that a lenient reader takes', () => {
  it('compressed ones, which the upstream agreed to though nobody asked: the connection is refused', async () => {
    const { on } = await rude('permessage-deflate', Buffer.alloc(0));
    const client = new WebSocket(`${on.url.replace('http', 'ws')}/openai/v1/responses`);
    const [error] = (await once(client, 'error')) as [Error];
    expect(error.message).toContain('502');
  });

  const secret = 'tell nobody';
  it.each<[string, Buffer]>([
    ['compressed', frame(0xc1, deflateRawSync(Buffer.from(secret)), false)],
    ['masked', frame(0x81, secret)],
    ['of an opcode that nobody has', frame(0x83, secret, false)],
    ['that go on with what was never begun', frame(0x80, secret, false)],
    ['of two messages in one another', Buffer.concat([frame(0x01, 'a', false), frame(0x81, secret, false)])],
    ['that are half a ping', frame(0x09, secret, false)],
  ])('of a server, %s: the client never has them', async (_, said) => {
    const { on } = await rude(null, said);
    const { socket, until: heard } = await dial(on.service.state.port ?? 0);
    socket.write(
      `GET /openai/v1/responses HTTP/1.1\r\nhost: 127.0.0.1:${on.service.state.port}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    const text = await heard((all) => all.includes('no WebSocket'));
    expect(text).not.toContain(secret);
    await until(() => on.entries('observation').length === 2);
  });

  it.each<[string, Buffer]>([
    ['compressed', frame(0xc1, deflateRawSync(Buffer.from(secret)))],
    ['not masked', frame(0x81, secret, false)],
    ['of an opcode that nobody has', frame(0x84, secret)],
    ['that go on with what was never begun', frame(0x80, secret)],
    ['of two messages in one another', Buffer.concat([frame(0x01, 'a'), frame(0x81, secret)])],
    ['that never end', frame(0x01, secret)],
  ])('of a client, %s: the upstream never has them', async (_, said) => {
    const { on, bytes } = await rude(null, Buffer.alloc(0));
    const { socket, until: heard } = await dial(on.service.state.port ?? 0);
    socket.write(
      `GET /openai/v1/responses HTTP/1.1\r\nhost: 127.0.0.1:${on.service.state.port}\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n`,
    );
    await heard((all) => all.includes('\r\n\r\n'));
    socket.write(said);
    socket.end();
    await until(() => on.entries('observation').length === 2);
    expect(bytes().toString('latin1')).not.toContain(secret);
    expect(bytes().length).toBeLessThan(12);
  });

  it.each(['h2c', 'websocket, h2c', 'tls/1.3'])('an upgrade to %s is refused', async (protocol) => {
    const on = await stage();
    const { socket, until: heard } = await dial(on.service.state.port ?? 0);
    socket.write(
      `GET /openai/v1/responses HTTP/1.1\r\nhost: 127.0.0.1:${on.service.state.port}\r\nupgrade: ${protocol}\r\nconnection: upgrade\r\n\r\n`,
    );
    expect(await heard((all) => all.includes('\r\n\r\n'))).toContain('403');
    expect(on.upstream.arrived).toEqual([]);
  });
});
