// Did the validator's key sign this validation, for this session and claim? A quick look for readers; the whole check,
// with certificates and places, is the verifier's.
import { ed25519Verify } from '#platform';
import { parseBase64, parseHex, validationMessage } from '../core/index.ts';
import type { Entry, SignedValidation } from '../format/index.ts';
import type { ValidatorEpoch } from '../ledger/index.ts';

/** Null where it holds, else why not. Never throws. */
export function signatureProblem(
  { seq, session_id: sessionId, payload }: Entry,
  { keyVersion, signature }: SignedValidation,
  keys: readonly ValidatorEpoch[],
  origin: string,
): string | null {
  const key = keys.findLast((each) => each.seq < seq);
  if (sessionId === null) return 'it belongs to no session';
  if (key === undefined || key.version !== keyVersion)
    return `version ${keyVersion} of the validator key was not the valid one at that place`;
  try {
    const message = validationMessage({ origin, sessionId, payload });
    return ed25519Verify(parseHex(key.publicKey, 32), message, parseBase64(signature))
      ? null
      : 'the validator key did not sign it';
  } catch {
    return "the signature can't be read";
  }
}
