// Whether sessions may be kept for replays: the newest `replay.policy` entry whose signature is right says so. Every one of
// them was accepted by an operator; a ledger without any keeps nothing.
import { ed25519Verify } from '#platform';
import {
  encodeBase64,
  encodeVerifierKey,
  parseBase64,
  replayPolicyMessage,
  type Signer,
  type VerifierKey,
} from '../core/index.ts';
import {
  encodeReplayPolicy,
  operatorKey,
  parseReplayPolicy,
  type ReplayPolicy,
  type ReplayWord,
} from '../format/index.ts';
import { encodeBlock } from './block.ts';
import { entriesOf, readIdentity } from './epochs.ts';
import type { Clock, EntryLog, LogReader } from './ports.ts';

export interface RecordedReplayPolicy extends ReplayPolicy {
  /** Of its entry. */
  readonly seq: number;
  readonly ts: string;
}

const KIND = 'replay.policy';

/** Undefined where no operator accepted any. Reads the whole log. */
export async function readReplayPolicy(store: LogReader): Promise<RecordedReplayPolicy | undefined> {
  const { origin } = await readIdentity(store);
  let newest: RecordedReplayPolicy | undefined;
  for await (const entry of entriesOf(store, 1, (await store.head()).seq, [KIND])) {
    try {
      const policy = parseReplayPolicy(entry.payload);
      const { replay, accepted } = policy;
      const message = replayPolicyMessage({ origin, seq: entry.seq, prevHash: entry.prev_hash, replay });
      const { publicKey } = operatorKey(accepted.by);
      if (ed25519Verify(publicKey, message, parseBase64(accepted.signature)))
        newest = { ...policy, seq: entry.seq, ts: entry.ts };
    } catch {
      // One that nobody can read allows nothing.
    }
  }
  return newest;
}

/** Both must want it: the project, whose file anybody may change, and an operator on record. */
export async function isReplayKept(store: LogReader, proposed: ReplayWord): Promise<boolean> {
  return proposed === 'keep' && (await readReplayPolicy(store))?.replay === 'keep';
}

/** From here on this is in force. The operator signs the very place in the ledger. */
export async function acceptReplayPolicy(
  {
    store,
    now = Date.now,
  }: { readonly store: Pick<EntryLog, 'append' | 'read' | 'head'>; readonly now?: Clock },
  replay: ReplayWord,
  operator: Signer,
): Promise<RecordedReplayPolicy> {
  const { origin } = await readIdentity(store);
  const by = encodeVerifierKey(operator as VerifierKey);
  let recorded: RecordedReplayPolicy | undefined;
  await store.append((head) => {
    const seq = head.seq + 1;
    const message = replayPolicyMessage({ origin, seq, prevHash: head.hash, replay });
    const policy = { replay, accepted: { by, signature: encodeBase64(operator.sign(message)) } };
    const at = now();
    recorded = { ...policy, seq, ts: new Date(at).toISOString() };
    return encodeBlock([{ kind: KIND, payload: encodeReplayPolicy(policy), source: 'ledger' }], head, at);
  });
  if (recorded === undefined) throw new RangeError('the store did not ask for the entry');
  return recorded;
}
