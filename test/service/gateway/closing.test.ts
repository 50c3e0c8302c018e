// An independent gateway counts the calls of each client's run and closes it, whatever comes between: other runs, calls at the same
// time, a restart. From the closing on it takes none of that run.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/index.ts';
import { parseGatewayClosing } from '../../../src/format/index.ts';
import { expectIntact } from '../../file-ledger.ts';
import { expectValid } from '../../schemas.ts';
import { independent, pair, TOKEN, urlOf } from './independent-stage.ts';
import { ask, type Reply, type Stage, upstream } from './stage.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const ANSWER = '{"id":"msg_1","type":"message","content":[],"model":"m-1","stop_reason":"end_turn"}';
const REQUEST = '{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}]}';
const [RUN, OTHER_RUN, END, OTHER_END] = ['1', '2', '3', '4'].map((digit) => digit.repeat(64)) as [
  string,
  string,
  string,
  string,
];
const TOKEN_HEADER = { 'proxy-authorization': `Bearer ${TOKEN}` };

const nonceOf = (n: number): string => `nonce-of-call-${n}`;

function call(gateway: Stage, n: number, run = RUN): Promise<Reply> {
  const headers = {
    ...TOKEN_HEADER,
    'x-counterfoil-nonce': nonceOf(n),
    'x-counterfoil-run': run,
    'x-counterfoil-commitment-key': '5'.repeat(64),
  };
  return ask(`${urlOf(gateway)}/anthropic/v1/messages`, REQUEST, { headers });
}

function close(gateway: Stage, headers: Record<string, string> = {}, run = RUN): Promise<Reply> {
  const all = { ...TOKEN_HEADER, 'x-counterfoil-end': END, 'content-length': '0', ...headers };
  return ask(`${urlOf(gateway)}/runs/${run}/closing`, null, { method: 'POST', headers: all });
}

const said = ({ body }: Reply): JsonObject => JSON.parse(body.toString()) as JsonObject;

/** The numbers of a run's calls, in the order of the gateway's log. */
function numbers(gateway: Stage, run = RUN): unknown[] {
  return gateway
    .entries('model.call')
    .map(({ payload }) => payload.client as JsonObject)
    .filter((client) => client.run === run)
    .map((client) => client.call);
}

const answering = () => upstream((_, response) => response.writeHead(200, JSON_TYPE).end(ANSWER));

describe('an independent gateway', () => {
  it('C14 numbers the calls of each run, across a restart as well', async () => {
    const to = await answering();
    const gateway = await independent({ upstream: to });
    for (const [n, run] of [
      [1, RUN],
      [2, OTHER_RUN],
      [3, RUN],
    ] as const)
      expect((await call(gateway, n, run)).status).toBe(200);
    // A call that is refused has no number.
    expect((await call(gateway, 3)).status).toBe(409);
    await gateway.stop();
    const again = await independent({ directory: gateway.directory, upstream: to });
    expect((await call(again, 4)).status).toBe(200);
    expect([numbers(again), numbers(again, OTHER_RUN)]).toEqual([[1, 2, 3], [1]]);
    await again.stop();
    await expectIntact(again.directory, ['UNSEALED']);
  });

  it('C14 calls at the same time get numbers of their own, and none waits for the answer of another', async () => {
    const held: (() => void)[] = [];
    const to = await upstream((_, response) => {
      held.push(() => response.writeHead(200, JSON_TYPE).end(ANSWER));
      // All of them are there before the first is answered.
      if (held.length === 8) for (const answer of held) answer();
    });
    const gateway = await independent({ upstream: to });
    const replies = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((n) => call(gateway, n)));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(numbers(gateway)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const { closing } = parseGatewayClosing(said(await close(gateway)));
    const last = gateway.entries('model.call').at(-1)?.payload.nonce;
    expect([closing.calls, closing.lastNonce]).toEqual([8, last]);
  });

  it('C14 closes a run: it takes no more calls of it, and says the same for ever', async () => {
    const to = await answering();
    const gateway = await independent({ upstream: to });
    await call(gateway, 1);
    await call(gateway, 2);
    const first = said(await close(gateway));
    expectValid('gateway_closing.v1', first);
    expect(first.closing).toMatchObject({
      client: { run: RUN, pack: null },
      calls: 2,
      last_nonce: nonceOf(2),
      end: END,
    });
    const refused = await call(gateway, 3);
    expect([refused.status, refused.headers['x-counterfoil-error']]).toEqual([409, 'RUN_CLOSED']);
    expect((await call(gateway, 4, OTHER_RUN)).status).toBe(200);
    // Who changed the run meanwhile gets no other.
    expect(said(await close(gateway, { 'x-counterfoil-end': OTHER_END }))).toEqual(first);
    await gateway.stop();
    const again = await independent({ directory: gateway.directory, upstream: to });
    expect(said(await close(again))).toEqual(first);
    expect((await call(again, 5)).status).toBe(409);
    expect([to.arrived.length, again.entries('run.closing').length]).toEqual([3, 1]);
  });

  it('C14 of many who ask at once all get the same, and calls of that moment are counted or refused', async () => {
    const to = await answering();
    const gateway = await independent({ upstream: to });
    await call(gateway, 1);
    const closings = [1, 2, 3].map(() => close(gateway));
    const calls = [2, 3, 4, 5].map((n) => call(gateway, n));
    const [first, ...others] = (await Promise.all(closings)).map(said) as [JsonObject, ...JsonObject[]];
    for (const other of others) expect(other).toEqual(first);
    const taken = (await Promise.all(calls)).filter(({ status }) => status === 200).length;
    expect(parseGatewayClosing(first).closing.calls).toBe(1 + taken);
    expect([to.arrived.length, gateway.entries('run.closing').length]).toEqual([1 + taken, 1]);
  });

  it('C14 closes a run without calls, and one of another pack', async () => {
    const gateway = await independent();
    const pack = '9'.repeat(64);
    const { closing } = parseGatewayClosing(said(await close(gateway, { 'x-counterfoil-pack': pack })));
    expect(closing).toMatchObject({ client: { run: RUN, pack }, calls: 0, lastNonce: null });
  });

  it.each([
    ['no token', { 'proxy-authorization': '' }, 407, 'WRONG_TOKEN'],
    ['no end', { 'x-counterfoil-end': '' }, 400, 'BAD_END'],
    ['a pack that is none', { 'x-counterfoil-pack': 'mine' }, 400, 'BAD_PACK'],
  ])('turns away %s', async (_, headers, status, code) => {
    const gateway = await independent();
    const reply = await close(gateway, headers);
    expect([reply.status, reply.headers['x-counterfoil-error']]).toEqual([status, code]);
    expect(gateway.entries('run.closing')).toEqual([]);
  });

  it('closes nothing for GET, nor a run that is none; a local gateway closes none at all', async () => {
    const { local, gateway } = await pair();
    const headers = { ...TOKEN_HEADER, 'x-counterfoil-end': END };
    expect((await ask(`${urlOf(gateway)}/runs/${RUN}/closing`, null, { headers })).status).toBe(405);
    expect((await close(gateway, {}, 'mine')).status).toBe(404);
    expect((await ask(`${local.url}/runs/${RUN}/closing`, null, { method: 'POST', headers })).status).toBe(
      401,
    );
    expect(gateway.entries('run.closing')).toEqual([]);
  });
});
