// Which content is due to go, and the tombstone it goes under.
import { describe, expect, it } from 'vitest';
import { NO_SESSION } from '../../src/format/index.ts';
import {
  DAY,
  DEFAULT_RETENTION,
  dueSessions,
  HOUR,
  KEEP_ALL,
  type KeptSession,
  longest,
} from '../../src/ledger/index.ts';
import { expectIntact, newFileLedger } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { temporary } from '../temporary.ts';

const NOW = Date.UTC(2026, 10, 15);
const id = (n: number): string => n.toString(16).padStart(64, '0');

function kept(n: number, age: number, more: Partial<KeptSession> = {}): KeptSession {
  const at = NOW - age;
  return { session: id(n), files: 1, bytes: 100, modified: at, newest: at, ended: true, ...more };
}

const due = (sessions: readonly KeptSession[], retention = DEFAULT_RETENTION): string[] =>
  dueSessions(sessions, retention, NOW).map(({ session, why }) => `${Number.parseInt(session, 16)} ${why}`);

describe('B13c retention', () => {
  it('is 365 days after the newest entry, and both clocks must agree', () => {
    const old = 366 * DAY;
    expect(
      due([
        kept(1, old),
        kept(2, 364 * DAY),
        kept(3, old, { modified: NOW - 5 * DAY }),
        kept(4, old, { newest: NOW - 5 * DAY }),
        kept(5, old, { newest: 0 }),
        kept(6, -400 * DAY),
        kept(7, old, { ended: false }),
        { ...kept(8, old), session: NO_SESSION },
      ]),
    ).toEqual(['1 age', '5 age', '7 age']);
  });

  it('off keeps everything', () => {
    expect(due([kept(1, 9000 * DAY, { bytes: 1e12 })], KEEP_ALL)).toEqual([]);
  });

  it('by room takes the oldest first, as few as will do, never what is open or was touched in the last hour', () => {
    const all = [
      kept(1, 2 * HOUR),
      kept(2, HOUR / 2),
      kept(3, 3 * DAY, { ended: false }),
      kept(4, 8 * DAY, { ended: false }),
      kept(5, 20 * DAY),
      kept(6, 10 * DAY, { modified: NOW - HOUR / 2 }),
    ];
    expect(due(all, { days: null, bytes: 500 })).toEqual(['5 room']);
    expect(due(all, { days: null, bytes: 499 })).toEqual(['5 room', '4 room']);
    expect(due(all, { days: null, bytes: 0 })).toEqual(['5 room', '4 room', '1 room']);
    expect(due(all, { days: 15, bytes: 500 })).toEqual(['5 age']);
  });

  it('of several that speak is the one that keeps more', () => {
    expect(longest({ days: 30, bytes: 10 }, { days: 90, bytes: 5 })).toEqual({ days: 90, bytes: 10 });
    expect(longest({ days: 30, bytes: 10 }, KEEP_ALL)).toEqual(KEEP_ALL);
  });
});

describe('B13d a tombstone', () => {
  it('stands behind a checkpoint and under one, and names none that was heard of meanwhile', async () => {
    const directory = temporary();
    const { ledger } = await newFileLedger(directory);
    const note = (n: number) => ({ kind: 'note', payload: {}, source: 'test', session_id: id(n) });
    const { last: seen } = await ledger.append([note(1), note(2)]);
    await ledger.append(note(2));
    const sessions = [1, 2].map((n) => ({ session: id(n), files: 1, bytes: 10 }));
    const [tombstone] = await ledger.bury({ reason: 'retention', sessions, seen });
    expect(tombstone?.sessions.map(({ session }) => session)).toEqual([id(1)]);
    expect((await ledger.sealed())?.checkpoint.size).toBe(tombstone?.seq);
    await expectIntact(directory);
    expect(await ledger.bury({ reason: 'retention', sessions: [], seen })).toEqual([]);
  });

  it('is one for every 200 sessions, while others append', async () => {
    const directory = temporary();
    const { ledger, store } = await newFileLedger(directory);
    const others = (async () => {
      for (let i = 0; i < 20; i++) await ledger.append({ kind: 'note', payload: {}, source: 'test' });
    })();
    const sessions = Array.from({ length: 450 }, (_, n) => ({ session: id(n + 1), files: 1, bytes: 10 }));
    const tombstones = await ledger.bury({ reason: 'retention', sessions, seen: 1 });
    await others;
    await ledger.seal();
    expect(tombstones.map((each) => each.sessions.length)).toEqual([200, 200, 50]);
    expect((await readEntries(store)).filter(({ kind }) => kind === 'erase').length).toBe(3);
    await expectIntact(directory);
  });

  it('is nothing that a caller may append', async () => {
    const { ledger } = await newFileLedger(temporary());
    await expect(ledger.append({ kind: 'erase', payload: {}, source: 'cli' })).rejects.toThrow(
      /only the ledger/,
    );
  });
});
