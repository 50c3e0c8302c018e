// Whose signature a validation needs: that of the validator's newest key, as the entries before it tell. A key counts only
// under a certificate of the ledger's key of that place.
import { ed25519Verify } from '#platform';
import { parseBase64, parseHex, validationMessage, validatorKeyMessage } from '../core/index.ts';
import { type Entry, parseValidatorKey, type SignedValidation } from '../format/index.ts';
import type { Findings } from './findings.ts';
import type { IdentityCheck } from './identity-check.ts';

export class ValidatorEpochs {
  readonly #findings: Findings;
  readonly #identity: Pick<IdentityCheck, 'origin' | 'current'>;
  #key: { readonly version: number; readonly publicKey: Uint8Array; readonly seq: number } | undefined;

  constructor(findings: Findings, identity: Pick<IdentityCheck, 'origin' | 'current'>) {
    this.#findings = findings;
    this.#identity = identity;
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
}
