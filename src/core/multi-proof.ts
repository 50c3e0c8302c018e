// That many leaves are in one RFC 6962 tree, with one proof for all of them: the roots of the largest subtrees that hold none
// of them, from left to right. Where leaves lie side by side, as those of a run do, it is short. Both functions walk the
// tree in the same way, so that the specification is four lines (spec/bundle.md).
import { assertSize, HASH_SIZE, nodeHash } from './merkle.ts';

/**
 * The largest subtrees [from, to) that hold none of the leaves, from left to right: a proof is their roots. `indexes` are
 * sorted, each once, below `size`.
 */
export function subtreesBeside(
  indexes: readonly number[],
  size: number,
): (readonly [from: number, to: number])[] {
  assertIndexes(indexes, size);
  const found: (readonly [number, number])[] = [];
  const walk = (from: number, to: number, first: number, last: number): void => {
    if (first === last) {
      found.push([from, to]);
      return;
    }
    if (to - from === last - first) return; // every leaf of it is shown
    const middle = from + splitOf(to - from);
    const between = lowerBound(indexes, middle, first, last);
    walk(from, middle, first, between);
    walk(middle, to, between, last);
  };
  if (size > 0) walk(0, size, 0, indexes.length);
  return found;
}

/**
 * The root that these leaves and this proof lead to; undefined where they lead to none. `leaves` are leaf hashes in the
 * order of `indexes`. Never throws: a proof comes from a stranger.
 */
export function rootOfMany(
  indexes: readonly number[],
  leaves: readonly Uint8Array[],
  size: number,
  hashes: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!isProof(indexes, leaves, size, hashes)) return undefined;
  let used = 0;
  const walk = (from: number, to: number, first: number, last: number): Uint8Array | undefined => {
    if (first === last) return hashes[used++];
    if (to - from === 1) return leaves[first];
    const middle = from + splitOf(to - from);
    const between = lowerBound(indexes, middle, first, last);
    const left = walk(from, middle, first, between);
    const right = left && walk(middle, to, between, last);
    return left && right && nodeHash(left, right);
  };
  const root = walk(0, size, 0, indexes.length);
  return used === hashes.length ? root : undefined;
}

function isProof(
  indexes: readonly number[],
  leaves: readonly Uint8Array[],
  size: number,
  hashes: readonly Uint8Array[],
): boolean {
  try {
    assertIndexes(indexes, size);
  } catch {
    return false;
  }
  const isHash = (hash: Uint8Array): boolean => hash.length === HASH_SIZE;
  return size > 0 && leaves.length === indexes.length && leaves.every(isHash) && hashes.every(isHash);
}

function assertIndexes(indexes: readonly number[], size: number): void {
  assertSize(size);
  let before = -1;
  for (const index of indexes) {
    if (!Number.isSafeInteger(index) || index <= before || index >= size)
      throw new RangeError('indexes are sorted, each once, and below the size of the tree');
    before = index;
  }
}

/** The largest power of two below `count`, which is 2 or more. */
function splitOf(count: number): number {
  let power = 1;
  while (power * 2 < count) power *= 2;
  return power;
}

/** The first of [first, last) whose index is not below `limit`. */
function lowerBound(indexes: readonly number[], limit: number, first: number, last: number): number {
  let [low, high] = [first, last];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((indexes[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
