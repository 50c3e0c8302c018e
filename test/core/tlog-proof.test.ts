import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeTlogProof,
  makeSigner,
  openCheckpoint,
  ParseError,
  parseTlogProof,
  proveInclusion,
  signCheckpoint,
  verifyInclusion,
  verifyNote,
} from '../../src/core/index.ts';
import { bytes, checkStrict, text } from './parser-property.ts';
import { numberedLeaves, rootOf, tilesOf } from './tree.ts';

const origin = 'counterfoil/0123456789abcdef';
const signer = makeSigner(origin, new Uint8Array(32).fill(3));
const leaves = numberedLeaves(300);
const root = rootOf(leaves);
const checkpoint = signCheckpoint({ origin, size: 300, root }, signer);
const hashes = await proveInclusion(257, 300, tilesOf(leaves).read);
const proof = { index: 257, hashes, checkpoint };
const encoded = text(encodeTlogProof(proof));
const HASH = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

describe('tlog-proof', () => {
  it('carries an entry’s proof from the leaf to the signed root', () => {
    const parsed = parseTlogProof(encodeTlogProof(proof));
    expect(parsed).toEqual(proof);
    const { checkpoint: head, note } = openCheckpoint(parsed.checkpoint);
    expect(verifyNote(note, [signer]).verified).toEqual([signer]);
    expect(verifyInclusion(parsed.index, head.size, leaves[257]!, parsed.hashes, head.root)).toBe(true);
    expect(encoded.startsWith('c2sp.org/tlog-proof@v1\nindex 257\n')).toBe(true);
  });

  it('gives back any proof', () => {
    const hash = fc.uint8Array({ minLength: 32, maxLength: 32 });
    const parts = fc.record({
      index: fc.maxSafeNat(),
      hashes: fc.array(hash, { maxLength: 64 }),
      extra: fc.option(fc.uint8Array({ minLength: 1, maxLength: 99 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(parts, ({ extra, ...rest }) => {
        const value = { ...rest, checkpoint, ...(extra === undefined ? {} : { extra }) };
        expect(parseTlogProof(encodeTlogProof(value))).toEqual(value);
      }),
    );
  });

  it('has one form, and throws nothing but ParseError', () => {
    const samples = [
      encodeTlogProof(proof),
      encodeTlogProof({ index: 0, hashes: [], checkpoint, extra: bytes('extra') }),
    ];
    checkStrict(parseTlogProof, encodeTlogProof, samples);
  });

  it.each([
    ['nothing', ''],
    ['another version', encoded.replace('@v1', '@v2')],
    ['a byte order mark', `\ufeff${encoded}`],
    ['no index', encoded.replace('index 257\n', '')],
    ['a leading zero', encoded.replace('index 257', 'index 0257')],
    ['two spaces', encoded.replace('index 257', 'index  257')],
    ['a space after the index', encoded.replace('index 257', 'index 257 ')],
    ['an index of 2^53', encoded.replace('index 257', 'index 9007199254740992')],
    ['a negative index', encoded.replace('index 257', 'index -1')],
    ['two index lines', encoded.replace('index 257', 'index 257\nindex 257')],
    ['an empty extra', encoded.replace('index', 'extra \nindex')],
    ['extra that is not base64', encoded.replace('index', 'extra YQ\nindex')],
    ['extra twice', encoded.replace('index', 'extra YQ==\nextra YQ==\nindex')],
    ['extra after the index', encoded.replace('index 257', 'index 257\nextra YQ==')],
    ['a short hash', encoded.replace('index 257', 'index 257\nYQ==')],
    ['65 hashes', encoded.replace('index 257', `index 257${`\n${HASH}`.repeat(65)}`)],
    ['no blank line', encoded.replace('\n\n', '\n')],
    ['no checkpoint', encoded.slice(0, encoded.indexOf('\n\n') + 2)],
    ['two blank lines', encoded.replace('\n\n', '\n\n\n')],
    ['an unsigned checkpoint', encoded.slice(0, encoded.indexOf('\n\n—') + 1)],
    ['carriage returns', encoded.replaceAll('\n', '\r\n')],
    ['more than 256 KiB', encoded.replace('index', `extra ${'AAAA'.repeat(65_536)}\nindex`)],
  ])('refuses %s', (_, wrong) => {
    expect(wrong).not.toBe(encoded);
    expect(() => parseTlogProof(bytes(wrong))).toThrow(ParseError);
  });

  it('is not written where it could not be read', () => {
    expect(() => encodeTlogProof({ ...proof, index: -1 })).toThrow(RangeError);
    expect(() => encodeTlogProof({ ...proof, hashes: [root.subarray(1)] })).toThrow(RangeError);
    expect(() => encodeTlogProof({ ...proof, hashes: Array(65).fill(root) })).toThrow(RangeError);
    expect(() => encodeTlogProof({ ...proof, extra: new Uint8Array(0) })).toThrow(RangeError);
    expect(() => encodeTlogProof({ ...proof, extra: new Uint8Array(200_000) })).toThrow(RangeError);
    expect(() => encodeTlogProof({ ...proof, checkpoint: bytes('none') })).toThrow(ParseError);
  });
});
