// When was it? Not before the newest block that an entry or one before it names: nobody knows a block's hash before it is
// found. Not after the block that a stamp ends in. Headers are verified here, whoever fetched them; an entry's own time is a
// claim of the writer's clock, and at most unlikely beside a block. What a block's miner says is good to two hours.
import { ParseError } from '../core/index.ts';
import { type BlockFact, type Entry, parseBlockFact } from '../format/index.ts';
import { BlockJudge, type Network } from './block-judge.ts';
import type { Findings } from './findings.ts';
import { oldestKeyOf } from './oldest-key.ts';
import type { StampProof } from './stamp-check.ts';
import { durationText, momentText } from './time-text.ts';

/** What it must be shown. */
export const TIME_KINDS = ['session.start', 'session.end', 'anchor.block'];

/** A miner's clock, in seconds. */
const CLOCK = 2 * 3600;
/** Blocks near the tip are sometimes left behind, and sources lag. */
const FEW_BLOCKS = 6;
/** A longer interval says little, in seconds. */
const WIDE = 24 * 3600;
const MOST_SESSIONS = 65_536;

export interface KnownBlock {
  readonly height: number;
  readonly time: number;
}

/** When a session was, by blocks. */
export interface Interval {
  readonly session: string;
  readonly ended: boolean;
  readonly notBefore: KnownBlock | null;
  readonly notAfter: KnownBlock | null;
}

interface Begun {
  readonly session: string;
  readonly seq: number;
  block: KnownBlock | null;
}

export class TimeCheck {
  readonly #findings: Findings;
  readonly #judge: BlockJudge;
  /** Rising. */
  readonly #stamps: readonly number[];
  /** The newest block that entries had named at each of these sizes. */
  readonly #reached: (KnownBlock | null)[] = [];
  /** Sessions that have not ended. */
  readonly #open = new Map<string, Begun>();
  readonly #oldest = oldestKeyOf(this.#open);
  #newest: KnownBlock | null = null;
  #newestBegun: Begun | undefined;
  #newestEnded: (Begun & { readonly end: number }) | undefined;
  #testBlocks = 0;
  #firstTestBlock = 0;
  /** Entries that name a block which is one. */
  anchors = 0;
  /** Of the newest session that ended, else of the newest; null before the first. */
  interval: Interval | null = null;

  constructor(findings: Findings, network: Network, stamps: readonly number[]) {
    this.#findings = findings;
    this.#judge = new BlockJudge(network);
    this.#stamps = stamps;
  }

  /** In the order of the ledger. */
  entry(entry: Entry): void {
    const { seq, kind, session_id: session } = entry;
    if (!TIME_KINDS.includes(kind)) return;
    const fact = this.#blockOf(entry);
    if (fact !== undefined) this.#block(entry, fact);
    if (session === null) return;
    if (kind === 'session.start') this.#begin(session, seq);
    else if (kind === 'session.end') this.#end(session, seq);
    else this.#anchored(session);
  }

