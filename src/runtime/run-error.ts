// What keeps a run from being started, continued or replayed. The messages say what to do next.

export type RunErrorCode =
  | 'NOT_A_MODULE'
  | 'CODE_CHANGED'
  | 'SECRET'
  | 'NOT_LAST'
  | 'LOST'
  | 'CONTINUED'
  | 'NOT_A_RUN'
  | 'NO_EVENT'
  | 'CLOSED'
  | 'DIVERGED'
  | 'CONTENT_GONE'
  | 'NO_SANDBOX'
  | 'NO_MODEL'
  | 'NOT_REPLAYED';

export class RunError extends Error {
  override readonly name = 'RunError';
  readonly code: RunErrorCode;

  constructor(code: RunErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
