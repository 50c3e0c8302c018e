// Lines as no writer makes them, each reported as what it is, and checkLines whatever way the lines are cut up.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex, utf8Encode } from '#platform';
import { leafHash } from '../../src/core/index.ts';
import { checkLines, filesFromMap, type LinesResult, verifyLedger } from '../../src/verify/index.ts';
import { codesOf, verify } from './expect.ts';
import { type FileMap, join, LedgerMaker, linesOf } from './make-ledger.ts';

const LOG = 'ledger/0000000000000001.jsonl';
const made = new LedgerMaker().notes(5).seal();
const LINES = linesOf(made.files, LOG);

/** Puts bytes in place of line 4 of 6. */
function withLine(bytes: Uint8Array): FileMap {
  const files = made.copy();
  const text = (lines: readonly string[]): Uint8Array =>
    utf8Encode(lines.map((line) => `${line}\n`).join(''));
  files.set(LOG, join(text(LINES.slice(0, 3)), bytes, utf8Encode('\n'), text(LINES.slice(4))));
  return files;
}

const line4 = LINES[3] as string;
const rehashed = (body: string): string => {
  const cut = body.slice(0, body.indexOf(',"entry_hash"'));
  return `${cut},"entry_hash":"${sha256Hex(`${cut}}`)}"}`.replace('}"}', '"}');
};

