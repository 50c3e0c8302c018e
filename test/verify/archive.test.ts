// Gzipped segments: the chain goes through them, and the file itself is what was recorded.
import { describe, expect, it } from 'vitest';
import { codesOf, filesNamed, verify } from './expect.ts';
import { gzipped, join, LedgerMaker } from './make-ledger.ts';

const NAME = '0000000000000001.jsonl';
const GZ = `ledger/${NAME}.gz`;

async function archived(): Promise<LedgerMaker> {
  const made = new LedgerMaker().notes(6).tear('{"half').notes(3);
  return (await made.archive(NAME)).seal();
}

describe('K12b an archived segment', () => {
  it('is read like the plain one, torn bytes and all', async () => {
    const made = await archived();
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual([]);
    expect(report.entries).toBe(12);
  });

  it('every byte of it is under the recorded hash', async () => {
    const made = await archived();
    const bytes = made.files.get(GZ) as Uint8Array;
    for (let at = 0; at < bytes.length; at++) {
      const files = made.copy();
      files.set(GZ, bytes.with(at, (bytes[at] as number) ^ 1));
      const report = await verify(files, { keys: [made.signer] });
      expect(codesOf(report)).toContain('ARCHIVE_MISMATCH@12');
      expect(filesNamed(report, 'ARCHIVE_MISMATCH')).toEqual([GZ]);
      expect(report.verdict).toBe('BROKEN');
    }
  });

  it('cut, with bytes behind it, or compressed anew', async () => {
    const made = await archived();
    const bytes = made.files.get(GZ) as Uint8Array;
    const plain = new Uint8Array(
      await new Response(
        new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream('gzip')),
      ).arrayBuffer(),
    );
    const cases = [
      bytes.slice(0, 100),
      bytes.slice(0, 0),
      join(bytes, new Uint8Array(8)),
      join(bytes, await gzipped(new Uint8Array(0))),
      await gzipped(join(plain, new Uint8Array(0))),
    ];
    for (const [i, changed] of cases.entries()) {
      const files = made.copy();
      files.set(GZ, changed);
      const report = await verify(files, { keys: [made.signer] });
      // The same compressor gives the same bytes: that one is the file that was archived.
      if (i === 4) expect(codesOf(report)).toEqual([]);
      else expect(codesOf(report)).toContain('ARCHIVE_MISMATCH@12');
    }
  });

  it('that no entry records', async () => {
    const made = new LedgerMaker().notes(6).rotateSegment().notes(3).seal();
    made.files.set(GZ, await gzipped(made.files.get(`ledger/${NAME}`) as Uint8Array));
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual([]);
    made.files.delete(`ledger/${NAME}`);
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toEqual(['ARCHIVE_UNRECORDED']);
    expect(filesNamed(report, 'ARCHIVE_UNRECORDED')).toEqual([GZ]);
  });

  it('beside its plain form: the plain one is read, the other still compared', async () => {
    const made = new LedgerMaker().notes(6).rotateSegment();
    const plain = made.files.get(`ledger/${NAME}`) as Uint8Array;
    await made.archive(NAME);
    made.seal().files.set(`ledger/${NAME}`, plain);
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual([]);
    made.files.set(GZ, new Uint8Array(9));
    expect(codesOf(await verify(made.files, { keys: [made.signer] }))).toEqual(['ARCHIVE_MISMATCH@8']);
  });
});
