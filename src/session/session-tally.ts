// The entries of one session, counted in the log itself and never from what somebody remembers: how many there are, and the
// Merkle root over their lines. The log is read as it stands, in bounded memory; a look for the session's id finds the lines
// that may be its own, and only those are taken apart.
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
    if (end < 0 || !scan.scan(piece, 0, end) || scan.kind !== 'session.start' || !this.#isOurs())
      return undefined;
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
    for (let at = piece.indexOf(this.#needle); at >= 0; ) {
      const start = at === 0 ? 0 : piece.lastIndexOf(LINE_FEED, at - 1) + 1;
      const newline = piece.indexOf(LINE_FEED, at);
      const end = newline < 0 ? piece.length : newline;
      if (this.#scan.scan(piece, start, end) && this.#isOurs()) sum.add(piece.subarray(start, end));
      at = piece.indexOf(this.#needle, end);
    }
  }

  /** Is the line scanned last of this session? */
  #isOurs(): boolean {
    const { sessionStart } = this.#scan;
    return sessionStart >= 0 && this.#scan.sameText(sessionStart, this.#session);
  }

  #lastOf(bytes: Uint8Array): Head | undefined {
    const scan = this.#scan;
    const start = bytes.length < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, bytes.length - 2) + 1;
    if (!scan.scan(bytes, start, bytes.length - 1)) return undefined;
    return { seq: scan.seq, hash: scan.text(scan.hashStart, 64) };
  }
}
