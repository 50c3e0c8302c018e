// A program that stays, and a disk that failed once: the handle is lost, the program is not.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLedger, verifyDirectory } from '../../src/entry/index.ts';
import { encodeBlock, LastingLedger, Ledger } from '../../src/ledger/index.ts';
import { nodeFs, openFileStore, openKeyring } from '../../src/store/files/index.ts';
import { diskDirectory, temporary } from '../temporary.ts';
import { FaultyFs } from './faulty-fs.ts';

it('K8 goes on with a new handle after one that a failure made unusable, and says what failed', async () => {
  const directory = join(temporary(diskDirectory), 'ledger');
  const keyring = openKeyring(join(directory, 'keys'));
  await (await createLedger({ directory, keyDirectory: join(directory, 'keys') })).close();
  const faulty = new FaultyFs({ call: 'appendDurably', nth: 2, effect: 'none', code: 'EIO' });
  let opened = 0;
  const open = (): Ledger => {
    const fs = opened++ === 0 ? faulty.fs : nodeFs;
    return new Ledger({ store: openFileStore(directory, { fs }), keyring, random: randomBytes });
  };
  const ledger = new LastingLedger(open);
  const note = (text: string): Promise<unknown> =>
    ledger.store.append((head) =>
      encodeBlock([{ kind: 'note', source: 'test', payload: { text } }], head, Date.now()),
    );
  await note('before');
  await expect(note('lost')).rejects.toMatchObject({ fatal: true });
  await note('after');
  expect(opened).toBe(2);
  await ledger.use((current) => current.seal());
  await ledger.close();
  await expect(note('too late')).rejects.toMatchObject({ code: 'CLOSED' });
  expect(await verifyDirectory(directory)).toMatchObject({ verdict: 'INTACT', entries: 3 });
});

it("keeps its handle where the failure was only the call's own", async () => {
  const directory = join(temporary(diskDirectory), 'ledger');
  await (await createLedger({ directory, keyDirectory: join(directory, 'keys') })).close();
  let opened = 0;
  const ledger = new LastingLedger(() => {
    opened++;
    return new Ledger({
      store: openFileStore(directory),
      keyring: openKeyring(join(directory, 'keys')),
      random: randomBytes,
    });
  });
  const bad = ledger.store.append(() => {
    throw new RangeError('mine');
  });
  await expect(bad).rejects.toThrow('mine');
  await ledger.store.readState('claude-code.x');
  expect(opened).toBe(1);
  await ledger.close();
});
