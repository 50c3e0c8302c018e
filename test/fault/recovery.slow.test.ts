// What is done about the remains of a crash. Nothing is truncated: whole lines past the head are adopted, other bytes
// stay where they are and are named by a gap. Bytes before the head or under a checkpoint are never a gap.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import type { Entry, Position } from '../../src/format/index.ts';
import { createFileStore, type FileStore } from '../../src/store/files/index.ts';
import {
  archive,
  createFileLedger,
  expectIntact,
  newFileLedger,
  type Opened,
  openFileLedger,
  reopen,
  verifyDirectory,
} from '../file-ledger.ts';
import { notes, readEntries } from '../read-log.ts';
import { fastDirectory, temporary } from '../temporary.ts';
import { copyLedger, flipByte, headOf, segmentNames, segmentPath, setHead } from './directory.ts';

const note = (text: string) => ({ kind: 'note', payload: { text }, source: 'test' });

/** Three entries, the first sealed; `before` is the head as it was before the last. */
async function threeEntries(directory: string): Promise<{ before: Position; size: number }> {
  const { ledger, store } = await createFileLedger(directory);
  await ledger.append(note('two'));
  const before = await settled(store);
  await ledger.append(note('three'));
  await store.close();
  return { before, size: fs.statSync(segmentPath(directory, 1)).size };
}

/** Where the log ends. The head file may say so a moment later. */
function settled(store: FileStore): Promise<Position> {
  return store.inSection(async (position) => position);
}

/** A new process appends; then everything is there and verifies. Gives the entries. */
async function goOn(directory: string, thoroughly = true): Promise<Entry[]> {
  const { ledger, store } = openFileLedger(directory);
  try {
    await ledger.append(note('on'));
    if (thoroughly) {
      await ledger.seal();
      await expectIntact(directory);
    }
    return await readEntries(store);
  } finally {
    await store.close();
  }
}

const kinds = (entries: readonly Entry[]): string[] => entries.map(({ kind }) => kind);

