// O10: whether a damaged log can be written to again, as the store sees it.
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { endsInLine, isWritable } from '../../src/app/writable-log.ts';
import { encodeBlock } from '../../src/ledger/index.ts';
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

it('O10 with a last line that was altered', async () => {
  const place = await grantedPlace();
  const { directory } = place;
  const note = { kind: 'note', source: 'test', session_id: null, payload: { text: 'behind' } };
  const writer = openFileStore(directory);
  await writer.append((head) => encodeBlock([note], head, 0));
  await writer.close();
  replaceLine(place, 1, (line) => [line.replace('behind', 'behinD')]);
  const store = openFileStore(directory, { readOnly: true });
  try {
    expect(await isWritable({ store }, directory)).toBe(false);
  } finally {
    await store.close();
  }
});

it('O10 a log ends in the middle of a line where its last bytes are cut off', async () => {
  const { directory } = await grantedPlace();
  const path = join(directory, 'ledger', readdirSync(join(directory, 'ledger'))[0] ?? '');
  const store = openFileStore(directory, { readOnly: true });
  try {
    expect(await endsInLine({ store })).toBe(false);
    truncateSync(path, statSync(path).size - 1);
    expect(await endsInLine({ store })).toBe(true);
  } finally {
    await store.close();
  }
});
