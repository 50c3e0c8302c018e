import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attestationsOf,
  buildOpenTimestamp,
  calendarDigest,
  encodeOpenTimestamp,
  MAX_ANSWER_BYTES,
  mergeOpenTimestamps,
  type OpenTimestamp,
  ParseError,
  parseOpenTimestamp,
  pendingAttestations,
  upgradeOpenTimestamp,
  verifyOpenTimestamp,
} from '../../src/core/index.ts';
import { hex, proofs, unhex, vector } from './open-timestamps.ts';
import { bytes, parseOrUndefined } from './parser-property.ts';

const digest = Uint8Array.from({ length: 32 }, (_, i) => i);
const nonce = Uint8Array.from({ length: 16 }, (_, i) => i);
const sent = calendarDigest(digest, nonce);
const ALICE = 'https://alice.btc.calendar.opentimestamps.org';
const BOB = 'https://bob.btc.calendar.opentimestamps.org';

const sha256 = (data: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(data).digest());
const ascii = (text: string): string => hex(bytes(text));
const pending = (uri: string): string =>
  `0083dfe30d2ef90c8e${hex(Uint8Array.of(uri.length + 1, uri.length))}${ascii(uri)}`;
/** Block 135. */
const bitcoin = '000588960d73d71901028701';
/** What a calendar sends: four bytes before, eight behind, and its promise. */
const promise = (fill: string, uri: string): Uint8Array =>
  unhex(`f104${fill.repeat(4)}f008${fill.repeat(8)}${pending(uri)}`);
const alice = promise('01', ALICE);
const bob = promise('02', BOB);
const stamp = buildOpenTimestamp(digest, nonce, [alice, bob]);
/** A sibling, two hashes, and the block. */
const sibling = 'aa'.repeat(32);
const answer = unhex(`08f020${sibling}0808${bitcoin}`);

describe('stamping', () => {
  it('sends calendars a digest that does not tell what it is of', () => {
    expect(hex(sent)).toBe(hex(sha256(Uint8Array.from([...digest, ...nonce]))));
    expect(() => calendarDigest(digest.subarray(1), nonce)).toThrow(RangeError);
    expect(() => calendarDigest(digest, nonce.subarray(1))).toThrow(RangeError);
  });

  it('X2 makes a proof of what calendars answer, in any order', () => {
    expect(hex(encodeOpenTimestamp(stamp))).toBe(vector('two-calendars').file);
    expect(buildOpenTimestamp(digest, nonce, [bob, alice, bob])).toEqual(stamp);
    expect(buildOpenTimestamp(digest, nonce, [alice])).not.toEqual(stamp);
    expect(() => buildOpenTimestamp(digest, nonce, [])).toThrow(RangeError);
  });

  it('says what is pending, and where', () => {
    expect(pendingAttestations(stamp).map((each) => ({ ...each, message: hex(each.message) }))).toEqual([
      { uri: ALICE, message: `01010101${hex(sent)}${'01'.repeat(8)}`, upgraded: false },
      { uri: BOB, message: `02020202${hex(sent)}${'02'.repeat(8)}`, upgraded: false },
    ]);
  });
});

