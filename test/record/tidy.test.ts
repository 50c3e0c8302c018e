// Whatever a host sends or a program hands over becomes JSON that an entry can hold, and says how much was lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalize, type Json, type JsonObject } from '../../src/core/index.ts';
import { assertContentRefs, encodeEntry, GENESIS } from '../../src/format/index.ts';
import { toContent } from '../../src/record/content-form.ts';
import { escapeReferences, TIDY_DEPTH, tidy } from '../../src/record/tidy.ts';

/** What the recorder does with a tidy value: into a payload, one level further down, or beside the chain. */
function expectRecordable(value: Json): void {
  const draft = {
    kind: 'observation',
    source: 'sdk',
    ts: '2026-11-15T10:00:00.000Z',
    payload: { content: [escapeReferences(value)] },
  };
  try {
    encodeEntry(draft, 1, GENESIS);
  } catch (error) {
    expect(error).toMatchObject({ code: 'TOO_LONG' });
  }
  assertContentRefs(draft.payload);
  canonicalize(value);
  canonicalize(value, { safeIntegers: true });
  expect(new TextDecoder('utf-8', { fatal: true }).decode(toContent(value).bytes)).toBeDefined();
}

function nested(depth: number): unknown {
  let value: unknown = 'bottom';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

const hostile: readonly [string, () => unknown, Json][] = [
  ['a lone surrogate', () => 'a\ud800b', 'a\ufffdb'],
  ['a lone surrogate in a key', () => ({ 'k\udc00': 1 }), { 'k\ufffd': 1 }],
  ['an unsafe integer', () => 2 ** 53, '9007199254740992'],
  ['a huge number', () => 1e300, '1e+300'],
  ['infinity', () => [Infinity, -Infinity, NaN], ['Infinity', '-Infinity', 'NaN']],
  ['negative zero', () => -0, '-0'],
  ['a bigint', () => 2n ** 70n, '1180591620717411303424'],
  ['a huge bigint', () => 1n << 100_000n, '[bigint]'],
  ['undefined in an array', () => [undefined], [null]],
  ['a function', () => ({ f: () => 1 }), { f: '[function]' }],
  ['a symbol', () => Symbol('s'), 'Symbol(s)'],
  ['bytes', () => ({ b: Buffer.from('text'), c: new Uint8Array([0xff]).buffer }), { b: 'text', c: '\ufffd' }],
  ['a map', () => new Map<unknown, unknown>([['a', 1]]), { a: 1 }],
  ['a map with other keys', () => new Map<unknown, unknown>([[1, { b: 2 }]]), [[1, { b: 2 }]]],
  ['a set', () => new Set([1, 'a']), [1, 'a']],
  [
    'an endless map',
    () =>
      Object.defineProperty(new Map(), Symbol.iterator, {
        *value() {
          for (;;) yield ['a', 1];
        },
      }),
    {},
  ],
  ['a regular expression', () => /a+/g, '/a+/g'],
  ['a promise', () => Promise.resolve(1), '[promise]'],
  ['an invalid date', () => new Date(Number.NaN), null],
  [
    'a getter that throws',
    () => ({
      a: 1,
      get b() {
        throw new Error('no');
      },
    }),
    { a: 1, b: '[unreadable]' },
  ],
  [
    'a toJSON that throws',
    () => ({
      a: 1,
      toJSON() {
        throw new Error('no');
      },
    }),
    { a: 1, toJSON: '[function]' },
  ],
  [
    'a revoked proxy',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return [proxy];
    },
    ['[unreadable]'],
  ],
  [
    'a proxy that refuses its keys',
    () =>
      new Proxy(
        {},
        {
          ownKeys() {
            throw new Error('no');
          },
        },
      ),
    '[unreadable]',
  ],
];

