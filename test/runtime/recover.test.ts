// What a crash between a call and its result leaves: a tool that may run again does, under the same key, and no other.
import { describe, expect, it } from 'vitest';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { inDoubt, watchCalls } from './doubtful-run.ts';
import { rewritten } from './rewritten-ledger.ts';
import { eventsOf, grantedPlace, kindsOf, optionsAt, type Place, verified } from './run-ledger.ts';

describe('a call in doubt', () => {
  it.each([
    ['pure', 'ok', 2],
    ['idempotent', 'ok', 2],
    ['impure', 'unknown', 1],
  ])('O2 of a tool that is %s ends as %s', async (tool, outcome, times) => {
    const calls = watchCalls();
    const place = await grantedPlace();
    const id = await inDoubt(place, tool);
    const run = await recoverRun({ ...optionsAt(place, 'doubtful.mjs'), run: id });
    expect(await run?.resume()).toMatchObject({ status: 'finished', result: outcome });
    await run?.close();
    expect(calls).toHaveLength(times);
    const events = await eventsOf(place);
    const call = events.find(({ kind }) => kind === 'ToolCall');
    expect(new Set(calls.map(({ key }) => key))).toEqual(new Set([`${id}:${call?.sequence}`]));
    expect(events.find(({ kind }) => kind === 'Recovery')?.payload).toEqual({
      at: call?.sequence,
      in_doubt: `${id}:${call?.sequence}`,
    });
    expect((await verified(place)).facets.replay.findings.map(({ code }) => code)).toEqual([
      'RUN_NOT_REPLAYED',
    ]);
  });

  it('gives nothing to recover where the run has ended', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 1, end: true });
    await run.close();
    expect(await recoverRun({ ...optionsAt(place), run: run.id })).toBeNull();
    const unknown = recoverRun({ ...optionsAt(place), run: '0'.repeat(64) });
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_A_RUN' });
  });
});

describe('a run that is stopped or told something right after it was recovered', () => {
  const flawsOf = async (place: Place): Promise<string[]> =>
    (await verified(place)).facets.replay.findings.map(({ code }) => code);

  it('O10 tells that the call in doubt is unknown, and calls nothing', async () => {
    const calls = watchCalls();
    const place = await grantedPlace();
    const id = await inDoubt(place, 'idempotent');
    const run = await recoverRun({ ...optionsAt(place, 'doubtful.mjs'), run: id });
    expect(await run?.stop('enough')).toMatchObject({ status: 'stopped', reason: 'enough' });
    await run?.close();
    const events = await eventsOf(place);
    expect(kindsOf(events)).toMatch(/ToolCall Recovery ToolResult Snapshot Final$/);
    expect(events.at(-3)?.payload).toMatchObject({ outcome: 'unknown' });
    expect(calls).toHaveLength(1);
    expect(await flawsOf(place)).toEqual(['RUN_NOT_REPLAYED']);
  });

  it('O10 denies a call that was decided and not made', async () => {
    const calls = watchCalls();
    const place = await grantedPlace();
    const id = await inDoubt(place, 'impure');
    const before = await rewritten(place, id, ({ kind }) => (kind === 'ToolCall' ? 'drop' : null));
    const run = await recoverRun({ ...optionsAt(before, 'doubtful.mjs'), run: id });
    await run?.stop();
    await run?.close();
    const events = await eventsOf(before);
    expect(kindsOf(events)).toMatch(/Decision Recovery Denial Snapshot Final$/);
    expect(events.at(-3)?.payload).toMatchObject({ code: 'STOPPED' });
    expect(calls).toHaveLength(1);
    expect(await flawsOf(before)).toEqual(['RUN_NOT_REPLAYED']);
  });

  it('O10 concludes what was half done before it observes anything', async () => {
    watchCalls();
    const place = await grantedPlace();
    const id = await inDoubt(place, 'impure');
    const run = await recoverRun({ ...optionsAt(place, 'doubtful.mjs'), run: id });
    await run?.observe('pure');
    await run?.close();
    expect(kindsOf(await eventsOf(place))).toContain('Recovery ToolResult Observation Decision ToolCall');
    expect(await flawsOf(place)).toEqual(['RUN_NOT_REPLAYED']);
  });
});
