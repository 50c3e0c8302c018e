// A recorder may say that it missed something, anywhere, also as the first line of a segment after a crash. It can't say
// what only the log may say.
import { appendFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeGap } from '../../src/format/index.ts';
import { createFileLedger, expectIntact, openFileLedger } from '../file-ledger.ts';
import { readEntries } from '../read-log.ts';
import { fastDirectory, temporary } from '../temporary.ts';
import { segmentNames } from './directory.ts';

const GAP = {
  kind: 'gap',
  source: 'hook:claude-code',
  payload: encodeGap({
    reason: 'unrecorded',
    since: '2026-11-15T10:00:00.000Z',
    until: '2026-11-15T10:00:01.000Z',
    events: 1,
    why: 'the disk was full',
    calls: [],
  }),
};
const NOTE = { kind: 'note', payload: { text: 'x'.repeat(200) }, source: 'test' };

describe('a gap in the recording', () => {
  it.each(['with its head', 'without a head'])(
    'begins a segment, a crash comes, and all goes on: %s',
    async (how) => {
      const directory = join(temporary(fastDirectory), 'ledger');
      const options = { segmentLimit: 1 };
      const first = await createFileLedger(directory, options);
      // Each line has a segment of its own, so the gap begins one.
      await first.ledger.append(NOTE);
      await first.ledger.append(GAP);
      await first.store.close();
      for (let crash = 0; crash < 3; crash++) {
        const newest = segmentNames(directory).at(-1) ?? '';
        appendFileSync(join(directory, 'ledger', newest), '{"cause":null,"ki');
        if (how === 'without a head') rmSync(join(directory, 'head'));
        const { ledger, store } = openFileLedger(directory, options);
        // The first thing that is said after the crash is that something was missed.
        await ledger.append([GAP, NOTE]);
        await ledger.append(GAP);
        await ledger.seal();
        await store.close();
        await expectIntact(directory, ['BLIND']);
      }
      const { store } = openFileLedger(directory);
      const entries = await readEntries(store);
      await store.close();
      const reasons = entries.filter(({ kind }) => kind === 'gap').map(({ payload }) => payload.reason);
      expect(reasons).toEqual([
        'unrecorded',
        ...Array.from({ length: 3 }, () => ['torn', 'unrecorded', 'unrecorded']).flat(),
      ]);
    },
  );

  it('can not be made to say that bytes were torn or entries lost', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { ledger, store } = await createFileLedger(directory);
    const forged = [
      encodeGap({
        reason: 'torn',
        file: '0000000000000001.jsonl',
        offset: 0,
        bytes: 1,
        sha256: 'ab'.repeat(32),
      }),
      encodeGap({ reason: 'lost', from: 2, to: 3, headHash: 'ab'.repeat(32) }),
      { ...GAP.payload, file: '0000000000000001.jsonl' },
      { ...GAP.payload, reason: 'torn' },
      { ...GAP.payload, reason: 'because' },
      { reason: 'off' },
    ];
    for (const payload of forged)
      await expect(ledger.append({ ...GAP, payload })).rejects.toMatchObject({ name: 'ParseError' });
    await ledger.append(GAP);
    await ledger.seal();
    await store.close();
    expect((await expectIntact(directory, ['BLIND'])).entries).toBe(2);
  });
});
