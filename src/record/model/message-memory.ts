// What a session's calls have sent already. A conversation is sent again whole with every call; here each message of it
// is redacted and kept once, and a call's list of messages is told as the list of an earlier call and what is new. What
// is forgotten, because there is too much of it, is only kept again.
import { sha256Hex } from '#platform';
import type { Json } from '../../core/index.ts';
import type { Kept } from '../../format/index.ts';
import type { Traces } from '../intake.ts';

/** Lists that a call may go on from: one for each conversation that goes on at once, subagents' too. */
const MOST_LISTS = 16;
/** Of all sessions that share a memory: twice as many are known at most. */
const MOST_MESSAGES = 4096;
/** A longer list is not gone on from. */
const LONGEST_LIST = 16_384;

interface List {
  readonly seq: number;
  readonly keys: readonly string[];
}

/** Where the part begins that is new. */
export interface Base {
  readonly seq: number | null;
  readonly kept: number;
}

export type Keep = (value: Json, traces: Traces) => Promise<Kept>;

/** What was kept, of any number of sessions, by keys of theirs. When it is full, the half that nobody asked for goes. */
export class KeptMessages {
  #newer = new Map<string, Promise<Kept>>();
  #older = new Map<string, Promise<Kept>>();

  get(key: string): Promise<Kept> | undefined {
    const newer = this.#newer.get(key);
    if (newer !== undefined) return newer;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, kept: Promise<Kept>): void {
    if (this.#newer.size >= MOST_MESSAGES) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, kept);
  }

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}

export class MessageMemory {
  readonly #session: string;
  readonly #kept: KeptMessages;
  #lists: readonly List[] = [];
  #deep = 0;

  constructor(session: string, kept: KeptMessages = new KeptMessages()) {
    this.#session = session;
    this.#kept = kept;
  }

  /** The same for values of this session that are written alike. */
  keyOf(role: string, value: Json): string {
    let text: string;
    try {
      text = JSON.stringify(value);
    } catch {
      // Deeper than can be followed: like nothing else, so that it is kept each time, as far as it can be.
      return `${this.#session} deep ${this.#deep++}`;
    }
    return sha256Hex(`${this.#session}\n${role}\n${text.toWellFormed()}`);
  }

  isKnown(key: string): boolean {
    return this.#kept.get(key) !== undefined;
  }

  /** Undefined where it was forgotten. */
  find(key: string): Promise<Kept> | undefined {
    return this.#kept.get(key);
  }

  /** Durable when it resolves. `keep` is asked only for what is not known. */
  keep(key: string, value: Json, traces: Traces, keep: Keep): Promise<Kept> {
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const keeping = keep(value, traces);
    this.#kept.set(key, keeping);
    keeping.catch(() => this.#kept.delete(key));
    return keeping;
  }

  /** The call whose list has most in common with this one. */
  baseOf(keys: readonly string[]): Base {
    let best: Base = { seq: null, kept: 0 };
    for (const list of this.#lists) {
      const shorter = Math.min(list.keys.length, keys.length);
      let kept = 0;
      while (kept < shorter && list.keys[kept] === keys[kept]) kept++;
      if (kept > best.kept) best = { seq: list.seq, kept };
    }
    return best;
  }

  /** Once the call is on record. */
  remember(seq: number, keys: readonly string[], base: number | null): void {
    if (keys.length > LONGEST_LIST) return;
    const others = this.#lists.filter((list) => list.seq !== base);
    this.#lists = [...others.slice(-(MOST_LISTS - 1)), { seq, keys }];
  }
}
