// foil fork and foil diff, once from end to end; fork.slow.test.ts has the rest.
import { afterAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../cli/foil.ts';
import { askedRun, foilAt } from './command-line.ts';
import { sandboxProblem } from './replayed.ts';
import { grantedPlace } from './run-ledger.ts';

const sandbox = new Sandbox();
afterAll(() => sandbox.remove());

describe.skipIf(sandboxProblem !== null)('a fork', () => {
  it('O8 O9 is refused a call that the record does not have, and differs from its parent there', async () => {
    const place = await grantedPlace();
    const parent = await askedRun(place);
    const foil = foilAt(sandbox, place);
    const forked = foil('fork', parent, '--at', '2', '--model', 'small');
    expect(forked.code).toBe(1);
    expect(forked.json).toMatchObject({ parent: `${parent}:2`, status: 'stopped', observed: 0, inputs: 2 });
    const { run } = forked.json as { run: string };
    const diff = foil('diff', parent, run);
    expect(diff.code).toBe(5);
    expect(diff.json).toMatchObject({
      fork: 'b',
      divergence: { a: { event: 3, kind: 'Decision' }, b: { event: 2, kind: 'Decision' } },
      began_with: { parameters: 'different', code: 'same', initial_state: 'same', inputs: 'same' },
    });
  });
});
