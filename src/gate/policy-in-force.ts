// The policy that the gate uses: the one on record, whatever the project's file says now. The agent can write that
// file, so a change there counts only once an operator whom this user knows has accepted it. Until then, a person is
// told.
import type { JsonObject } from '../core/index.ts';
import {
  type EntryLog,
  POLICY_STATE,
  type PolicyInForce,
  type PolicyStanding,
  parsePolicyNote,
} from '../ledger/index.ts';
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

/** Which policy the ledger has on record. */
export interface PolicyRecords {
  /** As the entries tell, whatever the note says. */
  standing(): Promise<PolicyStanding>;
  /** Likewise, noted again. Where there is none this one is recorded; null: none is. */
  recordFirst(policy: JsonObject | null): Promise<PolicyInForce | null>;
}

export interface PolicyOptions {
  readonly store: Pick<EntryLog, 'readState'>;
  /** As the project's file has it; null where it can't be read. */
  readonly file: ClaimPolicy | null;
  readonly records: PolicyRecords;
}

/** As noted. Throws where the one on record can't be understood: nothing may be judged by another. */
export async function policyInForce(options: PolicyOptions): Promise<Policy> {
  const noted = parsePolicyNote(await options.store.readState(POLICY_STATE));
  return noted === undefined ? recorded(options) : policyOf(noted, options.file);
}

/**
 * The policy to judge by. The note beside the ledger is anybody's who can write there: by one that is not in force,
 * nothing is judged. One that was noted, and whose operator this user does not know, gives way to the one that counts.
 */
export async function settledPolicy(options: PolicyOptions, noted?: Policy): Promise<Policy> {
  const found = noted ?? (await policyInForce(options));
  const { inForce, unknown } = await options.records.standing();
  if (unknown.some(({ seq }) => seq === found.seq)) return recorded(options);
  if ((found.seq ?? 0) === 0 || inForce?.policyHash === found.hash) return found;
  throw new Error(
    `the policy noted in sessions/${POLICY_STATE} is not the one on record. Remove that file from the ledger's directory, and foil makes it again from the entries.`,
  );
}

async function recorded({ file, records }: PolicyOptions): Promise<Policy> {
  const found = await records.recordFirst(file === null ? null : encodeClaimPolicy(file));
  if (found !== null) return policyOf(found, file);
  return { policy: DEFAULT_POLICY, hash: policyHash(DEFAULT_POLICY), seq: null, differs: null };
}

function policyOf(record: PolicyInForce, file: ClaimPolicy | null): Policy {
  const { policyHash: hash, seq } = record;
  const said = file === null ? hash : policyHash(file);
  return { policy: understood(record), hash, seq, differs: said === hash ? null : said };
}

function understood({ claimPolicy, seq }: PolicyInForce): ClaimPolicy {
  try {
    return parseClaimPolicy(claimPolicy);
  } catch (cause) {
    throw new Error(
      `the policy on record (entry ${seq}) can't be read by this version: ${(cause as Error).message}. Use the version that recorded it, or accept another with \`foil policy accept\`.`,
      { cause },
    );
  }
}
