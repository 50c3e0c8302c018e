// What becomes of a claim that the rules saw, or did not, once the second reader has read the same sentence. Both see
// it: sure. Only one does: a claim all the same where that one has good reason, but nobody is held to it.
import type { ClaimType } from '../../format/index.ts';
import type { Placed } from './placed.ts';

/** Log odds of a claim in a sentence, by type. */
export type Odds = ReadonlyMap<ClaimType, number>;

/**
 * By type: below the first odds the rules were wrong, from the second on both agree, from the third on the rules
 * overlooked something. Chosen on turns that neither reader had seen. What is said to be tested is hardly ever a
 * description, and what is said to be checked often is.
 */
const ODDS: Readonly<Record<ClaimType, readonly [wrong: number, agreed: number, missed: number]>> = {
  done: [-4, -2, 0],
  changed: [-3, -2, 1],
  tested: [-5, -3.5, 0],
  checked: [-4, -1.5, 0.5],
  shipped: [-3, -2, -0.5],
  blocked: [-4, -2, -0.5],
  delegation: [-3, -2, 0],
};
/** Where the rules saw words for it, and found them denied, hoped or planned. */
const MISJUDGED = 0.75;

export function isTakenBack({ type, given }: Placed, odds: Odds): boolean {
  return !given && (odds.get(type) ?? 0) < ODDS[type][0];
}

export function isAgreed({ type, given }: Placed, odds: Odds): boolean {
  return given || (odds.get(type) ?? 0) >= ODDS[type][1];
}

/** The types of claims that the rules did not see in a sentence, and that are there in all likelihood. */
export function missedTypes(
  claimed: readonly ClaimType[],
  denied: ReadonlySet<ClaimType>,
  odds: Odds,
): ClaimType[] {
  return [...odds]
    .filter(
      ([type, value]) => !claimed.includes(type) && value >= (denied.has(type) ? MISJUDGED : ODDS[type][2]),
    )
    .map(([type]) => type);
}
