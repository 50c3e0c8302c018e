// Logs in the KAIZA format: the pinned vectors, and what no vector can hold: pieces of any size, logs of any length,
// whatever bytes there are.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { verifyKaizaLog } from '../../src/exports/index.ts';
import {
  chain,
  expectationOf,
  type KaizaExpectation,
  type KaizaVector,
  kaizaBytes,
  kaizaVectors,
} from './make-kaiza.ts';

const root = join(import.meta.dirname, '../../spec/vectors/kaiza');
type Pinned = KaizaVector & { readonly expect: KaizaExpectation };

const verify = (bytes: Uint8Array, continues?: string) =>
  verifyKaizaLog([bytes], continues === undefined ? {} : { continues });

if (process.env.UPDATE_VECTORS === '1') {
  mkdirSync(root, { recursive: true });
  for (const vector of kaizaVectors()) {
    const expected = expectationOf(await verify(kaizaBytes(vector), vector.continues));
    writeFileSync(
      join(root, `${vector.name}.json`),
      `${JSON.stringify({ ...vector, expect: expected }, null, 1)}\n`,
    );
  }
}

const pinned = readdirSync(root).map((name) => JSON.parse(readFileSync(join(root, name), 'utf8')) as Pinned);
const GOOD = ['good', 'one-entry', 'buffered', 'kept-last', 'kept-earlier', 'tail-dropped'];

describe('spec/vectors/kaiza', () => {
  it('are what the maker gives', () => {
    const bare = pinned.map(({ expect: _, ...vector }) => vector);
    const byName = (a: KaizaVector, b: KaizaVector): number => (a.name < b.name ? -1 : 1);
    expect(bare.sort(byName)).toEqual(kaizaVectors().sort(byName));
  });

  it('K13d: call only those good that are', () => {
    const intact = pinned.filter(({ expect: { verdict } }) => verdict === 'INTACT').map(({ name }) => name);
    expect(intact.sort()).toEqual([...GOOD].sort());
  });

  it.each(pinned.map((vector) => [vector.name, vector] as const))('K13d: %s', async (_, vector) => {
    const report = await verify(kaizaBytes(vector), vector.continues);
    expect(expectationOf(report)).toEqual(vector.expect);
    expect(report.valid).toBe(report.verdict === 'INTACT');
    // A byte at a time it is the same log.
    const bytes = kaizaBytes(vector);
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    const { continues } = vector;
    expect(await verifyKaizaLog(single, continues === undefined ? {} : { continues })).toEqual(report);
  });

  it('K13e: never call an empty log valid, nor one that ends before what was kept', () => {
    const statusOf = (name: string) => pinned.find((vector) => vector.name === name)?.expect;
    expect(statusOf('empty')).toMatchObject({
      status: 'EMPTY_LOG',
      verdict: 'BROKEN',
      truncation: 'unknown',
    });
    expect(statusOf('tail-cut')).toMatchObject({ status: 'CORRUPTED' });
    expect(statusOf('no-last-newline')).toMatchObject({ status: 'CORRUPTED' });
    expect(statusOf('tail-dropped-kept')).toMatchObject({ status: 'CORRUPTED', truncation: 'fail' });
    expect(statusOf('tail-dropped')).toMatchObject({ truncation: 'unknown' });
    expect(statusOf('good')).toMatchObject({ truncation: 'unknown' });
    expect(statusOf('kept-earlier')).toMatchObject({ truncation: 'unknown' });
    expect(statusOf('kept-last')).toMatchObject({ truncation: 'pass' });
  });
});

