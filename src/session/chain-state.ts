// The chain of a session that several processes write to, as a run with hooks and gateway in it: kept by the store, beside
// what each of them knows for itself.
import { utf8Decode, utf8Encode } from '#platform';
import { isHash } from '../core/index.ts';
import { type Chain, newChain } from './life-cycle.ts';

export interface SharedChain extends Chain {
  /** Whose turns are the interactions; null where that is not known any more. */
  readonly source: string | null;
}

/** The state of the store that holds it. */
export function chainState(session: string): string {
  return `foil.chain.${session.slice(0, 32)}`;
}

export function encodeChain({ session, sequence, hash, source }: SharedChain): Uint8Array {
  return utf8Encode(JSON.stringify({ session, sequence, hash, source }));
}

/** One that can't be read counts as none, and nobody goes on with it: a verifier says what is missing. */
export function parseChain(bytes: Uint8Array | undefined, session: string): SharedChain {
  const none: SharedChain = { ...newChain(session), source: null };
  if (bytes === undefined) return none;
  try {
    const found: unknown = JSON.parse(utf8Decode(bytes));
    if (!isChain(found) || found.session !== session) return none;
    const { source } = found as Partial<SharedChain>;
    return { ...found, source: typeof source === 'string' ? source : null };
  } catch {
    return none;
  }
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
