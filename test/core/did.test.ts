// did:key of Ed25519 keys, against the vectors of the did:key specification.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ed25519Signer } from '#platform';
import {
  encodeDidKey,
  encodeHex,
  isDidKey,
  ParseError,
  parseDidKey,
  parseHex,
} from '../../src/core/index.ts';

/** Public keys of the seeds 00…00 to 00…02, in the did:key specification's own test vectors. */
const VECTORS = [
  [0, 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp'],
  [1, 'did:key:z6MkjchhfUsD6mmvni8mCdXHw216Xrm9bQe2mBH1P5RDjVJG'],
  [2, 'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf'],
] as const;

describe('C15 did:key', () => {
  it.each(VECTORS)('is that of the specification for seed %i', (last, did) => {
    const { publicKey } = ed25519Signer(parseHex(last.toString(16).padStart(64, '0')));
    expect(encodeDidKey(publicKey)).toBe(did);
    expect(encodeHex(parseDidKey(did))).toBe(encodeHex(publicKey));
  });

  const good = VECTORS[0][1];
  it.each([
    ['another method', good.replace('key', 'web')],
    ['another base', good.replace(':z', ':u')],
    ['a letter that base58 does not have', `${good.slice(0, -1)}l`],
    ['one letter less', good.slice(0, -1)],
    ['one letter more', `${good}1`],
    ['a leading zero', good.replace(':z', ':z1')],
    ['an X25519 key', 'did:key:z6LSbysY2xFMRpGMhb7tFTLMpeuPRaqaWM1yECx2AtzE3KCc'],
    ['nothing', 'did:key:z'],
    ['a fragment', `${good}#key`],
    ['a huge one', `did:key:z${'2'.repeat(100_000)}`],
  ])('refuses %s', (_, did) => {
    expect(() => parseDidKey(did)).toThrow(ParseError);
  });

  it('has one text for each key, and throws nothing but ParseError', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (text) => {
        try {
          expect(encodeDidKey(parseDidKey(`did:key:z${text}`))).toBe(`did:key:z${text}`);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
    expect([isDidKey(good), isDidKey('did:web:example.org')]).toEqual([true, false]);
    expect(() => encodeDidKey(new Uint8Array(32))).toThrow(RangeError);
  });
});
