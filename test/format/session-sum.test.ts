// The forms in which a session says how many entries it has, and that nothing but ParseError comes out of their parsers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonObject, ParseError } from '../../src/core/index.ts';
import {
  encodeSessionSum,
  isKnownKind,
  isUserKind,
  LineSum,
  parseEndSum,
  parseSessionSum,
  withSum,
} from '../../src/format/index.ts';

const ROOT = 'ab'.repeat(32);
const SUM = { entries: 3, root: ROOT };

describe('the sum in the end of a session', () => {
  it('is both members or none', () => {
    expect(parseEndSum(withSum({ reason: 'end' }, SUM))).toEqual(SUM);
    expect(withSum({ reason: 'end' }, null)).toEqual({ reason: 'end' });
    expect(parseEndSum({ reason: 'end' })).toBeNull();
  });

  it.each<[string, JsonObject]>([
    ['payload.entries_root', { entries: 3 }],
    ['payload.entries', { entries_root: ROOT }],
    ['payload.entries', { entries: -1, entries_root: ROOT }],
    ['payload.entries', { entries: 1.5, entries_root: ROOT }],
    ['payload.entries', { entries: '3', entries_root: ROOT }],
    ['payload.entries', { entries: null, entries_root: null }],
    ['payload.entries_root', { entries: 3, entries_root: ROOT.toUpperCase() }],
    ['payload.entries_root', { entries: 3, entries_root: ROOT.slice(2) }],
    ['payload.entries_root', { entries: 3, entries_root: null }],
  ])('is refused with its place: %s', (path, payload) => {
    expect(() => parseEndSum(payload)).toThrow(expect.objectContaining({ name: 'ParseError', path }));
  });
});

describe('session.sum', () => {
  it('is a kind that recorders alone write', () => {
    expect([isKnownKind('session.sum'), isUserKind('session.sum')]).toEqual([true, false]);
  });

  it('has exactly two members', () => {
    expect(parseSessionSum(encodeSessionSum(SUM))).toEqual(SUM);
    for (const bad of [{}, { entries: 3 }, { root: ROOT }, { ...SUM, more: 1 }, { entries: 3, root: 'ab' }])
      expect(() => parseSessionSum(bad)).toThrow(ParseError);
  });

  it('nothing but ParseError comes out, whatever the payload', () => {
    const value = fc.oneof(fc.jsonValue(), fc.constant(ROOT), fc.nat());
    const payload = fc.dictionary(fc.constantFrom('entries', 'root', 'entries_root', 'x'), value);
    fc.assert(
      fc.property(payload, (given) => {
        for (const parse of [parseEndSum, parseSessionSum]) {
          try {
            parse(given as JsonObject);
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError);
          }
        }
      }),
    );
  });
});

it('a copy of a sum goes on by itself', () => {
  const sum = new LineSum();
  for (let i = 0; i < 5; i++) sum.add(Buffer.from(`line ${i}`));
  const [before, copy] = [sum.sum(), sum.copy()];
  copy.add(Buffer.from('line 5'));
  expect(sum.sum()).toEqual(before);
  sum.add(Buffer.from('line 5'));
  expect(copy.sum()).toEqual(sum.sum());
});
