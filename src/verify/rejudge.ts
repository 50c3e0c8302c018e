// A validation that passed, judged again: the same validator, with the recorded arguments, over the entries that came
// before it. Only a pass is repeated, since nothing rests on any other outcome. What the work tree showed at that moment
// is taken from the validation, whose signature covers it.
import type { Contract, RecordedClaim, RecordedContract, SignedValidation } from '../format/index.ts';
import type { ClaimPolicy, ValidatorId } from '../policy/index.ts';
import { askValidator, quoteOf, type SessionEvidence, scopeOf, VALIDATORS } from '../rules/index.ts';

export type Rejudged =
  | { readonly state: 'good' }
  | { readonly state: 'bad'; readonly reason: string }
  /** Nobody here knows the validator, or that version of it. */
  | { readonly state: 'unknown' };

export interface Question {
  readonly validation: SignedValidation;
  readonly claim: RecordedClaim;
  readonly contract: RecordedContract | null;
  readonly evidence: SessionEvidence;
  readonly policy: ClaimPolicy;
}

/** Of a prompt that names nothing. */
const NO_CONTRACT: Contract = {
  intent: 'other',
  fields: { paths: [], urls: [], backtick_tokens: [], command_hints: [], keywords: [] },
  ladder: [],
  expected: [],
  responseMode: 'free',
  allowsWeakening: false,
};

export function rejudge({ validation, claim, contract, evidence, policy }: Question): Rejudged {
  const { validator: id, validatorVersion, args, grade, evidence: seqs } = validation;
  if (!isKnown(id) || VALIDATORS[id].version !== validatorVersion) return { state: 'unknown' };
  const seen = evidence.evidence({ ...validation, graded: { seqs, grade } });
  const bound = contract ?? NO_CONTRACT;
  const context = {
    evidence: seen,
    contract: bound,
    claim: { ...claim, quote: quoteOf(claim.names) },
    scope: scopeOf(seen, bound),
  };
  const outcome = askValidator({ validator: id, args, asked: false }, context, policy);
  if (outcome.outcome !== 'pass')
    return { state: 'bad', reason: `${outcome.reason.replace(/\.$/, '')} (${outcome.code})` };
  const other = outcome.evidence.find((seq) => seq > 0 && !seqs.includes(seq));
  if (other !== undefined)
    return { state: 'bad', reason: `what passes is entry ${other}, and that is not what it names (unnamed)` };
  return { state: 'good' };
}

function isKnown(id: string): id is ValidatorId {
  return Object.hasOwn(VALIDATORS, id);
}
