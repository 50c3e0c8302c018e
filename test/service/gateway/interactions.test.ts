// Calls of a model that pass the gateway, where no hooks tell of turns: each is an interaction of its session. The chain is
// computed here once more, with node:crypto alone.
import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { policyHashOf } from '../../../src/core/index.ts';
import { expectIntact } from '../../file-ledger.ts';
import { GRANTS, grantedPlace } from '../../runtime/run-ledger.ts';
import { ask, stage } from './stage.ts';

const chained = (...parts: readonly unknown[]): string =>
  createHash('sha256')
    .update(Buffer.from(parts.join(''), 'hex'))
    .digest('hex');

it('G4 are chained, with the model by the name that its API gives it', async () => {
  const on = await stage();
  on.upstream.answer = ({ body }, response) => {
    const { messages } = JSON.parse(body.toString()) as { messages: { content: string }[] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        id: 'msg',
        type: 'message',
        role: 'assistant',
        model: 'claude-x-20260101',
        content: [{ type: 'text', text: `You said ${messages.at(-1)?.content}.` }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  for (const content of ['one', 'two', 'three']) {
    const body = JSON.stringify({ model: 'claude-x', max_tokens: 9, messages: [{ role: 'user', content }] });
    expect((await ask(`${on.url}/anthropic/v1/messages`, body, { agent })).status).toBe(200);
  }
  const [start] = on.entries('session.start');
  expect(start?.payload).toMatchObject({ interaction: 'gateway', interaction_kind: 'model.result' });
  const calls = new Map(on.entries('model.call').map(({ seq, payload }) => [seq, payload]));
  const results = on.entries('model.result');
  let chain = start?.session_id ?? '';
  for (const [i, { payload, session_id, cause }] of results.entries()) {
    const prompt = calls.get(cause ?? 0)?.prompt_hash;
    chain = chained(chain, prompt, payload.response_hash);
    expect(session_id).toBe(start?.session_id);
    expect(payload).toMatchObject({
      sequence: i + 1,
      prompt_hash: prompt,
      response_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      chain_hash: chain,
      model: 'claude-x-20260101',
    });
  }
  expect(results).toHaveLength(3);
  await on.stop();
  await expectIntact(on.directory);
});

it.each([
  ['the grants in force', GRANTS, policyHashOf({ allow: [...GRANTS.allow], deny: [] })],
  ['no grants where nobody accepted any', null, null],
])('G3 begin a session with %s, and no pack', async (_, grants, capabilities) => {
  const { directory } = await grantedPlace(grants);
  const on = await stage({ directory });
  await ask(`${on.url}/anthropic/v1/messages`, '{"model":"claude-x","max_tokens":9,"messages":[]}');
  expect(on.entries('session.start').map(({ payload }) => payload)).toMatchObject([
    { interaction: 'gateway', pack: null, capabilities },
  ]);
});
