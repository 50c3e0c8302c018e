// Many answers at once in one session that clients named at the gateway, a service that leaves while some are under way,
// and one that comes back: the chain has no hole, and nothing of it is broken.
import { describe, expect, it } from 'vitest';
import { verifyDirectory } from '../file-ledger.ts';
import { ask, stage, upstream } from '../service/gateway/stage.ts';

const question = (i: number): string =>
  JSON.stringify({ model: 'm', max_tokens: 8, messages: [{ role: 'user', content: `question ${i}` }] });
const answer = (i: number): string =>
  JSON.stringify({
    id: `msg_${i}`,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: `answer ${i}` }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  });

describe('parallel answers in one named session', () => {
  it('G4 each has its number, whatever their order, and the end counts them', async () => {
    let waiting: (() => void)[] = [];
    let count = 0;
    const up = await upstream((_, response) => {
      const i = count++;
      const give = (): void => {
        response.setHeader('content-type', 'application/json');
        response.end(answer(i));
      };
      // All of them at once, in another order than they came.
      waiting.push(give);
      if (waiting.length < 12) return;
      for (const each of waiting.reverse()) each();
      waiting = [];
    });
    const on = await stage({ upstream: up });
    const one = (i: number, name: string): Promise<unknown> =>
      ask(`${on.url}/anthropic/v1/messages`, question(i), {
        headers: { 'content-type': 'application/json', 'x-counterfoil-session': name },
      });
    await Promise.all(Array.from({ length: 12 }, (_, i) => one(i, 'crowd')));
    await Promise.all(Array.from({ length: 12 }, (_, i) => one(i, i % 2 === 0 ? 'crowd' : 'other')));
    await on.stop();
    const results = on.entries('model.result');
    expect(results).toHaveLength(24);
    const bySession = new Map<string, number[]>();
    for (const { session_id: id, payload } of results)
      bySession.set(id ?? '', [...(bySession.get(id ?? '') ?? []), Number(payload.sequence)]);
    for (const numbers of bySession.values()) expect(numbers).toEqual(numbers.map((_, i) => i + 1));
    expect([...bySession.values()].map(({ length }) => length).sort()).toEqual([18, 6]);
    const report = await verifyDirectory(on.directory);
    expect(report.facets.sessions.findings).toEqual([]);
    expect(report.verdict).not.toBe('BROKEN');
  });
});
