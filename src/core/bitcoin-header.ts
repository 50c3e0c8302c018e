// One Bitcoin block header: 80 bytes, all numbers little-endian, and the compact form of its target. Nothing here says
// whether the block is in the chain; bitcoin-chain.ts does. Block hashes are in display order everywhere, as explorers
// show them and as our own formulas take them: the bytes of the double SHA-256 reversed, the zeros first.
import { sha256Into } from '#platform';
import { encodeHex } from './encoding.ts';
import { ParseError } from './errors.ts';

export const HEADER_BYTES = 80;

export interface BitcoinHeader {
  /** Signed, as Bitcoin reads it. */
  readonly version: number;
  /** The hash of the block before, in display order. */
  readonly prevHash: string;
  /** The 32 bytes as they lie in the header: what an OpenTimestamps proof ends in. Explorers show them reversed. */
  readonly merkleRoot: Uint8Array;
  /** Seconds since 1970, by the miner's clock: good to two hours. */
  readonly time: number;
  /** The target in compact form: see targetOf. */
  readonly bits: number;
  readonly nonce: number;
}

export function parseHeader(bytes: Uint8Array): BitcoinHeader {
  assertLength(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  return {
    version: view.getInt32(0, true),
    prevHash: displayedHash(bytes.subarray(4, 36)),
    merkleRoot: new Uint8Array(bytes.subarray(36, 68)),
    time: view.getUint32(68, true),
    bits: view.getUint32(72, true),
    nonce: view.getUint32(76, true),
  };
}

/** The block's hash: the double SHA-256 of the 80 bytes, in display order. */
export function headerHash(bytes: Uint8Array): string {
  assertLength(bytes);
  const hash = new Uint8Array(32);
  wireHashInto(bytes, hash);
  return displayedHash(hash);
}

const inner = new Uint8Array(32);

/** The same in the order of the wire, for those who hash many. */
export function wireHashInto(bytes: Uint8Array, out: Uint8Array): void {
  sha256Into(bytes, inner, 0);
  sha256Into(inner, out, 0);
}

export function displayedHash(wire: Uint8Array): string {
  return encodeHex(new Uint8Array(wire).reverse());
}

/** Why a compact target stands for no number that a hash could be held against. */
export type TargetFault = 'TARGET_NEGATIVE' | 'TARGET_ZERO' | 'TARGET_OVERFLOW';

/**
 * The target that `bits` stands for: the low 23 bits times 256^(high byte − 3), below which a hash must stay or which it
 * may equal. Bit 23 is a sign, from a library of big numbers that the first client used; digits shifted out are dropped.
 */
export function targetOf(bits: number): bigint | TargetFault {
  const size = bits >>> 24;
  const digits = (bits & 0x7fffff) >>> (size < 3 ? 8 * (3 - size) : 0);
  if (digits === 0) return 'TARGET_ZERO';
  if ((bits & 0x800000) !== 0) return 'TARGET_NEGATIVE';
  // 256 bits are 32 bytes; leading zero bytes of the digits leave room for as much more.
  const most = digits > 0xffff ? 32 : digits > 0xff ? 33 : 34;
  if (size > most) return 'TARGET_OVERFLOW';
  return BigInt(digits) << BigInt(size > 3 ? 8 * (size - 3) : 0);
}

/** Whether a hash meets a target; both of 32 bytes in the order of the wire, which is little-endian. */
export function isAtMost(hash: Uint8Array, target: Uint8Array): boolean {
  for (let i = 31; i >= 0; i--) {
    const difference = (hash[i] ?? 0) - (target[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return true;
}

function assertLength(bytes: Uint8Array): void {
  if (bytes.length !== HEADER_BYTES)
    throw new ParseError('MALFORMED', `a block header has ${HEADER_BYTES} bytes, found ${bytes.length}`);
}
