import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeBase64,
  encodeHex,
  isHash,
  ParseError,
  parseBase64,
  parseHex,
  sameBytes,
} from '../../src/core/index.ts';

const bytes = fc.uint8Array({ maxLength: 300 });

function parsesOrRefuses<T>(parse: () => T, encode: (value: T) => string, text: string): void {
  let value: T;
  try {
    value = parse();
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError);
    return;
  }
  expect(encode(value)).toBe(text);
}

describe('hex', () => {
  it('gives back any bytes', () => {
    fc.assert(
      fc.property(bytes, (data) => {
        expect(encodeHex(data)).toBe(Buffer.from(data).toString('hex'));
        expect(parseHex(encodeHex(data))).toEqual(data);
        expect(parseHex(encodeHex(data), data.length)).toEqual(data);
        expect(() => parseHex(encodeHex(data), data.length + 1)).toThrow(ParseError);
      }),
    );
  });

  it('has one form', () => {
    for (const text of ['A0', '0', 'a0 ', ' a0', '0x', 'g0', 'a0\n', '٠٠'])
      expect(() => parseHex(text)).toThrow(ParseError);
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-fA-F]{0,8}$/));
    fc.assert(fc.property(text, (t) => parsesOrRefuses(() => parseHex(t), encodeHex, t)));
  });

  it('knows a hash', () => {
    expect(isHash('0'.repeat(64))).toBe(true);
    for (const no of [
      '0'.repeat(63),
      '0'.repeat(65),
      'A'.repeat(64),
      `${'0'.repeat(64)}\n`,
      7,
      null,
      undefined,
    ]) {
      expect(isHash(no)).toBe(false);
    }
  });
});

describe('base64', () => {
  it('gives back any bytes', () => {
    fc.assert(
      fc.property(bytes, (data) => {
        expect(encodeBase64(data)).toBe(Buffer.from(data).toString('base64'));
        expect(parseBase64(encodeBase64(data))).toEqual(data);
      }),
    );
  });

  it('has one form: no stray bits, no missing padding, no white space, no URL-safe letters', () => {
    for (const text of [
      'YQ',
      'YQ=',
      'YR==',
      'YWJ=',
      'YWK=YQ==',
      'Y Q==',
      'YQ==\n',
      'Y-_=',
      '=',
      '====',
      'YQ==YQ==',
    ]) {
      expect(() => parseBase64(text)).toThrow(ParseError);
    }
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9+/=]{0,12}$/));
    fc.assert(fc.property(text, (t) => parsesOrRefuses(() => parseBase64(t), encodeBase64, t)));
  });

  it('reads a long text without running out of stack', () => {
    const data = new Uint8Array(4_000_000).fill(0xfb);
    expect(sameBytes(parseBase64(encodeBase64(data)), data)).toBe(true);
    const hex = 'ab'.repeat(1_000_000);
    expect(encodeHex(parseHex(hex)) === hex).toBe(true);
  });
});

describe('sameBytes', () => {
  it('compares length and content', () => {
    fc.assert(
      fc.property(bytes, bytes, (a, b) => {
        expect(sameBytes(a, b)).toBe(Buffer.compare(a, b) === 0);
        expect(sameBytes(a, a.slice())).toBe(true);
      }),
    );
  });
});
