// What a scan says of a turn, and of each claim in it.
import type { ClaimStatus, ClaimType, Contract } from '../format/index.ts';
import type { Evidence, Judgement, ToldClaims } from '../rules/index.ts';
import type { ClaimClass } from './claim-class.ts';
import type { QuietDeed } from './quiet-deeds.ts';

export interface ScannedClaim {
  readonly type: ClaimType;
  readonly quote: string;
  readonly status: ClaimStatus;
  /** Null where it is backed or excused. */
  readonly class: ClaimClass | null;
  /** False where it may as well be a description. */
  readonly sure: boolean;
  /** One word for what is wrong; null where it is backed. */
  readonly code: string | null;
  /** A sentence that says why it is not backed; null where it is. */
  readonly reason: string | null;
  /** What would have settled it. */
  readonly command: string | null;
}

/** A claim as it was found, whatever became of it. */
export interface SeenClaim {
  readonly type: ClaimType;
  readonly quote: string;
  /** False where it may as well be a description: then nobody is held to it. */
  readonly sure: boolean;
  /** Null where it was not judged: the turn was passed over in silence, or it is unsure and nothing speaks for it. */
  readonly status: ClaimStatus | null;
  /** Null where it is backed, excused or not judged. */
  readonly class: ClaimClass | null;
  /** One word for what is wrong with it, or for why it was not judged; null where it is backed. */
  readonly code: string | null;
  readonly reason: string | null;
  /** The commands and changed files that its status rests on. */
  readonly restsOn: readonly string[];
}

export interface ScannedTurn {
  /** The nth prompt of the session. */
  readonly turn: number;
  /** How many claims of the same prompt were judged before: a turn that something in the background woke goes on. */
  readonly before: number;
  readonly at: string | null;
  readonly prompt: string;
  readonly message: string;
  readonly verdict: 'silent' | 'pass' | 'block';
  readonly why: string | null;
  /** None where it is silent. */
  readonly claims: readonly ScannedClaim[];
  /** All that the message claims, in its order. */
  readonly found: readonly SeenClaim[];
  /** What the turn also did, and the message does not mention. */
  readonly unmentioned: readonly QuietDeed[];
  /** What the session had to show by then. */
  readonly evidence: Evidence;
  readonly judgement: Judgement;
  /** What the prompt asks for; read where there is a claim to judge. */
  readonly contract: Contract | null;
}

/** Judged claims keep the order in which they were found. */
export function seenIn(
  claims: ToldClaims['claims'],
  { claims: judged, why }: Judgement,
  evidence: Evidence,
  classes: readonly (ClaimClass | null)[],
): SeenClaim[] {
  let next = 0;
  return claims.map(({ type, quote, unsure }) => {
    const match = judged[next];
    const isJudged = match?.claim.quote === quote;
    const nth = next;
    if (isJudged) next++;
    return {
      type: isJudged ? match.claim.type : type,
      quote,
      sure: !unsure,
      status: isJudged ? match.status : null,
      class: isJudged ? (classes[nth] ?? null) : null,
      code: isJudged ? match.code : (why ?? 'unsure'),
      reason: isJudged && match.reason !== '' ? match.reason : null,
      restsOn: isJudged ? restingOn(match.evidence, evidence) : [],
    };
  });
}

/** The commands and the changed files of these entries. */
export function restingOn(seqs: readonly number[], { runs, changes }: Evidence): string[] {
  const names = seqs.flatMap((seq) => [
    ...runs.filter((run) => run.seq === seq).flatMap(({ checks }) => checks.map(({ command }) => command)),
    ...changes.filter((change) => change.seq === seq).map(({ path }) => path),
  ]);
  return [...new Set(names)];
}
