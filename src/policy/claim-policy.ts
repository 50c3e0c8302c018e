// Which claims need which evidence: the member `gate:` of counterfoil.yaml, parsed into one form. Everything may be
// left out; what is there must be understood, because a typing error must not switch a rule off. Its hash is recorded.
//
//   gate:
//     claims:
//       done: [test_pass, command_zero_exit]      # any one of them settles it; an empty list: nothing does
//       shipped: { validators: [command_zero_exit], grade: corroborated }
//     high_stakes: [production, migration]        # words of a prompt
//     final_block: high-stakes                    # off, high-stakes or always: must the answer end in `foil_final`?
//     phrases:                                    # of the final message
//       add: [{ type: done, phrase: wrapped up }]
//       remove: [all set]
//     bypass: { add: [just ship it], remove: [] } # of prompts, for the override audit
//     blocks: 2                                   # at most so many for one prompt
//     min_validator_args: { test_pass: { runs: 3 } } # the least of a number; true: whoever asks must give it
import { sha256Hex } from '#platform';
import { canonicalize, type JsonObject, ParseError } from '../core/index.ts';
import { type ClaimType, GRADES, type Grade } from '../format/index.ts';

export const CLAIM_TYPES = [
  'done',
  'changed',
  'tested',
  'checked',
  'shipped',
  'blocked',
  'delegation',
] as const satisfies readonly ClaimType[];

/**
 * Every validator, and the claims that it may settle, best first. This is the policy line of a new one; all else is its
 * file in rules/validators/. The table of these files is written by `npm run validators`.
 */
const VALIDATORS = {
  test_pass: ['done', 'tested', 'checked'],
  command_zero_exit: ['done', 'checked', 'shipped'],
  http_2xx: ['done', 'checked'],
  file_diff_present: ['done', 'changed'],
  ladder_exhaustion_proof: ['blocked'],
  fetch_attempt_proof: ['delegation'],
} as const satisfies Record<string, readonly ClaimType[]>;

export type ValidatorId = keyof typeof VALIDATORS;
export const VALIDATOR_IDS = Object.keys(VALIDATORS) as readonly ValidatorId[];

const ALIASES: ReadonlyMap<string, ValidatorId> = new Map([['pytest_pass', 'test_pass']]);

/** The validator of that id or alias; null where there is none. */
export function validatorId(name: string): ValidatorId | null {
  return VALIDATOR_IDS.find((id) => id === name) ?? ALIASES.get(name) ?? null;
}

export function settles(id: ValidatorId, claim: ClaimType): boolean {
  return VALIDATORS[id].some((type) => type === claim);
}

export interface Binding {
  /** Any one of them settles the claim. None: nothing can, and the claim must not be made. */
  readonly validators: readonly ValidatorId[];
  /** The least grade of evidence. */
  readonly grade: Grade;
}

export interface AddedPhrase {
  readonly type: ClaimType;
  readonly phrase: string;
}

export type FinalBlock = 'off' | 'high-stakes' | 'always';

export interface ClaimPolicy {
  readonly claims: Readonly<Record<ClaimType, Binding>>;
  readonly phrases: { readonly add: readonly AddedPhrase[]; readonly remove: readonly string[] };
  readonly highStakes: readonly string[];
  readonly finalBlock: FinalBlock;
  /** How often one prompt's turn may be blocked before it ends as unproven. */
  readonly blocks: number;
  readonly bypass: { readonly add: readonly string[]; readonly remove: readonly string[] };
  /** By validator and argument: the least that a number may be; true for one that whoever asks must give. */
  readonly leastArgs: LeastArgs;
}

export type LeastArgs = { readonly [id in ValidatorId]?: Readonly<Record<string, number | true>> };

function bindings(of: (type: ClaimType) => Binding): Readonly<Record<ClaimType, Binding>> {
  return Object.fromEntries(CLAIM_TYPES.map((type) => [type, of(type)])) as Record<ClaimType, Binding>;
}

