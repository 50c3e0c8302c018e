// Whose signature a validation needs, and which policy is in force: the validator's newest key and the newest policy, as
// the entries before tell of them. A key counts only under a certificate of the ledger's key of that place.
import { ed25519Verify } from '#platform';
import {
  type JsonObject,
  ParseError,
  parseBase64,
  parseHex,
  policyHashOf,
  policyMessage,
  validationMessage,
  validatorKeyMessage,
} from '../core/index.ts';
import {
  type Entry,
  operatorKey,
  parsePolicyRecord,
  parseValidatorKey,
  type SignedValidation,
} from '../format/index.ts';
import { type ClaimPolicy, DEFAULT_POLICY, parseClaimPolicy } from '../policy/index.ts';
import type { AuthorityCheck } from './authority-check.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';

export class ValidatorEpochs {
  readonly #findings: Findings;
  readonly #identity: Pick<IdentityCheck, 'origin' | 'current'>;
  #key: { readonly version: number; readonly publicKey: Uint8Array; readonly seq: number } | undefined;
  /**
   * By their hashes, null for one that is not understood: the one in force, and what others accepted since whom the verifier
   * does not know as operators. The recorder may know them, or not, so an entry may go by any of these.
   */
  readonly #policies = new Map<string, ClaimPolicy | null>();
  /** One of these is in force whoever is an operator. */
  #isSettled = false;
  #newest = '';
  readonly #authority: Pick<AuthorityCheck, 'standing'>;

  constructor(
    findings: Findings,
    identity: Pick<IdentityCheck, 'origin' | 'current'>,
    authority: Pick<AuthorityCheck, 'standing'>,
  ) {
    this.#findings = findings;
    this.#identity = identity;
    this.#authority = authority;
  }

  /** A `validator.key` entry. Throws ParseError. */
  key({ seq, payload }: Entry): void {
    const { version, publicKey, certificate } = parseValidatorKey(payload);
    const { origin, current } = this.#identity;
    const due = (this.#key?.version ?? 0) + 1;
    const key = parseHex(publicKey, 32);
    if (version !== due) {
      const text = `version ${version} of the validator key is there, but version ${due} was expected`;
      this.#findings.add('VALIDATOR_KEY_INVALID', seq, text);
    } else if (
      origin === undefined ||
      current === undefined ||
      !ed25519Verify(
        current.publicKey,
        validatorKeyMessage({ origin, version, publicKey: key }),
        parseBase64(certificate),
      )
    ) {
      const text = `version ${version} of the validator key is not certified by the ledger's key at entry ${seq}`;
      this.#findings.add('VALIDATOR_KEY_INVALID', seq, text);
    } else this.#key = { version, publicKey: key, seq };
  }

  /** A `policy` entry. Throws ParseError. */
  setPolicy({ seq, prev_hash: prevHash, payload }: Entry): void {
    const { claimPolicy, policyHash, accepted } = parsePolicyRecord(payload);
    const { origin } = this.#identity;
    if (policyHashOf(claimPolicy) !== policyHash) {
      this.#findings.add('POLICY_INVALID', seq, "the policy doesn't match the hash next to it");
      return;
    }
    if (accepted === null && this.#isSettled) {
      const text =
        'no operator accepted the policy, and it is not the first: the one before it stays in force';
      this.#findings.add('POLICY_INVALID', seq, text);
      return;
    }
    if (accepted !== null && origin !== undefined) {
      const message = policyMessage({ origin, seq, prevHash, policyHash });
      if (!ed25519Verify(operatorKey(accepted.by).publicKey, message, parseBase64(accepted.signature))) {
        this.#findings.add(
          'POLICY_INVALID',
          seq,
          "the person named as having accepted the policy didn't sign it",
        );
        return;
      }
    }
    const isKnown = accepted !== null && this.#authority.standing(accepted.by) === 'operator';
    if (isKnown) this.#policies.clear();
    this.#isSettled ||= isKnown || accepted === null;
    this.#policies.set(policyHash, understood(claimPolicy));
    this.#newest = `${policyHash.slice(0, 16)}… is on record (entry ${seq}${accepted === null ? '' : `, accepted by ${accepted.by}`})`;
  }

  /** The one of that hash, or else the newest. Where none is on record, it is what a project's own may only narrow. */
  policy(policyHash: string): ClaimPolicy | null {
    const [newest = DEFAULT_POLICY] = [...this.#policies.values()].slice(-1);
    return this.#policies.has(policyHash) ? (this.#policies.get(policyHash) ?? null) : newest;
  }

  /** Why a signature does not hold; undefined where it does. */
  forgery(validation: SignedValidation, { session_id: sessionId, payload }: Entry): string | undefined {
    const { keyVersion, signature } = validation;
    const { origin } = this.#identity;
    if (origin === undefined || sessionId === null) return 'it belongs to no session';
    if (this.#key === undefined || keyVersion > this.#key.version)
      return `no entry before it introduces version ${keyVersion} of the validator key`;
    if (keyVersion < this.#key.version)
      return `it is by version ${keyVersion} of the validator key, which entry ${this.#key.seq} replaced`;
    const message = validationMessage({ origin, sessionId, payload });
    return ed25519Verify(this.#key.publicKey, message, parseBase64(signature))
      ? undefined
      : 'the validator key did not sign it, or not for this session and claim';
  }

  /** Holds an entry's policy against the one on record; where none is, there is nothing to hold it against. */
  checkPolicy(policyHash: string, seq: number): void {
    if (this.#policies.size === 0 || this.#policies.has(policyHash)) return;
    const text = `it names policy ${policyHash.slice(0, 16)}…, and ${this.#newest}`;
    this.#findings.add('POLICY_MISMATCH', seq, text);
  }
}

/** A newer version may know validators that this one does not. */
function understood(policy: JsonObject): ClaimPolicy | null {
  try {
    return parseClaimPolicy(policy);
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}
