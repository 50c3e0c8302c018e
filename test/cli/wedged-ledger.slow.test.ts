// A ledger that can't be written: another process holds its lock, its lock file is gone, its head is damaged, or its
// folder can't be written at all. Whoever only reads gets an answer, and a person can get out of guard.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Command } from '../../src/cli/command.ts';
import { anchor } from '../../src/cli/commands/anchor.ts';
import { archive } from '../../src/cli/commands/archive.ts';
import { audit } from '../../src/cli/commands/audit.ts';
import { contract } from '../../src/cli/commands/contract.ts';
import { crashes } from '../../src/cli/commands/crashes.ts';
import { doctor } from '../../src/cli/commands/doctor.ts';
import { evidence } from '../../src/cli/commands/evidence.ts';
import { key } from '../../src/cli/commands/key.ts';
import { log } from '../../src/cli/commands/log.ts';
import { mode } from '../../src/cli/commands/mode.ts';
import { overrides } from '../../src/cli/commands/overrides.ts';
import { plan } from '../../src/cli/commands/plan.ts';
import { policy } from '../../src/cli/commands/policy.ts';
import { prove } from '../../src/cli/commands/prove.ts';
import { session } from '../../src/cli/commands/session.ts';
import { show } from '../../src/cli/commands/show.ts';
import { status } from '../../src/cli/commands/status.ts';
import { openLedger } from '../../src/entry/index.ts';
import { writeSettings } from '../../src/ledger/index.ts';
import { OsLock, openFileStore, SECTION } from '../../src/store/files/index.ts';
import { FOIL } from './foil.ts';
import { type HookedLedger, hookedLedger } from './hooked-ledger.ts';

/** Held as by a process that was stopped: an open file description of its own counts as another holder. */
function holdLock({ directory }: HookedLedger): void {
  const lock = new OsLock(join(directory, 'lock'));
  onTestFinished(() => lock.close());
  for (const byte of [SECTION, 1, 2, 3, 4]) expect(lock.tryLock(byte)).toBe(true);
}

/** A file where the folder of entries should be: root can't write there either. */
function breakLedger({ directory }: HookedLedger): void {
  renameSync(join(directory, 'ledger'), join(directory, 'ledger.away'));
  writeFileSync(join(directory, 'ledger'), '');
}

function mendLedger({ directory }: HookedLedger): void {
  rmSync(join(directory, 'ledger'));
  renameSync(join(directory, 'ledger.away'), join(directory, 'ledger'));
}

const READERS: readonly [name: string, command: Command, ...words: string[]][] = [
  ['log', log],
  ['show', show, '2'],
  ['status', status],
  ['crashes', crashes],
  ['overrides', overrides],
  ['session list', session, 'list'],
  ['evidence', evidence],
  ['contract show', contract, 'show'],
  ['audit verify', audit, 'verify'],
  ['prove', prove, '1'],
  ['key list', key, 'list'],
  ['anchor status', anchor, 'status'],
  ['policy explain', policy, 'explain'],
  ['plan list', plan, 'list'],
  ['mode', mode],
  ['archive --dry-run', archive, '--dry-run'],
];

const WEDGES: readonly [name: string, (ledger: HookedLedger) => void][] = [
  ['another process holds every lock', holdLock],
  ['the lock file is gone', ({ directory }) => rmSync(join(directory, 'lock'))],
  [
    'its lock is held and its head is gone',
    (ledger) => {
      holdLock(ledger);
      rmSync(join(ledger.directory, 'head'));
    },
  ],
  [
    'its lock is held and its head is torn',
    (ledger) => {
      holdLock(ledger);
      writeFileSync(join(ledger.directory, 'head'), 'torn');
    },
  ],
];

describe.each(WEDGES)('with a ledger that can not be written: %s', (_, wedge) => {
  it('what only reads needs no lock and says what it says otherwise', async () => {
    const ledger = await hookedLedger();
    await ledger.hook(ledger.prompt('Fix src/a.js, and skip the tests'), { judged: true });
    await ledger.hook(ledger.call());
    const opened = openLedger(ledger.located, { sealEvery: 0 });
    await opened.seal();
    await opened.close();
    const before = new Map<string, number>();
    for (const [name, command, ...words] of READERS)
      before.set(name, (await ledger.run(command, ...words)).exit);
    wedge(ledger);
    const files = readFileSync(join(ledger.directory, 'ledger/0000000000000001.jsonl'));
    for (const [name, command, ...words] of READERS)
      expect([name, (await ledger.run(command, ...words)).exit]).toEqual([name, before.get(name)]);
    const { text } = await ledger.run(doctor);
    expect(text).toMatch(/^(?:fail|warn) {2}writing .*(?:was removed|another process)/m);
    // Nothing was settled, rebuilt or appended by looking.
    expect(readFileSync(join(ledger.directory, 'ledger/0000000000000001.jsonl'))).toEqual(files);
  });
});

