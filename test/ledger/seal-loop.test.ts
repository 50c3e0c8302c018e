// Sealing when everything is sealed waits for nothing on disk. Done in a loop, it must still let appends through.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFileLedger } from '../file-ledger.ts';
import { temporary } from '../temporary.ts';

it('K5b sealing over and over does not keep appends of the same process from getting on', async () => {
  const { ledger, store } = await createFileLedger(join(temporary(), 'ledger'));
  let done = false;
  let seals = 0;
  const appending = ledger.append({ kind: 'note', payload: {}, source: 'test' }).then(() => {
    done = true;
  });
  // Bounded, so that a starved append fails the test instead of hanging it.
  while (!done && seals < 20_000) {
    await ledger.seal();
    seals++;
  }
  expect(done).toBe(true);
  await appending;
  await store.close();
});
