// Why an attester says nothing. A refusal is not a FAIL: nothing was run to its end, or it would not be about this run.

export type AttestCode =
  | 'BAD_BUNDLE'
  | 'RUN_FAILS' // verification of the bundle itself
  | 'POLICY_UNKNOWN' // arguments that a rule looks at are not shown
  | 'NO_PACK_BOUND' // the run names no pack
  | 'OTHER_PACK' // than the run names
  | 'NO_OUTPUTS' // the pack does not say what a run makes
  | 'NO_VERIFICATION' // the pack does not say how it is judged
  | 'BAD_VERIFICATION' // the pack asks for what can't be done
  | 'NEEDS_JUDGE' // a rubric, and nobody to ask
  | 'NO_JUDGE_KEY' // for the provider of the judge's model
  | 'SECRET_RUBRIC' // of an encrypted pack, and it may not leave the machine
  | 'RECEIPT_MISSING' // no trusted gateway vouches for a model call of the run
  | 'TOO_MUCH_TO_JUDGE'
  | 'NOT_TEXT' // the rubric or an artifact, so that a judge can't read it
  | 'TOO_FEW_VOTES'
  | 'VOTE_UNRECEIPTED'
  | 'NO_ARTIFACTS'
  | 'NO_ARTIFACT_HASH' // the run recorded none
  | 'OTHER_ARTIFACTS' // than the run recorded
  | 'NO_DECRYPTION_KEY'
  | 'NO_SANDBOX'
  | 'NO_MEMORY_FOLDER' // an encrypted pack must not touch a disk
  | 'NOT_STARTED' // the command, in the sandbox
  | 'CANCELLED'
  | 'NOT_FOR_OTHERS' // what other tools can read can't be made of this
  | 'TOO_MANY_ATTEMPTS'
  | 'BAD_ANSWER'; // by an attester elsewhere, and about something else

/** The message says what to do next. */
export class AttestError extends Error {
  override readonly name = 'AttestError';
  readonly code: AttestCode;

  constructor(code: AttestCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
