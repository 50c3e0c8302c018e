// Model calls that go through an independent gateway: the client can't tell, both ledgers say the same, and what the gateway
// signed is in the run. What can't go there does not go anywhere.
import { statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from 'vitest';
import { gatewayNonce } from '../../../src/core/index.ts';
import { openRecorder } from '../../../src/entry/index.ts';
import { DEFAULT_SETTINGS, writeSettings } from '../../../src/ledger/index.ts';
import { verifyGatewayReceipts } from '../../../src/verify/index.ts';
import { expectIntact } from '../../file-ledger.ts';
import { expectValid } from '../../schemas.ts';
import { temporary } from '../../temporary.ts';
import { independent, localThrough, pair, runOf, TOKEN, trusted, until, urlOf } from './independent-stage.ts';
import { ask, type Reply, type Stage, sse, upstream } from './stage.ts';

const JSON_TYPE = { 'content-type': 'application/json', 'request-id': 'req_1' };
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm-1',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 3, output_tokens: 2 },
};
const BODY = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] };
const REQUEST = JSON.stringify(BODY);
const STREAM = sse(
  ['message_start', { type: 'message_start', message: { ...MESSAGE, content: [], stop_reason: null } }],
  [
    'message_delta',
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
  ],
  ['message_stop', { type: 'message_stop' }],
);
const EVENTS = { 'content-type': 'text/event-stream' };
const PACK = '9'.repeat(64);

function messages(on: Stage, path = ''): Promise<Reply> {
  return ask(`${on.url}${path}/anthropic/v1/messages`, REQUEST);
}

function errorOf({ body }: Reply): string {
  return JSON.parse(body.toString()).error.message;
}

/** What a local gateway sends, by hand. */
function direct(gateway: Stage, headers: Record<string, string> = {}, path = '/anthropic'): Promise<Reply> {
  return ask(`${urlOf(gateway)}${path}/v1/messages`, REQUEST, {
    headers: {
      'proxy-authorization': `Bearer ${TOKEN}`,
      'x-counterfoil-nonce': 'a-nonce-of-43-characters-as-sha256-has-them',
      'x-counterfoil-run': '1'.repeat(64),
      'x-counterfoil-commitment-key': '2'.repeat(64),
      ...headers,
    },
  });
}

