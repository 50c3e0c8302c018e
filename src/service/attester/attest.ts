// What an attester does with a submission, as the server sees it: bytes in, a signed envelope out, or a refusal. The server
// knows nothing of packs, bundles and sandboxes, and never looks into what it passes on.

export interface AttestJob {
  /** A pack, or the JWE of an encrypted one. */
  readonly pack: Uint8Array;
  readonly bundle: Uint8Array;
  readonly artifacts: Uint8Array;
  /** From 1: the how many-th time this submission is run. One that was cut off by a crash counts, too. */
  readonly attempt: number;
}

/**
 * The bytes of a DSSE envelope. Throws an error with a `code` for a submission that can't be attested; anything else that
 * is thrown is taken for a fault of the attester, and tried again. Ends soon after `signal` was aborted, and leaves no
 * process behind.
 */
export type Attest = (job: AttestJob, signal: AbortSignal) => Promise<Uint8Array>;

export interface Refused {
  readonly code: string;
  readonly message: string;
}

const LONGEST_MESSAGE = 1000;

/** Null where what was thrown is a fault of ours: the system's errors have a code as well. */
export function refusalOf(error: unknown): Refused | null {
  if (!(error instanceof Error)) return null;
  const { code, errno, syscall } = error as { code?: unknown; errno?: unknown; syscall?: unknown };
  if (typeof code !== 'string' || errno !== undefined || syscall !== undefined) return null;
  if (!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(code) || code.startsWith('ERR_')) return null;
  return { code, message: plain(error.message) };
}

/** In one line, bounded. */
function plain(message: string): string {
  return message
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .slice(0, LONGEST_MESSAGE)
    .toWellFormed();
}
