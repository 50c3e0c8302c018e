// What search shows of an entry: a piece that a person can read, once.
import { expect, it } from 'vitest';
import { encodeContentRef } from '../../src/format/index.ts';
import type { Found } from '../../src/view/answers.ts';
import { around, textOf } from '../../src/view/entry-text.ts';
import { idOf, SmallLedger } from './small-ledger.ts';
import { viewing } from './viewing.ts';

it('X9 excerpts are of the part that has the words, without the signs of JSON', async () => {
  const content = JSON.stringify({
    command: 'npm test',
    interrupted: false,
    nested: [{ deep: 'zebra crossing' }],
  });
  const ref = { algorithm: 'sha256' as const, hash: '0'.repeat(64), bytes: content.length };
  const payload = { args: encodeContentRef(ref), tool: 'Bash', paths: ['src/zebra.js'], signature: 'f00d' };
  const { text } = await textOf(
    { session_id: null, kind: 'tool.call', payload } as unknown as Parameters<typeof textOf>[0],
    async () => ({ state: 'kept', ref, bytes: Buffer.from(content) }),
  );
  expect(around(text, ['npm', 'crossing'])).toBe('npm test · zebra crossing');
  expect(around(text, ['zebra.js'])).toBe('src/zebra.js');
  expect(around(text, ['f00d'])).toBe('f00d');
  const long = `${'before '.repeat(40)}needle${' after'.repeat(80)}`;
  expect(around(long, ['needle'])).toMatch(/^….*needle after .*…$/);
  // Nothing that is deep or broken stops it.
  const deep = Buffer.from(`${'['.repeat(5000)}${']'.repeat(5000)}`);
  await textOf(
    { session_id: null, kind: 'x', payload } as unknown as Parameters<typeof textOf>[0],
    async () => ({ state: 'kept', ref, bytes: deep }),
  );
});

it('X9 a prompt is found once, although what was made of it has the same words', async () => {
  const small = await SmallLedger.make();
  const of = { source: 'hook', session_id: idOf('one') };
  await small.ledger.append({ ...of, kind: 'session.start', payload: { agent: 'claude-code' } });
  await small.ledger.append({ ...of, kind: 'prompt', payload: { text: 'paint the zebra' } });
  await small.ledger.append({ ...of, kind: 'contract', payload: { objective: 'paint the zebra' } });
  await small.ledger.append({ ...of, kind: 'response', payload: { text: 'The zebra is painted.' } });
  await small.ledger.append({ ...of, kind: 'claim', payload: { quote: 'zebra is painted' } });
  await small.ledger.append({ ...of, kind: 'constructor', payload: { text: 'zebra' } });
  const { json } = await viewing([small.toView]);
  const kinds = async (query: string) =>
    (await json<Found>(`/api/search?q=${query}`)).hits.map(({ kind }) => kind);
  expect(await kinds('zebra')).toEqual(['constructor', 'response', 'prompt']);
  expect(await kinds('contract')).toEqual(['contract']);
});
