// What is kept of a run for ever: its events and its code. Retention takes large payloads, snapshots and the key of the hashes;
// then an audit is unknown there, and never fails.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tidyUp } from '../../src/app/upkeep/upkeep.ts';
import { startRun } from '../../src/entry/runtime.ts';
import { parseRunPayload } from '../../src/format/index.ts';
import { DAY, locate } from '../../src/ledger/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { eventsOf, grantedPlace, optionsAt, verified } from './run-ledger.ts';

it('O12 retention passes over events and code, and the facets that need more are unknown', async () => {
  const place = await grantedPlace();
  const run = await startRun(optionsAt(place));
  await run.observe({ times: 2, end: true });
  await run.close();
  const before = await eventsOf(place);
  const located = locate({ ledger: place.directory, cwd: place.directory, env: {} });
  const now = Date.now() + 400 * DAY;
  const done = await tidyUp(located, { roots: [], now, automatic: false });
  expect(done?.erased.map(({ session }) => session)).toEqual([run.id]);
  expect(readdirSync(join(place.directory, 'salts'))).toEqual([]);

  expect(await eventsOf(place)).toEqual(before);
  const init = parseRunPayload('AgentInit', before[0]?.payload ?? {});
  if (init.kind !== 'AgentInit') throw new Error('the first event is another one');
  const store = openFileStore(place.directory, { readOnly: true });
  expect((await store.getContent(null, init.init.code.bundle))?.length).toBe(init.init.code.bundle.bytes);
  await store.close();
  const { facets, verdict } = await verified(place);
  expect(verdict).toBe('INTACT');
  expect(facets.replay.findings.map(({ code }) => code)).toEqual(['RUN_PAYLOAD_UNKNOWN', 'RUN_NOT_REPLAYED']);
});
