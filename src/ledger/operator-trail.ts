// What was accepted in a ledger, and by whom: policies and grants count if whoever signed them was, at that place, an
// operator whom the reader knows. Anybody can make a key and sign: what somebody unknown accepted counts for nothing.
import { encodeVerifierKey, type VerifierKey } from '../core/index.ts';
import { type Entry, OPERATOR_KINDS } from '../format/index.ts';
import { Acceptances, firstOperators, isKnownOperator, standingOf } from '../policy/index.ts';
import { entriesOf, readIdentity } from './epochs.ts';
import { operatorsBehind } from './operator-record.ts';
import type { LogReader } from './ports.ts';

/** What decides which policy and which grants are in force, as far as it was read. */
export interface OperatorTrail {
  readonly origin: string;
  /** The last entry that was read. */
  readonly seq: number;
  /** Policies, grants, and who became an operator or is one no more. */
  readonly entries: readonly Entry[];
}

const TRAIL_KINDS = ['policy', 'grants', ...Object.keys(OPERATOR_KINDS)];

/** Reads the whole log, or on from what was read before. */
export async function readOperatorTrail(store: LogReader, before?: OperatorTrail): Promise<OperatorTrail> {
  // The head comes first: reading it fails if the ledger is gone.
  const { seq } = await store.head();
  const { origin } = await readIdentity(store);
  const isSame = before?.origin === origin && before.seq <= seq;
  const entries = isSame ? [...before.entries] : [];
  const from = isSame ? before.seq + 1 : 1;
  for await (const entry of entriesOf(store, from, seq, TRAIL_KINDS)) entries.push(entry);
  return { origin, seq, entries };
}

/** The operators whom the reader trusts. Asked for only if somebody accepted something. */
export type KnownOperators = () => Promise<readonly VerifierKey[]>;

export interface AcceptedIn<T> {
  /** Undefined where there is none. */
  readonly inForce: T | undefined;
  /** Those of operators whom the reader knows, oldest first. */
  readonly counted: readonly T[];
  /** Since what is in force, the newest of each key that the reader does not know as an operator's. */
  readonly unknown: readonly T[];
  /** The newest of those is a revoked operator's. */
  readonly isRevoked: boolean;
}

/** `read` gives what an entry accepts; undefined where it accepts nothing, or whoever is named did not sign it for its place. */
export async function acceptedIn<T extends { readonly accepted: { readonly by: string } | null }>(
  { origin, entries }: OperatorTrail,
  known: KnownOperators,
  read: (entry: Entry) => T | undefined,
): Promise<AcceptedIn<T>> {
  const found = entries.map((entry) => ({ entry, accepts: read(entry) }));
  const isAsked = found.some(({ accepts }) => accepts !== undefined && accepts.accepted !== null);
  let operators = firstOperators(isAsked ? (await known()).map((key) => encodeVerifierKey(key)) : []);
  const accepted = new Acceptances<T>();
  const counted: T[] = [];
  let isRevoked = false;
  for (const { entry, accepts } of found) {
    if (Object.hasOwn(OPERATOR_KINDS, entry.kind)) operators = operatorsBehind(operators, entry, origin);
    else if (accepts === undefined) continue;
    else if (accepts.accepted === null) accepted.begin(accepts);
    else {
      const { by } = accepts.accepted;
      const isKnown = isKnownOperator(operators, by);
      accepted.accept(accepts, by, isKnown);
      isRevoked = !isKnown && standingOf(operators, by) === 'revoked';
      if (isKnown) counted.push(accepts);
    }
  }
  return { inForce: accepted.inForce, counted, unknown: accepted.unknown, isRevoked };
}

/**
 * Was the key enrolled only after that entry? What it accepted there counts for its own user, and not for those who know
 * the key by the enrolment.
 */
export function isBeforeEnrolment({ origin, entries }: OperatorTrail, seq: number, key: string): boolean {
  const changes = entries.filter((entry) => Object.hasOwn(OPERATOR_KINDS, entry.kind) && entry.seq > seq);
  const { enrolled } = changes.reduce(
    (operators, entry) => operatorsBehind(operators, entry, origin),
    firstOperators([]),
  );
  return enrolled.has(key);
}
