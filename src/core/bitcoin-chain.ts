// Whether block headers are of Bitcoin's main chain, as far as headers alone can tell. A block source is not trusted: it
// may invent headers, lie about heights or serve another chain. A header has no height in it, so a height is a claim
// until headers link it to a checkpoint that we ship. What costs an attacker little is a fail or unknown; what passes
// had to be paid for with work like the chain's own. See spec/anchor.md.
import { type BitcoinChain, MAINNET } from './bitcoin-checkpoints.ts';
import {
  displayedHash,
  HEADER_BYTES,
  headerHash,
  isAtMost,
  type TargetFault,
  targetOf,
  wireHashInto,
} from './bitcoin-header.ts';
import {
  knownTarget,
  MOST_EASIER,
  PERIOD,
  type PlaceReason,
  plausibilityIn,
} from './bitcoin-plausibility.ts';
import { isHash, parseHex, sameBytes } from './encoding.ts';

/** Headers in a run: 160 MB, more than the chain will have for two decades. */
export const MAX_RUN = 2_000_000;
const MAX_HEIGHT = 0x7fffffff;

export type HeaderReason =
  | 'OK'
  | 'MALFORMED' // not 80 bytes, or not a whole number of headers, or none
  | 'TOO_MANY' // more headers than MAX_RUN
  | 'CLAIM_MALFORMED' // a claimed hash or height that can't be one
  | 'HASH_MISMATCH' // the header does not hash to the hash it came with
  | TargetFault
  | 'TARGET_TOO_EASY' // above the limit of the chain: regtest, signet
  | 'NO_WORK' // the hash does not meet the header's own target
  | 'LINK_BROKEN' // does not name the header before it
  | 'HEIGHT_MISMATCH' // the claimed height is not where the links put it
  | 'HEIGHT_UNKNOWN' // unknown: neither links nor a claim say where it stands
  | PlaceReason;

export type HeaderStatus = 'pass' | 'fail' | 'unknown';

/**
 * `fixed`: a checkpoint or an ancestor of one, so its hash is settled. `linked`: descends from a checkpoint through
 * headers that were checked. `claimed`: somebody said so.
 */
export type HeightBasis = 'fixed' | 'linked' | 'claimed';

export interface BlockHeight {
  readonly value: number;
  readonly basis: HeightBasis;
}

/** What a source says of a header beside its bytes. */
export interface HeaderClaim {
  readonly hash?: string;
  readonly height?: number;
}

export interface HeaderVerdict {
  readonly status: HeaderStatus;
  readonly reason: HeaderReason;
  /** Computed, never the claimed one; absent where there are no 80 bytes. */
  readonly hash?: string;
  /** Absent in a fail, and where neither links nor a claim give one. */
  readonly height?: BlockHeight;
}

export interface HeaderRun {
  readonly status: HeaderStatus;
  readonly reason: HeaderReason;
  /** The header that decided, counted from 0; absent in a pass. */
  readonly at?: number;
  readonly count: number;
  /** Where a block of the run stands, by its hash. Nowhere unless the run passed. */
  find(hash: string): BlockHeight | undefined;
}

/** One header. Where `known` passed and holds it, its height is as good as the run's. Never throws. */
export function verifyHeader(
  bytes: Uint8Array,
  claim: HeaderClaim = {},
  { known, chain = MAINNET }: { readonly known?: HeaderRun; readonly chain?: BitcoinChain } = {},
): HeaderVerdict {
  if (bytes.length !== HEADER_BYTES) return { status: 'fail', reason: 'MALFORMED' };
  const hash = headerHash(bytes);
  const fail = (reason: HeaderReason): HeaderVerdict => ({ status: 'fail', reason, hash });
  if (claim.hash !== undefined && !isHash(claim.hash)) return fail('CLAIM_MALFORMED');
  if (claim.height !== undefined && !isHeight(claim.height)) return fail('CLAIM_MALFORMED');
  if (claim.hash !== undefined && claim.hash !== hash) return fail('HASH_MISMATCH');
  const found = known?.find(hash);
  if (found !== undefined && claim.height !== undefined && claim.height !== found.value)
    return fail('HEIGHT_MISMATCH');
  const { status, reason, heightOf } = judge(bytes, found ?? claimed(claim.height), chain);
  return { status, reason, hash, ...(heightOf === undefined ? {} : { height: heightOf(0) }) };
}

