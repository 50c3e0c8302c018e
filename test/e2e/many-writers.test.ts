// Several processes with many callers each write to one ledger through the built package, while it is sealed and
// verified again and again.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Child, root } from '../fault/child.ts';
import { archive, createFileLedger, expectIntact, openFileLedger, verifyDirectory } from '../file-ledger.ts';
import { readEntries, textOf } from '../read-log.ts';
import { temporary } from '../temporary.ts';

const APPENDER = join(root, 'test/e2e/appender.mjs');

it('K5a, K5b, K1c four processes with 64 callers each: no loss, no fork, no gap in the sequence', async () => {
  const directory = join(temporary(), 'ledger');
  await (await createFileLedger(directory)).store.close();
  const options = JSON.stringify({ directory, callers: 64, each: 25, sealEvery: 256 });
  const children = Array.from({ length: 4 }, () => new Child(APPENDER, [options]));
  for (const child of children) expect(await child.ended, child.errors).toEqual({ code: 0, signal: null });
  const { ledger, store } = openFileLedger(directory);
  await ledger.seal();
  const entries = await readEntries(store);
  await store.close();
  expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 1 + 4 * 64 * 25 }, (_, i) => i + 1));
  const said = children.flatMap((child) => child.lines).filter((line) => line.startsWith('entry '));
  expect(said.length).toBe(4 * 64 * 25);
  for (const line of said) {
    const [, seq = '', hash, ...text] = line.split(' ');
    const entry = entries[Number(seq) - 1];
    expect(entry?.entry_hash).toBe(hash);
    expect(entry && textOf(entry)).toBe(text.join(' '));
  }
  // Each caller waits for its own entry before the next: its entries stand in that order.
  const orders = new Map<string, number>();
  for (const entry of entries.slice(1)) {
    const [pid, caller, i] = textOf(entry).split(' ');
    expect(Number(i)).toBe((orders.get(`${pid} ${caller}`) ?? -1) + 1);
    orders.set(`${pid} ${caller}`, Number(i));
  }
  await expectIntact(directory);
});

it('K5a a live ledger is never called BROKEN: verified while others append, seal and archive', async () => {
  const directory = join(temporary(), 'ledger');
  const opened = await createFileLedger(directory, { segmentLimit: 50_000 });
  const options = JSON.stringify({ directory, callers: 8, each: 150, sealEvery: 64 });
  const children = Array.from({ length: 2 }, () => new Child(APPENDER, [options]));
  const running = Promise.all(children.map((child) => child.ended));
  let over = false;
  void running.then(() => {
    over = true;
  });
  let verified = 0;
  const upkeep = async (): Promise<void> => {
    while (!over) {
      await opened.ledger.append({ kind: 'note', payload: {}, source: 'test' });
      await opened.ledger.seal();
      await archive(opened, verified % 2 === 0);
    }
  };
  const verify = async (): Promise<void> => {
    while (!over) {
      const report = await verifyDirectory(directory);
      expect(report.failures).toEqual([]);
      expect(report.verdict).toBe('INTACT');
      verified++;
    }
  };
  await Promise.all([upkeep(), verify(), running]);
  for (const child of children) expect(child.errors).toBe('');
  expect(verified).toBeGreaterThan(1);
  await opened.ledger.rotateKey();
  await opened.store.close();
  const report = await expectIntact(directory);
  expect(report.entries).toBeGreaterThan(2 * 8 * 150);
});
