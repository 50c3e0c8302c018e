// Whether an OpenTimestamps proof holds: from a digest, by its operations, to the Merkle root of a Bitcoin block. It
// proves that the digest existed by the time of that block, and never since when. It trusts nothing in the proof; it does
// trust that the caller checked the blocks: proof of work, height, and that it is Bitcoin's chain. A block's time is good
// to two hours either way.
import { sameBytes } from './encoding.ts';
import { HASH_SIZE } from './merkle.ts';
import type { OpenTimestamp, Stamped, TimestampTree } from './open-timestamps.ts';
import type { TimestampAttestation } from './open-timestamps-attestation.ts';
import { applyOperation } from './open-timestamps-operation.ts';

/** Of a header that the caller has checked. */
export interface AttestedBlock {
  readonly height: number;
  /** 32 bytes as they stand in the header, not turned round for display. */
  readonly merkleRoot: Uint8Array;
  /** Seconds since 1970, as in the header. */
  readonly time: number;
}

export type TimestampCode =
  | 'ATTESTED' // pass: the message is the Merkle root of that block
  | 'OTHER_DIGEST' // fail: the proof is about something else
  | 'OTHER_ROOT' // fail: the block of that height has another root
  | 'NOT_A_ROOT' // fail: the message has not the length of a root
  | 'NO_HEADER' // unknown: no block of that height was given
  | 'PENDING' // unknown: a calendar promised to see to it
  | 'OTHER_CHAIN' // unknown: Litecoin, which is not followed here
  | 'UNKNOWN_ATTESTATION'; // unknown: of a kind that is not known here

export type TimestampStatus = 'pass' | 'fail' | 'unknown';

const STATUS: Readonly<Record<TimestampCode, TimestampStatus>> = {
  ATTESTED: 'pass',
  OTHER_DIGEST: 'fail',
  OTHER_ROOT: 'fail',
  NOT_A_ROOT: 'fail',
  NO_HEADER: 'unknown',
  PENDING: 'unknown',
  OTHER_CHAIN: 'unknown',
  UNKNOWN_ATTESTATION: 'unknown',
};
/** The first that some attestation has is the word on the whole. */
const WEIGHT: readonly TimestampCode[] = [
  ...(['ATTESTED', 'OTHER_ROOT', 'NOT_A_ROOT'] as const),
  ...(['NO_HEADER', 'PENDING', 'OTHER_CHAIN', 'UNKNOWN_ATTESTATION'] as const),
];

/** An attestation, and the message that it is about. */
export interface AttestedMessage {
  readonly attestation: TimestampAttestation;
  readonly message: Uint8Array;
}

export interface AttestationCheck extends AttestedMessage {
  readonly status: TimestampStatus;
  readonly code: TimestampCode;
  /** Of the block, where it passes. */
  readonly time?: number;
}

export interface TimestampCheck {
  readonly status: TimestampStatus;
  readonly code: TimestampCode;
  /** Of the lowest block that proves it, where one does. */
  readonly height?: number;
  readonly time?: number;
  /** In the order of the file; none where the digest is another. */
  readonly attestations: readonly AttestationCheck[];
}

/**
 * One attestation that holds is enough: anybody can add a false one to a proof, which takes nothing from it, and is
 * reported. Where none holds and one is false, the proof fails, whatever else is still pending.
 */
export function verifyOpenTimestamp(
  proof: OpenTimestamp,
  stamped: Stamped,
  blocks: readonly AttestedBlock[],
): TimestampCheck {
  if (proof.hash !== stamped.hash || !sameBytes(proof.digest, stamped.digest)) {
    return { status: 'fail', code: 'OTHER_DIGEST', attestations: [] };
  }
  const byHeight = new Map<number, AttestedBlock[]>();
  for (const block of blocks) {
    const same = byHeight.get(block.height);
    if (same === undefined) byHeight.set(block.height, [block]);
    else same.push(block);
  }
  const attestations = attestationsOf(proof).map((attested) => checkAttestation(attested, byHeight));
  const code =
    WEIGHT.find((each) => attestations.some((check) => check.code === each)) ?? 'UNKNOWN_ATTESTATION';
  const lowest = attestations.reduce<{ height: number; time: number } | undefined>(
    (best, { attestation, time }) =>
      time !== undefined &&
      'height' in attestation &&
      !(best !== undefined && best.height <= attestation.height)
        ? { height: attestation.height, time }
        : best,
    undefined,
  );
  return { status: STATUS[code], code, ...lowest, attestations };
}

function checkAttestation(
  attested: AttestedMessage,
  blocks: ReadonlyMap<number, readonly AttestedBlock[]>,
): AttestationCheck {
  const { attestation, message } = attested;
  const outcome = (code: TimestampCode) => ({ ...attested, status: STATUS[code], code });
  if (attestation.kind === 'pending') return outcome('PENDING');
  if (attestation.kind === 'litecoin') return outcome('OTHER_CHAIN');
  if (attestation.kind === 'unknown') return outcome('UNKNOWN_ATTESTATION');
  if (message.length !== HASH_SIZE) return outcome('NOT_A_ROOT');
  const given = blocks.get(attestation.height);
  if (given === undefined) return outcome('NO_HEADER');
  const block = given.find(({ merkleRoot }) => sameBytes(merkleRoot, message));
  return block === undefined ? outcome('OTHER_ROOT') : { ...outcome('ATTESTED'), time: block.time };
}

/** Every attestation, in the order of the file. */
export function attestationsOf(proof: OpenTimestamp): AttestedMessage[] {
  const found: AttestedMessage[] = [];
  walkAttestations(proof, (attested) => void found.push(attested));
  return found;
}

/** `above` holds the trees from the root down to the one that the attestation is in. */
export function walkAttestations(
  proof: OpenTimestamp,
  visit: (attested: AttestedMessage, above: readonly { readonly tree: TimestampTree }[]) => void,
): void {
  const open = [{ tree: proof.tree, message: proof.digest, done: 0 }];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const branch = top.tree[top.done++];
    if (branch === undefined) open.pop();
    else if ('attestation' in branch) visit({ attestation: branch.attestation, message: top.message }, open);
    else open.push({ tree: branch.next, message: applyOperation(branch.operation, top.message), done: 0 });
  }
}
