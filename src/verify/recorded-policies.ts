// Which policy an entry may go by, as the entries before it tell: the one in force for this verifier, by the rule of
// recorders, or one that somebody accepted since whom the verifier doesn't know as an operator. The recorder may know them,
// or not, so nobody is accused. But nothing is proven by a policy that a stranger made: a pass has to hold under every
// policy that may have been in force.
import { ed25519Verify } from '#platform';
import { type JsonObject, ParseError, parseBase64, policyHashOf, policyMessage } from '../core/index.ts';
import { type Entry, operatorKey, parsePolicyRecord } from '../format/index.ts';
import {
  Acceptances,
  type ClaimPolicy,
  DEFAULT_POLICY,
  parseClaimPolicy,
  policyHash,
} from '../policy/index.ts';
import type { AuthorityCheck } from './authority-check.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';

export interface KnownPolicy {
  readonly hash: string;
  /** Null for one that is not understood: a newer version may know validators that this one does not. */
  readonly policy: ClaimPolicy | null;
  /** As in "7c43717b03d0b05a… is on record (entry 33)". */
  readonly where: string;
}

/** Strangers whose policies are kept. */
const MOST_STRANGERS = 256;

/** Where nothing is on record, a recorder goes by this. */
const UNRECORDED: KnownPolicy = {
  hash: policyHash(DEFAULT_POLICY),
  policy: DEFAULT_POLICY,
  where: 'the default policy is in force where none is on record',
};

/** Stands for those of strangers past the bound. */
const UNKEPT: KnownPolicy = {
  hash: '',
  policy: null,
  where: 'more keys accepted policies here than this verifier keeps',
};

export class RecordedPolicies {
  readonly #findings: Findings;
  readonly #identity: Pick<IdentityCheck, 'origin'>;
  readonly #authority: Pick<AuthorityCheck, 'isOperator' | 'knowsOperators'>;
  readonly #accepted = new Acceptances<KnownPolicy>();
  #isFull = false;

  constructor(
    findings: Findings,
    identity: Pick<IdentityCheck, 'origin'>,
    authority: Pick<AuthorityCheck, 'isOperator' | 'knowsOperators'>,
  ) {
    this.#findings = findings;
    this.#identity = identity;
    this.#authority = authority;
  }

  /** A `policy` entry. Throws ParseError. */
  take(entry: Entry): void {
    const problem = this.#problem(entry);
    if (problem !== undefined) this.#findings.add('POLICY_INVALID', entry.seq, problem);
  }

  /** Why the policy counts for nothing; undefined where it is taken. */
  #problem({ seq, prev_hash: prevHash, payload }: Entry): string | undefined {
    const { claimPolicy, policyHash: hash, accepted } = parsePolicyRecord(payload);
    const { origin } = this.#identity;
    if (policyHashOf(claimPolicy) !== hash) return "the policy doesn't match the hash next to it";
    const whose = accepted === null ? '' : `, accepted by ${accepted.by}`;
    const where = `${hash.slice(0, 16)}… is on record (entry ${seq}${whose})`;
    const known = { hash, policy: understood(claimPolicy), where };
    if (accepted === null)
      return this.#accepted.begin(known)
        ? undefined
        : 'no operator accepted the policy, and it is not the first: the one before it stays in force';
    const { by, signature } = accepted;
    const message =
      origin === undefined ? undefined : policyMessage({ origin, seq, prevHash, policyHash: hash });
    if (message !== undefined && !ed25519Verify(operatorKey(by).publicKey, message, parseBase64(signature)))
      return "the person named as having accepted the policy didn't sign it";
    const isKnown = this.#authority.isOperator(by) === 'pass';
    if (isKnown || this.#accepted.unknown.length < MOST_STRANGERS) this.#accepted.accept(known, by, isKnown);
    this.#isFull = !isKnown && (this.#isFull || this.#accepted.unknown.length >= MOST_STRANGERS);
    return undefined;
  }

  /** What an entry may go by, the one in force for this verifier first; empty where nothing is on record. */
  #candidates(): readonly KnownPolicy[] {
    const { inForce, unknown } = this.#accepted;
    if (inForce === undefined && unknown.length === 0) return [];
    return [inForce ?? UNRECORDED, ...unknown];
  }

  /** The one of that hash, or else the one in force for this verifier. */
  named(hash: string): ClaimPolicy | null {
    const candidates = this.#candidates();
    const found = candidates.find((each) => each.hash === hash) ?? candidates[0] ?? UNRECORDED;
    return found.policy;
  }

  /**
   * Under which others an entry of that policy must hold. A verifier who knows operators knows which one is in force; one
   * who knows none can't rule out any.
   */
  rivals(hash: string): readonly KnownPolicy[] {
    const [inForce, ...unknown] = this.#candidates();
    if (inForce === undefined) return [];
    const { knowsOperators } = this.#authority;
    const possible = knowsOperators ? [inForce] : [inForce, ...unknown, ...(this.#isFull ? [UNKEPT] : [])];
    return possible.filter((each) => each.hash !== hash);
  }

  /** Holds an entry's policy against those on record; where none is, there is nothing to hold it against. */
  check(hash: string, seq: number): void {
    const candidates = this.#candidates();
    if (candidates.length === 0 || candidates.some((each) => each.hash === hash)) return;
    const names = `it names policy ${hash.slice(0, 16)}…`;
    if (this.#isFull) this.#findings.add('POLICY_UNSETTLED', seq, `${names}, and ${UNKEPT.where}`);
    else this.#findings.add('POLICY_MISMATCH', seq, `${names}, and ${candidates.at(-1)?.where}`);
  }

  /** Of a gate: would another policy, which may have been in force, have found more claims in the message? */
  checkReading(hash: string, seq: number): void {
    const policy = this.named(hash);
    if (policy === null) return;
    const rival = this.rivals(hash).find((each) => findsFewer(policy, each.policy ?? DEFAULT_POLICY));
    if (rival !== undefined) this.addUnsettled(hash, seq, 'it looks for fewer claims', rival);
  }

  /** `what` the entry does by its policy, and would not by the rival. */
  addUnsettled(hash: string, seq: number, what: string, { where }: KnownPolicy): void {
    const text = `${what} under policy ${hash.slice(0, 16)}… than under another one that may have been in force: ${where}. List the operators that you trust in trust.yaml`;
    this.#findings.add('POLICY_UNSETTLED', seq, text);
  }
}

/** What one policy passes over in a message, or doesn't look for, and the other does. */
function findsFewer({ phrases: { add, remove } }: ClaimPolicy, other: ClaimPolicy): boolean {
  const isAdded = ({ type, phrase }: ClaimPolicy['phrases']['add'][number]): boolean =>
    add.some((each) => each.type === type && each.phrase === phrase);
  return remove.some((phrase) => !other.phrases.remove.includes(phrase)) || !other.phrases.add.every(isAdded);
}

function understood(policy: JsonObject): ClaimPolicy | null {
  try {
    return parseClaimPolicy(policy);
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}
