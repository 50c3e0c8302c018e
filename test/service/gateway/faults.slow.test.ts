// Upstreams that fail in every way they know, clients that leave, a ledger that can't be written. The peer sees what a
// careful proxy would show, and the ledger says what happened.
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { RecordError } from '../../../src/record/index.ts';
import type { GatewayRecording, RecordedCall } from '../../../src/service/index.ts';
import { ask, type Stage, sse, stage, upstream } from './stage.ts';

const REQUEST = JSON.stringify({
  model: 'm',
  max_tokens: 1,
  stream: true,
  messages: [{ role: 'user', content: 'Hi' }],
});
const START = sse(
  [
    'message_start',
    { type: 'message_start', message: { id: 'msg_1', type: 'message', usage: { input_tokens: 5 } } },
  ],
  [
    'content_block_start',
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half' } },
  ],
);
const TOOL = sse(
  [
    'content_block_start',
    {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'rm', input: {} },
    },
  ],
  [
    'content_block_delta',
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
  ],
  ['content_block_stop', { type: 'content_block_stop', index: 1 }],
);
const END = sse(
  [
    'message_delta',
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  ],
  ['message_stop', { type: 'message_stop' }],
);
setFlagsFromString('--expose-gc');
/** So that what is measured is what is held. */
const collect = runInNewContext('gc') as () => void;
const EVENTS = { 'content-type': 'text/event-stream' };

