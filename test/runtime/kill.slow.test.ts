// SIGKILL at 100 seeded places of a run: it recovers each time, ends with the right sum, and replays.
import { expect, it } from 'vitest';
import { diskDirectory } from '../temporary.ts';
import { runAndKill } from './killed-run.ts';
import { replayed, sandboxProblem } from './replayed.ts';
import { eventsOf, grantedPlace, verified } from './run-ledger.ts';

it('O2 a run that is killed a hundred times comes to its end, and to the same state in a replay', async () => {
  const place = await grantedPlace({ allow: ['tool:call:add'], deny: [] }, diskDirectory);
  const { run, kills, result } = await runAndKill(place, 2000, 100, 11);
  expect(kills).toBe(100);
  expect(result).toBe((2000 * 2001) / 2);
  const events = await eventsOf(place);
  expect(events.filter(({ kind }) => kind === 'Recovery').length).toBeGreaterThan(0);
  const report = await verified(place);
  expect(report.facets.replay.findings.map(({ code }) => code)).toEqual(['RUN_NOT_REPLAYED']);
  if (sandboxProblem !== null) return;
  const replay = await replayed(place, run);
  expect(replay).toMatchObject({ outcome: 'matches', flaw: null, finalStateHash: events.at(-1)?.stateAfter });
}, 1_800_000);
