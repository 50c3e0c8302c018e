// The names and small files of a ledger's directory: layout, head, packs and salts. Each has one form.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { utf8Encode } from '#platform';
import { ParseError } from '../../src/core/index.ts';
import {
  blobPath,
  compareSegments,
  encodeBlobName,
  encodeCheckpointName,
  encodeHead,
  encodePackRecord,
  encodeSalt,
  encodeSegmentName,
  HEAD_SIZE,
  isPackHeaderStart,
  MAX_PACK_HEADER,
  MAX_PACKED,
  packPath,
  parseBlobName,
  parseCheckpointName,
  parseHead,
  parseSalt,
  parseSegmentName,
  saltPath,
  scanPackHeader,
} from '../../src/format/index.ts';
import { checkStrict } from '../core/parser-property.ts';

const HASH = 'ab'.repeat(32);
const refused = (parse: (text: string) => unknown, texts: readonly string[]): void => {
  for (const text of texts) expect(() => parse(text), text).toThrow(ParseError);
};

describe('segment names', () => {
  it('hold the first seq, and a part after a crash', () => {
    expect(encodeSegmentName({ first: 1, part: 0 })).toBe('0000000000000001.jsonl');
    expect(encodeSegmentName({ first: 42, part: 3 })).toBe('0000000000000042.3.jsonl');
    expect(parseSegmentName('0000000000000042.3.jsonl.gz')).toEqual({ first: 42, part: 3, gzipped: true });
    refused(parseSegmentName, [
      '0000000000000000.jsonl',
      '1.jsonl',
      '0000000000000001.0.jsonl',
      '0000000000000001.01.jsonl',
      '0000000000000001.json',
      '9999999999999999.jsonl',
      '0000000000000001.jsonl.gz.gz',
      '',
    ]);
    expect(() => encodeSegmentName({ first: 0, part: 0 })).toThrow(RangeError);
  });

  it('sort as the log goes on: by seq, then by part, which is not the order of the letters', () => {
    const names = [
      '0000000000000002.jsonl',
      '0000000000000002.1.jsonl',
      '0000000000000002.10.jsonl',
      '0000000000000009.jsonl',
    ];
    const sorted = names.toReversed().map(parseSegmentName).sort(compareSegments);
    expect(sorted.map(encodeSegmentName)).toEqual(names);
  });

  it('nothing but ParseError comes out', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^\d{0,17}(\.\d{0,3})?\.jsonl(\.gz)?$/)),
        (name) => {
          try {
            const { gzipped, ...segment } = parseSegmentName(name);
            expect(encodeSegmentName(segment) + (gzipped ? '.gz' : '')).toBe(name);
          } catch (error) {
            expect(error).toBeInstanceOf(ParseError);
          }
        },
      ),
    );
  });
});

describe('checkpoint names', () => {
  it('are sizes of 16 digits', () => {
    expect(encodeCheckpointName(300)).toBe('0000000000000300');
    expect(parseCheckpointName('0000000000000300')).toBe(300);
    refused(parseCheckpointName, [
      '300',
      '0000000000000000',
      '9999999999999999',
      '00000000000003e2',
      ' 000000000000300',
    ]);
  });
});

describe('the head', () => {
  const position = { seq: 42, hash: HASH, segment: { first: 40, part: 2 }, offset: 1234 };

  it('has one form of fixed width, and every byte is under its sum', () => {
    const bytes = encodeHead(position);
    expect(bytes.length).toBe(HEAD_SIZE);
    expect(parseHead(bytes)).toEqual(position);
    const wide = {
      ...position,
      seq: 2 ** 53 - 1,
      segment: { first: 2 ** 53 - 1, part: 999_999 },
      offset: 2 ** 53 - 1,
    };
    expect(parseHead(encodeHead(wide))).toEqual(wide);
    for (let at = 0; at < bytes.length; at++) {
      for (let bit = 1; bit < 256; bit *= 2) {
        expect(() => parseHead(Uint8Array.from(bytes, (byte, i) => (i === at ? byte ^ bit : byte)))).toThrow(
          ParseError,
        );
      }
    }
  });

  it('is strict', () => checkStrict(parseHead, encodeHead, [encodeHead({ ...position, seq: 0 })]));
});

