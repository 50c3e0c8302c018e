// Patches of real runs, from the command line: modules, reversals, gates that fail, and patches that are not what they say.
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { plainBlake3 } from '../../src/core/index.ts';
import { openRecording } from '../../src/entry/recorder.ts';
import { RUN_KEY } from '../../src/format/index.ts';
import { encodeBlock } from '../../src/ledger/index.ts';
import { applyPatch, surveyRun } from '../../src/runtime/index.ts';
import { sandboxProblem } from '../runtime/replayed.ts';
import { PASSES, PatchedRun } from './patched-run.ts';

let made: PatchedRun;
beforeEach(async () => {
  made = await PatchedRun.begin();
});
afterEach(() => made.remove());

const STEPS = ['test', 'audit', 'approve', 'apply'];
const TOTAL = [{ op: 'replace', path: '/state/total', value: 10 }];
const refused = (code: string, exit = 1) => ({ code: exit, stdout: expect.stringContaining(code) });

function stateNow(): unknown {
  const { events } = made.json(['replay', made.run_id]) as { events: number };
  const { state } = made.json(['replay', made.run_id, '--to', String(events - 1)]) as { state: unknown };
  return state;
}

function facet(name: string): { status: string; findings: { code: string }[] } {
  const { stdout } = made.run(['verify', '--json']);
  return JSON.parse(stdout).facets[name];
}

function proposeModule(text: string, ...words: string[]) {
  made.write('next.mjs', text);
  const given = ['--module', `agent.mjs=${made.path('next.mjs')}`, '--reason', 'adds more', ...words];
  return made.patch('propose', made.run_id, ...given);
}

