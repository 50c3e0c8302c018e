// Whether a session may go on with the key that it began with, for recorders of programs and wires. Looked at before every
// prompt and call, in the files of the key store, so that a revocation holds at once. In observe it is only told of.
import { type AuthTime, encodeAuthFail } from '../format/index.ts';
import type { NewEntry } from '../ledger/index.ts';
import { readSettings } from '../ledger/index.ts';
import type { Auth, AuthFailure } from '../session/index.ts';
import { RecordError } from './record-error.ts';

export interface AuthGuard {
  readonly auth: Auth;
  /** Is what has no good key refused, or only told of? */
  readonly enforced: () => boolean;
  /** The key of a session that somebody else began, and we join. */
  readonly joinedKey?: string | null;
}

/** Unless the ledger's mode is observe. Settings that can't be read say nothing, so they count as guard. */
export function isAuthEnforced(ledger: string): boolean {
  try {
    return readSettings(ledger).mode !== 'observe';
  } catch {
    return true;
  }
}

export function authFailEntry(
  where: Pick<NewEntry, 'source' | 'session_id' | 'cause'>,
  { reason, key }: AuthFailure,
  at: AuthTime,
): NewEntry {
  return { ...where, kind: 'auth.fail', payload: encodeAuthFail({ reason, key, at }) };
}

/** Nothing of it is done; what was to be done is on record. */
export function authRefused({ message }: AuthFailure): RecordError {
  return new RecordError('AUTH_REFUSED', message);
}