describe('through an independent gateway', () => {
  it('a real client gets the same answer, and the run has what the gateway signed', async () => {
    const { local, gateway, upstream: to } = await pair();
    to.answer = ({ body }, response) =>
      JSON.parse(body.toString()).stream === true
        ? response.writeHead(200, EVENTS).end(STREAM)
        : response.writeHead(200, JSON_TYPE).end(JSON.stringify(MESSAGE));
    const client = new Anthropic({ baseURL: `${local.url}/anthropic`, apiKey: 'none', maxRetries: 0 });
    const options = { headers: { 'x-counterfoil-session': 'one' } };
    expect((await client.messages.create(BODY, options)).content).toEqual(MESSAGE.content);
    expect((await client.messages.stream(BODY, options).finalMessage()).stop_reason).toBe('end_turn');
    const kept = await until(local, 'gateway.receipt', 2);
    for (const { payload } of kept) expectValid('gateway_receipt.v1', payload);
    const calls = local.entries('model.call');
    for (const [i, call] of calls.entries()) {
      const receipt = kept.find(({ cause }) => cause === call.seq)?.payload.receipt;
      const ours = local.entries('receipt')[i]?.payload;
      expect(call.payload.through).toBe(urlOf(gateway));
      expect(receipt).toMatchObject({
        v: 3,
        client: { run: call.session_id, pack: null, call: i + 1 },
        nonce: gatewayNonce({ session: String(call.session_id), pack: null, prevHash: call.prev_hash }),
        upstream: to.url,
        request: ours?.request,
        response: ours?.response,
        tokens: ours?.tokens,
      });
    }
    expect(verifyGatewayReceipts(runOf(local), [trusted(gateway, [to.url])])).toEqual({ ok: true, calls: 2 });
    // Nothing of ours goes on to the upstream.
    const names = to.arrived.flatMap(({ headers }) => Object.keys(headers));
    expect(names.filter((name) => /counterfoil|proxy-/.test(name))).toEqual([]);
    expect(to.arrived[0]?.headers.authorization).toBe('Bearer none');
    await expectIntact(local.directory, ['UNSEALED']);
    await expectIntact(gateway.directory, ['UNSEALED']);
  });

  it('the pack of the run is in the nonce and in the receipt', async () => {
    const { local, gateway, upstream: to } = await pair();
    to.answer = (_, response) => response.writeHead(200, JSON_TYPE).end(JSON.stringify(MESSAGE));
    const { directory } = local;
    const located = { directory, keyDirectory: `${directory}/keys`, how: 'option' as const };
    const recorder = await openRecorder({ place: located, cwd: directory, agent: 'test' });
    const session = await recorder.session({ pack: PACK });
    expect((await messages(local, `/session/${session.id}`)).status).toBe(200);
    const [kept] = await until(local, 'gateway.receipt', 1);
    expect(kept?.payload.receipt).toMatchObject({ client: { run: session.id, pack: PACK, call: 1 } });
    await recorder.close();
    const entries = local.entries().filter((entry) => entry.session_id === session.id);
    expect(verifyGatewayReceipts(entries, [trusted(gateway, [to.url])])).toEqual({ ok: true, calls: 1 });
  });

  it('a stream comes as it is sent: the first event is there before the second is made', async () => {
    const { local, upstream: to } = await pair();
    let seen = (): void => undefined;
    const first = new Promise<void>((resolve) => {
      seen = resolve;
    });
    to.answer = async (_, response) => {
      response.writeHead(200, EVENTS).write(STREAM.slice(0, STREAM.indexOf('\n\n') + 2));
      await first;
      response.end(STREAM.slice(STREAM.indexOf('\n\n') + 2));
    };
    const reply = await ask(`${local.url}/anthropic/v1/messages`, REQUEST, { onChunk: () => seen() });
    expect([reply.error, reply.body.toString()]).toEqual([null, STREAM]);
  });

  it('over a Unix socket as well, which is its user’s alone', async () => {
    const to = await upstream((_, response) =>
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(MESSAGE)),
    );
    const socket = join(temporary(), 'socket');
    const gateway = await independent({ upstream: to }, socket);
    expect([urlOf(gateway), statSync(socket).mode & 0o777]).toEqual([`unix:${socket}`, 0o600]);
    const local = await localThrough(urlOf(gateway), to);
    expect((await messages(local)).status).toBe(200);
    await until(local, 'gateway.receipt', 1);
    expect(verifyGatewayReceipts(runOf(local), [trusted(gateway, [to.url])])).toEqual({ ok: true, calls: 1 });
  });

  it('an upstream that fails is vouched for as that', async () => {
    const { local, gateway, upstream: to } = await pair();
    to.answer = (_, response) => response.destroy();
    const reply = await messages(local);
    expect([reply.status, errorOf(reply)]).toEqual([502, "UPSTREAM_FAILED: The upstream can't be reached."]);
    await until(local, 'gateway.receipt', 1);
    expect(local.entries('model.result')[0]?.payload).toMatchObject({ result: 'unanswered' });
    expect(verifyGatewayReceipts(runOf(local), [trusted(gateway, [to.url])])).toEqual({ ok: true, calls: 1 });
  });

  it('an answer that breaks off is vouched for as far as it came', async () => {
    const { local, gateway, upstream: to } = await pair();
    to.answer = (_, response) => {
      response.writeHead(200, EVENTS);
      response.write(STREAM.slice(0, 40), () => response.destroy());
    };
    expect((await messages(local)).error).not.toBe(null);
    await until(local, 'gateway.receipt', 1);
    expect(verifyGatewayReceipts(runOf(local), [trusted(gateway, [to.url])])).toEqual({ ok: true, calls: 1 });
  });
});

describe('a client that leaves', () => {
  it.each([
    ['before the answer begins', false],
    ['in the middle of it', true],
  ])('%s: the gateway vouches for as much as it saw', async (_, isBegun) => {
    const { local, gateway, upstream: to } = await pair();
    const left = new AbortController();
    to.answer = (__, response) => {
      if (isBegun) response.writeHead(200, EVENTS).write(STREAM.slice(0, 60));
      else left.abort();
    };
    const options = { signal: left.signal, onChunk: () => left.abort() };
    await ask(`${local.url}/anthropic/v1/messages`, REQUEST, options).catch(() => undefined);
    await until(local, 'gateway.receipt', 1);
    expect(local.entries('model.result')[0]?.payload).toMatchObject({ result: 'aborted' });
    expect(verifyGatewayReceipts(runOf(local), [trusted(gateway, [to.url])])).toEqual({ ok: true, calls: 1 });
  });
});