/** Waits for an entry that nobody who asks is told of. */
async function entryOf(on: Stage, kind: string): Promise<Record<string, unknown>> {
  for (;;) {
    const [entry] = on.entries(kind);
    if (entry !== undefined) return entry.payload as Record<string, unknown>;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function messages(on: Stage, body: string = REQUEST, options = {}) {
  return ask(`${on.url}/anthropic/v1/messages`, body, options);
}

describe('an upstream that', () => {
  it('dies in the middle of a stream: the client sees it break off, the ledger has what came', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.write(START, () => response.destroy());
    };
    const reply = await messages(on);
    expect(reply.body.toString()).toBe(START);
    expect(reply.error).not.toBeNull();
    expect(await entryOf(on, 'model.result')).toMatchObject({
      result: 'incomplete',
      error_code: 'UPSTREAM_CLOSED',
      status: 200,
      understood: 'whole',
      tokens: { input: 5 },
    });
  });

  it('dies within a call of a tool: the call is told as not whole, and never completed', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.write(START + TOOL.slice(0, TOOL.lastIndexOf('event:')), () => response.destroy());
    };
    expect((await messages(on)).error).not.toBeNull();
    expect(await entryOf(on, 'model.result')).toMatchObject({ result: 'incomplete', tool_uses: 1 });
    expect(await entryOf(on, 'model.tool_use')).toMatchObject({ tool_use_id: 'toolu_1', whole: false });
  });

  it('dies in the middle of a body with a length', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"id":', () => response.destroy());
    };
    const reply = await messages(on);
    expect([reply.body.toString(), reply.error === null]).toEqual(['{"id":', false]);
    expect(await entryOf(on, 'model.result')).toMatchObject({ result: 'incomplete', understood: 'none' });
  });

  it('ends a stream without its last event: the client gets just that', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.end(START);
    };
    const reply = await messages(on);
    expect([reply.body.toString(), reply.error]).toEqual([START, null]);
    expect(await entryOf(on, 'model.result')).toMatchObject({ result: 'incomplete', error_code: 'NO_END' });
  });

  it('stalls before its answer', async () => {
    const on = await stage({ exchanges: { headersMs: 50 } });
    on.upstream.answer = () => undefined;
    const reply = await messages(on);
    expect([reply.status, JSON.parse(reply.body.toString()).type]).toEqual([504, 'error']);
    expect(await entryOf(on, 'model.result')).toMatchObject({
      result: 'unanswered',
      error_code: 'UPSTREAM_STALLED',
      status: null,
    });
  });

  it('stalls in the middle', async () => {
    const on = await stage({ exchanges: { stallMs: 50 } });
    on.upstream.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.write(START);
    };
    const reply = await messages(on);
    expect([reply.body.toString(), reply.error === null]).toEqual([START, false]);
    expect(await entryOf(on, 'model.result')).toMatchObject({
      result: 'incomplete',
      error_code: 'UPSTREAM_STALLED',
    });
  });

  it('is not there', async () => {
    const on = await stage({ upstream: { url: 'http://127.0.0.1:1', arrived: [], answer: () => undefined } });
    const reply = await messages(on);
    expect([reply.status, reply.headers['x-should-retry']]).toEqual([502, 'false']);
    expect(await entryOf(on, 'model.result')).toMatchObject({
      result: 'unanswered',
      error_code: 'ECONNREFUSED',
    });
  });

  it.each([
    [
      429,
      'application/json',
      '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}',
      'rate_limit_error',
    ],
    [500, 'application/json', '{"type":"error","error":{"type":"api_error","message":"oops"}}', 'api_error'],
    [502, 'text/html', '<html><body>Bad gateway</body></html>', 'HTTP_502'],
    [200, 'text/html', '<html>log in</html>', null],
  ])('answers %d with %s', async (status, type, body, code) => {
    const on = await stage();
    on.upstream.answer = (_, response) => {
      response.writeHead(status, { 'content-type': type, 'retry-after': '7' });
      response.end(body);
    };
    const reply = await messages(on);
    expect([reply.status, reply.body.toString(), reply.headers['retry-after']]).toEqual([status, body, '7']);
    const result = await entryOf(on, 'model.result');
    expect(result).toMatchObject({ result: status === 200 ? 'ok' : 'error', error_code: code, status });
    expect(result.understood).toBe(type === 'text/html' ? 'none' : 'whole');
  });

  it('sends an error for its last event', async () => {
    const on = await stage();
    const error = sse(['error', { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }]);
    on.upstream.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.end(START + error);
    };
    expect((await messages(on)).body.toString()).toBe(START + error);
    expect(await entryOf(on, 'model.result')).toMatchObject({
      result: 'error',
      error_code: 'overloaded_error',
    });
  });

  it('sends events that are none', async () => {
    const on = await stage();
    const junk = `data: {"type":\n\nnonsense\n\n\0\x01\xff\r\rdata: [1,\n\n: fine\n${START}data:${'{'.repeat(5000)}\n\n${END}`;
    on.upstream.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.end(junk, 'latin1');
    };
    const reply = await messages(on);
    expect(reply.body.toString('latin1')).toBe(junk);
    expect(await entryOf(on, 'model.result')).toMatchObject({ result: 'ok', understood: 'part' });
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('compresses with %s: forwarded as it is, and understood', async (coding, compress) => {
    const on = await stage();
    const text = START + TOOL + END;
    const body = compress(Buffer.from(text));
    on.upstream.answer = async (_, response) => {
      response.writeHead(200, { ...EVENTS, 'content-encoding': coding });
      for (let at = 0; at < body.length; at += 20) {
        response.write(body.subarray(at, at + 20));
        await new Promise((resolve) => setImmediate(resolve));
      }
      response.end();
    };
    const reply = await messages(on, REQUEST, { headers: { 'accept-encoding': coding } });
    expect([reply.body.equals(body), reply.headers['content-encoding']]).toEqual([true, coding]);
    expect(on.upstream.arrived[0]?.headers['accept-encoding']).toBe(coding);
    expect(await entryOf(on, 'model.tool_use')).toMatchObject({ tool_use_id: 'toolu_1', tool: 'rm' });
    expect(await entryOf(on, 'model.result')).toMatchObject({
      result: 'ok',
      encoding: coding,
      understood: 'whole',
      wire_bytes: body.length,
    });
  });

  it.each([
    ['says gzip and sends something else', Buffer.from('no gzip at all'), 'gzip'],
    ['packs far more than anybody would', gzipSync(Buffer.alloc(64 * 1024 * 1024)), 'gzip'],
    ['uses a coding that nobody here knows', Buffer.from('whatever'), 'zstd'],
  ])('%s: the bytes pass, the ledger says that it did not understand', async (_, body, coding) => {
    const on = await stage();
    on.upstream.answer = (__, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': coding });
      response.end(body);
    };
    expect((await messages(on)).body.equals(body)).toBe(true);
    expect(await entryOf(on, 'model.result')).toMatchObject({ understood: 'none', wire_bytes: body.length });
  });

  it('sends trailers', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => {
      response.writeHead(200, { ...EVENTS, trailer: 'X-Checksum' });
      response.write(START + END);
      response.addTrailers({ 'X-Checksum': 'abc' });
      response.end();
    };
    const reply = await messages(on);
    // They come when all else is on record: nobody could say any more what they said.
    expect([reply.trailers['x-checksum'], reply.error]).toEqual([undefined, null]);
  });

  it.each([
    ['a stream', 'text/event-stream'],
    ['a body', 'application/json'],
  ])('answers with 100 MB in %s: passed on in bounded memory', async (_, type) => {
    const on = await stage();
    const delta = {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: 'x'.repeat(60_000) },
    };
    const piece = Buffer.from(sse(['content_block_delta', delta]));
    const count = Math.ceil(100_000_000 / piece.length);
    on.upstream.answer = async (__, response) => {
      response.writeHead(200, { 'content-type': type });
      response.write(START);
      for (let i = 0; i < count; i++)
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      response.end(END);
    };
    let bytes = 0;
    let most = 0;
    let measured = 0;
    collect();
    const before = process.memoryUsage();
    // What was asked for as a stream is read as one.
    const isStream = type === 'text/event-stream';
    await messages(on, isStream ? REQUEST : REQUEST.replace('"stream":true', '"stream":false'), {
      keep: false,
      onChunk(chunk: Buffer) {
        bytes += chunk.length;
        if (bytes < measured) return;
        measured += 10_000_000;
        collect();
        const { arrayBuffers, heapUsed } = process.memoryUsage();
        most = Math.max(most, arrayBuffers - before.arrayBuffers + heapUsed - before.heapUsed);
      },
    });
    expect(bytes).toBeGreaterThanOrEqual(100_000_000);
    // What is kept to be understood, several times over, and what is under way; all of it would be far more.
    expect(most).toBeLessThan(60_000_000);
    const result = await entryOf(on, 'model.result');
    expect(result).toMatchObject({
      result: 'ok',
      understood: type === 'application/json' ? 'none' : 'part',
    });
    expect(result.wire_bytes).toBe(bytes);
  });

  it('closes a kept connection just as it is used: sent once more, and told', async () => {
    const to = await upstream();
    const on = await stage({ upstream: to });
    to.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.end(START + END);
    };
    await messages(on);
    let asked = 0;
    to.answer = (_, response) => {
      // The first is on the connection that was kept.
      if (++asked === 1) response.socket?.resetAndDestroy();
      else response.writeHead(200, EVENTS).end(START + END);
    };
    const reply = await messages(on);
    expect([reply.status, asked]).toEqual([200, 2]);
    expect(on.entries('model.result').map(({ payload }) => payload.attempts)).toEqual([1, 2]);
  });
});

