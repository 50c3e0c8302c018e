// More of foil audit run and foil certify, through the built file: memory as of an event, a forged run, runs that do not replay.
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sandboxProblem } from '../runtime/replayed.ts';
import { rewritten } from '../runtime/rewritten-ledger.ts';
import { endedRun, eventsOf, type Place } from '../runtime/run-ledger.ts';
import { Sandbox } from './foil.ts';

const sandbox = new Sandbox();
const other = new Sandbox();
afterAll(() => {
  sandbox.remove();
  other.remove();
});

const TOLD = { times: 2, end: true };

const auditOf =
  ({ directory }: Place, run: string) =>
  (...words: string[]) =>
    sandbox.run(['audit', 'run', run.slice(0, 12), '--ledger', directory, ...words]);

describe.skipIf(sandboxProblem !== null)('foil audit run', () => {
  it('O7a O2 traces memory, as of an event, and names the invariant that a forged run breaks', async () => {
    const { place, run } = await endedRun(TOLD);
    const writes = (await eventsOf(place)).filter(({ kind }) => kind === 'MemoryWrite');
    const [first = 0, second = 0] = writes.map(({ sequence }) => sequence);
    const line = (event: number): string => `memory:total → Written by event ${event} (ToolResult:add)`;
    const audit = auditOf(place, run);
    expect(audit('--trace-memory').stdout).toBe(`${line(first)}\n${line(second)}\n`);
    const [then, warning] = audit('--trace-memory', 'total', '--at', String(second - 1)).stdout.split('\n');
    expect(then).toBe(`${line(first)}: 1`);
    expect(warning).toMatch(/^\? These values are on record\./);
    expect(audit('--trace-memory', 'other').stdout).toBe('memory:other was not written\n');
    const changed = (await eventsOf(place)).find(({ kind }) => kind === 'ToolResult')?.sequence ?? 0;
    const forged = await rewritten(place, run, (event) =>
      event.sequence === changed ? { ...event.payload, output: 700 } : null,
    );
    const { code, stdout } = auditOf(forged, run)();
    // Its session's sum is not that of the forged entries either.
    expect(code).toBe(4);
    expect(stdout).toMatch(/^✗ {2}8 .*fail, divergence at event \d+: .*\[Deterministic Reconstruction\]$/m);
  });
});

describe.skipIf(sandboxProblem !== null)('foil certify', () => {
  it('O11b refuses a run that does not replay, and says unknown of one that nobody replayed', async () => {
    const { place, run } = await endedRun(TOLD, 'clock.mjs');
    const words = ['certify', run.slice(0, 12), '--ledger', place.directory, '--output'];
    const refused = sandbox.run([...words, join(sandbox.work, 'no.tar.gz')]);
    expect(refused).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('✗ Not certified: the replay diverges at event 2'),
    });
    const file = join(other.work, 'unknown.bundle');
    sandbox.ok([...words, file, '--without-replay']);
    const [{ vkey } = { vkey: '' }] = sandbox.json(['key', 'list', '--ledger', place.directory]) as {
      vkey: string;
    }[];
    const { verdict, findings } = JSON.parse(other.run(['verify', file, '--key', vkey, '--json']).stdout);
    expect(verdict).toBe('UNKNOWN');
    expect(findings.map(({ code }: { code: string }) => code)).toContain('RUN_NOT_REPLAYED');
  });
});
