// What an agent gets past us is not hidden from whoever verifies: the time in which nothing could be seen is BLIND, and
// what was claimed across it is not proven.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLedger } from '../../src/entry/index.ts';
import { writePause } from '../../src/record/index.ts';
import { CompletenessCheck } from '../../src/verify/completeness-check.ts';
import { Findings } from '../../src/verify/findings.ts';
import { codes, type Guarded, guardedProject, installAll } from './guarded-project.ts';

const MINUTE = 60_000;

async function append({ project }: Guarded, payload: Record<string, string | null>): Promise<void> {
  const ledger = openLedger(project.located, { sealEvery: 0 });
  await ledger.append({ kind: 'config.change', payload, source: 'cli' });
  await ledger.close();
}

/** As `foil pause` does it, or only the note, as an agent would write it. */
async function pause(guarded: Guarded, { told }: { told: boolean }): Promise<void> {
  const { project } = guarded;
  const until = new Date(Date.now() + 30 * MINUTE).toISOString();
  writePause(project.directory, until, { locked: false, env: project.env });
  if (told) await append(guarded, { what: 'pause', until });
}

async function resume(guarded: Guarded, { told }: { told: boolean }): Promise<void> {
  writePause(guarded.project.directory, null, { locked: false, env: guarded.project.env });
  if (told) await append(guarded, { what: 'pause', until: null });
}

describe('a pause', () => {
  it('is BLIND, with its interval and its entry, and the verdict says so in words', async () => {
    const guarded = await guardedProject();
    await guarded.tell(guarded.agent.prompt('Fix it'));
    await pause(guarded, { told: true });
    const seq = guarded.project.entries().length;
    await resume(guarded, { told: true });
    const report = await guarded.verify();
    expect(report.verdict).toBe('INTACT');
    expect(report.facets.completeness.status).toBe('unknown');
    expect(report.facets.completeness.findings).toMatchObject([
      {
        code: 'BLIND_PAUSED',
        seq,
        message: expect.stringMatching(/^recording was paused from .* to /) as unknown,
      },
    ]);
    expect(report.sentence).toMatch(/BLIND: recording was paused from/);
  });

  it('is BLIND also while it lasts, and as long as it was meant to', async () => {
    const guarded = await guardedProject();
    await pause(guarded, { told: true });
    expect(codes(await guarded.verify(), 'completeness')).toEqual(['BLIND_PAUSED']);
  });

  it('names the calls that went by', async () => {
    const guarded = await guardedProject();
    const { agent, project, tell } = guarded;
    await tell(agent.prompt('Fix it'));
    await pause(guarded, { told: true });
    await tell(agent.call('c-1'));
    await tell(agent.result('c-1'));
    await resume(guarded, { told: true });
    await tell(agent.call('c-2'));
    const [gap] = project.recorded().filter(({ kind }) => kind === 'gap');
    expect(gap?.payload).toMatchObject({ reason: 'off', events: 2, calls: ['c-1', 'c-1'] });
    expect(codes(await guarded.verify(), 'completeness')).toEqual(['BLIND_PAUSED']);
  });

  it('that nobody told of, because its note was written by hand, is BLIND and said to be untold', async () => {
    const guarded = await guardedProject();
    const { agent, tell } = guarded;
    await tell(agent.prompt('Fix it'));
    await pause(guarded, { told: false });
    await tell(agent.call('c-1'));
    await resume(guarded, { told: false });
    await tell(agent.call('c-2'));
    const report = await guarded.verify();
    expect(codes(report, 'completeness')).toContain('BLIND_UNTOLD');
    expect(report.sentence).toMatch(/no entry says that anyone paused it/);
  });

  it('whose note is an older foil’s changes nothing else', async () => {
    const guarded = await guardedProject();
    await pause(guarded, { told: true });
    mkdirSync(guarded.project.runtime, { recursive: true });
    await resume(guarded, { told: true });
    expect((await guarded.verify()).verdict).toBe('INTACT');
  });
});

