// Stamps of a ledger's checkpoints: in its directory, and kept by who verifies it. A stamp in the main chain takes ten
// minutes of all miners, so these end in blocks of the test network, which a verifier must ask for.
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '#platform';
import { encodeHex, signCheckpoint } from '../../src/core/index.ts';
import type { Report, VerifyOptions } from '../../src/verify/index.ts';
import { codesOf, verify } from './expect.ts';
import { makeProof, rootOf, SessionMaker, stampPath, testBlock } from './make-sessions.ts';

const START = 1_763_200_000; // 2025-11-15 09:46:40 UTC
const CALENDAR = 'https://calendar.example';

/** One session, sealed at its end; entries 1 to 5. */
function sealed(): SessionMaker {
  const made = new SessionMaker();
  const id = made.start({ block: testBlock(100, START) });
  made.turns(id, 1).end(id);
  made.seal();
  return made;
}

const onTest = (made: SessionMaker, more: VerifyOptions = {}): Promise<Report> =>
  verify(made.files, { network: 'regtest', keys: [made.signer], ...more });
const timeOf = (report: Report): string[] => codesOf(report, ['time']);

describe('X2h a stamp that holds', () => {
  it('anchors what it is over, and the sentence says so', async () => {
    const made = sealed();
    made.stamp(103, START + 3600);
    const report = await onTest(made, { require: ['signed', 'anchored'] });
    expect(timeOf(report)).toEqual([]);
    expect(report.facets.time.status).toBe('pass');
    expect(report.marks.anchored).toEqual({
      from: 1,
      to: 5,
      height: 103,
      time: '2025-11-15T10:46:40.000Z',
      network: 'regtest',
    });
    expect(report.counts.stamps).toBe(1);
    expect(report.required.missing).toEqual([]);
    expect(report.sentence).toBe(
      'If the test network (regtest) that you chose proved anything, nobody can have changed entries 1–5 since 2025-11-15 10:46 UTC ± 2 h. Entries 1–5 are intact and signed by a key that you pinned.',
    );
    expect(report.facets.time.message).toMatch(
      /was not before block 100 \(2025-11-15 09:46 UTC\) and not after block 103 \(2025-11-15 10:46 UTC\): 60 min, ± 2 h\. All of this comes from a test network/,
    );
  });

  it('reaches as far as the largest does, and the interval is that of the earliest that covers the session', async () => {
    const made = sealed();
    made.stamp(103, START + 3600);
    made.notes(2).seal();
    made.stamp(110, START + 7200);
    const report = await onTest(made);
    expect(report.marks.anchored).toMatchObject({ to: 7, height: 110 });
    expect(report.facets.time.message).toContain('not after block 103 (');
    expect(report.sentence).toContain('entries 1–7 since 2025-11-15 11:46 UTC');
  });

  it('by a header that the ledger tells of, or that the verifier brings', async () => {
    const made = sealed();
    const proof = made.stamp(103, START + 3600);
    made.files.delete(stampPath(5, 'headers.json'));
    const block = testBlock(103, START + 3600, rootOf(made.digest()));
    expect(timeOf(await onTest(made))).toEqual(['INTERVAL_OPEN@5', 'STAMP_UNPROVEN@5']);
    const asked: number[] = [];
    const brought = await onTest(made, {
      blockAt: async (height) => {
        asked.push(height);
        return height === 103 ? block : null;
      },
    });
    expect([brought.marks.anchored?.to, asked]).toEqual([5, [103]]);
    made.append('anchor.stamp', {
      size: 5,
      root: encodeHex(made.root(5)),
      digest: encodeHex(made.digest(5)),
      state: 'complete',
      calendars: [CALENDAR],
      block: { ...block },
      proof_sha256: sha256Hex(proof),
    });
    expect((await onTest(made)).marks.anchored?.to).toBe(5);
  });

  it('is none on the main chain, whatever is required of it', async () => {
    const made = sealed();
    made.stamp(103, START + 3600);
    const report = await verify(made.files, { keys: [made.signer], require: ['anchored'] });
    expect(timeOf(report)).toEqual(['BLOCK_REGTEST@2', 'BLOCK_REGTEST@5']);
    expect(report).toMatchObject({
      verdict: 'INTACT',
      marks: { anchored: null },
      required: { missing: ['anchored'] },
    });
    expect(report.facets.time.message).toContain('No block or stamp');
  });

  it('is worth no more than the range that is asked for', async () => {
    const made = sealed();
    made.stamp(103, START + 3600);
    made.end(made.start());
    const report = await onTest(made, { require: ['anchored'] });
    expect(report.required).toMatchObject({ range: { to: 7 }, missing: ['anchored'] });
    expect((await onTest(made, { require: ['anchored'], requireTo: 5 })).required.missing).toEqual([]);
  });
});

