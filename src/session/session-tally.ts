// The entries of one session, counted in the log itself and never from what somebody remembers: how many there are, and the
// Merkle root over their lines. The log is read as it stands, in bounded memory, and no line is taken apart: where the
// session's id stands in it tells whose it is.
import { StoreError } from '../core/index.ts';
import { GENESIS, type Head, LineSum, type SessionSum } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import type { Tally } from './append-with-sum.ts';
import { asBuffer, headBeforeSession, headOfLines, LINE_FEED, MOST_AFTER } from './session-lines.ts';

/** A session as it was counted up to a place. */
export interface Counted {
  readonly head: Head;
  readonly sum: LineSum;
}

export interface TallyOptions {
  readonly session: string;
  /** Where the session is said to begin. It is looked at before it is believed; the first entry of all unless given. */
  readonly first?: number | undefined;
  /** Called once, when nothing more is to be read. */
  readonly close?: () => Promise<void>;
}

export class SessionTally implements Tally {
  readonly #log: LogReader;
  readonly #session: string;
  readonly #first: number;
  readonly #close: (() => Promise<void>) | undefined;
  readonly #sum = new LineSum();
  /** The entry up to which the log is read; undefined before the first look. */
  #head: Head | undefined;

  constructor(log: LogReader, { session, first = 1, close }: TallyOptions) {
    this.#log = log;
    this.#session = session;
    this.#first = first;
    this.#close = close;
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
      addLinesOf(this.#session, this.#sum, piece);
      newest = headOfLines(piece);
    }
    if (newest?.seq !== to) throw unread(to);
    this.#head = newest;
  }

  sumAt(head: Head, behind: Uint8Array, own: Uint8Array): SessionSum {
    if (this.#head === undefined) throw new TypeError('read first');
    return sumBehind(this.#session, { head: this.#head, sum: this.#sum }, { head, behind, own });
  }

  async close(): Promise<void> {
    await this.#close?.();
  }

  /** What stands before the session's first entry. */
  async #beginning(): Promise<Head> {
    if (this.#first > 1) {
      for await (const piece of this.#log.read(this.#first, this.#first)) {
        const before = headBeforeSession(asBuffer(piece), 0, this.#session);
        if (before !== undefined) return before;
      }
    }
    return { seq: 0, hash: GENESIS };
  }
}

/** The sum at a head, from what was counted, the lines behind that, and those that are about to follow. Throws StoreError. */
export function sumBehind(
  session: string,
  counted: Counted,
  { head, behind, own }: { readonly head: Head; readonly behind: Uint8Array; readonly own: Uint8Array },
): SessionSum {
  const sum = counted.sum.copy();
  addLinesOf(session, sum, behind);
  const newest = behind.length === 0 ? counted.head : headOfLines(behind);
  if (newest?.seq !== head.seq || newest.hash !== head.hash)
    throw new StoreError(
      'DAMAGED',
      `the log doesn't reach entry ${head.seq}, which its head names, so foil can't count the session's entries. Run \`foil verify\`.`,
    );
  addLinesOf(session, sum, own);
  return sum.sum();
}

export function unread(to: number): StoreError {
  return new StoreError(
    'DAMAGED',
    `foil could not read the log up to entry ${to}, so it can't count the session's entries. Run \`foil verify\`.`,
  );
}

function addLinesOf(session: string, sum: LineSum, bytes: Uint8Array): void {
  const piece = asBuffer(bytes);
  const needle = Buffer.from(`"session_id":"${session}"`);
  for (let at = piece.indexOf(needle); at >= 0; ) {
    const after = at + needle.length;
    const end = piece.indexOf(LINE_FEED, after);
    const isOurs = end >= 0 && end - after <= MOST_AFTER;
    if (isOurs) sum.add(piece.subarray(piece.lastIndexOf(LINE_FEED, at) + 1, end));
    at = piece.indexOf(needle, isOurs ? end : after);
  }
}
