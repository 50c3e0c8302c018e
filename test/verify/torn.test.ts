// What a crash leaves, and what only looks like it: torn tails, gaps, and ledgers that grow while they are read.
import { describe, expect, it } from 'vitest';
import { sha256Hex, utf8Encode } from '#platform';
import { encodeGap } from '../../src/format/index.ts';
import { filesFromMap, verifyLedger } from '../../src/verify/index.ts';
import { codesOf, filesNamed, statusesOf, verify } from './expect.ts';
import { type FileMap, join, LedgerMaker, linesOf, setLines } from './make-ledger.ts';

const LOG = 'ledger/0000000000000001.jsonl';
const TAILS = ['{"cause":nu', 'x\ny\n', '\n', '\0\0\0\0', '{}\n{"cause"'];

function appendTo(files: FileMap, path: string, text: string): void {
  files.set(path, join(files.get(path) as Uint8Array, utf8Encode(text)));
}

describe('bytes past the head that are no entry', () => {
  for (const tail of TAILS) {
    it(`are a torn tail, not damage: ${JSON.stringify(tail)}`, async () => {
      for (const made of [new LedgerMaker().notes(5).seal(), new LedgerMaker().notes(3).seal().notes(2)]) {
        appendTo(made.files, LOG, tail);
        const report = await verify(made.files, { keys: [made.signer] });
        expect(report.verdict).toBe('INTACT');
        expect(report.facets.integrity.status).toBe('pass');
        expect(report.facets.truncation.status).toBe('unknown');
        expect(codesOf(report)).toContain('TORN_TAIL');
        expect(filesNamed(report, 'TORN_TAIL')).toEqual([LOG]);
        expect(report.counts).toMatchObject({ entries: 6, tornBytes: utf8Encode(tail).length });
      }
    });
  }

  it('whole valid lines past the head are entries', async () => {
    const made = new LedgerMaker().notes(5).seal();
    const head = made.files.get('head') as Uint8Array;
    made.notes(2).files.set('head', head);
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['UNSEALED@7']);
    appendTo(made.files, LOG, '{"half');
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual(['TORN_TAIL', 'UNSEALED@7']);
  });

  it('a whole last line without its newline is torn too', async () => {
    const made = new LedgerMaker().notes(5).seal();
    const head = made.files.get('head') as Uint8Array;
    made.notes(1).files.set('head', head);
    made.files.set(LOG, (made.files.get(LOG) as Uint8Array).slice(0, -1));
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['TORN_TAIL']);
    expect(report.entries).toBe(6);
  });

  it('before the head they are damage', async () => {
    const made = new LedgerMaker().notes(3).seal().notes(2);
    const lines = linesOf(made.files, LOG);
    setLines(made.files, LOG, lines.with(4, 'x'.repeat((lines[4] as string).length + 3)));
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toContain('INVALID_JSON@5');
    expect(report.verdict).toBe('BROKEN');
  });

  it('under a checkpoint they are damage, whatever the head says', async () => {
    const made = new LedgerMaker().notes(3);
    const head = made.files.get('head') as Uint8Array;
    made.notes(2).seal().files.set('head', head);
    setLines(made.files, LOG, linesOf(made.files, LOG).with(5, 'bad'));
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toContain('INVALID_JSON@6');
    expect(report.facets.integrity.status).toBe('fail');
  });
});

describe('without a head', () => {
  it('the bad end of the log is a torn tail', async () => {
    for (const tail of TAILS) {
      const made = new LedgerMaker().notes(3).seal().notes(2);
      made.files.delete('head');
      appendTo(made.files, LOG, tail);
      const report = await verify(made.files, { keys: [made.signer] });
      expect(codesOf(report)).toEqual(['HEAD_MISSING', 'TORN_TAIL', 'UNSEALED@5']);
      expect(statusesOf(report)).toBe('pass unknown pass');
    }
  });

  it('bad bytes with an entry behind them are damage, also many reads later', async () => {
    for (const filler of ['x\n', `${'x'.repeat(9000)}\n`.repeat(400)]) {
      const made = new LedgerMaker().notes(3).seal().notes(3);
      made.files.set('head', new Uint8Array(1));
      const lines = linesOf(made.files, LOG);
      const text = (from: number, to: number): string =>
        lines
          .slice(from, to)
          .map((line) => `${line}\n`)
          .join('');
      made.files.set(LOG, utf8Encode(`${text(0, 5)}${filler}${text(6, 7)}`));
      const report = await verify(made.files, { keys: [made.signer] });
      expect(codesOf(report)).toContain('INVALID_JSON@6');
      expect(report.facets.integrity.status).toBe('fail');
    }
  });

  it('torn bytes of many reads at the end are still a torn tail', async () => {
    const made = new LedgerMaker().notes(3).seal();
    made.files.delete('head');
    appendTo(made.files, LOG, 'z'.repeat(5 << 20));
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['HEAD_MISSING', 'TORN_TAIL']);
    expect(report.counts.tornBytes).toBe(5 << 20);
  });
});

