// Receipts as the gateway hands them out: an id with every answer, the receipt by its id, and what of it holds later, here
// and elsewhere, before and after a restart.
import { writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../../src/entry/index.ts';
import { type Result, runWarm } from '../../cli/warm.ts';
import { expectIntact } from '../../file-ledger.ts';
import { expectValid } from '../../schemas.ts';
import { fastDirectory, temporary } from '../../temporary.ts';
import { ask, type Reply, type Stage, sse, stage } from './stage.ts';

const REQUEST = JSON.stringify({ model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] });
const MESSAGE = JSON.stringify({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm-1',
  content: [],
});
const STREAM = sse(
  ['message_start', { type: 'message_start', message: { id: 'msg_1', model: 'm-1' } }],
  ['message_stop', { type: 'message_stop' }],
);
const ID = 'x-counterfoil-receipt-id';

function messages(on: Stage, headers: Record<string, string> = {}): Promise<Reply> {
  return ask(`${on.url}/anthropic/v1/messages`, REQUEST, { headers });
}

/** The receipt of an answer, once it is there. */
async function receiptOf(
  on: Stage,
  reply: Reply,
): Promise<Record<string, unknown> & { receipt: Record<string, unknown> }> {
  for (;;) {
    const got = await ask(`${on.url}/receipts/${reply.headers[ID]}`, null);
    if (got.status === 200) {
      const answer = JSON.parse(got.body.toString());
      expectValid('gateway_receipt.v1', answer);
      return answer;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** While the service in this process goes on: one that stood still with the ledger's lock would be waited for in vain. */
function foil(...words: readonly string[]): Promise<Result> {
  const env = { ...process.env, XDG_CONFIG_HOME: temporary(fastDirectory) };
  return runWarm(words, { cwd: process.cwd(), env });
}

async function verify(
  on: Stage,
  ...words: readonly string[]
): Promise<{ readonly code: number | null; readonly json: Record<string, unknown> }> {
  const { code, stdout } = await foil('receipt', 'verify', '--ledger', on.directory, '--json', ...words);
  return { code, json: JSON.parse(stdout) };
}

describe('a receipt', () => {
  it('C6c comes with every answer, by its id, and says what went over the wire', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.end(MESSAGE);
    const reply = await messages(on);
    const { receipt, origin } = await receiptOf(on, reply);
    const [call] = on.entries('model.call');
    const [result] = on.entries('model.result');
    expect(receipt).toMatchObject({
      id: reply.headers[ID],
      run: call?.session_id,
      call: { seq: call?.seq, hash: call?.entry_hash },
      event: { seq: result?.seq, hash: result?.entry_hash },
      pack: null,
      nonce: reply.headers[ID],
      provider: 'anthropic',
      model: 'm',
      model_answered: 'm-1',
      parameters: { max_tokens: 1 },
      request: { bytes: REQUEST.length },
      response: { bytes: MESSAGE.length, complete: true },
      status: 200,
      result: 'ok',
    });
    expect(origin).toMatch(/^counterfoil\/[0-9a-f]{16}$/);
    // Right behind the result: nothing came in between.
    expect(on.entries('receipt')[0]?.seq).toBe((result?.seq ?? 0) + 1);
    const report = await expectIntact(on.directory, ['UNSEALED']);
    expect(report.facets.receipts.message).toContain('1 model call, 1 with a receipt');
  });

  it.each([
    [
      'a stream',
      (r: ServerResponse) => void r.writeHead(200, { 'content-type': 'text/event-stream' }).end(STREAM),
      'ok',
      true,
    ],
    ['an error', (r: ServerResponse) => void r.writeHead(429).end('{}'), 'error', true],
    [
      'a stream that breaks off',
      (r: ServerResponse) => {
        r.writeHead(200, { 'content-type': 'text/event-stream' });
        r.write(STREAM.slice(0, 30), () => r.destroy());
      },
      'incomplete',
      false,
    ],
    ['no answer', (r: ServerResponse) => void r.destroy(), 'unanswered', false],
  ])('C6d of %s', async (_, answer, result, complete) => {
    const on = await stage();
    on.upstream.answer = (__, response) => answer(response);
    const { receipt } = await receiptOf(on, await messages(on));
    expect(receipt).toMatchObject({ result, response: { complete } });
    await expectIntact(on.directory, ['UNSEALED']);
  });

  it('of a stream that goes on behind its last event has all its bytes', async () => {
    const on = await stage();
    let seen = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      seen = resolve;
    });
    on.upstream.answer = async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(STREAM);
      await ended;
      response.end(': more\n\n');
    };
    const reply = await ask(`${on.url}/anthropic/v1/messages`, REQUEST, { onChunk: () => seen() });
    const { receipt } = await receiptOf(on, reply);
    expect(receipt).toMatchObject({
      response: { bytes: STREAM.length + ': more\n\n'.length, complete: true },
    });
    expect(on.entries('model.result')[0]?.payload.wire_bytes).toBe(STREAM.length);
    await expectIntact(on.directory, ['UNSEALED']);
  });

  it('is nobody else’s: an id that is none, or not there', async () => {
    const on = await stage();
    expect((await ask(`${on.url}/receipts/none`, null)).status).toBe(404);
    expect((await ask(`${on.url}/receipts/1-${'0'.repeat(32)}`, null)).status).toBe(404);
    expect((await ask(`${on.url}/receipts/1-${'0'.repeat(32)}`, '')).status).toBe(405);
    const page = { headers: { origin: 'https://evil.example' } };
    expect((await ask(`${on.url}/receipts/1-${'0'.repeat(32)}`, null, page)).status).toBe(403);
  });
});

