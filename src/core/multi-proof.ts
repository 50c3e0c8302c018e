// That many leaves are in one RFC 6962 tree, with one proof for all of them: the roots of the largest subtrees that hold none
// of them, from left to right. Where leaves lie side by side, as those of a run do, it is short. Both functions walk the
// tree in the same way, so that the specification is four lines (spec/bundle.md).
import { assertSize, HASH_SIZE, nodeHash } from './merkle.ts';

/** Reads or computes the root of the leaves [from, to) of the tree. */
export type SubtreeRoot = (from: number, to: number) => Promise<Uint8Array>;

/** `indexes` are sorted, each once, below `size`. */
export async function proveMany(
  indexes: readonly number[],
  size: number,
  rootOf: SubtreeRoot,
): Promise<Uint8Array[]> {
  assertIndexes(indexes, size);
  const hashes: Uint8Array[] = [];
  const walk = async (from: number, to: number, first: number, last: number): Promise<void> => {
    if (first === last) {
      hashes.push(await rootOf(from, to));
      return;
    }
    if (to - from === last - first) return; // every leaf of it is shown
    const middle = from + splitOf(to - from);
    const between = lowerBound(indexes, middle, first, last);
    await walk(from, middle, first, between);
    await walk(middle, to, between, last);
  };
  if (size > 0) await walk(0, size, 0, indexes.length);
  return hashes;
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
