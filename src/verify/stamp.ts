// Whether a stamp holds: the OpenTimestamps proof of a checkpoint, by the block headers that lie beside it or that the
// verifier brings. Nothing in the directory is trusted: the headers' work and place are checked, a height that nothing
// links is a claim within the bounds of spec/anchor.md, and a proof that can't be read proves nothing. It says *not after*.
import { sha256 } from '#platform';
import {
  type AttestedBlock,
  type BitcoinChain,
  type HeaderReason,
  MAINNET,
  openCheckpoint,
  ParseError,
  parseHeader,
  parseOpenTimestamp,
  pendingAttestations,
  sameBytes,
  type TimestampCode,
  type TimestampStatus,
  verifyHeader,
  verifyOpenTimestamp,
} from '../core/index.ts';
import { parseStampHeaders, type StampHeader, stampedNote } from '../format/index.ts';

export interface StampInput {
  /** As it lies under checkpoints/. */
  readonly checkpoint: Uint8Array;
  /** The `.ots`. */
  readonly proof: Uint8Array;
  /** The `.headers.json`; undefined where there is none. */
  readonly headers?: Uint8Array | undefined;
  /** What the verifier has from elsewhere. Checked like the others. */
  readonly known?: readonly StampHeader[];
  /** Bitcoin's main chain unless given. */
  readonly chain?: BitcoinChain;
}

export type StampCode =
  | TimestampCode
  | 'CHECKPOINT_MALFORMED' // fail: what is stamped can't be read
  | 'PROOF_MALFORMED'; // fail: no OpenTimestamps proof

export interface StampBlock {
  readonly height: number;
  readonly hash: string;
  readonly time: number;
  readonly header: Uint8Array;
}

export interface StampVerdict {
  readonly status: TimestampStatus;
  readonly code: StampCode;
  /** Why, where it can't be read. */
  readonly problem?: string;
  /** The root that is stamped; absent where the checkpoint can't be read. */
  readonly root?: Uint8Array;
  /** The SHA-256 that the proof should be of. */
  readonly digest?: Uint8Array;
  /** The lowest block that proves it, where one does. */
  readonly block?: StampBlock;
  /** Addresses of calendars as the proof has them, each once; nobody should ask them because of that. */
  readonly calendars: readonly string[];
  /** Headers that could not be used, and why. */
  readonly refused: readonly { readonly height: number; readonly reason: HeaderReason | 'TOO_OLD' }[];
}

/** Never throws for bad data. */
export function verifyStamp(input: StampInput): StampVerdict {
  const { checkpoint, proof: bytes, headers, known = [], chain = MAINNET } = input;
  let root: Uint8Array;
  let digest: Uint8Array;
  try {
    ({ root } = openCheckpoint(checkpoint).checkpoint);
    digest = sha256(stampedNote(checkpoint));
  } catch (error) {
    return { ...malformed('CHECKPOINT_MALFORMED', error), calendars: [], refused: [] };
  }
  let proof: ReturnType<typeof parseOpenTimestamp>;
  try {
    proof = parseOpenTimestamp(bytes);
  } catch (error) {
    return { ...malformed('PROOF_MALFORMED', error), root, digest, calendars: [], refused: [] };
  }
  const { blocks, refused } = usableBlocks([...readHeaders(headers), ...known], chain);
  const { status, code, height, attestations } = verifyOpenTimestamp(
    proof,
    { hash: 'sha256', digest },
    blocks,
  );
  // Two headers can be of one height, near the tip: the one that proves has the root.
  const attested = attestations.find(
    ({ attestation, time }) => time !== undefined && 'height' in attestation && attestation.height === height,
  );
  const block = blocks.find(
    ({ height: at, merkleRoot }) =>
      attested !== undefined && at === height && sameBytes(merkleRoot, attested.message),
  );
  return {
    status,
    code,
    root,
    digest,
    ...(block === undefined ? {} : { block }),
    calendars: [...new Set(pendingAttestations(proof).map(({ uri }) => uri))],
    refused,
  };
}

function malformed(code: StampCode, error: unknown): Pick<StampVerdict, 'status' | 'code' | 'problem'> {
  if (!(error instanceof ParseError)) throw error;
  return { status: 'fail', code, problem: error.message };
}

/** A file that can't be read completes nothing, and takes nothing from the proof. */
function readHeaders(bytes: Uint8Array | undefined): readonly StampHeader[] {
  try {
    return bytes === undefined ? [] : parseStampHeaders(bytes);
  } catch (error) {
    if (error instanceof ParseError) return [];
    throw error;
  }
}

type Block = AttestedBlock & StampBlock;

function usableBlocks(
  headers: readonly StampHeader[],
  chain: BitcoinChain,
): { blocks: Block[]; refused: StampVerdict['refused'] } {
  const blocks: Block[] = [];
  const refused: { height: number; reason: HeaderReason | 'TOO_OLD' }[] = [];
  for (const { height, header } of headers) {
    const { status, reason, hash } = verifyHeader(header, { height }, { chain });
    if (status !== 'pass' || hash === undefined) refused.push({ height, reason });
    else if (height < chain.ledgersSince) refused.push({ height, reason: 'TOO_OLD' });
    else {
      const { merkleRoot, time } = parseHeader(header);
      blocks.push({ height, hash, merkleRoot, time, header });
    }
  }
  return { blocks, refused };
}
