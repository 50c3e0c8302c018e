// The policy that the gate goes by: the one on record, whatever the project's file says now. The file is the agent's to
// write; what it changes there counts once an operator has accepted it, and until then a person is told.
import type { JsonObject } from '../core/index.ts';
import { isInForce, POLICY_STATE, type PolicyInForce, parsePolicyNote, type Store } from '../ledger/index.ts';
import {
  type ClaimPolicy,
  DEFAULT_POLICY,
  encodeClaimPolicy,
  parseClaimPolicy,
  policyHash,
} from '../policy/index.ts';

export interface Policy {
  readonly policy: ClaimPolicy;
  readonly hash: string;
  /** Of its entry, as the note has it; null or 0 where none is on record. */
  readonly seq: number | null;
  /** The hash of what the file says, where that is something else. */
  readonly differs: string | null;
}

export interface PolicyOptions {
  readonly store: Pick<Store, 'readState'>;
  /** As the project's file has it; null where it can't be read. */
  readonly file: ClaimPolicy | null;
  /** Reads the ledger for the policy on record, and records this one where there is none. */
  readonly recordFirst: (policy: JsonObject) => Promise<PolicyInForce>;
}

/** Throws where the one on record can't be understood: nothing may be judged by another. */
export async function policyInForce({ store, file, recordFirst }: PolicyOptions): Promise<Policy> {
  const noted = parsePolicyNote(await store.readState(POLICY_STATE));
  if (noted === undefined && file === null)
    return { policy: DEFAULT_POLICY, hash: policyHash(DEFAULT_POLICY), seq: null, differs: null };
  const recorded = noted ?? (await recordFirst(encodeClaimPolicy(file ?? DEFAULT_POLICY)));
  const hash = recorded.policyHash;
  const said = file === null ? hash : policyHash(file);
  return { policy: understood(recorded), hash, seq: recorded.seq, differs: said === hash ? null : said };
}

/** The note beside the ledger is anybody's who can write there: by one that is not in force, nothing is judged. */
export async function assertInForce(
  { hash, seq }: Policy,
  store: Pick<Store, 'read' | 'head'>,
): Promise<void> {
  if ((seq ?? 0) === 0 || (await isInForce(store, hash))) return;
  throw new Error(
    `the policy noted in sessions/${POLICY_STATE} is not the one on record. Remove that file from the ledger's directory: it is made again from the entries.`,
  );
}

function understood({ claimPolicy, seq }: PolicyInForce): ClaimPolicy {
  try {
    return parseClaimPolicy(claimPolicy);
  } catch (cause) {
    throw new Error(
      `the policy on record (entry ${seq}) is not understood by this version: ${(cause as Error).message}. Use the version that recorded it, or accept another with \`foil policy accept\`.`,
      { cause },
    );
  }
}
