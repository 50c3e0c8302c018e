// Stamps against the checkpoints of this ledger: those in stamps/, and those that the verifier kept. A stamp counts where its
// digest is that of a checkpoint which the entries bear out and the ledger's own key signed, and where a header that is
// verified here completes it. A promise by a calendar is none yet. Whoever rewrote a ledger with its own keys can't make
// anew a stamp that somebody else holds. Files are few and small, or they are not looked at.
import { sha256Hex } from '#platform';
import {
  attestationsOf,
  encodeHex,
  MAINNET,
  MAX_TIMESTAMP_BYTES,
  ParseError,
  parseHex,
  parseOpenTimestamp,
  REGTEST,
} from '../core/index.ts';
import {
  type BlockFact,
  type Entry,
  encodeStampName,
  MAX_STAMP_HEADERS_BYTES,
  parseAnchorStamp,
  STAMP_DIR,
  type StampHeader,
  stampedNote,
} from '../format/index.ts';
import type { Network } from './block-judge.ts';
import type { Files } from './files.ts';
import type { Findings } from './findings.ts';
import { oldestKeyOf } from './oldest-key.ts';
import { type StampVerdict, verifyStamp } from './stamp.ts';

/** What it must be shown. */
export const STAMP_KINDS = ['anchor.stamp'];

/** Stamps that are looked at, the newest of them; each takes two reads and a few hundred hashes. */
const MOST_STAMPS = 4096;
/** Blocks that the verifier is asked for, for one stamp. */
const MOST_HEIGHTS = 16;

/** A stamp that holds: entries 1 to `size` were there by that block. */
export interface StampProof {
  readonly size: number;
  readonly height: number;
  /** Of the block, in seconds since 1970. */
  readonly time: number;
  readonly file?: string;
}

/** Null where there is none of that height. What it gives is checked like all else. */
export type BlockAt = (height: number) => Promise<Pick<BlockFact, 'height' | 'header'> | null>;

export interface StampOptions {
  readonly network: Network;
  /** Blocks that the verifier has, by height. */
  readonly blockAt: BlockAt | undefined;
  /** `.ots` files that the verifier kept. */
  readonly kept: readonly Uint8Array[];
}

interface Kept {
  readonly proof: Uint8Array;
  /** What it is of; undefined where it can't be read. */
  readonly digest: string | undefined;
  /** The checkpoint of this ledger that it is of. */
  of?: { readonly size: number; readonly note: Uint8Array };
}

interface Told {
  readonly seq: number;
  readonly digest: string;
  readonly block: Pick<BlockFact, 'height' | 'header'> | null;
}

export class StampCheck {
  readonly #files: Files;
  readonly #findings: Findings;
  readonly #options: StampOptions;
  readonly #sizes: ReadonlySet<number>;
  readonly #kept: readonly Kept[];
  /** Checkpoints with the ledger's own signature alone, by size, where there is a stamp. */
  readonly #notes = new Map<number, Uint8Array>();
  /** What entries tell of stamps, by size. */
  readonly #told = new Map<number, Told>();
  readonly #oldestTold = oldestKeyOf(this.#told);
  readonly #left: number;
  /** Those that hold, in no order. */
  readonly proofs: StampProof[] = [];

  /** `sizes` are those that stamps/ has a proof of, rising. */
  constructor(files: Files, findings: Findings, sizes: readonly number[], options: StampOptions) {
    this.#files = files;
    this.#findings = findings;
    this.#options = options;
    this.#left = Math.max(0, sizes.length - MOST_STAMPS);
    this.#sizes = new Set(sizes.slice(this.#left));
    this.#kept = options.kept.map((proof) => ({ proof, digest: digestOf(proof) }));
  }