describe('X2h a wide interval', () => {
  it('is warned of', async () => {
    const made = sealed();
    made.stamp(400, START + 2 * 86_400);
    const report = await onTest(made);
    expect(timeOf(report)).toEqual(['INTERVAL_WIDE@5']);
    expect(report.facets.time).toMatchObject({ status: 'unknown' });
    expect(report.facets.time.findings[0]?.message).toContain('within 48 h');
  });

  it('that is open towards the past, too', async () => {
    const made = new SessionMaker();
    made.end(made.start());
    made.seal().stamp(103, START);
    const report = await onTest(made);
    expect(timeOf(report)).toEqual(['INTERVAL_OPEN@3']);
    expect(report.facets.time.message).toContain('the earliest possible block is unknown');
  });
});

describe('X2 a stamp that does not hold', () => {
  const digest = new Uint8Array(32).fill(9);

  it.each<[string, string[], (made: SessionMaker) => unknown]>([
    [
      'of another digest',
      ['INTERVAL_OPEN@5', 'STAMP_FOREIGN@5'],
      (made) => made.files.set(stampPath(5, 'ots'), makeProof(digest, { height: 103 })),
    ],
    [
      'that is no proof',
      ['INTERVAL_OPEN@5', 'STAMP_INVALID@5'],
      (made) => made.files.set(stampPath(5, 'ots'), digest),
    ],
    [
      'of a megabyte',
      ['INTERVAL_OPEN@5', 'STAMP_INVALID@5'],
      (made) => made.files.set(stampPath(5, 'ots'), new Uint8Array(1 << 20)),
    ],
    [
      'that ends in another root',
      ['INTERVAL_OPEN@5', 'STAMP_INVALID@5'],
      (made) => {
        made.stamp(103, START + 3600);
        const { header } = testBlock(103, START, digest);
        made.files.set(stampPath(5, 'headers.json'), headersOf({ height: 103, header }));
      },
    ],
    [
      'of entries that name a block which came long after',
      ['INTERVAL_IMPOSSIBLE@5'],
      (made) => made.stamp(93, START - 3 * 3600),
    ],
    [
      'that an entry tells of otherwise',
      ['STAMP_FOREIGN@6'],
      (made) => {
        made.stamp(103, START + 3600);
        made.append('anchor.stamp', stampEntry(5, digest));
      },
    ],
    [
      'that an entry tells of in no form',
      ['INTERVAL_OPEN@5', 'STAMP_INVALID@6'],
      (made) => made.append('anchor.stamp', { size: 5 }),
    ],
  ])('%s breaks the record', async (_, codes, tell) => {
    const made = sealed();
    tell(made);
    const report = await onTest(made);
    expect(timeOf(report)).toEqual(codes);
    expect(report).toMatchObject({ verdict: 'BROKEN', marks: { anchored: null } });
  });

  it.each<[string, string[], (made: SessionMaker) => unknown]>([
    [
      'a promise',
      ['INTERVAL_OPEN@5', 'STAMP_PENDING@5'],
      (made) => made.files.set(stampPath(5, 'ots'), makeProof(made.digest(), { uri: CALENDAR })),
    ],
    [
      'without a header',
      ['INTERVAL_OPEN@5', 'STAMP_UNPROVEN@5'],
      (made) => made.files.set(stampPath(5, 'ots'), makeProof(made.digest(), { height: 103 })),
    ],
    [
      'with headers that can not be read',
      ['INTERVAL_OPEN@5', 'STAMP_UNPROVEN@5'],
      (made) => {
        made.stamp(103, START);
        made.files.set(stampPath(5, 'headers.json'), digest);
      },
    ],
    [
      'without its checkpoint',
      ['INTERVAL_OPEN@5', 'STAMP_UNMATCHED@4'],
      (made) => made.files.set(stampPath(4, 'ots'), makeProof(digest, { height: 103 })),
    ],
    [
      'that is told of and not here',
      ['INTERVAL_OPEN@5', 'STAMP_MISSING@6'],
      (made) => made.append('anchor.stamp', stampEntry(5, made.digest(5))),
    ],
  ])('%s is unknown', async (_, codes, tell) => {
    const made = sealed();
    tell(made);
    const report = await onTest(made);
    expect(timeOf(report)).toEqual(codes);
    expect(report).toMatchObject({ verdict: 'INTACT', marks: { anchored: null } });
  });

  it('is of no checkpoint where that is over other entries', async () => {
    const made = sealed();
    made.stamp(103, START + 3600);
    made.files.set('checkpoints/0000000000000005', signCheckpoint(otherTree(made), made.signer));
    const report = await onTest(made);
    expect(codesOf(report)).toEqual(['ROOT_MISMATCH@5']);
    made.files.delete('checkpoint');
    expect(timeOf(await onTest(made))).toEqual(['INTERVAL_OPEN@5', 'STAMP_UNMATCHED@5']);
  });

  it('is of no interest under one that does', async () => {
    const made = sealed();
    made.files.set(stampPath(5, 'ots'), makeProof(made.digest(), { uri: CALENDAR }));
    made.append('anchor.stamp', stampEntry(3, digest));
    made.seal().stamp(103, START + 3600);
    expect(timeOf(await onTest(made))).toEqual([]);
  });

  it('is not looked at where there are too many', async () => {
    const made = sealed();
    made.stamp(103, START + 3600);
    for (let size = 1000; size < 1000 + 4096; size++) made.files.set(stampPath(size, 'ots'), digest);
    const report = await onTest(made);
    expect(timeOf(report)).toContain('STAMPS_TOO_MANY');
    expect(report.marks.anchored).toBeNull();
  });
});