describe('a store that is opened for reading', () => {
  it('refuses to write, whatever it is asked, and finds the end of a log without a head', async () => {
    const ledger = await hookedLedger();
    await ledger.hook(ledger.prompt('hello'));
    const store = openFileStore(ledger.directory, { readOnly: true });
    onTestFinished(() => store.close());
    const { seq } = await store.head();
    await expect(store.append(() => undefined)).rejects.toMatchObject({ code: 'DENIED' });
    await expect(store.putContent(null, new Uint8Array(1))).rejects.toMatchObject({ code: 'DENIED' });
    await expect(store.sealing(async () => undefined)).rejects.toMatchObject({ code: 'DENIED' });
    rmSync(join(ledger.directory, 'head'));
    const headless = openFileStore(ledger.directory, { readOnly: true });
    onTestFinished(() => headless.close());
    expect(await headless.head()).toMatchObject({ seq });
    expect(existsSync(join(ledger.directory, 'head'))).toBe(false);
  });

  it('a directory without a ledger is still not found', async () => {
    const ledger = await hookedLedger();
    rmSync(ledger.directory, { recursive: true });
    await expect(ledger.run(log)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });
});

const READ_ONLY = spawnSync('unshare', ['-m', 'true']).status === 0;

it.runIf(READ_ONLY)('on a file system that is read-only, status and log answer as a process', async () => {
  const ledger = await hookedLedger();
  await ledger.hook(ledger.prompt('hello'));
  const mount = `mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"`;
  for (const words of [['status'], ['log'], ['verify']]) {
    const { status: code, stderr } = spawnSync(
      'unshare',
      ['-m', 'sh', '-c', mount, 'sh', ledger.directory, process.execPath, FOIL, ...words],
      { cwd: ledger.work, env: ledger.env, encoding: 'utf8' },
    );
    expect([words, code, stderr]).toEqual([words, 0, '']);
  }
});

describe('foil mode observe with a ledger that can not be written', () => {
  const guarded = async (): Promise<HookedLedger> => {
    const ledger = await hookedLedger();
    await ledger.hook(ledger.prompt('hello'), { mode: 'guard' });
    writeSettings(ledger.directory, { mode: 'guard', port: null });
    return ledger;
  };
  const refuses = async (ledger: HookedLedger): Promise<boolean> => {
    const { answer } = await ledger.hook(ledger.call(), { mode: 'guard' });
    return answer.stdout.includes('"deny"');
  };

  it('lets through what can not be recorded, until something can be; the next entry will record it', async () => {
    const ledger = await guarded();
    breakLedger(ledger);
    expect(await refuses(ledger)).toBe(true);
    const said = await ledger.run(mode, 'observe');
    expect(said.json).toMatchObject({ mode: 'guard', recorded: false });
    expect(await refuses(ledger)).toBe(false);
    mendLedger(ledger);
    expect(await refuses(ledger)).toBe(false);
    const gap = ledger.entries().find(({ kind }) => kind === 'gap');
    expect(gap?.payload).toMatchObject({ reason: 'unrecorded' });
    const told = ledger.entries().filter(({ kind }) => kind === 'crash');
    expect(JSON.stringify(told)).toContain('foil mode observe');
    // Recorded again, guarded again: the same fault is refused as before.
    breakLedger(ledger);
    expect(await refuses(ledger)).toBe(true);
  });

  it('is no way out of a gate that works: with a ledger that can be written the note counts for nothing', async () => {
    const ledger = await guarded();
    breakLedger(ledger);
    await ledger.run(mode, 'observe');
    mendLedger(ledger);
    const { failure } = await ledger.hook(ledger.call('c2'), { mode: 'guard' });
    expect(failure).toBeNull();
    expect((await ledger.run(mode)).json).toEqual({ mode: 'guard' });
  });

  it('ends by itself within a day, and never counts in locked', async () => {
    const ledger = await guarded();
    breakLedger(ledger);
    ledger.now = Date.now() - 25 * 3_600_000;
    await ledger.run(mode, 'observe');
    expect(await refuses(ledger)).toBe(true);
    writeSettings(ledger.directory, { mode: 'locked', port: null });
    ledger.now = Date.now();
    await expect(ledger.run(mode, 'observe')).rejects.toMatchObject({ name: 'StoreError' });
  });

  it('is shown by foil mode and foil status while it lasts', async () => {
    const ledger = await guarded();
    holdLock(ledger);
    await ledger.run(mode, 'observe');
    expect((await ledger.run(mode)).json).toMatchObject({
      mode: 'guard',
      released_until: expect.any(String),
    });
    expect((await ledger.run(status)).json).toMatchObject({ released_until: expect.any(String) });
  }, 60_000);

  it('foil mode guard is not loosened by it, and fails as it should', async () => {
    const ledger = await hookedLedger();
    breakLedger(ledger);
    await expect(ledger.run(mode, 'guard')).rejects.toMatchObject({ name: 'StoreError' });
    expect(existsSync(join(ledger.runtime, 'observe'))).toBe(false);
  });
});
