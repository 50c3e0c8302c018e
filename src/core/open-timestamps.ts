// OpenTimestamps: a detached proof (`.ots`) that a digest existed by the time of a Bitcoin block. A tree of operations
// leads from the digest to attestations. The file comes from anyone: parsing gives its parts, bounded, and nothing has
// been hashed or checked. One value has one encoding, and branches keep the order of the file. No function here recurses.
import { encodeHex } from './encoding.ts';
import { ParseError } from './errors.ts';
import {
  attestationOrder,
  encodeAttestation,
  parseAttestation,
  type TimestampAttestation,
} from './open-timestamps-attestation.ts';
import { type ByteReader, byteReader, joinBytes } from './open-timestamps-bytes.ts';
import {
  encodeOperation,
  hashSize,
  hashTag,
  MAX_MESSAGE_BYTES,
  parseHashName,
  parseOperation,
  resultLength,
  type TimestampHash,
  type TimestampOperation,
} from './open-timestamps-operation.ts';

export type TimestampBranch =
  | { readonly attestation: TimestampAttestation }
  | { readonly operation: TimestampOperation; readonly next: TimestampTree };
/** What is said of one message; never empty. */
export type TimestampTree = readonly TimestampBranch[];

/** A tree that is still being put together. */
export type GrowingTree = GrowingBranch[];
export type GrowingBranch =
  | { readonly attestation: TimestampAttestation }
  | { readonly operation: TimestampOperation; readonly next: GrowingTree };

/** What a proof is about: a digest, and the hash that made it from a file. */
export interface Stamped {
  readonly hash: TimestampHash;
  readonly digest: Uint8Array;
}

export interface OpenTimestamp extends Stamped {
  readonly tree: TimestampTree;
}

export const MAX_TIMESTAMP_BYTES = 65_536;
/** Operations and attestations. */
export const MAX_TIMESTAMP_STEPS = 4096;
/** Of all messages that operations are applied to: what following a proof can cost. */
export const MAX_TIMESTAMP_WORK = 1_048_576;
/** Messages on a way from the digest to an attestation, both ends included, as in the reference implementation. */
export const MAX_TIMESTAMP_DEPTH = 256;

// A zero byte, "OpenTimestamps", two zeros, "Proof", a zero and eight bytes that are no text.
const MAGIC = Uint8Array.from([
  ...[0x00, 0x4f, 0x70, 0x65, 0x6e, 0x54, 0x69, 0x6d, 0x65, 0x73, 0x74, 0x61, 0x6d, 0x70, 0x73, 0x00],
  ...[0x00, 0x50, 0x72, 0x6f, 0x6f, 0x66, 0x00, 0xbf, 0x89, 0xe2, 0xe8, 0x84, 0xe8, 0x92, 0x94],
]);
const VERSION = 1;
/** Before every branch of a message but the last. */
const FORK = 0xff;
const ATTESTATION = 0x00;

export function parseOpenTimestamp(bytes: Uint8Array): OpenTimestamp {
  if (bytes.length > MAX_TIMESTAMP_BYTES) throw new ParseError('TOO_LONG', 'a proof has at most 64 KiB');
  const reader = byteReader(bytes);
  for (const expected of MAGIC) {
    if (reader.byte() !== expected) throw reader.error('MALFORMED', 'not an OpenTimestamps proof');
  }
  if (reader.byte() !== VERSION) throw reader.error('UNKNOWN_VERSION', 'a proof of an unknown version');
  const hash = parseHashName(reader);
  const digest = reader.bytes(hashSize(hash));
  const tree = parseTimestampTree(reader, digest.length);
  reader.end();
  return { hash, digest, tree };
}

/** Throws RangeError where parseOpenTimestamp would refuse the result. */
export function encodeOpenTimestamp(proof: OpenTimestamp): Uint8Array {
  if (proof.digest.length !== hashSize(proof.hash)) throw new RangeError('a digest of another length');
  const head = Uint8Array.from([...MAGIC, VERSION, hashTag(proof.hash)]);
  const bytes = joinBytes([head, proof.digest, encodeTimestampTree(proof.tree)]);
  try {
    parseOpenTimestamp(bytes);
  } catch (cause) {
    throw new RangeError('a proof that could not be read', { cause });
  }
  return bytes;
}

/** A tree without the file around it, as a calendar sends it. `length` is that of the message it is about. */
export function parseTimestampTree(reader: ByteReader, length: number): GrowingTree {
  const root: GrowingTree = [];
  // A fork leaves its message open for another branch; an attestation ends one and goes back to the last left open.
  const open: { tree: GrowingTree; length: number; depth: number }[] = [];
  let at = { tree: root, length, depth: 1 };
  let work = 0;
  for (let steps = 1; ; steps++) {
    if (steps > MAX_TIMESTAMP_STEPS) throw reader.error('TOO_LONG', 'a proof has at most 4,096 steps');
    let tag = reader.byte();
    if (tag === FORK) {
      open.push(at);
      tag = reader.byte();
    }
    if (tag === ATTESTATION) {
      at.tree.push({ attestation: parseAttestation(reader) });
      const left = open.pop();
      if (left === undefined) return root;
      at = left;
    } else {
      const operation = parseOperation(tag, reader);
      work += at.length;
      if (work > MAX_TIMESTAMP_WORK) throw reader.error('TOO_LONG', 'more than 1 MiB to be worked through');
      const next = { tree: [], length: resultLength(operation, at.length), depth: at.depth + 1 };
      if (next.length > MAX_MESSAGE_BYTES)
        throw reader.error('TOO_LONG', 'a message has at most 4,096 bytes');
      if (next.depth > MAX_TIMESTAMP_DEPTH) throw reader.error('TOO_DEEP', 'more than 256 messages in a row');
      at.tree.push({ operation, next: next.tree });
      at = next;
    }
  }
}

/**
 * Throws RangeError for more steps than a proof can have. A message without a branch leaves a fork without its second
 * branch, or the end without an attestation: no reader takes that for something else.
 */
export function encodeTimestampTree(tree: TimestampTree): Uint8Array {
  const pieces: Uint8Array[] = [];
  const open = [{ tree, done: 0 }];
  let steps = 0;
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const branch = top.tree[top.done++];
    if (branch === undefined) {
      open.pop();
      continue;
    }
    if (++steps > MAX_TIMESTAMP_STEPS) throw new RangeError('a proof has at most 4,096 steps');
    if (top.done < top.tree.length) pieces.push(Uint8Array.of(FORK));
    if ('attestation' in branch)
      pieces.push(Uint8Array.of(ATTESTATION), encodeAttestation(branch.attestation));
    else {
      pieces.push(encodeOperation(branch.operation));
      open.push({ tree: branch.next, done: 0 });
    }
  }
  return joinBytes(pieces);
}

/** Different for different branches of a message, and in the order in which the reference implementation writes them. */
export function branchOrder(branch: TimestampBranch): string {
  if ('attestation' in branch) return `00${attestationOrder(branch.attestation)}`;
  const { operation } = branch;
  const [tag = 0] = encodeOperation(operation);
  return encodeHex(Uint8Array.of(tag)) + ('argument' in operation ? encodeHex(operation.argument) : '');
}
