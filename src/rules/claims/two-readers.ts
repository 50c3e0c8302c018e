// What becomes of a claim that the rules saw, or did not, once the second reader has read the same sentence. Both see
// it: sure. Only one does: a claim all the same where that one has good reason, but nobody is held to it.
import type { ClaimType } from '../../format/index.ts';
import type { Placed } from './placed.ts';

/** Log odds of a claim in a sentence, by type. */
export type Odds = ReadonlyMap<ClaimType, number>;

/** Below these odds the rules were wrong. */
const TAKEN_BACK = -4;
/** From these on the rules overlooked something. */
const MISSED = -0.5;
/** The same where the rules saw words for it, and found them denied, hoped or planned. */
const MISJUDGED = 4;
/** From these on both agree. What is said to be tested or shipped is hardly ever a description. */
const AGREED: Readonly<Record<ClaimType, number>> = {
  done: -2,
  changed: -2,
  tested: -3.5,
  checked: -1.5,
  shipped: -3,
  blocked: -2,
  delegation: -2,
};

export function isTakenBack({ type, given }: Placed, odds: Odds): boolean {
  return !given && (odds.get(type) ?? 0) < TAKEN_BACK;
}

export function isAgreed({ type, given }: Placed, odds: Odds): boolean {
  return given || (odds.get(type) ?? 0) >= AGREED[type];
}

/** The types of claims that the rules did not see in a sentence, and that are there in all likelihood. */
export function missedTypes(
  claimed: readonly ClaimType[],
  denied: ReadonlySet<ClaimType>,
  odds: Odds,
): ClaimType[] {
  return [...odds]
    .filter(([type, value]) => !claimed.includes(type) && value >= (denied.has(type) ? MISJUDGED : MISSED))
    .map(([type]) => type);
}
