// The settings name a place for notes. While they can't be read, hooks leave notes in the usual one: both are told later.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noteDirectories, readPause, runtimeDirectory, writePause } from '../../src/record/index.ts';
import { noteMissed, peekCrashes, peekFailed, takeMissed } from '../../src/record/missed/missed.ts';
import { temporary } from '../temporary.ts';

const missed = (why: string) => ({ at: 1, agent: 'codex', event: 'Stop', call: null, why, session: null });

it('what was missed while the settings could not be read is told by the next entry', () => {
  const root = temporary();
  const [named, usual] = [join(root, 'named/l'), join(root, 'usual/l')];
  noteMissed(named, missed('now'));
  noteMissed(usual, missed('unreadable settings'));
  expect(peekFailed(join(root, 'none'), usual)?.why).toBe('unreadable settings');
  expect(peekCrashes(named, usual)).toHaveLength(2);
  const taken = takeMissed(named, usual);
  expect(taken.gaps.map(({ why }) => why)).toEqual(['now', 'unreadable settings']);
  taken.putBack();
  const again = takeMissed(named, usual);
  expect(again.gaps).toHaveLength(2);
  again.told();
  expect(takeMissed(named, usual).gaps).toEqual([]);
});

it('both places are looked at, the one that the settings name first', () => {
  const root = temporary();
  const settings = { mode: 'guard', port: null, runtime: join(root, 'counterfoil') } as const;
  const [first, second, ...more] = noteDirectories('/ledger', {}, settings);
  expect(first).toBe(runtimeDirectory('/ledger', {}, settings));
  expect(second).toBe(runtimeDirectory('/ledger', {}, { mode: 'guard', port: null }));
  // The usual one comes and goes with logins, where it is in /run/user; then there is one more.
  expect(more.filter((path) => !path.startsWith('/tmp/counterfoil-'))).toEqual([]);
  expect(noteDirectories('/ledger', {}, { mode: 'guard', port: null })).toEqual([second, ...more]);
});

it('a pause in the place of before still counts, and is ended with the other', () => {
  const root = temporary();
  const [runtime, before] = [join(root, 'named/l'), join(root, 'usual/l')];
  const options = { locked: false, now: 0, runtime, elsewhere: [before] };
  const until = new Date(60_000).toISOString();
  writePause('/ledger', until, { ...options, runtime: before, elsewhere: [] });
  expect(readPause('/ledger', options)).toEqual({ until });
  writePause('/ledger', null, options);
  expect(readPause('/ledger', options)).toBe(null);
  // A new one takes the place of the old.
  writePause('/ledger', until, { ...options, runtime: before, elsewhere: [] });
  writePause('/ledger', new Date(30_000).toISOString(), options);
  expect(readPause('/ledger', { ...options, now: 40_000 })).toBe(null);
});
