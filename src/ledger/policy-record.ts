// Which policy is in force: the one of the newest `policy` entry. The first is recorded as the project has it, by
// nobody; every later one needs an operator's signature. A note beside the ledger saves reading all of it. The note is
// derived and disposable: one that is gone is made again from the entries, and the gate holds one against them before it
// judges by it.
import { ed25519Verify } from '#platform';
import {
  encodeBase64,
  encodeVerifierKey,
  type JsonObject,
  parseBase64,
  policyHashOf,
  policyMessage,
  type Signer,
  StoreError,
  type VerifierKey,
} from '../core/index.ts';
import {
  type Entry,
  encodePolicyRecord,
  type Head,
  operatorKey,
  type PolicyRecord,
  parsePolicyRecord,
} from '../format/index.ts';
import { encodeBlock } from './block.ts';
import { entriesOf, readIdentity } from './epochs.ts';
import type { Block, Clock, Store } from './ports.ts';

export interface PolicyInForce extends PolicyRecord {
  /** Of its entry. */
  readonly seq: number;
}

export interface RecordedPolicy extends PolicyInForce {
  readonly ts: string;
  readonly prevHash: string;
  /** Who is said to have accepted it signed it, for this very place. */
  readonly isSigned: boolean;
}

export interface PolicyOptions {
  readonly store: Pick<Store, 'append' | 'read' | 'head' | 'readState'>;
  readonly now?: Clock;
}

/** The note's name among the states. */
export const POLICY_STATE = 'foil.policy';
/** Each try costs a look at what others appended since the last. */
const TRIES = 100;

/** Undefined where there is none, or none of ours: then the entries must be asked. */
export function parsePolicyNote(bytes: Uint8Array | undefined): PolicyInForce | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { seq, payload } = JSON.parse(new TextDecoder().decode(bytes)) as {
      seq: number;
      payload: JsonObject;
    };
    const record = parsePolicyRecord(payload);
    const sound = Number.isSafeInteger(seq) && policyHashOf(record.claimPolicy) === record.policyHash;
    return sound ? { ...record, seq } : undefined;
  } catch {
    return undefined;
  }
}

/** Every policy of a ledger, oldest first; those that can't be read are left out. Reads the whole log. */
export async function readPolicies(
  store: Pick<Store, 'read' | 'head'>,
  from = 1,
  to?: number,
): Promise<RecordedPolicy[]> {
  const found: RecordedPolicy[] = [];
  for await (const entry of entriesOf(store, from, to ?? (await store.head()).seq, ['policy'])) {
    const policy = recordedPolicy(entry, (await readIdentity(store)).origin);
    if (policy !== undefined) found.push(policy);
  }
  return found;
}

/** Of a `policy` entry; undefined where nobody can read it, or it is not the one that its hash names: `foil verify` says so. */
function recordedPolicy({ seq, ts, prev_hash: prevHash, payload }: Entry, origin: string) {
  try {
    const record = parsePolicyRecord(payload);
    const { claimPolicy, policyHash, accepted } = record;
    if (policyHashOf(claimPolicy) !== policyHash) return undefined;
    const message = policyMessage({ origin, seq, prevHash, policyHash });
    const isSigned =
      accepted !== null &&
      ed25519Verify(operatorKey(accepted.by).publicKey, message, parseBase64(accepted.signature));
    return { ...record, seq, ts, prevHash, isSigned };
  } catch {
    return undefined;
  }
}

/** Entries that are read in one go, from the end on. */
const PIECE = 1024;
const MOST = 65_536;

/**
 * Is the policy of this hash the one in force? Read from the end: claims that a gate judged by it were judged by the one in
 * force then, so behind such a gate nothing needs to be read.
 */