describe('a log in the KAIZA format', () => {
  it('K13c: is as its page shows it', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../spec/kaiza.md'), 'utf8');
    const [, example = ''] = /^```\n(.*?)^```$/ms.exec(page) ?? [];
    expect(await verify(Buffer.from(example))).toMatchObject({ status: 'VALID', entries: 2 });
  });

  const good = kaizaBytes(kaizaVectors()[0] as KaizaVector);

  it('K13d: has every one of its bytes under a hash', async () => {
    for (let at = 0; at < good.length; at++) {
      const bytes = Uint8Array.from(good);
      bytes[at] = (bytes[at] ?? 0) ^ 0x01;
      const report = await verify(bytes);
      expect(report.verdict, `byte ${at}`).toBe('BROKEN');
      expect(report.facets.integrity.status).toBe('fail');
    }
  });

  it('K13e: is not valid when cut anywhere but behind a line', async () => {
    for (let length = 0; length < good.length; length++) {
      const report = await verify(good.subarray(0, length));
      const whole = length > 0 && good[length - 1] === 0x0a;
      expect(report.valid, `${length} bytes`).toBe(whole);
      expect(report.facets.truncation.status).toBe('unknown');
    }
  });

  it('K13d: has every malformed line reported, with its number', async () => {
    const lines = Buffer.from(good).toString().split('\n');
    const bad = ['', '{', '[[[[', '\u0000', '"x"', '{"ts":1}', `${lines[0]} `];
    const mixed = [lines[0], bad[0], lines[1], ...bad.slice(1), lines[2], ''].join('\n');
    const { failures, entries } = await verify(Buffer.from(mixed));
    expect(entries).toBe(3);
    const malformed = ['BLANK_LINE', 'INVALID_JSON', 'BAD_MEMBER', 'NOT_CANONICAL'];
    expect(failures.filter(({ error }) => malformed.includes(error)).map(({ line }) => line)).toEqual([
      2, 4, 5, 6, 7, 8, 9,
    ]);
  });

  it('K13f: is never held in memory: not its length, its longest line, nor all that is wrong with it', async () => {
    const noise = Buffer.from(`${'{"a":'.repeat(200)}\n`.repeat(8));
    const endless = Buffer.alloc(1 << 20, 0x5b);
    const held = (): number => process.memoryUsage().arrayBuffers;
    const before = held();
    let most = 0;
    function* pieces(): Generator<Uint8Array> {
      for (let i = 0; i < 1500; i++) yield noise;
      for (let i = 0; i < 256; i++) {
        yield endless;
        most = Math.max(most, held() - before);
      }
      yield Buffer.from('\n');
      for (let i = 0; i < 64; i++) yield Buffer.alloc(1 << 12, 0x0a);
    }
    const report = await verifyKaizaLog(pieces());
    expect(most).toBeLessThan(64 << 20);
    expect(report.counts.lines).toBe(12_000 + 1 + 64 * 4096);
    expect(report.counts.findings).toBe(report.counts.lines + 1);
    expect(report.failures).toHaveLength(10_000);
    expect(report.valid).toBe(false);
  });

  it('is read from pieces whose memory is used again', async () => {
    const piece = Buffer.alloc(100);
    function* pieces(): Generator<Uint8Array> {
      for (let at = 0; at < good.length; at += piece.length)
        yield piece.subarray(0, Buffer.from(good.subarray(at, at + piece.length)).copy(piece));
    }
    expect(await verifyKaizaLog(pieces())).toEqual(await verify(good));
  });

  it('says of bytes whatever they are what is wrong, and throws nothing', async () => {
    const line = fc.oneof(
      fc.json(),
      fc.constantFrom(...Buffer.from(good).toString().split('\n')),
      fc.string({ unit: 'binary' }),
      fc.object().map((value) => JSON.stringify(value)),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), fc.boolean(), async (lines, ended) => {
        const report = await verify(Buffer.from(lines.join('\n') + (ended ? '\n' : '')));
        expect(report.valid).toBe(report.failures.length === 0);
        expect(report.facets.truncation.status).toBe('unknown');
        for (const { line: number } of report.failures) expect(number === null || number >= 1).toBe(true);
      }),
    );
  });

  it('goes wrong where two logs have the same number at the same place', async () => {
    const [first = ''] = chain([{ ...JSON.parse(Buffer.from(good).toString().split('\n')[0] ?? '') }]);
    expect((await verify(Buffer.from(`${first}\n${first}\n`))).failures.map(({ error }) => error)).toEqual([
      'SEQ_MISMATCH',
      'CHAIN_BROKEN',
    ]);
  });
});
