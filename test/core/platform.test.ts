// Node's and the browser's platform must agree on everything, above all on what is refused.
import * as crypto from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAcceptablePoint } from '../../src/core/ed25519-points.ts';
import { encodeHex, parseHex } from '../../src/core/index.ts';
import * as browser from '../../src/core/platform/browser.ts';
import * as node from '../../src/core/platform/node.ts';
import { flipped } from './tree.ts';

const { Point } = ed25519;
const L = Point.Fn.ORDER;
const message = new TextEncoder().encode('message');
const seed = new Uint8Array(32).fill(9);

function littleEndian(value: bigint): Uint8Array {
  return parseHex(value.toString(16).padStart(64, '0')).reverse();
}

function fromLittleEndian(bytes: Uint8Array): bigint {
  return BigInt(`0x${encodeHex(bytes.slice().reverse())}`);
}

function concat(...parts: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** RFC 8032's k. */
function challenge(r: Uint8Array, key: Uint8Array): bigint {
  const hash = crypto.createHash('sha512').update(r).update(key).update(message).digest();
  return fromLittleEndian(new Uint8Array(hash)) % L;
}

/** OpenSSL alone, without our check of the points. */
function openssl(key: Uint8Array, signature: Uint8Array): boolean {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), key]);
  return crypto.verify(
    null,
    message,
    crypto.createPublicKey({ key: der, format: 'der', type: 'spki' }),
    signature,
  );
}

function bothVerify(key: Uint8Array, signature: Uint8Array): boolean {
  const [a, b] = [node, browser].map((platform) => platform.ed25519Verify(key, message, signature));
  expect(a).toBe(b);
  return a === true;
}

// A point of order 8; its multiples are all the points of small order.
const torsion = Point.fromBytes(parseHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05'));
const smallOrder = Array.from({ length: 8 }, (_, i) => torsion.multiplyUnsafe(BigInt(i)).toBytes());
const P = 2n ** 255n - 19n;
const nonCanonical = Array.from({ length: 19 }, (_, i) => littleEndian(P + BigInt(i)));
const withSign = (bytes: Uint8Array) => flipped(bytes, 31, 0x80);

describe('the two platforms', () => {
  it('export the same names', () => {
    expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
  });

  it('hash alike whatever the length, by the examples of FIPS 180-4', () => {
    expect(browser.sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(browser.sha256Hex('abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq')).toBe(
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    );
    expect(browser.sha256Hex('a'.repeat(1_000_000))).toBe(
      'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0',
    );
    for (let length = 0; length <= 300; length++) {
      const data = Uint8Array.from({ length }, (_, i) => (i * 31 + length) & 0xff);
      const digest = crypto.createHash('sha256').update(data).digest();
      expect(Buffer.from(browser.sha256(data)), `${length} bytes`).toEqual(digest);
      // What it hashes may be where it writes, and stands anywhere in a larger buffer.
      const around = new Uint8Array(length + 50).fill(7);
      around.set(data, 10);
      browser.sha256Into(around.subarray(10, 10 + length), around, 10);
      expect(Buffer.from(around.subarray(10, 42)), `${length} bytes, in place`).toEqual(digest);
    }
  });

  it('hash alike', () => {
    const data = fc.uint8Array({ maxLength: 500 });
    fc.assert(
      fc.property(data, fc.uint8Array({ maxLength: 100 }), fc.nat(20), (bytes, key, offset) => {
        expect(browser.sha256(bytes)).toEqual(node.sha256(bytes));
        expect(browser.sha256Hex(bytes)).toBe(node.sha256Hex(bytes));
        expect(encodeHex(node.sha256(bytes))).toBe(crypto.createHash('sha256').update(bytes).digest('hex'));
        expect(browser.hmacSha256(key, bytes)).toEqual(node.hmacSha256(key, bytes));
        const [a, b] = [new Uint8Array(52), new Uint8Array(52)];
        node.sha256Into(bytes, a, offset);
        browser.sha256Into(bytes, b, offset);
        expect(b).toEqual(a);
        const streams = [node.sha256Stream(), browser.sha256Stream()].map((stream) => {
          stream.update(bytes.subarray(0, offset));
          stream.update(bytes.subarray(offset));
          return stream.hex();
        });
        expect(streams).toEqual([node.sha256Hex(bytes), node.sha256Hex(bytes)]);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(browser.sha256Hex(text)).toBe(node.sha256Hex(text));
        expect(node.sha256Hex(text)).toBe(node.sha256Hex(node.utf8Encode(text)));
      }),
    );
  });

  it('hash into the bytes they read from', () => {
    for (const platform of [node, browser]) {
      const bytes = new Uint8Array(65).fill(3);
      const want = platform.sha256(bytes);
      platform.sha256Into(bytes, bytes, 33);
      expect(bytes.subarray(33)).toEqual(want);
    }
  });

  it('decode and encode text alike, and refuse the same bytes', () => {
    const outcome = (decode: (bytes: Uint8Array) => string, bytes: Uint8Array) => {
      try {
        return decode(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
        return undefined;
      }
    };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 8 }), (bytes) => {
        expect(outcome(browser.utf8Decode, bytes)).toBe(outcome(node.utf8Decode, bytes));
      }),
    );
    for (const platform of [node, browser]) {
      expect(platform.utf8Decode(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe('\ufeffa');
      for (const bad of ['ff', 'c080', 'eda080', 'f4908080', 'e282']) {
        expect(() => platform.utf8Decode(parseHex(bad))).toThrow(TypeError);
      }
    }
  });

  it('sign alike, and agree on every changed signature', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.nat(63),
        fc.nat(31),
        fc.integer({ min: 1, max: 255 }),
        (secret, at, keyAt, mask) => {
          const [a, b] = [node.ed25519Signer(secret), browser.ed25519Signer(secret)];
          expect(b.publicKey).toEqual(a.publicKey);
          const signature = a.sign(message);
          expect(b.sign(message)).toEqual(signature);
          expect(bothVerify(a.publicKey, signature)).toBe(true);
          expect(bothVerify(a.publicKey, flipped(signature, at, mask))).toBe(false);
          expect(bothVerify(flipped(a.publicKey, keyAt, mask), signature)).toBe(false);
          expect(bothVerify(a.publicKey, signature.subarray(0, 63))).toBe(false);
        },
      ),
      { numRuns: 30 },
    );
    for (const platform of [node, browser])
      expect(() => platform.ed25519Signer(new Uint8Array(31))).toThrow(RangeError);
  });
});

