// The rules that real headers can't show, since nobody can mine them here: targets at the edge of a period, bounds
// around a checkpoint, pace. A chain of our own with an easy limit, where a header takes a few hashes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAtMost } from '../../src/core/bitcoin-header.ts';
import {
  type BitcoinChain,
  headerHash,
  parseHeader,
  targetOf,
  verifyHeader,
  verifyHeaderRun,
} from '../../src/core/index.ts';

const LIMIT = 0x207fffff;
const ZEROS = '0'.repeat(64);
const START = 1_700_000_000;

function mine(prevHash: string, bits: number, time: number): Uint8Array {
  const header = new Uint8Array(80);
  const view = new DataView(header.buffer);
  view.setInt32(0, 1, true);
  header.set(Buffer.from(prevHash, 'hex').reverse(), 4);
  view.setUint32(68, time, true);
  view.setUint32(72, bits, true);
  const target = BigInt(targetOf(bits));
  for (let nonce = 0; ; nonce++) {
    view.setUint32(76, nonce, true);
    if (BigInt(`0x${headerHash(header)}`) <= target) return header;
  }
}

/** Headers one after the other, ten minutes apart, the first at `height`. */
function mineRun(height: number, count: number, bitsAt: (height: number) => number): Uint8Array[] {
  const run: Uint8Array[] = [];
  let prevHash = ZEROS;
  for (let i = 0; i < count; i++) {
    const header = mine(prevHash, bitsAt(height + i), START + 600 * i);
    prevHash = headerHash(header);
    run.push(header);
  }
  return run;
}

const joined = (run: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(run));

function chainWith(...fixed: readonly (readonly [number, Uint8Array])[]): BitcoinChain {
  const checkpoints = fixed.map(([height, header]) => {
    const { bits, time } = parseHeader(header);
    return { height, hash: headerHash(header), bits, time };
  });
  return { limit: LIMIT, checkpoints, ledgersSince: 0 };
}

/** The verdict of one header that claims `height`, ten minutes a block away from `checkpoint`. */
function claimedAt(height: number, bits: number, chain: BitcoinChain, seconds?: number) {
  const [checkpoint] = chain.checkpoints;
  const time = (checkpoint?.time ?? 0) + (seconds ?? 600 * (height - (checkpoint?.height ?? 0)));
  const { status, reason } = verifyHeader(mine('11'.repeat(32), bits, time), { height }, { chain });
  return status === 'pass' ? 'pass' : reason;
}

