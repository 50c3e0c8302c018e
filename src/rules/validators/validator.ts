// What a validator is: a pure predicate over evidence, bound to fields of the contract. It believes exit codes, counts
// and fingerprints on record, never a word of the message. Arguments come from the agent and are not trusted.
import { type Json, type JsonObject, wordSet } from '../../core/index.ts';
import type { Claim, ClaimStatus, Contract, TargetFields } from '../../format/index.ts';
import type { ValidatorId } from '../../policy/index.ts';
import type { Scope } from '../coverage.ts';
import type { Evidence } from '../evidence.ts';

export interface ValidatorContext {
  readonly evidence: Evidence;
  readonly contract: Contract;
  readonly claim: Claim;
  readonly scope: Scope;
  /** The version that signed, where a pass is judged again: what it passed then stays passed. */
  readonly version?: number;
}

export interface Pass {
  readonly outcome: 'pass';
  readonly evidence: readonly number[];
}

export interface Fail {
  readonly outcome: 'fail';
  readonly status: Exclude<ClaimStatus, 'backed' | 'excused'>;
  /** One word for machines: `masked`, `stale` … */
  readonly code: string;
  /** A sentence for people and agents: what is wrong with what there is. */
  readonly reason: string;
  readonly evidence: readonly number[];
}

export interface Refused {
  readonly outcome: 'refused';
  readonly code:
    | 'wrong-validator'
    | 'no-contract'
    | 'no-validator'
    | 'unknown-validator'
    | 'bad-arguments'
    | 'weak-arguments'
    | 'not-bound';
  readonly reason: string;
  readonly evidence: readonly [];
}

export type Outcome = Pass | Fail | Refused;

export interface Validator {
  readonly id: ValidatorId;
  /** Grows when the same evidence could be judged otherwise. */
  readonly version: number;
  /** What it wants, for people who read a policy. */
  readonly words: string;
  /** The fields of the contract that its arguments bind to. */
  readonly fields: readonly (keyof TargetFields | 'ladder')[];
  /** Arguments that whoever asks must give. The gate itself asks without: of the contract and of all that changed. */
  readonly needs: readonly string[];
  judge(args: JsonObject, context: ValidatorContext): Outcome;
}

export function refused(code: Refused['code'], reason: string): Refused {
  return { outcome: 'refused', code, reason, evidence: [] };
}

export function failOf(
  status: Fail['status'],
  code: string,
  reason: string,
  evidence: readonly number[] = [],
): Fail {
  return { outcome: 'fail', status, code, reason, evidence };
}

/** Of an obstacle that the prompt does not name. */
export const NOTHING_FAILED = 'Nothing that was tried for this prompt failed. Try it, and say what happened.';

const MAX_ARGUMENT = 256;
/** Words that are in everything bind to nothing. */
const COMMON =
  wordSet(`test tests spec src lib app main index file files code run build done fix all the it ok yes no npm npx node python
  python3 go git cargo docker bash sh echo cat ls true http https url page data docs doc . .. / * ** ./ readme bug error`);

/** The text arguments of those names, or why they are refused. Others must not be there. */
export function textArguments<K extends string>(
  args: JsonObject,
  names: readonly K[],
  others: readonly string[] = [],
): Partial<Record<K, string>> | Refused {
  const found: Partial<Record<K, string>> = {};
  for (const [name, value] of Object.entries(args)) {
    if (others.includes(name)) continue;
    const known = names.find((each) => each === name);
    if (known === undefined)
      return refused(
        'bad-arguments',
        `Unknown argument "${name.slice(0, 40)}". The arguments are: ${[...names, ...others].join(', ') || 'none'}.`,
      );
    const text = asText(value);
    if (text === null)
      return refused('bad-arguments', `"${name}" must be a text of at most ${MAX_ARGUMENT} characters.`);
    if (text.length < 2 || COMMON.has(text.toLowerCase()) || !/[\p{L}\p{N}]/u.test(text))
      return refused('weak-arguments', `"${name}": "${text}" matches everything. Name the thing itself.`);
    found[known] = text;
  }
  return found;
}

function asText(value: Json): string | null {
  return typeof value === 'string' && value.length <= MAX_ARGUMENT ? value.replace(/\s+/g, ' ').trim() : null;
}
