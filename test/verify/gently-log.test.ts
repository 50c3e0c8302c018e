// Pipe-separated logs: the pinned vectors, and what no vector can hold: pieces of any size, logs of any length, whatever
// bytes there are, and any one character changed.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GENTLY_CODES, verifyGentlyLog } from '../../src/exports/index.ts';
import {
  chained,
  expectationOf,
  GENESIS,
  type GentlyExpectation,
  type GentlyVector,
  gentlyBytes,
  gentlyVectors,
  sessionId,
} from './make-gently.ts';

const root = join(import.meta.dirname, '../../spec/vectors/gently');
const page = readFileSync(join(import.meta.dirname, '../../spec/gently.md'), 'utf8');
type Pinned = GentlyVector & { readonly expect: GentlyExpectation };

const verify = (bytes: Uint8Array, continues?: string) =>
  verifyGentlyLog([bytes], continues === undefined ? {} : { continues });

if (process.env.UPDATE_VECTORS === '1') {
  mkdirSync(root, { recursive: true });
  for (const vector of gentlyVectors()) {
    const expected = expectationOf(await verify(gentlyBytes(vector), vector.continues));
    writeFileSync(
      join(root, `${vector.name}.json`),
      `${JSON.stringify({ ...vector, expect: expected }, null, 1)}\n`,
    );
  }
}

const pinned = readdirSync(root).map((name) => JSON.parse(readFileSync(join(root, name), 'utf8')) as Pinned);
const named = (name: string): Pinned => pinned.find((vector) => vector.name === name) as Pinned;
const GOOD = [
  ...['good', 'at-once', 'late-block', 'refused', 'escaped', 'one-line', 'kept-last', 'kept-earlier'],
  ...['not-ended', 'tail-of-log', 'repeated', 'went-on', 'old-end', 'uncounted'],
];

describe('spec/vectors/gently', () => {
  it('are what the maker gives', () => {
    const bare = pinned.map(({ expect: _, ...vector }) => vector);
    const byName = (a: GentlyVector, b: GentlyVector): number => (a.name < b.name ? -1 : 1);
    expect(bare.sort(byName)).toEqual(gentlyVectors().sort(byName));
  });

  it('G8c: call only those good that are', () => {
    const intact = pinned.filter(({ expect: { verdict } }) => verdict === 'INTACT').map(({ name }) => name);
    expect(intact.sort()).toEqual([...GOOD].sort());
  });

  it('G8d: call a log whole only if every session in it has ended', () => {
    const passing = pinned.filter(
      ({ expect: { verdict, sessions } }) => verdict === 'INTACT' && sessions === 'pass',
    );
    expect(passing.map(({ name }) => name).sort()).toEqual(
      [
        'at-once',
        'escaped',
        'good',
        'kept-earlier',
        'kept-last',
        'late-block',
        'old-end',
        'refused',
        'uncounted',
      ].sort(),
    );
    expect(named('not-ended').expect).toMatchObject({ sessions: 'unknown', truncation: 'unknown' });
    expect(named('tail-dropped-kept').expect).toMatchObject({ truncation: 'fail', status: 'CORRUPTED' });
    expect(named('empty').expect).toMatchObject({ verdict: 'BROKEN', status: 'EMPTY_LOG' });
    expect(named('kept-last').expect).toMatchObject({ truncation: 'pass' });
    expect(named('kept-earlier').expect).toMatchObject({ truncation: 'unknown' });
  });

  it.each(pinned.map((vector) => [vector.name, vector] as const))('G8c: %s', async (_, vector) => {
    const bytes = gentlyBytes(vector);
    const report = await verify(bytes, vector.continues);
    expect(expectationOf(report)).toEqual(vector.expect);
    expect(report.valid).toBe(report.verdict === 'INTACT');
    // A byte at a time it is the same log.
    const { continues } = vector;
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    expect(await verifyGentlyLog(single, continues === undefined ? {} : { continues })).toEqual(report);
  });

  it.each([
    ['height-wrong', 'HEIGHT_MISMATCH', 5],
    ['height-kept', 'HEIGHT_MISMATCH', 8],
    ['branch-wrong', 'BRANCH_WRONG', 1],
    ['session-id-wrong', 'SESSION_ID_WRONG', 1],
    ['interaction-dropped', 'INTERACTION_MISSING', 4],
    ['chain-wrong', 'INTERACTION_CHAIN_BROKEN', 5],
    ['last-dropped', 'INTERACTION_MISSING', 6],
    ['interactions-wrong', 'INTERACTION_MISSING', 8],
    ['final-wrong', 'FINAL_HASH_WRONG', 8],
    ['word-changed', 'HASH_MISMATCH', 5],
    ['line-dropped', 'HASH_MISMATCH', 4],
    ['other-genesis', 'GENESIS_MISMATCH', 1],
  ])('G8c, G14: %s is found as %s in line %i', (name, error, line) => {
    expect(named(name).expect.failures).toContainEqual({ line, error });
  });

  it('provoke every code, and the page lists them', () => {
    const found = new Set(pinned.flatMap(({ expect: { found: codes } }) => codes));
    expect(Object.keys(GENTLY_CODES).filter((code) => !found.has(code))).toEqual(['SESSIONS_TOO_MANY']);
    const rows = page.split('\n').filter((line) => /^\| [A-Z0-9_]+ \|/.test(line));
    const expected = Object.entries(GENTLY_CODES).map(([code, { facet, level }]) => [code, facet, level]);
    expect(
      rows.map((row) =>
        row
          .split('|')
          .slice(1, 4)
          .map((cell) => cell.trim()),
      ),
    ).toEqual(expected);
  });
});

