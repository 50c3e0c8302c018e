// foil certify and foil export, through the built file: a run that was really made and really replayed, checked on another home
// by public keys alone, and what was given out on record.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { startRun } from '../../src/entry/runtime.ts';
import { parseCustody } from '../../src/format/index.ts';
import { sandboxProblem } from '../runtime/replayed.ts';
import { grantedPlace, optionsAt, type Place } from '../runtime/run-ledger.ts';
import { Sandbox } from './foil.ts';

const sandbox = new Sandbox();
const other = new Sandbox();
afterAll(() => {
  sandbox.remove();
  other.remove();
});

async function made(agent?: string): Promise<{ place: Place; run: string }> {
  const place = await grantedPlace();
  const started = await startRun(optionsAt(place, agent));
  await started.observe({ times: 2, send: 'example.com', end: true });
  await started.stop();
  await started.close();
  return { place, run: started.id };
}

interface Logged {
  readonly kind: string;
  readonly payload: never;
}

describe.skipIf(sandboxProblem !== null)('foil certify', () => {
  it('O11 O12 makes a bundle that another home verifies by public keys alone, and records that it was given out', async () => {
    const { place, run } = await made();
    const at = ['--ledger', place.directory];
    const file = join(other.work, 'bundle.tar.gz');
    const told = sandbox.run(['certify', run.slice(0, 12), ...at, '--output', file, '--for', 'Auditors Ltd']);
    expect(told).toMatchObject({ code: 0, stdout: expect.stringContaining('✓ Replayed to the same state') });
    const [{ vkey } = { vkey: '' }] = sandbox.json(['key', 'list', ...at]) as { vkey: string }[];
    const { code, stdout } = other.run(['verify', file, '--key', vkey, '--json']);
    const report = JSON.parse(stdout) as { verdict: string; findings: unknown[] };
    expect(report.findings.filter((each) => (each as { level: string }).level !== 'note')).toEqual([]);
    expect({ code, verdict: report.verdict }).toEqual({ code: 0, verdict: 'PASS' });
    const exported = join(other.work, 'run.json');
    sandbox.ok(['export', run.slice(0, 12), ...at, '--output', exported]);
    const log = sandbox.json(['log', '--kind', 'custody', ...at]) as Logged[];
    expect(log.map(({ payload }) => parseCustody(payload))).toMatchObject([
      {
        run,
        form: 'proof_bundle.v1',
        file: 'bundle.tar.gz',
        sha256: sha256Hex(readFileSync(file)),
        recipient: 'Auditors Ltd',
      },
      {
        run,
        form: 'run_export.v1',
        file: 'run.json',
        sha256: sha256Hex(readFileSync(exported)),
        recipient: null,
      },
    ]);
    const document = JSON.parse(readFileSync(exported, 'utf8')) as { run_id: string; entries: Logged[] };
    expect(document.run_id).toBe(run);
    expect(document.entries.filter(({ kind }) => kind === 'run.event').length).toBeGreaterThan(10);
    rmSync(place.keyDirectory, { recursive: true });
    sandbox.ok(['export', run.slice(0, 12), ...at, '--output', exported]);
    expect(sandbox.json(['log', '--kind', 'custody', ...at])).toHaveLength(2);
    writeFileSync(file, readFileSync(file).subarray(0, -9));
    expect(other.run(['verify', file, '--key', vkey]).code).toBe(4);
  });

  it('O11 refuses a run that does not replay, and says unknown of one that nobody replayed', async () => {
    const { place, run } = await made('clock.mjs');
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
