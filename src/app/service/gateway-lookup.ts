// What the gateway looks up in its ledger: receipts by their ids or nonces, the keys that signed them, and sessions.
import { type JsonObject, ParseError } from '../../core/index.ts';
import { parseReceiptId, parseReplayStart, type ReplayPlaces } from '../../format/index.ts';
import { entriesOf, type LastingLedger } from '../../ledger/index.ts';
import type { FoundSession } from '../../record/index.ts';

type Opened = Parameters<Parameters<LastingLedger['use']>[0]>[0];
type LedgerStore = Opened['store'];

/** It stands behind its call, whose seq is in its id. With the key that signed it, under the ledger's certificate. */
export async function findReceipt(ledger: Opened, id: string): Promise<JsonObject | undefined> {
  let from: number;
  try {
    from = parseReceiptId(id);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
  const { store } = ledger;
  const { seq: to } = await store.head();
  for await (const { payload } of entriesOf(store, from + 1, to, ['receipt']))
    if (payload.id === id) return handedOut(ledger, { receipt: payload });
  return undefined;
}

/** What the gateway's key signed, in the form in which anybody may check it; undefined where that key is not on record. */
export async function handedOut(
  ledger: Opened,
  statement: { readonly receipt: JsonObject } | { readonly closing: JsonObject },
): Promise<JsonObject | undefined> {
  const { store } = ledger;
  const { key_version: version } = 'receipt' in statement ? statement.receipt : statement.closing;
  const { origin } = await ledger.identity();
  const { seq: to } = await store.head();
  for await (const key of entriesOf(store, 1, to, ['gateway.key']))
    if (key.payload.version === version) return { v: 1, origin, gateway_key: key.payload, ...statement };
  return undefined;
}

/** The same, of the call that has this nonce. */
export async function findReceiptOf(ledger: Opened, nonce: string): Promise<JsonObject | undefined> {
  const { seq } = await ledger.store.head();
  for await (const { payload } of entriesOf(ledger.store, 1, seq, ['model.call']))
    if (payload.nonce === nonce) return findReceipt(ledger, String(payload.receipt_id));
  return undefined;
}

export async function findSession(store: LedgerStore, id: string): Promise<FoundSession | undefined> {
  const { seq } = await store.head();
  let found: FoundSession | undefined;
  for await (const { kind, session_id, payload } of entriesOf(store, 1, seq, [
    'session.start',
    REPLAY_START,
  ])) {
    if (session_id !== id) continue;
    if (kind === REPLAY_START) return found && { ...found, replay: placesIn(payload) };
    const { agent, workspace_root: root, interaction, pack, gateway } = payload;
    found = {
      agent: String(agent),
      root: typeof root === 'string' ? root : null,
      interaction: typeof interaction === 'string' ? interaction : null,
      pack: typeof pack === 'string' ? pack : null,
      gateway: typeof gateway === 'string' ? gateway : null,
      replay: null,
    };
  }
  return found;
}

const REPLAY_START = 'replay.start';

/** One that nobody can read is none: nothing is kept then. */
function placesIn(payload: JsonObject): ReplayPlaces | null {
  try {
    return parseReplayStart(payload);
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}
