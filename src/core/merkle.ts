// RFC 6962 Merkle tree over SHA-256: hashes, a compact range that grows leaf by leaf, and the verification of inclusion
// and consistency proofs (algorithms of RFC 9162 sections 2.1.3.2 and 2.1.4.2). Proofs come from strangers: the two
// verify functions answer false to anything malformed and never throw. Sizes and indices go up to 2^53 − 1.
import { sha256, sha256Into } from '#platform';
import { parseHex, sameBytes } from './encoding.ts';
import { LEAF_PREFIX, NODE_PREFIX } from './tagged-hashes.ts';

export const HASH_SIZE = 32;

/** RFC 6962: the hash of the empty tree is SHA-256 of the empty string. */
export const EMPTY_ROOT: Uint8Array = /* @__PURE__ */ parseHex(
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
);

// A leaf is copied behind its prefix in this buffer; longer data gets a buffer of its own.
const leafScratch = new Uint8Array(65_536);
const nodeScratch = new Uint8Array(1 + 2 * HASH_SIZE);
nodeScratch[0] = NODE_PREFIX;

export function leafHash(data: Uint8Array): Uint8Array {
  const out = new Uint8Array(HASH_SIZE);
  leafHashInto(data, out, 0);
  return out;
}

/** leafHash written to `out` at `offset`, for those who collect many. */
export function leafHashInto(data: Uint8Array, out: Uint8Array, offset: number): void {
  const length = data.length + 1;
  const input = length <= leafScratch.length ? leafScratch.subarray(0, length) : new Uint8Array(length);
  input[0] = LEAF_PREFIX;
  input.set(data, 1);
  sha256Into(input, out, offset);
}

export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length !== HASH_SIZE || right.length !== HASH_SIZE) throw new RangeError('a hash has 32 bytes');
  nodeScratch.set(left, 1);
  nodeScratch.set(right, 1 + HASH_SIZE);
  return sha256(nodeScratch);
}

/**
 * Called for every subtree that becomes complete, leaves (level 0) included. `hash` is a view that the next call
 * overwrites: copy what is to be kept.
 */
export type OnNode = (level: number, index: number, hash: Uint8Array) => void;

// One buffer holds the input of a node hash (prefix, left, right) and behind it one pending hash a level, so that the
// hot path moves bytes with copyWithin and allocates nothing.
const LEFT = 1;
const RIGHT = LEFT + HASH_SIZE;
const PENDING = RIGHT + HASH_SIZE;
const LEVELS = 54;

/** The roots of the complete subtrees that make up a tree: all that is needed to append to it and to know its root. */
export class CompactRange {
  readonly #buffer = new Uint8Array(PENDING + LEVELS * HASH_SIZE);
  readonly #input = this.#buffer.subarray(0, PENDING);
  readonly #right = this.#buffer.subarray(RIGHT, PENDING);
  readonly #onNode: OnNode | undefined;
  #size = 0;

  constructor(onNode?: OnNode) {
    this.#buffer[0] = NODE_PREFIX;
    this.#onNode = onNode;
  }

  /** Goes on from a tree of `size` leaves; `hashes` are its complete subtrees from left to right, largest first. */
  static from(size: number, hashes: readonly Uint8Array[], onNode?: OnNode): CompactRange {
    assertSize(size);
    const range = new CompactRange(onNode);
    let next = hashes.length;
    for (let rest = size, level = 0; rest > 0; rest = Math.floor(rest / 2), level++) {
      if (rest % 2 === 0) continue;
      const hash = hashes[--next];
      if (hash?.length !== HASH_SIZE) throw new RangeError('one hash of 32 bytes for each subtree');
      range.#buffer.set(hash, PENDING + level * HASH_SIZE);
    }
    if (next !== 0) throw new RangeError('one hash for each subtree');
    range.#size = size;
    return range;
  }

  get size(): number {
    return this.#size;
  }

  /** One that goes on from here by itself, and tells nobody of its nodes. */
  copy(): CompactRange {
    const range = new CompactRange();
    range.#buffer.set(this.#buffer);
    range.#size = this.#size;
    return range;
  }