describe('a torn tail', () => {
  it('K1d of every length is left where it is and named by a gap', async () => {
    const directory = temporary(fastDirectory);
    const whole = join(directory, 'whole');
    const { before, size } = await threeEntries(whole);
    const log = fs.readFileSync(segmentPath(whole, 1));
    for (let end = before.offset; end <= size; end++) {
      const place = copyLedger(whole, join(directory, 'torn'));
      fs.truncateSync(segmentPath(place, 1), end);
      setHead(place, before);
      const thoroughly = end % 16 === 0 || end < before.offset + 3 || end > size - 3;
      if (thoroughly) expect((await verifyDirectory(place)).verdict, `before, cut at ${end}`).toBe('INTACT');
      const entries = await goOn(place, thoroughly);
      const after = fs.readFileSync(segmentPath(place, 1));
      expect(after.subarray(0, end).equals(log.subarray(0, end)), 'nothing is truncated').toBe(true);
      if (end === size) expect(kinds(entries)).toEqual(['ledger.open', 'note', 'note', 'note']);
      else if (end === before.offset) expect(kinds(entries)).toEqual(['ledger.open', 'note', 'note']);
      else {
        const torn = log.subarray(before.offset, end);
        expect(entries[2]?.payload).toEqual({
          reason: 'torn',
          file: '0000000000000001.jsonl',
          offset: before.offset,
          bytes: torn.length,
          sha256: sha256Hex(torn),
        });
        expect(after.length).toBe(end);
        expect(segmentNames(place)).toEqual(['0000000000000001.jsonl', '0000000000000003.jsonl']);
      }
    }
  });

  const garbage: [string, (line: Buffer) => Buffer][] = [
    ['zeros', () => Buffer.alloc(5000)],
    ['a newline', () => Buffer.from('\n')],
    ['other JSON', () => Buffer.from('{"a":1}\n{"b":2}\n')],
    ['the last line once more', (line) => line],
    [
      'a line with a flipped byte',
      (line) => Buffer.from(line.map((byte, i) => (i === 40 ? byte ^ 1 : byte))),
    ],
    ['a line that ends in \\r\\n', (line) => Buffer.concat([line.subarray(0, -1), Buffer.from('\r\n')])],
    ['bytes that are no UTF-8', () => Buffer.from([0xff, 0xfe, 0x0a, 0xc0, 0x80])],
    ['three megabytes without a newline', () => Buffer.alloc(3 << 20, 'x')],
    ['zeros and then the last line', (line) => Buffer.concat([Buffer.alloc(512), line])],
  ];
  it.each(garbage)('K1d may be any bytes: %s', async (_, make) => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { before } = await threeEntries(directory);
    const path = segmentPath(directory, 1);
    const log = fs.readFileSync(path);
    const rest = make(log.subarray(before.offset));
    fs.appendFileSync(path, rest);
    expect((await verifyDirectory(directory)).verdict).toBe('INTACT');
    const entries = await goOn(directory);
    expect(kinds(entries)).toEqual(['ledger.open', 'note', 'note', 'gap', 'note']);
    expect(entries[3]?.payload).toMatchObject({
      offset: log.length,
      bytes: rest.length,
      sha256: sha256Hex(rest),
    });
    expect(fs.readFileSync(path).equals(Buffer.concat([log, rest]))).toBe(true);
  });

  it('K1d may be the first line of a fresh segment; writing goes on beside it', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { ledger, store } = await createFileLedger(directory, { segmentLimit: 1 });
    await ledger.append(note('two'));
    await store.close();
    const head = headOf(directory);
    setHead(directory, { ...head, seq: 1, hash: (await lineHashes(directory))[0] ?? '', offset: 0 });
    fs.truncateSync(segmentPath(directory, 2), 100);
    expect((await verifyDirectory(directory)).verdict).toBe('INTACT');
    const entries = await goOn(directory);
    expect(kinds(entries)).toEqual(['ledger.open', 'gap', 'note']);
    expect(segmentNames(directory)).toEqual([
      '0000000000000001.jsonl',
      '0000000000000002.1.jsonl',
      '0000000000000002.jsonl',
    ]);
  });

  it('is named once, also when the crash comes between the gap and the head', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { before } = await threeEntries(directory);
    fs.truncateSync(segmentPath(directory, 1), before.offset + 50);
    setHead(directory, before);
    const first = openFileLedger(directory);
    await first.store.inSection(async () => undefined);
    await first.store.close();
    expect(headOf(directory).seq).toBe(3);
    setHead(directory, before);
    expect((await verifyDirectory(directory)).verdict).toBe('INTACT');
    expect(kinds(await goOn(directory))).toEqual(['ledger.open', 'note', 'gap', 'note']);
  });

  it('may be followed by more of them: each is named, in order', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { before } = await threeEntries(directory);
    fs.truncateSync(segmentPath(directory, 1), before.offset + 50);
    setHead(directory, before);
    fs.writeFileSync(segmentPath(directory, 3), '{"cause":null,"kind":"ga');
    fs.writeFileSync(segmentPath(directory, 3, 1), '{"cause":null,"kind":"gap","payl');
    fs.writeFileSync(segmentPath(directory, 3, 2), '');
    expect((await verifyDirectory(directory)).verdict).toBe('INTACT');
    const entries = await goOn(directory);
    expect(kinds(entries)).toEqual(['ledger.open', 'note', 'gap', 'gap', 'gap', 'note']);
    expect(entries.slice(2, 5).map(({ payload }) => [payload.file, payload.bytes])).toEqual([
      ['0000000000000001.jsonl', 50],
      ['0000000000000003.jsonl', 24],
      ['0000000000000003.1.jsonl', 32],
    ]);
  });

  it('leaves none unnamed when the gaps themselves are cut short, with and without a head', async () => {
    const root = temporary(fastDirectory);
    const torn = join(root, 'torn');
    const { before } = await threeEntries(torn);
    fs.truncateSync(segmentPath(torn, 1), before.offset + 50);
    setHead(torn, before);
    fs.writeFileSync(segmentPath(torn, 3), '{"cause":null,"kind":"ga');
    const named = copyLedger(torn, join(root, 'named'));
    const first = openFileLedger(named);
    await first.store.inSection(async () => undefined);
    await first.store.close();
    const gaps = fs.readFileSync(segmentPath(named, 3, 1));
    for (let end = 0; end <= gaps.length; end += 31) {
      for (const head of [true, false]) {
        const place = copyLedger(torn, join(root, 'again'));
        fs.writeFileSync(segmentPath(place, 3, 1), gaps.subarray(0, end));
        if (!head) fs.rmSync(join(place, 'head'));
        const label = `${end} of ${gaps.length} bytes, ${head ? 'with' : 'without'} a head`;
        if (head) expect((await verifyDirectory(place)).failures, label).toEqual([]);
        const entries = await goOn(place).catch((error: unknown) => {
          throw new Error(`${label}: ${(error as Error).message}`);
        });
        const files = entries.filter(({ kind }) => kind === 'gap').map(({ payload }) => payload.file);
        expect(files.slice(0, 2), label).toEqual(['0000000000000001.jsonl', '0000000000000003.jsonl']);
      }
    }
  });
});

