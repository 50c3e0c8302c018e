// The MCP proxy over HTTP between a hostile client and a hostile server: nothing leaves for another host, no call hides in
// a coding, no answer in the form that it has; web pages are turned away; nobody who leaves leaves something hanging. Some
// of it goes through a process, the rest through the proxy in this one.
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { httpHere } from '../e2e/mcp-client.ts';
import { newProject, type Project } from '../e2e/recorded-project.ts';
import { type Arrived, type Ask, ask, type Reply, upstream } from '../service/gateway/stage.ts';
import { exchange, rawUpstream, statusOf } from './wire-ends.ts';

const call = (id: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'rm', arguments: {} } });
const answer = (id: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'the answer' }] } });
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };
const CALL_HEADERS = { ...JSON_TYPE, accept: 'application/json, text/event-stream' };

interface Wrapped {
  readonly project: Project;
  readonly url: string;
  readonly port: number;
  readonly arrived: readonly Arrived[];
  post(body: string | Uint8Array, options?: Ask): Promise<Reply>;
  of(kind: string): { readonly payload: Record<string, unknown> }[];
  stop(): Promise<void>;
}

type Respond = (arrived: Arrived, response: ServerResponse) => unknown;

/** The proxy in this process. */
async function wrap(respond: Respond): Promise<Wrapped> {
  const project = await newProject();
  const to = await upstream(respond);
  const { url, stop } = await httpHere(project, `${to.url}/mcp`);
  return between(project, to.arrived, url, stop);
}