describe('tidy', () => {
  it.each(hostile)('makes JSON of %s, and counts the loss', (_, make, expected) => {
    const { value, lossy } = tidy(make());
    expect(value).toEqual(expected);
    expect(lossy).toBeGreaterThan(0);
    expectRecordable(value);
  });

  it.each<[string, unknown, Json]>([
    ['undefined, which is nothing', undefined, null],
    ['a member that is undefined', { a: undefined, b: 1 }, { b: 1 }],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['what has a JSON form of its own', new URL('https://example.com/a'), 'https://example.com/a'],
    ['a boxed string', Object('a'), 'a'],
    [
      'an instance of a class',
      new (class {
        a = 1;
        #b = 2;
        get c() {
          return this.#b;
        }
      })(),
      { a: 1 },
    ],
    [
      'an error',
      Object.assign(new TypeError('bad', { cause: 'c' }), { code: 'E' }),
      { name: 'TypeError', message: 'bad', code: 'E', cause: 'c' },
    ],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['fractions and safe integers', [0.1, -1.5e-300, 2 ** 53 - 1], [0.1, -1.5e-300, 2 ** 53 - 1]],
  ])('loses nothing of %s', (_, given, expected) => {
    expect(tidy(given)).toEqual({ value: expected, lossy: 0 });
  });

  it('keeps a member named __proto__ as a member', () => {
    const { value, lossy } = tidy(JSON.parse('{"__proto__":{"a":1},"constructor":2}'));
    expect(lossy).toBe(0);
    expect(canonicalize(value)).toBe('{"__proto__":{"a":1},"constructor":2}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it('cuts a cycle where it closes, and not what is merely there twice', () => {
    const shared = { b: 1 };
    const cyclic: Record<string, unknown> = { shared, again: shared };
    cyclic.self = [cyclic];
    expect(tidy(cyclic)).toEqual({
      value: { shared: { b: 1 }, again: { b: 1 }, self: ['[circular]'] },
      lossy: 1,
    });
  });

  it('keeps what is nested too deeply as its JSON text', () => {
    expect(tidy(nested(TIDY_DEPTH))).toEqual({ value: nested(TIDY_DEPTH), lossy: 0 });
    const { value, lossy } = tidy(nested(TIDY_DEPTH + 2));
    expect(lossy).toBe(1);
    expectRecordable(value);
    expect(JSON.stringify(value)).toContain(JSON.stringify(JSON.stringify({ a: ['bottom'] })).slice(1, -1));
    for (const depth of [100, 1_000, 100_000]) {
      const deep = tidy(nested(depth));
      expect(deep.lossy).toBeGreaterThan(0);
      expectRecordable(deep.value);
    }
  });

  it('ends on what has no end', () => {
    const endless = (): unknown => ({
      get next() {
        return endless();
      },
    });
    expectRecordable(tidy(endless()).value);
    let doubling: unknown = 'x'.repeat(1000);
    for (let i = 0; i < 27; i++) doubling = [doubling, doubling];
    const { value, lossy } = tidy(doubling, { count: 10_000, size: 100_000 });
    expect(lossy).toBeGreaterThan(0);
    expect(canonicalize(value).length).toBeLessThan(1_000_000);
    expect(tidy(new Array(4e9), { count: 1000 }).value).toHaveLength(1000);
  });

  it('keeps to the size it is given, and cuts no character in two', () => {
    const { value, lossy } = tidy(['a'.repeat(10), '\u{1f600}'.repeat(10)], { size: 13 });
    expect(value).toEqual(['a'.repeat(10), '\u{1f600}\ufffd[17 more]']);
    expect(lossy).toBeGreaterThan(0);
  });

  it('never changes what it was given, nor gives a part of it back', () => {
    const inner = Object.freeze({ text: 'a\ud800', list: Object.freeze([1, 2]) });
    const given = Object.freeze({ inner });
    const value = tidy(given).value as { inner: { list: unknown } };
    expect(given.inner.text).toBe('a\ud800');
    expect(value.inner.list).toEqual([1, 2]);
    expect(value.inner.list).not.toBe(inner.list);
  });

  it('gives what canonical JSON and an entry can hold, for anything at all', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
      maxDepth: 6,
    } as fc.ObjectConstraints);
    const text = fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units));
    const wrapped = fc.tuple(anything, text, fc.integer({ min: 0, max: 60 })).map(([value, key, depth]) => {
      let out: unknown = { [key]: value, $content: key };
      for (let i = 0; i < depth; i++) out = i % 2 === 0 ? [out] : { [key]: out };
      return out;
    });
    fc.assert(
      fc.property(fc.oneof(anything, wrapped), (given) => {
        const { value, lossy } = tidy(given);
        expectRecordable(value);
        expect(Number.isSafeInteger(lossy)).toBe(true);
        // Once tidy, it stays as it is.
        expect(tidy(value)).toEqual({ value, lossy: 0 });
      }),
      { numRuns: 2000 },
    );
  });
});

describe('escapeReferences', () => {
  it('gives members that look like references to content another name', () => {
    const value = { a: [{ $content: 'x', b: 1 }], $$content: 2 };
    expect(escapeReferences(value)).toEqual({ a: [{ $$content: 'x', b: 1 }], $$$content: 2 });
    assertContentRefs(escapeReferences(value) as JsonObject);
  });

  it('gives the same object back where there is nothing to rename', () => {
    const value = JSON.parse('{"a":[{"b":1}],"__proto__":{"c":2}}') as Json;
    expect(escapeReferences(value)).toBe(value);
  });
});

describe('toContent', () => {
  it('keeps a string as it is and anything else as canonical JSON', () => {
    expect(toContent('ä')).toEqual({ bytes: new TextEncoder().encode('ä'), type: 'text/plain' });
    const { bytes, type } = toContent({ b: [1, null], a: 'x' });
    expect(new TextDecoder().decode(bytes)).toBe('{"a":"x","b":[1,null]}');
    expect(type).toBe('application/json');
  });

  it('never throws', () => {
    expect(toContent(nested(5000) as Json).bytes.length).toBeGreaterThan(0);
    expect(toContent([Number.NaN, '\ud800']).bytes).toEqual(new TextEncoder().encode('["NaN","\ufffd"]'));
  });
});
