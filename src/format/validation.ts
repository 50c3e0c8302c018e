// The payload of `validation`: what a validator said of a claim, from which entries, and what the work tree looked like
// then; signed with the validator key. The signature covers all members but itself, the session and the ledger.
import { type JsonObject, ParseError } from '../core/index.ts';
import { GRADES, type Grade } from './evidence.ts';
import {
  cut,
  cutAll,
  exactly,
  fitted,
  hash,
  object,
  objects,
  oneOf,
  orNull,
  seq,
  seqs,
  shortText,
  shortTexts,
  signature,
  sizeOf,
} from './members.ts';

export type Weakened = 'deleted' | 'skipped' | 'loosened' | 'deselected';

export interface WeakenedFile {
  readonly path: string;
  readonly what: Weakened;
  /** The checks it bears on, where these are not tests. */
  readonly of?: 'types' | 'lint';
}

/** All of a validation but who signed it. */
export interface Validation {
  readonly validator: string;
  readonly validatorVersion: number;
  /** Seqs of the claim it is about, and of the contract it was bound to. */
  readonly claim: number;
  readonly contract: number | null;
  readonly args: JsonObject;
  readonly outcome: 'pass' | 'fail' | 'refused';
  /** Null on pass. */
  readonly code: string | null;
  /** Seqs of the entries that it rests on. */
  readonly evidence: readonly number[];
  /** Fingerprint of the work tree's code at that moment. */
  readonly tree: string | null;
  /** Code files that differ from the session's beginning, as the work tree shows; null where it was not looked at. */
  readonly changed: readonly string[] | null;
  /** Tests that became weaker; null where that could not be found out: then a pass says nothing of it. */
  readonly weakened: readonly WeakenedFile[] | null;
  readonly grade: Grade;
  readonly policyHash: string;
}

export interface SignedValidation extends Validation {
  readonly keyVersion: number;
  /** Base64. */
  readonly signature: string;
}

const OUTCOMES = ['pass', 'fail', 'refused'] as const;
const WHATS: readonly Weakened[] = ['deleted', 'skipped', 'loosened', 'deselected'];
const CHECKS = ['types', 'lint'] as const;
const MOST = 32;
const MOST_SEQS = 64;
const LONGEST_WORD = 64;
const LONGEST_PATH = 256;
/** Of a line: arguments, and the whole. */
const ARGS_BYTES = 4096;
const BYTES = 48_000;

const MEMBERS = [
  'validator',
  'validator_version',
  'claim',
  'contract',
  'args',
  'outcome',
  'code',
  'evidence',
  'tree',
  'changed',
  'weakened',
  'grade',
  'policy_hash',
  'key_version',
  'signature',
];

/** What is to be signed: everything but the signature. Throws RangeError where the arguments are too long. */
export function encodeValidation(validation: Validation, keyVersion: number): JsonObject {
  const { args, code, changed } = validation;
  if (sizeOf(args) > ARGS_BYTES)
    throw new RangeError(`a validator's arguments take at most ${ARGS_BYTES} bytes`);
  return fitted<JsonObject>(BYTES, [MOST, 8], (most) => ({
    validator: cut(validation.validator, LONGEST_WORD),
    validator_version: validation.validatorVersion,
    claim: validation.claim,
    contract: validation.contract,
    args,
    outcome: validation.outcome,
    code: code === null ? null : cut(code, LONGEST_WORD),
    // A change that only the work tree shows is in no entry.
    evidence: validation.evidence.filter((each) => each > 0).slice(0, MOST_SEQS),
    tree: validation.tree,
    changed: changed === null ? null : cutAll(changed, most, LONGEST_PATH),
    weakened:
      validation.weakened
        ?.slice(0, most)
        .map(({ path, what, of }) => ({ path: cut(path, LONGEST_PATH), what, ...(of && { of }) })) ?? null,
    grade: validation.grade,
    policy_hash: validation.policyHash,
    key_version: keyVersion,
  }));
}

export function parseValidation(payload: JsonObject): SignedValidation {
  exactly(payload, MEMBERS);
  const args = object(payload, 'args');
  if (sizeOf(args) > ARGS_BYTES)
    throw new ParseError('TOO_LONG', `more than ${ARGS_BYTES} bytes`, 'payload.args');
  return {
    validator: shortText(payload, 'validator', LONGEST_WORD),
    validatorVersion: seq(payload, 'validator_version'),
    claim: seq(payload, 'claim'),
    contract: orNull(payload, 'contract', () => seq(payload, 'contract')),
    args,
    outcome: oneOf(payload, 'outcome', OUTCOMES),
    code: parseCode(payload),
    evidence: seqs(payload, 'evidence', MOST_SEQS),
    tree: orNull(payload, 'tree', () => hash(payload, 'tree')),
    changed: orNull(payload, 'changed', () => shortTexts(payload, 'changed', MOST, LONGEST_PATH)),
    weakened: orNull(payload, 'weakened', () =>
      objects(payload, 'weakened', MOST).map((each, i) => {
        const path = `payload.weakened[${i}]`;
        const isOf = Object.hasOwn(each, 'of');
        exactly(each, ['path', 'what', ...(isOf ? ['of'] : [])], path);
        return {
          path: shortText(each, 'path', LONGEST_PATH, path),
          what: oneOf(each, 'what', WHATS, path),
          ...(isOf && { of: oneOf(each, 'of', CHECKS, path) }),
        };
      }),
    ),
    grade: oneOf(payload, 'grade', GRADES),
    policyHash: hash(payload, 'policy_hash'),
    keyVersion: seq(payload, 'key_version'),
    signature: signature(payload, 'signature'),
  };
}

/** A pass has no code, and everything else has one. */
function parseCode(payload: JsonObject): string | null {
  if (payload.outcome !== 'pass') return shortText(payload, 'code', LONGEST_WORD);
  if (payload.code !== null) throw new ParseError('BAD_MEMBER', 'not null, with a pass', 'payload.code');
  return null;
}
