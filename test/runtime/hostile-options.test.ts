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
      'a list of strings',
    );
});

it('O3 refuses a tool that needs more than a call may, and one without a name', () => {
  const needing = (count: number) =>
    defineTool({ name: 'x', run: () => 1, capabilities: Array(count).fill('tool:call:x') });
  expect(needing(64).capabilities).toHaveLength(64);
  expect(() => needing(65)).toThrow('the tool x needs 65 capabilities, but a call may need at most 64');
  expect(() => defineTool({ name: '', run: () => 1 })).toThrow('the name of a tool is a letter');
});

const NOBODY_CAN_GRANT = [
  'tool:call:',
  'tool:call:*',
  'tool:call:a\u0007b',
  'tool:call:a\u202eb',
  'tool:call',
  'Tool:call:x',
  'fs:read:',
  'fs:read:../x',
  'fs:read:a//b',
  'fs:read:a/',
  'network:get:*.example.org',
  'network:get:EVIL.example.org',
  'network:get:evil.example.org:443',
  'network:get:evil.example.org:80',
  'network:get:evil.example.org:08080',
  'network:get:evil.example.org:',
  'network:get:evil.example.org.',
  'network:get:evil.example.org/',
  'network:get:evil.example.org ',
  'network:get:user@evil.example.org',
  'network:get:evil\u3002example.org',
  'network:get:127.1',
  'network:get:[0:0::1]',
  'tool:call:p\u0430ypal',
  'tool:call:\uff50aypal',
  'tool:call:pay*',
];

it.each(NOBODY_CAN_GRANT)('O3 refuses a tool that needs %j when it is defined', (need) => {
  expect(() => defineTool({ name: 'x', run: () => 1, capabilities: ['tool:call:x', need] })).toThrow(
    'the tool x needs',
  );
});

it.each(['tool:call:x', 'fs:read:notes/[id].md', 'fs:write:/a/**', 'network:get:a.example.org:8080'])(
  'O3 takes a tool that needs %j',
  (need) => {
    expect(defineTool({ name: 'x', run: () => 1, capabilities: [need] }).capabilities).toEqual([need]);
  },
);

it('O3 denies a call that needs what nobody can grant, whatever is granted', async () => {
  const place = await grantedPlace({ allow: ['tool:*:**', 'fs:*:/**', 'network:*:**'], deny: [] });
  const run = await startRun(optionsAt(place, 'needy.mjs'));
  for (const need of NOBODY_CAN_GRANT) await run.observe([need]);
  await run.stop();
  await run.close();
  const events = await eventsOf(place);
  const denials = events.filter(({ kind }) => kind === 'Denial');
  expect(denials.map(({ payload }) => payload?.required_capabilities)).toEqual(
    // What stands before an @ may be a password or a token: it is denied, and not written down.
    NOBODY_CAN_GRANT.map((need) => (need.includes('@') ? [] : [need])),
  );
  expect(events.some(({ kind }) => kind === 'ToolCall')).toBe(false);
  const { replay } = (await verified(place)).facets;
  expect(replay.findings.map(({ code }) => code)).toEqual(['RUN_NOT_REPLAYED']);
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
