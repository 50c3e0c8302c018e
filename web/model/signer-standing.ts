// What can be said of the key that signed a run, once a reader named the keys that they expect.
import type { RunAnswer } from '../check-run.ts';

/** `changed`: what is here is not what anybody signed. `other`: another key did. `nobody`: none that they named, and none is told. */
export type SignerStanding = 'confirmed' | 'unconfirmed' | 'changed' | 'other' | 'nobody';

export function signerStanding(
  { signer, unread, report, isSound }: Pick<RunAnswer, 'signer' | 'unread' | 'report' | 'isSound'>,
  given: readonly string[],
): SignerStanding {
  if (report?.verdict === 'FAIL' && !isSound) return 'changed';
  const isTrusted =
    report !== null &&
    report.verdict !== 'FAIL' &&
    !report.findings.some(({ code }) => code === 'KEY_NOT_TRUSTED');
  if (given.includes(signer ?? '') || (given.length > 0 && isTrusted)) return 'confirmed';
  if (given.length === 0 || unread.length > 0) return 'unconfirmed';
  return signer === null ? 'nobody' : 'other';
}