describe('lines past the head', () => {
  it('are adopted however far the head lags, also across segments', async () => {
    const root = temporary(fastDirectory);
    const whole = join(root, 'whole');
    const { ledger, store } = await createFileLedger(whole, { segmentLimit: 700 });
    const heads = [await settled(store)];
    for (let i = 2; i <= 8; i++) {
      await ledger.append(note(`${i}`));
      heads.push(await settled(store));
    }
    const hashes = (await readEntries(store)).map(({ entry_hash }) => entry_hash);
    await store.close();
    expect(segmentNames(whole).length).toBeGreaterThan(2);
    for (const head of heads) {
      const place = copyLedger(whole, join(root, 'lagging'));
      setHead(place, head);
      const entries = await goOn(place);
      expect(entries.map(({ entry_hash }) => entry_hash).slice(0, 8)).toEqual(hashes);
      expect(entries.length).toBe(9);
    }
  });

  it('may be sealed already: that is no short log', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { ledger, store } = await createFileLedger(directory);
    const before = await settled(store);
    await ledger.append([note('two'), note('three')]);
    await ledger.seal();
    await store.close();
    setHead(directory, before);
    const again = reopen(directory);
    expect((await again.ledger.prove(3)).length).toBeGreaterThan(0);
    expect((await again.ledger.seal()).checkpoint.size).toBe(3);
    expect(headOf(directory).seq).toBe(3);
    await expectIntact(directory);
  });

  it('are found behind an empty segment that a roll left half-way', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    await threeEntries(directory);
    fs.writeFileSync(segmentPath(directory, 4), '');
    const entries = await goOn(directory);
    expect(kinds(entries)).toEqual(['ledger.open', 'note', 'note', 'note']);
    expect(await goOn(directory)).toHaveLength(5);
    // Also once the log has rolled for good, and is archived.
    const opened = reopen(directory, { segmentLimit: 1 });
    await opened.ledger.append(note('rolled'));
    await archive(opened);
    await opened.store.close();
    expect(await goOn(directory)).toHaveLength(8);
  });
});

