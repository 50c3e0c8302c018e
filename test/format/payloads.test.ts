// Payloads of the ledger's own kinds, references to content, and the grammar of kinds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBase64, type JsonObject, ParseError } from '../../src/core/index.ts';
import {
  contentRefs,
  encodeArchive,
  encodeContentRef,
  encodeGap,
  encodeKeyRotate,
  encodeLedgerOpen,
  isKind,
  isKnownKind,
  isUserKind,
  originOf,
  parseArchive,
  parseContentRef,
  parseGap,
  parseKeyRotate,
  parseLedgerOpen,
} from '../../src/format/index.ts';

const HASH = 'ab'.repeat(32);
const file = { name: '0000000000000001.jsonl', bytes: 5, sha256: HASH, gzSha256: HASH };

const RECORDING = {
  reason: 'unrecorded',
  since: '2026-11-15T10:00:00.000Z',
  until: '2026-11-15T10:05:00.000Z',
  events: 3,
  why: 'the disk was full',
  calls: ['toolu_1'],
} as const;

const PAYLOADS: [string, (payload: JsonObject) => unknown, JsonObject][] = [
  ['ledger.open', parseLedgerOpen, encodeLedgerOpen({ nonce: HASH, publicKey: HASH })],
  [
    'key.rotate',
    parseKeyRotate,
    encodeKeyRotate({ checkpoint: 'a note', publicKey: HASH, signature: encodeBase64(new Uint8Array(64)) }),
  ],
  ['gap, torn', parseGap, encodeGap({ reason: 'torn', file: file.name, offset: 3, bytes: 9, sha256: HASH })],
  ['gap, lost', parseGap, encodeGap({ reason: 'lost', from: 3, to: 9, headHash: HASH })],
  ['gap, unrecorded', parseGap, encodeGap(RECORDING)],
  ['gap, off', parseGap, encodeGap({ ...RECORDING, reason: 'off' })],
  ['archive', parseArchive, encodeArchive({ files: [file] })],
];

describe('payloads', () => {
  for (const [what, parse, payload] of PAYLOADS) {
    it(`${what}: exactly its members`, () => {
      expect(() => parse(payload)).not.toThrow();
      expect(() => parse({ ...payload, more: 1 })).toThrow(ParseError);
      for (const name of Object.keys(payload)) {
        const { [name]: _, ...rest } = payload;
        expect(() => parse(rest), name).toThrow(ParseError);
        for (const value of [null, -1, 1.5, 'x y', {}, true]) {
          if (what === 'key.rotate' && name === 'checkpoint' && typeof value === 'string') continue;
          if (name === 'why' && typeof value === 'string') continue;
          if (name === 'events' && value === null) continue; // nobody counted
          expect(() => parse({ ...payload, [name]: value }), name).toThrow(ParseError);
        }
      }
    });

    it(`${what}: nothing but ParseError comes out`, () => {
      const value = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.values(payload)));
      fc.assert(
        fc.property(fc.dictionary(fc.constantFrom(...Object.keys(payload), 'x'), value), (mixed) => {
          try {
            parse(mixed as JsonObject);
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError);
          }
        }),
      );
    });
  }

  it('say the same after a round trip', () => {
    expect(parseArchive(encodeArchive({ files: [file, file] }))).toEqual({ files: [file, file] });
    expect(parseGap(encodeGap({ reason: 'lost', from: 3, to: 9, headHash: HASH }))).toEqual({
      reason: 'lost',
      from: 3,
      to: 9,
      headHash: HASH,
    });
    expect(parseGap(encodeGap(RECORDING))).toEqual(RECORDING);
    expect(parseGap(encodeGap({ ...RECORDING, events: null }))).toEqual({ ...RECORDING, events: null });
    for (const since of ['2026-11-15', '2026-02-30T10:00:00.000Z', '2026-11-15T10:00:00Z', 5])
      expect(() => parseGap({ ...encodeGap(RECORDING), since })).toThrow(ParseError);
    for (const calls of ['toolu_1', [1], [null], {}])
      expect(() => parseGap({ ...encodeGap(RECORDING), calls })).toThrow(ParseError);
    expect(parseLedgerOpen(encodeLedgerOpen({ nonce: HASH, publicKey: HASH }))).toEqual({
      nonce: HASH,
      publicKey: HASH,
    });
    expect(() =>
      parseLedgerOpen({ ...encodeLedgerOpen({ nonce: HASH, publicKey: HASH }), format: 'counterfoil/2' }),
    ).toThrow(expect.objectContaining({ code: 'UNKNOWN_VERSION' }));
    expect(originOf(HASH)).toBe('counterfoil/abababababababab');
  });
});

describe('references to content', () => {
  const ref = { algorithm: 'sha256', hash: HASH, bytes: 5, type: 'text/plain' } as const;

  it('are found anywhere in a payload, in order', () => {
    const inner = encodeContentRef({ ...ref, bytes: 6 });
    expect(contentRefs({ a: encodeContentRef(ref), b: [1, { c: inner }], d: 'x' })).toEqual([
      ref,
      { ...ref, bytes: 6 },
    ]);
    expect(contentRefs({})).toEqual([]);
    expect(parseContentRef(encodeContentRef(ref))).toEqual(ref);
  });

  it('a malformed one is an error with its path', () => {
    expect(() => contentRefs({ a: [{ $content: 'x', bytes: 1 }] })).toThrow(/payload\.a\[0\]\.\$content/);
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('$content', 'bytes', 'type', 'x'), fc.jsonValue()),
        (value) => {
          try {
            contentRefs({ value } as unknown as JsonObject);
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError);
          }
        },
      ),
    );
  });
});

describe('kinds', () => {
  it('are dotted lower-case words', () => {
    for (const kind of ['note', 'tool.result', 'x.a_1', 'a'.repeat(64)]) expect(isKind(kind)).toBe(true);
    for (const kind of ['', 'Note', 'a..b', '.a', 'a.', '1a', 'a-b', 'a'.repeat(65), 5, null])
      expect(isKind(kind)).toBe(false);
  });

  it('known ones, and those that anybody may write', () => {
    for (const kind of ['note', 'ledger.open', 'plan.approve', 'patch.test', 'x.mine'])
      expect(isKnownKind(kind)).toBe(true);
    expect(isKnownKind('never.heard')).toBe(false);
    expect(['note', 'x.mine', 'ledger.open', 'X.y', 'x.'].map(isUserKind)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