describe('a client that leaves', () => {
  it('in the middle of a stream: the upstream is told, the ledger says aborted', async () => {
    const on = await stage();
    let closed = (): void => undefined;
    const told = new Promise<void>((resolve) => {
      closed = resolve;
    });
    on.upstream.answer = (_, response) => {
      response.on('close', closed);
      response.writeHead(200, EVENTS);
      response.write(START);
    };
    await messages(on, REQUEST, {
      onResponse(response: IncomingMessage) {
        response.on('data', () => response.destroy());
      },
    }).catch(() => undefined);
    await told;
    expect(await entryOf(on, 'model.result')).toMatchObject({
      result: 'aborted',
      error_code: 'CLIENT_CLOSED',
      understood: 'whole',
      wire_bytes: START.length,
    });
    // Its session ends behind that.
    await entryOf(on, 'session.end');
    expect(
      on
        .entries()
        .map(({ kind }) => kind)
        .slice(-2),
    ).toEqual(['receipt', 'session.end']);
  });

  it('before there is an answer', async () => {
    const on = await stage();
    let arrived = (): void => undefined;
    const there = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    on.upstream.answer = () => arrived();
    const controller = new AbortController();
    const asking = messages(on, REQUEST, { signal: controller.signal }).catch(() => undefined);
    await there;
    controller.abort();
    await asking;
    expect(await entryOf(on, 'model.result')).toMatchObject({ result: 'aborted', status: null });
  });

  it('in the middle of its request: nothing is sent or recorded', async () => {
    const on = await stage();
    const socket = connect({ host: '127.0.0.1', port: on.service.state.port ?? 0 });
    await new Promise<void>((resolve) =>
      socket.write(
        `POST /anthropic/v1/messages HTTP/1.1\r\nhost: 127.0.0.1:${on.service.state.port}\r\ncontent-length: 100\r\n\r\n{`,
        () => resolve(),
      ),
    );
    socket.destroy();
    await on.stop();
    expect([on.upstream.arrived.length, on.entries('model.call').length]).toEqual([0, 0]);
  });

  it('does not read: the upstream is not read either', async () => {
    const on = await stage();
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    let written = 0;
    let blocked = (): void => undefined;
    const stuck = new Promise<void>((resolve) => {
      blocked = resolve;
    });
    on.upstream.answer = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      for (; written < 200; written++) {
        if (response.write(piece)) continue;
        const drained = new Promise((resolve) => response.once('drain', () => resolve('drained')));
        const silence = new Promise((resolve) => setTimeout(resolve, 500, 'stuck'));
        if ((await Promise.race([drained, silence])) === 'stuck') return blocked();
      }
    };
    const controller = new AbortController();
    const asking = messages(on, REQUEST, {
      signal: controller.signal,
      onResponse: (response: IncomingMessage) => void process.nextTick(() => response.pause()),
    }).catch(() => undefined);
    await stuck;
    controller.abort();
    await asking;
    // What sockets and streams hold on the way, not 200 MiB.
    expect(written).toBeLessThan(64);
    expect(await entryOf(on, 'model.result')).toMatchObject({ result: 'aborted' });
  });

  it('does not read for too long: it is cut off', async () => {
    const on = await stage({ exchanges: { stallMs: 200 } });
    on.upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.end(Buffer.alloc(64 * 1024 * 1024, 0x20));
    };
    const controller = new AbortController();
    const asking = messages(on, REQUEST, {
      signal: controller.signal,
      onResponse: (response: IncomingMessage) => void process.nextTick(() => response.pause()),
    }).catch(() => undefined);
    expect(await entryOf(on, 'model.result')).toMatchObject({
      result: 'incomplete',
      error_code: 'CLIENT_STALLED',
    });
    controller.abort();
    await asking;
  });
});

