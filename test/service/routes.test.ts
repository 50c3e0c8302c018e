// What the service answers, over TCP and over its socket, from a real server with a real ledger behind it.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANSWER_TYPE, postHook } from '../../src/service/index.ts';
import { expectIntact } from '../file-ledger.ts';
import { overSocket, overTcp, type Serving, serving } from './serving.ts';

const DENY = '{"hookSpecificOutput":{"permissionDecision":"deny"}}';

describe('a hook', () => {
  it.each([
    ['TCP', overTcp],
    ['the socket', overSocket],
  ] as const)('over %s gets exactly what the host is to read, once it is durable', async (_, ask) => {
    const served = await serving();
    const quiet = await ask(served, { path: '/v1/hook/claude-code?event=PreToolUse' });
    expect([quiet.status, quiet.body, quiet.headers['content-length']]).toEqual([200, '', '0']);
    served.recording.answer = () => ({ exit: 2, stdout: DENY, stderr: 'why' });
    const denied = await ask(served);
    expect([denied.status, denied.body]).toEqual([200, DENY]);
    expect(denied.headers['content-type']).toBe('application/json');
    expect(served.recording.told.map(({ agent, event }) => [agent, event])).toEqual([
      ['claude-code', 'PreToolUse'],
      ['claude-code', null],
    ]);
    await served.recording.ledger.seal();
    expect((await expectIntact(served.ledger)).counts).toMatchObject({ entries: 3 });
  });

  it('hands its bytes on as they came, whatever they are', async () => {
    const served = await serving();
    const bodies = [Buffer.alloc(0), Buffer.from('not json \u0000 \ud83d\ude00'), randomBytes(300_000)];
    for (const body of bodies) await overTcp(served, {}, body);
    expect(served.recording.told.map(({ body }) => body?.equals(bodies.shift() as Buffer))).toEqual([
      true,
      true,
      true,
    ]);
  });

  it('gets exit code and both outputs where it asks for them', async () => {
    const served = await serving();
    const answer = { exit: 2, stdout: '', stderr: 'no record, no action \u2013 \n' };
    served.recording.answer = () => answer;
    const { status, body } = await overTcp(served, { headers: { accept: ANSWER_TYPE } });
    expect([status, JSON.parse(body)]).toEqual([200, answer]);
    const { socket } = served.service.state;
    const told = { socket, agent: 'gemini', event: 'BeforeTool', body: Buffer.from('{"a":1}') };
    expect(await postHook({ ...told, timeoutMs: 10_000 })).toEqual(answer);
    expect(served.recording.told.at(-1)).toEqual({ agent: 'gemini', event: 'BeforeTool', body: told.body });
  });

  it('is a failure to an HTTP host where only an exit code says no', async () => {
    const served = await serving();
    served.recording.answer = () => ({ exit: 2, stdout: '', stderr: 'the reason' });
    const { status, body } = await overTcp(served);
    expect([status, body]).toEqual([500, '{"error":"denied"}']);
  });

  it('that the recording fails on is a failure, and nothing of the error is told or logged', async () => {
    const served = await serving();
    served.recording.answer = () => Promise.reject(new TypeError('a password in /home/user'));
    for (const ask of [overTcp, overSocket]) {
      const { status, body } = await ask(served);
      expect([status, body]).toEqual([500, '{"error":"failed"}']);
    }
    const log = readFileSync(join(served.ledger, 'service/log'), 'utf8');
    expect(log).toContain('a request failed: TypeError');
    expect(log).not.toContain('password');
    served.recording.answer = () => ({ exit: 0, stdout: '', stderr: '' });
    expect((await overTcp(served)).status).toBe(200);
  });

  it('may come on many connections at once, and none is lost', async () => {
    const served = await serving();
    const replies = await Promise.all(Array.from({ length: 100 }, () => overTcp(served)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await served.recording.ledger.store.head()).seq).toBe(101);
  });
});

describe('the other routes', () => {
  it('health says who serves what, and how quickly', async () => {
    const served = await serving();
    const health = async (): Promise<unknown> =>
      JSON.parse((await overTcp(served, { method: 'GET', path: '/v1/health' }, '')).body);
    expect(await health()).toEqual({
      v: 1,
      version: '1.2.3',
      build: null,
      pid: process.pid,
      ledger: { id: '0123456789abcdef', directory: served.ledger },
      mode: 'observe',
      uptime_ms: expect.any(Number),
      port: served.service.state.port,
      problem: null,
      requests: 0,
      latency: { count: 0, p50_ms: null, p95_ms: null },
    });
    for (let i = 0; i < 3; i++) await overTcp(served);
    expect(await health()).toMatchObject({
      requests: 3,
      latency: { count: 3, p50_ms: expect.any(Number), p95_ms: expect.any(Number) },
    });
  });

  it('seal seals', async () => {
    const served = await serving();
    await overTcp(served);
    expect((await overTcp(served, { path: '/v1/seal' }, '')).status).toBe(200);
    expect((await served.recording.ledger.sealed())?.checkpoint.size).toBe(2);
  });

  it('stop is answered, then the service leaves', async () => {
    const served = await serving();
    const { status, body } = await overSocket(served, { path: '/v1/stop' }, '');
    expect([status, body]).toEqual([202, '{"stopping":true}']);
    expect(await served.service.ended).toBe('asked');
    expect(served.recording.closed).toBe(true);
  });

  it.each([
    ['GET', '/v1/hook/claude-code', 405],
    ['PUT', '/v1/hook/claude-code', 405],
    ['OPTIONS', '/v1/hook/claude-code', 405],
    ['POST', '/v1/health', 405],
    ['GET', '/v1/stop', 405],
    ['GET', '/v1/seal', 405],
    ['GET', '/', 404],
    ['POST', '/v1/hook', 404],
    ['POST', '/v1/hook/a/b', 404],
    ['POST', '/v2/hook/claude-code', 404],
    ['POST', '/v1/hook/..%2f..%2fetc', 400],
    ['POST', '/v1/hook/Claude', 400],
    ['POST', '/v1/hook/claude%2Dcode', 400],
    ['HEAD', '/v1/health', 200],
    ['POST', `/v1/hook/${'a'.repeat(65)}`, 400],
    ['POST', '/v1/hook/claude-code?event=a%0Ab', 400],
    ['POST', `/v1/hook/claude-code?event=${'a'.repeat(129)}`, 400],
    ['POST', '/v1/hook/claude-code?event=', 400],
  ])('%s %s is %d, and nothing is recorded', async (method, path, status) => {
    const served: Serving = await serving();
    const reply = await overTcp(served, { method, path }, '');
    expect(reply.status).toBe(status);
    expect(reply.body).not.toContain(served.ledger);
    expect(served.recording.told).toEqual([]);
    expect(Object.keys(reply.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});
