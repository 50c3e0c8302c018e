// One entry, one line, one encoding. The long list of refusals is in spec/vectors/entry.json.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256Hex, utf8Encode } from '#platform';
import { type JsonObject, ParseError } from '../../src/core/index.ts';
import {
  type Draft,
  encodeEntry,
  GENESIS,
  hashOfEntry,
  isTimestamp,
  MAX_LINE,
  parseEntry,
} from '../../src/format/index.ts';

const DRAFT: Draft = { kind: 'note', payload: { text: 'hi' }, source: 'cli', ts: '2026-11-15T10:00:00.000Z' };
const bytes = (text: string): Uint8Array => utf8Encode(text);

describe('K1b an entry', () => {
  it('is one line with ten members, the hash last', () => {
    const { line, hash } = encodeEntry(DRAFT, 1, GENESIS);
    expect(line).toBe(
      `{"cause":null,"kind":"note","payload":{"text":"hi"},"prev_hash":"${GENESIS}","seq":1,"session_id":null,"source":"cli","ts":"2026-11-15T10:00:00.000Z","v":1,"entry_hash":"${hash}"}`,
    );
    expect(hash).toBe(sha256Hex(`${line.slice(0, line.indexOf(',"entry_hash"'))}}`));
    const entry = parseEntry(bytes(line));
    expect(entry).toEqual({
      ...DRAFT,
      cause: null,
      session_id: null,
      prev_hash: GENESIS,
      seq: 1,
      v: 1,
      entry_hash: hash,
    });
    expect(hashOfEntry(entry)).toBe(hash);
  });

  it('comes back as it was written, whatever the payload', () => {
    const payload = fc.dictionary(
      fc.string({ unit: 'binary' }),
      fc.jsonValue({ maxDepth: 5 }),
    ) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(payload, fc.integer({ min: 1, max: 1e9 }), (value, seq) => {
        let encoded: { line: string; hash: string };
        try {
          encoded = encodeEntry({ ...DRAFT, payload: value }, seq, GENESIS);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
          return;
        }
        const entry = parseEntry(bytes(encoded.line));
        expect(entry.entry_hash).toBe(encoded.hash);
        const { kind, source, ts, session_id, cause } = entry;
        expect(
          encodeEntry({ kind, source, ts, session_id, cause, payload: entry.payload }, seq, GENESIS),
        ).toEqual(encoded);
      }),
    );
  });

  it('nothing but ParseError comes out of the parser', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.uint8Array(), fc.json().map(bytes), fc.string({ unit: 'binary' }).map(bytes)),
        (input) => {
          expect(() => parseEntry(input)).toThrow(ParseError);
        },
      ),
    );
  });

  it('no changed byte of a line gives the same entry with the same hash', () => {
    const { line, hash } = encodeEntry(DRAFT, 7, GENESIS);
    const original = bytes(line);
    for (let at = 0; at < original.length; at++) {
      for (let bit = 1; bit < 256; bit *= 2) {
        const changed = Uint8Array.from(original, (byte, i) => (i === at ? byte ^ bit : byte));
        try {
          const entry = parseEntry(changed);
          expect(entry.entry_hash === hash && hashOfEntry(entry) === hash).toBe(false);
        } catch (error) {
          expect(error).toBeInstanceOf(ParseError);
        }
      }
    }
  });

  it('what a writer may not write is refused', () => {
    const bad: [Partial<Draft>, string][] = [
      [{ kind: 'Note' }, 'BAD_MEMBER'],
      [{ kind: '' }, 'BAD_MEMBER'],
      [{ source: 'a b' }, 'BAD_MEMBER'],
      [{ ts: '2026-11-15' }, 'BAD_MEMBER'],
      [{ session_id: 'abc' }, 'BAD_MEMBER'],
      [{ cause: 7 }, 'BAD_MEMBER'],
      [{ cause: 0 }, 'BAD_MEMBER'],
      [{ payload: [] as unknown as JsonObject }, 'BAD_MEMBER'],
      [{ payload: { a: 2 ** 53 } }, 'BAD_NUMBER'],
      [{ payload: { a: Number.NaN } }, 'BAD_NUMBER'],
      [{ payload: { a: '\ud800' } }, 'INVALID_UTF8'],
      [{ payload: { a: 'é'.repeat(MAX_LINE / 2) } }, 'TOO_LONG'],
    ];
    for (const [change, code] of bad) {
      expect(() => encodeEntry({ ...DRAFT, ...change }, 7, GENESIS)).toThrow(
        expect.objectContaining({ code }),
      );
    }
  });
});

describe('isTimestamp', () => {
  it('takes moments that exist, in one form', () => {
    for (const good of [
      '2026-11-15T10:00:00.000Z',
      '0000-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
      '2000-02-29T00:00:00.000Z',
    ]) {
      expect(isTimestamp(good)).toBe(true);
    }
    for (const bad of [
      '2026-11-15T10:00:00Z',
      '2026-11-15 10:00:00.000Z',
      '1900-02-29T00:00:00.000Z',
      '2026-11-15T24:00:00.000Z',
      '+02026-11-15T10:00:00.000Z',
      '',
      5,
      null,
    ]) {
      expect(isTimestamp(bad)).toBe(false);
    }
  });
});
