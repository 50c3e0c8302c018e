// foil audit run, through the built file, on a run that was really made.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sandboxProblem } from '../runtime/replayed.ts';
import { endedRun, eventsOf, type Place } from '../runtime/run-ledger.ts';
import { Sandbox } from './foil.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

const TOLD = { times: 2, send: 'example.com', end: true };

/** Changes a word in the first entry that has `mark`, and no hash. */
function damage(directory: string, mark: string, from: string, to: string): void {
  const [segment = ''] = readdirSync(join(directory, 'ledger'));
  const path = join(directory, 'ledger', segment);
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes(mark));
  lines[at] = lines[at]?.replace(from, to) ?? '';
  writeFileSync(path, lines.join('\n'));
}

const auditOf =
  ({ directory }: Place, run: string) =>
  (...words: string[]) =>
    sandbox.run(['audit', 'run', run.slice(0, 12), '--ledger', directory, ...words]);

describe.skipIf(sandboxProblem !== null)('foil audit run', () => {
  it('O7a O7b O7c prints what auditors know, and all sixteen points, also of a broken ledger', async () => {
    const { place, run } = await endedRun(TOLD);
    const audit = auditOf(place, run);
    const events = await eventsOf(place);
    const hashes = audit('--verify-hashes').stdout.split('\n');
    expect(hashes.slice(0, 2)).toEqual([
      '✓ Event 0: payload hash valid',
      '✓ Event 1: payload hash valid, state hash chain valid',
    ]);
    expect(hashes.at(-2)).toBe('✓ All hashes valid');
    expect(hashes).toHaveLength(events.length + 2);
    const denial = events.find(({ kind }) => kind === 'Denial');
    const capabilities = audit('--check-capabilities').stdout.split('\n');
    expect(capabilities.slice(0, 2)).toEqual([
      '✓ All tool calls had required capabilities',
      '✓ 1 denial logged',
    ]);
    expect(capabilities[2]?.replace(/entry \d+/, 'entry N')).toBe(
      `  Event ${denial?.sequence} (entry N): send {"host":"example.com"}: network:post:example.com is not granted`,
    );
    expect(audit('--verify-patches').stdout).toBe('✓ No patch was proposed\n');
    const report = audit('--full-report');
    expect(report.code).toBe(0);
    for (const words of [
      'Policy decisions',
      'Resource usage',
      'What replay does not prove',
      '✓ Replay successful',
    ])
      expect(report.stdout).toContain(words);
    expect(report.stdout.match(/^✓ +\d+ .*: pass, /gm)).toHaveLength(16);
    const { points } = JSON.parse(audit('--json').stdout) as { points: { status: string }[] };
    expect(points.map(({ status }) => status)).toEqual(Array.from({ length: 16 }, () => 'pass'));
    expect(audit('--at', '3').code).toBe(2);
    const past = audit('--trace-memory', '--at', '999');
    expect(past).toMatchObject({ code: 3, stdout: expect.stringContaining('has no event 999') });
    expect(audit('--check-capabilities', 'total').code).toBe(2);
    const at = ['--ledger', place.directory];
    expect(sandbox.ok(['audit', run.slice(0, 12), '--verify-patches', ...at])).toBe(
      audit('--verify-patches').stdout,
    );
    expect(sandbox.run(['replay', run, '--to', '999', ...at])).toMatchObject({
      code: 3,
      stdout: `? Not replayed: the run has no event 999: its last is event ${events.length - 1}.\n`,
    });
    expect(sandbox.json(['session', 'list', ...at])).toMatchObject({
      sessions: [{ calls: 0, denied: 1 }],
    });

    const ofRun = (): string[] => {
      const env = { FOIL_LEDGER: place.directory };
      const { stdout } = sandbox.run(['verify', run, '--json'], { env });
      const { findings } = JSON.parse(stdout) as { findings: { code: string }[] };
      return findings.map(({ code }) => code).filter((code) => code.startsWith('RUN_'));
    };
    sandbox.ok(['checkpoint', ...at]);
    expect(ofRun()).toEqual(['RUN_NOT_REPLAYED']);
    sandbox.ok(['replay', run, '--verify', ...at]);
    expect(ofRun()).toEqual([]);

    damage(place.directory, '"kind":"Observation"', 'example.com', 'example.net');
    const broken = audit('--json');
    expect(broken.code).toBe(4);
    const told = JSON.parse(broken.stdout) as { points: { status: string }[] };
    const failing = new Map([1, 2].map((point) => [point, 'fail']));
    const unknown = new Map([8, 16].map((point) => [point, 'unknown']));
    expect(told.points.map(({ status }) => status)).toEqual(
      Array.from({ length: 16 }, (_, i) => failing.get(i + 1) ?? unknown.get(i + 1) ?? 'pass'),
    );
  });
});
