import { once } from 'node:events';
import { brotliCompressSync, constants, createGzip, deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import WebSocket, { WebSocketServer } from 'ws';
import { expectIntact } from '../file-ledger.ts';
import { ask, type Reply, type Stage, sse, stage } from '../service/gateway/stage.ts';
import { rawUpstream } from './wire-ends.ts';

const EVENTS = { 'content-type': 'text/event-stream' };
const REQUEST = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] });

const event = (data: Record<string, unknown>): [string, unknown] => [String(data.type), data];
const start = (index: number, block: unknown): [string, unknown] =>
  event({ type: 'content_block_start', index, content_block: block });
const tool = (id: string, input: unknown = {}): unknown => ({ type: 'tool_use', id, name: 'rm', input });
const input = (index: number, text: string): [string, unknown] =>
  event({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } });
const stop = (index: number): [string, unknown] => event({ type: 'content_block_stop', index });
const BEGIN = event({ type: 'message_start', message: { id: 'msg_1', type: 'message', content: [] } });
const END = event({ type: 'message_stop' });
const PLAIN = sse(BEGIN, start(0, tool('toolu_1')), input(0, '{"a":1}'), stop(0), END);

const messages = (on: Pick<Stage, 'url'>, options = {}, path = 'anthropic/v1/messages'): Promise<Reply> =>
  ask(`${on.url}/${path}`, REQUEST, options);
const usesOf = (on: Stage): unknown[] =>
  on.entries('model.tool_use').map(({ payload }) => payload.tool_use_id);

/** An answer, and what of it was on record as soon as the client had `mark`. */
async function answered(
  body: string | Buffer,
  { type = 'text/event-stream', path = 'anthropic/v1/messages', mark = '' } = {},
): Promise<{ on: Stage; reply: Reply; then: unknown[] | undefined }> {
  const on = await stage();
  on.upstream.answer = (_, response) => {
    response.writeHead(200, { 'content-type': type });
    response.end(body);
  };
  let text = '';
  let then: unknown[] | undefined;
  const reply = await messages(
    on,
    {
      onChunk(chunk: Buffer) {
        text += chunk.toString('latin1');
        if (mark !== '' && text.includes(mark)) then ??= usesOf(on);
      },
    },
    path,
  );
  return { on, reply, then };
}

