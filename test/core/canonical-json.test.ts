import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  canonicalCopy,
  canonicalize,
  canonicalMembers,
  type Json,
  type JsonObject,
  ParseError,
  parseCanonicalJson,
} from '../../src/core/index.ts';
import { bytes, checkStrict, ofText, parseOrUndefined } from './parser-property.ts';

const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });

function thrownBy(action: () => unknown): ParseError {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(ParseError);
    return error as ParseError;
  }
  return expect.unreachable();
}

describe('canonicalize', () => {
  it('writes text that JSON.parse gives back, in a fixed point', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = parseOrUndefined(() => canonicalize(value), new Uint8Array());
        if (text === undefined) return; // a lone surrogate
        const again = JSON.parse(text);
        expect(canonicalize(again)).toBe(text);
        // JSON has one zero.
        expect(again).toEqual(JSON.parse(JSON.stringify(value)));
        expect(parseCanonicalJson(bytes(text))).toEqual(again);
      }),
    );
  });

  it('does not depend on the order in which members were added', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.integer()), (value) => {
        const reversed = Object.fromEntries(Object.entries(value).reverse());
        expect(canonicalize(reversed)).toBe(canonicalize(value));
      }),
    );
  });

  it('orders members by UTF-16 code unit, at every depth', () => {
    expect(canonicalize({ '9': 1, '10': 2 })).toBe('{"10":2,"9":1}');
    // RFC 8785 section 3.2.3: U+FB33 sorts after the surrogate pair of U+1F600.
    expect(canonicalize({ '\ufb33': 1, '😀': 2, '\u20ac': 3 })).toBe('{"€":3,"😀":2,"\ufb33":1}');
    expect(canonicalize({ b: [{ d: 1, c: 2 }], a: {} })).toBe('{"a":{},"b":[{"c":2,"d":1}]}');
  });

  it('keeps a member called __proto__ and drops members without a value', () => {
    expect(canonicalize(JSON.parse('{"__proto__":{"a":1},"b":2}'))).toBe('{"__proto__":{"a":1},"b":2}');
    expect(canonicalize({ a: undefined, b: 1 })).toBe('{"b":1}');
    expect(canonicalize({ a: undefined })).toBe('{}');
  });

  it.each([
    ['a lone surrogate', { a: '\ud800' }, 'INVALID_UTF8', 'a'],
    ['a lone surrogate in a name', { '\udc00': 1 }, 'INVALID_UTF8', ''],
    ['NaN', [Number.NaN], 'BAD_NUMBER', '[0]'],
    ['infinity', { a: [1, Number.POSITIVE_INFINITY] }, 'BAD_NUMBER', 'a[1]'],
    ['a bigint', 1n, 'INVALID_JSON', ''],
    ['a function', { f: () => 1 }, 'INVALID_JSON', 'f'],
    ['undefined', undefined, 'INVALID_JSON', ''],
    ['undefined in an array', [undefined], 'INVALID_JSON', '[0]'],
    ['a date', { at: new Date(0) }, 'INVALID_JSON', 'at'],
    ['a map', new Map(), 'INVALID_JSON', ''],
    ['bytes', new Uint8Array(2), 'INVALID_JSON', ''],
  ])('refuses %s', (_, value, code, path) => {
    const error = thrownBy(() => canonicalize(value));
    expect([error.code, error.path]).toEqual([code, path]);
  });

  it('bounds depth, also of values that contain themselves', () => {
    expect(canonicalize([[1]], { maxDepth: 2 })).toBe('[[1]]');
    expect(thrownBy(() => canonicalize([[[]]], { maxDepth: 2 })).code).toBe('TOO_DEEP');
    const endless: unknown[] = [];
    endless.push(endless);
    expect(thrownBy(() => canonicalize(endless)).code).toBe('TOO_DEEP');
    expect(thrownBy(() => parseCanonicalJson(bytes('['.repeat(1e5) + ']'.repeat(1e5)))).code).toBe(
      'TOO_DEEP',
    );
  });

  it('takes only safe integers where asked, and any double otherwise', () => {
    expect(canonicalize(2 ** 53)).toBe('9007199254740992');
    expect(thrownBy(() => canonicalize(2 ** 53, { safeIntegers: true })).code).toBe('BAD_NUMBER');
    expect(thrownBy(() => canonicalize(1e300, { safeIntegers: true })).code).toBe('BAD_NUMBER');
    expect(canonicalize([2 ** 53 - 1, 0.5, -0], { safeIntegers: true })).toBe('[9007199254740991,0.5,0]');
  });
});

describe('parseCanonicalJson', () => {
  it('has one form, and throws nothing but ParseError', () => {
    const samples = ['{"a":[1,2.5,"é\\n"],"b":{"":null,"c":true}}', '1e+21', '{"10":2,"9":1}', '"😀"'].map(
      bytes,
    );
    checkStrict(parseCanonicalJson, (value) => bytes(canonicalize(value)), samples);
    checkStrict(
      ofText((t) => parseCanonicalJson(bytes(t))),
      (value) => bytes(canonicalize(value)),
      samples,
    );
  });
});

describe('canonicalCopy', () => {
  it('is what parsing the canonical text gives, member by member', () => {
    const same = (value: Json): void => {
      const parsed = JSON.parse(canonicalize(value));
      expect(canonicalCopy(value)).toStrictEqual(parsed);
      expect(JSON.stringify(canonicalCopy(value))).toBe(JSON.stringify(parsed));
    };
    fc.assert(fc.property(json, (value) => same(value as Json)));
    same(JSON.parse('{"b":[-0,{"z":1,"a":2}],"__proto__":{"y":1,"x":[]},"a":null}'));
    same({ b: 1, 10: 2, 9: 3, left: undefined as never });
  });

  it('takes further members in their places', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), fc.dictionary(fc.string(), json), (members, more) => {
        const all = JSON.parse(canonicalize({ ...members, ...more }));
        const copy = canonicalMembers(members as JsonObject, more as JsonObject);
        expect(JSON.stringify(copy)).toBe(JSON.stringify(all));
      }),
    );
    expect(JSON.stringify(canonicalMembers({ b: 1, id: 2, z: 3 }, { id: 4, kind: 5 }))).toBe(
      '{"b":1,"id":4,"kind":5,"z":3}',
    );
  });

  it('shares nothing with the value', () => {
    const value = { list: [{ a: 1 }] };
    const copy = canonicalCopy(value) as typeof value;
    for (const each of copy.list) each.a = 2;
    expect(value).toEqual({ list: [{ a: 1 }] });
  });
});