describe('a mode', () => {
  it('that became laxer in the middle of a session is a finding', async () => {
    const guarded = await guardedProject();
    const { agent, project, tell } = guarded;
    await append(guarded, { what: 'mode', from: 'observe', to: 'guard' });
    await tell(agent.prompt('Fix it'));
    await append(guarded, { what: 'mode', from: 'guard', to: 'observe' });
    project.settings('observe');
    await tell(agent.call('c-1'));
    expect(codes(await guarded.verify(), 'completeness')).toEqual(['MODE_RELAXED']);
    expect(
      project.recorded().find(({ kind, source }) => kind === 'config.change' && source !== 'cli')?.payload,
    ).toMatchObject({ what: 'mode', from: 'guard', to: 'observe' });
  });

  it('that was written into the settings by hand is noticed by the next event, and found', async () => {
    const guarded = await guardedProject();
    const { agent, project, tell } = guarded;
    await append(guarded, { what: 'mode', from: 'observe', to: 'guard' });
    await tell(agent.prompt('Fix it'));
    project.settings('observe');
    await tell(agent.call('c-1'));
    await tell(agent.call('c-2'));
    expect(codes(await guarded.verify(), 'completeness')).toEqual(['MODE_UNTOLD']);
  });

  it('that was written by hand before the session began is found, too', async () => {
    const guarded = await guardedProject();
    await append(guarded, { what: 'mode', from: 'observe', to: 'guard' });
    guarded.project.settings('observe');
    await guarded.tell(guarded.agent.prompt('Fix it'));
    expect(codes(await guarded.verify(), 'completeness')).toEqual(['MODE_UNTOLD']);
  });

  it('that becomes stricter, or laxer while nobody works, is nobody’s business', async () => {
    const guarded = await guardedProject('observe');
    const { agent, project, tell } = guarded;
    await append(guarded, { what: 'mode', from: 'guard', to: 'observe' });
    await tell(agent.prompt('Fix it'));
    await append(guarded, { what: 'mode', from: 'observe', to: 'guard' });
    project.settings('guard');
    await tell(agent.call('c-1'));
    expect(codes(await guarded.verify(), 'completeness')).toEqual([]);
  });
});

describe('hooks', () => {
  it('that somebody took out of the settings during a session are noticed by those that are left', async () => {
    const guarded = await guardedProject();
    const { agent, project, tell } = guarded;
    installAll(guarded);
    await tell(agent.start());
    await tell(agent.prompt('Fix it'));
    expect(codes(await guarded.verify(), 'completeness')).toEqual([]);
    installAll(guarded, ['PreToolUse', 'PostToolUse']);
    await tell(agent.prompt('Go on'));
    await tell(agent.prompt('Go on'));
    const [change] = project.recorded().filter(({ kind }) => kind === 'config.change');
    expect(change?.payload).toEqual({ what: 'hooks', missing: ['PostToolUse', 'PreToolUse'] });
    expect(codes(await guarded.verify(), 'completeness')).toEqual(['HOOKS_MISSING']);
  });

  it.each<[string, (guarded: Guarded) => void]>([
    ['all taken out', ({ project }) => rmSync(join(project.work, '.claude'), { recursive: true })],
    [
      'narrowed to a tool that there is not',
      (guarded) =>
        installAll(guarded, [], {}, (groups) => ({
          ...groups,
          PreToolUse: groups.PreToolUse?.map((group) => ({ ...group, matcher: 'Nope' })),
        })),
    ],
    [
      'pointed at another ledger',
      (guarded) =>
        installAll(
          guarded,
          [],
          {},
          (groups) =>
            JSON.parse(JSON.stringify(groups).replaceAll(guarded.project.directory, '/elsewhere')) as object,
        ),
    ],
  ])('that were %s are noticed by the host’s last word, that its settings changed', async (_, take) => {
    const guarded = await guardedProject();
    const { agent, project, tell } = guarded;
    installAll(guarded);
    await tell(agent.prompt('Fix it'));
    take(guarded);
    await tell(agent.event('ConfigChange', { source: 'local_settings' }));
    const changes = project.recorded().filter(({ kind }) => kind === 'config.change');
    expect(changes.map(({ payload }) => payload)).toContainEqual({
      what: 'hooks',
      missing: expect.arrayContaining(['PreToolUse']) as unknown,
    });
    expect(codes(await guarded.verify(), 'completeness')).toEqual(['HOOKS_MISSING']);
  });
});