describe('K1 a torn segment that a gap describes', () => {
  for (const tail of TAILS) {
    it(`is intact: ${JSON.stringify(tail)}`, async () => {
      const made = new LedgerMaker().notes(3).tear(tail).notes(2).seal();
      const report = await verify(made.files, { keys: [made.signer] });
      expect(codesOf(report)).toEqual([]);
      expect(report.entries).toBe(7);
    });
  }

  it('is damage when the bytes are other ones, more or fewer', async () => {
    const made = new LedgerMaker().notes(3).tear('{"half').notes(2).seal();
    const bytes = made.files.get(LOG) as Uint8Array;
    for (const changed of [
      bytes.with(bytes.length - 1, 0x41),
      bytes.slice(0, -1),
      join(bytes, Uint8Array.of(0x41)),
    ]) {
      const files = made.copy();
      files.set(LOG, changed);
      const report = await verify(files, { keys: [made.signer] });
      expect(codesOf(report)).toEqual(['GAP_MISMATCH@5']);
      expect(filesNamed(report, 'GAP_MISMATCH')).toEqual([LOG]);
    }
  });

  it('is damage without a gap, or with one that names another file', async () => {
    const made = new LedgerMaker().notes(3).rotateSegment().notes(2).seal();
    appendTo(made.files, LOG, '{"half');
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toContain('INVALID_JSON@5');
    const other = new LedgerMaker().notes(3);
    other.rotateSegment();
    other.append(
      'gap',
      encodeGap({
        reason: 'torn',
        file: '0000000000000099.jsonl',
        offset: 0,
        bytes: 1,
        sha256: sha256Hex('x'),
      }),
    );
    expect(codesOf(await verify(other.seal().files, { keys: [other.signer] }))).toEqual(['GAP_MISMATCH@5']);
  });

  it('a gap whose own writing was torn: the next one names both files', async () => {
    const made = new LedgerMaker().notes(3);
    const torn = (path: string, text: string): ReturnType<typeof encodeGap> => {
      const before = made.files.get(path) ?? new Uint8Array(0);
      made.files.set(path, join(before, utf8Encode(text)));
      return encodeGap({
        reason: 'torn',
        file: path.slice(7),
        offset: before.length,
        bytes: text.length,
        sha256: sha256Hex(text),
      });
    };
    const first = torn(LOG, '{"one');
    const second = torn('ledger/0000000000000005.jsonl', '{"cause":null,"kind":"gap"');
    made.segment = { first: 5, part: 1 };
    made.append('gap', first);
    made.append('gap', second);
    const report = await verify(made.notes(1).seal().files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual([]);
  });

  it('entries that storage lost make truncation unknown', async () => {
    const made = new LedgerMaker().notes(3);
    made.append('gap', encodeGap({ reason: 'lost', from: 5, to: 9, headHash: 'a'.repeat(64) }));
    const report = await verify(made.seal().files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['ENTRIES_LOST@5']);
    expect(statusesOf(report)).toBe('pass unknown pass');
  });

  it('a malformed gap is named', async () => {
    const made = new LedgerMaker().notes(1);
    made.append('gap', { reason: 'because' });
    made.append('archive', { files: 1 });
    expect(codesOf(await verify(made.seal().files, { keys: [made.signer] }))).toEqual([
      'BAD_MEMBER@3',
      'BAD_MEMBER@4',
    ]);
  });
});

describe('a gap in the recording', () => {
  const gap = (reason: 'unrecorded' | 'off') =>
    encodeGap({
      reason,
      since: '2026-11-15T10:00:00.000Z',
      until: '2026-11-15T10:00:01.000Z',
      events: reason === 'off' ? null : 2,
      why: 'the disk was full',
      calls: reason === 'off' ? [] : ['toolu_1', 'toolu_2'],
    });

  it('is an entry like any other: intact, wherever it stands', async () => {
    for (const reason of ['unrecorded', 'off'] as const) {
      const made = new LedgerMaker().notes(2);
      made.append('gap', gap(reason));
      made.rotateSegment().append('gap', gap(reason));
      made.append('gap', gap(reason));
      made.notes(1).tear('{"half').append('gap', gap(reason));
      made.tear('x').notes(1).seal();
      const report = await verify(made.files, { keys: [made.signer] });
      expect(codesOf(report)).toEqual([]);
      expect(statusesOf(report)).toBe('pass pass pass');
      expect(report.verdict).toBe('INTACT');
    }
  });

  it('at the head of the newest segment, with bytes torn behind it and no head', async () => {
    const made = new LedgerMaker().notes(2).seal().rotateSegment();
    made.append('gap', gap('off'));
    const path = made.path;
    made.files.delete('head');
    appendTo(made.files, path, '{"half');
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['HEAD_MISSING', 'TORN_TAIL', 'UNSEALED@4']);
  });

  it('excuses no torn bytes before it, and takes the meaning of a torn gap behind it', async () => {
    const hidden = new LedgerMaker().notes(2);
    hidden.rotateSegment().append('gap', gap('unrecorded'));
    hidden.seal();
    appendTo(hidden.files, LOG, '{"half');
    const broken = await verify(hidden.files, { keys: [hidden.signer] });
    expect(broken.verdict).toBe('BROKEN');
    expect(codesOf(broken)).toContain('INVALID_JSON@4');

    const late = new LedgerMaker().notes(2);
    const offset = (late.files.get(LOG) as Uint8Array).length;
    late.rotateSegment().append('gap', gap('unrecorded'));
    const torn = {
      reason: 'torn',
      file: LOG.slice(7),
      offset,
      bytes: 6,
      sha256: sha256Hex('{"half'),
    } as const;
    late.append('gap', encodeGap(torn));
    late.seal();
    appendTo(late.files, LOG, '{"half');
    const report = await verify(late.files, { keys: [late.signer] });
    expect(report.verdict).toBe('BROKEN');
    expect(codesOf(report)).toContain('GAP_MISMATCH@5');
  });

  it('with a member of another gap, or of none, is malformed', async () => {
    for (const more of [{ file: LOG.slice(7), offset: 1 }, { from: 1, to: 2 }, { since: 'yesterday' }]) {
      const made = new LedgerMaker().notes(1);
      made.append('gap', { ...gap('off'), ...more });
      expect(codesOf(await verify(made.seal().files, { keys: [made.signer] }))).toEqual(['BAD_MEMBER@3']);
    }
  });
});

