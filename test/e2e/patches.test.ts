// The life of a patch from the command line: every step, what it does to the run, and the way back.
import { afterEach, describe, expect, it } from 'vitest';
import { sandboxProblem } from '../runtime/replayed.ts';
import { PASSES, PatchedRun } from './patched-run.ts';

let made: PatchedRun | undefined;
afterEach(() => made?.remove());

describe.skipIf(sandboxProblem !== null)('foil patch', () => {
  it('O6 O10 goes from proposed to applied in order alone, and the run goes on from there', async () => {
    made = await PatchedRun.begin();
    const operations = [{ op: 'replace', path: '/state/total', value: 10 }];
    expect(made.propose(operations, '--test', PASSES)).toMatchObject({ code: 0, stderr: '' });
    expect(made.patch('approve', made.id())).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('PATCH_ORDER'),
    });
    const told = made.take(['test', 'audit', 'approve', 'apply']);
    expect(told).toContain('✓ total (exit 0)');
    expect(told).toMatch(/is applied\. The state of the run is [0-9a-f]{64}/);
    expect(made.ok(['patch', 'list', made.run_id])).toContain('applied   state   wrong total');
    const run = await made.recover();
    expect(await run?.observe({ times: 0, end: true })).toMatchObject({ status: 'finished', result: 10 });
    await run?.close();
    expect(made.ok(['replay', made.run_id, '--verify'])).toContain('✓ Replay successful');
    const { verdict, facets } = made.json(['verify']) as {
      verdict: string;
      facets: { patches: { status: string } };
    };
    expect({ verdict, patches: facets.patches.status }).toEqual({ verdict: 'INTACT', patches: 'pass' });
    expect(made.patch('revert', made.id())).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('RUN_PATCH'),
    });
    // An audit takes the patch into account, too.
    const audited = made.run(['audit', 'run', made.run_id]);
    expect(audited.stdout).not.toContain('✗');
    expect(audited.code).toBe(0);
  });
});
