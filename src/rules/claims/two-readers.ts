// What becomes of a claim that the rules saw, or did not, once the second reader has read the same clause. Both see it:
// sure. Only one does: a claim all the same where that one has good reason, but nobody is held to it.
import type { ClaimType } from '../../format/index.ts';
import type { Piece } from './pieces.ts';
import { type Placed, wholeClaim } from './placed.ts';
import type { Said } from './said.ts';
import type { Odds, ReadPiece } from './second-reader.ts';
import type { Token } from './tokens.ts';

/** A claim of a sentence that both have read. */
export interface Weighed extends Placed {
  /** What the second reader makes of where it stands. */
  readonly odds: Odds;
  /** Seen by the second reader alone. */
  readonly missed: boolean;
}

/**
 * By type: below the first odds the rules were wrong, from the second on both agree, from the third on the rules
 * overlooked something. Chosen on turns that neither reader had seen. What is said to be tested is hardly ever a
 * description, and what is said to be checked often is.
 */
const ODDS: Readonly<Record<ClaimType, readonly [wrong: number, agreed: number, missed: number]>> = {
  done: [-3.75, -1, 0.5],
  changed: [-2, -1, 1.75],
  tested: [-3.25, -2, 0.25],
  checked: [-4, -0.5, 0.5],
  shipped: [-2.5, -1, 0.5],
  blocked: [-5.25, -1, 0],
  delegation: [-3, -1, 0.75],
};
/** Where the rules saw words for it, and found them denied, hoped or planned. */
const MISJUDGED = 1;

/** "I can't open the page from here, so I have not seen it" says more than that something was not verified. */
const STOPPED = 1;
/** From here on it is a claim all the same where the message reports no other work. */
const SEEN = 0;

/** What the rules made of a sentence. */
export interface Judged {
  readonly claims: readonly Placed[];
  /** Types that words of the sentence could have claimed and do not: they are denied, hoped, planned, asked. */
  readonly denied: ReadonlySet<ClaimType>;
  /** It says that something was not verified. */
  readonly disclosed: boolean;
}

/** The claims that the rules saw in a sentence, and, unless it is `barred`, those that they overlooked. */
export function weigh(said: Said, judged: Judged, pieces: readonly ReadPiece[], barred: boolean): Weighed[] {
  const claims = judged.claims.map((claim) => ({ ...claim, odds: bestOf(claim, pieces), missed: false }));
  if (barred) return claims;
  const seen: Weighed[] = [];
  for (const { piece, odds } of pieces) {
    const tokens = wordsOf(piece);
    const claimed = claims.filter((claim) => overlaps(claim, tokens)).map(({ type }) => type);
    for (const type of missedTypes(claimed, judged.denied, odds)) {
      if (said.question && type !== 'delegation') continue;
      if (judged.disclosed && !(type === 'blocked' && (odds.get(type) ?? 0) >= STOPPED)) continue;
      const one = wholeClaim(type, pieces.length === 1 ? said : { ...piece, tokens });
      const last = seen.at(-1);
      // Clauses of one type that follow each other are one claim, unless each needs evidence of its own.
      if (last?.type === type && last.about === one.about) last.end = one.end;
      else seen.push({ ...one, odds, missed: true });
    }
  }
  return [...claims, ...seen];
}

/** A piece without the signs and the word that join it. */
function wordsOf({ tokens, segments }: Piece): readonly Token[] {
  return tokens.slice(segments[0]?.from ?? 0);
}

/** The odds of the pieces that a claim is in. */
function bestOf(claim: Placed, pieces: readonly ReadPiece[]): Odds {
  const best = new Map<ClaimType, number>();
  for (const { piece, odds } of pieces)
    if (overlaps(claim, piece.tokens))
      for (const [type, value] of odds) best.set(type, Math.max(value, best.get(type) ?? value));
  return best;
}

function overlaps({ start, end }: Placed, tokens: readonly Token[]): boolean {
  return (tokens[0]?.start ?? 0) < end && start < (tokens.at(-1)?.end ?? 0);
}

export function isTakenBack({ type, given, odds, missed }: Weighed): boolean {
  return !given && !missed && (odds.get(type) ?? 0) < ODDS[type][0];
}

export function isAgreed({ type, given, odds }: Weighed): boolean {
  return given || (odds.get(type) ?? 0) >= ODDS[type][1];
}

/** Whether the second reader holds it for a claim, too. "The tag is pushed" tells how a release works in the same words. */
export function isSeen({ type, odds }: Weighed): boolean {
  return type !== 'shipped' && type !== 'tested' && (odds.get(type) ?? Number.NEGATIVE_INFINITY) >= SEEN;
}

/** The types of claims that the rules did not see in a piece, and that are there in all likelihood. */
function missedTypes(claimed: readonly ClaimType[], denied: ReadonlySet<ClaimType>, odds: Odds): ClaimType[] {
  return [...odds]
    .filter(
      ([type, value]) => !claimed.includes(type) && value >= (denied.has(type) ? MISJUDGED : ODDS[type][2]),
    )
    .map(([type]) => type);
}
