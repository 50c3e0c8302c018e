// What a crash between a call and its result leaves: a tool that may run again does, under the same key, and no other.
import { describe, expect, it, onTestFinished } from 'vitest';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { eventsOf, grantedPlace, kindsOf, optionsAt, type Place, verified } from './run-ledger.ts';

type Called = { readonly tool: string; readonly key: string };

/** The agent's tools tell their calls here, and do not come back until they are let go. */
function watchCalls(): Called[] {
  const calls: Called[] = [];
  const place = globalThis as { doubt?: (tool: string, key: string) => unknown };
  place.doubt = (tool, key) => {
    calls.push({ tool, key });
    return calls.length === 1 ? new Promise(() => undefined) : `${tool} is done`;
  };
  onTestFinished(() => {
    delete place.doubt;
  });
  return calls;
}

/** A run whose call is on record and whose tool never comes back: as if its process had died there. */
async function inDoubt(place: Place, tool: string): Promise<string> {
  const run = await startRun(optionsAt(place, 'doubtful.mjs'));
  void run.observe(tool).catch(() => undefined);
  while (!kindsOf(await eventsOf(place)).includes('ToolCall')) await new Promise(setImmediate);
  return run.id;
}

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
