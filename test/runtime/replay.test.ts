// foil replay over runs that were really made, in a real sandbox: the same states, or the first event that differs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/index.ts';
import { startRun } from '../../src/entry/runtime.ts';
import type { ReplayParts } from '../../src/runtime/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { replayed, sandbox, sandboxProblem } from './replayed.ts';
import { rewritten } from './rewritten-ledger.ts';
import { eventsOf, grantedPlace, optionsAt, type Place } from './run-ledger.ts';

async function counted(times = 6): Promise<{ place: Place; run: string }> {
  const place = await grantedPlace();
  const run = await startRun({ ...optionsAt(place), snapshots: { events: 8 } });
  await run.observe({ times, end: true });
  await run.close();
  return { place, run: run.id };
}

describe.skipIf(sandboxProblem !== null)('a replay', () => {
  it('O8 comes to the same final state, from the beginning and from each snapshot', async () => {
    const made = await counted();
    const events = await eventsOf(made.place);
    const final = events.at(-1)?.stateAfter;
    const whole = await replayed(made.place, made.run);
    expect(whole).toMatchObject({ outcome: 'matches', divergence: null, flaw: null, finalStateHash: final });
    expect(whole.events).toBe(events.length);
    const snapshots = events.filter(({ kind }) => kind === 'Snapshot').map(({ sequence }) => sequence);
    expect(snapshots.length).toBeGreaterThan(3);
    for (const from of [...snapshots.slice(0, 3), 'last' as const]) {
      const part = await replayed(made.place, made.run, { from });
      expect(part).toMatchObject({ outcome: 'matches', finalStateHash: final });
    }
  });

  it('O8 shows the state at an event', async () => {
    const { place, run } = await counted(2);
    const { state, outcome } = await replayed(place, run, { to: 5 });
    expect(outcome).toBe('matches');
    expect(JSON.parse(state ?? 'null')).toMatchObject({ state: { total: 1, left: 1 } });
  });

  it('O8 runs pure tools again when asked, and finds the same', async () => {
    const { place, run } = await counted(3);
    expect(await replayed(place, run, { execute: true })).toMatchObject({ outcome: 'matches' });
  });

  it('O8 names the event of one changed tool result, though every hash of the ledger was made anew', async () => {
    const { place, run } = await counted(3);
    const changed = (await eventsOf(place)).find(({ kind }) => kind === 'ToolResult')?.sequence ?? 0;
    const forged = await rewritten(place, run, (event) =>
      event.sequence === changed ? { ...event.payload, output: 700 } : null,
    );
    const report = await replayed(forged, run);
    expect(report.outcome).toBe('diverges');
    expect(report.divergence).toMatchObject({ event: changed, what: 'state_hash' });
    expect(report.divergence?.got).toMatch(/^[0-9a-f]{64}$/);
    const again = await replayed(forged, run, { execute: true });
    expect(again.divergence).toMatchObject({ event: changed, what: 'output' });
  });

  it('O7 O8 names a memory write that the reducer did not make, though no state depends on the event', async () => {
    const { place, run } = await counted(1);
    const write = (await eventsOf(place)).find(({ kind }) => kind === 'MemoryWrite')?.sequence ?? 0;
    // Null would stand for a value that looks like a secret, and the agent could not have gone on.
    const forged = await rewritten(place, run, (event) =>
      event.sequence === write ? { ...event.payload, value: null } : null,
    );
    const { divergence } = await replayed(forged, run);
    expect(divergence).toMatchObject({ event: write, what: 'memory' });
  });

  it('O8 misses a memory write that was left out at the end', async () => {
    const { place, run } = await counted(1);
    const forged = await rewritten(place, run, ({ kind }) => (kind === 'MemoryWrite' ? 'drop' : null));
    const events = await eventsOf(forged);
    const { divergence } = await replayed(forged, run);
    expect(events.find(({ sequence }) => sequence === divergence?.event)?.kind).toBe('Snapshot');
  });

  it('O7 O8 names what AgentInit says otherwise of the agent than its code', async () => {
    const { place, run } = await counted(1);
    const forged = await rewritten(place, run, ({ kind, payload }) => {
      const { tools } = payload as unknown as { tools: JsonObject[] };
      return kind === 'AgentInit'
        ? { ...payload, tools: tools.map((tool) => ({ ...tool, pure: true })) }
        : null;
    });
    const { divergence } = await replayed(forged, run);
    expect(divergence).toMatchObject({ event: 0, what: 'declaration', got: 'tools.1.pure false' });
  });

  it('O7 O8 names a reason for which the agent did not fail, and a number of files that its code does not have', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place, 'faulty.mjs'));
    await run.observe('throw');
    await run.close();
    expect(await replayed(place, run.id)).toMatchObject({ outcome: 'matches', flaw: null });
    const forged = await rewritten(place, run.id, ({ kind, payload }) => {
      if (kind === 'Final') return { ...payload, reason: 'the reducer failed: as nobody told it' };
      const { code } = payload as { code: JsonObject };
      return kind === 'AgentInit' ? { ...payload, code: { ...code, files: 7 } } : null;
    });
    const { divergence, flaw } = await replayed(forged, run.id);
    expect(divergence).toMatchObject({
      what: 'declaration',
      expected: 'reason the reducer failed: as nobody told it',
      got: 'reason the reducer failed: as it was told',
    });
    expect(flaw).toBe('event 0 says 7 files of code, and the bundle has 2');
    const stopped = await rewritten(place, run.id, ({ kind, payload }) =>
      kind === 'Final' ? { ...payload, outcome: 'stopped', reason: 'by hand' } : null,
    );
    expect((await replayed(stopped, run.id)).divergence).toMatchObject({
      what: 'declaration',
      expected: 'outcome stopped',
      got: 'reason the reducer failed: as it was told',
    });
  });

  it.each([
    ['clock.mjs', 'Date.now'],
    ['chance.mjs', 'Math.random'],
    ['outside.mjs', 'outside its state'],
  ])('O8 names the reducer of %s, and %s as the reason', async (agent, reason) => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place, agent));
    await run.observe('go');
    await run.observe('go');
    await run.stop();
    await run.close();
    const { outcome, divergence } = await replayed(place, run.id);
    expect(outcome).toBe('diverges');
    expect(divergence).toMatchObject({ event: 2, why: expect.stringContaining(reason) });
  });

  it('O8 is unknown where a payload is gone, and not failed', async () => {
    const place = await grantedPlace();
    const run = await startRun(optionsAt(place));
    await run.observe({ times: 1 });
    await run.observe({ times: 0, long: 'a'.repeat(20_000) });
    await run.stop();
    await run.close();
    const gone = (await eventsOf(place)).find(({ content }) => content !== null);
    const store = openFileStore(place.directory, { readOnly: true });
    const read: ReplayParts['read'] = async (ref) =>
      ref.hash === gone?.content?.hash ? undefined : store.getContent(run.id, ref);
    const report = await replayed(place, run.id, { read });
    await store.close();
    expect(report).toMatchObject({ outcome: 'unknown', unknownAt: gone?.sequence, divergence: null });
  });

  it('O8 never gives the recorded state hashes to who rebuilds the states', async () => {
    const { place, run } = await counted(2);
    const known = new Set((await eventsOf(place)).map(({ stateAfter }) => stateAfter));
    const seen: string[] = [];
    const spying = {
      ...sandbox,
      runFolder: (each: Parameters<typeof sandbox.runFolder>[0]) => {
        for (const name of ['input.json', 'events.jsonl'])
          seen.push(readFileSync(join(String(each.folder), name), 'utf8'));
        return sandbox.runFolder(each);
      },
    };
    expect(await replayed(place, run, { sandbox: spying, from: 'last' })).toMatchObject({
      outcome: 'matches',
    });
    for (const hash of known) expect(seen.join('\n')).not.toContain(hash);
  });

  it('O8 says so where a snapshot lies', async () => {
    const { place, run } = await counted(4);
    const store = openFileStore(place.directory, { readOnly: true });
    const read: ReplayParts['read'] = async (ref) => {
      const bytes = await store.getContent(run, ref);
      const text = Buffer.from(bytes ?? []).toString('utf8');
      return Buffer.from(text.includes('"sequence"') ? text.replace('"total":', '"total":4') : text);
    };
    const { outcome, divergence, from } = await replayed(place, run, { from: 'last', read });
    await store.close();
    expect(outcome).toBe('diverges');
    expect(divergence?.event).toBe(from);
  });

  it('is refused where there is no sandbox', async () => {
    const { place, run } = await counted(1);
    const none = { ...sandbox, available: async () => 'bubblewrap is not installed' };
    await expect(replayed(place, run, { sandbox: none })).rejects.toMatchObject({ code: 'NO_SANDBOX' });
  });
});
