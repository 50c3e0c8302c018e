// A run, live: what is on record, in which order, and what is refused.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { temporary } from '../temporary.ts';
import { eventsOf, grantedPlace, kindsOf, optionsAt, verified } from './run-ledger.ts';

/** A secret that code makes when it is loaded. */
const WORD = `const word = ['ghp', 'x7Kq'.repeat(9)].join('_');
const changing = (asked) => ({
  *[Symbol.iterator]() { yield asked++ < 2 ? 'tool:call:send' : 'tool:call:' + word; },
});
`;
const CALL = 'Decision ToolCall ToolResult MemoryWrite';

describe('a run', () => {
  it('O1 O5 records each step, from the first event and snapshot to the last', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    expect(await run.observe({ times: 2 })).toEqual({ status: 'waiting' });
    expect(await run.observe({ times: 1, end: true })).toEqual({
      status: 'finished',
      reason: null,
      result: 3,
    });
    await run.close();
    const events = await eventsOf(place);
    expect(kindsOf(events)).toBe(
      `AgentInit Snapshot Observation ${CALL} ${CALL} Decision Observation ${CALL} Decision Snapshot Final`,
    );
    const report = await verified(place);
    expect(report.verdict).toBe('INTACT');
    expect(report.facets.replay.findings.map(({ code }) => code)).toEqual(['RUN_NOT_REPLAYED']);
    expect(report.facets.sessions.status).toBe('pass');
    expect(report.facets.authority).toMatchObject({
      status: 'pass',
      message:
        '3 calls checked against the grants of their sessions, and everything that ran was within them.',
    });
    expect(events[0]?.payload?.tools).toMatchObject([
      { name: 'add', required_capabilities: ['tool:call:add'] },
      { name: 'send' },
    ]);
    expect(events[0]?.payload?.tools).not.toHaveProperty('[1].required_capabilities');
  });

  it('O2 gives each memory write its version and its cause', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 2, end: true });
    await run.close();
    const writes = (await eventsOf(place)).filter(({ kind }) => kind === 'MemoryWrite');
    expect(writes.map(({ payload, cause }) => [payload, cause])).toEqual([
      [{ key: 'total', value: 1, version: { node_id: 0, counter: 1 } }, `${run.id}:5`],
      [{ key: 'total', value: 2, version: { node_id: 0, counter: 2 } }, `${run.id}:9`],
    ]);
  });

  it('O3 denies what was not granted, on record, and tells the agent', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    await run.observe({ send: 'evil.example.com' });
    await run.observe({ send: 'a.example.org' });
    await run.stop();
    await run.close();
    const events = await eventsOf(place);
    const denial = events.find(({ kind }) => kind === 'Denial');
    expect(denial?.payload).toMatchObject({
      tool_id: 'send',
      code: 'NOT_GRANTED',
      required_capabilities: ['network:post:evil.example.com'],
      granted_capabilities: [],
      denial_reason: 'network:post:evil.example.com is not granted',
    });
    const call = events.find(({ kind }) => kind === 'ToolCall');
    expect(call?.payload).toMatchObject({ granted_capabilities: ['network:post:*.example.org'] });
    expect((await verified(place)).verdict).toBe('INTACT');
  });

  it('O3 denies every tool where nothing was granted', async () => {
    const place = await grantedPlace(null);
    const run = await startRun(optionsAt(place));
    const calls = run.observe({ send: 'a.example.org' });
    expect(await calls).toEqual({ status: 'waiting' });
    await run.stop();
    await run.close();
    expect(kindsOf(await eventsOf(place))).not.toContain('ToolCall');
  });

  it('O5 takes snapshots by count, and enforces its limit of calls', async () => {
    const place = await grantedPlace();
    const run = await startRun({ ...optionsAt(place), limits: { calls: 3 }, snapshots: { events: 5 } });
    await run.observe({ times: 4 });
    await run.close();
    const events = await eventsOf(place);
    const reasons = events.filter(({ kind }) => kind === 'Snapshot').map(({ payload }) => payload?.reason);
    expect(reasons.slice(0, 2)).toEqual(['first', 'count']);
    expect(events.find(({ kind }) => kind === 'Denial')?.payload).toMatchObject({ code: 'CALL_LIMIT' });
    expect(events.filter(({ kind }) => kind === 'ToolCall')).toHaveLength(3);
  });

  it('keeps large payloads as content, and secrets out of everything', async () => {
    const place = await grantedPlace();
    const secret = `ghp_${'x7Kq'.repeat(9)}`;
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 0, long: 'a'.repeat(20_000), secret });
    await run.stop();
    await run.close();
    const [observed] = (await eventsOf(place)).filter(({ kind }) => kind === 'Observation');
    expect(observed?.payload).toBeNull();
    const store = openFileStore(place.directory, { readOnly: true });
    const bytes = await store.getContent(run.id, observed?.content ?? expect.fail('there is no content'));
    await store.close();
    expect(Buffer.from(bytes ?? []).toString()).toContain('a'.repeat(20_000));
    expect(Buffer.from(bytes ?? []).toString()).not.toContain(secret);
    expect((await verified(place)).verdict).toBe('INTACT');
  });

  it.each([
    ['gives', "() => ['tool:call:' + word]"],
    ['gives as the password of a host', "() => ['network:post:me:green' + 'house@a.example.org']"],
    [
      'hides in a list that changes',
      "() => Object.assign(['tool:call:' + word], { slice: () => changing(0) })",
    ],
    ['throws', "() => { throw new Error('no ' + word); }"],
  ])('O3 K4 keeps a secret out of everything that the function of a tool %s', async (_, needs) => {
    const place = await grantedPlace();
    const agent = join(temporary(), 'agent.mjs');
    const source = readFileSync(new URL('./agents/counter.mjs', import.meta.url), 'utf8');
    const telling = source.replace(/capabilities: \(.*\],\n/, `capabilities: ${needs},\n`);
    expect(telling).not.toBe(source);
    writeFileSync(agent, `${WORD}${telling}`);
    const run = await startRun({ ...optionsAt(place), agent });
    await run.observe({ send: 'a.example.org' });
    await run.stop();
    await run.close();
    const events = await eventsOf(place);
    expect(events.find(({ kind }) => kind === 'Denial')?.payload).toMatchObject({
      code: 'NOT_GRANTED',
      denial_reason: expect.stringMatching(/^what it needs \(.*\) is not granted$/),
    });
    expect(JSON.stringify(events)).not.toMatch(/(?:x7Kq){9}|greenhouse/);
    expect((await verified(place)).verdict).toBe('INTACT');
  });

  it.each(["'tool:call:' + word", "'db:query:me:green' + 'house@a.example.org'"])(
    'O3 K4 refuses to begin where a tool needs what looks like a secret: %s',
    async (need) => {
      const place = await grantedPlace();
      const agent = join(temporary(), 'agent.mjs');
      const source = readFileSync(new URL('./agents/counter.mjs', import.meta.url), 'utf8');
      const telling = source.replace(/capabilities: \(.*\],\n/, `capabilities: [${need}],\n`);
      writeFileSync(agent, `${WORD}${telling}`);
      await expect(startRun({ ...optionsAt(place), agent })).rejects.toMatchObject({ code: 'SECRET' });
    },
  );

  it('refuses an append whose parent is not the last event of the run', async () => {
    const place = await grantedPlace();
    const first = await startRun(optionsAt(place));
    await first.observe({ times: 1 });
    const second = await recoverRun({ ...optionsAt(place), run: first.id });
    await expect(first.observe({ times: 1 })).rejects.toMatchObject({ code: 'NOT_LAST' });
    expect(await second?.observe({ times: 1, end: true })).toMatchObject({ status: 'finished', result: 2 });
    await first.close();
    await second?.close();
    expect((await verified(place)).verdict).toBe('INTACT');
  });

  it('ends as failed where the reducer throws, and says why', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place, 'faulty.mjs'));
    const ended = await run.observe('throw');
    await run.close();
    expect(ended).toMatchObject({ status: 'failed', reason: 'the reducer failed: as it was told' });
    expect((await verified(place)).verdict).toBe('INTACT');
  });

  it('O5 ends a tool that takes too long or gives too much, and goes on when one throws', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place, 'faulty.mjs'));
    for (const tool of ['never', 'blocks', 'huge', 'throws', 'changes']) await run.observe(tool);
    await run.stop();
    await run.close();
    const results = (await eventsOf(place)).filter(({ kind }) => kind === 'ToolResult');
    expect(results.map(({ payload }) => payload?.outcome)).toEqual(['time', 'time', 'output', 'error', 'ok']);
    expect((await verified(place)).verdict).toBe('INTACT');
  });

  it('refuses code that holds a secret, and code that is no module', async () => {
    const place = await grantedPlace();
    const folder = temporary();
    const secret = join(folder, 'secret.mjs');
    writeFileSync(secret, `export const token = 'ghp_${'x7Kq'.repeat(9)}';\nexport default {};\n`);
    await expect(startRun({ ...optionsAt(place), agent: pathToFileURL(secret) })).rejects.toMatchObject({
      code: 'SECRET',
    });
    const computed = join(folder, 'computed.mjs');
    writeFileSync(computed, "const name = 'node:fs';\nawait import(name);\nexport default {};\n");
    await expect(startRun({ ...optionsAt(place), agent: computed })).rejects.toMatchObject({
      code: 'NOT_A_MODULE',
    });
  });

  it('refuses to recover with other code than the run began with', async () => {
    const place = await grantedPlace();
    const folder = temporary();
    const file = join(folder, 'agent.mjs');
    const source = readFileSync(new URL('./agents/counter.mjs', import.meta.url), 'utf8');
    writeFileSync(file, source);
    const run = await startRun({ ...optionsAt(place), agent: file });
    await run.observe({ times: 1 });
    await run.close();
    const other = join(temporary(), 'agent.mjs');
    writeFileSync(other, source.replace('a + b', 'a + b + 1'));
    const recovered = recoverRun({ ...optionsAt(place), agent: other, run: run.id });
    await expect(recovered).rejects.toMatchObject({ code: 'CODE_CHANGED' });
    writeFileSync(file, `${source}\n`);
    const edited = startRun({ ...optionsAt(place), agent: file });
    await expect(edited).rejects.toMatchObject({ code: 'CODE_CHANGED' });
  });
});
