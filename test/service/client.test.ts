// The hook command's client against servers that are not there, silent, or no service at all. Whatever comes, it is an
// answer or a typed failure, and never taken for a pass.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ANSWER_TYPE, ClientError, postHook } from '../../src/service/index.ts';
import { temporary } from '../temporary.ts';
import { NoteRecording, newLedger, PASS, serving } from './serving.ts';

const told = { agent: 'claude-code', event: 'PreToolUse', body: Buffer.from('{}'), timeoutMs: 10_000 };

async function fakeService(answer: (socket: Socket) => void): Promise<string> {
  const path = join(temporary(), 'socket');
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  server.listen(path);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return path;
}

async function failure(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    (value) => new Error(`answered ${JSON.stringify(value)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ClientError)) throw error;
  return error.code;
}

const BODY = JSON.stringify(PASS);
const ok = (body: string, type = ANSWER_TYPE, length = Buffer.byteLength(body)): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n\r\n${body}`;

describe('nobody there', () => {
  it('is refused', async () => {
    const directory = temporary();
    expect(await failure(postHook({ ...told, socket: join(directory, 'socket') }))).toBe('refused');
    const { service } = await serving();
    const { socket } = service.state;
    service.stop('asked');
    await service.ended;
    expect(await failure(postHook({ ...told, socket }))).toBe('refused');
  });

  it('is waited for where that is asked, and found when it comes', async () => {
    const place = await newLedger();
    const socket = join(place.directory, 'service/socket');
    const asked = postHook({ ...told, socket, patienceMs: 10_000 });
    const { recording } = await serving({}, place);
    expect(await asked).toEqual(PASS);
    expect(recording).toBeInstanceOf(NoteRecording);
  });
});

it('silence ends at the deadline', async () => {
  const socket = await fakeService(() => undefined);
  expect(await failure(postHook({ ...told, socket, timeoutMs: 50 }))).toBe('timeout');
  const slow = await fakeService((peer) => peer.write('HTTP/1.1 200 OK\r\n'));
  expect(await failure(postHook({ ...told, socket: slow, timeoutMs: 50 }))).toBe('timeout');
});

it('an answer is taken as it is', async () => {
  const socket = await fakeService((peer) => peer.end(ok(BODY)));
  expect(await postHook({ ...told, socket })).toEqual(PASS);
});

describe('what is no answer is a failure', () => {
  it.each([
    ['nothing', ''],
    ['no HTTP', 'hello\r\n\r\n'],
    ['no end of the headers', 'HTTP/1.1 200 OK\r\n'],
    ['another type', ok(BODY, 'application/json')],
    ['no length', `HTTP/1.1 200 OK\r\ncontent-type: ${ANSWER_TYPE}\r\n\r\n${BODY}`],
    ['a body cut short', ok(BODY, ANSWER_TYPE, BODY.length + 1)],
    ['no JSON', ok('exit 0')],
    ['null', ok('null')],
    ['an empty object', ok('{}')],
    ['an exit that is no number', ok('{"exit":"0","stdout":"","stderr":""}')],
    ['an exit that is none', ok('{"exit":-1,"stdout":"","stderr":""}')],
    ['no stderr', ok('{"exit":0,"stdout":""}')],
    ['a member more', ok('{"exit":0,"stdout":"","stderr":"","x":1}')],
    ['an error', `HTTP/1.1 500 Oh\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}`],
    ['more than ever', 'x'.repeat(5_000_000)],
  ])('%s', async (_, text) => {
    const socket = await fakeService((peer) => peer.end(text));
    expect(await failure(postHook({ ...told, socket }))).toBe('bad-answer');
  });

  it('a connection that breaks', async () => {
    const socket = await fakeService((peer) => peer.destroy());
    expect(await failure(postHook({ ...told, socket }))).toBe('bad-answer');
  });
});
