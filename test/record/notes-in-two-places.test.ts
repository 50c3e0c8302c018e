// The settings name a place for notes. While they can't be read, hooks leave notes in the usual one: both are told later.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { noteDirectories, runtimeDirectory } from '../../src/record/index.ts';
import { noteMissed, peekCrashes, peekFailed, takeMissed } from '../../src/record/missed.ts';
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
  expect(more).toEqual([]);
  expect(noteDirectories('/ledger', {}, { mode: 'guard', port: null })).toEqual([second]);
});
