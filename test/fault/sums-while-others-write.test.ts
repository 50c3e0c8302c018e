// Sessions that end while other processes append to theirs: what each end says is so at its place.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { begin, end, expectedSums, step, toldSums } from '../contract/session-sum.ts';
import { expectIntact, newFileLedger } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';
import { bundle, Child } from './child.ts';

it('K5a the sum of a session is that of its place while two processes append to other sessions', async () => {
  const directory = join(temporary(), 'ledger');
  const { store, ledger } = await newFileLedger(directory, { segmentLimit: 200_000 });
  const file = await bundle('busy-sessions');
  const others = [await begin(store), await begin(store)];
  const children = others.map(({ session }) => new Child(file, [directory, session]));
  await Promise.all(children.map((child) => child.until(() => child.lines.includes('up'))));
  const ended = [];
  for (let i = 0; i < 12; i++) {
    const begun = await begin(store);
    for (let j = 0; j < 5; j++) await step(store, begun.session);
    await end(store, begun);
    ended.push(begun.session);
  }
  // Also of the very sessions that are written to.
  for (const other of others) await end(store, other);
  for (const child of children) child.process.stdin?.end();
  for (const child of children) expect(await child.ended).toEqual({ code: 0, signal: null });
  for (const session of [...ended, ...others.map((other) => other.session)]) {
    const told = await toldSums(store, session);
    expect(told.size).toBe(1);
    expect(told).toEqual(await expectedSums(store, session));
  }
  await ledger.seal();
  await expectIntact(directory, ['INTERVAL_OPEN']);
});
