// Holders of the lock that do not let go: stopped, or dead.
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFileLedger, type Opened, reopen } from '../file-ledger.ts';
import { diskDirectory, temporary } from '../temporary.ts';
import { bundle, Child } from './child.ts';

const note = { kind: 'note', payload: {}, source: 'test' };
const SHORT = { timeout: 50 };
const TIMED_OUT = { code: 'LOCK_TIMEOUT', fatal: false, message: expect.stringMatching(/fuser -v .*lock/) };

let holder = '';
beforeAll(async () => {
  holder = await bundle('holder');
});

async function held(
  what: 'section' | 'sealing',
): Promise<{ child: Child; opened: Opened; directory: string }> {
  const directory = join(temporary(diskDirectory), 'ledger');
  const opened = await newFileLedger(directory);
  const child = new Child(holder, [directory, what]);
  await child.until(() => child.lines.includes('held'));
  return { child, opened, directory };
}

describe('a holder that is stopped', () => {
  it('K5d makes others give up at their deadline with LOCK_TIMEOUT, and go on when it continues', async () => {
    const { child, opened } = await held('section');
    child.process.kill('SIGSTOP');
    await expect(opened.ledger.append(note, SHORT)).rejects.toMatchObject(TIMED_OUT);
    await expect(opened.store.inSection(async () => 1, SHORT)).rejects.toMatchObject(TIMED_OUT);
    expect((await opened.store.head()).seq).toBe(1); // looking needs no lock
    const patient = opened.ledger.append(note);
    child.tell('leave');
    child.process.kill('SIGCONT');
    expect((await patient).last).toBe(2);
    expect((await opened.ledger.append(note, SHORT)).last).toBe(3);
  });

  it('K5d lets everybody give up at a deadline of their own, also who comes later', async () => {
    const { child, opened } = await held('section');
    child.process.kill('SIGSTOP');
    const order: string[] = [];
    const told = (name: string, call: Promise<unknown>): Promise<unknown> =>
      call.then(
        () => order.push(`${name} done`),
        ({ code }) => order.push(`${name} ${code}`),
      );
    const patient = told('patient', opened.ledger.append(note));
    const slow = told('slow', opened.ledger.append(note, { timeout: 300 }));
    await new Promise((resolve) => setImmediate(resolve));
    const quick = told('quick', opened.ledger.append(note, SHORT));
    await Promise.all([slow, quick]);
    expect(order).toEqual(['quick LOCK_TIMEOUT', 'slow LOCK_TIMEOUT']);
    child.tell('leave');
    child.process.kill('SIGCONT');
    await patient;
    expect(order.at(-1)).toBe('patient done');
    expect((await opened.store.head()).seq).toBe(2);
  });

  it('K5d keeps others from sealing, until their deadline; appends go on', async () => {
    const { child, opened } = await held('sealing');
    child.process.kill('SIGSTOP');
    await expect(opened.ledger.seal(SHORT)).rejects.toMatchObject(TIMED_OUT);
    expect((await opened.ledger.append(note, SHORT)).last).toBe(2);
    const patient = opened.ledger.seal();
    child.tell('leave');
    child.process.kill('SIGCONT');
    expect((await patient).checkpoint.size).toBe(2);
  });
});

describe('a holder that is killed', () => {
  it.each(['section', 'sealing'] as const)('K5c blocks nobody: %s', async (what) => {
    const { child, opened, directory } = await held(what);
    await expect(
      what === 'section' ? opened.ledger.append(note, SHORT) : opened.ledger.seal(SHORT),
    ).rejects.toMatchObject(TIMED_OUT);
    const waiting = what === 'section' ? opened.ledger.append(note) : opened.ledger.seal();
    await child.kill();
    await waiting;
    await reopen(directory).ledger.append(note);
    await opened.ledger.seal();
  });

  it('K5c blocks nobody when it was stopped before', async () => {
    const { child, opened } = await held('section');
    child.process.kill('SIGSTOP');
    const waiting = opened.ledger.append(note);
    await child.kill();
    expect((await waiting).last).toBe(2);
  });
});

it('K5d a wait without a limit of its own ends after 25 seconds', async () => {
  const { DEFAULT_TIMEOUT } = await import('../../src/store/files/index.ts');
  expect(DEFAULT_TIMEOUT).toBe(25_000);
});