describe('a ledger that grows while it is read', () => {
  it('between every two reads', async () => {
    const made = new LedgerMaker().notes(250).seal().notes(3);
    const map = filesFromMap(made.files);
    let steps = 0;
    const grow = (): void => {
      if (steps++ > 40) return;
      made.notes(2);
      if (steps % 3 === 0) made.seal();
      if (steps % 7 === 0) made.rotateSegment();
      // A sealer prunes partial tiles once wider ones are there.
      if (steps % 3 === 0)
        for (const path of made.files.keys())
          if (/\.p\//.test(path) && !path.endsWith(`/${made.size % 256}`) && /^tile\/0/.test(path))
            made.files.delete(path);
    };
    for (let start = 0; start < 12; start++) {
      const report = await verifyLedger(
        {
          list: (path) => {
            grow();
            return map.list(path);
          },
          read: (path, from, to) => {
            grow();
            return map.read(path, from, to);
          },
          gunzip: (path) => map.gunzip(path),
        },
        { keys: [made.signer] },
      );
      expect(codesOf(report).filter((code) => !code.startsWith('UNSEALED'))).toEqual([]);
      expect(report.verdict).toBe('INTACT');
      steps = start % 5;
    }
  });

  it('archived under the reader', async () => {
    const made = new LedgerMaker().notes(20).rotateSegment().notes(3).seal();
    const map = filesFromMap(made.files);
    let reads = 0;
    const report = await verifyLedger(
      {
        list: (path) => map.list(path),
        read: async (path, from, to) => {
          if (path === LOG && ++reads === 1) await made.archive('0000000000000001.jsonl');
          return map.read(path, from, to);
        },
        gunzip: (path) => map.gunzip(path),
      },
      { keys: [made.signer] },
    );
    expect(codesOf(report)).toEqual(['UNSEALED@25']);
  });

  it('an error of reading is not a finding', async () => {
    const files = { ...filesFromMap(new Map()), list: async () => Promise.reject(new Error('no disk')) };
    await expect(verifyLedger(files)).rejects.toThrow('no disk');
  });
});
