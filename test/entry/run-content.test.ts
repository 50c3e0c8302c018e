// What a program reads of a run's content: what is kept beside its session, and code that outlives it.
import { expect, it } from 'vitest';
import { contentOf } from '../../src/entry/runtime-place.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import { grantedPlace } from '../runtime/run-ledger.ts';

it('O12 is found where it is content of no session, unless it is salted', async () => {
  const place = await grantedPlace();
  const store = openFileStore(place.directory);
  const run = 'a'.repeat(64);
  const text = Buffer.from('export default 0;\n');
  const shared = await store.putContent(null, text, { plain: true, type: 'application/json' });
  const own = await store.putContent(run, Buffer.from('own'));
  const read = contentOf({ store }, { place }, run);
  expect(Buffer.from((await read(shared)) ?? []).toString()).toBe(text.toString());
  expect(Buffer.from((await read(own)) ?? []).toString()).toBe('own');
  expect(await read({ ...shared, hash: 'b'.repeat(64) })).toBeUndefined();
  expect(await contentOf({ store }, { place }, 'c'.repeat(64))(own)).toBeUndefined();
  await store.close();
});