/** What it records to fails at `step`. */
function failing(step: 'begin' | 'toolUses' | 'finish') {
  const fail = (): Promise<never> => Promise.reject(new RecordError('AUDIT_APPEND_FAILED', 'no room'));
  return (gateway: GatewayRecording): GatewayRecording => ({
    upstreams: gateway.upstreams,
    leave: (connection) => gateway.leave(connection),
    receipt: (id) => gateway.receipt(id),
    receiptOf: (nonce) => gateway.receiptOf(nonce),
    goesThrough: (session) => gateway.goesThrough(session),
    closeRun: (...args) => gateway.closeRun(...args),
    observe: (...args) => gateway.observe(...args),
    begin: async (...args) =>
      step === 'begin' ? fail() : ({ ...(await gateway.begin(...args)), [step]: fail } as RecordedCall),
  });
}

describe('G15d a ledger that can not be written', () => {
  it('before the request: nothing goes upstream, and the client is told why', async () => {
    const on = await stage({ spoil: failing('begin') });
    const reply = await messages(on);
    expect([reply.status, reply.headers['x-should-retry']]).toEqual([503, 'false']);
    expect(JSON.parse(reply.body.toString()).error.message).toContain('AUDIT_APPEND_FAILED');
    expect(on.upstream.arrived).toEqual([]);
  });

  it('at a call of a tool: the client never gets its end, but an error', async () => {
    const on = await stage({ spoil: failing('toolUses') });
    on.upstream.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.write(START);
      response.end(TOOL + END);
    };
    const reply = await messages(on);
    const text = reply.body.toString();
    expect(text).not.toContain('"content_block_stop","index":1');
    expect(text).not.toContain('message_stop');
    expect(text).toMatch(/\nevent: error\ndata: {"type":"error",.*AUDIT_APPEND_FAILED.*}\n\n$/);
    expect(reply.error).not.toBeNull();
  });

  it('at the end of a stream: an error for the last event, and no clean end', async () => {
    const on = await stage({ spoil: failing('finish') });
    on.upstream.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.end(START + TOOL + END);
    };
    const reply = await messages(on);
    expect(reply.body.toString()).toContain('"content_block_stop","index":1');
    expect(reply.body.toString()).not.toContain('message_stop');
    expect(reply.body.toString()).toContain('event: error\n');
    expect(reply.error).not.toBeNull();
  });

  it('at the end of a body: a 503, nothing of the answer', async () => {
    const on = await stage({ spoil: failing('finish') });
    on.upstream.answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"id":"msg_1","type":"message","content":[]}');
    };
    const reply = await messages(on);
    expect([reply.status, reply.body.toString().includes('msg_1')]).toEqual([503, false]);
  });

  it('at the end of a body that had begun: the connection breaks off', async () => {
    const on = await stage({ spoil: failing('finish') });
    let seen = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      seen = resolve;
    });
    on.upstream.answer = async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":');
      await first;
      response.end('"msg_1"}');
    };
    const reply = await messages(on, REQUEST, { onChunk: () => seen() });
    expect(reply.error).not.toBeNull();
  });
});
