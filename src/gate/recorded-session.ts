// A claim on record and the session it belongs to, read back from the ledger for somebody who asks about it later.
// Nothing but entries is believed; what can't be parsed counts as nothing.
import { isHash, ParseError } from '../core/index.ts';
import { type Entry, parseClaim, type RecordedClaim, type RecordedContract } from '../format/index.ts';
import { entriesOf, type LogReader } from '../ledger/index.ts';
import { readSessionRecord, type SessionRecord } from './ledger-evidence.ts';

export interface RecordedSession {
  readonly session: string;
  /** Where it worked; null where that is not on record. */
  readonly root: string | null;
  readonly claim: { readonly seq: number; readonly claim: RecordedClaim };
  /** Of the prompt that the claim answers. */
  readonly contract: { readonly seq: number; readonly contract: RecordedContract } | null;
  readonly record: SessionRecord;
}

export interface ClaimWanted {
  /** A session's id or the beginning of one; null for the newest that claims something. */
  readonly session: string | null;
  /** The seq of the claim; null for the newest that `isWanted`. */
  readonly claim: number | null;
  readonly isWanted: (claim: RecordedClaim) => boolean;
}

/** Null where there is no such claim. Reads the whole log, once for the claim and once for its session. */
export async function readSessionOf(store: LogReader, wanted: ClaimWanted): Promise<RecordedSession | null> {
  const { seq: to } = await store.head();
  let found: { readonly entry: Entry; readonly claim: RecordedClaim } | undefined;
  for await (const entry of entriesOf(store, 2, to, ['claim'])) {
    const claim = claimIn(entry);
    if (claim === undefined || !isHash(entry.session_id)) continue;
    const isOfSession = wanted.session === null || entry.session_id.startsWith(wanted.session);
    const isIt = wanted.claim === null ? wanted.isWanted(claim) : entry.seq === wanted.claim;
    if (isOfSession && isIt) found = { entry, claim };
  }
  const session = found?.entry.session_id;
  if (found === undefined || !isHash(session)) return null;
  const { seq } = found.entry;
  const record = await readSessionRecord(store, session, to);
  const root = record.start?.payload.workspace_root;
  const contract = record.contractAt(seq);
  return {
    session,
    root: typeof root === 'string' ? root : null,
    claim: { seq, claim: found.claim },
    contract: contract === null ? null : { seq: contract.entry.seq, contract: contract.value },
    record,
  };
}

function claimIn({ payload }: Entry): RecordedClaim | undefined {
  try {
    return parseClaim(payload);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