/**
 * Headers one after the other, each naming the one before it. `height` is what is claimed of the first. Takes time in
 * proportion to their number; never throws.
 */
export function verifyHeaderRun(
  bytes: Uint8Array,
  { height }: Pick<HeaderClaim, 'height'> = {},
  chain: BitcoinChain = MAINNET,
): HeaderRun {
  const count = Math.floor(bytes.length / HEADER_BYTES);
  const find = (): undefined => undefined;
  const fail = (reason: HeaderReason): HeaderRun => ({ status: 'fail', reason, count, find });
  if (count === 0 || count * HEADER_BYTES !== bytes.length) return fail('MALFORMED');
  if (count > MAX_RUN) return fail('TOO_MANY');
  if (height !== undefined && !isHeight(height)) return fail('CLAIM_MALFORMED');
  const own = new Uint8Array(bytes); // find reads it later, when the caller may have written something else there
  const { heightOf, ...judged } = judge(own, claimed(height), chain);
  if (judged.status !== 'pass' || heightOf === undefined) return { ...judged, count, find };
  return {
    ...judged,
    count,
    find(hash) {
      const index = isHash(hash) ? indexIn(own, hash) : -1;
      return index < 0 ? undefined : heightOf(index);
    },
  };
}

interface Judgement {
  readonly status: HeaderStatus;
  readonly reason: HeaderReason;
  readonly at?: number;
  readonly heightOf?: (index: number) => BlockHeight;
}

function judge(bytes: Uint8Array, given: BlockHeight | undefined, chain: BitcoinChain): Judgement {
  const links = checkLinks(bytes, given, chain);
  if ('reason' in links) return { status: 'fail', ...links };
  const { first, basis, lastFixed } = links;
  if (first === undefined) return { status: 'unknown', reason: 'HEIGHT_UNKNOWN', at: 0 };
  const finding = checkPlaces(bytes, first, basis === 'claimed', chain);
  if (finding?.status === 'fail') return finding;
  const heightOf = (index: number): BlockHeight => ({
    value: first + index,
    basis: index <= lastFixed ? 'fixed' : basis,
  });
  return { ...(finding ?? { status: 'pass', reason: 'OK' }), heightOf };
}

interface Links {
  /** The height of the first header. */
  readonly first: number | undefined;
  readonly basis: HeightBasis;
  /** The last header that is a checkpoint; -1 for none. */
  readonly lastFixed: number;
}

/** Work and links need no height, and they find the checkpoints that give one. */
function checkLinks(
  bytes: Uint8Array,
  given: BlockHeight | undefined,
  chain: BitcoinChain,
): Links | { readonly reason: HeaderReason; readonly at: number } {
  const limit = knownTarget(chain.limit);
  const heightOf = checkpointFinder(chain);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let first = given?.value;
  let basis = given?.basis ?? 'claimed';
  let lastFixed = basis === 'fixed' ? 0 : -1;
  let bits = -1;
  let target: Uint8Array = new Uint8Array(32);
  // In the order of the wire, and no text in the loop: that would take longer than the hashing.
  let hash: Uint8Array = new Uint8Array(32);
  let before: Uint8Array = new Uint8Array(32);
  for (let at = 0; at * HEADER_BYTES < bytes.length; at++) {
    const raw = headerAt(bytes, at);
    const prev = raw.subarray(4, 36);
    wireHashInto(raw, hash);
    const ownBits = view.getUint32(at * HEADER_BYTES + 72, true);
    if (ownBits !== bits) {
      const own = targetOf(ownBits);
      if (typeof own === 'string') return { reason: own, at };
      if (own > limit) return { reason: 'TARGET_TOO_EASY', at };
      target = parseHex(own.toString(16).padStart(64, '0')).reverse();
      bits = ownBits;
    }
    if (!isAtMost(hash, target)) return { reason: 'NO_WORK', at };
    if (at > 0 && !sameBytes(prev, before)) return { reason: 'LINK_BROKEN', at };
    const fixed = heightOf(hash);
    const parent = at > 0 ? undefined : heightOf(prev);
    const height = fixed ?? (parent === undefined ? undefined : parent + 1);
    if (height !== undefined) {
      if (first !== undefined && first + at !== height) return { reason: 'HEIGHT_MISMATCH', at };
      first = height - at;
      basis = 'linked';
      if (fixed !== undefined) lastFixed = at;
    }
    [hash, before] = [before, hash];
  }
  return { first, basis, lastFixed };
}

