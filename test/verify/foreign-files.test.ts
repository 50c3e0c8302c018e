// Files and signatures that are not the ledger's, laid beside those that are. What a reader could take for ours and holds
// something else is a finding; what nobody reads is noted, and changes no verdict.
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { makeSigner, signNote } from '../../src/core/index.ts';
import { codesOf, filesNamed, verify } from './expect.ts';
import { gzipped, join, LedgerMaker } from './make-ledger.ts';

const NAME = 'ledger/0000000000000001.jsonl';
const GZ = `${NAME}.gz`;

const noted = async (made: LedgerMaker) => {
  const report = await verify(made.files, { keys: [made.signer] });
  const notes = report.notes.map(({ code, file }) => `${code} ${file}`);
  return { verdict: report.verdict, codes: codesOf(report), notes };
};

describe('a gzipped file beside a segment that is not gzipped', () => {
  it.each([
    ['other lines', async () => gzipped(utf8Encode('{"kind":"note"}\n'))],
    ['fewer lines', async (plain: Uint8Array) => gzipped(plain.slice(0, plain.indexOf(10) + 1))],
    ['more lines', async (plain: Uint8Array) => gzipped(join(plain, utf8Encode('{}\n')))],
    ['one byte changed', async (plain: Uint8Array) => gzipped(plain.with(40, (plain[40] as number) ^ 1))],
    ['nothing', async () => gzipped(new Uint8Array(0))],
    ['bytes that are no gzip', async () => utf8Encode('not gzip')],
    ['an empty file', async () => new Uint8Array(0)],
  ])('is ARCHIVE_FOREIGN where it holds something else: %s', async (_, make) => {
    const made = new LedgerMaker().notes(3).seal();
    made.files.set(GZ, await make(made.files.get(NAME) as Uint8Array));
    const report = await verify(made.files, { keys: [made.signer] });
    expect(codesOf(report)).toContain('ARCHIVE_FOREIGN');
    expect(filesNamed(report, 'ARCHIVE_FOREIGN')).toEqual([GZ]);
    expect(report.verdict).toBe('BROKEN');
  });

  it('is fine where it holds the same lines: an archiver that was stopped leaves that', async () => {
    const made = new LedgerMaker().notes(3).seal();
    made.files.set(GZ, await gzipped(made.files.get(NAME) as Uint8Array));
    expect(await noted(made)).toEqual({ verdict: 'INTACT', codes: [], notes: [] });
  });
});

describe('a segment that nobody knows', () => {
  it.each(['0000000000000001.1.jsonl', '0000000000000002.jsonl', '0000000000000099.jsonl.gz'])(
    'is never taken silently: %s',
    async (name) => {
      const made = new LedgerMaker().notes(3).seal();
      const lines = utf8Encode('{"kind":"note"}\n');
      made.files.set(`ledger/${name}`, name.endsWith('.gz') ? await gzipped(lines) : lines);
      expect((await noted(made)).verdict).toBe('BROKEN');
    },
  );
});

describe('a file that is none of the ledger', () => {
  it.each([
    'ledger/0000000000000001.jsonl.bak',
    'ledger/1.jsonl',
    'ledger/0000000000000001.jsonl.GZ',
    'checkpoints/4',
    'checkpoints/0000000000000004.old',
    'tile/0/readme',
    'stamps/0000000000000004.ots.1',
  ])('is FILE_UNKNOWN, noted, and changes no verdict: %s', async (path) => {
    const made = new LedgerMaker().notes(3).seal();
    made.files.set(path, utf8Encode('anything'));
    expect(await noted(made)).toEqual({ verdict: 'INTACT', codes: [], notes: [`FILE_UNKNOWN ${path}`] });
  });

  it('what our own writers leave behind is not noted, and a flood of files crowds out nothing', async () => {
    const made = new LedgerMaker().notes(3).seal();
    for (const name of ['ledger/x.123.0.tmp', 'ledger/0000000000000001.jsonl.torn', 'stamps/lock'])
      made.files.set(name, new Uint8Array(1));
    expect((await noted(made)).notes).toEqual([]);
    for (let i = 0; i < 300; i++) made.files.set(`ledger/flood-${i}`, new Uint8Array(1));
    made.files.set(GZ, utf8Encode('not gzip'));
    const { codes, notes } = await noted(made);
    expect(codes).toEqual(['ARCHIVE_FOREIGN']);
    expect(notes.length).toBeLessThanOrEqual(100);
  });
});

describe('a signature line of an unknown key on a checkpoint', () => {
  const cosigned = (): LedgerMaker => {
    const made = new LedgerMaker().notes(3).seal();
    const witness = makeSigner('witness.example/w1', new Uint8Array(32).fill(9));
    const own = made.files.get('checkpoint') as Uint8Array;
    const text = new TextDecoder().decode(own).split('\n\n')[0];
    const other = new TextDecoder().decode(signNote(`${text}\n`, [witness]));
    const line = other.slice(other.indexOf('\n\n') + 2);
    for (const path of ['checkpoint', 'checkpoints/0000000000000004'])
      made.files.set(path, join(own, utf8Encode(line)));
    return made;
  };

  it('is SIGNATURE_UNKNOWN, noted once, and changes no verdict and no mark', async () => {
    const made = cosigned();
    const report = await verify(made.files, { keys: [made.signer] });
    expect(report.verdict).toBe('INTACT');
    expect(codesOf(report)).toEqual([]);
    expect(report.marks.signed).toEqual({ from: 1, to: 4 });
    expect(report.notes).toMatchObject([{ code: 'SIGNATURE_UNKNOWN', seq: 4 }]);
    expect(report.notes[0]?.message).toContain('witness.example/w1');
  });
});
