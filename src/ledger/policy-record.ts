// Which policy is in force: the newest one that an operator signed for its place, of those whom the reader knows. The first
// is recorded as the project has it, by nobody. Anybody can make a key and sign: what somebody unknown accepted counts for
// nothing, and is told of. A note beside the ledger saves reading all of it. The note is derived and disposable: one that
// is gone is made again from the entries, and the gate holds one against them before it judges by it.
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
import { DEFAULT_POLICY, encodeClaimPolicy } from '../policy/index.ts';
import { encodeBlock } from './block.ts';
import { readIdentity } from './epochs.ts';
import { acceptedIn, type KnownOperators, type OperatorTrail, readOperatorTrail } from './operator-trail.ts';
import type { Block, Clock, EntryLog } from './ports.ts';

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
  readonly store: Pick<EntryLog, 'append' | 'read' | 'head'>;
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
    const sound =
      Number.isSafeInteger(seq) && seq > 0 && policyHashOf(record.claimPolicy) === record.policyHash;
    return sound ? { ...record, seq } : undefined;
  } catch {
    return undefined;
  }
}

export interface PolicyStanding {
  /** Undefined where there is none. */
  readonly inForce: RecordedPolicy | undefined;
  /** Since the one in force, the newest of each key that the reader does not know as an operator's. */
  readonly unknown: readonly RecordedPolicy[];
  /** The newest of those is a revoked operator's. */
  readonly isRevoked: boolean;
}

export async function policyStanding(trail: OperatorTrail, known: KnownOperators): Promise<PolicyStanding> {
  return acceptedIn(trail, known, (entry) => {
    const policy = recordedPolicy(entry, trail.origin);
    return policy?.accepted === null || policy?.isSigned === true ? policy : undefined;
  });
}

/** Of a `policy` entry; undefined where nobody can read it, or it is not the one that its hash names: `foil verify` says so. */
function recordedPolicy(
  { kind, seq, ts, prev_hash: prevHash, payload }: Entry,
  origin: string,
): RecordedPolicy | undefined {
  if (kind !== 'policy') return undefined;
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

/**
 * The policy in force, and the note of it; where the ledger has none yet, this one, recorded as what the project has, or
 * none for null. Of several that record the first at once all get the same.
 */
export async function recordFirstPolicy(
  options: PolicyOptions,
  given: JsonObject | null,
  known: KnownOperators,
): Promise<PolicyInForce | null> {
  const { store } = options;
  let trail: OperatorTrail | undefined;
  for (let tries = 0; tries < TRIES; tries++) {
    trail = await readOperatorTrail(store, trail);
    const { seq: read } = trail;
    const standing = await policyStanding(trail, known);
    const { inForce } = standing;
    if (inForce !== undefined) {
      await note(store, inForce, read);
      return inForce;
    }
    if (given === null) return null;
    const record = firstPolicy(standing, given);
    const written = await store.append(
      (head) => (head.seq === read ? block(record, head, options) : undefined),
      { state: POLICY_STATE },
    );
    if (written !== undefined) return { ...record, seq: written.seq };
  }
  throw new StoreError(
    'LOCK_TIMEOUT',
    'other processes keep writing to the ledger, so the policy could not be recorded. Try again later.',
  );
}

/** What is recorded first. Whoever accepted a policy unknown to all may have written the project's file: then the default. */
export function firstPolicy({ unknown }: PolicyStanding, given: JsonObject): PolicyRecord {
  const claimPolicy = unknown.length === 0 ? given : encodeClaimPolicy(DEFAULT_POLICY);
  return { claimPolicy, policyHash: policyHashOf(claimPolicy), accepted: null };
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

/** Writes the note again, unless one is there of an entry that came after `read`. Nothing is appended. */
async function note(store: PolicyOptions['store'], policy: PolicyInForce, read: number): Promise<void> {
  const state = encodeNote(policy, policy.seq);
  await store.append(
    (head, before) => {
      const seq = parsePolicyNote(before)?.seq ?? 0;
      return seq > read && seq <= head.seq ? undefined : { lines: new Uint8Array(0), head, state };
    },
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