export const DEFAULT_POLICY: ClaimPolicy = {
  claims: bindings((type) => ({
    validators: VALIDATOR_IDS.filter((id) => settles(id, type)),
    grade: 'reported',
  })),
  phrases: { add: [], remove: [] },
  highStakes: [
    'production',
    'deploy',
    'release',
    'publish',
    'migrate',
    'migration',
    'payment',
    'billing',
    'security',
  ],
  finalBlock: 'off',
  blocks: 2,
  bypass: { add: [], remove: [] },
  leastArgs: {},
};

const MAX_LIST = 64;
const MAX_PHRASE = 128;
const MAX_BLOCKS = 8;
const MOST_RUNS = 16;
const MEMBERS = ['claims', 'high_stakes', 'final_block', 'phrases', 'bypass', 'blocks', 'min_validator_args'];

/** Throws ParseError whose path names the member. Null, as an empty `gate:` gives it, is the default. */
export function parseClaimPolicy(value: unknown, path = 'gate'): ClaimPolicy {
  if (value === null || value === undefined) return DEFAULT_POLICY;
  const gate = mapping(value, MEMBERS, path);
  const claims = mapping(gate.claims ?? {}, CLAIM_TYPES, `${path}.claims`);
  const phrases = mapping(gate.phrases ?? {}, ['add', 'remove'], `${path}.phrases`);
  const bypass = mapping(gate.bypass ?? {}, ['add', 'remove'], `${path}.bypass`);
  return {
    claims: bindings((type) => parseBinding(claims[type], type, `${path}.claims.${type}`)),
    highStakes: words(gate.high_stakes ?? DEFAULT_POLICY.highStakes, `${path}.high_stakes`),
    finalBlock: oneOf(gate.final_block ?? 'off', ['off', 'high-stakes', 'always'], `${path}.final_block`),
    phrases: {
      add: list(phrases.add ?? [], `${path}.phrases.add`).map((item, i) =>
        parsePhrase(item, `${path}.phrases.add[${i}]`),
      ),
      remove: words(phrases.remove ?? [], `${path}.phrases.remove`),
    },
    bypass: {
      add: words(bypass.add ?? [], `${path}.bypass.add`),
      remove: words(bypass.remove ?? [], `${path}.bypass.remove`),
    },
    blocks: count(gate.blocks ?? DEFAULT_POLICY.blocks, MAX_BLOCKS, `${path}.blocks`),
    leastArgs: parseLeastArgs(gate.min_validator_args ?? {}, `${path}.min_validator_args`),
  };
}

/** The whole policy as what `parseClaimPolicy` reads. */
export function encodeClaimPolicy(policy: ClaimPolicy): JsonObject {
  return {
    claims: Object.fromEntries(
      CLAIM_TYPES.map((type) => [
        type,
        { validators: [...policy.claims[type].validators], grade: policy.claims[type].grade },
      ]),
    ),
    high_stakes: [...policy.highStakes],
    final_block: policy.finalBlock,
    phrases: {
      add: policy.phrases.add.map(({ type, phrase }) => ({ type, phrase })),
      remove: [...policy.phrases.remove],
    },
    bypass: { add: [...policy.bypass.add], remove: [...policy.bypass.remove] },
    blocks: policy.blocks,
    // Left out where there is none, so that policies of before keep their hash.
    ...(Object.keys(policy.leastArgs).length === 0 ? {} : { min_validator_args: policy.leastArgs }),
  };
}

/** SHA-256 of the canonical JSON, 64 hex digits. */
export function policyHash(policy: ClaimPolicy): string {
  return sha256Hex(canonicalize(encodeClaimPolicy(policy)));
}

