import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Checkpoint,
  EMPTY_ROOT,
  encodeCheckpoint,
  makeSigner,
  openCheckpoint,
  ParseError,
  parseCheckpoint,
  parseDecimal,
  signCheckpoint,
  verifyNote,
} from '../../src/core/index.ts';
import { bytes, checkStrict, ofText, text } from './parser-property.ts';

const origin = 'counterfoil/0123456789abcdef';
const signer = makeSigner(origin, new Uint8Array(32).fill(3));
const root = new Uint8Array(32).map((_, i) => i);
const ROOT = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

describe('checkpoints', () => {
  it('are three lines and a signature', () => {
    const signed = signCheckpoint({ origin, size: 1000, root }, signer);
    expect(text(signed)).toMatch(
      /^counterfoil\/0123456789abcdef\n1000\n.{44}\n\n— counterfoil\/0123456789abcdef .{92}\n$/,
    );
    const { checkpoint, note } = openCheckpoint(signed);
    expect(checkpoint).toEqual({ origin, size: 1000, root });
    expect(verifyNote(note, [signer]).verified).toEqual([signer]);
  });

  it('give back any checkpoint', () => {
    const checkpoints: fc.Arbitrary<Checkpoint> = fc.record({
      origin: fc.constantFrom(origin, 'example.com/log', 'é'),
      size: fc.maxSafeNat(),
      root: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    });
    fc.assert(
      fc.property(checkpoints, (checkpoint) => {
        expect(parseCheckpoint(encodeCheckpoint(checkpoint))).toEqual(checkpoint);
      }),
    );
  });

  it('have one form, and throw nothing but ParseError', () => {
    const samples = [0, 9, 2 ** 53 - 1].map((size) => bytes(encodeCheckpoint({ origin, size, root })));
    checkStrict(ofText(parseCheckpoint), (checkpoint) => bytes(encodeCheckpoint(checkpoint)), samples);
  });

  it.each([
    ['nothing', ''],
    ['two lines', `${origin}\n7\n`],
    ['an extension line', `${origin}\n7\n${ROOT}\nmore\n`],
    ['an empty fourth line', `${origin}\n7\n${ROOT}\n\n`],
    ['no newline at the end', `${origin}\n7\n${ROOT}`],
    ['no origin', `\n7\n${ROOT}\n`],
    ['a space in the origin', `a b\n7\n${ROOT}\n`],
    ['a leading zero', `${origin}\n07\n${ROOT}\n`],
    ['a sign', `${origin}\n+7\n${ROOT}\n`],
    ['minus one', `${origin}\n-1\n${ROOT}\n`],
    ['hex', `${origin}\n0x7\n${ROOT}\n`],
    ['an exponent', `${origin}\n1e3\n${ROOT}\n`],
    ['a fraction', `${origin}\n7.0\n${ROOT}\n`],
    ['no size', `${origin}\n\n${ROOT}\n`],
    ['a space before the size', `${origin}\n 7\n${ROOT}\n`],
    ['a size of 2^53', `${origin}\n9007199254740992\n${ROOT}\n`],
    ['a size of many digits', `${origin}\n${'9'.repeat(400)}\n${ROOT}\n`],
    ['other digits', `${origin}\n٧\n${ROOT}\n`],
    ['a short root', `${origin}\n7\nAAECAw==\n`],
    ['a root without padding', `${origin}\n7\n${ROOT.slice(0, -1)}\n`],
    ['a root with stray bits', `${origin}\n7\n${ROOT.replace('h8=', 'h9=')}\n`],
    ['a root in hex', `${origin}\n7\n${'ab'.repeat(32)}\n`],
  ])('refuses %s', (_, body) => {
    expect(() => parseCheckpoint(body)).toThrow(ParseError);
  });

  it('are not signed by a key of another name, nor with parts that are none', () => {
    expect(() => signCheckpoint({ origin: 'other', size: 1, root }, signer)).toThrow(RangeError);
    expect(() => encodeCheckpoint({ origin, size: -1, root })).toThrow(RangeError);
    expect(() => encodeCheckpoint({ origin, size: 1, root: root.subarray(1) })).toThrow(RangeError);
    expect(() => encodeCheckpoint({ origin: 'a\nb', size: 1, root: EMPTY_ROOT })).toThrow(RangeError);
  });

  it('read decimal numbers in one form', () => {
    expect(['0', '10', '9007199254740991'].map((t) => parseDecimal(t))).toEqual([0, 10, 2 ** 53 - 1]);
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.e+-]{1,20}$/)), (t) => {
        try {
          expect(String(parseDecimal(t))).toBe(t);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }),
    );
  });
});
