// Which grants are in force: those of the newest `grants` entry whose signature is right. Every one of them was accepted by
// an operator; a ledger without any grants nothing and denies nothing. A note beside the ledger saves reading all of it;
// it is derived and disposable.
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
import { entriesOf, readIdentity } from './epochs.ts';
import type { Clock, Store } from './ports.ts';

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

/** Null where nothing was accepted yet. Undefined where there is no note, or none of ours: then the entries must be asked. */
export function parseGrantsNote(bytes: Uint8Array | undefined): RecordedGrants | null | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { seq, ts, payload } = JSON.parse(new TextDecoder().decode(bytes)) as {
      seq: number;
      ts: string;
      payload: JsonObject | null;
    };
    if (payload === null) return null;
    const record = parseGrantsRecord(payload);
    const isSound = Number.isSafeInteger(seq) && grantsHashOf(record.grants) === record.grantsHash;
    return isSound ? { ...record, seq, ts } : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined for an entry that is none, or whose operator did not sign it for this place. */
export function readGrantsEntry(entry: Entry, origin: string): RecordedGrants | undefined {
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

/** Every set of grants that an operator accepted from entry `from` on, oldest first. Reads the log from there. */
export async function readGrants(store: Pick<Store, 'read' | 'head'>, from = 1): Promise<RecordedGrants[]> {
  const { origin } = await readIdentity(store);
  const found: RecordedGrants[] = [];
  for await (const entry of entriesOf(store, from, (await store.head()).seq, ['grants'])) {
    const grants = readGrantsEntry(entry, origin);
    if (grants !== undefined) found.push(grants);
  }
  return found;
}

/** The grants in force, from the note; where there is none, from the entries, and the note is written again. */
export async function grantsInForce(
  store: Pick<Store, 'append' | 'read' | 'head' | 'readState'>,
): Promise<RecordedGrants | null> {
  const noted = parseGrantsNote(await store.readState(GRANTS_STATE));
  if (noted !== undefined) return noted;
  const newest = (await readGrants(store)).at(-1) ?? null;
  const state = encodeNote(newest);
  await store.append(
    (head, before) =>
      parseGrantsNote(before) === undefined ? { lines: new Uint8Array(0), head, state } : undefined,
    { state: GRANTS_STATE },
  );
  return newest;
}

function encodeNote(grants: RecordedGrants | null): Uint8Array {
  const payload = grants === null ? null : encodeGrantsRecord(grants);
  return new TextEncoder().encode(JSON.stringify({ seq: grants?.seq ?? 0, ts: grants?.ts ?? '', payload }));
}

/** From here on these are in force. The operator signs the very place in the ledger. */
export async function acceptGrants(
  {
    store,
    now = Date.now,
  }: { readonly store: Pick<Store, 'append' | 'read' | 'head'>; readonly now?: Clock },
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
