// Numbers of calls and closings of runs, where what is appended fails or is built again: a number is given once, whatever happens.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { createLedger } from '../../src/entry/index.ts';
import { ClientRuns, RunClosed } from '../../src/record/index.ts';
import { temporary } from '../temporary.ts';

const [RUN, OTHER] = ['1'.repeat(64), '2'.repeat(64)];
const CLIENT = { run: RUN, pack: null };

/** Runs as a ledger with these entries tells of them. */
async function runsIn(...entries: readonly (readonly [kind: string, payload: JsonObject])[]) {
  const directory = temporary();
  const ledger = await createLedger({ directory, keyDirectory: `${directory}/keys` });
  for (const [kind, payload] of entries) await ledger.append({ kind, source: 'gateway', payload });
  return { runs: new ClientRuns(async () => ledger.store), close: () => ledger.close() };
}

describe('C14 the runs of clients', () => {
  it('an append that is built again keeps its number', async () => {
    const { runs, close } = await runsIn();
    const run = await runs.open(RUN);
    const [one, two] = [run.numbering(CLIENT, 'nonce-1'), run.numbering(CLIENT, 'nonce-2')];
    expect([one(), two(), one(), two()].map(({ call }) => call)).toEqual([1, 2, 1, 2]);
    expect(run.close()).toEqual({ calls: 2, lastNonce: 'nonce-2' });
    // Also when the run was closed in between: it was counted.
    expect(one().call).toBe(1);
    expect(run.numbering(CLIENT, 'nonce-3')).toThrow(RunClosed);
    await close();
  });

  it('a closing that could not be written closes nothing', async () => {
    const { runs, close } = await runsIn();
    const run = await runs.open(RUN);
    const failing = async (): Promise<JsonObject> => {
      run.close();
      throw new Error('no room');
    };
    await expect(run.closing(failing)).rejects.toThrow('no room');
    expect(run.numbering(CLIENT, 'nonce-1')().call).toBe(1);
    expect(await run.closing(async () => ({ ...run.close() }))).toEqual({ calls: 1, lastNonce: 'nonce-1' });
    await close();
  });

  it('go on behind what the ledger has, be it calls without numbers, or a number that was lost', async () => {
    const { runs, close } = await runsIn(
      ['model.call', { client: { run: RUN, pack: null }, nonce: 'nonce-1' }],
      ['model.call', { client: { run: RUN, pack: null, call: 4 }, nonce: 'nonce-4' }],
      ['model.call', { client: { run: OTHER, pack: null, call: 1 }, nonce: 'nonce-5' }],
      ['run.closing', { client: { run: OTHER, pack: null }, calls: 1 }],
      ['model.call', { nonce: 'of-nobody' }],
    );
    expect((await runs.open(RUN)).numbering(CLIENT, 'nonce-6')().call).toBe(5);
    const closed = await runs.open(OTHER);
    expect(closed.numbering({ run: OTHER, pack: null }, 'nonce-7')).toThrow(RunClosed);
    const never = (): Promise<JsonObject> => Promise.reject(new Error('asked again'));
    expect(await closed.closing(never)).toMatchObject({ calls: 1 });
    await close();
  });
});
