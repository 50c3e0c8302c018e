// The lines of each session, summed up as the log is read: what the ends of sessions, and `session.sum`, are held against.
// Bounded: of those that ended the one that ended first is forgotten first, then the one that began first. Of a session that
// may have been forgotten nothing is said.
import { HASH_SIZE } from '../core/index.ts';
import { LineSum, type SessionSum } from '../format/index.ts';
import { oldestKeyOf } from './oldest-key.ts';

/** Which session each line of a run is of. */
export interface RunSessions {
  readonly ids: readonly string[];
  /** For each line the index of its session in `ids`; −1 where it is of none. */
  readonly of: Int32Array;
}

interface Summed {
  readonly lines: LineSum;
  isForgotten: boolean;
}

/** About two kilobytes each. */
const MOST_SUMMED = 16_384;

export class SessionSums {
  readonly #most: number;
  readonly #open = new Map<string, Summed>();
  readonly #ended = new Map<string, Summed>();
  readonly #oldestOpen = oldestKeyOf(this.#open);
  readonly #oldestEnded = oldestKeyOf(this.#ended);
  /** Some were forgotten: a session that is not known may be one of them. */
  #isForgetful = false;
  #sessions: RunSessions = { ids: [], of: new Int32Array(0) };
  #leaves: Uint8Array = new Uint8Array(0);
  /** Of this run, by their index; null for one whose lines were not all seen. */
  #known: (Summed | null)[] = [];
  #next = 0;

  constructor(most = MOST_SUMMED) {
    this.#most = most;
  }

  /** The next run, with the leaf of each line. What is left of the one before is taken first. */
  run(sessions: RunSessions, leaves: Uint8Array): void {
    this.upTo(this.#leaves.length / HASH_SIZE);
    this.#sessions = sessions;
    this.#leaves = leaves;
    this.#known = [];
    this.#next = 0;
  }

  /** Takes the lines of the run before the one with this index. */
  upTo(line: number): void {
    const { of } = this.#sessions;
    for (; this.#next < line; this.#next++) {
      const index = of[this.#next] ?? -1;
      if (index < 0) continue;
      const at = this.#next * HASH_SIZE;
      this.#of(index)?.lines.addLeaf(this.#leaves.subarray(at, at + HASH_SIZE));
    }
  }

  /** The line that comes next begins this session: whatever was forgotten, nothing of it was before. */
  begin(session: string): void {
    if (this.#open.has(session) || this.#ended.has(session)) return;
    const summed = this.#remember(session);
    const index = this.#sessions.of[this.#next] ?? -1;
    if (index >= 0) this.#known[index] = summed;
  }

  /** The session ended. Something of it may still come. */
  end(session: string): void {
    const summed = this.#open.get(session);
    if (summed === undefined) return;
    this.#open.delete(session);
    this.#ended.set(session, summed);
  }

  /** What stands of a session before the line that comes next; undefined where that was not all seen. */
  sumOf(session: string): SessionSum | undefined {
    const summed = this.#open.get(session) ?? this.#ended.get(session);
    if (summed !== undefined) return summed.lines.sum();
    return this.#isForgetful ? undefined : new LineSum().sum();
  }

  #of(index: number): Summed | null {
    const known = this.#known[index];
    if (known === null || known?.isForgotten === false) return known;
    const session = this.#sessions.ids[index] ?? '';
    const summed = this.#open.get(session) ?? this.#ended.get(session);
    const found = summed ?? (this.#isForgetful ? null : this.#remember(session));
    this.#known[index] = found;
    return found;
  }

  #remember(session: string): Summed {
    if (this.#open.size + this.#ended.size >= this.#most) this.#forget();
    const summed = { lines: new LineSum(), isForgotten: false };
    this.#open.set(session, summed);
    return summed;
  }

  #forget(): void {
    const [map, oldest] =
      this.#ended.size > 0 ? [this.#ended, this.#oldestEnded()] : [this.#open, this.#oldestOpen()];
    const summed = map.get(oldest ?? '');
    if (summed !== undefined) summed.isForgotten = true;
    map.delete(oldest ?? '');
    this.#isForgetful = true;
  }
}
