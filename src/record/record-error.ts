// What a program is told when something could not be recorded. It fails closed, so the error stands for what was not
// done, or for a result that is withheld.

export type RecordCode =
  | 'AUDIT_APPEND_FAILED' // it could not be made durable: the tool did not run, or its result is withheld
  | 'AUDIT_BUFFER_FULL' // too much waits for a session to begin
  | 'AUTH_REFUSED' // its session has no good auth key; it is on record that it was refused
  | 'CALL_NOT_GRANTED' // its session was not granted it; it is on record that it was refused
  | 'CALL_REFUSED' // it would change its own recording; it is on record that it was refused
  | 'SESSION_ENDED'
  | 'NO_SESSION'; // the recorder was closed before one began

/** Something could not be recorded, so it was not done, or its result is withheld. `cause` says why. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly code: RecordCode;

  constructor(code: RecordCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** RecordErrors pass through. */
export function appendFailed(what: string, cause: unknown): RecordError {
  if (cause instanceof RecordError) return cause;
  const why = cause instanceof Error ? cause.message : 'for an unknown reason';
  return new RecordError('AUDIT_APPEND_FAILED', `${what} could not be recorded: ${why}`, { cause });
}
