// More hooks fail than are told one by one: how many there were is on record all the same.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noteMissed, takeMissed } from '../../src/record/missed/missed.ts';
import { fastDirectory, temporary } from '../temporary.ts';

it.each([
  [8, 8],
  [9, 9],
  [60, 9],
])('B9d of %i failures, %i entries tell, and none is left out silently', (failures, entries) => {
  const runtime = join(temporary(fastDirectory), 'a/b');
  for (let at = 1; at <= failures; at++)
    noteMissed(runtime, { at, agent: 'codex', event: 'Stop', call: null, why: `why ${at}`, session: null });
  const { crashes, gaps } = takeMissed(runtime);
  expect(crashes).toHaveLength(entries);
  expect(gaps[0]?.events).toBe(failures);
  expect(crashes.at(-1)?.error).toBe(`why ${failures}`);
  if (failures > 8)
    expect(crashes[0]?.error).toBe(`${failures - 8} more before the 8 that follow, the first of them: why 1`);
});