  push(hash: Uint8Array): void {
    if (hash.length !== HASH_SIZE) throw new RangeError('a hash has 32 bytes');
    if (this.#size === Number.MAX_SAFE_INTEGER) throw new RangeError('the tree is full');
    const buffer = this.#buffer;
    const onNode = this.#onNode;
    let index = this.#size;
    let slot = PENDING;
    let level = 0;
    buffer.set(hash, RIGHT);
    if (onNode !== undefined) onNode(0, index, this.#right);
    while (index % 2 === 1) {
      buffer.copyWithin(LEFT, slot, slot + HASH_SIZE);
      sha256Into(this.#input, buffer, RIGHT);
      index = (index - 1) / 2;
      slot += HASH_SIZE;
      level++;
      if (onNode !== undefined) onNode(level, index, this.#right);
    }
    buffer.copyWithin(slot, RIGHT, PENDING);
    this.#size++;
  }

  root(): Uint8Array {
    if (this.#size === 0) return EMPTY_ROOT.slice();
    const buffer = this.#buffer;
    let found = false;
    for (let rest = this.#size, slot = PENDING; rest > 0; rest = Math.floor(rest / 2), slot += HASH_SIZE) {
      if (rest % 2 === 0) continue;
      buffer.copyWithin(found ? LEFT : RIGHT, slot, slot + HASH_SIZE);
      if (found) sha256Into(this.#input, buffer, RIGHT);
      found = true;
    }
    return this.#right.slice();
  }
}

/** True if `proof` shows that `leafHash` is leaf number `index` of the tree of `size` leaves with that root. */
export function verifyInclusion(
  index: number,
  size: number,
  leafHash: Uint8Array,
  proof: readonly Uint8Array[],
  root: Uint8Array,
): boolean {
  if (!isSize(index) || !isSize(size) || index >= size) return false;
  if (!isHashBytes(leafHash) || !isHashBytes(root) || !proof.every(isHashBytes)) return false;
  let node = index;
  let last = size - 1;
  let hash = leafHash;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash = nodeHash(sibling, hash);
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash = nodeHash(hash, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && sameBytes(hash, root);
}

/**
 * True if `proof` shows that the tree of `size2` leaves begins with the tree of `size1` leaves. Equal trees have the
 * empty proof. An empty first tree is refused: it is the beginning of every tree, so such a proof would say nothing.
 */
export function verifyConsistency(
  size1: number,
  root1: Uint8Array,
  size2: number,
  root2: Uint8Array,
  proof: readonly Uint8Array[],
): boolean {
  if (!isSize(size1) || !isSize(size2) || size1 === 0 || size1 > size2) return false;
  if (size1 === size2) return proof.length === 0 && sameBytes(root1, root2);
  if (!isHashBytes(root1) || !isHashBytes(root2) || !proof.every(isHashBytes)) return false;
  let node = size1 - 1;
  let last = size2 - 1;
  while (node % 2 === 1) {
    node = (node - 1) / 2;
    last = Math.floor(last / 2);
  }
  // A complete first tree is a subtree of the second: its root is left out of the proof because the verifier has it.
  const path = node === 0 ? [root1, ...proof] : proof;
  const [start, ...siblings] = path;
  if (start === undefined) return false;
  let hash1 = start;
  let hash2 = start;
  for (const sibling of siblings) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      hash1 = nodeHash(sibling, hash1);
      hash2 = nodeHash(sibling, hash2);
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      hash2 = nodeHash(hash2, sibling);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && sameBytes(hash1, root1) && sameBytes(hash2, root2);
}

/** Throws RangeError unless `size` can be the size of a tree: an integer from 0 to 2^53 − 1. */
export function assertSize(size: number): void {
  if (!isSize(size)) throw new RangeError('a tree size is an integer from 0 to 2^53 − 1');
}

function isSize(size: number): boolean {
  return Number.isSafeInteger(size) && size >= 0;
}

function isHashBytes(hash: Uint8Array): boolean {
  return hash.length === HASH_SIZE;
}