describe('the head', () => {
  const spoil: [string, (path: string) => void][] = [
    ['missing', (path) => fs.rmSync(path)],
    ['empty', (path) => fs.writeFileSync(path, '')],
    ['half', (path) => fs.truncateSync(path, 90)],
    ['flipped', (path) => flipByte(path, 20)],
    ['zeros', (path) => fs.writeFileSync(path, Buffer.alloc(fs.statSync(path).size))],
  ];
  it.each(spoil)('that is %s is rebuilt from the log', async (_, change) => {
    const directory = join(temporary(fastDirectory), 'ledger');
    await threeEntries(directory);
    const head = headOf(directory);
    change(join(directory, 'head'));
    const { store } = reopen(directory);
    expect(await store.head()).toEqual({ seq: 3, hash: head.hash });
    expect(headOf(directory)).toEqual(head);
    await store.close();
    expect(await goOn(directory)).toHaveLength(4);
  });

  it.each(spoil)('that is %s may come with a torn tail', async (_, change) => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { before } = await threeEntries(directory);
    fs.truncateSync(segmentPath(directory, 1), before.offset + 77);
    change(join(directory, 'head'));
    expect(kinds(await goOn(directory))).toEqual(['ledger.open', 'note', 'gap', 'note']);
  });

  it('that is ahead of the log refuses appends: acknowledged entries are gone', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { before } = await threeEntries(directory);
    fs.truncateSync(segmentPath(directory, 1), before.offset);
    await refuses(directory, 'SHORT_LOG');
    expect((await verifyDirectory(directory)).verdict).toBe('BROKEN');
  });

  it('that names another entry than the log has there refuses appends', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    await threeEntries(directory);
    setHead(directory, { ...headOf(directory), hash: 'ab'.repeat(32) });
    await refuses(directory, 'DAMAGED');
  });

  it('is no reason to take damage for a torn tail: bytes before it are never a gap', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { before } = await threeEntries(directory);
    flipByte(segmentPath(directory, 1), before.offset + 60);
    await refuses(directory, 'DAMAGED');
    expect(segmentNames(directory)).toHaveLength(1);
  });

  it('when it is gone, damage is still not taken for a torn tail if entries follow', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { before } = await threeEntries(directory);
    flipByte(segmentPath(directory, 1), before.offset - 60);
    fs.rmSync(join(directory, 'head'));
    await refuses(directory, 'DAMAGED');
    expect(segmentNames(directory)).toHaveLength(1);
  });

  it('K5a when it is removed under a writer, that writer does not fork the chain', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const one = await newFileLedger(directory, { segmentLimit: 700 });
    const two = reopen(directory, { segmentLimit: 700 });
    await one.ledger.append(note('one'));
    fs.rmSync(join(directory, 'head'));
    for (let i = 0; i < 5; i++) await two.ledger.append(note(`two ${i}`));
    await one.ledger.append(note('one again'));
    await two.ledger.append(note('two again'));
    expect((await readEntries(two.store)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    await two.ledger.seal();
    await expectIntact(directory);
  });
});

describe('a log that is too short', () => {
  it('for its checkpoint refuses appends, whatever the head says', async () => {
    const root = temporary(fastDirectory);
    const whole = join(root, 'whole');
    const { ledger, store } = await createFileLedger(whole);
    await ledger.append(note('two'));
    const before = await settled(store);
    await ledger.append(note('three'));
    await ledger.seal();
    await store.close();
    for (const change of ['head lags', 'head missing']) {
      const place = copyLedger(whole, join(root, 'short'));
      fs.truncateSync(segmentPath(place, 1), before.offset);
      if (change === 'head lags') setHead(place, before);
      else fs.rmSync(join(place, 'head'));
      await refuses(place, 'SHORT_LOG');
      expect((await verifyDirectory(place)).verdict, change).toBe('BROKEN');
    }
  });
});