  /** `proofs` are the stamps that hold. */
  finish(proofs: readonly StampProof[], entries: number): void {
    this.#reach(Number.POSITIVE_INFINITY);
    if (this.#testBlocks > 0) {
      const what =
        this.#testBlocks === 1 ? 'a block named here is' : `${this.#testBlocks} blocks named here are`;
      const text = `${what} from a test network (regtest), where anyone can make blocks, so that proves nothing about time`;
      this.#findings.add('BLOCK_REGTEST', this.#firstTestBlock, text);
    }
    const reached = new Map(this.#stamps.map((size, i) => [size, this.#reached[i] ?? null]));
    for (const proof of proofs) this.#compare(proof, reached.get(proof.size) ?? null);
    const of = this.#newestEnded ?? this.#newestBegun;
    if (of === undefined) return;
    const end = 'end' in of ? (of as { end: number }).end : entries;
    const after = proofs.filter(({ size }) => size >= end);
    const notAfter = after.reduce<StampProof | null>(
      (least, proof) => (least === null || proof.height < least.height ? proof : least),
      null,
    );
    this.interval = {
      session: of.session,
      ended: 'end' in of,
      notBefore: of.block,
      notAfter: notAfter && { height: notAfter.height, time: notAfter.time },
    };
    if (this.anchors + proofs.length > 0) this.#judgeWidth(this.interval, end);
  }

  /**
   * Nobody can name a block that is found later. A height is what a source said of a block, and it may have lied a little; its
   * time stands in the header, so both must say so.
   */
  #compare({ size, height, time, file }: StampProof, named: KnownBlock | null): void {
    if (named === null || height + FEW_BLOCKS >= named.height) return;
    const text = `a stamp says that entries 1–${size} existed by block ${height}, but they name block ${named.height}`;
    if (named.time > time + CLOCK) this.#findings.add('INTERVAL_IMPOSSIBLE', size, text, file);
    else
      this.#findings.add(
        'BLOCK_UNSURE',
        size,
        `${text}, found at about the same time: one height is wrong`,
        file,
      );
  }

  #blockOf({ seq, kind, payload }: Entry): BlockFact | undefined {
    try {
      if (kind === 'anchor.block') return parseBlockFact(payload);
      const { block = null } = payload;
      if (typeof block !== 'object' || block === null || Array.isArray(block)) return undefined;
      return parseBlockFact(block as typeof payload, 'payload.block');
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
      this.#findings.add('BLOCK_INVALID', seq, `a block is malformed: ${error.message}`);
      return undefined;
    }
  }

  #block({ seq, ts }: Entry, fact: BlockFact): void {
    const { height, time } = fact;
    const { status, reason, isNew } = this.#judge.judge(fact);
    if (status === 'fail') {
      const text = `entry ${seq} names block ${height}, but its header is not that block's: ${reason}`;
      this.#findings.add('BLOCK_INVALID', seq, text);
    } else if (status === 'regtest') {
      if (this.#testBlocks++ === 0) this.#firstTestBlock = seq;
    } else if (status === 'unknown') {
      const text = `it is unknown whether block ${height} is in Bitcoin's main chain: ${reason}`;
      if (isNew) this.#findings.add('BLOCK_UNSURE', seq, text);
    } else this.#good(seq, ts, { height, time });
  }

  #good(seq: number, ts: string, block: KnownBlock): void {
    this.#reach(seq);
    this.anchors++;
    const top = this.#newest;
    if (top !== null && block.height < top.height - FEW_BLOCKS) {
      const text = `entry ${seq} names block ${block.height}, though block ${top.height} was known before it`;
      this.#findings.add('BLOCK_BEHIND', seq, text);
    }
    if (Date.parse(ts) / 1000 < block.time - CLOCK) {
      const text = `entry ${seq} says ${ts}, but names block ${block.height} of ${momentText(block.time)}: the writer's clock was wrong`;
      this.#findings.add('CLOCK_WRONG', seq, text);
    }
    if (top === null || block.height > top.height) this.#newest = block;
  }

  /** Stamps of sizes below `seq` can't cover what it names. */
  #reach(seq: number): void {
    while ((this.#stamps[this.#reached.length] ?? Number.POSITIVE_INFINITY) < seq)
      this.#reached.push(this.#newest);
  }

  #begin(session: string, seq: number): void {
    const begun: Begun = { session, seq, block: this.#newest };
    this.#newestBegun = begun;
    if (this.#open.size >= MOST_SESSIONS) this.#open.delete(this.#oldest() ?? '');
    this.#open.set(session, begun);
  }

  #end(session: string, seq: number): void {
    const begun = this.#open.get(session) ?? { session, seq, block: null };
    this.#newestEnded = { ...begun, end: seq };
    this.#open.delete(session);
  }

  /** Begun without a block, and given one later: what follows is not before that. */
  #anchored(session: string): void {
    const begun = this.#open.get(session);
    if (begun !== undefined) begun.block ??= this.#newest;
  }

  #judgeWidth({ session, notBefore, notAfter }: Interval, end: number): void {
    const name = `session ${session.slice(0, 16)}`;
    if (notBefore === null || notAfter === null) {
      const sides = [
        ...(notBefore === null ? ['no block shows how early it can have been'] : []),
        ...(notAfter === null ? ['no stamp shows yet how late it can have been'] : []),
      ];
      this.#findings.add('INTERVAL_OPEN', end, `${name}: ${sides.join(', and ')}`);
      return;
    }
    const seconds = notAfter.time - notBefore.time;
    if (seconds <= WIDE) return;
    const text = `${name} may have been at any time within ${durationText(seconds)}`;
    this.#findings.add('INTERVAL_WIDE', end, text);
  }
}
