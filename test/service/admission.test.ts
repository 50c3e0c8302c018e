// Who is let in. Each refusal is asked of a real server, and each has a neighbour that is let in.
import { describe, expect, it } from 'vitest';
import { overSocket, overTcp, send, serving } from './serving.ts';

describe('over TCP', () => {
  it.each([
    ['the right token', (token: string) => `Bearer ${token}`, 200],
    ['the scheme in lower case', (token: string) => `bearer ${token}`, 200],
    ['none', () => undefined, 401],
    ['an empty one', () => '', 401],
    ['the token alone', (token: string) => token, 401],
    ['another scheme', (token: string) => `Basic ${token}`, 401],
    ['another token', () => `Bearer ${'0'.repeat(64)}`, 401],
    ['one digit less', (token: string) => `Bearer ${token.slice(1)}`, 401],
    ['one digit more', (token: string) => `Bearer ${token}0`, 401],
    ['spaces', () => `Bearer ${' '.repeat(64)}`, 401],
  ])('with %s', async (_, authorization, status) => {
    const served = await serving();
    const { port } = served.service.state;
    const shown = authorization(served.token);
    const headers = shown === undefined ? {} : { authorization: shown };
    for (const [method, path] of [
      ['POST', '/v1/hook/claude-code'],
      ['GET', '/v1/health'],
      ['POST', '/v1/seal'],
    ]) {
      const reply = await send({ host: '127.0.0.1', port, path, method, headers });
      expect([path, reply.status]).toEqual([path, status]);
    }
    expect(served.recording.told.length).toBe(status === 200 ? 1 : 0);
  });

  it.each([
    ['127.0.0.1:PORT', 200],
    ['localhost:PORT', 200],
    ['127.0.0.1', 403],
    ['localhost', 403],
    ['127.0.0.1:1', 403],
    ['evil.example:PORT', 403],
    ['127.0.0.1.evil.example:PORT', 403],
    ['localhost:PORT.evil.example', 'refused'],
    ['[::1]:PORT', 403],
    ['0.0.0.0:PORT', 403],
    ['127.1:PORT', 'refused'],
  ])('Host %j', async (host, expected) => {
    const served = await serving();
    const port = String(served.service.state.port);
    const { status } = await overTcp(served, { headers: { host: host.replace('PORT', port) } });
    if (expected === 'refused') expect([400, 403]).toContain(status);
    else expect(status).toBe(expected);
    expect(served.recording.told.length).toBe(expected === 200 ? 1 : 0);
  });

  it('a request target that names another host does not stand in for Host', async () => {
    const served = await serving();
    const port = String(served.service.state.port);
    const { status } = await overTcp(served, {
      path: `http://127.0.0.1:${port}/v1/hook/claude-code`,
      headers: { host: 'evil.example' },
    });
    expect(status).toBe(403);
  });
});

describe('from a web page', () => {
  it.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://127.0.0.1' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-origin' }],
  ])('%j is turned away, token or not, on the socket too', async (headers) => {
    const served = await serving();
    for (const ask of [overTcp, overSocket]) {
      const reply = await ask(served, { headers });
      expect([reply.status, reply.body]).toEqual([403, '{"error":"web pages may not use this service"}']);
      expect(reply.headers.connection).toBe('close');
    }
    const asked = { ...headers, 'access-control-request-method': 'POST' };
    const preflight = await overTcp(served, { method: 'OPTIONS', headers: asked }, '');
    expect(preflight.status).toBe(403);
    expect(Object.keys(preflight.headers).join()).not.toContain('access-control');
    expect(served.recording.told).toEqual([]);
  });
});

describe('the body', () => {
  it.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['APPLICATION/JSON', 200],
    [undefined, 200],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['multipart/form-data; boundary=x', 415],
    ['application/jsonp', 415],
  ])('of type %s is %d', async (type, status) => {
    const served = await serving();
    const headers = type === undefined ? {} : { 'content-type': type };
    expect((await overSocket(served, { headers })).status).toBe(status);
  });

  it('is not taken compressed', async () => {
    const served = await serving();
    expect((await overTcp(served, { headers: { 'content-encoding': 'gzip' } })).status).toBe(415);
    expect((await overTcp(served, { headers: { 'content-encoding': 'identity' } })).status).toBe(200);
  });
});

describe('on a socket that is shared with another user', () => {
  it('events can be told, and nothing else done', async () => {
    const served = await serving({ socketGroup: process.getgid?.() ?? 0 });
    expect((await overSocket(served)).status).toBe(200);
    expect((await overSocket(served, { path: '/v1/stop' })).status).toBe(403);
    expect((await overSocket(served, { path: '/v1/seal' })).status).toBe(403);
    const { body } = await overSocket(served, { method: 'GET', path: '/v1/health' }, '');
    expect(JSON.parse(body).ledger).toEqual({ id: '0123456789abcdef' });
    expect((await overTcp(served, { path: '/v1/seal' })).status).toBe(200);
  });
});