describe('an init that was interrupted', () => {
  it('can be done again, wherever the first entry was cut', async () => {
    const root = temporary(fastDirectory);
    const whole = join(root, 'whole');
    await (await createFileLedger(whole)).store.close();
    const line = fs.readFileSync(segmentPath(whole, 1));
    for (let end = 0; end < line.length; end += 41) {
      const place = join(root, `${end}`);
      const empty = await createFileStore(place);
      await empty.close();
      fs.writeFileSync(segmentPath(place, 1), line.subarray(0, end));
      if (end > 0) await refuses(place, 'NOT_FOUND', /foil init/);
      await (await createFileLedger(place)).store.close();
      expect(kinds(await goOn(place))).toEqual(['ledger.open', 'note']);
    }
  });

  it('that wrote the first entry and no more has made a ledger', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { store } = await createFileLedger(directory);
    await store.close();
    fs.rmSync(join(directory, 'checkpoint'));
    fs.rmSync(join(directory, 'checkpoints'), { recursive: true });
    fs.mkdirSync(join(directory, 'checkpoints'));
    fs.rmSync(join(directory, 'tile'), { recursive: true });
    setHead(directory, {
      ...headOf(directory),
      seq: 0,
      hash: (await import('../../src/format/index.ts')).GENESIS,
      offset: 0,
    });
    await expect(createFileLedger(directory)).rejects.toMatchObject({ code: 'EXISTS' });
    expect(kinds(await goOn(directory))).toEqual(['ledger.open', 'note']);
  });

  it('never touches a ledger that is there', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    await threeEntries(directory);
    for (const change of [
      () => {},
      () => fs.rmSync(join(directory, 'head')),
      () => flipByte(segmentPath(directory, 1), 5),
    ]) {
      change();
      const log = fs.readFileSync(segmentPath(directory, 1));
      await expect(createFileLedger(directory)).rejects.toMatchObject({ code: 'EXISTS' });
      expect(fs.readFileSync(segmentPath(directory, 1)).equals(log)).toBe(true);
    }
  });
});

describe('files that come and go', () => {
  it('a removed lock file is not made anew, and the message says what to do', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    await threeEntries(directory);
    const lock = join(directory, 'lock');
    fs.rmSync(lock);
    expect(() => openFileLedger(directory)).toThrow(
      expect.objectContaining({ code: 'DAMAGED', message: expect.stringContaining(`touch ${lock}`) }),
    );
    await expect(createFileLedger(directory)).rejects.toMatchObject({ code: 'DAMAGED' });
    expect(fs.existsSync(lock)).toBe(false);
    fs.writeFileSync(lock, '');
    expect(await goOn(directory)).toHaveLength(4);
  });

  it('a ledger that was removed and made anew is not written to by those who had the old one open', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const old = await newFileLedger(directory);
    fs.rmSync(directory, { recursive: true });
    await expect(old.ledger.append(note('gone'))).rejects.toMatchObject({
      code: 'REMOVED',
      message: expect.stringContaining(directory),
    });
    const anew = await newFileLedger(directory);
    await expect(old.ledger.append(note('gone'))).rejects.toMatchObject({ code: 'REMOVED' });
    await expect(old.store.head()).rejects.toMatchObject({ code: 'REMOVED' });
    await anew.ledger.append(note('here'));
    expect(await goOn(directory)).toHaveLength(3);
  });

  it('what a crash left half-written beside a file is nobody’s evidence', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { ledger, store } = await newFileLedger(directory);
    await store.putContent(null, new Uint8Array(9));
    await ledger.seal();
    await store.close();
    const folders = ['', 'ledger', 'tile/0', 'checkpoints', 'keys', 'salts', `blobs/${'0'.repeat(64)}`];
    for (const folder of folders) fs.writeFileSync(join(directory, folder, `x.12345.0.tmp`), 'half');
    fs.writeFileSync(join(directory, 'checkpoint.12345.1.tmp'), 'half');
    fs.writeFileSync(join(directory, 'ledger/0000000000000002.jsonl.gz.12345.2.tmp'), 'half');
    expect(await goOn(directory)).toHaveLength(2);
  });
});