describe('a pipe-separated log', () => {
  const good = gentlyBytes(named('good'));
  const text = Buffer.from(good).toString();

  it('G8b: is as its page shows it', async () => {
    const [, example = ''] = /^```\n(.*?)^```$/ms.exec(page) ?? [];
    expect(await verify(Buffer.from(example))).toMatchObject({
      status: 'VALID',
      facets: { sessions: { status: 'pass' } },
    });
  });

  it('G8b: can be checked with sha256sum, as its page says', () => {
    const [, script = ''] = /^```sh\n(.*?)^```$/ms.exec(page) ?? [];
    const run = (log: string): string =>
      execFileSync('bash', ['-c', `set -e; cd "$(mktemp -d)"; cat > sessions.log; ${script}`], {
        input: log,
        encoding: 'utf8',
      });
    expect(run(text)).toBe('');
    expect(run(gentlyBytes(named('escaped')).toString())).toBe('');
    expect(run(text.replace('sonnet', 'haiku!'))).toContain('not line 5');
  });

  it('G8c: has every one of its characters under a hash', async () => {
    for (let at = 0; at < good.length; at++) {
      const bytes = Uint8Array.from(good);
      bytes[at] = (bytes[at] ?? 0) ^ 0x01;
      expect((await verify(bytes)).verdict, `byte ${at}`).toBe('BROKEN');
    }
  });

  it('G8c: shows any one character that is put in, taken out or put in the place of another', async () => {
    const logs = GOOD.map((name) => gentlyBytes(named(name)).toString());
    const character = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
      fc.constantFrom('|', ',', '\n', '0', '%'),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...logs),
        fc.nat(),
        fc.oneof(fc.constant(''), character),
        fc.boolean(),
        async (log, where, put, over) => {
          const at = where % log.length;
          const other = log.slice(0, at) + put + log.slice(at + (over || put === '' ? 1 : 0));
          fc.pre(other !== log && Buffer.from(other).toString() !== log);
          expect((await verify(Buffer.from(other))).valid).toBe(false);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('G8d: is not valid when cut anywhere but behind a line, and whole only with its last', async () => {
    for (let length = 0; length < good.length; length++) {
      const report = await verify(good.subarray(0, length));
      expect(report.valid, `${length} bytes`).toBe(length > 0 && good[length - 1] === 0x0a);
      expect(report.facets.sessions.status).not.toBe(report.valid ? 'pass' : '');
      expect(report.facets.truncation.status).toBe('unknown');
    }
  });

  it('G8e: is never held in memory: not its length, its longest line, nor all that is wrong with it', async () => {
    const noise = Buffer.from(`${'a|b'.repeat(400)}\n`.repeat(8));
    const endless = Buffer.alloc(1 << 20, 0x7c);
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
    const report = await verifyGentlyLog(pieces());
    expect(most).toBeLessThan(64 << 20);
    expect(report.counts.lines).toBe(12_000 + 1 + 64 * 4096);
    expect(report.failures).toHaveLength(10_000);
    expect(report.valid).toBe(false);
  });

  it('G8e: may have a million lines, and any number of sessions that never end', async () => {
    const starts = (first: number, count: number): string[] =>
      Array.from({ length: count }, (_, i) => {
        const prev = (first + i).toString(16).padStart(64, '0');
        const id = sessionId('none', 'none', prev);
        return `none|2026-01-02T00:00:00.000Z|session_start|${id}|btc:none,branch:none,block:none,auth:none,prev:${prev}`;
      });
    let last = GENESIS;
    function* pieces(): Generator<Uint8Array> {
      for (let i = 0; i < 250; i++) {
        const lines = chained(starts(100 * i, 100), last);
        last = lines.at(-1)?.slice(0, 64) ?? last;
        yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
      }
      // Lines that are none, a million of them, each of which could have been of any of those sessions.
      const none = Buffer.alloc(10_000, 0x0a);
      for (let i = 0; i < 100; i++) yield none;
    }
    const report = await verifyGentlyLog(pieces());
    expect(report.counts).toMatchObject({ lines: 1_025_000, sessions: 25_000, open: 25_000 });
    expect(report.counts.findings).toBe(1_000_000 + 3);
    expect(report.facets.sessions.status).toBe('unknown');
    expect(report.verdict).toBe('BROKEN');
  });

  it('G8c: fails for what comes behind any number of things that are only unknown', async () => {
    const [start = '', ...rest] = text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.slice(65));
    const again = Array.from({ length: 10_050 }, () => rest[3] ?? '');
    const lines = chained([start, ...rest.slice(0, 4), ...again, (rest[4] ?? '').replace('seq:2', 'seq:7')]);
    const report = await verify(Buffer.from(lines.map((line) => `${line}\n`).join('')));
    expect(report.facets.sessions.status).toBe('fail');
    expect(report).toMatchObject({ verdict: 'BROKEN', valid: false, status: 'CORRUPTED' });
  });

  it('says that it forgot sessions, where too many are open', async () => {
    const said = Array.from({ length: 10_001 }, (_, i) => {
      const prev = i.toString(16).padStart(64, '0');
      return `none|2026-01-02T00:00:00.000Z|session_start|${sessionId('none', 'none', prev)}|btc:none,branch:none,block:none,auth:none,prev:${prev}`;
    });
    const report = await verify(
      Buffer.from(
        chained(said)
          .map((line) => `${line}\n`)
          .join(''),
      ),
    );
    expect(report.facets.sessions.findings.map(({ code }) => code)).toEqual([
      'SESSION_OPEN',
      'SESSIONS_TOO_MANY',
    ]);
    expect(report).toMatchObject({ valid: true, counts: { open: 10_001 } });
  });

  it('is read from pieces whose memory is used again', async () => {
    const piece = Buffer.alloc(100);
    function* pieces(): Generator<Uint8Array> {
      for (let at = 0; at < good.length; at += piece.length)
        yield piece.subarray(0, Buffer.from(good.subarray(at, at + piece.length)).copy(piece));
    }
    expect(await verifyGentlyLog(pieces())).toEqual(await verify(good));
  });

  it('G8c: says of bytes whatever they are what is wrong, and throws nothing', async () => {
    const line = fc.oneof(
      fc.constantFrom(...text.split('\n')),
      fc.string({ unit: 'binary' }),
      fc.array(fc.constantFrom(...text.split(/[|,]/), 'none', '')).map((parts) => parts.join('|')),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), fc.boolean(), async (lines, ended) => {
        const report = await verify(Buffer.from(lines.join('\n') + (ended ? '\n' : '')));
        expect(report.valid).toBe(report.failures.length === 0);
        for (const { line: number } of report.failures) expect(number === null || number >= 1).toBe(true);
      }),
    );
  });
});
