// Claims as the check leaves them: what the gate called proven counts only where the record is sound and was seen whole.
import type { BundleFinding } from '../../src/verify/index.ts';
import type { ClaimRow } from './session.ts';

/** `findings` are null where nothing was checked yet. */
export function judgedClaims(
  claims: readonly ClaimRow[],
  findings: readonly BundleFinding[] | null,
  isSound: boolean,
): readonly ClaimRow[] {
  return claims.map((claim) => {
    if (claim.tone !== 'good') return claim;
    if (!isSound) return { ...claim, tone: 'doubt', status: 'unknown' };
    const blind = findings?.find(({ code, seq }) => code === 'CLAIM_BLIND' && seq === claim.seq);
    return blind === undefined ? claim : { ...claim, tone: 'doubt', status: 'blind', reason: blind.message };
  });
}