  /** A checkpoint that the entries bear out and the ledger's key signed. */
  checkpoint(size: number, bytes: Uint8Array): void {
    const isStamped = this.#sizes.has(size);
    if (!isStamped && this.#kept.length === 0) return;
    const note = noteOf(bytes);
    if (note === undefined) return;
    if (isStamped) this.#notes.set(size, note);
    if (this.#kept.length === 0) return;
    const digest = sha256Hex(note);
    for (const kept of this.#kept) if (kept.digest === digest) kept.of = { size, note };
  }

  /** In the order of the ledger. */
  entry({ seq, kind, payload }: Entry): void {
    if (kind !== 'anchor.stamp') return;
    try {
      const { size, digest, block } = parseAnchorStamp(payload);
      const before = this.#told.get(size);
      this.#told.delete(size);
      this.#told.set(size, { seq, digest, block: block ?? before?.block ?? null });
      if (this.#told.size > MOST_STAMPS) this.#told.delete(this.#oldestTold() ?? 0);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('STAMP_INVALID', seq, `an entry about a stamp is malformed: ${error.message}`);
    }
  }

  /** The log was read to its end. */
  async finish(): Promise<void> {
    const open: { size: number; file: string | undefined; verdict: StampVerdict }[] = [];
    for (const size of this.#sizes) {
      const file = `${STAMP_DIR}/${encodeStampName(size, 'ots')}`;
      const verdict = await this.#look(size, file);
      if (verdict !== undefined) this.#take(size, verdict, file) || open.push({ size, file, verdict });
    }
    for (const kept of this.#kept) {
      const verdict = await this.#lookAtKept(kept);
      const size = kept.of?.size ?? 0;
      if (verdict !== undefined) this.#take(size, verdict) || open.push({ size, file: undefined, verdict });
    }
    const reach = this.reach?.size ?? 0;
    // What a stamp that holds covers, needs no other.
    for (const { size, file, verdict } of open) if (size > reach) this.#note(size, verdict, file);
    this.#compareTold(reach);
    if (this.#left > 0) {
      const text = `only the newest ${this.#sizes.size} of ${this.#left + this.#sizes.size} stamps were checked`;
      this.#findings.add('STAMPS_TOO_MANY', null, text, STAMP_DIR);
    }
  }

  /** The one that covers most. */
  get reach(): StampProof | undefined {
    return this.proofs.reduce<StampProof | undefined>(
      (best, proof) =>
        best === undefined ||
        proof.size > best.size ||
        (proof.size === best.size && proof.height < best.height)
          ? proof
          : best,
      undefined,
    );
  }

  async #look(size: number, file: string): Promise<StampVerdict | undefined> {
    const proof = await this.#files.read(file, 0, MAX_TIMESTAMP_BYTES + 1);
    if (proof === undefined) return undefined;
    const checkpoint = this.#notes.get(size);
    if (checkpoint === undefined) {
      const text = `there is a stamp of ${size} entries, but no valid checkpoint of that size`;
      this.#findings.add('STAMP_UNMATCHED', size, text, file);
      return undefined;
    }
    return this.#verify(size, checkpoint, proof, await this.#headersOf(size));
  }

  #headersOf(size: number): Promise<Uint8Array | undefined> {
    const path = `${STAMP_DIR}/${encodeStampName(size, 'headers.json')}`;
    return this.#files.read(path, 0, MAX_STAMP_HEADERS_BYTES + 1);
  }

  async #lookAtKept({ proof, digest, of }: Kept): Promise<StampVerdict | undefined> {
    // The headers beside the ledger's own stamp of that size may be the ones.
    if (of !== undefined) return this.#verify(of.size, of.note, proof, await this.#headersOf(of.size));
    const text =
      digest === undefined
        ? "the stamp that you kept can't be read, or is not for a SHA-256 hash"
        : `the stamp that you kept is for ${digest}, which is not a checkpoint of this ledger: the ledger has been rewritten since, or it is a different one`;
    this.#findings.add('STAMP_NOT_KEPT', null, text);
    return undefined;
  }

  async #verify(
    size: number,
    checkpoint: Uint8Array,
    proof: Uint8Array,
    headers: Uint8Array | undefined,
  ): Promise<StampVerdict & { readonly isTest?: true }> {
    const { network } = this.#options;
    const known = await this.#knownHeaders(size, proof);
    const input = { checkpoint, proof, headers, known };
    const verdict = verifyStamp({ ...input, chain: network === 'regtest' ? REGTEST : MAINNET });
    if (verdict.status === 'pass' || !verdict.refused.some(({ reason }) => reason === 'TARGET_TOO_EASY'))
      return verdict;
    const test = verifyStamp({ ...input, chain: REGTEST });
    return test.status === 'pass' ? { ...verdict, isTest: true } : verdict;
  }

