// O12: custody says what was really given out, and nothing is given out without it.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { giveOut } from '../../src/cli/custody.ts';
import { createLedger } from '../../src/entry/index.ts';
import { temporary } from '../temporary.ts';

const GIVEN = {
  run: '5'.repeat(64),
  form: 'run_export.v1',
  bytes: Buffer.from('{}\n'),
  recipient: null,
} as const;

it('O12 records what was written, and nothing that could not be', async () => {
  const folder = temporary();
  const directory = join(folder, 'ledger');
  const ledger = await createLedger({ directory, keyDirectory: join(directory, 'keys') });
  const give = (file: string) => giveOut(ledger, { ...GIVEN, file }, folder);
  mkdirSync(join(folder, 'taken'));
  const { seq: before } = await ledger.store.head();
  await expect(give('none/run.json')).rejects.toThrow('there is no directory');
  await expect(give('taken')).rejects.toThrow('it is a directory');
  expect((await ledger.store.head()).seq).toBe(before);
  expect(await give('run.json')).toBe(before + 1);
  expect(await give('-')).toBe(before + 2);
  expect(readFileSync(join(folder, 'run.json'), 'utf8')).toBe('{}\n');
  await ledger.close();
  await expect(give('late.json')).rejects.toMatchObject({ code: 'CLOSED' });
  expect(existsSync(join(folder, 'late.json'))).toBe(false);
});
