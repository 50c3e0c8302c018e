// What a session's calls have sent already. A conversation is sent again whole with every call; here each message of it
// is redacted and kept once, and a call's list of messages is told as the list of an earlier call and what is new. What
// is forgotten, because there is too much of it, is only kept again.
import { sha256Hex } from '#platform';
import type { Json } from '../core/index.ts';
import type { Kept } from '../format/index.ts';
import type { Traces } from './intake.ts';

/** Lists that a call may go on from: one for each conversation that goes on at once, subagents' too. */
const MOST_LISTS = 16;
const MOST_MESSAGES = 1024;
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

export class MessageMemory {
  readonly #kept = new Map<string, Promise<Kept>>();
  #lists: readonly List[] = [];
  #deep = 0;

  /** The same for values that are written alike. */
  keyOf(role: string, value: Json): string {
    let text: string;
    try {
      text = JSON.stringify(value);
    } catch {
      // Deeper than can be followed: like nothing else, so that it is kept each time, as far as it can be.
      return `deep ${this.#deep++}`;
    }
    return sha256Hex(`${role}\n${text.toWellFormed()}`).slice(0, 40);
  }

  isKnown(key: string): boolean {
    return this.#kept.has(key);
  }

  /** Undefined where it was forgotten. */
  find(key: string): Promise<Kept> | undefined {
    return this.#kept.get(key);
  }

  /** Durable when it resolves. `keep` is asked only for what is not known. */
  keep(key: string, value: Json, traces: Traces, keep: Keep): Promise<Kept> {
    const known = this.#kept.get(key);
    if (known !== undefined) {
      // The newest last: what falls out is what nobody has sent for longest.
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    const keeping = keep(value, traces);
    this.#kept.set(key, keeping);
    keeping.catch(() => this.#kept.delete(key));
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_MESSAGES && oldest !== undefined) this.#kept.delete(oldest);
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
