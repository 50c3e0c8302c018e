// The entries of one session, counted in the log itself and never from what somebody remembers: how many there are, and the
// Merkle root over their lines. The log is read as it stands, in bounded memory, and no line is taken apart: where the
// session's id stands in it tells whose it is.
import { type JsonObject, StoreError, sessionIdOf } from '../core/index.ts';
import {
  EntryScan,
  GENESIS,
  type Head,
  LineSum,
  parseSessionStart,
  type SessionSum,
} from '../format/index.ts';
import type { Store } from '../ledger/index.ts';
import type { Tally } from './append-with-sum.ts';

const LINE_FEED = 0x0a;
/**
 * What follows the session of an entry is at most so long: `,"source":"…","ts":"…","v":1,"entry_hash":"…"}` with a source of 97
 * bytes. What stands in a payload is farther from the end: `prev_hash` and all the rest come behind it.
 */
const MOST_AFTER = 228;

export interface TallyOptions {
  readonly session: string;
  /** Where the session is said to begin. It is looked at before it is believed; the first entry of all unless given. */
  readonly first?: number | undefined;
  /** Called once, when nothing more is to be read. */
  readonly close?: () => Promise<void>;
}

export class SessionTally implements Tally {
  readonly #log: Pick<Store, 'head' | 'read'>;
  readonly #session: string;
  readonly #first: number;
  readonly #close: (() => Promise<void>) | undefined;
  readonly #needle: Buffer;
  readonly #sum = new LineSum();
  readonly #scan = new EntryScan();
  /** The entry up to which the log is read; undefined before the first look. */
  #head: Head | undefined;

  constructor(log: Pick<Store, 'head' | 'read'>, { session, first = 1, close }: TallyOptions) {
    this.#log = log;
    this.#session = session;
    this.#first = first;
    this.#close = close;
    this.#needle = Buffer.from(`"session_id":"${session}"`);
  }

  get seq(): number {
    return this.#head?.seq ?? 0;
  }

  async readOn(): Promise<void> {
    const { seq: to } = await this.#log.head();
    this.#head ??= await this.#beginning();
    if (to <= this.#head.seq) return;
    let newest: Head | undefined;
    for await (const piece of this.#log.read(this.#head.seq + 1, to)) {
      this.#take(this.#sum, piece);
      newest = this.#lastOf(piece);
    }
    if (newest?.seq !== to)
      throw new StoreError(
        'DAMAGED',
        `the log could not be read up to entry ${to}, so the session's entries can't be counted. Run \`foil verify\`.`,
      );
    this.#head = newest;
  }

  sumAt(head: Head, behind: Uint8Array, own: Uint8Array): SessionSum {
    const sum = this.#sum.copy();
    this.#take(sum, behind);
    const newest = behind.length === 0 ? this.#head : this.#lastOf(behind);
    if (newest?.seq !== head.seq || newest.hash !== head.hash)
      throw new StoreError(
        'DAMAGED',
        `the log does not lead to its entry ${head.seq}, so the session's entries can't be counted. Run \`foil verify\`.`,
      );
    this.#take(sum, own);
    return sum.sum();
  }

  async close(): Promise<void> {
    await this.#close?.();
  }

  /** What stands before the session's first entry. */
  async #beginning(): Promise<Head> {
    if (this.#first > 1) {
      for await (const piece of this.#log.read(this.#first, this.#first)) {
        const before = this.#before(Buffer.from(piece.buffer, piece.byteOffset, piece.length));
        if (before !== undefined) return before;
      }
    }
    return { seq: 0, hash: GENESIS };
  }

  /**
   * A session's id follows from the hash of the entry before its start, so nothing of it can stand before that: if this is
   * such a start, reading may begin here. Undefined where it is none.
   */
  #before(piece: Buffer): Head | undefined {
    const scan = this.#scan;
    const end = piece.indexOf(LINE_FEED);
    if (end < 0 || !scan.scan(piece, 0, end) || scan.kind !== 'session.start') return undefined;
    try {
      const { payload } = JSON.parse(piece.toString('utf8', 0, end)) as { readonly payload: JsonObject };
      const { authKey, block } = parseSessionStart(payload);
      const prevHash = scan.text(scan.prevStart, 64);
      const id = sessionIdOf({ authKey, blockHash: block?.hash ?? null, prevHash });
      return id === this.#session ? { seq: scan.seq - 1, hash: prevHash } : undefined;
    } catch {
      return undefined;
    }
  }

  #take(sum: LineSum, bytes: Uint8Array): void {
    const piece = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const { length } = this.#needle;
    for (let at = piece.indexOf(this.#needle); at >= 0; ) {
      const after = at + length;
      const end = piece.indexOf(LINE_FEED, after);
      const isOurs = end >= 0 && end - after <= MOST_AFTER;
      if (isOurs) sum.add(piece.subarray(piece.lastIndexOf(LINE_FEED, at) + 1, end));
      at = piece.indexOf(this.#needle, isOurs ? end : after);
    }
  }

  #lastOf(bytes: Uint8Array): Head | undefined {
    const scan = this.#scan;
    const start = bytes.length < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, bytes.length - 2) + 1;
    if (!scan.scan(bytes, start, bytes.length - 1)) return undefined;
    return { seq: scan.seq, hash: scan.text(scan.hashStart, 64) };
  }
}
