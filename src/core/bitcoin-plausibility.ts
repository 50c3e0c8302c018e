// Whether a header may stand at a height, by the checkpoints around it: Bitcoin sets its target anew every 2,016 blocks
// and by a factor of 4 at most, and its clocks stray by hours, not by days. Far from a checkpoint that rule allows
// anything; there, work that is little beside the checkpoint's is worth no more than unknown, since anybody could do it.
import type { BitcoinChain, BlockCheckpoint } from './bitcoin-checkpoints.ts';
import { targetOf } from './bitcoin-header.ts';

/** Blocks that share one target. */
export const PERIOD = 2016;
/** By how much a period's target may be easier than the one before. */
export const MOST_EASIER = 4n;

/** Easier than the checkpoint below by more than this is too little work. Bitcoin's own never fell to a half. */
const LITTLE = 16n;
/** Seconds that a miner's clock may stray when it is held against a checkpoint's. The rules allow a few hours. */
const CLOCK_SLACK = 86_400;
/** Seconds a block, on the whole: 600 are aimed at, and between the checkpoints since 2011 it was 545 to 594. */
const PACE = { least: 500, most: 720 };

export type PlaceReason =
  | 'NOT_THE_CHECKPOINT' // another block stands at that height
  | 'BITS_CHANGED' // another target than the rest of its period has
  | 'DIFFICULTY_IMPLAUSIBLE' // easier than a quarter per period from a checkpoint, or from the period before
  | 'TIME_IMPLAUSIBLE' // before the checkpoint below it or after the one above
  | 'LITTLE_WORK' // unknown: allowed by the rule, but easier than a sixteenth of the checkpoint below
  | 'PACE_UNLIKELY'; // unknown: a claimed height beyond the last checkpoint that does not go with the header's time

export interface Place {
  readonly height: number;
  readonly isClaimed: boolean;
  readonly bits: number;
  readonly target: bigint;
  readonly time: number;
  /** Asked for at the heights of checkpoints only. */
  hash(): string;
}

interface Surroundings {
  readonly from: number;
  readonly until: number;
  readonly below: BlockCheckpoint | undefined;
  readonly above: BlockCheckpoint | undefined;
  /** The target of the period, where a checkpoint tells. */
  readonly shared: number | undefined;
  /** The easiest target that is plausible. */
  readonly ceiling: bigint;
}

/** A judge of places, which remembers what holds for a whole period. */
export function plausibilityIn(chain: BitcoinChain): (place: Place) => PlaceReason | undefined {
  let around: Surroundings | undefined;
  return ({ height, isClaimed, bits, target, time, hash }) => {
    if (around === undefined || height < around.from || height >= around.until)
      around = surroundingsOf(height, chain);
    const { below, above, shared, ceiling } = around;
    if (below?.height === height && hash() !== below.hash) return 'NOT_THE_CHECKPOINT';
    if (shared !== undefined && shared !== bits) return 'BITS_CHANGED';
    if (target > ceiling) return 'DIFFICULTY_IMPLAUSIBLE';
    if (below !== undefined && time < below.time - CLOCK_SLACK) return 'TIME_IMPLAUSIBLE';
    if (above !== undefined && time > above.time + CLOCK_SLACK) return 'TIME_IMPLAUSIBLE';
    if (below === undefined) return undefined;
    if (target > LITTLE * knownTarget(below.bits)) return 'LITTLE_WORK';
    return isClaimed && above === undefined && !isLikelyPace(below, height, time)
      ? 'PACE_UNLIKELY'
      : undefined;
  };
}

function surroundingsOf(height: number, chain: BitcoinChain): Surroundings {
  const below = chain.checkpoints.findLast((checkpoint) => checkpoint.height <= height);
  const above = chain.checkpoints.find((checkpoint) => checkpoint.height > height);
  const period = periodOf(height);
  let ceiling = knownTarget(chain.limit);
  if (below !== undefined) {
    const after = easiest(knownTarget(below.bits), period - periodOf(below.height), ceiling, (t) => t);
    if (after < ceiling) ceiling = after;
  }
  if (above !== undefined) {
    // Looking back, the target we know was cut to 15 significant bits or more when it was stored.
    const before = easiest(
      knownTarget(above.bits),
      periodOf(above.height) - period,
      ceiling,
      (t) => t + (t >> 15n) + 1n,
    );
    if (before < ceiling) ceiling = before;
  }
  return {
    from: Math.max(period * PERIOD, below?.height ?? 0),
    until: Math.min((period + 1) * PERIOD, above?.height ?? Number.POSITIVE_INFINITY),
    below,
    above,
    shared: [below, above].find((c) => c !== undefined && periodOf(c.height) === period)?.bits,
    ceiling,
  };
}

/** At most 128 steps, as a target has 256 bits. */
function easiest(known: bigint, periods: number, limit: bigint, uncut: (target: bigint) => bigint): bigint {
  let target = known;
  for (let i = 0; i < periods && target < limit; i++) target = MOST_EASIER * uncut(target);
  return target;
}

/** Within a period of where the time would put it. */
function isLikelyPace(below: BlockCheckpoint, height: number, time: number): boolean {
  const blocks = height - below.height;
  const seconds = time - below.time;
  return seconds >= (blocks - PERIOD) * PACE.least && seconds <= (blocks + PERIOD) * PACE.most;
}

const periodOf = (height: number): number => Math.floor(height / PERIOD);

/** The target of bits that were checked before, or that we ship. */
export function knownTarget(bits: number): bigint {
  const target = targetOf(bits);
  if (typeof target === 'string') throw new RangeError(`no target: ${bits.toString(16)}`);
  return target;
}
