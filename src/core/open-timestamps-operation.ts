// The operations of an OpenTimestamps proof: each makes a message out of another, so that whoever knows the last one must
// have known the first. Lengths follow without hashing, so a proof is bounded before any work is done for it. SHA-1 is
// there for old proofs: to claim an earlier time one would need a second preimage, not a collision.
import { ripemd160, sha1 } from '@noble/hashes/legacy.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { sha256, utf8Encode } from '#platform';
import { encodeHex } from './encoding.ts';
import { type ByteReader, encodeVarbytes, joinBytes } from './open-timestamps-bytes.ts';

export type TimestampHash = 'sha1' | 'ripemd160' | 'sha256' | 'keccak256';
export type TimestampOperation =
  | { readonly op: TimestampHash | 'reverse' | 'hexlify' }
  | { readonly op: 'append' | 'prepend'; readonly argument: Uint8Array };

/** Of a message, and of what is appended or prepended. */
export const MAX_MESSAGE_BYTES = 4096;

const HASHES: Readonly<Record<TimestampHash, { size: number; hash: (message: Uint8Array) => Uint8Array }>> = {
  sha1: { size: 20, hash: (message) => sha1(message) },
  ripemd160: { size: 20, hash: (message) => ripemd160(message) },
  sha256: { size: 32, hash: sha256 },
  keccak256: { size: 32, hash: (message) => keccak_256(message) },
};

const TAGS: Readonly<Record<TimestampOperation['op'], number>> = {
  sha1: 0x02,
  ripemd160: 0x03,
  sha256: 0x08,
  keccak256: 0x67,
  append: 0xf0,
  prepend: 0xf1,
  reverse: 0xf2,
  hexlify: 0xf3,
};
const NAMES = new Map(Object.entries(TAGS).map(([name, tag]) => [tag, name as TimestampOperation['op']]));

export function hashSize(name: TimestampHash): number {
  return HASHES[name].size;
}

export function hashTag(name: TimestampHash): number {
  return TAGS[name];
}

export function parseHashName(reader: ByteReader): TimestampHash {
  const name = NAMES.get(reader.byte());
  if (name === undefined || !isHashName(name)) throw reader.error('UNKNOWN_VERSION', 'an unknown hash');
  return name;
}

/** What an operation takes is not written before it: after an unknown one nothing can be read. */
export function parseOperation(tag: number, reader: ByteReader): TimestampOperation {
  const op = NAMES.get(tag);
  if (op === undefined) throw reader.error('UNKNOWN_VERSION', `an unknown operation, ${tag.toString(16)}`);
  if (op === 'append' || op === 'prepend') return { op, argument: reader.varbytes(1, MAX_MESSAGE_BYTES) };
  return { op };
}

export function encodeOperation(operation: TimestampOperation): Uint8Array {
  const tag = Uint8Array.of(TAGS[operation.op]);
  return 'argument' in operation ? joinBytes([tag, encodeVarbytes(operation.argument)]) : tag;
}

/** How long the message is that comes out. */
export function resultLength(operation: TimestampOperation, length: number): number {
  if ('argument' in operation) return length + operation.argument.length;
  if (isHashName(operation.op)) return HASHES[operation.op].size;
  return operation.op === 'hexlify' ? 2 * length : length;
}

export function applyOperation(operation: TimestampOperation, message: Uint8Array): Uint8Array {
  switch (operation.op) {
    case 'append':
      return joinBytes([message, operation.argument]);
    case 'prepend':
      return joinBytes([operation.argument, message]);
    case 'reverse':
      return message.slice().reverse();
    case 'hexlify':
      return utf8Encode(encodeHex(message));
    default:
      return HASHES[operation.op].hash(message);
  }
}

function isHashName(name: TimestampOperation['op']): name is TimestampHash {
  return name in HASHES;
}