describe('a claim', () => {
  /** The tests pass, the agent says so, and the gate agrees. */
  async function proven(between: (guarded: Guarded) => Promise<void>): Promise<Guarded> {
    const guarded = await guardedProject();
    const { agent, project, tell } = guarded;
    writeFileSync(join(project.work, 'a.test.js'), '');
    await tell(agent.start());
    await tell(agent.prompt('Run the tests with `npm test`'));
    await between(guarded);
    const args = { command: 'npm test' };
    await tell(agent.call('t-1', args));
    const stdout = 'Tests  3 passed (3)\n Test Files  1 passed (1)';
    await tell(
      agent.result('t-1', args, 'Bash', {
        tool_response: { stdout, stderr: '', interrupted: false, isImage: false },
      }),
    );
    rmSync(join(project.work, 'nothing'), { force: true });
    await tell(agent.stop('All 3 tests pass.'));
    return guarded;
  }

  it('is proven where all of its turn could be seen', async () => {
    const guarded = await proven(async () => undefined);
    const report = await guarded.verify();
    expect(codes(report, 'evidence')).toEqual([]);
    expect(report.counts.claimsProven).toBe(1);
  });

  it('is not proven where recording was paused in its turn', async () => {
    const guarded = await proven(async (inside) => {
      await pause(inside, { told: true });
      await inside.tell(inside.agent.call('hidden', { command: 'sed -i s/a/b/ src/a.js' }));
      await resume(inside, { told: true });
    });
    const report = await guarded.verify();
    expect(codes(report, 'evidence')).toEqual(['CLAIM_BLIND']);
    expect(report.facets.evidence.status).toBe('unknown');
    expect(report.counts.claimsProven).toBe(0);
    expect(report.verdict).toBe('INTACT');
  });
});

describe('a claim of a session whose hooks were taken away', () => {
  it('is not proven, also where they were put back, and the verdict begins with BLIND', async () => {
    const guarded = await guardedProject();
    const { agent, project, tell } = guarded;
    writeFileSync(join(project.work, 'a.test.js'), '');
    installAll(guarded);
    await tell(agent.prompt('Run the tests with `npm test`'));
    const args = { command: 'npm test' };
    await tell(agent.call('t-1', args));
    const stdout = 'Tests  3 passed (3)\n Test Files  1 passed (1)';
    const tool_response = { stdout, stderr: '', interrupted: false, isImage: false };
    await tell(agent.result('t-1', args, 'Bash', { tool_response }));
    installAll(guarded, ['PreToolUse', 'PostToolUse']);
    await tell(agent.event('ConfigChange', { source: 'local_settings' }));
    installAll(guarded);
    await tell(agent.event('ConfigChange', { source: 'local_settings' }));
    await tell(agent.stop('All 3 tests pass.'));
    const report = await guarded.verify();
    expect(codes(report, 'evidence')).toEqual(['CLAIM_BLIND']);
    expect(report.counts.claimsProven).toBe(0);
    expect(report.sentence).toMatch(/ BLIND: hooks that were there .* have been removed/);
  });
});

describe('a call that another place saw in a pause', () => {
  it('is blind, and not missed', () => {
    const findings = new Findings();
    const check = new CompletenessCheck(findings);
    const at = (seq: number, minute: number, kind: string, source: string, payload: object) =>
      check.entry({
        seq,
        kind,
        source,
        payload,
        cause: null,
        v: 1,
        session_id: source === 'cli' ? null : 'a'.repeat(64),
        ts: new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString(),
        prev_hash: '0'.repeat(64),
        entry_hash: '0'.repeat(64),
      } as unknown as Parameters<typeof check.entry>[0]);
    at(1, 0, 'session.start', 'hook:claude-code', { mode: 'guard' });
    at(2, 0, 'model.call', 'gateway', {});
    at(3, 1, 'config.change', 'cli', { what: 'pause', until: '2026-01-01T10:30:00.000Z' });
    const use = {
      tool_use_id: 'x',
      tool: 'Bash',
      input: null,
      input_hash: 'f'.repeat(64),
      input_bytes: 1,
      index: 0,
      whole: true,
    };
    at(4, 5, 'model.tool_use', 'gateway', use);
    at(5, 6, 'model.tool_result', 'gateway', { tool_use_id: 'x', error: false });
    check.finish();
    const found = findings.of('completeness').map(({ code }) => code);
    expect(found).toContain('BLIND_PAUSED');
    expect(found).not.toContain('CALL_MISSED');
  });
});
