// Blocks that entries name, and what they say of when. The headers are real ones, or of the test network.
import { describe, expect, it } from 'vitest';
import { encodeHex, parseHex } from '../../src/core/index.ts';
import { codesOf, verify } from './expect.ts';
import type { LedgerMaker } from './make-ledger.ts';
import { type Block, realBlock, SessionMaker, testBlock } from './make-sessions.ts';

async function judged(made: LedgerMaker): Promise<{ codes: string[]; status: string; verdict: string }> {
  const report = await verify(made.seal().files, { keys: [made.signer] });
  return { codes: codesOf(report, ['time']), status: report.facets.time.status, verdict: report.verdict };
}

const fails = (...codes: string[]) => ({ codes, status: 'fail', verdict: 'BROKEN' });
const unsure = (...codes: string[]) => ({ codes, status: 'unknown', verdict: 'INTACT' });

function withBlocks(...blocks: readonly Block[]): SessionMaker {
  const made = new SessionMaker();
  for (const block of blocks) made.append('anchor.block', { ...block });
  return made;
}

describe('G12c time is not known', () => {
  it('where no block is named and nothing is stamped', async () => {
    const made = new SessionMaker();
    made.end(made.start());
    const report = await verify(made.seal().files);
    expect(report.facets.time).toMatchObject({ status: 'unknown', findings: [] });
    expect(report.facets.time.message).toContain("Times come from the writer's clock");
    expect(report.marks.anchored).toBeNull();
  });
});

describe('X2h not before', () => {
  it('is the newest block at or before the session', async () => {
    const made = new SessionMaker();
    const id = made.start({ block: realBlock(900_001) });
    made.end(id, realBlock(900_002)).start();
    const report = await verify(made.seal().files);
    expect(codesOf(report, ['time'])).toEqual(['INTERVAL_OPEN@3']);
    expect(report.counts.anchors).toBe(2);
    expect(report.facets.time).toMatchObject({
      status: 'unknown',
      message: `The newest session that ended, ${id.slice(0, 16)}, was not before block 900001 (2025-06-06 05:47 UTC); the latest possible block is unknown, because it is not stamped yet.`,
    });
  });

  it('is that of a session before, and of a block that came later where there was none', async () => {
    const made = new SessionMaker();
    made.end(made.start({ block: realBlock(900_000) }));
    made.end(made.start());
    expect((await verify(made.seal().files)).facets.time.message).toContain('not before block 900000 (');
    const late = new SessionMaker();
    const id = late.start({ branch: 'branch-0' });
    late.of(id, 'anchor.block', { ...realBlock(900_001) }).end(id);
    expect((await verify(late.seal().files)).facets.time.message).toContain('not before block 900001 (');
  });

  it('is told of the newest session while none has ended', async () => {
    const made = new SessionMaker();
    made.start({ block: realBlock(900_000) });
    expect((await verify(made.seal().files)).facets.time.message).toMatch(
      /^The newest session, [0-9a-f]{16},/,
    );
  });
});

describe('X2 a block', () => {
  const real = realBlock(900_002);

  it.each<[string, Block]>([
    ['under the hash of another', { ...real, hash: realBlock(900_001).hash }],
    ['with another time than its header has', { ...real, time: real.time + 1 }],
    ['under the height of another', { ...realBlock(900_000), height: 900_001 }],
    ['with no work in it', { ...real, header: flipped(real.header, 70) }],
    ['of no form', { ...real, header: 'ff' }],
  ])('%s is a fail', async (_, block) => {
    expect(await judged(withBlocks(block))).toEqual(fails('BLOCK_INVALID@2'));
    const made = new SessionMaker();
    const id = made.start();
    made.end(id, block);
    expect(codesOf(await verify(made.seal().files), ['time'])).toContain('BLOCK_INVALID@3');
  });

  it('fails whichever bit of its header is flipped', async () => {
    const made = new SessionMaker();
    for (let bit = 0; bit < 640; bit++)
      made.append('anchor.block', { ...real, header: flipped(real.header, bit >> 3, 1 << (bit & 7)) });
    const report = await verify(made.seal().files);
    expect(report.facets.time.findings.filter(({ code }) => code === 'BLOCK_INVALID')).toHaveLength(640);
    expect(report.counts.anchors).toBe(0);
  });

  it('whose height does not go with its time is unknown, once', async () => {
    const made = withBlocks({ ...real, height: 2_000_000 }, { ...real, height: 2_000_000 });
    expect(await judged(made)).toEqual(unsure('BLOCK_UNSURE@2'));
  });

  it('older than the ones named before is unknown; a few blocks are nothing', async () => {
    expect(await judged(withBlocks(realBlock(900_000), realBlock(840_000)))).toEqual(
      unsure('BLOCK_BEHIND@3'),
    );
    expect((await judged(withBlocks(realBlock(900_002), realBlock(900_000)))).codes).toEqual([]);
  });

  it('newer than the entry says it is: a clock was wrong', async () => {
    const made = new SessionMaker();
    const anchor = (seconds: number): number =>
      made.append('anchor.block', { ...real }, { ts: new Date((real.time + seconds) * 1000).toISOString() });
    anchor(-7199);
    anchor(-7201);
    expect(await judged(made)).toEqual(unsure('CLOCK_WRONG@3'));
  });

  it('of the test network is none, and is one for who asks for it', async () => {
    const made = withBlocks(testBlock(7, 1_800_000_000), testBlock(8, 1_800_000_600));
    expect(await judged(made)).toEqual(unsure('BLOCK_REGTEST@2'));
    const asked = await verify(made.files, { network: 'regtest' });
    expect(codesOf(asked, ['time'])).toEqual(['CLOCK_WRONG@2', 'CLOCK_WRONG@3']);
    expect(asked.counts.anchors).toBe(2);
    expect(asked.facets.time.message).toContain('proves nothing about time');
  });
});

function flipped(header: string, at: number, bits = 1): string {
  const bytes = parseHex(header);
  bytes[at] = (bytes[at] ?? 0) ^ bits;
  return encodeHex(bytes);
}
