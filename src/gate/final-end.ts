// What a structured final block adds to a turn: its claims, and that it is there, well formed, refers to what exists, and
// calls the end of the turn what evidence on record says it is. The gate and `foil gate` ask here.
import type { Claim, ClaimType } from '../format/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import type { Evidence, FoilFinal, FoundClaims, Judgement } from '../rules/index.ts';
import { hasReferences, type Referred, referenceProblem } from './final-references.ts';

type Found = Pick<FoundClaims, 'final' | 'finalProblem'>;

/** What the block says is so is a claim like any other. None where the policy wants no block. */
export function finalClaims({ final }: Found, { finalBlock }: Pick<ClaimPolicy, 'finalBlock'>): Claim[] {
  return finalBlock === 'off' || final === null ? [] : claimsOf(final);
}

function claimsOf(final: FoilFinal): Claim[] {
  const claim = (type: ClaimType, quote: string): Claim => ({ type, quote, about: null, whole: false });
  // What kind of an end it is, is the first of them.
  const end = final.type === 'partial' ? [] : [claim(final.type, final.summary)];
  return [...end, ...final.claims.map(({ claim_type: type, object }) => claim(type, object))];
}

const MISSING = 'This prompt wants a fenced block `foil_final` at the end of the message, and there is none';
const FORM =
  'It holds JSON: {"type": "done|partial|blocked|delegation", "summary": …, "claims": [{"claim_type": …, "object": …}], "what_succeeded": …, "what_remains": …, "next_route_or_question": …}.';

export interface FinalEnd {
  readonly found: Found;
  readonly policy: ClaimPolicy;
  /** The prompt wants one. */
  readonly isWanted: boolean;
  readonly judgement: Judgement;
}

/** What is wrong with the block, for the agent; null where it is well, or none is wanted and none is there. */
export async function finalProblem(
  { found: { final, finalProblem: malformed }, policy, isWanted, judgement }: FinalEnd,
  referred: () => Promise<Omit<Referred, 'evidence'> & { readonly evidence: Evidence | null }>,
): Promise<string | null> {
  if (policy.finalBlock === 'off') return null;
  if (isWanted && malformed !== null)
    return `${malformed.replace(/^(?!foil_)./, (first) => first.toUpperCase())}. ${FORM}`;
  if (final === null) return isWanted ? `${MISSING}. ${FORM}` : null;
  if (hasReferences(final)) {
    const { evidence, ...on } = await referred();
    const problem = evidence === null ? null : referenceProblem(final, { ...on, evidence });
    if (problem !== null) return problem;
  }
  return unprovenEnd(final, judgement);
}

/**
 * What a block calls the end of the turn must rest on a signed validation: done on one of its claims, blocked and
 * delegation on that of their own type. Null where it does, or where an open claim says so already.
 */
function unprovenEnd(final: FoilFinal, judgement: Judgement): string | null {
  if (final.type === 'partial' || judgement.verdict === 'block') return null;
  const counts = claimsOf(final).filter(({ type }) => final.type === 'done' || type === final.type);
  const isBacked = judgement.claims.some(
    ({ claim, status }) =>
      status === 'backed' && counts.some(({ type, quote }) => type === claim.type && quote === claim.quote),
  );
  return isBacked
    ? null
    : `A foil_final of type ${final.type} needs a claim that evidence on record backs. Say partial where there is none.`;
}
