// What is said where a policy or grants are signed by a key that this user doesn't know as an operator's, or that was revoked:
// they aren't in force here.
import { encodeVerifierKey, type Signer, StoreError, type VerifierKey } from '../core/index.ts';
import { assertNotRevoked } from '../ledger/index.ts';
import { isKnownOperator, type Operators } from '../policy/index.ts';
import { harmless } from '../report/index.ts';

/** `what` wouldn't be in force here, as in "the policy" or "the grants". */
export function assertKnownOperator(operators: Operators, signer: Signer, what: string): void {
  assertNotRevoked(operators, signer);
  const vkey = encodeVerifierKey(signer as VerifierKey);
  if (!isKnownOperator(operators, vkey))
    throw new StoreError(
      'KEY',
      `your trust.yaml doesn't name your operator key, so ${what} wouldn't be in force. Add it there under operators: "- vkey: ${vkey}".`,
    );
}

/** `what` is the beginning of a sentence about what the entry has. */
export function unknownOperatorText(what: string, acceptedBy: string, isRevoked: boolean): string {
  const by = harmless(acceptedBy);
  if (isRevoked)
    return `
${what} accepted by
${by}, and that operator had been revoked before.
If you didn't expect this, whoever has that key can still write to your ledger.
`;
  return `
${what} accepted by
${by}, and your trust.yaml doesn't name that key.
If it's an operator's key, add it to trust.yaml under operators: "- vkey: ${by}".
If you don't know the key, somebody else can write to your ledger.
`;
}
