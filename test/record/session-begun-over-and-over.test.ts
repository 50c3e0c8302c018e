// What must be remembered of a session can't be kept: the folder of states can't be written, or what is written there is
// lost. A hook then fails, and says so; it does not begin the session again and again.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hookedLedger } from '../cli/hooked-ledger.ts';

const HOOKS = 5;

it('B9a five hooks that fail because no state can be written leave no session.start at all', async () => {
  const ledger = await hookedLedger();
  writeFileSync(join(ledger.directory, 'sessions'), 'not a folder');
  for (let i = 0; i < HOOKS; i++) {
    const { failure } = await ledger.hook(ledger.call(`c${i}`), { mode: 'guard' });
    expect(failure?.message).toContain('sessions');
  }
  expect(ledger.entries().filter(({ kind }) => kind === 'session.start')).toEqual([]);
  // All five are told once there is room for it, and the session begins once.
  rmSync(join(ledger.directory, 'sessions'));
  await ledger.hook(ledger.call('c5'), { mode: 'guard' });
  const kinds = ledger.entries().map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'session.start')).toHaveLength(1);
  expect(ledger.entries().find(({ kind }) => kind === 'gap')?.payload).toMatchObject({ events: HOOKS });
});

it('B9a a state whose name is taken by something that is no file is refused before anything is written', async () => {
  const ledger = await hookedLedger();
  await ledger.hook(ledger.call('c0'));
  const [state = ''] = readdirSync(join(ledger.directory, 'sessions')).filter((name) =>
    name.startsWith('claude-code.'),
  );
  rmSync(join(ledger.directory, 'sessions', state));
  mkdirSync(join(ledger.directory, 'sessions', state));
  const before = ledger.entries().length;
  for (let i = 0; i < HOOKS; i++) await ledger.hook(ledger.call(`c${i}`), { mode: 'guard' });
  expect(ledger.entries()).toHaveLength(before);
});
