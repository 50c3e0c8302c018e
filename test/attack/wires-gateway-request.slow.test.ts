// What a hostile client may send to the gateway: requests that two readers could cut differently, targets that point
// elsewhere, names that are members of every object. Nothing leaves for a place that the owner did not name, and nothing
// without its entry.
import { describe, expect, it } from 'vitest';
import { expectIntact } from '../file-ledger.ts';
import { ask, stage } from '../service/gateway/stage.ts';
import { dial, exchange, rawUpstream, statusOf } from './wire-ends.ts';

const BODY = '{"model":"m","messages":[{"role":"user","content":"Hi"}]}';
const MESSAGE = '{"id":"msg_1","type":"message","role":"assistant","content":[]}';

const head = (port: number | null, lines: readonly string[], target = '/anthropic/v1/messages'): string =>
  `POST ${target} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;

describe('a request that two readers cut differently', () => {
  const hidden = 'GET /admin HTTP/1.1\r\nhost: x\r\n\r\n';
  it.each([
    ['two lengths', [`content-length: ${BODY.length}`, 'content-length: 5'], BODY],
    ['two equal lengths', [`content-length: ${BODY.length}`, `content-length: ${BODY.length}`], BODY],
    ['a list of lengths', [`content-length: ${BODY.length}, 5`], BODY],
    ['a length with a sign', [`content-length: +${BODY.length}`], BODY],
    ['a length in hex', ['content-length: 0x10'], BODY],
    ['a negative length', ['content-length: -1'], BODY],
    ['a length past all numbers', ['content-length: 18446744073709551617'], BODY],
    ['chunks and a length', ['transfer-encoding: chunked', 'content-length: 5'], `0\r\n\r\n${hidden}`],
    ['a length and chunks', ['content-length: 5', 'transfer-encoding: chunked'], `0\r\n\r\n${hidden}`],
    ['chunked, in other words', ['transfer-encoding: xchunked'], `0\r\n\r\n${hidden}`],
    ['chunked, and not last', ['transfer-encoding: chunked, identity'], `0\r\n\r\n${hidden}`],
    ['a space before the colon', ['transfer-encoding : chunked'], `0\r\n\r\n${hidden}`],
    ['a bare line feed', ['x-a: b\ntransfer-encoding: chunked'], `0\r\n\r\n${hidden}`],
    ['a bare carriage return', ['x-a: b\rtransfer-encoding: chunked'], `0\r\n\r\n${hidden}`],
    ['a zero byte', ['x-a: b\0c'], ''],
    ['a chunk with a sign', ['transfer-encoding: chunked'], `-5\r\nhello\r\n0\r\n\r\n`],
    ['a chunk longer than said', ['transfer-encoding: chunked'], `2\r\nhello\r\n0\r\n\r\n`],
  ])('by %s is refused, and nothing of it goes anywhere', async (_, lines, body) => {
    const on = await stage();
    const { port } = on.service.state;
    const text = await exchange(port, head(port, lines) + body);
    expect([400, 413]).toContain(statusOf(text));
    await on.stop();
    expect(on.upstream.arrived).toEqual([]);
    expect(on.entries('model.call')).toEqual([]);
  });

  it.each([
    ['folded over two lines', ['x-long: a', ' b: c']],
    ['with a name twice', ['x-api-key: one', 'x-api-key: two']],
  ])('a header %s never becomes another one upstream', async (_, lines) => {
    const to = await rawUpstream(({ socket }) =>
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-length: ${MESSAGE.length}\r\nconnection: close\r\n\r\n${MESSAGE}`,
      ),
    );
    const on = await stage({ upstream: { url: to.url, arrived: [], answer: () => undefined } });
    const { port } = on.service.state;
    const text = await exchange(
      port,
      head(port, [...lines, `content-length: ${BODY.length}`, 'connection: close']) + BODY,
      false,
    );
    expect([200, 400]).toContain(statusOf(text));
    for (const { text: sent } of to.talks) {
      expect(sent()).not.toMatch(/^ ?b: c/m);
      expect(sent().endsWith(`\r\n\r\n${BODY}`)).toBe(true);
    }
  });

  it('what the upstream is sent says one length, and no header that is of one connection', async () => {
    const to = await rawUpstream(({ socket }) =>
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-length: ${MESSAGE.length}\r\nconnection: close\r\n\r\n${MESSAGE}`,
      ),
    );
    const on = await stage({ upstream: { url: to.url, arrived: [], answer: () => undefined } });
    const { port } = on.service.state;
    const lines = [
      'transfer-encoding: chunked',
      'connection: close, x-mine, x-counterfoil-nonce',
      'x-mine: 1',
      'keep-alive: timeout=99',
      'proxy-connection: keep-alive',
      'proxy-authorization: Basic eA==',
      'upgrade: h2c',
      'te: trailers',
      'trailer: x-late',
      'expect: 100-continue',
      'x-counterfoil-session: mine',
    ];
    const body = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\nx-late: 1\r\n\r\n`;
    const text = await exchange(port, head(port, lines) + body, false);
    expect(text).toContain(MESSAGE);
    const sent = to.talks[0]?.text() ?? '';
    const names = sent
      .slice(0, sent.indexOf('\r\n\r\n'))
      .split('\r\n')
      .slice(1)
      .map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
    expect(names.filter((name) => name === 'content-length' || name === 'transfer-encoding')).toHaveLength(1);
    for (const name of ['x-mine', 'keep-alive', 'proxy-connection', 'upgrade', 'trailer', 'expect'])
      expect(names).not.toContain(name);
    for (const name of names) expect(name).not.toMatch(/^x-counterfoil/);
  });

  it('two requests in one packet are two calls, and their answers come in order', async () => {
    const on = await stage();
    on.upstream.answer = (arrived, response) =>
      void setImmediate(() => response.end(`{"id":"${JSON.parse(arrived.body.toString()).model}"}`));
    const { port } = on.service.state;
    const one = (model: string, more: string): string => {
      const body = `{"model":"${model}","messages":[]}`;
      return head(port, [`content-length: ${body.length}`, more]) + body;
    };
    const text = await exchange(port, one('first', 'x-n: 1') + one('second', 'connection: close'), false);
    expect(text.indexOf('{"id":"first"}')).toBeGreaterThan(0);
    expect(text.indexOf('{"id":"second"}')).toBeGreaterThan(text.indexOf('{"id":"first"}'));
    const ids = [...text.matchAll(/x-counterfoil-receipt-id: (\S+)/gi)].map(([, id]) => id);
    expect(ids).toEqual(on.entries('model.call').map(({ payload }) => payload.receipt_id));
    await on.stop();
    await expectIntact(on.directory);
  });

  it('a client that has closed its side may be taken for one that left, and then the ledger says so', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => void response.end(MESSAGE);
    const { port } = on.service.state;
    const text = await exchange(port, head(port, [`content-length: ${BODY.length}`]) + BODY);
    await on.stop();
    const results = on.entries('model.result').map(({ payload }) => payload.result);
    expect(results).toEqual(text.includes(MESSAGE) ? ['ok'] : ['aborted']);
    await expectIntact(on.directory);
  });
});