/** Gives the height of a checkpoint by its hash on the wire. */
function checkpointFinder({ checkpoints }: BitcoinChain): (wire: Uint8Array) => number | undefined {
  const heights = new Map(checkpoints.map(({ hash, height }) => [hash, height]));
  // Two bytes tell most hashes from a checkpoint's without making text of them.
  const endings = new Set(checkpoints.map(({ hash }) => Number.parseInt(hash.slice(-4), 16)));
  return (wire) =>
    endings.has(((wire[1] ?? 0) << 8) | (wire[0] ?? 0)) ? heights.get(displayedHash(wire)) : undefined;
}

type Finding = { readonly status: 'fail' | 'unknown'; readonly reason: PlaceReason; readonly at: number };

/** Each header against the checkpoints around its height, and its target against that of the header before. */
function checkPlaces(
  bytes: Uint8Array,
  first: number,
  isClaimed: boolean,
  chain: BitcoinChain,
): Finding | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const reasonAgainst = plausibilityIn(chain);
  let doubt: Finding | undefined;
  let bits = -1;
  let target = 0n;
  for (let at = 0; at * HEADER_BYTES < bytes.length; at++) {
    const fail = (reason: PlaceReason): Finding => ({ status: 'fail', reason, at });
    const height = first + at;
    const ownBits = view.getUint32(at * HEADER_BYTES + 72, true);
    if (ownBits !== bits) {
      const own = knownTarget(ownBits);
      if (at > 0 && height % PERIOD !== 0) return fail('BITS_CHANGED');
      if (at > 0 && own > MOST_EASIER * target) return fail('DIFFICULTY_IMPLAUSIBLE');
      bits = ownBits;
      target = own;
    }
    const time = view.getUint32(at * HEADER_BYTES + 68, true);
    const hash = (): string => headerHash(headerAt(bytes, at));
    const reason = reasonAgainst({ height, isClaimed, bits, target, time, hash });
    if (reason === 'LITTLE_WORK' || reason === 'PACE_UNLIKELY') doubt ??= { status: 'unknown', reason, at };
    else if (reason !== undefined) return fail(reason);
  }
  return doubt;
}

/** A header's hash stands in the next one; of the last it is computed. */
function indexIn(bytes: Uint8Array, hash: string): number {
  const wire = parseHex(hash).reverse();
  const last = bytes.length / HEADER_BYTES - 1;
  for (let i = 0; i < last; i++) {
    const at = (i + 1) * HEADER_BYTES + 4;
    if (sameBytes(bytes.subarray(at, at + 32), wire)) return i;
  }
  return headerHash(headerAt(bytes, last)) === hash ? last : -1;
}

const headerAt = (bytes: Uint8Array, index: number): Uint8Array =>
  bytes.subarray(index * HEADER_BYTES, (index + 1) * HEADER_BYTES);

const claimed = (height: number | undefined): BlockHeight | undefined =>
  height === undefined ? undefined : { value: height, basis: 'claimed' };

const isHeight = (height: number): boolean => Number.isInteger(height) && height >= 0 && height <= MAX_HEIGHT;
