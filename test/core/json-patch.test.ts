import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, type Json, ParseError, parsePatchOperations } from '../../src/core/index.ts';

const patched = (document: Json, operations: Json): Json =>
  applyPatch(document, parsePatchOperations(operations)).document;

describe('RFC 6902', () => {
  it.each<[string, Json, Json, Json]>([
    ['a member is added', { a: 1 }, [{ op: 'add', path: '/b', value: 2 }], { a: 1, b: 2 }],
    ['a member is added over another', { a: 1 }, [{ op: 'add', path: '/a', value: 2 }], { a: 2 }],
    ['an element is put in', [1, 3], [{ op: 'add', path: '/1', value: 2 }], [1, 2, 3]],
    ['an element is put at the end', [1], [{ op: 'add', path: '/-', value: 2 }], [1, 2]],
    ['the whole is replaced by add', { a: 1 }, [{ op: 'add', path: '', value: [] }], []],
    ['a member is removed', { a: 1, b: 2 }, [{ op: 'remove', path: '/a' }], { b: 2 }],
    ['an element is removed', [1, 2, 3], [{ op: 'remove', path: '/1' }], [1, 3]],
    ['a null is a value', { a: null }, [{ op: 'replace', path: '/a', value: 1 }], { a: 1 }],
    ['a value is moved', { a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/c' }], { a: {}, c: 1 }],
    ['a value is moved in its array', [1, 2, 3], [{ op: 'move', from: '/0', path: '/2' }], [2, 3, 1]],
    ['a value is copied', { a: [1] }, [{ op: 'copy', from: '/a', path: '/b' }], { a: [1], b: [1] }],
    [
      '~1 is / and ~0 is ~',
      { 'a/b': 1, '~1': 2 },
      [
        { op: 'remove', path: '/a~1b' },
        { op: 'remove', path: '/~01' },
      ],
      {},
    ],
    ['the empty name is a name', { '': 1 }, [{ op: 'replace', path: '/', value: 2 }], { '': 2 }],
    [
      'order of members is no difference',
      { a: { x: 1, y: 2 } },
      [{ op: 'test', path: '/a', value: { y: 2, x: 1 } }],
      { a: { x: 1, y: 2 } },
    ],
  ])('%s', (_, before, operations, after) => {
    const seen = JSON.stringify(before);
    expect(patched(before, operations)).toEqual(after);
    expect(JSON.stringify(before)).toBe(seen);
  });

  it.each<[string, Json, Json]>([
    ['a test that fails', { a: 1 }, [{ op: 'test', path: '/a', value: 2 }]],
    ['the text of a number is not the number', { a: '1' }, [{ op: 'test', path: '/a', value: 1 }]],
    ['nothing to remove', {}, [{ op: 'remove', path: '/a' }]],
    ['nothing to replace', {}, [{ op: 'replace', path: '/a', value: 1 }]],
    ['a parent that is not there', {}, [{ op: 'add', path: '/a/b', value: 1 }]],
    ['a place past the end', [1], [{ op: 'add', path: '/2', value: 1 }]],
    ['a leading zero', [1, 2], [{ op: 'remove', path: '/01' }]],
    ['a place of no number', [1], [{ op: 'add', path: '/x', value: 1 }]],
    ['- to remove', [1], [{ op: 'remove', path: '/-' }]],
    ['a member of a number', { a: 1 }, [{ op: 'add', path: '/a/b', value: 1 }]],
    ['into itself', { a: {} }, [{ op: 'move', from: '/a', path: '/a/b' }]],
    ['what every object inherits', {}, [{ op: 'remove', path: '/toString' }]],
    [
      'copies without end',
      { a: 'x'.repeat(100_000) },
      Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '', path: `/c${i}` })),
    ],
  ])('refuses %s', (_, before, operations) => {
    expect(() => patched(before, operations)).toThrow(ParseError);
  });

  it.each<[string, Json]>([
    ['no list', {}],
    ['no object', [1]],
    ['an operation that nobody knows', [{ op: 'merge', path: '', value: 1 }]],
    ['no path', [{ op: 'remove' }]],
    ['no value', [{ op: 'add', path: '/a' }]],
    ['a member more', [{ op: 'remove', path: '/a', value: 1 }]],
    ['a pointer that does not begin with /', [{ op: 'remove', path: 'a' }]],
    ['a ~ alone', [{ op: 'remove', path: '/a~2' }]],
    ['a long pointer', [{ op: 'remove', path: `/${'a'.repeat(2000)}` }]],
    ['many operations', Array.from({ length: 257 }, () => ({ op: 'remove', path: '/a' }))],
  ])('does not take %s for operations', (_, operations) => {
    expect(() => parsePatchOperations(operations)).toThrow(ParseError);
  });

  it('does nothing where one operation fails', () => {
    const document = { a: 1 };
    expect(() =>
      patched(document, [
        { op: 'add', path: '/b', value: 1 },
        { op: 'remove', path: '/x' },
      ]),
    ).toThrow('operations[1]');
    expect(document).toEqual({ a: 1 });
  });

  it('touches no prototype', () => {
    const after = patched({}, [{ op: 'add', path: '/__proto__', value: { admin: true } }]) as Record<
      string,
      Json
    >;
    expect(Object.hasOwn(after, '__proto__')).toBe(true);
    expect(after.admin).toBeUndefined();
  });
});

describe('the inverse', () => {
  const name = fc.constantFrom('a', 'b', '', '~', '/', '0', '1', '__proto__');
  const value = fc.letrec<{ json: Json }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<Json>(null, true, 1, 'x'),
      fc.array(tie('json'), { maxLength: 3 }),
      fc.dictionary(name, tie('json'), { maxKeys: 3 }) as fc.Arbitrary<Json>,
    ),
  })).json;
  const pointer = fc
    .array(fc.oneof(name, fc.constantFrom('2', '-')), { maxLength: 2 })
    .map((tokens) => tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''));
  const operation = fc.oneof(
    fc.record({ op: fc.constantFrom('add' as const, 'replace' as const), path: pointer, value }),
    fc.record({ op: fc.constant('remove' as const), path: pointer }),
    fc.record({ op: fc.constantFrom('move' as const, 'copy' as const), path: pointer, from: pointer }),
  );

  it('leads back, whatever was done', () => {
    let applied = 0;
    fc.assert(
      fc.property(value, fc.array(operation, { minLength: 1, maxLength: 3 }), (document, operations) => {
        try {
          const { document: after, inverse } = applyPatch(document, operations);
          applied++;
          expect(applyPatch(after, parsePatchOperations(inverse as unknown as Json)).document).toEqual(
            document,
          );
        } catch (error) {
          if (!(error instanceof ParseError)) throw error;
        }
      }),
      { numRuns: 3000, seed: 6902 },
    );
    expect(applied).toBeGreaterThan(100);
  });
});