describe('C6e a nonce', () => {
  it('is taken once, and remembered across a restart', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.end(MESSAGE);
    const nonce = { 'x-counterfoil-nonce': 'run-7:step-1' };
    const first = await messages(on, nonce);
    expect(first.status).toBe(200);
    expect((await receiptOf(on, first)).receipt).toMatchObject({ nonce: 'run-7:step-1' });
    expect((await messages(on, nonce)).status).toBe(409);
    await on.stop();
    const again = await stage({ directory: on.directory, upstream: on.upstream });
    const refused = await messages(again, nonce);
    expect([refused.status, JSON.parse(refused.body.toString()).error.message]).toEqual([
      409,
      'NONCE_USED: this nonce was used before.',
    ]);
    expect((await messages(again, { 'x-counterfoil-nonce': 'run-7:step-2' })).status).toBe(200);
    expect(on.upstream.arrived.length).toBe(2);
    expect(on.upstream.arrived.map(({ headers }) => headers['x-counterfoil-nonce'])).toEqual([
      undefined,
      undefined,
    ]);
  });

  it.each(['short', 'with space in it', 'x'.repeat(129), `7-${'0'.repeat(32)}`])(
    'is none: %s',
    async (nonce) => {
      const on = await stage();
      expect((await messages(on, { 'x-counterfoil-nonce': nonce })).status).toBe(400);
      expect([on.upstream.arrived.length, on.entries('model.call').length]).toEqual([0, 0]);
    },
  );
});

describe('C6f foil receipt verify', () => {
  it('says that one of this ledger holds, and whether bytes are those of the wire', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) =>
      response
        .writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' })
        .end(gzipSync(MESSAGE));
    const reply = await messages(on);
    await receiptOf(on, reply);
    const id = String(reply.headers[ID]);
    const folder = temporary();
    const file = (name: string, bytes: string | Buffer): string => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    const [request, response] = [file('request', REQUEST), file('response', reply.body)];
    const good = await verify(on, id, '--request', request, '--response', response);
    expect([good.code, good.json.valid]).toEqual([0, true]);
    // As it was sent, not as it was meant.
    const decoded = file('decoded', gunzipSync(reply.body));
    expect((await verify(on, id, '--response', decoded)).code).toBe(5);
    expect((await verify(on, id, '--request', file('other', REQUEST.replace('Hi', 'Ho')))).code).toBe(5);
    expect((await verify(on, `1-${'0'.repeat(32)}`)).code).toBe(3);
    // Without the salt nobody can tell any more; the signature still holds.
    await on.stop();
    const ledger = openLedger({ directory: on.directory, keyDirectory: join(on.directory, 'keys') });
    await ledger.store.eraseContent(on.entries('model.call')[0]?.session_id ?? null);
    await ledger.close();
    expect((await verify(on, id)).code).toBe(0);
    expect((await verify(on, id, '--request', request)).code).toBe(1);
  });

  it('checks one that is shown elsewhere against the ledger key alone, and refuses one that was changed', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.end(MESSAGE);
    const shown = await receiptOf(on, await messages(on));
    const elsewhere = await stage();
    const path = join(temporary(), 'receipt.json');
    const ledger = openLedger({ directory: on.directory, keyDirectory: join(on.directory, 'keys') });
    const { encodeVerifierKey } = await import('../../../src/core/index.ts');
    const key = encodeVerifierKey((await ledger.identity()).firstKey);
    await ledger.close();
    const checks = async (words: readonly string[]) => {
      const { json } = await verify(elsewhere, path, ...words);
      const listed = json.checks as { name: string; holds: unknown }[];
      return Object.fromEntries(listed.map(({ name, holds }) => [name, holds]));
    };
    writeFileSync(path, JSON.stringify(shown));
    expect(await checks(['--key', key])).toEqual({ signature: true, binding: null });
    expect(await checks([])).toEqual({ signature: null, binding: null });
    writeFileSync(path, JSON.stringify({ ...shown, receipt: { ...shown.receipt, status: 201 } }));
    expect(await checks(['--key', key])).toEqual({ signature: false, binding: null });
    expect((await verify(elsewhere, path)).code).toBe(5);
  });

  it('a rotated gateway key: what it signed before keeps verifying', async () => {
    const on = await stage();
    on.upstream.answer = (_, response) => response.end(MESSAGE);
    const before = await messages(on);
    await receiptOf(on, before);
    const rotated = await foil('key', 'rotate', '--gateway', '--ledger', on.directory);
    expect(rotated.code).toBe(0);
    const after = await messages(on);
    expect((await receiptOf(on, after)).receipt).toMatchObject({ key_version: 2 });
    expect((await verify(on, String(before.headers[ID]))).code).toBe(0);
    expect((await verify(on, String(after.headers[ID]))).code).toBe(0);
    await expectIntact(on.directory, ['UNSEALED']);
  });
});
