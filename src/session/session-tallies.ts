// The entries of many sessions, counted in one reading of the log. A process with a hundred sessions would else read all of
// it a hundred times, once for each that ends. What is counted is what SessionTally counts, from the same lines; a session
// that can't be counted along with the others has a tally of its own.
import { StoreError } from '../core/index.ts';
import { type Head, LineSum, type SessionSum } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import type { Tally } from './append-with-sum.ts';
import { asBuffer, headBeforeSession, headOfLines, LINE_FEED, sessionOfLine } from './session-lines.ts';
import { type Counted, SessionTally, sumBehind, unread } from './session-tally.ts';

export class SessionTallies {
  readonly #log: LogReader;
  readonly #sums = new Map<string, LineSum>();
  /** Where reading begins; of no use once it has. */
  #first = Number.MAX_SAFE_INTEGER;
  /** The entry up to which the log is read; undefined before the first look. */
  #head: Head | undefined;
  /** The entry up to which it is read or being read. */
  #claimed = 0;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(log: LogReader) {
    this.#log = log;
  }

  /** Its entries are counted from now on, with those of the others. `first`: where it began. Nothing is read yet. */
  watch(session: string, first: number): void {
    if (first <= this.#claimed) return;
    this.#first = Math.min(this.#first, first);
    this.#sums.set(session, new LineSum());
  }

  open(session: string, first: number): Tally {
    if (!this.#sums.has(session)) return new SessionTally(this.#log, { session, first });
    return new SharedTally(session, {
      count: () => this.#inTurn(() => this.#count(session)),
      close: () => this.#sums.delete(session),
    });
  }

  /** Who comes second finds nearly all of it read. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#reading.then(work);
    this.#reading = mine.catch(() => undefined);
    return mine;
  }

  async #count(session: string): Promise<Counted> {
    const head = await this.#readOn();
    const sum = this.#sums.get(session);
    if (sum === undefined || sum.entries === 0)
      throw new StoreError('DAMAGED', "the session doesn't begin where its record says. Run `foil verify`.");
    return { head, sum: sum.copy() };
  }

  async #readOn(): Promise<Head> {
    const { seq: to } = await this.#log.head();
    if (this.#head !== undefined && to <= this.#head.seq) return this.#head;
    this.#claimed = to;
    let newest: Head | undefined;
    try {
      for await (const piece of this.#log.read((this.#head?.seq ?? this.#first - 1) + 1, to)) {
        this.#take(asBuffer(piece));
        newest = headOfLines(piece);
      }
      if (newest?.seq !== to) throw unread(to);
    } catch (error) {
      this.#sums.clear(); // nobody knows how far each was counted
      throw error;
    }
    this.#head = newest;
    return newest;
  }

  #take(piece: Buffer): void {
    for (let start = 0, end = 0; start < piece.length; start = end + 1) {
      end = piece.indexOf(LINE_FEED, start);
      if (end < 0) return;
      const session = sessionOfLine(piece, start, end);
      const sum = session === undefined ? undefined : this.#sums.get(session);
      if (session === undefined || sum === undefined) continue;
      if (sum.entries > 0 || headBeforeSession(piece, start, session) !== undefined)
        sum.add(piece.subarray(start, end));
      else this.#sums.delete(session);
    }
  }
}

interface SharedReading {
  count(): Promise<Counted>;
  close(): void;
}

/** One session of them, at the place up to which it asked for: others may have read on since. */
class SharedTally implements Tally {
  readonly #session: string;
  readonly #reading: SharedReading;
  #counted: Counted | undefined;

  constructor(session: string, reading: SharedReading) {
    this.#session = session;
    this.#reading = reading;
  }

  get seq(): number {
    return this.#counted?.head.seq ?? 0;
  }

  async readOn(): Promise<void> {
    this.#counted = await this.#reading.count();
  }

  sumAt(head: Head, behind: Uint8Array, own: Uint8Array): SessionSum {
    if (this.#counted === undefined) throw new TypeError('read first');
    return sumBehind(this.#session, this.#counted, { head, behind, own });
  }

  async close(): Promise<void> {
    this.#reading.close();
  }
}
