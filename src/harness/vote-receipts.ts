// Has every vote its receipt? Judged from the entries of the judge's session and the keys of its ledger, as they are on disk.
import { ParseError, parseHex } from '../core/index.ts';
import { type Entry, parseReceipt, parseValidatorKey } from '../format/index.ts';
import { isSigned, misbound, mismatch, type TrustedGateway, verifyGatewayReceipts } from '../verify/index.ts';
import { AttestError } from './attest-error.ts';

export interface VoteEntries {
  readonly origin: string;
  /** Of the session, in order. */
  readonly entries: readonly Entry[];
  /** `gateway.key` entries of the ledger. */
  readonly keys: readonly Entry[];
  /** Model calls whose answers are votes. */
  readonly counted: readonly number[];
  /** The calls went through an independent gateway: one of these must vouch for each of them. */
  readonly through: readonly TrustedGateway[] | null;
}

/** Throws AttestError VOTE_UNRECEIPTED. */
export function assertVoteReceipts({ origin, entries, keys, counted, through }: VoteEntries): void {
  const bySeq = new Map(entries.map((entry) => [entry.seq, entry]));
  const receipts = entries.filter(({ kind }) => kind === 'receipt');
  for (const seq of counted) {
    const isHeld = receipts.some((receipt) => isFor(receipt, { call: seq, origin, bySeq, keys }));
    if (!isHeld) unreceipted(`the call in entry ${seq} has no valid receipt from the gateway`);
  }
  if (through === null) return;
  const verdict = verifyGatewayReceipts(entries, through);
  if (!verdict.ok) unreceipted(`${verdict.code}: ${verdict.message}`);
}

function unreceipted(why: string): never {
  throw new AttestError('VOTE_UNRECEIPTED', `a vote without a receipt doesn't count: ${why}.`);
}

interface Call {
  readonly call: number;
  readonly origin: string;
  readonly bySeq: ReadonlyMap<number, Entry>;
  readonly keys: readonly Entry[];
}

function isFor({ payload }: Entry, { call, origin, bySeq, keys }: Call): boolean {
  try {
    const receipt = parseReceipt(payload);
    if (receipt.call.seq !== call) return false;
    const [asked, answered] = [bySeq.get(receipt.call.seq), bySeq.get(receipt.event.seq)];
    if (asked === undefined || answered === undefined) return false;
    if (misbound(receipt, asked, answered) !== undefined || mismatch(receipt, asked, answered) !== undefined)
      return false;
    return keys
      .map((key) => parseValidatorKey(key.payload))
      .some(
        ({ version, publicKey }) =>
          version === receipt.keyVersion && isSigned(origin, parseHex(publicKey, 32), payload),
      );
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}
