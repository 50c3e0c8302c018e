import { ripemd160, sha1 } from '@noble/hashes/legacy.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attestationsOf,
  encodeOpenTimestamp,
  MAX_TIMESTAMP_BYTES,
  type OpenTimestamp,
  ParseError,
  parseOpenTimestamp,
  type TimestampAttestation,
  type TimestampTree,
  verifyOpenTimestamp,
} from '../../src/core/index.ts';
import {
  blockOf,
  fileOf,
  hex,
  oneBitFlips,
  outcome,
  proofs,
  unhex,
  VECTORS,
  vector,
} from './open-timestamps.ts';
import { bytes, checkStrict, parseOrUndefined } from './parser-property.ts';

const good = vector('block-100000');
const file = fileOf(good);
const stamped = { hash: 'sha256' as const, digest: unhex(good.digest!) };
const blocks = good.blocks!.map(blockOf);

describe('spec/vectors/ots', () => {
  it('are as many that must fail as must pass', () => {
    expect(VECTORS.filter(([, { error }]) => error !== undefined).length).toBeGreaterThan(25);
    expect(VECTORS.filter(([, { expect: expected }]) => expected !== undefined).length).toBeGreaterThan(20);
  });

  it.each(VECTORS.filter(([, { expect: expected }]) => expected !== undefined))('X2 %s', (_, each) => {
    const proof = parseOpenTimestamp(fileOf(each));
    expect(hex(encodeOpenTimestamp(proof))).toBe(hex(fileOf(each)));
    const check = verifyOpenTimestamp(
      proof,
      { hash: each.hash!, digest: unhex(each.digest!) },
      each.blocks!.map(blockOf),
    );
    const attestations = check.attestations.map(({ attestation, message, status, code, ...rest }) => ({
      ...plain(attestation),
      ...rest,
      message: hex(message),
      code,
    }));
    expect({ ...check, attestations }).toEqual(each.expect);
  });

  it.each(VECTORS.filter(([, { error }]) => error !== undefined))('X2 refuses: %s', (_, each) => {
    expect(() => parseOpenTimestamp(fileOf(each))).toThrow(ParseError);
    expect(() => parseOpenTimestamp(fileOf(each))).toThrow(expect.objectContaining({ code: each.error }));
  });
});

function plain(attestation: TimestampAttestation): Record<string, unknown> {
  if (attestation.kind !== 'unknown') return { ...attestation };
  return { kind: 'unknown', tag: hex(attestation.tag), payload: hex(attestation.payload) };
}

