// How a run's events get into the ledger. Events wait until the next effect, and then all of them are written together: each
// is durable before the effect that it announces. Whoever appends must have the run's last event as its parent; inside the
// exclusive section the newest one is known by a small state, and anybody else is refused.
import { sameBytes } from '../core/index.ts';
import {
  encodeRunEventText,
  type PayloadText,
  RUN_EVENT,
  type RunEvent,
  runEventId,
} from '../format/index.ts';
import {
  type AppendOptions,
  type Clock,
  type EntryLog,
  encodeBlock,
  type NewRunEvent,
} from '../ledger/index.ts';
import { RunError } from './run-error.ts';

export interface RunLogOptions {
  readonly store: Pick<EntryLog, 'append'>;
  readonly source: string;
  readonly run: string;
  readonly now?: Clock | undefined;
}

/** The log was read up to an entry. What a write is refused for by the lines behind it, in the exclusive section. */
export interface Unless {
  readonly since: number;
  readonly refusal: (lines: Uint8Array) => RunError | null;
}

/** The newest event that is on record. */
export interface LastEvent {
  readonly sequence: number;
  readonly stateHash: string;
}

/** What an event is, besides its place. */
export type NewEvent = Pick<RunEvent, 'kind' | 'content' | 'payloadHash' | 'stateAfter'> & {
  /** The payload, where it stands in the entry: see encodeRunEventText. */
  readonly text: string | null;
  readonly cause: number | null;
};

interface WaitingEvent {
  readonly sequence: number;
  readonly payload: PayloadText;
  readonly cause: number | null;
}

/** Seqs of causes that are remembered. */
const REMEMBERED = 256;
const NEEDLE = Buffer.from(`"kind":"${RUN_EVENT}"`);

export class RunLog {
  readonly #options: RunLogOptions;
  readonly #now: Clock;
  #last: LastEvent | null;
  /** Of what is on record. */
  #written: number | null;
  #waiting: WaitingEvent[] = [];
  /** A write was refused: nobody here knows whether its events are on record. */
  #hasFailed = false;
  /** Seqs of the newest entries, by the sequence of their events modulo REMEMBERED. */
  readonly #seqs: number[] = [];

  constructor(options: RunLogOptions, last: LastEvent | null = null) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#last = last;
    this.#written = last?.sequence ?? null;
  }

  /** The sequence that the next event gets. */
  get next(): number {
    return (this.#last?.sequence ?? -1) + 1;
  }

  /** Where an event stands in the ledger, if that is known. */
  seqOf(sequence: number): number | undefined {
    const written = this.#written ?? -1;
    if (sequence > written || sequence <= written - REMEMBERED) return undefined;
    return this.#seqs[sequence % REMEMBERED];
  }

  /** Gives its sequence. It is on record after the next flush. */
  add({ kind, text, content, payloadHash, stateAfter, cause }: NewEvent): number {
    const { run } = this.#options;
    const sequence = this.next;
    const event = {
      run,
      sequence,
      parent: this.#last === null ? null : runEventId(run, this.#last.sequence),
      kind,
      content,
      payloadHash,
      stateBefore: this.#last?.stateHash ?? null,
      stateAfter,
      cause: cause === null ? null : runEventId(run, cause),
    };
    this.#waiting.push({ sequence, payload: encodeRunEventText(event, text), cause });
    this.#last = { sequence, stateHash: stateAfter };
    return sequence;
  }

  /**
   * All that waits is durable when it resolves. RunError NOT_LAST where somebody else went on with the run. `unless`: the
   * log was read, so that no state needs to be believed. Where it rejects, what waited may be on record or not, so nothing
   * is written behind it any more: RunError CLOSED.
   */
  async flush(unless?: Unless): Promise<void> {
    if (this.#hasFailed)
      throw new RunError(
        'CLOSED',
        "an earlier write of the run failed, so this process can't continue it. Use recoverRun.",
      );
    try {
      await this.#write(unless);
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  async #write(unless: Unless | undefined): Promise<void> {
    const events = this.#waiting;
    if (events.length === 0) return;
    this.#waiting = [];
    const { store, source, run } = this.#options;
    const parent = this.#written;
    const oldest = events[0]?.sequence ?? 0;
    const newest = events.at(-1)?.sequence ?? 0;
    let first = 0;
    let isBehind = false;
    await store.append(
      (head, state, _, behind) => {
        isBehind = unless !== undefined && behind === undefined;
        if (isBehind) return undefined;
        if (unless === undefined && !sameBytes(state ?? NOTHING, encodeLast(parent))) throw notLast(parent);
        const refusal = behind === undefined ? null : unless?.refusal(behind);
        if (refusal) throw refusal;
        first = head.seq + 1;
        const seqOf = (cause: number): number | null =>
          cause < oldest ? (this.seqOf(cause) ?? null) : first + cause - oldest;
        const entries = events.map(
          ({ payload, cause }): NewRunEvent => ({
            kind: RUN_EVENT,
            source,
            session_id: run,
            cause: cause === null ? null : seqOf(cause),
            payload,
          }),
        );
        const { lines, head: after } = encodeBlock(entries, head, this.#now());
        return { lines, head: after, state: encodeLast(newest) };
      },
      unless === undefined ? aboutRun(run) : { ...aboutRun(run), since: unless.since },
    );
    if (isBehind)
      throw new RunError(
        'NOT_LAST',
        'the ledger grew too fast to find the last event of the run. Try again.',
      );
    this.#written = newest;
    for (const { sequence } of events) this.#seqs[sequence % REMEMBERED] = first + sequence - oldest;
  }
}

const NOTHING = new Uint8Array(0);

/** How an append is made that goes on with a run: about the small state that knows its newest event. */
export function aboutRun(run: string): AppendOptions {
  return { state: `run.${run}`, mustKeep: true, onlyWithLines: true };
}

export function encodeLast(sequence: number | null): Uint8Array {
  return sequence === null ? NOTHING : Buffer.from(String(sequence), 'latin1');
}

/** For who found the run's last event by reading the log up to `since`. */
export function unlessGoneOn(run: string, last: number, since: number): Unless {
  return { since, refusal: (lines) => (holds(lines, run) ? notLast(last) : null) };
}

function notLast(parent: number | null): RunError {
  return new RunError(
    'NOT_LAST',
    `event ${parent} is no longer the last one of the run: somebody else continues it, or patched it.`,
  );
}

/** Does an event of the run stand among these lines? One that only looks so is refused as well: try again. */
function holds(lines: Uint8Array, run: string): boolean {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.length);
  return bytes.includes(`"session_id":"${run}"`) && bytes.includes(NEEDLE);
}
