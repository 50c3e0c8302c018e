// What is called plain JSON is read alike by every reader; what is not says why.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asItCame, type Json, parsePlainBytes, parsePlainJson } from '../../src/core/index.ts';

describe('plain JSON', () => {
  it.each([
    '{}',
    'null',
    '"\\u00e4\\ud83d\\ude00"',
    '{"a":{"a":1,"A":2},"b":[{"a":1},{"a":2}]}',
    ' { "b" : 1.0 , "a" : -0 } ',
    '{"10":1,"2":2}',
    '{"x":"\\\\ud800"}',
    '{"n":9007199254740991,"m":12345678901234567000,"e":1e300,"f":0.1000000000000000055}',
    '{"__proto__":1,"constructor":2}',
  ])('is %s', (text) => {
    expect(parsePlainJson(text)).toEqual({ value: JSON.parse(text), doubt: null });
  });

  it.each([
    ['\ufeff{}', 'not-json'],
    ['{"a":NaN}', 'not-json'],
    ['{}// x', 'not-json'],
    ['{} {}', 'not-json'],
    ['{"a":1,}', 'not-json'],
    ['{"a":1,"a":2}', 'repeated-name'],
    ['{"a":1,"\\u0061":1}', 'repeated-name'],
    ['{"a":1,"A":2}', 'repeated-name'],
    ['{"stream":1,"\u017ftream":2}', 'repeated-name'],
    ['{"token":1,"to\u212aen":2}', 'repeated-name'],
    ['{"x":[{"y":{"a":1,"b":2,"a":3}}]}', 'repeated-name'],
    ['{"__proto__":1,"__proto__":2}', 'repeated-name'],
    ['{"a":"\\ud800"}', 'lone-surrogate'],
    ['{"a":"\\uDFFFx"}', 'lone-surrogate'],
    ['{"\\ud800":1}', 'lone-surrogate'],
    ['[1e999]', 'inexact-number'],
    ['[12345678901234567890]', 'inexact-number'],
    [`[${'9'.repeat(5000)}]`, 'inexact-number'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'too-deep'],
    [` ${'['.repeat(1001)}${']'.repeat(1001)}`, 'too-deep'],
  ])('is not %#: %s', (text, doubt) => {
    expect(parsePlainJson(text).doubt).toBe(doubt);
  });

  it('is whatever JavaScript writes, in any layout, of texts that are whole', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const value = JSON.parse(text) as Json;
        const written = JSON.stringify(value, null, space);
        const { doubt } = parsePlainJson(written);
        const names = typeof value === 'object' && value !== null ? Object.keys(value) : [];
        const folded = new Set(names.map((name) => name.toUpperCase().toLowerCase())).size < names.length;
        const broken = /\\ud[89a-f]/.test(JSON.stringify(value));
        if (!folded && !broken) expect(doubt).toBe(null);
      }),
    );
  });

  it('of a name twice is never plain, wherever it stands', () => {
    const inside = fc.constantFrom(
      (x: string) => x,
      (x: string) => `[${x}]`,
      (x: string) => `{"z":[0,${x}]}`,
    );
    fc.assert(
      fc.property(fc.string(), fc.json(), fc.json(), inside, (name, one, two, around) => {
        const key = JSON.stringify(name.toWellFormed());
        expect(parsePlainJson(around(`{${key}:${one},${key}:${two}}`)).doubt).not.toBe(null);
      }),
    );
  });

  it('never throws, and keeps any bytes as they came', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        parsePlainBytes(bytes);
        const kept = asItCame(bytes);
        const back =
          typeof kept === 'string'
            ? Buffer.from(kept)
            : Buffer.from(String((kept as { latin1: string }).latin1), 'latin1');
        expect(back.equals(Buffer.from(bytes))).toBe(true);
      }),
    );
  });
});
