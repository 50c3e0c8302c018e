// SIGKILL at seeded places of a run: it recovers, ends with the right sum, and replays. kill.slow.test.ts does it 100 times.
import { expect, it } from 'vitest';
import { diskDirectory } from '../temporary.ts';
import { runAndKill } from './killed-run.ts';
import { replayed, sandboxProblem } from './replayed.ts';
import { eventsOf, grantedPlace, verified } from './run-ledger.ts';

it('O2 a run that is killed again and again comes to its end, and to the same state in a replay', async () => {
  const place = await grantedPlace({ allow: ['tool:call:add'], deny: [] }, diskDirectory);
  const { run, kills, result } = await runAndKill(place, 150, 4, 7);
  expect(kills).toBe(4);
  expect(result).toBe((150 * 151) / 2);
  const events = await eventsOf(place);
  expect(events.filter(({ kind }) => kind === 'Recovery').length).toBeGreaterThan(0);
  const report = await verified(place);
  expect(report.facets.replay.findings.map(({ code }) => code)).toEqual(['RUN_NOT_REPLAYED']);
  if (sandboxProblem !== null) return;
  const replay = await replayed(place, run);
  expect(replay).toMatchObject({ outcome: 'matches', flaw: null, finalStateHash: events.at(-1)?.stateAfter });
});