describe('upgrading', () => {
  const [first, second] = pendingAttestations(stamp);
  const upgraded = upgradeOpenTimestamp(stamp, first!.message, answer);

  it('X2 completes a pending proof, which then holds for its block', () => {
    const root = sha256(sha256(Uint8Array.from([...sha256(first!.message), ...unhex(sibling)])));
    const block = { height: 135, merkleRoot: root, time: 1_700_000_000 };
    expect(verifyOpenTimestamp(stamp, stamp, [block])).toMatchObject({ status: 'unknown', code: 'PENDING' });
    expect(verifyOpenTimestamp(upgraded, stamp, [block])).toMatchObject({
      status: 'pass',
      height: 135,
      time: 1_700_000_000,
    });
    expect(pendingAttestations(upgraded).map((each) => each.upgraded)).toEqual([true, false]);
  });

  it('adds, and takes nothing out; twice is once; the proof that it was given stays as it was', () => {
    expect(hex(encodeOpenTimestamp(stamp))).toBe(vector('two-calendars').file);
    expect(attestationsOf(upgraded)).toEqual(expect.arrayContaining(attestationsOf(stamp)));
    expect(attestationsOf(upgraded)).toHaveLength(3);
    expect(upgradeOpenTimestamp(upgraded, first!.message, answer)).toEqual(upgraded);
    const other = unhex(`f001bb08${bitcoin}`);
    const both = upgradeOpenTimestamp(upgraded, second!.message, other);
    expect(both).toEqual(
      upgradeOpenTimestamp(upgradeOpenTimestamp(stamp, second!.message, other), first!.message, answer),
    );
  });

  it('goes on where an earlier answer ended', () => {
    const further = unhex(`08f020${sibling}${pending(BOB)}`);
    const half = upgradeOpenTimestamp(stamp, first!.message, further);
    expect(attestationsOf(half)).toHaveLength(3);
    expect(upgradeOpenTimestamp(half, first!.message, answer)).toEqual(
      upgradeOpenTimestamp(upgraded, first!.message, further),
    );
  });

  it('keeps what a branch that stands twice leads to', () => {
    const twice: OpenTimestamp = {
      hash: 'sha256',
      digest,
      tree: [
        { attestation: { kind: 'pending', uri: ALICE } },
        { operation: { op: 'sha256' }, next: [{ attestation: { kind: 'bitcoin', height: 1 } }] },
        { operation: { op: 'sha256' }, next: [{ attestation: { kind: 'bitcoin', height: 2 } }] },
      ],
    };
    const merged = upgradeOpenTimestamp(twice, digest, unhex(`08${bitcoin}`));
    const heights = attestationsOf(merged).map(
      ({ attestation }) => 'height' in attestation && attestation.height,
    );
    expect(heights).toEqual([false, 1, 2, 135]);
  });

  it.each<[string, Uint8Array]>([
    ['nothing', new Uint8Array(0)],
    ['an error page', bytes('<html><body>502 Bad Gateway</body></html>')],
    ['an answer cut short', answer.subarray(0, -1)],
    ['bytes behind the answer', Uint8Array.from([...answer, 0])],
    ['a whole proof', encodeOpenTimestamp(stamp)],
    ['a megabyte', new Uint8Array(1_000_000).fill(8)],
    ['10,001 bytes', new Uint8Array(MAX_ANSWER_BYTES + 1).fill(0xff)],
    ['nothing but an attestation of an unknown kind', unhex('08004f70656e54696d6500')],
    ['a way that is too deep with the one that leads to it', unhex(`${'08'.repeat(252)}${bitcoin}`)],
    ['a message that is too long with what it is put behind', unhex(`f0d51f${'00'.repeat(4053)}${bitcoin}`)],
  ])('X2 refuses %s', (_, wrong) => {
    expect(() => upgradeOpenTimestamp(stamp, first!.message, wrong)).toThrow(ParseError);
    expect(hex(encodeOpenTimestamp(stamp))).toBe(vector('two-calendars').file);
  });

  it('takes answers of 10,000 bytes and no more', () => {
    const filled = (length: number) =>
      unhex(
        `ff001122334455667788c03e${'00'.repeat(8000)}f0${lengthOf(length)}${'00'.repeat(length)}${bitcoin}`,
      );
    const lengthOf = (length: number) => hex(Uint8Array.of((length % 128) | 0x80, Math.floor(length / 128)));
    const most = MAX_ANSWER_BYTES - filled(0).length;
    expect(attestationsOf(upgradeOpenTimestamp(stamp, first!.message, filled(most)))).toHaveLength(4);
    expect(() => upgradeOpenTimestamp(stamp, first!.message, filled(most + 1))).toThrow(
      expect.objectContaining({ code: 'TOO_LONG' }),
    );
  });

  it('takes a way as deep as there is room for', () => {
    const deep = upgradeOpenTimestamp(stamp, first!.message, unhex(`${'08'.repeat(251)}${bitcoin}`));
    expect(attestationsOf(deep)).toHaveLength(3);
  });

  it('refuses an answer that would make the proof too large', () => {
    const large = unhex(`f0801f${'11'.repeat(3968)}08${pending(ALICE)}`);
    let proof = buildOpenTimestamp(digest, nonce, [alice]);
    const grow = () => {
      for (let i = 0; i < 40; i++) {
        const other = large.slice();
        other[5] = i;
        proof = upgradeOpenTimestamp(proof, first!.message, other);
      }
    };
    expect(grow).toThrow(expect.objectContaining({ name: 'ParseError', code: 'TOO_LONG' }));
    expect(parseOpenTimestamp(encodeOpenTimestamp(proof))).toEqual(proof);
  });

  it('is for what is pending', () => {
    expect(() => upgradeOpenTimestamp(stamp, digest, answer)).toThrow(RangeError);
  });

  it('throws nothing but ParseError for any answer, and never loses an attestation', () => {
    const upgrade = (wrong: Uint8Array) =>
      parseOrUndefined((each) => upgradeOpenTimestamp(stamp, first!.message, each), wrong);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (wrong) => void upgrade(wrong)));
    fc.assert(
      fc.property(proofs, ({ hash, digest: about, tree }) => {
        const size = 31 + 2 + about.length;
        const wrong = encodeOpenTimestamp({ hash, digest: about, tree }).subarray(size);
        const result = upgrade(wrong);
        if (result === undefined) return;
        expect(attestationsOf(result)).toEqual(expect.arrayContaining(attestationsOf(stamp)));
        expect(parseOpenTimestamp(encodeOpenTimestamp(result))).toEqual(result);
        expect(upgradeOpenTimestamp(result, first!.message, wrong)).toEqual(result);
      }),
      { numRuns: 300 },
    );
  });
});

