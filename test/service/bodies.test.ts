// Callers that send too much, too slowly, or leave in the middle: each costs a bounded amount, and others are served on.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { postHook } from '../../src/service/index.ts';
import { overSocket, overTcp, type Serving, serving } from './serving.ts';

const bodies = { one: 1000, all: 1500 };
const DENY = '{"decision":"block","reason":"too large"}';

function dial({ service }: Serving): Socket {
  return connect({ host: '127.0.0.1', port: service.state.port ?? 0 });
}

/** The beginning of a request as a hook sends it. */
function opening({ service, token }: Serving, length: number): string {
  return [
    'POST /v1/hook/claude-code HTTP/1.1',
    `host: 127.0.0.1:${service.state.port}`,
    `authorization: Bearer ${token}`,
    `content-length: ${length}`,
    '\r\n',
  ].join('\r\n');
}

async function all(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (piece) => {
    text += piece.toString();
  });
  socket.on('error', () => undefined);
  await once(socket, 'close');
  return text;
}

describe('a body that is too large', () => {
  it.each([
    ['announced', (size: number) => ({ 'content-length': String(size) })],
    ['in chunks, of a length nobody said', () => ({ 'transfer-encoding': 'chunked' })],
  ])('%s, is recorded as that and passes with 413 where the mode has nothing to say', async (_, headers) => {
    const served = await serving({ bodies });
    const reply = await overTcp(served, { headers: headers(1001) }, 'x'.repeat(1001));
    expect([reply.status, reply.body, reply.headers.connection]).toEqual([413, '', 'close']);
    expect(served.recording.told).toEqual([{ agent: 'claude-code', event: null, body: null }]);
    expect((await overTcp(served, { headers: headers(1000) }, 'x'.repeat(1000))).status).toBe(200);
    expect(served.recording.told[1]?.body?.length).toBe(1000);
  });

  it('is denied in the form that the host obeys where the mode says so', async () => {
    const served = await serving({ bodies });
    served.recording.answer = () => ({ exit: 2, stdout: DENY, stderr: 'too large' });
    const reply = await overTcp(served, {}, 'x'.repeat(1001));
    expect([reply.status, reply.body]).toEqual([200, DENY]);
    const told = { socket: served.service.state.socket, agent: 'codex', event: null, timeoutMs: 10_000 };
    expect(await postHook({ ...told, body: Buffer.alloc(5_000_000) })).toEqual({
      exit: 2,
      stdout: DENY,
      stderr: 'too large',
    });
  });

  it('of 64 MiB and one byte is, of 64 MiB is not', async () => {
    const served = await serving();
    expect((await overSocket(served, {}, Buffer.alloc(64 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await overSocket(served, {}, Buffer.alloc(64 * 1024 * 1024))).status).toBe(200);
    expect(served.recording.told.map(({ body }) => body?.length)).toEqual([undefined, 64 * 1024 * 1024]);
  });

  it('is not read at all from somebody without the token', async () => {
    const served = await serving({ bodies });
    const reply = await overTcp(served, { headers: { authorization: 'Bearer x' } }, 'x'.repeat(100_000));
    expect([reply.status, served.recording.told]).toEqual([401, []]);
  });
});

describe('a slow caller', () => {
  const limits = { headersMs: 50, requestMs: 100, keepAliveMs: 1000, connections: 3 };

  it.each([
    ['in its headers', (served: Serving) => opening(served, 10).slice(0, 60)],
    ['in its body', (served: Serving) => `${opening(served, 10)}{`],
    ['from the start', () => ''],
  ])('%s is cut off, and nothing is recorded', async (_, text) => {
    const served = await serving({ limits });
    const socket = dial(served);
    socket.write(text(served));
    expect(await all(socket)).toMatch(/^HTTP\/1\.1 408 |^$/);
    expect(served.recording.told).toEqual([]);
    expect((await overTcp(served)).status).toBe(200);
  });

  it('is one of a bounded number: who comes on top is turned away, and let in again later', async () => {
    const long = { ...limits, headersMs: 60_000, requestMs: 60_000 };
    const served = await serving({ limits: long });
    const held = Array.from({ length: 3 }, () => dial(served));
    await Promise.all(held.map((socket) => once(socket, 'connect')));
    // All three are accepted before a fourth that is told to go.
    for (const socket of held) socket.write('POST /v1/hook/claude-code HTTP/1.1\r\n');
    const fourth = dial(served);
    expect(await all(fourth)).toBe('');
    for (const socket of held) socket.destroy();
    for (;;) {
      const reply = await overTcp(served).catch(() => undefined);
      if (reply?.status === 200) break;
    }
  });
});

it('all bodies together are bounded', async () => {
  const served = await serving({ bodies });
  const first = dial(served);
  first.write(opening(served, 1000) + 'x'.repeat(900));
  // Once the first is being read, the second is one too many; until then it is answered.
  for (;;) {
    const { status, body } = await overTcp(served, {}, 'x'.repeat(999));
    if (status === 503) {
      expect(body).toBe('{"error":"busy"}');
      break;
    }
  }
  first.write('x'.repeat(100));
  const [answer] = (await once(first, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
  first.destroy();
  expect((await overTcp(served, {}, 'x'.repeat(999))).status).toBe(200);
});

it('a caller that leaves in the middle of a body leaves nothing behind', async () => {
  const served = await serving({ bodies });
  for (let i = 0; i < 5; i++) {
    const socket = dial(served);
    await new Promise<void>((resolve) =>
      socket.write(opening(served, 1000) + 'x'.repeat(900), () => resolve()),
    );
    socket.destroy();
  }
  // What they held is given back, or two whole ones would be too much.
  for (;;) {
    const { status } = await overTcp(served, {}, 'x'.repeat(1000));
    if (status === 200) break;
  }
  expect(served.recording.told.map(({ body }) => body?.length)).toEqual([1000]);
});
