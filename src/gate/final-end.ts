// Whether a structured final block is there, well formed, speaks of what exists, and calls the end of the turn what
// evidence on record says it is. The gate and `foil gate` ask here; what it claims is judged with the rest.

import type { FoilFinal } from '../claims/index.ts';
import type { ClaimPolicy } from '../policy/index.ts';
import type { Evidence, Judgement, ToldClaims } from '../rules/index.ts';
import { hasReferences, objectProblem, type Referred, referenceProblem } from './final-references.ts';

type Found = Pick<ToldClaims, 'final' | 'finalProblem'>;

const MISSING = 'This prompt needs a fenced block `foil_final` at the end of the message, and there is none';
const FORM =
  'It holds JSON: {"type": "done|partial|blocked|delegation", "summary": …, "claims": [{"claim_type": …, "object": …}], "what_succeeded": …, "what_remains": …, "next_route_or_question": …}. With done, leave what_remains empty. With partial, fill in all three.';

export interface FinalEnd {
  readonly found: Found;
  readonly policy: ClaimPolicy;
  /** The prompt wants one. */
  readonly isWanted: boolean;
  readonly judgement: Judgement;
  /** As it stands now; null where nothing was claimed. */
  readonly evidence: Evidence | null;
}

/** What is wrong with the block, for the agent; null where it is well, or none is wanted and none is there. */
export async function finalProblem(
  { found: { final, finalProblem: malformed }, policy, isWanted, judgement, evidence }: FinalEnd,
  referred: () => Promise<Omit<Referred, 'evidence' | 'policy'>>,
): Promise<string | null> {
  if (policy.finalBlock === 'off') return null;
  if (isWanted && malformed !== null)
    return `${malformed.replace(/^(?!foil_)./, (first) => first.toUpperCase())}. ${FORM}`;
  if (final === null) return isWanted ? `${MISSING}. ${FORM}` : null;
  if (evidence === null) return unprovenEnd(final, judgement);
  return (
    objectProblem(final, evidence) ??
    (hasReferences(final) ? referenceProblem(final, { ...(await referred()), policy, evidence }) : null) ??
    unprovenEnd(final, judgement)
  );
}

/**
 * What a block calls the end of the turn must rest on a signed validation: done on one of its claims, blocked and
 * delegation on that of their own type. Null where it does, or where an open claim says so already.
 */
function unprovenEnd(final: FoilFinal, judgement: Judgement): string | null {
  if (final.type === 'partial' || judgement.verdict === 'block') return null;
  const texts = [final.summary, ...final.claims.map(({ object }) => object)];
  const isBacked = judgement.claims.some(
    ({ claim: { type, quote }, status }) =>
      status === 'backed' &&
      (final.type === 'done' || type === final.type) &&
      texts.some((text) => text.includes(quote)),
  );
  return isBacked
    ? null
    : `A foil_final of type ${final.type} needs a claim that evidence on record backs. Without one, say partial.`;
}
