// O9: what can't be read is not passed over when the first difference is named.
import { expect, it } from 'vitest';
import { diffText } from '../../src/report/render-diff.ts';
import type { RunDiff, RunStep } from '../../src/runtime/index.ts';

const step = (event: number, content: RunStep['content']): RunStep => ({
  event,
  kind: 'Observation',
  content,
});
const same = 'same' as const;
const DIFF: RunDiff = {
  outcome: 'different',
  divergence: { a: step(9, { value: 1 }), b: step(9, { value: 2 }), difference: [] },
  unknown: null,
  tools: { onlyA: [], onlyB: [], otherOutput: [], isReordered: false },
  state: [],
  causes: {
    code: same,
    initial_state: same,
    capabilities: same,
    tools: same,
    parameters: same,
    inputs: same,
  },
  fork: null,
};

it('O9 names the step that can not be compared before the divergence that can be seen', () => {
  expect(diffText(DIFF)).toContain('✗ First divergence at event 9 of A, event 9 of B\n');
  const unknown = { a: step(2, null), b: step(2, { value: 1 }), difference: [] };
  const [first, second] = diffText({ ...DIFF, unknown }).split('\n');
  expect(first).toBe('? At event 2 of A, event 2 of B they may already differ, but content is missing');
  expect(second).toBe('✗ First visible divergence at event 9 of A, event 9 of B');
});