export async function isInForce(store: Pick<Store, 'read' | 'head'>, hash: string): Promise<boolean> {
  const { origin } = await readIdentity(store);
  let first: string | undefined;
  let length = PIECE;
  for (let to = (await store.head()).seq; to > 0; length = Math.min(MOST, 4 * length)) {
    const from = Math.max(1, to - length + 1);
    const entries: Entry[] = [];
    for await (const entry of entriesOf(store, from, to, ['policy', 'gate'])) entries.push(entry);
    for (const entry of entries.reverse()) {
      const { claims, policy_hash: judgedBy } = entry.payload;
      if (entry.kind === 'gate' && judgedBy === hash && Array.isArray(claims) && claims.length > 0)
        return true;
      const policy = entry.kind === 'policy' ? recordedPolicy(entry, origin) : undefined;
      if (policy?.isSigned === true) return policy.policyHash === hash;
      if (policy?.accepted === null) first = policy.policyHash;
    }
    to = from - 1;
  }
  return first === hash;
}

/**
 * The policy in force; where the ledger has none yet, this one, recorded as what the project has. Of several that record
 * the first at once all get the same.
 */
export async function recordFirstPolicy(
  options: PolicyOptions,
  claimPolicy: JsonObject,
): Promise<PolicyInForce> {
  const { store } = options;
  const record: PolicyRecord = { claimPolicy, policyHash: policyHashOf(claimPolicy), accepted: null };
  let read = 0;
  let newest: PolicyInForce | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    const noted = parsePolicyNote(await store.readState(POLICY_STATE));
    if (noted !== undefined) return noted;
    const { seq: to } = await store.head();
    newest = inForce(await readPolicies(store, read + 1, to)) ?? newest;
    read = to;
    if (newest !== undefined) {
      await note(store, newest);
      return newest;
    }
    const written = await store.append(
      (head, note) =>
        head.seq !== read || parsePolicyNote(note) !== undefined ? undefined : block(record, head, options),
      { state: POLICY_STATE },
    );
    if (written !== undefined) return { ...record, seq: written.seq };
  }
  throw new StoreError(
    'LOCK_TIMEOUT',
    'other processes keep writing to the ledger, so the policy could not be recorded. Try again later.',
  );
}

/** From here on this one is in force. The operator signs the very place in the ledger, so that it can't be used again. */
export async function acceptPolicy(
  options: PolicyOptions,
  claimPolicy: JsonObject,
  operator: Signer,
): Promise<PolicyInForce> {
  const { store } = options;
  const { origin } = await readIdentity(store);
  const policyHash = policyHashOf(claimPolicy);
  let accepted: PolicyInForce | undefined;
  await store.append(
    (head) => {
      const seq = head.seq + 1;
      const message = policyMessage({ origin, seq, prevHash: head.hash, policyHash });
      const signature = encodeBase64(operator.sign(message));
      accepted = {
        claimPolicy,
        policyHash,
        accepted: { by: encodeVerifierKey(operator as VerifierKey), signature },
        seq,
      };
      return block(accepted, head, options);
    },
    { state: POLICY_STATE },
  );
  if (accepted === undefined) throw new RangeError('the store did not ask for the entry');
  return accepted;
}

/** Of all that a ledger has. One that came later and that nobody signed counts for nothing. */
export function inForce(policies: readonly RecordedPolicy[]): RecordedPolicy | undefined {
  return policies.findLast(({ isSigned }) => isSigned) ?? policies.find(({ accepted }) => accepted === null);
}

/** Writes the note again. Nothing is appended. */
async function note(store: PolicyOptions['store'], policy: PolicyInForce): Promise<void> {
  const state = encodeNote(policy, policy.seq);
  await store.append(
    (head, before) =>
      parsePolicyNote(before) === undefined ? { lines: new Uint8Array(0), head, state } : undefined,
    { state: POLICY_STATE },
  );
}

function encodeNote(record: PolicyRecord, seq: number): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ seq, payload: encodePolicyRecord(record) }));
}

function block(record: PolicyRecord, head: Head, { now = Date.now }: PolicyOptions): Block {
  const payload = encodePolicyRecord(record);
  const state = encodeNote(record, head.seq + 1);
  return { ...encodeBlock([{ kind: 'policy', payload, source: 'ledger' }], head, now()), state };
}