describe.skipIf(sandboxProblem !== null)('foil patch', () => {
  it('O6 O10 takes a patch back while the run has not gone on, and only once', async () => {
    made.propose(TOTAL, '--test', PASSES);
    made.take(STEPS);
    expect(stateNow()).toMatchObject({ applied_patches: [made.id()], state: { total: 10 } });
    expect(made.patch('revert', made.id())).toMatchObject({ code: 0 });
    expect(stateNow()).toMatchObject({ applied_patches: [], state: { total: 2 } });
    expect(made.patch('revert', made.id())).toMatchObject(refused('PATCH_ORDER'));
    expect(facet('patches').status).toBe('pass');
  });

  it('O6 does not apply what somebody approved whom the operator does not know', () => {
    made.propose(TOTAL, '--test', PASSES);
    made.take(['test', 'audit']);
    const { XDG_CONFIG_HOME } = made.env;
    made.env.XDG_CONFIG_HOME = made.path('elsewhere');
    made.ok(['operator', 'init', '--no-passphrase']);
    made.ok(['patch', 'approve', made.id()]);
    made.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME;
    expect(made.patch('apply', made.id())).toMatchObject(refused('PATCH_SIGNER_UNKNOWN'));
  });

  it('O6 O11 certifies a run that was patched', async () => {
    made.propose(TOTAL, '--test', PASSES);
    made.take(STEPS);
    const run = await made.recover();
    await run?.observe({ times: 0, end: true });
    await run?.close();
    made.ok(['certify', made.run_id, '--output', made.path('run.bundle')]);
    const [{ vkey } = { vkey: '' }] = made.json(['key', 'list']) as { vkey: string }[];
    const verified = made.run(['verify', made.path('run.bundle'), '--key', vkey]);
    expect(verified.stdout).toContain('PASS');
    expect(verified.stdout).not.toMatch(/PATCH_|RUN_/);
  });

  it('O10 proposes a reversal as a patch of its own once the run has gone on', async () => {
    made.propose(TOTAL, '--test', PASSES);
    made.take(STEPS);
    const run = await made.recover();
    await run?.observe({ times: 1 });
    await run?.close();
    expect(made.patch('revert', made.id())).toMatchObject(refused('PATCH_ALTERED'));
    const test = `back=node -e "process.exit(require('./state.json').state.total === 2 ? 0 : 1)"`;
    made.ok([
      'patch',
      'propose',
      made.run_id,
      '--reverse',
      made.id(),
      '--test',
      test,
      '--reason',
      'was wrong',
    ]);
    made.take(STEPS, 1);
    expect(stateNow()).toMatchObject({ applied_patches: [made.id(0), made.id(1)], state: { total: 2 } });
  });

  it('O6 puts a module in the place of another, and only a patch lets other code go on', async () => {
    const before = readFileSync(made.agent, 'utf8');
    const next = before.replace('a + b', 'a + b + 5');
    const test = `adds=node -e "import('./code/agent.mjs').then((m) => process.exit(m.default.tools[0].run({ a: 1, b: 1 }) === 7 ? 0 : 1))"`;
    made.edit(() => next);
    await expect(made.recover()).rejects.toMatchObject({ code: 'CODE_CHANGED' });
    expect(proposeModule(next, '--test', test)).toMatchObject({ code: 0 });
    made.take(STEPS);
    made.edit(() => before);
    await expect(made.recover()).rejects.toMatchObject({ code: 'CODE_CHANGED' });
    const run = made.recovered(next, 'await run.observe({ times: 1, end: true })');
    expect(run).toMatchObject({ status: 'finished', result: 8 });
    const replayed = made.ok(['replay', made.run_id, '--verify', '--execute']);
    expect(replayed).toContain('✓ Replay successful');
    expect(made.ok(['replay', made.run_id, '--from', 'last'])).toContain('✓ Replay successful');
  });

  it.each([
    ['no test', [], "names no test, so it can't pass"],
    ['a test that fails', ['--test', 'never=false'], '✗ never (exit 1)'],
  ])('O6 rejects a patch with %s', (_, words, told) => {
    made.propose(TOTAL, ...words);
    expect(made.patch('test', made.id())).toMatchObject(refused(told));
    expect(made.patch('audit', made.id())).toMatchObject(refused('PATCH_ORDER'));
  });

  it('O6 rejects what the audit finds, of the state and of modules', () => {
    const test = ['--test', 'any=true'];
    const text = readFileSync(made.agent, 'utf8');
    made.propose([{ op: 'add', path: '/capabilities/-', value: 'fs:read:**' }], ...test);
    proposeModule(text.replace('export default', 'export const agent ='), ...test);
    proposeModule(text.replace('pure: true', 'pure: false'), ...test);
    proposeModule(`import '@scope/other';\n${text}`, ...test);
    const words = [
      'changes capabilities',
      'no longer exports default',
      'changes the tools',
      'imports @scope/other',
    ];
    for (const [number, told] of words.entries()) {
      made.take(['test'], number);
      expect(made.patch('audit', made.id(number))).toMatchObject(refused(told));
    }
    expect(made.patch('approve', made.id())).toMatchObject(refused('PATCH_ORDER'));
  });

  it('O10 names a patch that was applied past its gates, and rejects it: it never took effect', async () => {
    made.propose(TOTAL, '--test', PASSES);
    made.take(['test', 'audit']);
    const { store, close } = await openRecording({ ...made.options, source: 'runtime' });
    const { patches } = await surveyRun(store, made.run_id);
    const known = patches.judge.course.patch({ run: made.run_id, number: 0 });
    const base = known?.proposal.base ?? '';
    const payload = {
      id: made.id(),
      patch_hash: known?.hash ?? '',
      state_hash_before: base,
      state_hash_after: 'a'.repeat(64),
    };
    const entry = { kind: 'patch.applied', source: 'runtime', session_id: made.run_id, payload };
    await store.append((head) => encodeBlock([entry], head, Date.now()));
    await close();
    expect(facet('patches')).toMatchObject({ status: 'fail', findings: [{ code: 'PATCH_ORDER' }] });
    expect(made.ok(['patch', 'list', made.run_id])).toMatch(/✗ Patch [0-9a-f]{16}:0: patch 0 is audited/);
    expect(made.patch('revert', made.id())).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('It never took effect'),
    });
    expect(made.patch('approve', made.id())).toMatchObject(refused('PATCH_ORDER'));
    const run = await made.recover();
    expect(await run?.observe({ times: 0, end: true })).toMatchObject({ result: 2 });
    await run?.close();
  });

  it('O8 names a patch that did not do what it says', async () => {
    made.propose(TOTAL, '--test', PASSES);
    made.take(['test', 'audit', 'approve']);
    const { store, intake, close } = await openRecording({ ...made.options, source: 'runtime' });
    const found = await surveyRun(store, made.run_id);
    await applyPatch({
      place: { store, source: 'runtime', run: made.run_id, pinned: [] },
      intake,
      found,
      id: { run: made.run_id, number: 0 },
      hash: plainBlake3(await store.deriveKey(made.run_id, RUN_KEY)),
      state: async () =>
        '{"applied_patches":[],"capabilities":[],"memory":{"documents":[]},"state":{"total":2,"left":7}}',
    });
    await close();
    const { code, stdout } = made.run(['replay', made.run_id, '--verify']);
    expect(stdout).toMatch(/✗ Divergence detected at patch [0-9a-f]{64}:0, after event \d+/);
    expect(code).toBe(5);
  });

  it('signs a proposal as the operator, who then can not approve it', () => {
    made.propose(TOTAL, '--test', PASSES, '--as-operator');
    made.take(['test', 'audit']);
    expect(made.patch('approve', made.id())).toMatchObject(refused('PATCH_SELF_APPROVED'));
  });

  it('O6 says of a number that JSON readers would change what it is, and not that it is a secret', () => {
    made.write('big.json', '[{ "op": "replace", "path": "/state/total", "value": 9007199254740993 }]');
    const words = ['--operations', made.path('big.json'), '--reason', 'x'];
    const { code, stderr } = made.patch('propose', made.run_id, ...words);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('as a string') });
  });

  it('writes no secret into a proposal', () => {
    const secret = ['ghp', 'x7Kq2mV9pL4tR8wZ1nB6cD3fG5hJ0sYaUeTi'].join('_');
    const { code, stderr } = made.propose([{ op: 'add', path: '/state/token', value: secret }]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('seems to contain a secret'),
    });
    expect(made.ok(['patch', 'list', made.run_id])).toContain('This run has no patches.');
  });
});
