import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyPatch, diffJson, type Json, parsePatchOperations } from '../../src/core/index.ts';

describe('the difference of two documents', () => {
  it.each<[string, Json, Json, Json]>([
    ['nothing', { a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, []],
    ['a member', { a: 1, b: 2 }, { a: 1, b: 3 }, [{ op: 'replace', path: '/b', value: 3 }]],
    ['a member that goes', { a: 1 }, {}, [{ op: 'remove', path: '/a' }]],
    ['a member that comes', {}, { 'a/b': 1 }, [{ op: 'add', path: '/a~1b', value: 1 }]],
    ['an element at the end', [1], [1, 2], [{ op: 'add', path: '/1', value: 2 }]],
    [
      'elements that go',
      [1, 2, 3],
      [1],
      [
        { op: 'remove', path: '/2' },
        { op: 'remove', path: '/1' },
      ],
    ],
    ['another kind of value', { a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
    ['the whole', 1, 2, [{ op: 'replace', path: '', value: 2 }]],
  ])('O9 is %s', (_, from, to, operations) => {
    expect(diffJson(from, to)).toEqual(operations);
  });

  it('O9 leads from one to the other', () => {
    // A name that a plain object can't have as its own is for the parser of entries to refuse.
    const json = fc
      .jsonValue({ maxDepth: 4 })
      .filter((value) => !JSON.stringify(value).includes('__proto__'));
    fc.assert(
      fc.property(json, json, (from, to) => {
        const [a, b] = [JSON.parse(JSON.stringify(from)), JSON.parse(JSON.stringify(to))] as [Json, Json];
        const operations = parsePatchOperations(diffJson(a, b) as unknown as Json);
        expect(applyPatch(a, operations).document).toEqual(b);
      }),
    );
  });

  it('O9 replaces the whole where there would be too many operations', () => {
    const many = Array.from({ length: 300 }, (_, at) => at);
    expect(diffJson([], many)).toEqual([{ op: 'replace', path: '', value: many }]);
  });
});
