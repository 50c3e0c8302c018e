// A run whose tools are in cells: what is on record of them, and their replay.
import { describe, expect, it } from 'vitest';
import { startRun } from '../../src/entry/runtime.ts';
import { replayed, sandboxProblem } from './replayed.ts';
import { rewritten } from './rewritten-ledger.ts';
import { eventsOf, grantedPlace, optionsAt, type Place, verified } from './run-ledger.ts';

async function called(tool: string): Promise<{ place: Place; run: string; result: unknown }> {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place, 'celled.mjs'));
  const { status, ...rest } = await run.observe(tool);
  expect(status).toBe('finished');
  await run.close();
  return { place, run: run.id, result: (rest as { result?: unknown }).result };
}

describe('a run with tools in cells', () => {
  it('O5 has their fuel on record, and says in which module and within which limits they ran', async () => {
    const { place, result } = await called('square');
    expect(result).toEqual({ outcome: 'ok', output: 144, fuel: expect.any(Number) });
    const [init] = await eventsOf(place);
    expect(init?.payload?.tools).toContainEqual({
      name: 'spin',
      pure: true,
      required_capabilities: ['tool:call:spin'],
      idempotent: true,
      limits: { ms: 30_000, output_bytes: 1_048_576 },
      cell: { module: expect.stringMatching(/celled-tools\.mjs$/), fuel: 20_000, memory_bytes: 67_108_864 },
    });
    expect((await verified(place)).verdict).toBe('INTACT');
  });

  it('O5 goes on when their fuel is used up', async () => {
    expect((await called('spin')).result).toEqual({ outcome: 'fuel', output: null, fuel: 20_000 });
  });

  it('refuses a cell whose module imports from Node, before the run begins', async () => {
    const place = await grantedPlace();
    await expect(startRun(optionsAt(place, 'celled-badly.mjs'))).rejects.toMatchObject({
      code: 'NOT_A_MODULE',
      message: expect.stringContaining('node:fs'),
    });
  });

  it.skipIf(sandboxProblem !== null)('O8 runs them in cells again when it is replayed', async () => {
    const { place, run } = await called('square');
    expect(await replayed(place, run, { execute: true })).toMatchObject({ outcome: 'matches' });
    const changed = (await eventsOf(place)).find(({ kind }) => kind === 'ToolResult')?.sequence;
    const forged = await rewritten(place, run, (event) =>
      event.sequence === changed ? { ...event.payload, output: 145 } : null,
    );
    const { divergence } = await replayed(forged, run, { execute: true });
    expect(divergence).toMatchObject({
      event: changed,
      what: 'output',
      got: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });
});
