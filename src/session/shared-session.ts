// What several processes must know of one session that they write to, as a run with hooks and gateway in it: how far its
// chain has come, whose turns count, and which key it began with. Kept by the store, and not by the environment, where
// anybody could put the id of a key that is not theirs. Disposable: where it is lost, who joins has no key and counts
// nothing.
import { utf8Decode, utf8Encode } from '#platform';
import { isHash } from '../core/index.ts';
import { type Chain, newChain } from './life-cycle.ts';

export interface SharedSession extends Chain {
  /** Whose turns are the interactions; null where that is not known any more. */
  readonly source: string | null;
  /** The id of the key that it began with; null where there is none, or the session has ended. */
  readonly authKey: string | null;
}

/** The state of the store that holds it. */
export function sharedState(session: string): string {
  return `foil.session.${session.slice(0, 32)}`;
}

export function encodeShared({ session, sequence, hash, source, authKey }: SharedSession): Uint8Array {
  return utf8Encode(JSON.stringify({ session, sequence, hash, source, authKey }));
}

/** One that can't be read counts as none. */
export function parseShared(bytes: Uint8Array | undefined, session: string): SharedSession {
  const none: SharedSession = { ...newChain(session), source: null, authKey: null };
  if (bytes === undefined) return none;
  try {
    const found: unknown = JSON.parse(utf8Decode(bytes));
    if (!isChain(found) || found.session !== session) return none;
    const { source, authKey } = found as Partial<SharedSession>;
    return {
      ...found,
      source: typeof source === 'string' ? source : null,
      authKey: isHash(authKey) ? authKey : null,
    };
  } catch {
    return none;
  }
}

/** Nobody joins it any more. Undefined where nobody could. */
export function unshared(bytes: Uint8Array | undefined, session: string): Uint8Array | undefined {
  return bytes === undefined ? undefined : encodeShared({ ...parseShared(bytes, session), authKey: null });
}

export function isChain(value: unknown): value is Chain {
  if (typeof value !== 'object' || value === null) return false;
  const { session, sequence, hash } = value as Partial<Chain>;
  return (
    isHash(session) &&
    isHash(hash) &&
    typeof sequence === 'number' &&
    Number.isSafeInteger(sequence) &&
    sequence >= 0
  );
}