describe('merging', () => {
  const again = buildOpenTimestamp(
    digest,
    nonce.map((byte) => byte ^ 0xff),
    [bob],
  );

  it('X2g has all of both, in any order, and leaves them as they were', () => {
    const merged = mergeOpenTimestamps(stamp, again);
    expect(mergeOpenTimestamps(again, stamp)).toEqual(merged);
    expect(attestationsOf(merged)).toHaveLength(3);
    for (const each of [stamp, again])
      expect(attestationsOf(merged)).toEqual(expect.arrayContaining(attestationsOf(each)));
    expect(mergeOpenTimestamps(merged, again)).toEqual(merged);
    expect(hex(encodeOpenTimestamp(stamp))).toBe(vector('two-calendars').file);
  });

  it('is for proofs of one thing', () => {
    const other = buildOpenTimestamp(
      digest.map((byte) => byte ^ 1),
      nonce,
      [bob],
    );
    expect(() => mergeOpenTimestamps(stamp, other)).toThrow(RangeError);
    expect(() => mergeOpenTimestamps(stamp, { ...stamp, hash: 'keccak256' })).toThrow(RangeError);
  });

  it('refuses what would be too much', () => {
    const filled = (fill: string) =>
      buildOpenTimestamp(digest, nonce, [
        unhex(`ff001122334455667788c03e${fill.repeat(8000)}${pending(ALICE)}`),
      ]);
    let proof = filled('00');
    const grow = () => {
      for (let i = 1; i < 20; i++) proof = mergeOpenTimestamps(proof, filled(hex(Uint8Array.of(i))));
    };
    expect(grow).toThrow(expect.objectContaining({ name: 'ParseError', code: 'TOO_LONG' }));
  });

  it('never loses an attestation of either', () => {
    fc.assert(
      fc.property(proofs, proofs, (one, other) => {
        const same = { ...other, hash: one.hash, digest: one.digest };
        // Lengths differ by hash, so that what is read of the other may be too long behind this one.
        const merged = parseOrUndefined(() => mergeOpenTimestamps(one, same), new Uint8Array(0));
        if (merged === undefined) return;
        const kinds = (proof: OpenTimestamp) =>
          new Set(attestationsOf(proof).map((each) => JSON.stringify([each.attestation, hex(each.message)])));
        expect(kinds(merged)).toEqual(new Set([...kinds(one), ...kinds(same)]));
      }),
      { numRuns: 200 },
    );
  });
});
