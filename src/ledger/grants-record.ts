// Which grants are in force: the newest ones that an operator signed for their place, of those whom the reader knows. A
// ledger without any grants nothing and denies nothing. A note beside the ledger has the newest in full, to be found by
// their hash without reading all of it. It is derived and disposable, and never says which are in force.
import { ed25519Verify } from '#platform';
import {
  encodeBase64,
  encodeVerifierKey,
  grantsMessage,
  type JsonObject,
  parseBase64,
  policyHashOf,
  type Signer,
  type VerifierKey,
} from '../core/index.ts';
import {
  type Entry,
  encodeGrants,
  encodeGrantsRecord,
  type GrantsRecord,
  type GrantTexts,
  operatorKey,
  parseGrantsRecord,
} from '../format/index.ts';
import { encodeBlock } from './block.ts';
import { readIdentity } from './epochs.ts';
import { type AcceptedIn, acceptedIn, type KnownOperators, type OperatorTrail } from './operator-trail.ts';
import type { Clock, EntryLog } from './ports.ts';

export interface RecordedGrants extends GrantsRecord {
  /** Of its entry. */
  readonly seq: number;
  readonly ts: string;
}

/** The note's name among the states. */
export const GRANTS_STATE = 'foil.grants';

export function grantsHashOf(grants: GrantTexts): string {
  return policyHashOf(encodeGrants(grants));
}

/** Undefined where there is no note, or none of ours: then the entries must be asked. Who signed it is not looked at. */
export function parseGrantsNote(bytes: Uint8Array | undefined): RecordedGrants | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { seq, ts, payload } = JSON.parse(new TextDecoder().decode(bytes)) as {
      seq: number;
      ts: string;
      payload: JsonObject;
    };
    const record = parseGrantsRecord(payload);
    const isSound = Number.isSafeInteger(seq) && grantsHashOf(record.grants) === record.grantsHash;
    return isSound ? { ...record, seq, ts } : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for an entry that is none, or whose operator did not sign it for this place. */
function readGrantsEntry(entry: Entry, origin: string): RecordedGrants | undefined {
  if (entry.kind !== 'grants') return undefined;
  try {
    const record = parseGrantsRecord(entry.payload);
    const { grantsHash, accepted } = record;
    const message = grantsMessage({ origin, seq: entry.seq, prevHash: entry.prev_hash, grantsHash });
    const isSigned = ed25519Verify(
      operatorKey(accepted.by).publicKey,
      message,
      parseBase64(accepted.signature),
    );
    if (!isSigned || grantsHashOf(record.grants) !== grantsHash) return undefined;
    return { ...record, seq: entry.seq, ts: entry.ts };
  } catch {
    return undefined;
  }
}

export interface GrantsStanding extends Omit<AcceptedIn<RecordedGrants>, 'inForce'> {
  /** Null where there are none: then authority is unknown, and no call is refused for lack of a grant. */
  readonly inForce: RecordedGrants | null;
}

export async function grantsStanding(trail: OperatorTrail, known: KnownOperators): Promise<GrantsStanding> {
  const accepted = await acceptedIn(trail, known, (entry) => readGrantsEntry(entry, trail.origin));
  return { ...accepted, inForce: accepted.inForce ?? null };
}

/** Writes the note again, unless it is of these. Nothing is appended. */
export async function noteGrants(
  store: Pick<EntryLog, 'append' | 'readState'>,
  grants: RecordedGrants,
): Promise<void> {
  const isNoted = (note: Uint8Array | undefined): boolean =>
    parseGrantsNote(note)?.grantsHash === grants.grantsHash;
  if (isNoted(await store.readState(GRANTS_STATE))) return;
  const state = encodeNote(grants);
  await store.append(
    (head, before) => (isNoted(before) ? undefined : { lines: new Uint8Array(0), head, state }),
    { state: GRANTS_STATE },
  );
}

function encodeNote(grants: RecordedGrants): Uint8Array {
  const { seq, ts } = grants;
  return new TextEncoder().encode(JSON.stringify({ seq, ts, payload: encodeGrantsRecord(grants) }));
}

/** From here on these are in force. The operator signs the very place in the ledger. */
export async function acceptGrants(
  {
    store,
    now = Date.now,
  }: { readonly store: Pick<EntryLog, 'append' | 'read' | 'head'>; readonly now?: Clock },
  grants: GrantTexts,
  operator: Signer,
): Promise<RecordedGrants> {
  const { origin } = await readIdentity(store);
  const grantsHash = grantsHashOf(grants);
  const by = encodeVerifierKey(operator as VerifierKey);
  let recorded: RecordedGrants | undefined;
  await store.append(
    (head) => {
      const seq = head.seq + 1;
      const message = grantsMessage({ origin, seq, prevHash: head.hash, grantsHash });
      const record = {
        grants,
        grantsHash,
        accepted: { by, signature: encodeBase64(operator.sign(message)) },
      };
      const payload = encodeGrantsRecord(record);
      const at = now();
      recorded = { ...record, seq, ts: new Date(at).toISOString() };
      const state = encodeNote(recorded);
      return { ...encodeBlock([{ kind: 'grants', payload, source: 'ledger' }], head, at), state };
    },
    { state: GRANTS_STATE },
  );
  if (recorded === undefined) throw new RangeError('the store did not ask for the entry');
  return recorded;
}
