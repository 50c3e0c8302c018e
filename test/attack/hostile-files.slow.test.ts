// A ledger's directory made by somebody who wants the verifier to hang, to run out of memory or to give up: whatever
// lies there, it ends soon and says BROKEN.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex, utf8Encode } from '#platform';
import { encodeHex, makeSigner } from '../../src/core/index.ts';
import { filesFromMap, type Report, verifyLedger } from '../../src/verify/index.ts';
import { createFileLedger, verifyDirectory } from '../file-ledger.ts';
import { fastDirectory, temporary } from '../temporary.ts';
import { LedgerMaker } from '../verify/make-ledger.ts';

const SEGMENT = 'ledger/0000000000000001.jsonl';

async function ledgerOnDisk(): Promise<string> {
  const directory = temporary(fastDirectory);
  const { ledger } = await createFileLedger(directory);
  await ledger.append([{ kind: 'note', payload: { text: 'hi' }, source: 'cli' }]);
  await ledger.seal();
  await ledger.putContent(null, new Uint8Array(100), {});
  await ledger.close();
  return directory;
}

function codes(report: Report): string[] {
  return Object.values(report.facets).flatMap(({ findings }) => findings.map(({ code }) => code));
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - start) / 1000 };
}

describe('what is no file, where a file belongs', () => {
  const places: Record<string, string> = {
    head: 'HEAD_DAMAGED',
    checkpoint: 'CHECKPOINT_INVALID',
    'checkpoints/0000000000000002': 'CHECKPOINT_INVALID',
    [SEGMENT]: 'TRUNCATED',
    [`${SEGMENT}.gz`]: '',
    'tile/0/000.p/2': 'TILE_MISMATCH',
    'tile/0/000': '',
    [`blobs/${'0'.repeat(64)}/pack`]: '',
    [`salts/${'0'.repeat(64)}`]: 'SALT_DAMAGED',
  };
  const kinds: Record<string, (path: string) => void> = {
    'a pipe': (path) => void execFileSync('mkfifo', [path]),
    'a link to a directory': (path) => symlinkSync('/', path),
    'a link to itself': (path) => symlinkSync(path, path),
    'a device': (path) => symlinkSync('/dev/zero', path),
  };
  for (const [kind, make] of Object.entries(kinds)) {
    it(`${kind} is neither waited for nor followed for ever`, { timeout: 20_000 }, async () => {
      for (const [place, code] of Object.entries(places)) {
        const directory = await ledgerOnDisk();
        rmSync(join(directory, place), { force: true, recursive: true });
        make(join(directory, place));
        const report = await verifyDirectory(directory);
        if (code !== '') expect(codes(report), `${place}: ${kind}`).toContain(code);
      }
    });
  }

  it('a directory', async () => {
    for (const place of ['head', 'checkpoint', 'checkpoints/0000000000000002', SEGMENT, 'tile/0/000.p/2']) {
      const directory = await ledgerOnDisk();
      rmSync(join(directory, place), { recursive: true });
      mkdirSync(join(directory, place));
      const { verdict, facets } = await verifyDirectory(directory);
      expect(verdict === 'BROKEN' || facets.truncation.status === 'unknown', place).toBe(true);
    }
  });
});

describe('sizes that nobody wrote', () => {
  it('sparse files of a tebibyte are not read into memory', { timeout: 20_000 }, async () => {
    for (const place of [
      'head',
      'checkpoint',
      'checkpoints/0000000000000002',
      'tile/0/000.p/2',
      `salts/${'0'.repeat(64)}`,
    ]) {
      const directory = await ledgerOnDisk();
      truncateSync(join(directory, place), 2 ** 40);
      const report = await verifyDirectory(directory);
      expect(codes(report).length, place).toBeGreaterThan(1);
    }
  });

  it('nor is content that is longer than content can be', { timeout: 20_000 }, async () => {
    const directory = await ledgerOnDisk();
    const path = join(directory, 'blobs', '0'.repeat(64), `sha256-${'1'.repeat(64)}`);
    writeFileSync(path, '');
    truncateSync(path, 2 ** 40);
    expect(codes(await verifyDirectory(directory))).toContain('CONTENT_MISMATCH');
  });

  it('a partial tile needs its own name', async () => {
    const maker = new LedgerMaker().notes(4);
    maker.seal();
    const tile = maker.files.get('tile/0/000.p/5') as Uint8Array;
    maker.files.delete('tile/0/000.p/5');
    for (const name of ['0x20', '1e2', '200.0']) maker.files.set(`tile/0/000.p/${name}`, tile);
    expect(codes(await verifyLedger(filesFromMap(maker.files)))).toContain('TILE_MISSING');
  });
});

