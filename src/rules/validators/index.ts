// Every validator by its id, and the one way to ask one. The table does not compile while the policy names a validator
// that has no line here.
import type { JsonObject } from '../../core/index.ts';
import { GRADES, type Grade } from '../../format/index.ts';
import { type ClaimPolicy, settles, type ValidatorId } from '../../policy/index.ts';
import type { Evidence } from '../evidence.ts';
import { commandZeroExit } from './command-zero-exit.ts';
import { fetchAttemptProof } from './fetch-attempt-proof.ts';
import { fileDiffPresent } from './file-diff-present.ts';
import { http2xx } from './http-2xx.ts';
import { ladderExhaustionProof } from './ladder-exhaustion-proof.ts';
import { testPass } from './test-pass.ts';
import { type Outcome, refused, type Validator, type ValidatorContext } from './validator.ts';

export const VALIDATORS: Readonly<Record<ValidatorId, Validator>> = {
  test_pass: testPass,
  command_zero_exit: commandZeroExit,
  http_2xx: http2xx,
  file_diff_present: fileDiffPresent,
  ladder_exhaustion_proof: ladderExhaustionProof,
  fetch_attempt_proof: fetchAttemptProof,
};

export interface Question {
  readonly validator: ValidatorId;
  readonly args: JsonObject;
  /** Somebody other than the gate asks: then what the validator needs must be given. */
  readonly asked: boolean;
}

/** Asks a validator. Evidence below the grade that the policy wants of the claim does not count. Never throws. */
export function askValidator(question: Question, context: ValidatorContext, policy: ClaimPolicy): Outcome {
  const { validator: id, args, asked } = question;
  const { type } = context.claim;
  const { validators, grade } = policy.claims[type];
  if (!settles(id, type) || !validators.includes(id))
    return refused(
      'wrong-validator',
      `${id} does not settle a claim of type ${type}; ${validators.length === 0 ? 'nothing does' : `these do: ${validators.join(', ')}`}.`,
    );
  const validator = VALIDATORS[id];
  const missing = asked ? validator.needs.find((name) => args[name] === undefined) : undefined;
  if (missing !== undefined) return refused('weak-arguments', `${id} needs the argument "${missing}".`);
  const least = GRADES.indexOf(grade);
  if (least === 0) return validator.judge(args, context);
  const outcome = validator.judge(args, { ...context, evidence: ofGrade(context.evidence, least) });
  const weak = outcome.outcome === 'pass' && restsOnChanges(outcome.evidence, context.evidence, least);
  if (!weak && (outcome.outcome !== 'fail' || validator.judge(args, context).outcome !== 'pass'))
    return outcome;
  return {
    outcome: 'fail',
    status: 'unbacked',
    code: 'grade',
    reason: `The policy wants evidence that is ${grade} for a claim of type ${type}; what there is was only reported. \`foil validate --execute\` runs it again, in a sandbox.`,
    evidence: outcome.evidence,
  };
}

function isOfGrade({ grade }: { readonly grade?: Grade }, least: number): boolean {
  return GRADES.indexOf(grade ?? 'reported') >= least;
}

/** Changes stay, whatever their grade: what was only reported must still make a run stale. */
function ofGrade(evidence: Evidence, least: number): Evidence {
  return {
    ...evidence,
    runs: evidence.runs.filter((run) => isOfGrade(run, least)),
    attempts: evidence.attempts.filter((attempt) => isOfGrade(attempt, least)),
  };
}

function restsOnChanges(seqs: readonly number[], { changes }: Evidence, least: number): boolean {
  return changes.some((change) => seqs.includes(change.seq) && !isOfGrade(change, least));
}
