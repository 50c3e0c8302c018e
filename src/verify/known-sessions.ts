// The sessions that a verification remembers while it reads on: how each began, and how far its chain has come. Bounded:
// of those that ended the oldest goes first, then the oldest of all, and from then on one that is not known may be one
// that was forgotten.
import type { RecordedStart } from '../format/index.ts';
import { oldestKeyOf } from './oldest-key.ts';

export interface KnownSession {
  /** Null where its start told nothing, or was not seen. */
  readonly start: RecordedStart | null;
  /** Of its newest interaction; 0 before the first, null where that is not known. */
  sequence: number | null;
  /** Its chain hash; before the first, the session's id. */
  chain: string;
  /** The chain hash before that one; undefined where it is not known. */
  before: string | undefined;
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

  /** Also one that was known: it is another one then. */
  begin(session: string, start: RecordedStart | null, sequence: 0 | null = 0): KnownSession {
    const known: KnownSession = {
      start,
      sequence,
      chain: session,
      before: undefined,
      prompts: [],
      hasMorePrompts: sequence === null,
    };
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
