// What flipping one byte does, for every byte of every file of a small ledger. The table is the promise; it is also
// in spec/ledger.md.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../src/verify/index.ts';
import { codesOf, filesNamed, verify } from './expect.ts';
import { type FileMap, LedgerMaker, SESSION } from './make-ledger.ts';

let made: LedgerMaker;
/** The one whose segments are flipped: most bytes are there, so it has little else. */
let small: LedgerMaker;

async function makeLedgers(): Promise<void> {
  small = new LedgerMaker().notes(2).tear('{"cau').seal().rotateSegment().notes(1);
  made = new LedgerMaker().notes(2);
  made.append('prompt', { text: made.content('short') }, { session_id: SESSION });
  made.append(
    'tool.result',
    { output: made.content('long '.repeat(9), { plain: true, big: true }) },
    { session_id: SESSION },
  );
  made.seal().rotateSegment().notes(2);
  await made.archive('0000000000000001.jsonl');
  made.rotateKey(7).seal().tear('{"cau').notes(1).seal().rotateSegment().notes(2);
}

async function flipped(of: LedgerMaker, path: string, at: number, mask: number): Promise<Report> {
  const files: FileMap = new Map(of.files);
  const bytes = of.files.get(path) as Uint8Array;
  files.set(path, bytes.with(at, (bytes[at] as number) ^ mask));
  return verify(files, { keys: [of.signer] });
}

/** Does it at every byte, or at one of so many, with two masks in turn. */
async function everyByte(
  path: string,
  check: (report: Report, at: number) => void,
  step = 1,
  of: LedgerMaker = made,
): Promise<void> {
  const { length } = of.files.get(path) as Uint8Array;
  expect(length).toBeGreaterThan(0);
  for (let at = 0; at < length; at += step)
    check(await flipped(of, path, at, at % 2 === 0 ? 0x01 : 0x80), at);
}

const paths = (pattern: RegExp, of: LedgerMaker = made): string[] => {
  const found = [...of.files.keys()].filter((path) => pattern.test(path));
  expect(found.length).toBeGreaterThan(0);
  return found;
};

/** At every byte of a segment and of content; of files that have many bytes of one sort at one of `step`. */
export function describeFlips(step: number): void {
  beforeAll(makeLedgers);

  describe('flipping one byte, at every byte', () => {
    it('the ledgers are intact before', async () => {
      expect(codesOf(await verify(small.files, { keys: [small.signer] }))).toEqual(['UNSEALED@5']);
      const report = await verify(made.files, { keys: [made.signer] });
      expect(report.verdict).toBe('INTACT');
      expect(codesOf(report)).toEqual([`UNSEALED@${made.size - 1}`]);
    });

    it('of a segment: BROKEN, the entry named', async () => {
      for (const path of paths(/^ledger\/.*\.jsonl$/, small)) {
        const first = Number(path.slice(7, 23));
        const bytes = small.files.get(path) as Uint8Array;
        await everyByte(
          path,
          (report, at) => {
            const seq = first + bytes.subarray(0, at).filter((byte) => byte === 10).length;
            expect(report.verdict).toBe('BROKEN');
            const named = report.facets.integrity.findings
              .filter(({ file }) => file === path)
              .map((finding) => finding.seq);
            expect(
              named.some((found) => found === seq || found === seq + 1),
              `byte ${at}: ${named} for ${seq}`,
            ).toBe(true);
          },
          1,
          small,
        );
      }
    });

    it('of a gzipped segment: BROKEN, the file named', async () => {
      for (const path of paths(/\.gz$/)) {
        await everyByte(
          path,
          (report) => {
            expect(report.verdict).toBe('BROKEN');
            expect(filesNamed(report, 'ARCHIVE_MISMATCH')).toEqual([path]);
          },
          step,
        );
      }
    });

    it('of a tile, stale ones too: BROKEN, the file named', async () => {
      for (const path of paths(/^tile\//)) {
        await everyByte(
          path,
          (report) => {
            expect(report.verdict).toBe('BROKEN');
            expect(filesNamed(report, 'TILE_MISMATCH')).toEqual([path]);
          },
          step,
        );
      }
    });

    it('of a checkpoint: BROKEN, the file named', async () => {
      for (const path of paths(/^checkpoint/)) {
        await everyByte(
          path,
          (report) => {
            expect(report.verdict).toBe('BROKEN');
            const codes = [
              'CHECKPOINT_INVALID',
              'CHECKPOINT_FOREIGN',
              'ROOT_MISMATCH',
              'TRUNCATED',
              'SIGNATURE_INVALID',
              'UNSIGNED',
            ];
            expect(filesNamed(report, ...codes)).toContain(path);
          },
          step,
        );
      }
    });

    it('of the head: noticed, and no harm done', async () => {
      await everyByte('head', (report) => {
        expect(report.verdict).toBe('INTACT');
        expect(codesOf(report)).toContain('HEAD_DAMAGED');
        expect(report.facets.truncation.status).toBe('unknown');
      });
    });

    it('of content, its pack or its salt: BROKEN, the file named', async () => {
      for (const path of paths(/^(blobs|salts)\//)) {
        await everyByte(path, (report) => {
          expect(report.verdict).toBe('BROKEN');
          const named = filesNamed(report, 'CONTENT_MISMATCH', 'PACK_DAMAGED', 'SALT_DAMAGED');
          // A salt that is still well formed shows in what was salted with it.
          expect(named).toContain(
            path.startsWith('salts/') && !named.includes(path) ? `blobs/${SESSION}/pack` : path,
          );
        });
      }
    });
  });
}
