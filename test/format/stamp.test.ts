import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { makeSigner, ParseError, signCheckpoint, signNote } from '../../src/core/index.ts';
import {
  encodeStampHeaders,
  encodeStampName,
  parseStampHeaders,
  parseStampName,
  stampedNote,
} from '../../src/format/index.ts';
import { parseOrUndefined } from '../core/parser-property.ts';

const ORIGIN = 'counterfoil/0123456789abcdef';
const signer = makeSigner(ORIGIN, new Uint8Array(32).fill(1));
const witness = makeSigner('witness.example.org', new Uint8Array(32).fill(2));
const checkpoint = { origin: ORIGIN, size: 7, root: new Uint8Array(32).fill(3) };
const note = signCheckpoint(checkpoint, signer);
const text = new TextDecoder().decode(note);

describe('what is stamped', () => {
  it('X2a is the note as the ledger signed it, which is its file', () => {
    expect(stampedNote(note)).toEqual(note);
  });

  it('X2a stays the same when witnesses sign, before or behind', () => {
    const signed = text.slice(0, text.indexOf('\n\n') + 1);
    for (const signers of [
      [signer, witness],
      [witness, signer],
    ])
      expect(stampedNote(signNote(signed, signers))).toEqual(note);
  });

  it('is nothing that the ledger did not sign, or signed twice', () => {
    const body = text.slice(0, text.indexOf('\n\n') + 1);
    const other = makeSigner(ORIGIN, new Uint8Array(32).fill(4));
    for (const wrong of [signNote(body, [witness]), signNote(body, [signer, other]), new Uint8Array(0)])
      expect(() => stampedNote(wrong)).toThrow(ParseError);
  });
});

describe('names under stamps/', () => {
  it('come back as they were', () => {
    for (const part of ['ots', 'headers.json', 'wanted'] as const) {
      const name = encodeStampName(42, part);
      expect(name).toBe(`0000000000000042.${part}`);
      expect(parseStampName(name)).toEqual({ size: 42, part });
    }
    expect(() => encodeStampName(0, 'ots')).toThrow(RangeError);
  });

  it.each([
    'lock',
    '42.ots',
    '0000000000000000.ots',
    '0000000000000042',
    '0000000000000042.ots.1.2.tmp',
    '0000000000000042.OTS',
  ])('%s is none', (name) => {
    expect(() => parseStampName(name)).toThrow(ParseError);
  });
});

describe('the headers of a stamp', () => {
  const header = (fill: number) => new Uint8Array(80).fill(fill);
  const encoded = (value: unknown) => new TextEncoder().encode(`${JSON.stringify(value)}\n`);

  it('are sorted, each once, in one encoding', () => {
    const rows = [
      { height: 9, header: header(2) },
      { height: 7, header: header(1) },
      { height: 9, header: header(1) },
      { height: 7, header: header(1) },
    ];
    const bytes = encodeStampHeaders(rows);
    expect(new TextDecoder().decode(bytes)).toBe(
      `{"headers":[${[
        [1, 7],
        [1, 9],
        [2, 9],
      ]
        .map(([fill, height]) => `{"header":"${`0${fill}`.repeat(80)}","height":${height}}`)
        .join(',')}],"v":1}\n`,
    );
    expect(encodeStampHeaders(parseStampHeaders(bytes))).toEqual(bytes);
    expect(encodeStampHeaders([])).toEqual(encoded({ headers: [], v: 1 }));
  });

  it('have bounds', () => {
    const many = Array.from({ length: 65 }, (_, i) => ({ height: i, header: header(1) }));
    expect(parseStampHeaders(encodeStampHeaders(many.slice(0, 64)))).toHaveLength(64);
    expect(() => encodeStampHeaders(many)).toThrow(RangeError);
    expect(() => encodeStampHeaders([{ height: 1, header: new Uint8Array(79) }])).toThrow(RangeError);
    expect(() => parseStampHeaders(new Uint8Array(20_000).fill(0x20))).toThrow(ParseError);
  });

  it.each<[string, Uint8Array]>([
    ['no newline', encodeStampHeaders([]).subarray(0, -1)],
    ['another version', encoded({ headers: [], v: 2 })],
    ['a member too many', encoded({ a: 1, headers: [], v: 1 })],
    ['no list', encoded({ headers: {}, v: 1 })],
    ['a list', encoded([])],
    ['null', encoded(null)],
    ['a header too short', encoded({ headers: [{ header: '00', height: 1 }], v: 1 })],
    ['a height that is none', encoded({ headers: [{ header: '00'.repeat(80), height: -1 }], v: 1 })],
    ['members in another order', encoded({ v: 1, headers: [] })],
  ])('are not %s', (_, bytes) => {
    expect(() => parseStampHeaders(bytes)).toThrow(ParseError);
  });

  it('throw nothing but ParseError', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        (bytes) => void parseOrUndefined(parseStampHeaders, bytes),
      ),
    );
    fc.assert(
      fc.property(fc.json(), (json) => void parseOrUndefined(parseStampHeaders, encoded(JSON.parse(json)))),
    );
  });
});

it('the digest is what sha256sum says of the file', () => {
  expect(createHash('sha256').update(stampedNote(note)).digest('hex')).toBe(
    createHash('sha256').update(note).digest('hex'),
  );
});
