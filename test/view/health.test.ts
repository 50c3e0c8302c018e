// What the viewer says of the state of ledgers, and which ledgers `foil view --all` finds.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { userLedgers } from '../../src/cli/user-ledgers.ts';
import { createLedger } from '../../src/entry/index.ts';
import type { Health, HealthReport } from '../../src/view/answers.ts';
import { temporary } from '../temporary.ts';
import { SmallLedger } from './small-ledger.ts';
import { viewing } from './viewing.ts';

it('X9 health tells of checkpoints, stamps, archive, gaps and the index', async () => {
  const made = await SmallLedger.make();
  await made.session('one', ['words']);
  const [since, until] = ['2026-01-01T10:00:00.000Z', '2026-01-01T10:05:00.000Z'];
  const gap = { reason: 'unrecorded', since, until, events: 2, why: 'the disk was full', calls: [] };
  await made.ledger.append({ kind: 'gap', payload: gap, source: 'foil' });
  await made.ledger.seal();
  await made.session('two', ['words']);
  const { directory } = made.located;
  mkdirSync(join(directory, 'stamps'));
  for (const name of [
    '0000000000000001.ots',
    '0000000000000001.headers.json',
    '0000000000000004.ots',
    'other',
  ])
    writeFileSync(join(directory, 'stamps', name), '');
  await made.look();
  const { json } = await viewing([made.toView]);
  const { ledgers } = await json<HealthReport>('/api/health');
  expect(ledgers).toMatchObject([
    {
      entries: 6,
      sealed: 4,
      checkpoints: 2,
      stamps: { proofs: 2, complete: 1, last: 1 },
      archive: { segments: 1, gzipped: 0, upkeep: null },
      sessions: 2,
      open: 2,
      complete: true,
      gaps: { from: 1, count: 1, newest: [{ seq: 4 }] },
      pending: [],
      index: { read: 6, of: 6, problem: null },
    },
  ]);
  const [{ gaps }] = ledgers as [Health];
  expect(gaps.newest[0]?.text).toContain('2 events not recorded');
  expect(gaps.newest[0]?.text).toContain('the disk was full');
});

it('X9 all ledgers of a user are found: of projects, registered ones, and those that are gone', async () => {
  const root = temporary();
  const env = { HOME: root, XDG_STATE_HOME: join(root, 'state'), XDG_CONFIG_HOME: join(root, 'config') };
  const make = async (directory: string): Promise<string> => {
    mkdirSync(join(directory, '..'), { recursive: true });
    await (await createLedger({ directory, keyDirectory: join(root, 'keys') }, { env })).close();
    return directory;
  };
  const state = join(root, 'state/counterfoil');
  const shop = await make(join(state, 'shop-0123456789abcdef'));
  const other = await make(join(state, 'shop-fedcba9876543210'));
  const here = await make(join(root, 'here/.foil'));
  const gone = await make(join(root, 'gone/.foil'));
  mkdirSync(join(state, 'no-ledger'));
  rmSync(gone, { recursive: true });
  expect(userLedgers({ cwd: root, env })).toEqual([
    { name: 'gone', directory: gone },
    { name: 'here', directory: here },
    { name: `shop (${shop})`, directory: shop },
    { name: `shop (${other})`, directory: other },
  ]);
});
