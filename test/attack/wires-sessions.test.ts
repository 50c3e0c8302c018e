// Who may say whose call it is: sessions that are guessed or made up, nonces that many use at once, receipts that are
// asked for by chance; and that no credential is left anywhere, whatever goes wrong.
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { newProject } from '../e2e/recorded-project.ts';
import { expectIntact } from '../file-ledger.ts';
import { ask, type Reply, type Stage, stage, upstream } from '../service/gateway/stage.ts';

const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
const MESSAGE = JSON.stringify({ id: 'msg_1', type: 'message', role: 'assistant', content: [] });
const ID = 'x-counterfoil-receipt-id';

const send = (
  on: Stage,
  headers: Record<string, string> = {},
  path = 'anthropic/v1/messages',
): Promise<Reply> => ask(`${on.url}/${path}`, BODY, { headers });

async function staged(): Promise<Stage> {
  const on = await stage();
  on.upstream.answer = (_, response) => void response.end(MESSAGE);
  return on;
}

describe('a nonce', () => {
  it('C6e that 32 use at once is taken by one of them, and only that goes upstream', async () => {
    const on = await staged();
    for (let round = 0; round < 3; round++) {
      const before = on.upstream.arrived.length;
      const nonce = `race-${round}-nonce`;
      const replies = await Promise.all(
        Array.from({ length: 32 }, (_, i) =>
          send(on, {
            'x-counterfoil-nonce': nonce,
            ...(i % 2 === 0 ? { 'x-counterfoil-session': 'one' } : {}),
          }),
        ),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(31).fill(409)]);
      expect(on.upstream.arrived.length - before).toBe(1);
    }
    await on.stop();
    expect(on.entries('model.call').map(({ payload }) => payload.nonce)).toEqual([
      'race-0-nonce',
      'race-1-nonce',
      'race-2-nonce',
    ]);
    await expectIntact(on.directory);
  });

  it('C6e whose call never got an answer stays used', async () => {
    const on = await staged();
    on.upstream.answer = (_, response) => void response.destroy();
    const nonce = { 'x-counterfoil-nonce': 'used-up-nonce' };
    expect((await send(on, nonce)).status).toBe(502);
    on.upstream.answer = (_, response) => void response.end(MESSAGE);
    expect((await send(on, nonce)).status).toBe(409);
  });
});

describe('a session', () => {
  it.each([
    ['../../../../tmp/x'],
    ['..'],
    ['a/b'],
    ['%2e%2e%2f'],
    ['a b;c'],
    ['__proto__'],
    ['constructor'],
    ['claude-code x'],
    ['0'.repeat(63)],
    ['A'.repeat(64)],
    ['\u00e9\u00ff'],
  ])('by the name %j is a name, whatever else it looks like', async (name) => {
    const on = await staged();
    const before = readdirSync(on.directory, { recursive: true, encoding: 'utf8' }).length;
    for (const header of ['x-counterfoil-session', 'x-claude-code-session-id']) {
      const reply = await send(on, { [header]: Buffer.from(name).toString('latin1') });
      expect([200, 400]).toContain(reply.status);
    }
    await on.stop();
    const sessions = new Set(on.entries('model.call').map(({ session_id }) => session_id));
    expect(sessions.size).toBe(on.upstream.arrived.length);
    expect(readdirSync(on.directory, { recursive: true, encoding: 'utf8' }).length - before).toBeLessThan(20);
    await expectIntact(on.directory);
  });

  it('by an id that the ledger does not have, or has of something else, is nobody’s', async () => {
    const on = await staged();
    await send(on);
    const [open] = on.entries('ledger.open');
    const [call] = on.entries('model.call');
    const ids = [
      '0'.repeat(64),
      'f'.repeat(64),
      open?.entry_hash ?? '',
      call?.entry_hash ?? '',
      (call?.session_id ?? '').replace(/.$/, (digit) => (digit === '0' ? '1' : '0')),
    ];
    for (const id of ids) {
      expect((await send(on, { 'x-counterfoil-session': id })).status, id).toBe(404);
      expect((await send(on, {}, `session/${id}/anthropic/v1/messages`)).status, id).toBe(404);
    }
    expect(on.upstream.arrived).toHaveLength(1);
  });

  it('that has ended can be named, and breaks nothing', async () => {
    const project = await newProject();
    const to = await upstream((_, response) => void response.end(MESSAGE));
    const { port, child } = await project.serve(['--port', '0', '--upstream', `anthropic=${to.url}`]);
    const url = `http://127.0.0.1:${port}`;
    await ask(`${url}/anthropic/v1/messages`, BODY);
    const ended = (): boolean => project.entries().some(({ kind }) => kind === 'session.end');
    while (!ended()) await new Promise(setImmediate);
    const id = project.entries().find(({ kind }) => kind === 'model.call')?.session_id ?? '';
    const reply = await ask(`${url}/session/${id}/anthropic/v1/messages`, BODY);
    expect([200, 404]).toContain(reply.status);
    expect(to.arrived).toHaveLength(project.entries().filter(({ kind }) => kind === 'model.call').length);
    child.kill('SIGTERM');
    await once(child, 'exit');
    await project.expectIntact();
  });
});