function parseBinding(value: unknown, type: ClaimType, path: string): Binding {
  if (value === undefined) return DEFAULT_POLICY.claims[type];
  const members = Array.isArray(value)
    ? { validators: value, grade: 'reported' }
    : mapping(value, ['validators', 'grade'], path);
  const named = members.validators ?? DEFAULT_POLICY.claims[type].validators;
  const validators = list(named, `${path}.validators`).map((item, i) => {
    const where = `${path}.validators[${i}]`;
    const id = typeof item === 'string' ? validatorId(item) : null;
    if (id === null)
      throw new ParseError('BAD_MEMBER', `not a validator; write one of ${VALIDATOR_IDS.join(', ')}`, where);
    if (!settles(id, type))
      throw new ParseError('BAD_MEMBER', `${id} can't settle a claim of type ${type}`, where);
    return id;
  });
  if (new Set(validators).size !== validators.length)
    throw new ParseError('BAD_MEMBER', 'names a validator twice', `${path}.validators`);
  return { validators, grade: oneOf(members.grade ?? 'reported', GRADES, `${path}.grade`) };
}

/**
 * An argument that a validator does not know makes it refuse: a typing error switches no rule off. Which there are, only
 * the validators know: see `unknownLeast` there.
 */
function parseLeastArgs(value: unknown, path: string): LeastArgs {
  const least = Object.entries(mapping(value, [...VALIDATOR_IDS, ...ALIASES.keys()], path)).map(
    ([name, args]) => {
      const where = `${path}.${name}`;
      if (typeof args !== 'object' || args === null || Array.isArray(args))
        throw new ParseError('BAD_MEMBER', 'must be a mapping of arguments', where);
      const parsed = Object.entries(args).map(([arg, each]: [string, unknown]) => {
        if (!/^[a-z_]{1,32}$/.test(arg))
          throw new ParseError('BAD_MEMBER', 'not the name of an argument', `${where}.${arg.slice(0, 64)}`);
        return [arg, each === true ? true : count(each, MOST_RUNS, `${where}.${arg}`)];
      });
      return [validatorId(name) ?? name, Object.fromEntries(parsed)];
    },
  );
  const ids = least.map(([id]) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined)
    throw new ParseError('BAD_MEMBER', `names ${twice} twice, once by its alias`, path);
  return Object.fromEntries(least);
}

function parsePhrase(value: unknown, path: string): AddedPhrase {
  const members = mapping(value, ['type', 'phrase'], path);
  return {
    type: oneOf(members.type, CLAIM_TYPES, `${path}.type`),
    phrase: word(members.phrase, `${path}.phrase`),
  };
}

function mapping(value: unknown, names: readonly string[], path: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ParseError('BAD_MEMBER', `must be a mapping of ${names.join(', ')}`, path);
  const unknown = Object.keys(value).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new ParseError(
      'BAD_MEMBER',
      `unknown; remove it, or write one of ${names.join(', ')}`,
      `${path}.${unknown.slice(0, 64)}`,
    );
  return value as Record<string, unknown>;
}

function list(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new ParseError('BAD_MEMBER', 'not a list', path);
  if (value.length > MAX_LIST) throw new ParseError('TOO_LONG', `more than ${MAX_LIST} items`, path);
  return value;
}

function words(value: unknown, path: string): readonly string[] {
  return list(value, path).map((item, i) => word(item, `${path}[${i}]`));
}

/** Said in one line, and not so short that it is in everything. */
function word(value: unknown, path: string): string {
  if (typeof value !== 'string') throw new ParseError('BAD_MEMBER', 'not a text', path);
  const text = value.trim();
  if (text.length > MAX_PHRASE)
    throw new ParseError('TOO_LONG', `longer than ${MAX_PHRASE} characters`, path);
  if (text.length < 2 || !/\p{L}|\p{N}/u.test(text) || /\p{Cc}/u.test(text) || !text.isWellFormed())
    throw new ParseError('BAD_MEMBER', 'must be a word or phrase in one line', path);
  return text;
}

function oneOf<T extends string>(value: unknown, names: readonly T[], path: string): T {
  const found = names.find((name) => name === value);
  if (found === undefined) throw new ParseError('BAD_MEMBER', `must be one of ${names.join(', ')}`, path);
  return found;
}

function count(value: unknown, most: number, path: string): number {
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > most)
    throw new ParseError('BAD_NUMBER', `must be a whole number from 1 to ${most}`, path);
  return value;
}
