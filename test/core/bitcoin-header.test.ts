// spec/vectors/bitcoin-header.json: real headers, compact targets, and verdicts over single headers and runs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  headerHash,
  MAINNET,
  ParseError,
  parseHeader,
  parseHex,
  targetOf,
  verifyHeader,
  verifyHeaderRun,
} from '../../src/core/index.ts';

interface Known {
  readonly height: number;
  readonly hash: string;
  readonly header: string;
  readonly version: number;
  readonly prev_hash: string;
  readonly merkle_root_internal: string;
  readonly time: number;
  readonly bits: string;
  readonly nonce: number;
  readonly checkpoint: boolean;
}
interface Verdict {
  readonly name: string;
  readonly status: string;
  readonly reason: string;
}
type Single = Verdict & {
  readonly header: string;
  readonly claim: { readonly hash?: string; readonly height?: number };
  readonly height?: { readonly value: number; readonly basis: string };
};
type Run = Verdict & {
  readonly headers: readonly string[];
  readonly height?: number;
  readonly at?: number;
  readonly found: readonly { readonly hash: string; readonly value: number; readonly basis: string }[];
};
type Target = {
  readonly name: string;
  readonly bits: string;
  readonly target?: string;
  readonly fault?: string;
};

const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../spec/vectors/bitcoin-header.json'), 'utf8'),
) as { headers: Known[]; targets: Target[]; single: Single[]; runs: Run[] };

const bytesOf = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));

describe('bitcoin-header.json', () => {
  it('has at least as many that must not pass', () => {
    const { single, runs, targets } = vectors;
    for (const list of [single, runs]) {
      const passes = list.filter(({ status }) => status === 'pass').length;
      expect(passes).toBeGreaterThan(0);
      expect(list.length - passes).toBeGreaterThanOrEqual(passes);
    }
    const good = targets.filter(({ target }) => target !== undefined).length;
    expect(targets.length - good).toBeGreaterThanOrEqual(good);
  });

  it('holds the header of every checkpoint that is shipped, and of no other', () => {
    const marked = vectors.headers
      .filter(({ checkpoint }) => checkpoint)
      .map(({ height, header }) => {
        const { bits, time } = parseHeader(bytesOf(header));
        return { height, hash: headerHash(bytesOf(header)), bits, time };
      });
    expect(MAINNET.checkpoints).toEqual(marked);
  });

  it.each(vectors.headers)('reads block $height', (known) => {
    const header = parseHeader(bytesOf(known.header));
    expect({ ...header, merkleRoot: Buffer.from(header.merkleRoot).toString('hex') }).toEqual({
      version: known.version,
      prevHash: known.prev_hash,
      merkleRoot: known.merkle_root_internal,
      time: known.time,
      bits: Number.parseInt(known.bits, 16),
      nonce: known.nonce,
    });
    expect(headerHash(bytesOf(known.header))).toBe(known.hash);
  });

  it.each(vectors.headers)('G12 X2 block $height passes, and with any one bit flipped fails', (known) => {
    const { hash, height } = known;
    const header = bytesOf(known.header);
    expect(verifyHeader(header, { hash, height })).toMatchObject({ status: 'pass', hash });
    for (let bit = 0; bit < 640; bit++) {
      const flipped = header.slice();
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(verifyHeader(flipped, { hash, height }).status, `bit ${bit}`).toBe('fail');
      // Nor by its work alone, when nobody says what it should be.
      expect(verifyHeader(flipped, { height }).status, `bit ${bit}, no hash`).toBe('fail');
      expect(verifyHeader(flipped).status, `bit ${bit}, no claim`).toBe('fail');
    }
  });

  it.each(vectors.targets)('target: $name', ({ bits, target, fault }) => {
    const found = targetOf(Number.parseInt(bits, 16));
    expect(typeof found === 'bigint' ? found.toString(16).padStart(64, '0') : found).toBe(target ?? fault);
  });

  it.each(vectors.single)('G12 $status: $name', ({ header, claim, status, reason, height }) => {
    const { hash: _, ...verdict } = verifyHeader(bytesOf(header), claim);
    expect(verdict).toEqual({ status, reason, ...(height === undefined ? {} : { height }) });
  });

  it.each(vectors.runs)('G12 run, $status: $name', ({ headers, height, status, reason, at, found }) => {
    const bytes = bytesOf(headers.join(''));
    const { find, ...run } = verifyHeaderRun(bytes, height === undefined ? {} : { height });
    expect(run).toEqual({ status, reason, count: headers.length, ...(at === undefined ? {} : { at }) });
    bytes.fill(0);
    for (const { hash, ...place } of found) expect(find(hash)).toEqual(place);
    for (const { hash } of vectors.headers)
      if (!found.some((other) => other.hash === hash)) expect(find(hash)).toBeUndefined();
    for (const hash of ['', 'x', '0'.repeat(64), '0'.repeat(63)]) expect(find(hash)).toBeUndefined();
  });
});

describe('a header', () => {
  const first = bytesOf(vectors.headers[0]?.header ?? '');

  it('has 80 bytes', () => {
    for (const length of [0, 1, 79, 81, 160]) {
      expect(() => parseHeader(new Uint8Array(length))).toThrow(ParseError);
      expect(() => headerHash(new Uint8Array(length))).toThrow(ParseError);
    }
  });

  it('is read from a view and from a Buffer, and left as it was', () => {
    const within = new Uint8Array(200).fill(7);
    within.set(first, 33);
    const buffer = Buffer.from(first);
    for (const view of [within.subarray(33, 113), buffer]) {
      expect(headerHash(view)).toBe(headerHash(first));
      expect(parseHeader(view).prevHash).toBe('0'.repeat(64));
      expect(verifyHeader(view).status).toBe('pass');
      expect(verifyHeaderRun(view).status).toBe('pass');
    }
    expect(Buffer.from(first).equals(buffer)).toBe(true);
    const { merkleRoot } = parseHeader(buffer);
    buffer.fill(0);
    expect(merkleRoot[0]).toBe(0x3b);
  });

  it('a version with the top bit set is negative', () => {
    const header = first.slice();
    header.set(parseHex('ffffffff'));
    expect(parseHeader(header).version).toBe(-1);
  });
});

const shared = join(import.meta.dirname, '../../../shared/vectors/bitcoin-headers.json');
const isThere = existsSync(shared);
describe.skipIf(!isThere)(`the shared headers${isThere ? '' : ': skipped, no ../shared/vectors'}`, () => {
  it('are among ours', () => {
    const others = JSON.parse(isThere ? readFileSync(shared, 'utf8') : '[]') as Known[];
    expect(others.length).toBeGreaterThanOrEqual(5);
    for (const other of others)
      expect(vectors.headers).toContainEqual(expect.objectContaining(other as object));
  });
});
