// The sessions that a verification remembers while it reads on: how each began, and how far its chain has come. Bounded:
// of those that ended the oldest goes first, then the oldest of all, and from then on one that is not known may be one
// that was forgotten.
import type { RecordedStart } from '../format/index.ts';
import { oldestKeyOf } from './oldest-key.ts';
import { SessionChain } from './session-chain.ts';

/** Chain hashes of each: a recorder's memory is put back by one append at most. */
const REMEMBERED = 2;

export interface KnownSession {
  /** Null where its start told nothing, or was not seen. */
  readonly start: RecordedStart | null;
  readonly chain: SessionChain;
  /** Hashes of its newest prompts. */
  readonly prompts: string[];
  /** There were more. */
  hasMorePrompts: boolean;
}

export class KnownSessions {
  readonly #most: number;
  readonly #open = new Map<string, KnownSession>();
  readonly #ended = new Map<string, KnownSession>();
  readonly #oldestOpen = oldestKeyOf(this.#open);
  readonly #oldestEnded = oldestKeyOf(this.#ended);
  /** Some were forgotten. */
  overflowed = false;

  constructor(most: number) {
    this.#most = most;
  }

  get(session: string): KnownSession | undefined {
    return this.#open.get(session) ?? this.#ended.get(session);
  }

  hasEnded(session: string): boolean {
    return this.#ended.has(session);
  }

  /** Also one that was known: it is another one then. Not `isWhole`: its beginning was not seen. */
  begin(session: string, start: RecordedStart | null, isWhole = true): KnownSession {
    const chain = new SessionChain(session, REMEMBERED);
    if (isWhole) chain.startUnbound();
    const known: KnownSession = { start, chain, prompts: [], hasMorePrompts: !isWhole };
    this.#ended.delete(session);
    this.#open.delete(session);
    this.#open.set(session, known);
    if (this.#open.size + this.#ended.size > this.#most) this.#forget();
    return known;
  }

  end(session: string): void {
    const known = this.#open.get(session);
    if (known === undefined) return;
    this.#open.delete(session);
    this.#ended.set(session, known);
  }

  #forget(): void {
    if (this.#ended.size > 0) this.#ended.delete(this.#oldestEnded() ?? '');
    else this.#open.delete(this.#oldestOpen() ?? '');
    this.overflowed = true;
  }
}