/** As a process. */
async function wrapProcess(respond: Respond): Promise<Wrapped> {
  const project = await newProject();
  const to = await upstream(respond);
  const words = ['mcp', 'wrap', '--http', `${to.url}/mcp`, '--ledger', project.directory, '--json'];
  const child = project.start(words);
  const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
  const { url } = JSON.parse(line.toString()) as { url: string };
  return between(project, to.arrived, url, async () => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
}

function between(
  project: Project,
  arrived: readonly Arrived[],
  url: string,
  stop: () => Promise<void>,
): Wrapped {
  return {
    project,
    url,
    port: Number(new URL(url).port),
    arrived,
    post: (body, options = {}) =>
      ask(url, body, { ...options, headers: { ...CALL_HEADERS, ...options.headers } }),
    of: (kind) => project.entries().filter((entry) => entry.kind === kind),
    stop,
  };
}

const plain = (_: Arrived, response: ServerResponse): unknown =>
  response.writeHead(200, JSON_TYPE).end(answer(1));

describe('a client', () => {
  it.each([
    ['//evil.example/mcp'],
    ['/.//evil.example/mcp'],
    ['/x/..//evil.example/mcp'],
    ['/%2e//evil.example/mcp'],
    ['/\\evil.example/mcp'],
    ['/.\\\\evil.example/mcp'],
    ['http://evil.example/mcp'],
    ['http://127.0.0.1//evil.example/mcp'],
    ['/@evil.example/mcp'],
    ['evil.example:80'],
    ['*'],
  ])('that asks for %s is never sent to another host, nor its token', async (target) => {
    const evil = await rawUpstream(({ socket }) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
    );
    const on = await wrap(plain);
    const at = target.replaceAll('evil.example', `127.0.0.1:${evil.port}`);
    const body = call(1);
    const text = await exchange(
      on.port,
      `POST ${at} HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\ncontent-type: application/json\r\nauthorization: Bearer secret\r\nconnection: close\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      false,
    );
    expect(evil.talks).toEqual([]);
    expect(statusOf(text)).toBeGreaterThan(0);
    await on.stop();
    expect(on.of('tool.call')).toHaveLength(on.arrived.length);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['x-gzip', gzipSync],
  ])('that compresses its call with %s gets no call past the record', async (coding, compress) => {
    const on = await wrapProcess(plain);
    const reply = await on.post(compress(Buffer.from(call(1))), { headers: { 'content-encoding': coding } });
    expect(reply.status).toBe(415);
    expect(on.arrived).toEqual([]);
    // And the next is served.
    expect((await on.post(call(1))).body.toString()).toBe(answer(1));
    await on.stop();
    expect(on.of('tool.call')).toHaveLength(1);
  });

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost.evil.example', 403],
    ['http://127.0.0.1.evil.example:80', 403],
    ['file://', 403],
    ['', 403],
    ['http://localhost:6274', 200],
    ['http://127.0.0.1:1', 200],
  ])('that is a page of %j gets %d', async (origin, status) => {
    const on = await wrap(plain);
    const reply = await on.post(call(1), { headers: { origin, 'content-type': 'text/plain' } });
    expect([reply.status, on.arrived.length]).toEqual([status, status === 200 ? 1 : 0]);
    await on.stop();
    expect(on.of('tool.call')).toHaveLength(on.arrived.length);
  });

  it.each([
    ['in a type of its own', call(1), 'text/plain'],
    ['in a list', `[${call(1)}]`, 'application/json'],
    ['with a mark of byte order', `\ufeff${call(1)}`, 'application/json'],
    ['behind another', `{"jsonrpc":"2.0","id":7,"method":"ping"}\n${call(1)}`, 'application/json'],
    ['in escapes', call(1).replace('tools/call', 't\\u006fols\\/call'), 'application/json'],
    ['with a number that is none', call(1).replace('{}', '{"a":NaN}'), 'application/json'],
    ['in two ways', call(1).replace('"id"', '"method":"ping","id"'), 'application/json'],
  ])('that calls %s: on record before the server has it', async (_, body, type) => {
    let before: string[] = [];
    const on = await wrap((__, response) => {
      before = on.project.entries().map(({ kind }) => kind);
      response.writeHead(202).end();
    });
    await on.post(body, { headers: { 'content-type': type } });
    expect(before.some((kind) => kind === 'tool.call' || kind === 'observation')).toBe(true);
    expect(on.arrived[0]?.body.toString()).toBe(body);
    await on.stop();
  });

  it('that leaves before the answer: the server learns of it, and the ledger', async () => {
    let left = (): void => undefined;
    const gone = new Promise<void>((resolve) => {
      left = resolve;
    });
    let came = (): void => undefined;
    const there = new Promise<void>((resolve) => {
      came = resolve;
    });
    const on = await wrapProcess((_, response) => {
      response.on('close', left);
      came();
    });
    const controller = new AbortController();
    const asking = on.post(call(1), { signal: controller.signal }).catch(() => undefined);
    await there;
    controller.abort();
    await asking;
    await gone;
    await on.stop();
    expect(on.of('tool.result').map(({ payload }) => payload.result)).toEqual(['aborted']);
    await on.project.expectIntact();
  });

  it('that leaves in the middle of its request: nothing is recorded as made', async () => {
    const on = await wrap(plain);
    const text = await exchange(
      on.port,
      `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1:${on.port}\r\ncontent-length: 500\r\n\r\n${call(1)}`,
    );
    expect(text).not.toContain('the answer');
    await on.stop();
    expect([on.arrived.length, on.of('tool.call').length]).toEqual([0, 0]);
  });
});

describe('a server', () => {
  /** Delivered means recorded as answered. */
  async function check(respond: (response: ServerResponse) => unknown): Promise<Reply> {
    const on = await wrap((_, response) => respond(response));
    const reply = await on.post(call(1));
    await on.stop();
    const results = on.of('tool.result').map(({ payload }) => payload.result);
    const delivered =
      reply.body.includes('the answer') || /gzip|br/.test(reply.headers['content-encoding'] ?? '');
    expect(results).toEqual([delivered ? 'ok' : 'aborted']);
    await on.project.expectIntact();
    return reply;
  }

  it.each<[string, Record<string, string>, string | Buffer]>([
    ['with a mark of byte order before its events', EVENTS, `\ufeffdata: ${answer(1)}\n\n`],
    ['with carriage returns', EVENTS, `event: message\rdata: ${answer(1)}\r\r`],
    ['with data in lines', EVENTS, `data: ${answer(1).replaceAll(',"', ',\ndata: "')}\n\n`],
    ['with a comment before each', EVENTS, `: x\n: y\ndata:${answer(1)}\n\n`],
    [
      'in a type that only contains the right one',
      { 'content-type': 'text/plain, application/json' },
      answer(1),
    ],
    [
      'in events of a type that only contains the right one',
      { 'content-type': 'x; text/event-stream' },
      `data: ${answer(1)}\n\n`,
    ],
    ['in capitals', { 'content-type': 'APPLICATION/JSON' }, answer(1)],
    ['without a type', {}, answer(1)],
    ['as text', { 'content-type': 'text/plain' }, answer(1)],
    ['in a list', JSON_TYPE, `[${answer(1)}]`],
  ])('that answers %s: recorded as the answer, and delivered as it is', async (_, headers, body) => {
    const reply = await check((response) => response.writeHead(200, headers).end(body));
    expect(reply.body.toString()).toBe(body.toString());
  });

  it.each([
    ['gzip', gzipSync(answer(1)), JSON_TYPE],
    ['br', brotliCompressSync(answer(1)), JSON_TYPE],
    ['gzip', gzipSync(`data: ${answer(1)}\n\n`), EVENTS],
    ['identity, gzip', gzipSync(answer(1)), JSON_TYPE],
  ])(
    'that compresses (%s) though nobody asked: nothing of it is delivered, the client is told',
    async (coding, body, type) => {
      const reply = await check((response) =>
        response.writeHead(200, { ...type, 'content-encoding': coding }).end(body),
      );
      expect(JSON.parse(reply.body.toString())).toMatchObject({
        id: 1,
        error: { data: { code: 'AUDIT_UNREADABLE' } },
      });
    },
  );

  it.each<[string, (response: ServerResponse) => unknown]>([
    ['dies in a body', (r) => r.writeHead(200, JSON_TYPE).write(answer(1).slice(0, 20), () => r.destroy())],
    [
      'dies in an event',
      (r) => r.writeHead(200, EVENTS).write(`data: ${answer(1).slice(0, 9)}`, () => r.destroy()),
    ],
    ['dies at once', (r) => r.destroy()],
    ['answers with a page', (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<p>log in</p>')],
    ['answers with nothing', (r) => r.writeHead(200, JSON_TYPE).end()],
    ['answers 500', (r) => r.writeHead(500, JSON_TYPE).end('{"error":"x"}')],
    ['answers 429', (r) => r.writeHead(429, { 'retry-after': '1' }).end()],
    ['redirects', (r) => r.writeHead(307, { location: 'http://evil.example/' }).end()],
    ['answers another', (r) => r.writeHead(200, JSON_TYPE).end(answer(2).replace('the answer', 'x'))],
    ['deepens', (r) => r.writeHead(200, JSON_TYPE).end('['.repeat(100_000))],
    ['says half an event and ends', (r) => r.writeHead(200, EVENTS).end(`data: ${answer(1).slice(0, 30)}`)],
  ])('that %s: the ledger says that the call has no answer, and nothing hangs', async (_, respond) => {
    const on = await wrap((__, response) => respond(response));
    await on.post(call(1)).catch(() => undefined);
    await on.stop();
    expect(on.of('tool.call')).toHaveLength(1);
    expect(on.of('tool.result').map(({ payload }) => payload.result)).toEqual(['aborted']);
    await on.project.expectIntact();
  });

  it('that answers twice, to others and to nobody: each is on record before it is delivered', async () => {
    const on = await wrapProcess((_, response) =>
      response
        .writeHead(200, EVENTS)
        .end(
          [answer(1), answer(1), answer('1'), answer(99), answer(null)]
            .map((each) => `data: ${each}\n\n`)
            .join(''),
        ),
    );
    const reply = await on.post(call(1));
    expect(reply.body.toString().match(/the answer/g)).toHaveLength(5);
    await on.stop();
    expect(on.of('tool.result').map(({ payload }) => payload.result)).toEqual(['ok']);
    const problems = on.of('observation').map(({ payload }) => payload.problem);
    expect(problems).toEqual(expect.arrayContaining(['answered-twice', 'unknown-id', 'unknown-id', null]));
  });

  it('what a token, a cookie or a query says is in no file and no output', async () => {
    const secret = ['zq', 'mcp', 'token', '4711'].join('-');
    const on = await wrapProcess((arrived, response) => {
      expect(arrived.headers.authorization).toContain(secret);
      response.writeHead(401, JSON_TYPE).end('{}');
    });
    await ask(`${on.url}?key=${secret}`, call(1), {
      headers: { ...CALL_HEADERS, authorization: `Bearer ${secret}`, cookie: secret, 'x-api-key': secret },
    });
    await ask(`${on.url}/${'x'.repeat(10)}?key=${secret}`, 'not json', {
      headers: { authorization: secret },
    });
    await on.stop();
    for (const { path, bytes } of on.project.files()) expect(bytes.includes(secret), path).toBe(false);
  });
});
