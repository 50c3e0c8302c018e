// `foil mcp wrap --http`: the real server over streamable HTTP behaves the same through it; a server that misbehaves, and
// one that asks for a token, are shown as they are; what can't be recorded is refused.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createPort } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Entry } from '../../src/format/index.ts';
import { httpHere } from './mcp-client.ts';
import { connectHttp, runEverything, timeless } from './mcp-script.ts';
import { newProject, type Project } from './recorded-project.ts';

const EVERYTHING = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const JSON_TYPE = { 'content-type': 'application/json' };
const EVENTS = { 'content-type': 'text/event-stream' };

interface Wrapped {
  readonly url: string;
  stop(): Promise<void>;
}

async function wrap(project: Project, upstream: string): Promise<Wrapped> {
  const child = project.start([
    'mcp',
    'wrap',
    '--http',
    upstream,
    '--ledger',
    project.directory,
    '--name',
    'web',
    '--json',
  ]);
  const { url } = JSON.parse(await firstLine(child)) as { url: string };
  return {
    url,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('\n')) resolve(text);
    });
    child.once('exit', () => reject(new Error(`it ended: ${text}`)));
  });
}

type Answer = (request: IncomingMessage, body: string, response: ServerResponse) => void;

/** A server of the test's own. */
async function upstream(answer: Answer): Promise<string> {
  const server = createServer(async (incoming, response) => {
    let body = '';
    for await (const chunk of incoming) body += String(chunk);
    answer(incoming, body, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function freePort(): Promise<number> {
  const server = createPort().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const call = (id: unknown, name = 'echo', args: unknown = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
const answerTo = (id: unknown, text = 'hi'): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
const post = (url: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body,
    headers: { ...JSON_TYPE, accept: 'application/json, text/event-stream', ...headers },
  });
const of = (project: Project, kind: string): Entry[] =>
  project.entries().filter((entry) => entry.kind === kind);

describe.each(['v1', 'v2'] as const)('under the SDK client %s', (version) => {
  it('K9f server-everything over HTTP does through the proxy what it does without it', async () => {
    const project = await newProject();
    const port = await freePort();
    const server = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
      env: { ...project.env, PORT: String(port) },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void server.kill('SIGKILL'));
    await new Promise<void>((resolve) => {
      server.stderr.on('data', (chunk: Buffer) => void (chunk.includes('listening') && resolve()));
    });
    const url = `http://127.0.0.1:${port}/mcp`;
    const script = async (address: string): Promise<unknown> => {
      const client = await connectHttp(version, address, project.work);
      try {
        return await runEverything(client);
      } finally {
        await client.close();
      }
    };
    const expected = await script(url);
    const wrapped = await wrap(project, url);
    expect(timeless(await script(wrapped.url))).toEqual(timeless(expected));
    await wrapped.stop();
    expect(of(project, 'tool.result')).toHaveLength(of(project, 'tool.call').length);
    expect(of(project, 'tool.call').length).toBeGreaterThan(40);
    await project.expectIntact();
  });
});

describe('foil mcp wrap --http', () => {
  it('K9f, K9a: hands on bodies byte for byte, as JSON and as events, however they are split', async () => {
    const project = await newProject();
    const bodies: string[] = [];
    const events = [
      ': ping\n\n',
      `event: message\nid: 7\ndata: ${answerTo(1, 'é')}\n\n`,
      `data: {"jsonrpc":"2.0",\ndata:  "method":"notifications/message"}\r\n\r\n`,
      'retry: 10\n\n',
      `data:${answerTo('x').slice(0, 30)}`,
    ].join('');
    const pretty = JSON.stringify(JSON.parse(answerTo(2)), null, 2);
    const address = await upstream((incoming, body, response) => {
      bodies.push(`${incoming.method} ${incoming.url} ${incoming.headers['x-own']} ${body}`);
      if (!body.includes('"id":1')) {
        response.writeHead(200, JSON_TYPE).end(pretty);
        return;
      }
      response.writeHead(200, { ...EVENTS, 'x-server': 'yes' });
      const bytes = Buffer.from(events);
      const next = (at: number): void => {
        if (at >= bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 3), () => setImmediate(next, at + 3));
      };
      next(0);
    });
    const { url, stop } = await httpHere(project, `${address}?tenant=1`);
    expect(url).toMatch(/\/mcp\?tenant=1$/);
    const first = await post(url, call(1), { 'x-own': 'a' });
    expect(first.headers.get('x-server')).toBe('yes');
    expect(await first.text()).toBe(events);
    expect(await (await post(url, ` ${call(2)}\n`, { 'x-own': 'b' })).text()).toBe(pretty);
    expect(bodies).toEqual([`POST /mcp?tenant=1 a ${call(1)}`, `POST /mcp?tenant=1 b  ${call(2)}\n`]);
    await stop();
    expect(of(project, 'tool.result').map(({ payload }) => payload.result)).toEqual(['ok', 'ok']);
    await project.expectIntact();
  });

  it('K9f shows errors, pages and a server that is not there as they are, and records how calls ended', async () => {
    const project = await newProject();
    const address = await upstream((_, body, response) => {
      if (body.includes('"page"')) response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hi</p>');
      else if (body.includes('"break"'))
        response.writeHead(200, EVENTS).write('data: {"jsonrpc"', () => response.destroy());
      else response.writeHead(503, { 'retry-after': '9' }).end('busy');
    });
    const { url, stop } = await httpHere(project, address, 'web');
    const busy = await post(url, call(1, 'busy'));
    expect([busy.status, busy.headers.get('retry-after'), await busy.text()]).toEqual([503, '9', 'busy']);
    expect(await (await post(url, call(2, 'page'))).text()).toBe('<p>hi</p>');
    await expect(post(url, call(3, 'break')).then((response) => response.text())).rejects.toThrow();
    await stop();
    const gone = await httpHere(project, `http://127.0.0.1:${await freePort()}/mcp`);
    expect((await post(gone.url, call(4, 'gone'))).status).toBe(502);
    await gone.stop();
    expect(
      of(project, 'tool.result').map(({ payload }) => [payload.tool, payload.result, payload.error_code]),
    ).toEqual([
      ['busy', 'aborted', 'HTTP_503'],
      ['page', 'aborted', 'NOT_JSON'],
      ['break', 'aborted', 'NOT_ANSWERED'],
      ['gone', 'aborted', 'NOT_REACHED'],
    ]);
  });

  it('K9f, K8a, K8b: refuses what can not be recorded', async () => {
    const project = await newProject();
    let reached = 0;
    let remove = (): void => undefined;
    const address = await upstream((_, body, response) => {
      reached += 1;
      remove();
      if (body.includes('"events"'))
        response.writeHead(200, EVENTS).end(`data: ${answerTo(1, 'secret')}\n\n`);
      else if (body.includes('"ping"'))
        response.writeHead(200, JSON_TYPE).end('{"jsonrpc":"2.0","id":9,"result":{}}');
      else response.writeHead(200, JSON_TYPE).end(answerTo((JSON.parse(body) as { id: number }).id));
    });
    const { url, stop } = await wrap(project, address);
    expect(await (await post(url, call(1))).json()).toMatchObject({ result: {} });
    remove = () => rmSync(project.directory, { recursive: true, force: true });
    const withheld = await (await post(url, call(1, 'events'))).text();
    expect(withheld).toMatch(/^event: message\ndata: .*AUDIT_APPEND_FAILED.*\n\n$/);
    expect(withheld).not.toContain('secret');
    const refused = await post(url, call(3));
    expect(await refused.json()).toMatchObject({ id: 3, error: { data: { code: 'AUDIT_APPEND_FAILED' } } });
    expect(reached).toBe(2);
    const ping = await post(url, '{"jsonrpc":"2.0","id":9,"method":"ping"}');
    expect(await ping.json()).toEqual({ jsonrpc: '2.0', id: 9, result: {} });
    await stop();
  });

  it('K9f passes 40 MB up and down as they come', async () => {
    const project = await newProject();
    const size = 40_000_000;
    const address = await upstream((_, body, response) => {
      response.writeHead(200, JSON_TYPE).end(answerTo(1, `${body.length} ${'y'.repeat(size)}`));
    });
    const { url, stop } = await wrap(project, address);
    const sent = call(1, 'echo', { text: 'x'.repeat(size) });
    const text = await (await post(url, sent)).text();
    expect(text.length).toBeGreaterThan(size);
    expect(text.slice(0, 100)).toContain(String(sent.length));
    await stop();
    expect(of(project, 'tool.call')[0]?.payload).toMatchObject({ oversized: true, args_bytes: sent.length });
    expect(of(project, 'tool.result')[0]?.payload).toMatchObject({ oversized: true, result: 'ok' });
    await project.expectIntact();
  });

  it('keeps sessions apart whose ids are the same, and ends one with DELETE', async () => {
    const project = await newProject();
    const waiting: (() => void)[] = [];
    const address = await upstream((incoming, body, response) => {
      const session = String(incoming.headers['mcp-session-id']);
      if (body.includes('initialize')) {
        const made = { 'mcp-session-id': body.includes('one') ? 'one' : 'two' };
        response.writeHead(200, { ...JSON_TYPE, ...made }).end('{"jsonrpc":"2.0","id":0,"result":{}}');
      } else if (incoming.method === 'DELETE') response.writeHead(200).end();
      else waiting.push(() => response.writeHead(200, JSON_TYPE).end(answerTo(1, session)));
      if (waiting.length === 2) for (const go of waiting.splice(0).reverse()) go();
    });
    const { url, stop } = await httpHere(project, address);
    for (const name of ['one', 'two'])
      await post(url, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"n":"${name}"}}`);
    const texts = await Promise.all(
      ['one', 'two'].map(async (session) => {
        const answer = await post(url, call(1, session), { 'mcp-session-id': session });
        return answer.text();
      }),
    );
    expect(texts).toEqual([answerTo(1, 'one'), answerTo(1, 'two')]);
    await fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': 'one' } });
    await stop();
    for (const result of of(project, 'tool.result')) {
      const made = of(project, 'tool.call').find(({ seq }) => seq === result.cause);
      expect(await project.content(result, 'output')).toContain(String(made?.payload.tool));
    }
  });

  it('lets nobody in who asks for another host', async () => {
    const project = await newProject();
    const address = await upstream((_, __, response) => response.end('x'));
    const { url, stop } = await httpHere(project, address);
    const status = await new Promise((resolve) => {
      request(url, { headers: { host: 'evil.example' } }, (answer) =>
        resolve(answer.resume().statusCode),
      ).end();
    });
    expect(status).toBe(403);
    await stop();
  });
});

describe('OAuth through the proxy', () => {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'none' })}.${part({ iss: 'https://as', sub: 'ada@example.com' })}.sig`;

  it('K9f is discovered at the proxy, and the token is asked for the server itself', async () => {
    const project = await newProject();
    const forms: string[] = [];
    const issuer = (await upstream((incoming, body, response) => {
      if (incoming.url === '/.well-known/oauth-authorization-server/mcp')
        response.writeHead(200, JSON_TYPE).end(
          JSON.stringify({
            issuer,
            authorization_endpoint: `${issuer}/authorize?x=1`,
            token_endpoint: `${issuer}/token`,
            registration_endpoint: `${issuer}/register`,
          }),
        );
      else {
        forms.push(`${incoming.url} ${body}`);
        response.writeHead(200, JSON_TYPE).end('{"access_token":"t"}');
      }
    })) as string;
    const address: string = await upstream((incoming, _, response) => {
      if (incoming.url === '/.well-known/oauth-protected-resource/mcp')
        response
          .writeHead(200, JSON_TYPE)
          .end(JSON.stringify({ resource: address, authorization_servers: [issuer] }));
      else if (incoming.headers.authorization !== `Bearer ${token}`)
        response
          .writeHead(401, {
            'www-authenticate': `Bearer resource_metadata="${new URL(address).origin}/.well-known/oauth-protected-resource/mcp"`,
          })
          .end();
      else response.writeHead(200, JSON_TYPE).end(answerTo(1));
    });
    const { url, stop } = await wrap(project, address);
    const { origin } = new URL(url);
    const challenge = (await post(url, call(1))).headers.get('www-authenticate');
    expect(challenge).toBe(`Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`);
    const resource = (await (await fetch(`${origin}/.well-known/oauth-protected-resource/mcp`)).json()) as {
      resource: string;
      authorization_servers: string[];
    };
    expect(resource.resource).toBe(url);
    const told = new URL(resource.authorization_servers[0] ?? '');
    const metadata = (await (
      await fetch(`${origin}/.well-known/oauth-authorization-server${told.pathname}`)
    ).json()) as Record<string, string>;
    expect(metadata).toMatchObject({ issuer: told.href, registration_endpoint: `${issuer}/register` });
    const asked = `${metadata.authorization_endpoint}?client_id=c&resource=${encodeURIComponent(url)}`;
    const browser = await fetch(asked, { redirect: 'manual' });
    const there = new URL(browser.headers.get('location') ?? '');
    expect(`${there.origin}${there.pathname}`).toBe(`${issuer}/authorize`);
    expect(Object.fromEntries(there.searchParams)).toEqual({ x: '1', client_id: 'c', resource: address });
    const form = new URLSearchParams({ grant_type: 'authorization_code', code: 'c', resource: url });
    const granted = await fetch(metadata.token_endpoint ?? '', { method: 'POST', body: form });
    expect(await granted.json()).toEqual({ access_token: 't' });
    expect(forms).toEqual([
      `/mcp/token grant_type=authorization_code&code=c&resource=${encodeURIComponent(address)}`,
    ]);
    await post(url, call(1), { authorization: `Bearer ${token}` });
    await post(url, call(1), { authorization: `Bearer ${token}` });
    await stop();
    const callers = of(project, 'tool.call').map(({ payload }) => payload.caller);
    expect(callers).toEqual([undefined, expect.stringMatching(/^[0-9a-f]{64}$/), callers[1]]);
    for (const { path, bytes } of project.files()) {
      for (const secret of [token, 'ada@example.com', 'access_token', 'grant_type'])
        expect(bytes.includes(secret), `${path} ${secret}`).toBe(false);
    }
  });
});