describe('an OpenTimestamps proof', () => {
  it('X2 passes with the height and the time of its block', () => {
    expect(verifyOpenTimestamp(parseOpenTimestamp(file), stamped, blocks)).toMatchObject({
      status: 'pass',
      height: 100_000,
      time: Date.parse('2010-12-29T11:57:43Z') / 1000,
    });
  });

  it('X2 passes with no bit changed, and none cut off or put behind', () => {
    expect(outcome(file, stamped, blocks)).toBe('pass');
    const passed = [...oneBitFlips(file)].filter(
      ({ changed }) => outcome(changed, stamped, blocks) === 'pass',
    );
    expect(passed).toEqual([]);
    for (let length = 0; length < file.length; length++) {
      expect(outcome(file.subarray(0, length), stamped, blocks)).toBe('refused');
    }
    for (const byte of [0, 8, 255]) {
      expect(outcome(Uint8Array.from([...file, byte]), stamped, blocks)).toBe('refused');
    }
  });

  it('may be changed only in what it does not prove by: the promise beside', () => {
    const upgraded = fileOf(vector('upgraded'));
    const uri = Buffer.from(upgraded).indexOf('https://');
    const tag = uri - 2 - 8;
    const passed = [...oneBitFlips(upgraded)].filter(
      ({ changed }) => outcome(changed, stamped, blocks) === 'pass',
    );
    // The tag, which makes it unknown, and the address. Not the lengths, nor anything else.
    const places = new Set(passed.map(({ at }) => at));
    expect([...places].every((at) => (at >= tag && at < tag + 8) || (at >= uri && at < uri + 45))).toBe(true);
    expect(places.size).toBeGreaterThan(50);
  });

  it('is proven by the lowest block that holds, and by any header of its height', () => {
    const root = blocks[1]!.merkleRoot;
    const proof: OpenTimestamp = {
      hash: 'sha256',
      digest: root,
      tree: [9, 5, 7].map((height) => ({ attestation: { kind: 'bitcoin', height } })),
    };
    const at = (height: number, merkleRoot = root) => ({ height, merkleRoot, time: 1000 + height });
    expect(verifyOpenTimestamp(proof, proof, [at(9), at(7), at(5)])).toMatchObject({ height: 5, time: 1005 });
    expect(verifyOpenTimestamp(proof, proof, [at(9), at(7)])).toMatchObject({ height: 7, time: 1007 });
    const other = new Uint8Array(32);
    expect(verifyOpenTimestamp(proof, proof, [at(5, other), at(5)])).toMatchObject({ height: 5 });
    expect(verifyOpenTimestamp(proof, proof, [at(5, other)])).toMatchObject({
      status: 'fail',
      attestations: [{ status: 'unknown' }, { status: 'fail' }, { status: 'unknown' }],
    });
    expect(verifyOpenTimestamp(proof, proof, [])).toMatchObject({ status: 'unknown', code: 'NO_HEADER' });
  });

  it('keeps no part of the bytes that it was read from', () => {
    const copy = file.slice();
    const proof = parseOpenTimestamp(copy);
    copy.fill(0);
    expect(hex(encodeOpenTimestamp(proof))).toBe(hex(file));
  });

  it('gives back any tree', () => {
    fc.assert(
      fc.property(proofs, (proof) => {
        const encoded = encodeOpenTimestamp(proof);
        expect(parseOpenTimestamp(encoded)).toEqual(proof);
        expect(verifyOpenTimestamp(proof, proof, blocks).status).not.toBe('pass');
      }),
      { numRuns: 300 },
    );
  });

  it('has one form, throws nothing but ParseError, and never passes for what it is not about', () => {
    const samples = ['block-100000', 'upgraded', 'unsorted', 'every-operation', 'unknown-attestation'];
    checkStrict(
      (each) => {
        const proof = parseOpenTimestamp(each);
        expect(verifyOpenTimestamp(proof, { ...stamped, digest: new Uint8Array(32) }, blocks).status).toBe(
          'fail',
        );
        return proof;
      },
      encodeOpenTimestamp,
      samples.map((name) => fileOf(vector(name))),
    );
  });

  it('is bounded: what is within the bounds is followed, one step more is refused', () => {
    const head = file.subarray(0, 65);
    const branch = [0xff, 0x67, 0x00, 0x05, 0x88, 0x96, 0x0d, 0x73, 0xd7, 0x19, 0x01, 0x01, 0x00];
    const build = (begin: ArrayLike<number>, count: number) =>
      Uint8Array.from([
        ...head,
        ...Array.from(begin),
        ...Array.from({ length: count - 1 }, () => branch).flat(),
        ...branch.slice(1),
      ]);
    const tooLong = expect.objectContaining({ code: 'TOO_LONG' });
    // Two steps a branch.
    expect(attestationsOf(parseOpenTimestamp(build([], 2048)))).toHaveLength(2048);
    expect(() => parseOpenTimestamp(build([], 2049))).toThrow(tooLong);
    // To 32 bytes 4,032 are appended, and of those 4,064 as many hashes are made as go into 1 MiB: 258.
    const wide = [0xf0, 0xc0, 0x1f, ...new Uint8Array(4032)];
    expect(attestationsOf(parseOpenTimestamp(build(wide, 258)))).toHaveLength(258);
    expect(() => parseOpenTimestamp(build(wide, 259))).toThrow(tooLong);
    expect(() => parseOpenTimestamp(new Uint8Array(MAX_TIMESTAMP_BYTES + 1))).toThrow(
      expect.objectContaining({ code: 'TOO_LONG' }),
    );
    for (const filler of [0x00, 0x08, 0xf0, 0xf3, 0xff]) {
      const bomb = new Uint8Array(MAX_TIMESTAMP_BYTES).fill(filler);
      bomb.set(head);
      expect(parseOrUndefined(parseOpenTimestamp, bomb)).toBeUndefined();
    }
  });

  it('is not written where it could not be read', () => {
    const end: TimestampTree = [{ attestation: { kind: 'bitcoin', height: 1 } }];
    const write = (tree: TimestampTree, digest = stamped.digest) =>
      encodeOpenTimestamp({ hash: 'sha256', digest, tree });
    const pending = (uri: string): TimestampTree => [{ attestation: { kind: 'pending', uri } }];
    const unknown = (tag: Uint8Array, length = 1): TimestampTree => [
      { attestation: { kind: 'unknown', tag, payload: new Uint8Array(length) } },
    ];
    const hashed = (next: TimestampTree): TimestampTree => [{ operation: { op: 'sha256' }, next }];
    const append = (length: number): TimestampTree => [
      { operation: { op: 'append', argument: new Uint8Array(length) }, next: end },
    ];
    let deep = end;
    for (let i = 0; i < 100_000; i++) deep = hashed(deep);
    const wrong: [string, () => Uint8Array][] = [
      ['no branch', () => write([])],
      ['an operation that leads nowhere', () => write([...hashed([]), ...end])],
      ['a short digest', () => write(end, new Uint8Array(31))],
      ['nothing appended', () => write(append(0))],
      ['too much appended', () => write(append(4065))],
      ['a height below zero', () => write([{ attestation: { kind: 'bitcoin', height: -1 } }])],
      ['half a height', () => write([{ attestation: { kind: 'bitcoin', height: 1.5 } }])],
      ['a height above 2^32', () => write([{ attestation: { kind: 'bitcoin', height: 2 ** 32 } }])],
      ['an address with a query', () => write(pending('https://a/?b'))],
      ['a long address', () => write(pending('a'.repeat(1001)))],
      ['a long payload', () => write(unknown(bytes('12345678'), 8193))],
      ['a short tag', () => write(unknown(bytes('1234567')))],
      ['the tag of Bitcoin as an unknown one', () => write(unknown(unhex('0588960d73d71901')))],
      ['100,000 operations in a row', () => write(deep)],
      [
        'more than 64 KiB',
        () => write(Array.from({ length: 9 }, () => unknown(bytes('12345678'), 8000)).flat()),
      ],
    ];
    for (const [what, attempt] of wrong) expect(attempt, what).toThrow(RangeError);
    expect(write(end)).toBeInstanceOf(Uint8Array);
  });

  it('follows the hashes of old proofs', () => {
    const digest = sha1(bytes('abc'));
    const proof: OpenTimestamp = {
      hash: 'sha1',
      digest,
      tree: [{ operation: { op: 'ripemd160' }, next: [{ attestation: { kind: 'pending', uri: '' } }] }],
    };
    expect(hex(digest)).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
    expect(hex(attestationsOf(proof)[0]!.message)).toBe(hex(ripemd160(digest)));
  });
});