describe('a target that points elsewhere', () => {
  it.each([
    ['/anthropic//evil.example/v1/messages'],
    ['/anthropic/\\\\evil.example/v1'],
    ['/anthropic/@evil.example/v1'],
    ['/anthropic/http://evil.example/v1'],
    ['/anthropic/v1/../../../../etc/passwd'],
    ['/anthropic/%2e%2e/%2e%2e/x'],
    ['/anthropic/.%2e/x'],
    ['/anthropic/v1/messages/..%2f..%2fx'],
    ['/anthropic;evil.example/x'],
    ['//anthropic/v1/messages'],
    ['/./anthropic/v1/messages'],
    ['/anthropic#@evil.example/'],
    ['/anthropic/?@evil.example/'],
  ])('%s never leaves the host', async (target) => {
    const on = await stage();
    on.upstream.answer = (_, response) => void response.end(MESSAGE);
    const { port } = on.service.state;
    const lines = [`content-length: ${BODY.length}`, 'connection: close'];
    const text = await exchange(port, head(port, lines, target) + BODY, false);
    // Whatever it made of it, it asked the one upstream, for a path.
    for (const { url, headers } of on.upstream.arrived) {
      expect(url).toMatch(/^\//);
      expect(headers.host).toBe(new URL(on.upstream.url).host);
    }
    expect(on.upstream.arrived).toHaveLength(on.entries('model.call').length);
    if (on.upstream.arrived.length === 0) expect(statusOf(text)).toBeGreaterThanOrEqual(400);
  });

  it.each([
    ['/proxy/own/../secret'],
    ['/proxy/own/x/../../secret'],
    ['/proxy/own/%2e%2e/secret'],
    ['/proxy/own/%2E%2e/secret'],
    ['/proxy/own/.%2E/secret'],
    ['/proxy/own/..\\secret'],
    ['/proxy/own/x/%2e%2e/%2e%2e/secret'],
    ['/proxy/own/..'],
    ['/proxy/own/..;/secret'],
    ['/proxy/own/%2e%2e%2fsecret'],
    ['/proxy/own/..%5csecret'],
    ['/proxy/own/..%2Fsecret'],
  ])('%s does not climb above the path that the owner gave', async (target) => {
    const on = await stage();
    const { port } = on.service.state;
    const lines = [`content-length: ${BODY.length}`, 'connection: close'];
    await exchange(port, head(port, lines, target) + BODY, false);
    for (const { url } of on.upstream.arrived) {
      // As a server would that decodes first and then resolves, and takes a backslash for a slash.
      const decoded = decodeURIComponent(url).replaceAll('\\', '/').replaceAll(';', '');
      const resolved = new URL(decoded, 'http://x').pathname;
      expect(resolved, url).toMatch(/^\/base(\/|$)/);
    }
  });

  it.each([
    ['/proxy/__proto__/x'],
    ['/proxy/constructor/x'],
    ['/proxy/toString/x'],
    ['/proxy/hasOwnProperty'],
    ['/proxy/'],
    ['/proxy'],
    ['/proxy//x'],
    ['/proxy/%2e%2e/anthropic/x'],
    ['/proxy/own%00/x'],
    ['/ANTHROPIC/v1/messages'],
    ['/anthropicx/v1/messages'],
    ['/session/'],
    ['/session/x/anthropic/v1/messages'],
    [`/session/${'0'.repeat(64)}/anthropic/v1/messages`],
    [`/session/${'0'.repeat(63)}/anthropic/v1/messages`],
    ['/session/__proto__/anthropic/v1/messages'],
    ['/receipts/../anthropic/v1/messages'],
    ['/receipts/__proto__'],
    ['http://evil.example/v1/messages'],
    ['*'],
  ])('%s is nobody', async (target) => {
    const on = await stage();
    const { port } = on.service.state;
    const lines = [`content-length: ${BODY.length}`, 'connection: close'];
    const text = await exchange(port, head(port, lines, target) + BODY, false);
    expect(statusOf(text)).toBeGreaterThanOrEqual(400);
    expect(statusOf(text)).toBeLessThan(500);
    expect([on.upstream.arrived, on.entries('model.call')]).toEqual([[], []]);
  });

  it.each([
    ['http://evil.example/anthropic/v1/messages', '127.0.0.1:PORT'],
    ['http://127.0.0.1:PORT/anthropic/v1/messages', 'evil.example'],
    ['http://evil.example:PORT/anthropic/v1/messages', '127.0.0.1:PORT'],
    ['/anthropic/v1/messages', '127.0.0.1.evil.example:PORT'],
    ['/anthropic/v1/messages', '127.0.0.1:1'],
    ['/anthropic/v1/messages', 'localhost.:PORT'],
    ['/anthropic/v1/messages', ''],
    ['/receipts/x', 'evil.example:PORT'],
  ])('%s under Host %j is refused or goes to the one upstream', async (target, host) => {
    const on = await stage();
    const { port } = on.service.state;
    const say = (text: string): string => text.replace('PORT', String(port));
    const text = await exchange(
      port,
      `POST ${say(target)} HTTP/1.1\r\nhost: ${say(host)}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      false,
    );
    expect([400, 401, 403, 404]).toContain(statusOf(text));
    expect([on.upstream.arrived, on.entries('model.call')]).toEqual([[], []]);
  });

  it('CONNECT, two Hosts, no Host and HTTP/1.0 get nowhere', async () => {
    const on = await stage();
    const { port } = on.service.state;
    for (const text of [
      `CONNECT evil.example:443 HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`,
      `CONNECT /anthropic HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`,
      `GET /anthropic/v1/models HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nhost: evil.example\r\nconnection: close\r\n\r\n`,
      `GET /anthropic/v1/models HTTP/1.1\r\nhost: evil.example\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`,
      `GET /anthropic/v1/models HTTP/1.1\r\nconnection: close\r\n\r\n`,
      `GET /anthropic/v1/models HTTP/1.0\r\n\r\n`,
      `GET /anthropic/v1/models\r\n\r\n`,
    ]) {
      const status = statusOf(await exchange(port, text));
      expect(status === 0 || (status >= 400 && status < 500), text).toBe(true);
    }
    expect([on.upstream.arrived, on.entries('model.call')]).toEqual([[], []]);
  });
});

describe('a web page', () => {
  it.each([
    [{ origin: 'https://evil.example' }],
    [{ origin: 'null' }],
    [{ origin: 'http://localhost' }],
    [{ origin: '' }],
    [{ 'sec-fetch-site': 'cross-site' }],
    [{ 'sec-fetch-site': 'same-site' }],
  ])('%j gets neither a call nor a receipt nor a preflight', async (headers) => {
    const on = await stage();
    const id = `1-${'0'.repeat(32)}`;
    for (const [method, path] of [
      ['POST', '/anthropic/v1/messages'],
      ['GET', '/openai/v1/models'],
      ['OPTIONS', '/gemini/v1beta/x'],
      ['POST', '/proxy/own/x'],
      ['GET', `/receipts/${id}`],
    ] as const) {
      const reply = await ask(`${on.url}${path}`, method === 'POST' ? BODY : null, {
        method,
        headers: { ...headers, 'access-control-request-method': 'POST', 'content-type': 'text/plain' },
      });
      expect([path, reply.status]).toEqual([path, 403]);
      expect(Object.keys(reply.headers).join()).not.toContain('access-control');
    }
    expect([on.upstream.arrived, on.entries('model.call')]).toEqual([[], []]);
  });
});

describe('a request that is too large, or odd', () => {
  it.each([
    ['announced', true],
    ['in chunks', false],
  ])('over 64 MiB, %s: refused, and nothing goes upstream', async (_, announced) => {
    const on = await stage();
    const { port } = on.service.state;
    const size = 64 * 1024 * 1024 + 1;
    const { socket, until } = await dial(port);
    socket.write(head(port, [announced ? `content-length: ${size}` : 'transfer-encoding: chunked']));
    const piece = Buffer.alloc(1024 * 1024, 0x20);
    let refused = false;
    const answered = until((text) => text.includes('\r\n\r\n')).then((text) => {
      refused = true;
      return text;
    });
    for (let sent = 0; sent < size && !refused; sent += piece.length) {
      const more = announced
        ? socket.write(piece.subarray(0, Math.min(piece.length, size - sent)))
        : socket.write(Buffer.concat([Buffer.from('100000\r\n'), piece, Buffer.from('\r\n')]));
      if (!more) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), answered]);
    }
    expect(statusOf(await answered)).toBe(413);
    await on.stop();
    expect([on.upstream.arrived, on.entries('model.call')]).toEqual([[], []]);
  });

  it.each([
    ['no JSON', 'not json'],
    ['empty', ''],
    ['deep parameters', `{"model":"m","x":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)},"messages":[]}`],
    ['a list', '[1,2]'],
    ['a word', 'null'],
    ['messages that are none', '{"model":{"a":1},"messages":{"length":5}}'],
    [
      'messages of every kind',
      '{"model":1,"messages":[null,1,"x",[],{"role":{"a":1},"content":{"$content":"x"}}]}',
    ],
    ['a model as long as a page', `{"model":"${'m'.repeat(200_000)}","messages":[]}`],
    [
      'a role as long as a page',
      `{"model":"m","messages":[{"role":"${'r'.repeat(200_000)}","content":"x"}]}`,
    ],
    [
      'parameters that are references',
      '{"model":"m","messages":[],"metadata":{"$content":"x"},"$content":"y"}',
    ],
    ['parameters as long as a page', `{"model":"m","messages":[],"stop":["${'s'.repeat(200_000)}"]}`],
    [
      'ten thousand parameters',
      `{"model":"m","messages":[],${Array.from({ length: 10_000 }, (_, i) => `"p${i}":${i}`).join()}}`,
    ],
    [
      'parameters that are members of every object',
      '{"model":"m","messages":[],"__proto__":{"polluted":1},"constructor":1}',
    ],
    [
      'numbers past all numbers',
      '{"model":"m","messages":[],"max_tokens":1e999,"seed":-1e999,"top_k":1e308}',
    ],
    ['half a character', '{"model":"\\ud800","messages":[{"role":"\\udfff","content":"\\ud800"}]}'],
    [
      'not UTF-8',
      Buffer.from('{"model":"\xff\xfe","messages":[{"role":"user","content":"\xc3"}]}', 'latin1'),
    ],
    ['a mark of byte order', `\ufeff${BODY}`],
    ['a member twice', '{"model":"a","model":"b","messages":[],"messages":[{"role":"user","content":"x"}]}'],
    [
      'fifty thousand messages',
      `{"model":"m","messages":[${Array(50_000).fill('{"role":"user","content":"x"}').join()}]}`,
    ],
    ['tools that are none', '{"model":"m","messages":[],"tools":"rm","tool_choice":[[[]]]}'],
    [
      'ten thousand tools',
      `{"model":"m","messages":[],"tools":[${Array(10_000).fill('{"name":"t"}').join()}]}`,
    ],
  ])('%s goes on as it is, with its entry', async (_, body) => {
    const on = await stage();
    on.upstream.answer = (__, response) => void response.end(MESSAGE);
    for (const path of [
      'anthropic/v1/messages',
      'openai/v1/chat/completions',
      'openai/v1/responses',
      'gemini/v1beta/models/g:generateContent',
    ]) {
      const reply = await ask(`${on.url}/${path}`, body);
      expect([path, reply.status, reply.body.toString()]).toEqual([path, 200, MESSAGE]);
    }
    const sent = Buffer.from(body);
    for (const { body: came } of on.upstream.arrived) expect(came.equals(sent)).toBe(true);
    expect(on.entries('model.call')).toHaveLength(4);
    expect(on.entries('model.result')).toHaveLength(4);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    await on.stop();
    await expectIntact(on.directory);
  });

  it.each([
    ['messages', `{"model":"m","messages":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['tools', `{"model":"m","messages":[],"tools":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  ])('%s deeper than can be followed go on with an entry, or not at all', async (_, body) => {
    const on = await stage();
    on.upstream.answer = (__, response) => void response.end(MESSAGE);
    const { status } = await ask(`${on.url}/anthropic/v1/messages`, body);
    expect([200, 503]).toContain(status);
    expect(on.upstream.arrived).toHaveLength(on.entries('model.call').length);
    // And the next one is served.
    expect((await ask(`${on.url}/anthropic/v1/messages`, BODY)).status).toBe(200);
    await on.stop();
    await expectIntact(on.directory);
  });

  it.each([300, 9000, 0])('a nonce of %d characters is never passed over', async (length) => {
    const nonce = 'x'.repeat(length);
    const on = await stage();
    const reply = await ask(`${on.url}/anthropic/v1/messages`, BODY, {
      headers: { 'x-counterfoil-nonce': nonce },
    });
    expect([reply.status, on.upstream.arrived.length]).toEqual([400, 0]);
  });

  it.each([300, 9000])('a session name of %d characters is never passed over', async (length) => {
    const name = 'x'.repeat(length);
    const on = await stage();
    const reply = await ask(`${on.url}/anthropic/v1/messages`, BODY, {
      headers: { 'x-counterfoil-session': name },
    });
    expect([reply.status, on.upstream.arrived.length]).toEqual([400, 0]);
  });
});
