// Files that lie to a writer: a head, a checkpoint or a temporary file that somebody put there. A lie may stop the
// writer; it must not make it write lines that follow from nothing, or sign another history than it signed before.
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { encodeHead, parseHead } from '../../src/format/index.ts';
import { expectIntact, newFileLedger, reopen } from '../file-ledger.ts';
import { fastDirectory, temporary } from '../temporary.ts';

/** An append is answered before the head is published. */
const published = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
const note = { kind: 'note', payload: {}, source: 'cli' };

it('a head that is changed under an open handle stops the next append', async () => {
  const lies: ((head: ReturnType<typeof parseHead>) => ReturnType<typeof parseHead>)[] = [
    (head) => ({ ...head, seq: head.seq + 100 }),
    (head) => ({ ...head, hash: '0'.repeat(64) }),
    (head) => ({ ...head, offset: head.offset - 10 }),
  ];
  for (const lie of lies) {
    const directory = temporary(fastDirectory);
    const { ledger } = await newFileLedger(directory);
    await ledger.append(note);
    await published();
    const path = join(directory, 'head');
    const truth = readFileSync(path);
    writeFileSync(path, encodeHead(lie(parseHead(truth))));
    await expect(ledger.append(note)).rejects.toMatchObject({ code: 'DAMAGED' });
    writeFileSync(path, truth);
    await ledger.append(note);
    await ledger.seal();
    await expectIntact(directory);
  }
});

it('a head at the beginning of an empty segment is held against the segment before', async () => {
  const directory = temporary(fastDirectory);
  const { ledger } = await newFileLedger(directory);
  await ledger.append(note);
  await published();
  const path = join(directory, 'head');
  const truth = readFileSync(path);
  writeFileSync(join(directory, 'ledger/0000000000000100.jsonl'), '');
  writeFileSync(
    path,
    encodeHead({ seq: 99, hash: '0'.repeat(64), segment: { first: 100, part: 0 }, offset: 0 }),
  );
  await expect(reopen(directory).ledger.append(note)).rejects.toMatchObject({ code: 'DAMAGED' });
  await expect(ledger.append(note)).rejects.toMatchObject({ code: 'DAMAGED' });
  writeFileSync(path, truth);
  await reopen(directory).ledger.append(note);
});

it('a newest checkpoint that was put back does not make the sealer forget a later one', async () => {
  const directory = temporary(fastDirectory);
  const { ledger, store } = await newFileLedger(directory);
  const first = readFileSync(join(directory, 'checkpoint'));
  const line = readFileSync(join(directory, 'ledger/0000000000000001.jsonl'));
  const head = readFileSync(join(directory, 'head'));
  await ledger.append({ ...note, payload: { text: 'as it was' } });
  await ledger.seal();
  await store.close();
  // Everything is put back but checkpoints/, and the log goes on otherwise.
  writeFileSync(join(directory, 'checkpoint'), first);
  writeFileSync(join(directory, 'ledger/0000000000000001.jsonl'), line);
  writeFileSync(join(directory, 'head'), head);
  const again = reopen(directory).ledger;
  await again.append({ ...note, payload: { text: 'another history' } });
  await again.append({ ...note, payload: { text: 'and more' } });
  await expect(again.seal()).rejects.toMatchObject({ code: 'DAMAGED' });
  expect(existsSync(join(directory, 'checkpoints/0000000000000003'))).toBe(false);
});

it('a temporary file of a process with the same id is in nobody’s way', async () => {
  const directory = temporary(fastDirectory);
  const { ledger } = await newFileLedger(directory);
  for (let i = 0; i < 200; i++) {
    copyFileSync(join(directory, 'head'), join(directory, `checkpoint.${process.pid}.${i}.tmp`));
  }
  await ledger.append(note);
  await ledger.seal();
  await expectIntact(directory);
});
