// The one way to ask a validator.
import type { Json, JsonObject } from '../../core/index.ts';
import { GRADES, type Grade } from '../../format/index.ts';
import { type ClaimPolicy, settles, VALIDATOR_IDS, type ValidatorId } from '../../policy/index.ts';
import { NO_CONTRACT } from '../contract.ts';
import { scopeOf } from '../coverage.ts';
import type { Evidence } from '../evidence.ts';
import { evidenceIn, NO_MEMORY } from '../memory.ts';
import { VALIDATORS } from './table.ts';
import {
  failOf,
  type Outcome,
  type Refused,
  refused,
  type Validator,
  type ValidatorContext,
} from './validator.ts';

export { VALIDATORS };

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
  const given = withLeast(args, policy.leastArgs[id] ?? {}, asked);
  if ('outcome' in given) return given;
  const outcome = judgeAtGrade(validator, given.args, context, grade);
  // A policy by which nothing but the change settles such a claim wants no run.
  return outcome.outcome === 'fail' &&
    outcome.code === 'change-only' &&
    validators.length === 1 &&
    grade === 'reported' &&
    (context.version ?? 3) > 2
    ? { outcome: 'pass', evidence: outcome.evidence }
    : outcome;
}

/** The arguments, with the least that the policy wants in place of what is left out. */
function withLeast(
  args: JsonObject,
  least: Readonly<Record<string, number | true>>,
  asked: boolean,
): { readonly args: JsonObject } | Refused {
  const all: Record<string, Json> = { ...args };
  for (const [name, value] of Object.entries(least)) {
    const given = args[name];
    if (value === true) {
      if (asked && given === undefined)
        return refused('weak-arguments', `The policy requires the argument "${name}".`);
    } else if (given === undefined) all[name] = value;
    else if (typeof given !== 'number' || given < value)
      return refused('weak-arguments', `The policy requires "${name}" to be at least ${value}.`);
  }
  return { args: all };
}

/** What a policy wants of an argument that its validator does not have, or that is of another sort. Null: nothing. */
export function unknownLeast({ leastArgs }: ClaimPolicy): string | null {
  const nothing = evidenceIn(NO_MEMORY);
  const claim = { type: 'changed', quote: '', about: null, whole: false } as const;
  const context = { evidence: nothing, contract: NO_CONTRACT, claim, scope: scopeOf(nothing, NO_CONTRACT) };
  for (const id of VALIDATOR_IDS)
    for (const [name, least] of Object.entries(leastArgs[id] ?? {})) {
      const told = (least === true ? [1, 'a name of it'] : [least]).map((value) =>
        VALIDATORS[id].judge({ [name]: value }, context),
      );
      const [first] = told;
      if (
        first?.outcome === 'refused' &&
        told.every((each) => each.outcome === 'refused' && each.code === 'bad-arguments')
      )
        return `min_validator_args.${id}.${name}: ${first.reason}`;
    }
  return null;
}

function judgeAtGrade(
  validator: Validator,
  args: JsonObject,
  context: ValidatorContext,
  grade: Grade,
): Outcome {
  const least = GRADES.indexOf(grade);
  if (least === 0) return validator.judge(args, context);
  const outcome = validator.judge(args, { ...context, evidence: ofGrade(context.evidence, least) });
  const weak = outcome.outcome === 'pass' && restsOnChanges(outcome.evidence, context.evidence, least);
  if (!weak && (outcome.outcome !== 'fail' || validator.judge(args, context).outcome !== 'pass'))
    return outcome;
  return failOf(
    'unbacked',
    'grade',
    `The policy requires evidence that is ${grade} for a claim of type ${context.claim.type}, and this was only reported. \`foil validate --execute\` runs it again in a sandbox.`,
    outcome.evidence,
  );
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
