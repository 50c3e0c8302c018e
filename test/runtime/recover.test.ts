// What a crash between a call and its result leaves: a tool that may run again does, under the same key, and no other.
import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { temporary } from '../temporary.ts';
import { inDoubt, markImpure, watchCalls } from './doubtful-run.ts';
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
    const { nonce } = events[0]?.payload ?? {};
    expect(nonce).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set(calls.map(({ key }) => key))).toEqual(new Set([`${id}:${call?.sequence}:${nonce}`]));
    expect(events.find(({ kind }) => kind === 'Recovery')?.payload).toEqual({
      at: call?.sequence,
      in_doubt: `${id}:${call?.sequence}`,
    });
    expect((await verified(place)).facets.replay.findings.map(({ code }) => code)).toEqual([
      'RUN_NOT_REPLAYED',
    ]);
  });

  it('O10 is not made again where a replay found its tool impure', async () => {
    const calls = watchCalls();
    const place = await grantedPlace();
    const id = await inDoubt(place, 'pure');
    await markImpure(place, id, ['pure']);
    const run = await recoverRun({ ...optionsAt(place, 'doubtful.mjs'), run: id });
    expect(await run?.resume()).toMatchObject({ status: 'finished', result: 'unknown' });
    await run?.close();
    expect(calls).toHaveLength(1);
  });

  it('O10 has another key than that of a lost run whose id a restored ledger gives out again', async () => {
    const calls = watchCalls();
    const place = await grantedPlace();
    const copy = join(temporary(), 'copy');
    cpSync(place.directory, copy, { recursive: true });
    const lost = await inDoubt(place, 'idempotent');
    rmSync(place.directory, { recursive: true });
    cpSync(copy, place.directory, { recursive: true });
    const run = await startRun(optionsAt(place, 'doubtful.mjs'));
    await run.observe('idempotent');
    await run.close();
    expect(run.id).toBe(lost);
    expect(calls).toHaveLength(2);
    expect(calls[1]?.key).not.toBe(calls[0]?.key);
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
