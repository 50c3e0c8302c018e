// A stamp before a verifier: real headers of Bitcoin where there are any, regtest where a proof has to be made.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  encodeOpenTimestamp,
  MAINNET,
  makeSigner,
  type OpenTimestamp,
  REGTEST,
  signCheckpoint,
} from '../../src/core/index.ts';
import { encodeStampHeaders } from '../../src/format/index.ts';
import { type StampInput, verifyStamp } from '../../src/verify/index.ts';
import { mineHeader } from '../anchor/calendars/calendar-server.ts';
import { hex } from '../core/open-timestamps.ts';

const ORIGIN = 'counterfoil/0123456789abcdef';
const checkpoint = signCheckpoint(
  { origin: ORIGIN, size: 7, root: new Uint8Array(32).fill(3) },
  makeSigner(ORIGIN, new Uint8Array(32).fill(1)),
);
const sha256 = (data: Uint8Array): Uint8Array => new Uint8Array(createHash('sha256').update(data).digest());
const digest = sha256(checkpoint);
const root = sha256(digest);
const header = mineHeader(root);
const CALENDAR = 'https://alice.example.org';

const proofOf = (...heights: number[]): OpenTimestamp => ({
  hash: 'sha256',
  digest,
  tree: [
    { attestation: { kind: 'pending', uri: CALENDAR } },
    ...heights.map((height) => ({
      operation: { op: 'sha256' as const },
      next: [{ attestation: { kind: 'bitcoin' as const, height } }],
    })),
  ],
});
const input = (more: Partial<StampInput> = {}): StampInput => ({
  checkpoint,
  proof: encodeOpenTimestamp(proofOf(5)),
  headers: encodeStampHeaders([{ height: 5, header }]),
  chain: REGTEST,
  ...more,
});

describe('a stamp', () => {
  it('X2a passes by the header beside it, and tells the block', () => {
    expect(verifyStamp(input())).toMatchObject({
      status: 'pass',
      code: 'ATTESTED',
      digest,
      root: new Uint8Array(32).fill(3),
      block: { height: 5, time: 1_700_000_000, header },
      calendars: [CALENDAR],
      refused: [],
    });
    expect(verifyStamp(input({ headers: undefined, known: [{ height: 5, header }] })).status).toBe('pass');
  });

  it.each<[string, Partial<StampInput>, string, string]>([
    ['no header', { headers: undefined }, 'unknown', 'NO_HEADER'],
    ['headers that are none', { headers: new Uint8Array(9) }, 'unknown', 'NO_HEADER'],
    [
      'the header of another height',
      { headers: encodeStampHeaders([{ height: 6, header }]) },
      'unknown',
      'NO_HEADER',
    ],
    [
      'the header of another block',
      { headers: encodeStampHeaders([{ height: 5, header: mineHeader(digest) }]) },
      'fail',
      'OTHER_ROOT',
    ],
    ['a promise alone', { proof: encodeOpenTimestamp(proofOf()) }, 'unknown', 'PENDING'],
    [
      'another checkpoint',
      { proof: encodeOpenTimestamp({ ...proofOf(5), digest: root }) },
      'fail',
      'OTHER_DIGEST',
    ],
    ['no proof', { proof: new Uint8Array(9) }, 'fail', 'PROOF_MALFORMED'],
    ['a megabyte', { proof: new Uint8Array(1_000_000) }, 'fail', 'PROOF_MALFORMED'],
    ['no checkpoint', { checkpoint: new Uint8Array(9) }, 'fail', 'CHECKPOINT_MALFORMED'],
  ])('X2a with %s', (_, more, status, code) => {
    expect(verifyStamp(input(more))).toMatchObject({ status, code });
  });

  it('X2e proves nothing by a header without work, or of another chain', () => {
    expect(verifyStamp(input({ chain: MAINNET }))).toMatchObject({
      status: 'unknown',
      code: 'NO_HEADER',
      refused: [{ height: 5, reason: 'TARGET_TOO_EASY' }],
    });
    const lazy = header.slice();
    lazy.set(Uint8Array.of(0xff, 0xff, 0x00, 0x1d), 72);
    expect(
      verifyStamp(input({ chain: MAINNET, headers: encodeStampHeaders([{ height: 5, header: lazy }]) })),
    ).toMatchObject({
      status: 'unknown',
      refused: [{ reason: 'NO_WORK' }],
    });
  });

  it('takes the lowest block, and of two headers of one height the one with the root', () => {
    const other = mineHeader(digest);
    const verdict = verifyStamp(
      input({
        proof: encodeOpenTimestamp(proofOf(9, 5)),
        headers: encodeStampHeaders([
          { height: 5, header: other },
          { height: 5, header },
          { height: 9, header },
        ]),
      }),
    );
    expect(verdict).toMatchObject({ status: 'pass', block: { height: 5 } });
    expect(hex(verdict.block!.header)).toBe(hex(header));
  });

  it('fails with any one bit of the checkpoint changed', () => {
    for (let at = 0; at < checkpoint.length; at++) {
      const changed = checkpoint.slice();
      changed[at]! ^= 1;
      expect(verifyStamp(input({ checkpoint: changed })).status, `byte ${at}`).toBe('fail');
    }
  });
});

it('X2e real headers are taken at their height, at no other, and not from before there were ledgers', () => {
  const file = join(import.meta.dirname, '../../spec/vectors/bitcoin-header.json');
  const { headers } = JSON.parse(readFileSync(file, 'utf8')) as {
    headers: { height: number; header: string }[];
  };
  const at = (height: number, of = height) => {
    const header = Buffer.from(headers.find((each) => each.height === of)?.header ?? '', 'hex');
    return verifyStamp(
      input({
        chain: MAINNET,
        proof: encodeOpenTimestamp(proofOf(height)),
        headers: encodeStampHeaders([{ height, header: new Uint8Array(header) }]),
      }),
    );
  };
  expect(at(900_002)).toMatchObject({ status: 'fail', code: 'OTHER_ROOT', refused: [] });
  expect(at(990_000, 900_002)).toMatchObject({ status: 'unknown', refused: [{ height: 990_000 }] });
  expect(at(358_391)).toMatchObject({ status: 'unknown', refused: [{ height: 358_391, reason: 'TOO_OLD' }] });
});