describe('packs', () => {
  const commitment = { algorithm: 'keyed-sha256', hash: HASH } as const;

  it('hold records: header, content, newline', () => {
    const record = encodePackRecord(commitment, utf8Encode('hello'));
    expect(new TextDecoder().decode(record)).toBe(`blob keyed-sha256:${HASH} 5\nhello\n`);
    expect(scanPackHeader(record, 0)).toEqual({ ...commitment, bytes: 5, length: record.length - 6 });
    expect(scanPackHeader(record, 1)).toBeUndefined();
    const largest = encodePackRecord(commitment, new Uint8Array(MAX_PACKED));
    expect(scanPackHeader(largest, 0)).toMatchObject({ bytes: MAX_PACKED, length: MAX_PACK_HEADER });
    expect(() => encodePackRecord(commitment, new Uint8Array(MAX_PACKED + 1))).toThrow(RangeError);
    expect(() => encodePackRecord({ algorithm: 'sha256', hash: 'x' }, new Uint8Array(1))).toThrow(RangeError);
  });

  it('headers have one form', () => {
    const header = (text: string) => scanPackHeader(utf8Encode(text), 0);
    expect(header(`blob sha256:${HASH} 0\n`)).toMatchObject({ bytes: 0 });
    for (const bad of [
      `blob sha256:${HASH} 00\n`,
      `blob sha256:${HASH} 1048577\n`,
      `blob sha256:${HASH} 5`,
      `blob sha256:${HASH}  5\n`,
      `blob sha1:${HASH} 5\n`,
      `Blob sha256:${HASH} 5\n`,
      `blob sha256:${HASH.toUpperCase()} 5\n`,
      `blob sha256:${HASH} -5\n`,
      '',
    ]) {
      expect(header(bad)).toBeUndefined();
    }
  });

  it('every beginning of a header is known as one, and nothing else is', () => {
    for (const text of [
      `blob sha256:${HASH} 1048576`,
      `blob hmac-sha256:${HASH} 17`,
      `blob keyed-sha256:${HASH} 1`,
    ]) {
      for (let cut = 0; cut <= text.length; cut++) {
        const start = utf8Encode(text.slice(0, cut));
        expect(isPackHeaderStart(start, 0, start.length), text.slice(0, cut)).toBe(true);
        if (cut === 0) continue;
        const changed = utf8Encode(`${text.slice(0, cut - 1)}~`);
        expect(isPackHeaderStart(changed, 0, changed.length)).toBe(false);
      }
    }
    const whole = utf8Encode(`blob sha256:${HASH} 5\n`);
    expect(isPackHeaderStart(whole, 0, whole.length)).toBe(false);
  });
});

describe('blobs and salts', () => {
  it('have names by session and commitment', () => {
    const commitment = { algorithm: 'sha256', hash: HASH } as const;
    expect(blobPath(HASH, commitment)).toBe(`blobs/${HASH}/sha256-${HASH}`);
    expect(packPath(HASH)).toBe(`blobs/${HASH}/pack`);
    expect(saltPath(HASH)).toBe(`salts/${HASH}`);
    expect(parseBlobName(encodeBlobName(commitment))).toEqual(commitment);
    refused(parseBlobName, ['pack', `sha256-${HASH}0`, `sha256:${HASH}`, `SHA256-${HASH}`, `sha512-${HASH}`]);
    for (const path of [packPath, saltPath]) expect(() => path('../../etc')).toThrow(RangeError);
  });

  it('a salt is 64 hex digits and a newline', () => {
    const salt = Uint8Array.from({ length: 32 }, (_, i) => i * 7);
    expect(parseSalt(encodeSalt(salt))).toEqual(salt);
    for (const bad of [
      '',
      HASH,
      `${HASH}\r\n`,
      `${HASH.toUpperCase()}\n`,
      `${HASH}\n\n`,
      `${HASH.slice(1)}\n`,
    ]) {
      expect(() => parseSalt(utf8Encode(bad))).toThrow(ParseError);
    }
    checkStrict(parseSalt, encodeSalt, [encodeSalt(salt)]);
  });
});