describe('a call of a tool is on record before the client has it, where the upstream', () => {
  it.each<[string, string, string[]]>([
    [
      'begins one in the place of another',
      sse(BEGIN, start(0, tool('toolu_a', { x: 1 })), start(0, tool('toolu_b')), stop(0), END),
      ['toolu_a', 'toolu_b'],
    ],
    ['never stops it', sse(BEGIN, start(0, tool('toolu_a')), input(0, '{"x":1}'), END), ['toolu_a']],
    [
      'goes on with one that had stopped',
      sse(BEGIN, start(0, tool('toolu_a')), input(0, '{"x":1}'), stop(0), input(0, ' '), stop(0), END),
      ['toolu_a', 'toolu_a'],
    ],
    [
      'numbers them all alike',
      sse(
        BEGIN,
        start(-1, tool('toolu_a')),
        start(-1, tool('toolu_b')),
        start(-1, tool('toolu_c')),
        stop(-1),
        END,
      ),
      ['toolu_a', 'toolu_b', 'toolu_c'],
    ],
    [
      'hides it behind more blocks than are kept',
      sse(
        BEGIN,
        ...Array.from({ length: 5000 }, (_, i) => start(i, { type: 'text', text: '' })),
        start(5000, tool('toolu_z')),
        stop(5000),
        END,
      ),
      ['toolu_z'],
    ],
    ['ends its lines with carriage returns', PLAIN.replaceAll('\n', '\r'), ['toolu_1']],
    ['ends its lines with both', PLAIN.replaceAll('\n', '\r\n'), ['toolu_1']],
    ['begins with a mark of byte order', `\ufeff${PLAIN}`, ['toolu_1']],
    ['cuts data into lines', PLAIN.replaceAll(',"', ',\ndata: "'), ['toolu_1']],
    ['leaves out the space and adds comments', PLAIN.replaceAll('data: ', ':x\ndata:'), ['toolu_1']],
    ['names its events otherwise', PLAIN.replaceAll(/event: \w+/g, 'event: ping'), ['toolu_1']],
    ['names no events', PLAIN.replaceAll(/event: \w+\n/g, ''), ['toolu_1']],
    ['never ends its last line', PLAIN.trimEnd(), ['toolu_1']],
    ['says the end first', sse(BEGIN, END, start(0, tool('toolu_late')), stop(0)), ['toolu_late']],
  ])('%s', async (_, body, uses) => {
    const { on, reply } = await answered(body);
    expect(reply.body.toString()).toBe(body);
    await on.stop();
    expect(usesOf(on)).toEqual(uses);
    await expectIntact(on.directory);
  });

  it.each([
    ['text/plain'],
    ['application/octet-stream'],
    ['application/json'],
    ['Text/Event-Stream; charset=x'],
    [''],
  ])('says that its events are %j', async (type) => {
    const on = await stage();
    let seen = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      seen = resolve;
    });
    on.upstream.answer = async (_, response) => {
      if (type !== '') response.setHeader('content-type', type);
      response.write(PLAIN.slice(0, 20));
      await first;
      response.write(PLAIN.slice(20));
      response.end(': bye\n\n');
    };
    let text = '';
    let then: unknown[] | undefined;
    await messages(on, {
      onChunk(chunk: Buffer) {
        seen();
        text += chunk;
        if (text.includes('message_stop')) then ??= usesOf(on);
      },
    });
    expect(text).toBe(`${PLAIN}: bye\n\n`);
    expect(then).toEqual(['toolu_1']);
  });

  const chat = (...deltas: readonly unknown[]): string =>
    `${sse(...deltas.map((delta): [null, unknown] => [null, { choices: [{ index: 0, delta }] }]))}${sse([
      null,
      { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
    ])}data: [DONE]\n\n`;
  const piece = (index: number, id: string | null, text: string): unknown => ({
    tool_calls: [{ index, id, function: { name: id === null ? null : 'rm', arguments: text } }],
  });
  it.each<[string, string, [unknown, unknown][]]>([
    [
      'goes back to an earlier one',
      chat(piece(0, 'call_a', '{"x":'), piece(1, 'call_b', '{}'), piece(0, null, '1}')),
      [
        ['call_a', false],
        ['call_a', true],
        ['call_b', true],
      ],
    ],
    [
      'asks for more of them than are kept',
      chat(...Array.from({ length: 1100 }, (_, i) => piece(i, `call_${i}`, '{}'))),
      Array.from({ length: 1100 }, (_, i) => [`call_${i}`, true]),
    ],
    [
      'uses the old form',
      chat({ function_call: { name: 'rm', arguments: '{"a":' } }, { function_call: { arguments: '1}' } }),
      [[null, true]],
    ],
    [
      'uses the form of tools that take text',
      chat({ tool_calls: [{ index: 0, id: 'call_c', custom: { name: 'sh', input: 'ls' } }] }),
      [['call_c', false]],
    ],
  ])('in a chat %s', async (_, body, uses) => {
    const { on, reply } = await answered(body, { path: 'openai/v1/chat/completions' });
    expect(reply.body.toString()).toBe(body);
    const told = on.entries('model.tool_use').map(({ payload }) => [payload.tool_use_id, payload.whole]);
    expect(told.sort()).toEqual([...uses].sort());
    expect(on.entries('model.result')[0]?.payload.tool_uses).toBe(uses.length);
  });

  it('says one thing in the arguments and another in the item', async () => {
    const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'rm' };
    const body = sse(
      event({ type: 'response.output_item.added', output_index: 0, item }),
      event({ type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"path":"/tmp"}' }),
      event({
        type: 'response.output_item.done',
        output_index: 0,
        item: { ...item, arguments: '{"path":"/"}' },
      }),
      event({
        type: 'response.completed',
        response: { id: 'r', status: 'completed', output: [{ ...item, arguments: '{"path":"/home"}' }] },
      }),
    );
    const { on } = await answered(body, { path: 'openai/v1/responses' });
    const hashes = on.entries('model.tool_use').map(({ payload }) => payload.input_hash);
    expect(new Set(hashes).size).toBe(3);
  });
});

