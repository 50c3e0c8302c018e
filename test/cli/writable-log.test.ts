// O10: whether a damaged log can be written to again, as the store sees it.
import { expect, it } from 'vitest';
import { isWritable } from '../../src/app/writable-log.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { replaceLine } from '../runtime/cut-ledger.ts';
import { grantedPlace } from '../runtime/run-ledger.ts';

it.each([
  ['as it was', (line: string) => [line], true],
  ['of the same length', (line: string) => [line.replace('"kind":"', '"kinp":"')], true],
  ['replaced by something else', () => ['\0garbage'], false],
  ['longer', (line: string) => [`${line} `], false],
  ['gone', () => [], false],
])('O10 with a line in the middle that is %s', async (_, change, writable) => {
  const place = await grantedPlace();
  const { directory } = place;
  replaceLine(place, 2, change);
  const store = openFileStore(directory, { readOnly: true });
  try {
    expect(await isWritable({ store }, directory)).toBe(writable);
  } finally {
    await store.close();
  }
});
