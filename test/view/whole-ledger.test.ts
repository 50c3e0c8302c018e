// A ledger that the page checks by itself, and the days of its heat map.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseTar } from '../../src/format/index.ts';
import type { Health, HealthReport, SessionRow } from '../../src/view/answers.ts';
import { wholeLedger } from '../../src/view/whole-ledger.ts';
import { checkLedger } from '../../web/check-ledger.ts';
import { calendarOf, WEEKS } from '../../web/model/calendar.ts';
import { SmallLedger } from './small-ledger.ts';
import { viewing } from './viewing.ts';

it('X9 a whole ledger can be checked in the page, without anything private; a larger one is for the command', async () => {
  const made = await SmallLedger.make();
  await made.session('one', ['words']);
  await made.ledger.seal();
  const { directory } = made.located;
  for (const name of ['keys', 'auth', 'service']) {
    mkdirSync(join(directory, name), { recursive: true });
    writeFileSync(join(directory, name, 'secret'), 'private');
  }
  const { ask, json } = await viewing([made.toView]);
  const files = parseTar((await ask('/api/whole')).body);
  expect(files.map(({ path }) => path).join()).not.toMatch(/keys|auth|service/);
  const blobs = new Map(files.map(({ path, bytes }) => [path, new Blob([Buffer.from(bytes)])]));
  const answer = await checkLedger({ what: 'ledger', files: blobs, keys: [] });
  expect(answer.report).toMatchObject({ verdict: 'INTACT', entries: 3 });
  await expect(wholeLedger(directory, 100_001)).rejects.toThrow(/too large/);
  const [{ newest_checkpoints: newest }] = (await json<HealthReport>('/api/health')).ledgers as [Health];
  expect(newest.map(({ size, stamp }) => [size, stamp])).toEqual([
    [3, 'none'],
    [1, 'none'],
  ]);
});

it('X9 the heat map has whole weeks with their months, and days before the first session are none without one', () => {
  const row = (start: string): SessionRow => ({ start, calls: 2, unproven: 1, stale: 0 }) as SessionRow;
  const weeks = calendarOf([row('2026-11-18T10:00:00.000Z'), row('2026-11-02T10:00:00.000Z')], '');
  expect(weeks).toHaveLength(WEEKS);
  const days = weeks.flatMap((week) => week.days);
  expect(new Date(days[0]?.date ?? '').getUTCDay()).toBe(1);
  const on = (date: string) => days.find((day) => day.date === date);
  expect(on('2026-11-18')).toMatchObject({ sessions: 1, calls: 2, unproven: 1, when: 'recorded' });
  expect(on('2026-11-10')).toMatchObject({ sessions: 0, when: 'recorded' });
  expect([on('2026-11-01')?.when, on('2026-11-19')?.when]).toEqual(['before', 'after']);
  expect(weeks.map(({ month }) => month).filter(Boolean)).toEqual(['Aug', 'Sep', 'Oct', 'Nov']);
});