describe('a receipt', () => {
  it('is had by its whole id alone', async () => {
    const on = await staged();
    const reply = await send(on);
    const id = String(reply.headers[ID]);
    let found: Reply;
    do found = await ask(`${on.url}/receipts/${id}`, null);
    while (found.status === 404);
    expect(found.status).toBe(200);
    // It says nothing of what was said.
    expect(found.body.toString()).not.toMatch(/"Hi"|msg_1/);
    const [seq = '', word = ''] = id.split('-');
    for (const guess of [
      seq,
      `${seq}-`,
      `${seq}-${'0'.repeat(32)}`,
      `${seq}-${word.slice(0, 31)}`,
      `${seq}-${word}0`,
      `${seq}-${word.replace(/.$/, 'A')}`,
      `0${seq}-${word}`,
      `+${seq}-${word}`,
      `${Number(seq) + 1}-${word}`,
      `1e0-${word}`,
      `${'9'.repeat(400)}-${word}`,
      `9007199254740993-${word}`,
      `-1-${word}`,
      `${seq}-${word}/..`,
      `../receipts/${seq}`,
      '%00',
      '*',
    ])
      expect((await ask(`${on.url}/receipts/${guess}`, null)).status, guess).toBe(404);
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
      expect((await ask(`${on.url}/receipts/${id}`, null, { method })).status).toBe(405);
  });
});

describe('a credential', () => {
  it('G15c is in no file of the ledger, no log and no error, whatever goes wrong', async () => {
    const project = await newProject();
    const secret = ['zq9', 'Credential', String(4711 * 3), 'xK'].join('_');
    let mode = 0;
    const to = await upstream((arrived, response) => {
      expect(JSON.stringify(arrived.rawHeaders) + arrived.url).toContain(secret);
      mode += 1;
      if (mode === 1) response.end(MESSAGE);
      else if (mode === 2) response.writeHead(401, { 'content-type': 'text/html' }).end('<p>no</p>');
      else if (mode === 3) response.destroy();
      else response.socket?.end(`HTTP/1.1 nonsense ${secret}\r\n\r\n`);
    });
    const dead = 'http://127.0.0.1:1';
    const { port, child, token } = await project.serve([
      '--port',
      '0',
      '--upstream',
      `anthropic=${to.url}`,
      '--upstream',
      `openai=${dead}`,
    ]);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: Buffer) => {
        output += piece.toString();
      });
    const headers = {
      authorization: `Bearer ${secret}`,
      'x-api-key': secret,
      'x-goog-api-key': secret,
      'api-key': secret,
      cookie: `s=${secret}`,
      'proxy-authorization': `Basic ${secret}`,
      'openai-organization': secret,
    };
    const told: string[] = [];
    const url = `http://127.0.0.1:${port}`;
    for (const path of [
      `anthropic/v1/messages?key=${secret}`,
      `anthropic/v1/messages?key=${secret}`,
      `anthropic/v1/messages?key=${secret}#${secret}`,
      `anthropic/v1/messages?key=${secret}`,
      `openai/v1/chat/completions?key=${secret}`,
      `proxy/none/x?key=${secret}`,
      `session/${'0'.repeat(64)}/anthropic/x?key=${secret}`,
      `nowhere?key=${secret}`,
      `receipts/x?key=${secret}`,
    ]) {
      const reply = await ask(`${url}/${path}`, BODY, { headers });
      if (reply.status !== 200) told.push(reply.body.toString() + JSON.stringify(reply.headers));
    }
    await ask(`${url}/anthropic/v1/messages?key=${secret}`, BODY, {
      headers: { ...headers, 'x-counterfoil-nonce': 'no nonce' },
    }).then(({ body }) => told.push(body.toString()));
    // A browser's way to hand over a key.
    const socket = new WebSocket(
      `ws://127.0.0.1:${port}/openai/v1/responses?key=${secret}`,
      ['realtime', `openai-insecure-api-key.${secret}`],
      { headers },
    );
    await once(socket, 'error').catch(() => undefined);
    child.kill('SIGTERM');
    await once(child, 'exit');
    expect(told.length).toBeGreaterThan(6);
    for (const text of told) expect(text).not.toContain(secret);
    expect(output).not.toContain(secret);
    let files = 0;
    for (const { path, bytes } of project.files()) {
      files += 1;
      expect(bytes.includes(secret), path).toBe(false);
      if (!path.endsWith(join('service', 'token'))) expect(bytes.includes(token), path).toBe(false);
    }
    expect(files).toBeGreaterThan(5);
    await project.expectIntact();
  });
});
