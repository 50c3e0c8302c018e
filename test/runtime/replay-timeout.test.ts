// Code that never comes to its end in the sandbox is ended, and then nothing is known of the run.
import { describe, expect, it } from 'vitest';
import { replayed, sandboxProblem } from './replayed.ts';
import { endedRun } from './run-ledger.ts';

describe.skipIf(sandboxProblem !== null)('a replay', () => {
  it('O8 is ended when its time is up, and says how to give it more', async () => {
    const live = globalThis as { isLive?: boolean };
    live.isLive = true;
    const { place, run } = await endedRun({}, 'looping.mjs');
    delete live.isLive;
    await expect(replayed(place, run, { timeoutMs: 1000 })).rejects.toMatchObject({
      code: 'NOT_REPLAYED',
      message: expect.stringContaining('was stopped after 1 second.'),
    });
  });
});