describe('X2 a stamp that the verifier kept', () => {
  it('holds where the ledger still has its checkpoint, also without the ledger’s own copy', async () => {
    const made = sealed();
    const kept = made.stamp(103, START + 3600);
    made.files.delete(stampPath(5, 'ots'));
    const report = await onTest(made, { keptStamps: [kept] });
    expect(timeOf(report)).toEqual([]);
    expect(report.marks.anchored).toMatchObject({ to: 5, height: 103 });
  });

  it('that is only a promise as yet still shows that nothing was changed since', async () => {
    const made = sealed();
    const kept = makeProof(made.digest(), { uri: CALENDAR });
    expect(timeOf(await onTest(made, { keptStamps: [kept] }))).toEqual([
      'INTERVAL_OPEN@5',
      'STAMP_PENDING@5',
    ]);
  });

  it('of another ledger, or unreadable, is a fail', async () => {
    const made = sealed();
    const kept = makeProof(new Uint8Array(32), { height: 103 });
    for (const bytes of [kept, new Uint8Array(3)]) {
      const report = await onTest(made, { keptStamps: [bytes] });
      expect(timeOf(report)).toContain('STAMP_NOT_KEPT');
      expect(report.verdict).toBe('BROKEN');
    }
  });
});

function otherTree({ origin, size }: SessionMaker) {
  return { origin, size, root: new Uint8Array(32) };
}

function stampEntry(size: number, digest: Uint8Array) {
  return {
    size,
    root: '0'.repeat(64),
    digest: encodeHex(digest),
    state: 'pending',
    calendars: [CALENDAR],
    block: null,
    proof_sha256: '0'.repeat(64),
  };
}

function headersOf(...headers: readonly { readonly height: number; readonly header: string }[]): Uint8Array {
  const rows = headers.map(({ height, header }) => `{"header":"${header}","height":${height}}`);
  return new TextEncoder().encode(`{"headers":[${rows.join(',')}],"v":1}\n`);
}
