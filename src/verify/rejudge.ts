// A validation that passed, judged again: the same validator, with the recorded arguments, over the entries that came
// before it. Only a pass is repeated, since nothing rests on any other outcome. What the work tree showed at that moment
// is taken from the validation, whose signature covers it.
import {
  leastGrade,
  type RecordedClaim,
  type RecordedContract,
  type SignedValidation,
} from '../format/index.ts';
import type { ClaimPolicy, ValidatorId } from '../policy/index.ts';
import { askByNames, type Evidence, type Outcome, type SessionEvidence, VALIDATORS } from '../rules/index.ts';

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

export function rejudge(question: Question): Rejudged {
  const { validation, evidence } = question;
  const { validator: id, validatorVersion, grade, evidence: seqs } = validation;
  if (!isKnown(id) || validatorVersion < 1 || validatorVersion > VALIDATORS[id].version)
    return { state: 'unknown' };
  const lower = seqs.find((seq) => leastGrade([evidence.gradeOf(seq), grade]) !== grade);
  if (lower !== undefined)
    return {
      state: 'bad',
      reason: `entry ${lower} is ${evidence.gradeOf(lower)}, and not ${grade} as it says (grade)`,
    };
  const all = asOf(validatorVersion, evidence.evidence(validation));
  const outcome = ask(id, question, all);
  if (outcome.outcome !== 'pass') return bad(outcome);
  // It may rest on less than there is, but on that alone it must pass as well.
  const named = ({ seq }: { readonly seq: number }): boolean => seqs.includes(seq);
  const isRunOrAttempt = new Set([...all.runs, ...all.attempts].map(({ seq }) => seq));
  if (outcome.evidence.every((seq) => !isRunOrAttempt.has(seq) || seqs.includes(seq)))
    return { state: 'good' };
  const less = { ...all, runs: all.runs.filter(named), attempts: all.attempts.filter(named) };
  const again = ask(id, question, less);
  return again.outcome === 'pass' ? { state: 'good' } : bad(again);
}

/** The first version of each validator went by exit codes alone. */
function asOf(version: number, evidence: Evidence): Evidence {
  if (version > 1) return evidence;
  const runs = evidence.runs.map((run) => ({
    ...run,
    checks: run.checks.map(({ summary: _, ...check }) => check),
  }));
  return { ...evidence, runs, first: true };
}

function ask(
  validator: ValidatorId,
  { validation: { args, validatorVersion: version }, claim, contract, policy }: Question,
  evidence: Evidence,
): Outcome {
  return askByNames({ validator, args, version }, claim, { contract, evidence, policy });
}

function bad(outcome: Exclude<Outcome, { outcome: 'pass' }>): Rejudged {
  return { state: 'bad', reason: `${outcome.reason.replace(/\.$/, '')} (${outcome.code})` };
}

function isKnown(id: string): id is ValidatorId {
  return Object.hasOwn(VALIDATORS, id);
}