describe('an event at every place where it may be cut', () => {
  it.each([['\n'], ['\r'], ['\r\n']])('with lines that end in %j: same bytes, same entries', async (end) => {
    const body = Buffer.from(PLAIN.replaceAll('\n', end));
    const on = await stage();
    let cut = 0;
    on.upstream.answer = async (_, response) => {
      response.writeHead(200, EVENTS);
      response.write(body.subarray(0, cut));
      await new Promise((resolve) => setImmediate(resolve));
      response.end(body.subarray(cut));
    };
    const from = body.indexOf('content_block_stop') - 10;
    let before = 0;
    for (cut = from; cut < from + 90; cut++) {
      const reply = await messages(on);
      expect(reply.body.equals(body), String(cut)).toBe(true);
      expect(on.entries('model.tool_use').length, String(cut)).toBe(++before);
    }
    expect(on.entries('model.result').every(({ payload }) => payload.result === 'ok')).toBe(true);
  });
});

describe('compressed answers', () => {
  it('the next piece is sent only when the client has this one: nothing is kept back', async () => {
    const on = await stage();
    let received = 0;
    let wake = (): void => undefined;
    on.upstream.answer = async (_, response) => {
      response.writeHead(200, { ...EVENTS, 'content-encoding': 'gzip' });
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      let sent = 0;
      gzip.on('data', (chunk: Buffer) => {
        sent += chunk.length;
        response.write(chunk);
      });
      for (const each of PLAIN.split(/(?<=\n\n)/)) {
        await new Promise<void>((resolve) => gzip.write(each, () => resolve()));
        while (received < sent)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
      gzip.end();
      await once(gzip, 'end');
      response.end();
    };
    const reply = await messages(on, {
      onChunk(chunk: Buffer) {
        received += chunk.length;
        wake();
      },
    });
    expect(reply.error).toBeNull();
    expect(usesOf(on)).toEqual(['toolu_1']);
    expect(on.entries('model.result')[0]?.payload).toMatchObject({ result: 'ok', understood: 'whole' });
  });

  const zipped = gzipSync(PLAIN);
  it.each<[string, Buffer, string, string]>([
    ['cut short', zipped.subarray(0, zipped.length - 12), 'gzip', 'incomplete'],
    ['cut within its head', zipped.subarray(0, 5), 'gzip', 'incomplete'],
    ['two in one', Buffer.concat([gzipSync(PLAIN.slice(0, 50)), gzipSync(PLAIN.slice(50))]), 'gzip', 'ok'],
    ['with something behind it', Buffer.concat([zipped, Buffer.from('more')]), 'gzip', 'incomplete'],
    ['in other capitals', zipped, 'GZip', 'ok'],
    ['twice', brotliCompressSync(zipped), 'gzip, br', 'incomplete'],
    ['raw', deflateRawSync(PLAIN), 'deflate', 'incomplete'],
    ['and is not', Buffer.from(PLAIN), 'gzip', 'incomplete'],
  ])(
    '%s: the bytes pass, and the ledger does not say more than it knows',
    async (_, body, coding, result) => {
      const on = await stage();
      on.upstream.answer = (__, response) => {
        response.writeHead(200, { ...EVENTS, 'content-encoding': coding });
        response.end(body);
      };
      const reply = await messages(on);
      expect([reply.body.equals(body), reply.error]).toEqual([true, null]);
      const [entry] = on.entries('model.result');
      expect(entry?.payload).toMatchObject({ result, wire_bytes: body.length, encoding: coding });
      if (usesOf(on).length === 0) expect(entry?.payload.understood).not.toBe('whole');
      await on.stop();
      await expectIntact(on.directory);
    },
  );
});

describe('an answer whose frame is wrong', () => {
  const body = '{"id":"msg_1"}';
  it.each<[string, string, number[]]>([
    [
      'two lengths',
      `HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      [502],
    ],
    [
      'chunks and a length',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n`,
      [502, 200],
    ],
    ['no status', `nonsense\r\n\r\n`, [502]],
    [
      'a protocol nobody asked for',
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n`,
      [502],
    ],
    ['nothing', '', [502]],
    ['half a head', 'HTTP/1.1 200 OK\r\ncontent-', [502]],
    ['a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, [502]],
    ['a status of its own', `HTTP/1.1 799 Odd\r\ncontent-length: ${body.length}\r\n\r\n${body}`, [799]],
    [
      'trailers announced with a length',
      `HTTP/1.1 200 OK\r\ntrailer: x\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      [200],
    ],
    ['no length, and the end of the connection', `HTTP/1.1 200 OK\r\n\r\n${body}`, [200]],
    ['as of old', `HTTP/1.0 200 OK\r\n\r\n${body}`, [200]],
    [
      'early hints',
      `HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      [200],
    ],
    [
      'a broken chunk',
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n${body}\r\n0\r\n\r\n`,
      [502, 200],
    ],
    [
      'names with odd letters',
      `HTTP/1.1 200 OK\r\nx-\u00e9: 1\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      [502, 200],
    ],
    [
      'values with odd letters',
      `HTTP/1.1 200 OK\r\nx-a: \u00e9\x80\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      [200, 502],
    ],
    [
      'more than its length',
      `HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n${body}HTTP/1.1 200 OK\r\n\r\n`,
      [200],
    ],
  ])('%s: shown as what it is, recorded, and nothing hangs', async (_, bytes, expected) => {
    const to = await rawUpstream(({ socket }) => socket.end(Buffer.from(bytes, 'latin1')));
    const on = await stage({ upstream: { url: to.url, arrived: [], answer: () => undefined } });
    const reply = await messages(on).catch((error: Error) => ({ status: 0, error, body: Buffer.of() }));
    if (reply.error === null) expect(expected).toContain(reply.status);
    await on.stop();
    expect(on.entries('model.result')).toHaveLength(1);
    if (reply.error !== null || reply.status === 502)
      expect(on.entries('model.result')[0]?.payload.result).not.toBe('ok');
    await expectIntact(on.directory);
  });

  it('headers that pose as ours are not passed on, and long words fit into an entry', async () => {
    const on = await stage();
    const long = 'w'.repeat(7000);
    on.upstream.answer = (_, response) => {
      response.writeHead(200, {
        ...EVENTS,
        'x-counterfoil-receipt-id': `1-${'0'.repeat(32)}`,
        'X-Counterfoil-Session': 'x',
        'request-id': long,
        connection: 'x-dropped, x-counterfoil-receipt-id',
        'x-dropped': '1',
      });
      response.end(
        sse(
          event({
            type: 'message_start',
            message: {
              id: long.repeat(9),
              model: long.repeat(9),
              usage: { input_tokens: -1, output_tokens: 1e300 },
            },
          }),
          start(0, {
            type: 'tool_use',
            id: long.repeat(9),
            name: long.repeat(9),
            input: { $content: 'x', ['__proto__']: 1 },
          }),
          stop(0),
          event({
            type: 'message_delta',
            delta: { stop_reason: long.repeat(9) },
            usage: { output_tokens: 'x' },
          }),
          END,
        ),
      );
    };
    const reply = await messages(on);
    expect(reply.error).toBeNull();
    const [call] = on.entries('model.call');
    expect(reply.headers['x-counterfoil-receipt-id']).toBe(call?.payload.receipt_id);
    expect(Object.keys(reply.headers)).not.toContain('x-counterfoil-session');
    expect(Object.keys(reply.headers)).not.toContain('x-dropped');
    expect(on.entries('model.tool_use')).toHaveLength(1);
    await on.stop();
    await expectIntact(on.directory);
  });

  it.each<[string, (at: number) => string]>([
    ['deep data', () => `data: ${'['.repeat(50_000)}${']'.repeat(50_000)}\n\n`],
    [
      'a deep input',
      () => sse(start(0, tool('toolu_d', JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`))), stop(0)),
    ],
    [
      'a deep input in pieces',
      () => sse(start(0, tool('toolu_d')), input(0, '['.repeat(50_000) + ']'.repeat(50_000)), stop(0)),
    ],
    ['half characters', () => sse(start(0, tool('\ud800')), input(0, '{"a":"\\ud800"}'), stop(0))],
  ])('%s is no reason to hang: the answer passes, or it is withheld', async (_, more) => {
    const body = sse(BEGIN) + more(0) + sse(END);
    const { on, reply } = await answered(body);
    const [result] = on.entries('model.result');
    if (reply.error === null) {
      expect(reply.body.toString()).toBe(body);
      expect(result?.payload.result).toBe('ok');
    } else expect(reply.body.toString()).not.toContain('message_stop');
    await on.stop();
    await expectIntact(on.directory);
  });
});

describe('a WebSocket whose frames are odd', () => {
  const CREATE = JSON.stringify({ type: 'response.create', model: 'gpt-x', input: 'Add.' });
  const item = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'add', arguments: '{}' };
  const ANSWER = [
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item] } },
  ];

  async function socketed(onMessage: (socket: WebSocket, on: Stage, text: string) => void) {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of server.clients) socket.terminate();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const on = await stage({
      upstream: { url: `http://127.0.0.1:${port}`, arrived: [], answer: () => undefined },
    });
    server.on('connection', (socket) =>
      socket.on('message', (data) => onMessage(socket, on, data.toString())),
    );
    const client = new WebSocket(`${on.url.replace('http', 'ws')}/openai/v1/responses`);
    onTestFinished(() => client.terminate());
    await once(client, 'open');
    return { on, client };
  }

  it.each<[string, (client: WebSocket) => void]>([
    [
      'a first frame with nothing in it',
      (client) => {
        client.send('', { fin: false });
        client.send(CREATE, { fin: true });
      },
    ],
    [
      'a frame for each letter',
      (client) => {
        for (const letter of CREATE) client.send(letter, { fin: false });
        client.send('', { fin: true });
      },
    ],
    ['no text', (client) => client.send(Buffer.from(CREATE), { binary: true })],
    [
      'a ping in the middle',
      (client) => {
        client.send(CREATE.slice(0, 9), { fin: false });
        client.ping('x');
        client.send(CREATE.slice(9), { fin: true });
      },
    ],
  ])('a call in %s is on record before the upstream has it', async (_, say) => {
    let before: string[] = [];
    const { on, client } = await socketed((socket, staged, text) => {
      before = staged.entries().map(({ kind }) => kind);
      expect(text).toBe(CREATE);
      for (const each of ANSWER) socket.send(JSON.stringify(each));
    });
    let count = 0;
    const done = new Promise<void>((resolve) => {
      client.on('message', () => void (++count === 2 && resolve()));
    });
    say(client);
    await done;
    expect(before).toContain('model.call');
    expect(on.entries('model.result')).toHaveLength(1);
  });

  it('an answer that is no text is read like text: its tools are on record first', async () => {
    const { on, client } = await socketed((socket) => {
      for (const each of ANSWER) socket.send(Buffer.from(JSON.stringify(each)), { binary: true });
    });
    const seen: string[][] = [];
    const done = new Promise<void>((resolve) => {
      client.on('message', () => {
        seen.push(on.entries().map(({ kind }) => kind));
        if (seen.length === 2) resolve();
      });
    });
    client.send(CREATE);
    await done;
    expect(seen[0]).toContain('model.tool_use');
    expect(seen[1]).toContain('model.result');
  });
});
