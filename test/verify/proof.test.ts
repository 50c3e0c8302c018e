// A proof of one entry, with its ledger absent.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import {
  encodeTlogProof,
  leafHash,
  makeSigner,
  proveInclusion,
  type Tile,
  TileBuilder,
  type TlogProof,
} from '../../src/core/index.ts';
import { type ProofReport, verifyProof } from '../../src/verify/index.ts';
import { LedgerMaker } from './make-ledger.ts';

const made = new LedgerMaker().notes(19);
const entryOf = (seq: number): Uint8Array => utf8Encode(made.lines[seq - 1] as string);
const codes = (report: ProofReport): string[] => report.findings.map(({ code }) => code);

async function prove(seq: number, size = made.size): Promise<TlogProof> {
  const tiles = new Map<string, Uint8Array>();
  const key = ({ level, index }: Tile): string => `${level}/${index}`;
  const builder = new TileBuilder((tile, bytes) => void tiles.set(key(tile), bytes));
  for (const line of made.lines.slice(0, size)) builder.push(leafHash(utf8Encode(line)));
  builder.flushPartials();
  const hashes = await proveInclusion(seq - 1, size, async (tile) => tiles.get(key(tile)) as Uint8Array);
  return { index: seq - 1, hashes, checkpoint: made.checkpoint(size) };
}

describe('verifyProof', () => {
  it('holds for every entry, with the entry given or in the proof', async () => {
    for (let seq = 1; seq <= made.size; seq++) {
      const proof = await prove(seq);
      const report = verifyProof({ proof: encodeTlogProof(proof), entry: entryOf(seq), keys: [made.signer] });
      expect(report).toMatchObject({
        verdict: 'INTACT',
        valid: true,
        findings: [],
        entry: { seq },
        signers: [made.vkey],
      });
      expect(report.checkpoint).toEqual({ origin: made.origin, size: 20 });
      const carried = encodeTlogProof({ ...proof, extra: entryOf(seq) });
      expect(verifyProof({ proof: carried, keys: [made.signer] }).valid).toBe(true);
      const withNewline = utf8Encode(`${made.lines[seq - 1]}\n`);
      expect(
        verifyProof({ proof: encodeTlogProof(proof), entry: withNewline, keys: [made.signer] }).valid,
      ).toBe(true);
    }
  });

  it('says what is wrong', async () => {
    const proof = await prove(7);
    const bytes = encodeTlogProof(proof);
    const keys = [made.signer];
    const other = new LedgerMaker(5);
    const forged = utf8Encode((made.lines[6] as string).replace('note 7', 'note x'));
    const cases: [string, Parameters<typeof verifyProof>[0], string[]][] = [
      ['not a proof', { proof: utf8Encode('x'), entry: entryOf(7), keys }, ['PROOF_INVALID']],
      ['no entry', { proof: bytes, keys }, ['ENTRY_MISSING']],
      ['another entry', { proof: bytes, entry: entryOf(8), keys }, ['INDEX_MISMATCH', 'NOT_INCLUDED']],
      ['a changed entry', { proof: bytes, entry: forged, keys }, ['HASH_MISMATCH', 'NOT_INCLUDED']],
      [
        'no entry at all',
        { proof: bytes, entry: utf8Encode('hello'), keys },
        ['INVALID_JSON', 'NOT_INCLUDED'],
      ],
      [
        'another place',
        { proof: encodeTlogProof({ ...proof, index: 5 }), entry: entryOf(7), keys },
        ['INDEX_MISMATCH', 'NOT_INCLUDED'],
      ],
      [
        'another size',
        { proof: encodeTlogProof({ ...proof, checkpoint: made.checkpoint(16) }), entry: entryOf(7), keys },
        ['NOT_INCLUDED'],
      ],
      [
        'a hash fewer',
        { proof: encodeTlogProof({ ...proof, hashes: proof.hashes.slice(1) }), entry: entryOf(7), keys },
        ['NOT_INCLUDED'],
      ],
      ['no key', { proof: bytes, entry: entryOf(7), keys: [] }, ['NO_PINNED_KEY']],
      [
        'the key of another ledger',
        { proof: bytes, entry: entryOf(7), keys: [other.signer] },
        ['KEY_NOT_TRUSTED'],
      ],
      [
        'another key of that name',
        { proof: bytes, entry: entryOf(7), keys: [makeSigner(made.origin, new Uint8Array(32))] },
        ['KEY_NOT_TRUSTED'],
      ],
      [
        'a wrong signature',
        {
          proof: encodeTlogProof({
            ...proof,
            checkpoint: made.checkpoint(20, { ...made.signer, sign: () => new Uint8Array(64) }),
          }),
          entry: entryOf(7),
          keys,
        },
        ['SIGNATURE_INVALID'],
      ],
    ];
    for (const [what, input, expected] of cases) {
      const report = verifyProof(input);
      expect(codes(report), what).toEqual(expected);
      expect(report.valid, what).toBe(false);
      expect(report.verdict, what).toBe(what === 'no key' ? 'UNKNOWN' : 'BROKEN');
      expect(report.sentence.length).toBeGreaterThan(20);
    }
  });

  it('no byte of it can be changed', async () => {
    const proof = encodeTlogProof({ ...(await prove(7)), extra: entryOf(7) });
    for (let at = 0; at < proof.length; at++) {
      const report = verifyProof({ proof: proof.with(at, (proof[at] as number) ^ 1), keys: [made.signer] });
      expect(report.valid, `byte ${at}`).toBe(false);
    }
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.option(fc.uint8Array(), { nil: undefined }), (proof, entry) => {
        const report = verifyProof({ proof, keys: [made.signer], ...(entry === undefined ? {} : { entry }) });
        expect(report.valid).toBe(false);
      }),
    );
  });
});
