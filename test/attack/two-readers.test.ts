// The verifier and the ledger's own readers must see the same entries: what is verified is what is shown.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sha256Hex, utf8Encode } from '#platform';
import { encodeEntry, encodeGap, parseEntry } from '../../src/format/index.ts';
import { expectIntact, newFileLedger, reopen, verifyDirectory } from '../file-ledger.ts';
import { fastDirectory, temporary } from '../temporary.ts';

const ts = '2026-11-15T10:00:00.000Z';
const FIRST = '0000000000000001';

it('a gap can not pass off forged lines as torn, where readers would take them for the segment', async () => {
  const directory = temporary(fastDirectory);
  const { ledger, store } = await newFileLedger(directory);
  await ledger.append({ kind: 'note', payload: { text: 'what happened' }, source: 'cli' });
  await ledger.seal();
  await store.close();
  const path = join(directory, 'ledger', `${FIRST}.jsonl`);
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const open = parseEntry(utf8Encode(lines[0] as string));
  const last = parseEntry(utf8Encode(lines[1] as string));
  const forged = `${lines[0]}\n${encodeEntry({ kind: 'note', payload: { text: 'forged' }, source: 'cli', ts }, 2, open.entry_hash).line}\n`;
  writeFileSync(join(directory, 'ledger', `${FIRST}.1.jsonl`), forged);
  const payload = encodeGap({
    reason: 'torn',
    file: `${FIRST}.1.jsonl`,
    offset: 0,
    bytes: utf8Encode(forged).length,
    sha256: sha256Hex(forged),
  });
  const gap = encodeEntry({ kind: 'gap', payload, source: 'ledger', ts }, 3, last.entry_hash).line;
  writeFileSync(join(directory, 'ledger', '0000000000000003.jsonl'), `${gap}\n`);
  const report = await verifyDirectory(directory);
  expect(report.facets.integrity.findings.map(({ code }) => code)).toContain('SEGMENT_NAME');
  expect(report.verdict).toBe('BROKEN');
});

it('nor can bytes at the end of the log, in a segment named after entries that stand elsewhere', async () => {
  const directory = temporary(fastDirectory);
  const { ledger, store } = await newFileLedger(directory);
  for (let i = 0; i < 3; i++) await ledger.append({ kind: 'note', payload: {}, source: 'cli' });
  await ledger.seal();
  await store.close();
  for (const first of [2, 4, 9]) {
    const path = join(directory, 'ledger', `${String(first).padStart(16, '0')}.jsonl`);
    writeFileSync(path, '{"torn');
    expect((await verifyDirectory(directory)).verdict).toBe('BROKEN');
    rmSync(path);
  }
  writeFileSync(join(directory, 'ledger', '0000000000000005.jsonl'), '{"torn');
  await expectIntact(directory, ['TORN_TAIL']);
});

it('an empty part beside a segment hides nothing', async () => {
  const directory = temporary(fastDirectory);
  const { ledger, store } = await newFileLedger(directory);
  await ledger.append({ kind: 'note', payload: {}, source: 'cli' });
  await store.close();
  writeFileSync(join(directory, 'ledger', `${FIRST}.1.jsonl`), '');
  const { ledger: again } = reopen(directory);
  expect((await again.seal()).checkpoint.size).toBe(2);
  await expectIntact(directory);
});

it('a line too long to be one is not held in memory by readers', async () => {
  const directory = temporary(fastDirectory);
  const { store } = await newFileLedger(directory);
  const path = join(directory, 'ledger', `${FIRST}.jsonl`);
  for (let i = 0; i < 24; i++) appendFileSync(path, Buffer.alloc(1 << 20, 'x'));
  appendFileSync(path, '\nx\n');
  let longest = 0;
  let last = '';
  for await (const piece of store.read(1, 3)) {
    longest = Math.max(longest, piece.length);
    last = Buffer.from(piece).toString('latin1').slice(-3);
  }
  expect(longest).toBeLessThan(3 << 20);
  expect(last).toBe('\nx\n');
});