describe('Ed25519 points that must be refused', () => {
  it('knows all eight points of small order and all encodings of y above p', () => {
    expect(new Set(smallOrder.map(encodeHex)).size).toBe(8);
    for (const point of [...smallOrder, ...nonCanonical]) {
      expect(isAcceptablePoint(point)).toBe(false);
      expect(isAcceptablePoint(withSign(point))).toBe(false);
    }
    expect(isAcceptablePoint(node.ed25519Signer(seed).publicKey)).toBe(true);
    expect(isAcceptablePoint(littleEndian(P - 2n))).toBe(true);
    expect(isAcceptablePoint(new Uint8Array(31).fill(5))).toBe(false);
  });

  it('refuses a key of small order, under which OpenSSL takes one signature for many messages', () => {
    const r = 12_345n;
    const signature = concat(Point.BASE.multiply(r).toBytes(), littleEndian(r));
    const taken = smallOrder.filter((key) => openssl(key, signature));
    expect(taken.length).toBeGreaterThan(0);
    for (const key of [
      ...smallOrder,
      ...smallOrder.map(withSign),
      ...nonCanonical,
      ...nonCanonical.map(withSign),
    ]) {
      expect(bothVerify(key, signature)).toBe(false);
    }
  });

  it('refuses an R of small order, which the key’s owner can make', () => {
    const { scalar, pointBytes } = ed25519.utils.getExtendedPublicKey(seed);
    const identity = smallOrder[0]!;
    const signature = concat(identity, littleEndian((challenge(identity, pointBytes) * scalar) % L));
    expect(openssl(pointBytes, signature)).toBe(true);
    expect(bothVerify(pointBytes, signature)).toBe(false);
    for (const r of [...smallOrder, ...nonCanonical]) {
      const s = littleEndian((challenge(r, pointBytes) * scalar) % L);
      expect(bothVerify(pointBytes, concat(r, s))).toBe(false);
    }
  });

  it('refuses S plus the order of the group', () => {
    const signer = node.ed25519Signer(seed);
    const signature = signer.sign(message);
    const s = fromLittleEndian(signature.subarray(32));
    expect(bothVerify(signer.publicKey, signature)).toBe(true);
    for (const other of [s + L, s + 2n * L, L]) {
      expect(bothVerify(signer.publicKey, concat(signature.subarray(0, 32), littleEndian(other)))).toBe(
        false,
      );
    }
  });

  it('agrees where a small-order point is added to R or to the key: the cofactor does not forgive it', () => {
    const { scalar, pointBytes, point } = ed25519.utils.getExtendedPublicKey(seed);
    for (let i = 0; i < 8; i++) {
      const added = torsion.multiplyUnsafe(BigInt(i));
      const nonce = 777n + BigInt(i);
      const r = Point.BASE.multiply(nonce).add(added).toBytes();
      const s = littleEndian((nonce + challenge(r, pointBytes) * scalar) % L);
      expect(bothVerify(pointBytes, concat(r, s))).toBe(i === 0);
      const key = point.add(added).toBytes();
      const plain = Point.BASE.multiply(nonce).toBytes();
      const k = challenge(plain, key);
      const wanted = added.multiplyUnsafe(k).equals(Point.ZERO);
      expect(bothVerify(key, concat(plain, littleEndian((nonce + k * scalar) % L)))).toBe(wanted);
    }
  });
});
