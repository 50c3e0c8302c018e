// What a program or a tool may say that can't stand in an event: it is refused before it is on record.
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { recoverRun, startRun } from '../../src/entry/runtime.ts';
import { defineTool } from '../../src/runtime/index.ts';
import { eventsOf, grantedPlace, optionsAt, verified } from './run-ledger.ts';

it('O3 denies a call whose needs can not stand in an event', async () => {
  const place = await grantedPlace({ allow: ['tool:call:ask'], deny: [] });
  const deep = join(place.directory, 'd'.repeat(200), 'e'.repeat(200));
  mkdirSync(deep, { recursive: true });
  symlinkSync(deep, join(place.directory, 'led'));
  const long = `fs:read:led/${'f/'.repeat(450)}f`;
  const many = Array(100).fill('tool:call:ask');
  const bad = [[5], 'tool:call:ask', null, {}, ['tool:call:ask', null], ['x'.repeat(2000)], [long], many];
  const run = await startRun(optionsAt(place, 'needy.mjs'));
  for (const needs of bad) expect(await run.observe(needs)).toEqual({ status: 'waiting' });
  await run.stop();
  await run.close();
  const events = await eventsOf(place);
  expect(events.filter(({ kind }) => kind === 'Denial')).toHaveLength(bad.length);
  expect(events.some(({ kind }) => kind === 'ToolCall')).toBe(false);
  const { replay } = (await verified(place)).facets;
  expect(replay.findings.map(({ code }) => code)).toEqual(['RUN_NOT_REPLAYED']);
});

it('O3 refuses a tool whose capabilities are no texts', () => {
  for (const capabilities of [[5], 'tool:call:x', null])
    expect(() => defineTool({ name: 'x', run: () => 1, capabilities: capabilities as never })).toThrow(
      'a list of texts',
    );
});

it('O5 refuses limits that are no counts, and writes nothing', async () => {
  const place = await grantedPlace();
  const options = optionsAt(place);
  for (const calls of [-1, 1.5, Number.NaN, '3', null])
    await expect(startRun({ ...options, limits: { calls: calls as never } })).rejects.toThrow('limits.calls');
  await expect(startRun({ ...options, limits: { events: -1 } })).rejects.toThrow('limits.events');
  await expect(startRun({ ...options, snapshots: { events: 0 } })).rejects.toThrow('snapshots.events');
  await expect(recoverRun({ ...options, run: '0'.repeat(64), snapshots: { bytes: -1 } })).rejects.toThrow(
    'snapshots.bytes',
  );
  expect(await eventsOf(place)).toEqual([]);
});
