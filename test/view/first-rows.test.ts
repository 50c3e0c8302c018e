// What the list of sessions asks for first, and what is told without reading the log again.
import { expect, it, onTestFinished } from 'vitest';
import { NO_SESSION } from '../../src/format/index.ts';
import type { Health, HealthReport, Sessions, ToolsUsed } from '../../src/view/answers.ts';
import { SessionRows } from '../../src/view/session-rows.ts';
import { ViewedLedger } from '../../src/view/viewed-ledger.ts';
import { idOf, SmallLedger } from './small-ledger.ts';
import { viewing } from './viewing.ts';

it('X9 the newest rows come with their prompts, and say how many follow; no row says where its entries are', async () => {
  const made = await SmallLedger.make();
  for (const name of ['one', 'two', 'three']) await made.session(name, [`words of ${name}`]);
  const { json } = await viewing([made.toView]);
  const first = await json<Sessions>('/api/sessions?most=2');
  expect(first.sessions.map(({ id }) => id)).toEqual([idOf('three'), idOf('two')]);
  expect(first).toMatchObject({ more: 1, counting: null });
  expect(first.prompts?.map(([id]) => id)).toEqual([idOf('three'), idOf('two')]);
  const all = await json<Sessions>('/api/sessions');
  expect(all.sessions).toHaveLength(3);
  expect(all.more).toBeUndefined();
  for (const row of [...first.sessions, ...all.sessions]) {
    expect(Object.keys(row)).not.toContain('first_seq');
    expect(Object.keys(row)).not.toContain('first_prompt');
  }
  expect((await json<Sessions>('/api/sessions?most=x')).sessions).toHaveLength(1);
});

it('X9 tools and gaps come from what the index knows, also of entries that were appended since', async () => {
  const made = await SmallLedger.make();
  await made.session('one', ['words']);
  const call = (tool: string) =>
    made.ledger.append({
      kind: 'tool.call',
      payload: { args: '{"tool":"Other"}', tool },
      source: 'hook',
      session_id: idOf('one'),
    });
  const gap = (session_id: string | null) => {
    const [since, until] = ['2026-01-01T10:00:00.000Z', '2026-01-01T10:05:00.000Z'];
    const payload = { reason: 'unrecorded', since, until, events: 2, why: 'the disk was full', calls: [] };
    return made.ledger.append({ kind: 'gap', payload, source: 'foil', session_id });
  };
  await call('Bash');
  await call('Read');
  await gap(null);
  await gap(idOf('one'));
  await made.look();
  await call('Bash');
  await gap(null);
  await made.look();
  // As the index saves them, and another process takes them up.
  const rows = new SessionRows(made.ledger.store);
  await rows.refresh();
  const saved = [NO_SESSION, idOf('one')].map((id) => rows.save(id));
  const again = new SessionRows(made.ledger.store, rows.read, saved);
  expect([again.tools(), again.gaps()]).toEqual([rows.tools(), rows.gaps()]);
  const { json } = await viewing([made.toView]);
  expect(await json<ToolsUsed>('/api/tools')).toEqual({
    from: 1,
    sessions: [
      [
        idOf('one'),
        [
          ['Bash', 2],
          ['Read', 1],
        ],
      ],
    ],
  });
  const [{ gaps }] = (await json<HealthReport>('/api/health')).ledgers as [Health];
  expect([gaps.count, gaps.newest.map(({ seq }) => seq)]).toEqual([3, [9, 7, 6]]);
});

it('X9 while a large ledger is not indexed, the newest rows are the same until something is appended', async () => {
  const made = await SmallLedger.make();
  const notes = Array.from({ length: 2000 }, (_, i) => ({
    kind: 'note',
    payload: { text: `note ${i}` },
    source: 'foil',
  }));
  for (let i = 0; i < 26; i++) await made.ledger.append(notes);
  await made.session('one', ['words']);
  const viewed = new ViewedLedger('proj', made.located, { path: made.index, program: null });
  onTestFinished(() => viewed.close());
  // Whoever writes may tell of its last entry a moment later.
  const isTold = (seq: number) => expect.poll(() => viewed.head()).toBe(seq);
  await isTold(52_003);
  const first = await viewed.sessions();
  expect(first.counting).not.toBeNull();
  expect(first.sessions.map(({ id }) => id)).toEqual([idOf('one')]);
  // What is made of them, with their prompts, is kept for as long as they are.
  expect((await viewed.sessions()).sessions).toBe(first.sessions);
  await made.session('two', ['words']);
  await isTold(52_005);
  expect((await viewed.sessions()).sessions.map(({ id }) => id)).toEqual([idOf('two'), idOf('one')]);
});
