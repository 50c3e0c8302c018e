// Turns whose end the gate refused, erased sessions and first prompts: what the rows of the list say of them, and what the
// page makes of the same entries.
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import type { Entry } from '../../src/format/index.ts';
import type { Prompts, Sessions } from '../../src/view/answers.ts';
import { SessionRows } from '../../src/view/session-rows.ts';
import { sessionModel } from '../../web/model/session.ts';
import { readEntries } from '../read-log.ts';
import { idOf, SmallLedger } from './small-ledger.ts';
import { viewing } from './viewing.ts';

const judged = (...claims: readonly [claim: number, status: string][]): JsonObject[] =>
  claims.map(([claim, status]) => ({ claim, status, validation: null }));

/** A turn that is refused once and ends with the claim still open, then one that is refused and given up. */
async function refusedTurns(small: SmallLedger): Promise<void> {
  const session_id = idOf('one');
  const told = async (kind: string, payload: JsonObject, cause: number | null = null): Promise<number> => {
    const { last } = await small.ledger.append({ kind, payload, cause, source: 'hook', session_id });
    return last;
  };
  const attempt = async (prompt: number, verdict: string, agent: string | null = null): Promise<void> => {
    const kind = agent === null ? 'response' : 'agent.end';
    const ending = await told(kind, { text: 'All tests pass. Done.', agent_id: agent }, prompt);
    const one = await told('claim', { claim: 'tested', quote: 'All tests pass', agent_id: agent }, ending);
    const two = await told('claim', { claim: 'done', quote: 'Done', agent_id: agent }, ending);
    const claims = judged([one, 'unbacked'], [two, 'backed']);
    await told('gate', { verdict, claims }, ending);
  };
  await told('session.start', { agent: 'claude-code', workspace_root: '/w', mode: 'guard' });
  const first = await told('prompt', { text: 'Fix   the tests' });
  await attempt(first, 'block');
  // A subagent's end comes in between, and is another's attempt.
  await attempt(first, 'block', 'a1');
  await attempt(first, 'unproven');
  await attempt(first, 'pass', 'a1');
  const second = await told('prompt', { text: 'And now?' });
  await attempt(second, 'block');
  await told('prompt', { text: 'Never mind' });
}

it('X9 of a turn that the gate refused, the claims of the last attempt count, in the list and on the page', async () => {
  const small = await SmallLedger.make();
  await refusedTurns(small);
  const rows = new SessionRows(small.ledger.store);
  await rows.refresh();
  // One attempt each of the first turn, of the subagent, and of the turn that was given up.
  expect(rows.rows()).toMatchObject([{ proven: 3, unproven: 3, blocks: 3 }]);
  const entries = (await readEntries(small.ledger.store)).filter(({ session_id: id }) => id !== null);
  const { claims, replaced } = sessionModel(entries as Entry[], new Map());
  expect(claims).toHaveLength(6);
  expect(replaced.map(({ quote }) => quote)).toEqual(['All tests pass', 'Done', 'All tests pass', 'Done']);
  expect(new Set(replaced.map(({ gate }) => gate)).size).toBe(2);
  // What was written down is taken up as it was.
  const again = new SessionRows(small.ledger.store, rows.read, [rows.save(idOf('one'))]);
  expect(again.rows()).toEqual(rows.rows());
});

it('X9 the first prompt of a session is told, cut to a line', async () => {
  const small = await SmallLedger.make();
  await refusedTurns(small);
  const { json } = await viewing([small.toView]);
  await json('/api/sessions');
  const asked = `/api/prompts?session=${idOf('one')}&session=${idOf('nobody')}`;
  expect(await json<Prompts>(asked)).toEqual({ prompts: [[idOf('one'), 'Fix the tests']] });
});

it('X9 a session whose content was erased says so, and by which entry', async () => {
  const small = await SmallLedger.make();
  await small.session('one', ['some words']);
  const { seq: seen } = await small.ledger.store.head();
  const sessions = [{ session: idOf('one'), files: 1, bytes: 10 }];
  const [{ seq = 0 } = {}] = await small.ledger.bury({ reason: 'retention', sessions, seen });
  await small.ledger.store.eraseContent(idOf('one'));
  await small.look();
  for (const toView of [small.toView, { ...small.toView, index: undefined }]) {
    const { index, ...rest } = toView;
    const { json } = await viewing([index === undefined ? rest : toView]);
    expect((await json<Sessions>('/api/sessions')).sessions).toMatchObject([{ erased: { seq } }]);
  }
});

it('X9 a claim whose reason is not shown says that, and not that nothing backs it', () => {
  const entry = (seq: number, kind: string, payload: JsonObject, cause: number | null = null) =>
    ({ seq, kind, payload, cause, ts: '2026-11-01T10:00:00.000Z', session_id: 'a' }) as unknown as Entry;
  const details = { $content: `keyed-sha256:${'0'.repeat(64)}`, bytes: 9, type: 'application/json' };
  const entries = [
    entry(1, 'response', { text: 'Done', agent_id: null }),
    entry(2, 'claim', { claim: 'done' }, 1),
    entry(3, 'gate', { verdict: 'unproven', claims: judged([2, 'unbacked']), details }, 1),
  ];
  expect(sessionModel(entries, new Map(), 'erased').claims).toMatchObject([
    { reason: 'The reason is erased.', tone: 'bad' },
  ]);
});