describe('work that grows with the square of what is given', () => {
  it('thousands of empty segments', { timeout: 30_000 }, async () => {
    const maker = new LedgerMaker().notes(2);
    maker.seal();
    const map = new Map(maker.files);
    for (let i = 0; i < 5000; i++)
      map.set(`ledger/${String(1000 + i).padStart(16, '0')}.jsonl`, new Uint8Array(0));
    const files = filesFromMap(map);
    let reads = 0;
    const counted = {
      ...files,
      read: (...args: Parameters<typeof files.read>) => {
        reads++;
        return files.read(...args);
      },
    };
    await verifyLedger(counted);
    expect(reads).toBeLessThan(60_000);
  });

  it('an archive recorded again and again', { timeout: 30_000 }, async () => {
    const maker = new LedgerMaker();
    const name = '0000000000000001.jsonl';
    const file = { name, bytes: 1, sha256: '0'.repeat(64), gz_sha256: '1'.repeat(64) };
    for (let i = 0; i < 300; i++) maker.append('archive', { files: Array.from({ length: 250 }, () => file) });
    maker.files.set(`ledger/${name}.gz`, utf8Encode('x'));
    const { result, seconds } = await timed(() => verifyLedger(filesFromMap(maker.files)));
    expect(codes(result)).toContain('ARCHIVE_MISMATCH');
    expect(seconds).toBeLessThan(10);
  });

  it('many keys and many checkpoints that none of them signed', { timeout: 60_000 }, async () => {
    const maker = new LedgerMaker();
    for (let i = 0; i < 1500; i++) {
      const seed = new Uint8Array(32);
      new DataView(seed.buffer).setUint32(0, i);
      const publicKey = encodeHex(makeSigner('x', seed).publicKey);
      maker.append('key.rotate', { checkpoint: 'x', public_key: publicKey, signature: '' });
    }
    const line = `— ${maker.origin} ${Buffer.alloc(68).toString('base64')}\n`;
    const other = (i: number): string =>
      line.replace('AAAAAA', Buffer.from([9, 9, 9, i]).toString('base64').slice(0, 6));
    const root = Buffer.alloc(32).toString('base64');
    const signatures = Array.from({ length: 64 }, (_, i) => other(i)).join('');
    for (let size = 1; size <= 1500; size++) {
      const note = `${maker.origin}\n${size}\n${root}\n\n${signatures}`;
      maker.files.set(`checkpoints/${String(size).padStart(16, '0')}`, utf8Encode(note));
    }
    const { result, seconds } = await timed(() => verifyLedger(filesFromMap(maker.files)));
    expect(result.verdict).toBe('BROKEN');
    expect(seconds).toBeLessThan(20);
  });

  it('a pack of headers that each claim a mebibyte', { timeout: 60_000 }, async () => {
    const maker = new LedgerMaker().notes(2);
    maker.seal();
    const header = utf8Encode(`blob sha256:${'a'.repeat(64)} 1048576\n`);
    const pack = new Uint8Array(80_000 * header.length);
    for (let at = 0; at < pack.length; at += header.length) pack.set(header, at);
    maker.files.set(`blobs/${'0'.repeat(64)}/pack`, pack);
    const { result, seconds } = await timed(() => verifyLedger(filesFromMap(maker.files)));
    expect(codes(result)).toContain('PACK_DAMAGED');
    expect(seconds).toBeLessThan(20);
  });

  it('references to absent content, beside a pack with a torn end', { timeout: 60_000 }, async () => {
    const maker = new LedgerMaker();
    const absent = (i: number) => ({ $content: `sha256:${sha256Hex(String(i))}`, bytes: 1 });
    for (let i = 0; i < 5; i++)
      maker.append('note', { list: Array.from({ length: 500 }, (_, j) => absent(1000 * i + j)) });
    maker.seal();
    const pack = new Uint8Array(1_000_000).fill(0x78);
    pack.set(utf8Encode(`blob sha256:${'a'.repeat(64)} 1048576\n`));
    maker.files.set(`blobs/${'0'.repeat(64)}/pack`, pack);
    const { result, seconds } = await timed(() => verifyLedger(filesFromMap(maker.files)));
    expect(result.counts.contentAbsent).toBe(2500);
    expect(result.verdict).toBe('INTACT');
    expect(seconds).toBeLessThan(3);
  });
});

describe('memory', () => {
  it('messages do not quote whole lines', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `{"${String(i).padEnd(60_000, 'n')}":1}\n`).join('');
    // With a segment behind it, nothing here is the torn end of a write.
    const later = 'ledger/0000000000009999.jsonl';
    const map = new Map(
      [SEGMENT, later].map((name, i) => [
        name,
        utf8Encode(i === 0 ? lines : `${new LedgerMaker().lines[0]}\n`),
      ]),
    );
    const report = await verifyLedger(filesFromMap(map));
    expect(report.counts.findings).toBeGreaterThan(199);
    expect(JSON.stringify(report).length).toBeLessThan(1_000_000);
  });

  it('blank lines without end are not held back as one torn write', async () => {
    const maker = new LedgerMaker().notes(2);
    maker.seal();
    maker.files.delete('head');
    const good = maker.files.get(SEGMENT) as Uint8Array;
    const bytes = new Uint8Array(good.length + 150_000).fill(0x0a);
    bytes.set(good);
    maker.files.set(SEGMENT, bytes);
    const report = await verifyLedger(filesFromMap(maker.files));
    expect(report.verdict).toBe('BROKEN');
    expect(report.counts.findings).toBeGreaterThan(149_999);
  });
});