const BAD: [string, Uint8Array | string, string, RegExp?][] = [
  ['cut short', line4.slice(0, 100), 'INVALID_JSON'],
  [
    'binary',
    Uint8Array.from({ length: 300 }, (_, i) => (i * 7 + 11) % 256).map((b) => (b === 10 ? 11 : b)),
    'INVALID_UTF8',
  ],
  [
    'a byte ff in a string',
    join(utf8Encode(line4.slice(0, 60)), Uint8Array.of(0xff), utf8Encode(line4.slice(60))),
    'INVALID_UTF8',
  ],
  [
    'an overlong encoding',
    join(utf8Encode(line4.slice(0, 60)), Uint8Array.of(0xc0, 0xaf), utf8Encode(line4.slice(60))),
    'INVALID_UTF8',
  ],
  ['zeros', new Uint8Array(512), 'INVALID_JSON'],
  ['blank', '', 'BLANK_LINE'],
  ['white space', ' ', 'INVALID_JSON'],
  ['CR LF', `${line4}\r`, 'NOT_CANONICAL', /CR LF/],
  ['a byte order mark', `\ufeff${line4}`, 'INVALID_JSON', /byte order mark/],
  ['a space', line4.replace(',"kind"', ', "kind"'), 'NOT_CANONICAL'],
  ['a name twice', line4.replace('{"text"', '{"text":"first","text"'), 'NOT_CANONICAL'],
  ['a member twice', line4.replace('"cause":null', '"cause":null,"cause":null'), 'NOT_CANONICAL'],
  ['an escape that need not be', line4.replace('note 4', 'note\\u00204'), 'NOT_CANONICAL'],
  ['names out of order', line4.replace('{"text"', '{"z":1,"text"'), 'NOT_CANONICAL'],
  ['integer names in numeric order', line4.replace('{"text"', '{"9":1,"10":2,"text"'), 'NOT_CANONICAL'],
  ['a lone surrogate', line4.replace('note 4', '\\ud800'), 'INVALID_UTF8'],
  ['a number of another form', line4.replace('{"text"', '{"a":1.0,"text"'), 'NOT_CANONICAL'],
  ['an unsafe integer', line4.replace('{"text"', '{"a":9007199254740993,"text"'), 'BAD_NUMBER'],
  ['33 levels', line4.replace('{"text"', `{"a":${'['.repeat(31)}${']'.repeat(31)},"text"`), 'TOO_DEEP'],
  [
    '30,000 levels',
    line4.replace('{"text"', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)},"text"`),
    'TOO_DEEP',
  ],
  ['an extra member', line4.replace('"v":1', '"v":1,"w":1'), 'BAD_MEMBER'],
  ['a missing member', line4.replace('"cause":null,', ''), 'BAD_MEMBER'],
  ['an array', '[1]', 'BAD_MEMBER'],
  ['another version', line4.replace('"v":1', '"v":2'), 'UNKNOWN_VERSION'],
  ['a timestamp that does not exist', line4.replace('2026-11-15', '2026-11-31'), 'BAD_MEMBER'],
  ['a kind in upper case', line4.replace('"kind":"note"', '"kind":"Note"'), 'BAD_MEMBER'],
  [
    '65,536 bytes',
    rehashed(line4.replace('note 4', 'x'.repeat(65_536 - utf8Encode(line4).length + 6))),
    'TOO_LONG',
  ],
  ['three megabytes', 'x'.repeat(3 << 20), 'TOO_LONG'],
];

describe('K6a a bad line is reported as what it is, with the seq that was due', () => {
  for (const [what, line, code, message] of BAD) {
    it(what, async () => {
      const bytes = typeof line === 'string' ? utf8Encode(line) : line;
      const report = await verify(withLine(bytes), { keys: [made.signer] });
      const first = report.facets.integrity.findings[0];
      expect(first).toMatchObject({ code, seq: 4, file: LOG });
      if (message !== undefined) expect(first?.message).toMatch(message);
      expect(report.verdict).toBe('BROKEN');
      // The lines behind it are still read: one bad line is one finding about lines.
      expect(codesOf(report).filter((text) => /SEQ|CHAIN|HASH_/.test(text))).toEqual([]);
    });
  }

  it('65,535 bytes are fine', async () => {
    const big = new LedgerMaker();
    const length = (text: string): number => utf8Encode(text).length;
    big.append('note', { text: '' });
    const room = 65_535 - length(big.lines[1] as string);
    big.append('note', { text: 'x'.repeat(room) });
    expect(length(big.lines[2] as string)).toBe(65_535);
    expect(codesOf(await verify(big.seal().files, { keys: [big.signer] }))).toEqual([]);
  });

  it('a missing final newline, under a checkpoint', async () => {
    const files = made.copy();
    files.set(LOG, (files.get(LOG) as Uint8Array).slice(0, -1));
    expect(codesOf(await verify(files, { keys: [made.signer] }))).toContain('MISSING_NEWLINE@6');
  });

  it('more bad lines than are kept: the rest are counted', async () => {
    const files = made.copy();
    const lines = [...LINES.slice(0, 3), ...Array.from({ length: 25_000 }, () => ''), ...LINES.slice(3)];
    files.set(LOG, utf8Encode(lines.map((line) => `${line}\n`).join('')));
    const report = await verify(files, { keys: [made.signer] });
    expect(report.counts.findings).toBeGreaterThan(25_000);
    expect(report.facets.integrity.findings.length).toBeLessThanOrEqual(10_000);
    expect(report.facets.integrity.status).toBe('fail');
  });
});

describe('K1a checkLines', () => {
  const options = { kinds: ['ledger.open'] };
  const text = new Uint8Array(utf8Encode(LINES.map((line) => `${line}\n`).join('')));
  const check = (bytes: Uint8Array): LinesResult => {
    const buffer = join(Uint8Array.of(7), bytes);
    const before = buffer.slice();
    const result = checkLines(buffer, 1, buffer.length, options);
    expect(buffer).toEqual(before);
    expect(structuredClone(result)).toEqual(result);
    return result;
  };

  it('gives leaves, ends and picked lines', () => {
    const result = check(text);
    expect(result).toMatchObject({ count: 6, bytes: text.length, findings: [], goodAfter: false });
    expect(result.first).toMatchObject({ line: 0, seq: 1 });
    expect(result.last).toEqual({ line: 5, seq: 6, hash: made.hashes[5] });
    expect(result.leaves).toEqual(join(...LINES.map((line) => leafHash(utf8Encode(line)))));
    expect(
      result.picked.map(({ seq, offset, line }) => [seq, offset, new TextDecoder().decode(line)]),
    ).toEqual([[1, 0, LINES[0]]]);
    expect(checkLines(text.slice(), 0, text.length, options)).toEqual(result);
    expect(check(new Uint8Array(0))).toMatchObject({ count: 0, first: null, last: null });
  });

  it('picks seqs and lines with content, and names unknown kinds', () => {
    const other = new LedgerMaker();
    other.append('x.mine', { c: other.content('hi') });
    other.append('never.heard', {});
    other.append('note', { deep: [{ $content: 'x' }] });
    const bytes = utf8Encode(other.lines.map((line) => `${line}\n`).join(''));
    const result = checkLines(bytes, 0, bytes.length, { kinds: [], seqs: [3] });
    expect(result.picked.map(({ seq }) => seq)).toEqual([2, 3, 4]);
    expect(result.unknownKinds).toEqual(['never.heard']);
  });

  it('knows what came before the first finding', () => {
    const result = check(
      join(text.slice(0, text.indexOf(10) + 1), utf8Encode('bad\n'), text.slice(text.indexOf(10) + 1)),
    );
    expect(result.clean).toMatchObject({ count: 1, bytes: text.indexOf(10) + 1, last: { seq: 1 } });
    expect(result.goodAfter).toBe(true);
    expect(result.findings.map(({ code, line, seq }) => [code, line, seq])).toEqual([
      ['INVALID_JSON', 1, 2],
      ['SEQ_MISMATCH', 2, 2],
    ]);
  });

  it('before the first valid line only the place in the run is known', () => {
    const result = check(utf8Encode(`\nx\n${LINES[2]}\n`));
    expect(result.findings.map(({ line, seq }) => [line, seq])).toEqual([
      [0, null],
      [1, null],
    ]);
    expect(result.first).toMatchObject({ line: 2, seq: 3 });
  });

  it('never throws, whatever the bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void check(bytes)));
    const piece = fc.constantFrom(...LINES, '', 'x', '{}', '\r', `${line4} `);
    fc.assert(fc.property(fc.array(piece), (pieces) => void check(utf8Encode(pieces.join('\n')))));
  });
});

describe('verifyLedger', () => {
  it('does not depend on how the bytes arrive', async () => {
    // Lines of every length around the size of a read, so that runs end everywhere.
    const long = new LedgerMaker();
    for (let i = 0; i < 60; i++) long.append('note', { text: 'y'.repeat(20_000 + 577 * i) });
    long.seal();
    expect((long.files.get(LOG) as Uint8Array).length).toBeGreaterThan(2 << 20);
    const report = await verify(long.files, { keys: [long.signer] });
    expect(codesOf(report)).toEqual([]);
    const broken = long.copy();
    const bytes = broken.get(LOG) as Uint8Array;
    bytes[1_500_000] = 0x78;
    const found = await verify(broken, { keys: [long.signer] });
    expect(codesOf(found).filter((code) => code.startsWith('HASH_MISMATCH'))).toHaveLength(1);
  });

  it('never throws on random evidence', async () => {
    const paths = [
      ...made.files.keys(),
      'ledger/0000000000000007.jsonl',
      'ledger/0000000000000001.1.jsonl.gz',
      'tile/0/000.p/9',
      'checkpoints/0000000000000009',
    ];
    const file = fc.tuple(
      fc.constantFrom(...paths),
      fc.oneof(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom(...made.files.values()),
        fc.constantFrom(...LINES).map((line) => utf8Encode(`${line}\n`)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 12 }), fc.boolean(), async (files, fresh) => {
        const map: FileMap = new Map([...(fresh ? [] : made.files), ...files]);
        const report = await verifyLedger(filesFromMap(map), { keys: [made.signer] });
        if (report.entries === 0) expect(report.valid).toBe(false);
        expect(['INTACT', 'BROKEN']).toContain(report.verdict);
      }),
      { numRuns: 300 },
    );
  });
});