describe('content', () => {
  const SESSION = '0b'.repeat(32);
  const pack = (directory: string): string => join(directory, 'blobs', SESSION, 'pack');

  it('behind a record that was cut short is found, at every byte', async () => {
    const root = temporary(fastDirectory);
    const whole = join(root, 'whole');
    const { ledger, store } = await createFileLedger(whole);
    const first = await store.putContent(SESSION, Buffer.from('first\n'));
    const size = fs.statSync(pack(whole)).size;
    // Its own last byte looks like the end of a record.
    await store.putContent(SESSION, Buffer.from('second\nblob of text\n'));
    await ledger.seal();
    await store.close();
    const bytes = fs.readFileSync(pack(whole));
    for (let end = size; end <= bytes.length; end++) {
      const place = copyLedger(whole, join(root, 'torn'));
      fs.truncateSync(pack(place), end);
      const opened = openFileLedger(place);
      const third = await opened.store.putContent(SESSION, Buffer.from('third\n'));
      const fourth = await opened.store.putContent(SESSION, Buffer.alloc(5000, '\n'));
      await opened.store.close();
      const { store: again } = openFileLedger(place);
      expect(`${await again.getContent(SESSION, first)}`, `cut at ${end}`).toMatch(/102|first/);
      expect(await again.getContent(SESSION, third), `cut at ${end}`).toBeDefined();
      expect(await again.getContent(SESSION, fourth), `cut at ${end}`).toBeDefined();
      await again.close();
      expect((await verifyDirectory(place)).failures, `cut at ${end}`).toEqual([]);
    }
  });

  it('of an erasure that was interrupted gets a new salt, never one of zeros', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { store } = await newFileLedger(directory);
    const before = await store.putContent(SESSION, Buffer.from('secret'));
    fs.writeFileSync(join(directory, 'salts', SESSION), `${'0'.repeat(64)}\n`);
    expect(await store.getContent(SESSION, before)).toBeUndefined();
    const now = await store.putContent(SESSION, Buffer.from('secret'));
    expect(fs.readFileSync(join(directory, 'salts', SESSION), 'utf8')).not.toMatch(/^0+\n$/);
    expect(await store.getContent(SESSION, now)).toBeDefined();
  });

  it('that another process erased is not added to under the old salt', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const one = await newFileLedger(directory);
    const two = reopen(directory);
    const before = await one.store.putContent(SESSION, Buffer.from('secret'));
    expect(await two.store.getContent(SESSION, before)).toBeDefined();
    await two.store.eraseContent(SESSION);
    const now = await one.store.putContent(SESSION, Buffer.from('secret'));
    expect(now.hash).not.toBe(before.hash);
    expect(await two.store.getContent(SESSION, now)).toBeDefined();
  });

  it('with a salt that is no salt is DAMAGED, and can still be erased', async () => {
    const directory = join(temporary(fastDirectory), 'ledger');
    const { store } = await newFileLedger(directory);
    const ref = await store.putContent(SESSION, Buffer.from('secret'));
    fs.writeFileSync(join(directory, 'salts', SESSION), 'pepper\n');
    await expect(store.getContent(SESSION, ref)).rejects.toMatchObject({ code: 'DAMAGED' });
    await expect(store.putContent(SESSION, Buffer.from('x'))).rejects.toMatchObject({ code: 'DAMAGED' });
    await store.eraseContent(SESSION);
    expect(await store.getContent(SESSION, ref)).toBeUndefined();
    expect((await store.putContent(SESSION, Buffer.from('x'))).bytes).toBe(1);
  });
});

async function refuses(directory: string, code: string, message = /foil (verify|recover)/): Promise<void> {
  const { ledger, store }: Opened = openFileLedger(directory);
  try {
    await expect(ledger.append(note('no'))).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    await expect(store.append((head) => notes(head, 'no'))).rejects.toMatchObject({ code });
  } finally {
    await store.close();
  }
}

async function lineHashes(directory: string): Promise<string[]> {
  const { store } = openFileLedger(directory);
  const entries = await readEntries(store);
  await store.close();
  return entries.map(({ entry_hash }) => entry_hash);
}