  /** What the ledger says of it, and what the verifier has: all of them are checked. */
  async #knownHeaders(size: number, proof: Uint8Array): Promise<StampHeader[]> {
    const { blockAt } = this.#options;
    const found = [this.#told.get(size)?.block ?? null];
    if (blockAt !== undefined) for (const height of heightsOf(proof)) found.push(await blockAt(height));
    return found
      .filter((block) => block !== null)
      .map(({ height, header }) => ({ height, header: parseHex(header) }));
  }

  /** False where it is open whether it holds. */
  #take(size: number, verdict: StampVerdict, file?: string): boolean {
    const { status, code, block, problem } = verdict;
    const where = file === undefined ? 'the stamp that you kept' : 'the stamp';
    if (status === 'pass' && block !== undefined) {
      const { height, time } = block;
      this.proofs.push({ size, height, time, ...(file === undefined ? {} : { file }) });
    } else if (code === 'OTHER_DIGEST') {
      const text = `${where} is not for the checkpoint of ${size} entries: one of the two was replaced`;
      this.#findings.add('STAMP_FOREIGN', size, text, file);
    } else if (status === 'fail')
      this.#findings.add('STAMP_INVALID', size, `${where} is not valid: ${problem ?? code}`, file);
    else return false;
    return true;
  }

  #note(size: number, verdict: StampVerdict & { readonly isTest?: true }, file: string | undefined): void {
    const { code, calendars, refused, isTest } = verdict;
    if (isTest === true) {
      const text = `the stamp of ${size} entries ends in a block of a test network (regtest), so it proves nothing about time`;
      this.#findings.add('BLOCK_REGTEST', size, text, file);
    } else if (code === 'PENDING') {
      const text = `the stamp of ${size} entries is still only a promise by ${calendars.join(', ')}`;
      this.#findings.add('STAMP_PENDING', size, text, file);
    } else {
      const [first] = refused;
      const why =
        first === undefined ? code : `the header of block ${first.height} can't be used: ${first.reason}`;
      this.#findings.add(
        'STAMP_UNPROVEN',
        size,
        `it is unknown whether the stamp of ${size} entries is valid: ${why}`,
        file,
      );
    }
  }

  /** What entries say was stamped. */
  #compareTold(reach: number): void {
    for (const [size, { seq, digest }] of this.#told) {
      const note = this.#notes.get(size);
      if (note !== undefined && sha256Hex(note) !== digest) {
        const text = `entry ${seq} names a stamp of ${size} entries, but their checkpoint is a different one now`;
        this.#findings.add('STAMP_FOREIGN', seq, text);
      } else if (!this.#sizes.has(size) && this.#left === 0 && size > reach) {
        const text = `entry ${seq} names a stamp of ${size} entries, which is not here`;
        this.#findings.add('STAMP_MISSING', seq, text);
      }
    }
  }
}

/** Undefined where the ledger signed it twice, as none of ours does. */
function noteOf(checkpoint: Uint8Array): Uint8Array | undefined {
  try {
    return stampedNote(checkpoint);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

/** Of the blocks that are said to attest it. */
function heightsOf(proof: Uint8Array): number[] {
  const heights = new Set<number>();
  try {
    for (const { attestation } of attestationsOf(parseOpenTimestamp(proof)))
      if (attestation.kind === 'bitcoin' && heights.size < MOST_HEIGHTS) heights.add(attestation.height);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
  }
  return [...heights];
}

function digestOf(proof: Uint8Array): string | undefined {
  try {
    const { hash, digest } = parseOpenTimestamp(proof);
    return hash === 'sha256' ? encodeHex(digest) : undefined;
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}
