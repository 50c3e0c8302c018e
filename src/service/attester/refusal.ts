// What a submission is refused for, as the one who posted it is told. The work throws an error with a code for that. Other
// errors are faults of the attester: the job is tried again, and nobody is told what they say.
export interface Refused {
  readonly code: string;
  readonly message: string;
}

export interface Refusal extends Refused {
  /** It is no fault of the submission: once the operator has seen to it, the same one may be posted anew. */
  readonly again: boolean;
}

const LONGEST_MESSAGE = 1000;
const OWN_FAULTS: ReadonlySet<string> = new Set([
  ...['NO_SANDBOX', 'NO_MEMORY_FOLDER', 'NEEDS_JUDGE', 'NO_JUDGE_KEY', 'SECRET_RUBRIC'],
  ...['RECEIPT_MISSING', 'TOO_FEW_VOTES', 'VOTE_UNRECEIPTED'],
]);

/** Null where what was thrown is another error. Those of the system have a code as well. */
export function refusalOf(error: unknown): Refusal | null {
  if (!(error instanceof Error)) return null;
  const { code, errno, syscall } = error as { code?: unknown; errno?: unknown; syscall?: unknown };
  if (typeof code !== 'string' || errno !== undefined || syscall !== undefined) return null;
  if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(code) || code.startsWith('ERR_')) return null;
  return { code, message: oneLine(error.message), again: OWN_FAULTS.has(code) };
}

function oneLine(message: string): string {
  return message
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .slice(0, LONGEST_MESSAGE)
    .toWellFormed();
}