describe('what can not go through it goes nowhere', () => {
  it('a gateway that is not there: the client is told what to do, and the ledger says so', async () => {
    const { local, gateway, upstream: to } = await pair();
    const url = urlOf(gateway);
    await gateway.stop();
    const reply = await messages(local);
    expect(reply.status).toBe(502);
    expect(errorOf(reply)).toBe(
      `GATEWAY_UNREACHABLE: The independent gateway ${url} can't be reached, and without it nothing is sent to the provider. Start it, or check its address with \`foil gateway show\`.`,
    );
    expect(to.arrived).toEqual([]);
    expect(local.entries('model.result')[0]?.payload).toMatchObject({
      result: 'unanswered',
      error_code: 'GATEWAY_UNREACHABLE',
    });
    expect(verifyGatewayReceipts(runOf(local), [])).toMatchObject({
      ok: false,
      code: 'GATEWAY_RECEIPT_MISSING',
    });
  });

  it('a token that it does not know', async () => {
    const to = await upstream();
    const gateway = await independent({ upstream: to });
    const local = await localThrough(urlOf(gateway), to, 'x'.repeat(40));
    const reply = await messages(local);
    expect([reply.status, errorOf(reply)]).toEqual([
      502,
      expect.stringMatching(/^GATEWAY_WRONG_TOKEN: .*foil gateway show/),
    ]);
    expect([to.arrived, gateway.entries('model.call')]).toEqual([[], []]);
  });

  it('something else that answers there', async () => {
    const to = await upstream((_, response) => response.end('{}'));
    const local = await localThrough(to.url, to);
    const reply = await messages(local);
    expect([reply.status, errorOf(reply)]).toEqual([502, expect.stringMatching(/^GATEWAY_UNKNOWN: /)]);
  });

  it('a gateway that the session asks for and nobody knows, and settings that can not be read', async () => {
    const { local, upstream: to } = await pair();
    const { directory } = local;
    const located = { directory, keyDirectory: `${directory}/keys`, how: 'option' as const };
    const recorder = await openRecorder({ place: located, cwd: directory, agent: 'test' });
    const session = await recorder.session({ gateway: 'https://gw.example:8443' });
    const reply = await messages(local, `/session/${session.id}`);
    expect([reply.status, errorOf(reply)]).toEqual([
      502,
      expect.stringMatching(/^GATEWAY_UNUSABLE: .*isn't set up here/),
    ]);
    await recorder.close();
    const known = [{ url: 'https://gw.example:8443', tokenFile: `${directory}/none` }];
    writeSettings(directory, { ...DEFAULT_SETTINGS, gateways: known, through: 'https://gw.example:8443' });
    expect(errorOf(await messages(local))).toMatch(/^GATEWAY_UNUSABLE: /);
    expect([to.arrived, local.entries('model.call')]).toEqual([[], []]);
  });

  it('a WebSocket', async () => {
    const { local, upstream: to } = await pair();
    const headers = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'a'.repeat(24),
    };
    const status = await new Promise((resolve, reject) => {
      request(`${local.url}/openai/v1/responses`, { headers, agent: false }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
    expect([status, to.arrived]).toEqual([501, []]);
  });
});

describe('an independent gateway', () => {
  it('takes a nonce once, across a restart as well', async () => {
    const to = await upstream((_, response) =>
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(MESSAGE)),
    );
    const gateway = await independent({ upstream: to });
    expect((await direct(gateway)).status).toBe(200);
    expect((await direct(gateway)).status).toBe(409);
    await gateway.stop();
    const again = await independent({ directory: gateway.directory, upstream: to });
    const refused = await direct(again);
    expect([refused.status, refused.headers['x-counterfoil-error']]).toEqual([409, 'NONCE_USED']);
    expect(to.arrived.length).toBe(1);
  });

  it.each([
    ['no token', { 'proxy-authorization': '' }, 407, 'WRONG_TOKEN'],
    ['another token', { 'proxy-authorization': `Bearer ${TOKEN}0` }, 407, 'WRONG_TOKEN'],
    [
      'a token where the credential belongs',
      { 'proxy-authorization': '', authorization: `Bearer ${TOKEN}` },
      407,
      'WRONG_TOKEN',
    ],
    ['no nonce', { 'x-counterfoil-nonce': '' }, 400, 'BAD_NONCE'],
    ['no run', { 'x-counterfoil-run': 'mine' }, 400, 'BAD_RUN'],
    ['a pack that is none', { 'x-counterfoil-pack': 'mine' }, 400, 'BAD_PACK'],
    ['no key', { 'x-counterfoil-commitment-key': '1' }, 400, 'BAD_COMMITMENT_KEY'],
  ])('turns away %s', async (_, headers, status, code) => {
    const gateway = await independent();
    const reply = await direct(gateway, headers);
    expect([reply.status, reply.headers['x-counterfoil-error']]).toEqual([status, code]);
    expect([gateway.upstream.arrived, gateway.entries('model.call')]).toEqual([[], []]);
  });

  it('goes to no upstream but its own, and hands receipts to nobody without a token', async () => {
    const gateway = await independent();
    const reply = await direct(gateway, {}, '/proxy/elsewhere');
    expect([reply.status, reply.headers['x-counterfoil-error']]).toEqual([404, 'UNKNOWN_UPSTREAM']);
    expect((await ask(`${urlOf(gateway)}/receipts/1-${'0'.repeat(32)}`, null)).status).toBe(407);
    expect((await ask(`${urlOf(gateway)}/v1/health`, null)).status).toBe(404);
  });
});