describe('a hash against its target', () => {
  const number = (wire: Uint8Array): bigint => BigInt(`0x${Buffer.from(wire).reverse().toString('hex')}`);

  it('is compared to the last bit', () => {
    const target = new Uint8Array(32).fill(0x80);
    expect(isAtMost(target, target)).toBe(true);
    for (let i = 0; i < 32; i++) {
      expect(isAtMost(target.with(i, 0x81), target)).toBe(false);
      expect(isAtMost(target.with(i, 0x7f), target)).toBe(true);
    }
    const bytes = fc.array(fc.constantFrom(0, 1, 255), { minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(bytes, bytes, fc.nat(32), (a, b, same) => {
        const [hash, other] = [
          Uint8Array.from(a),
          Uint8Array.from([...b.slice(0, 32 - same), ...a.slice(32 - same)]),
        ];
        expect(isAtMost(hash, other)).toBe(number(hash) <= number(other));
      }),
    );
  });
});

describe('targets in a run', () => {
  const anchored = (run: readonly Uint8Array[], height: number): BitcoinChain =>
    chainWith([height, run[0] ?? new Uint8Array()]);

  it('are the same within a period of 2,016 blocks', () => {
    const run = mineRun(4030, 6, () => 0x200fffff);
    const changed = mineRun(4030, 6, (height) => (height < 4031 ? 0x200fffff : 0x200ffffe));
    expect(verifyHeaderRun(joined(run), {}, anchored(run, 4030)).status).toBe('pass');
    expect(verifyHeaderRun(joined(changed), {}, anchored(changed, 4030))).toMatchObject({
      reason: 'BITS_CHANGED',
      at: 1,
    });
  });

  it.each([
    [0x20040000, 'pass'],
    [0x20040001, 'DIFFICULTY_IMPLAUSIBLE'],
    [0x2000ffff, 'pass'],
    [0x1f00ffff, 'pass'],
  ])('may be four times as easy in the next period, and no more: %i, %s', (next, expected) => {
    const run = mineRun(4030, 4, (height) => (height < 4032 ? 0x20010000 : next));
    for (const height of [undefined, 4030]) {
      const { status, reason } = verifyHeaderRun(
        joined(run),
        height === undefined ? {} : { height },
        anchored(run, 4030),
      );
      expect(status === 'pass' ? status : reason).toBe(expected);
    }
  });

  it('are held against the header before, where the checkpoint is far', () => {
    const run = mineRun(40_318, 4, (height) => (height < 40_320 ? 0x20010000 : 0x20040001));
    const far = chainWith([0, mine(ZEROS, 0x20010000, START - 600 * 40_318)]);
    expect(verifyHeaderRun(joined(run), { height: 40_318 }, far)).toMatchObject({
      status: 'fail',
      reason: 'DIFFICULTY_IMPLAUSIBLE',
      at: 2,
    });
  });

  it('G12 a long run passes over several periods, and each of its heights is known', () => {
    const bitsOf = [0x207fffff, 0x2040_0000, 0x207fffff];
    const run = mineRun(2000, 4100, (height) => bitsOf[Math.floor(height / 2016) % 3] ?? 0);
    const chain = chainWith([2100, run[100] ?? new Uint8Array()]);
    const known = verifyHeaderRun(joined(run), {}, chain);
    expect(known).toMatchObject({ status: 'pass', reason: 'OK', count: 4100 });
    for (const [index, basis] of [
      [0, 'fixed'],
      [100, 'fixed'],
      [101, 'linked'],
      [4099, 'linked'],
    ] as const) {
      const header = run[index] ?? new Uint8Array();
      const height = { value: 2000 + index, basis };
      expect(verifyHeader(header, {}, { known, chain })).toMatchObject({ status: 'pass', height });
      expect(verifyHeader(header, { height: 2001 + index }, { known, chain }).reason).toBe('HEIGHT_MISMATCH');
    }
    // A run that did not pass vouches for nothing.
    const broken = verifyHeaderRun(joined([...run, mine(ZEROS, LIMIT, START)]), {}, chain);
    expect(broken).toMatchObject({ reason: 'LINK_BROKEN', at: 4100 });
    expect(broken.find(headerHash(run[100] ?? new Uint8Array()))).toBeUndefined();
  });

  it('the first failure decides, and a failure outweighs a doubt', () => {
    const run = mineRun(4030, 4, (height) => (height < 4032 ? 0x207fffff : 0x20400000));
    const far = chainWith([0, mine(ZEROS, 0x2000ffff, START - 600 * 403_198)]);
    const doubtful = verifyHeaderRun(joined(run), { height: 403_198 }, far);
    expect(doubtful).toMatchObject({ status: 'unknown', reason: 'LITTLE_WORK', at: 0 });
    expect(doubtful.find(headerHash(run[0] ?? new Uint8Array()))).toBeUndefined();
    const changed = mineRun(403_198, 4, (height) => (height < 403_199 ? 0x207fffff : 0x20400000));
    expect(verifyHeaderRun(joined(changed), { height: 403_198 }, far)).toMatchObject({
      status: 'fail',
      reason: 'BITS_CHANGED',
      at: 1,
    });
  });
});

describe('a claimed height', () => {
  const checkpoint = mine(ZEROS, 0x20010000, START);
  const chain = chainWith([10_080, checkpoint]); // the first of its period

  it.each([
    [10_081, 0x20010000, 'pass'],
    [10_081, 0x20010001, 'BITS_CHANGED'],
    [12_095, 0x2000ffff, 'BITS_CHANGED'],
    [12_096, 0x20040000, 'pass'],
    [12_096, 0x20040001, 'DIFFICULTY_IMPLAUSIBLE'],
    [14_112, 0x20100000, 'pass'],
    [14_112, 0x20100001, 'DIFFICULTY_IMPLAUSIBLE'],
    [16_128, 0x20100000, 'pass'],
    [16_128, 0x20100001, 'LITTLE_WORK'],
    [900_000, 0x207fffff, 'LITTLE_WORK'],
    [900_000, 0x20100000, 'pass'],
  ])('G12 above a checkpoint: %i with target %i: %s', (height, bits, expected) => {
    expect(claimedAt(height, bits, chain)).toBe(expected);
  });

  it.each([
    [10_079, 0x20040000, 'pass'],
    [10_079, 0x20040008, 'pass'], // the checkpoint's target was cut when it was stored: 2^-15 of it may be missing
    [10_079, 0x20040010, 'DIFFICULTY_IMPLAUSIBLE'],
    [8064, 0x20040010, 'DIFFICULTY_IMPLAUSIBLE'],
    [8063, 0x20100000, 'pass'],
    [8063, 0x20110000, 'DIFFICULTY_IMPLAUSIBLE'],
    [0, 0x207fffff, 'pass'],
  ])('G12 below a checkpoint: %i with target %i: %s', (height, bits, expected) => {
    expect(claimedAt(height, bits, chain)).toBe(expected);
  });

  it('is bounded from both sides', () => {
    const above = mine(ZEROS, 0x2000ffff, START + 600 * 20_160);
    const both = chainWith([10_080, checkpoint], [30_240, above]);
    expect(claimedAt(28_224, 0x20040010, both)).toBe('DIFFICULTY_IMPLAUSIBLE');
    expect(claimedAt(28_224, 0x20030000, both)).toBe('pass');
    expect(claimedAt(30_240, 0x2000ffff, both)).toBe('NOT_THE_CHECKPOINT');
  });

  it('goes with the time of the checkpoints around it, to a day', () => {
    const above = mine(ZEROS, 0x20010000, START + 600 * 20_160);
    const both = chainWith([10_080, checkpoint], [30_240, above]);
    expect(claimedAt(20_160, 0x20010000, both, -86_400)).toBe('pass');
    expect(claimedAt(20_160, 0x20010000, both, -86_401)).toBe('TIME_IMPLAUSIBLE');
    expect(claimedAt(20_160, 0x20010000, both, 600 * 20_160 + 86_400)).toBe('pass');
    expect(claimedAt(20_160, 0x20010000, both, 600 * 20_160 + 86_401)).toBe('TIME_IMPLAUSIBLE');
  });

  it('goes with the pace of the chain beyond the newest', () => {
    const at = (seconds: number) => claimedAt(110_080, 0x20010000, chain, seconds);
    expect(at(500 * (100_000 - 2016))).toBe('pass');
    expect(at(500 * (100_000 - 2016) - 1)).toBe('PACE_UNLIKELY');
    expect(at(720 * (100_000 + 2016))).toBe('pass');
    expect(at(720 * (100_000 + 2016) + 1)).toBe('PACE_UNLIKELY');
    // Right after the checkpoint blocks may be as quick or slow as they like, within a period.
    expect(claimedAt(10_090, 0x20010000, chain, 0)).toBe('pass');
  });

  it('is not judged by pace where links prove it', () => {
    const next = mine(headerHash(checkpoint), 0x20010000, START + 720 * 2018);
    expect(verifyHeader(next, {}, { chain })).toMatchObject({
      status: 'pass',
      height: { value: 10_081, basis: 'linked' },
    });
    const { status } = verifyHeaderRun(joined([checkpoint, next]), { height: 10_080 }, chain);
    expect(status).toBe('pass');
  });

  it('ends at once, whatever is claimed', () => {
    for (const height of [
      2 ** 31 - 1,
      2 ** 31,
      Number.MAX_SAFE_INTEGER,
      Number.NaN,
      -0.5,
      Number.POSITIVE_INFINITY,
    ])
      expect(verifyHeader(checkpoint, { height }, { chain }).status).toBe('fail');
    expect(claimedAt(2 ** 31 - 1, 0x20010000, chain, 600)).toBe('PACE_UNLIKELY');
  });
});
