// What is remembered of a session while its claims are open: the evidence so far, contracts, claims, and what was found
// of its validations. A trail is let go when the session has ended and others came after it, or when all of them
// together grow too large; then what it would have told is not known.
import type { RecordedClaim, RecordedContract, SignedValidation } from '../format/index.ts';
import { SessionEvidence } from '../rules/index.ts';

/** Bytes of lines that are remembered, over all sessions. */
const MOST_BYTES = 24 * 1024 * 1024;
/** Sessions that have ended and may still be spoken of: a validation may come a little late. */
const MOST_ENDED = 64;

export interface SeenValidation {
  readonly seq: number;
  readonly validation: SignedValidation;
  /** Good: signed, in place, and if it passed, judged again with the same result. */
  state: 'good' | 'bad' | 'unknown';
}

export interface Trail {
  readonly session: string;
  readonly evidence: SessionEvidence;
  readonly contracts: Map<number, RecordedContract>;
  readonly claims: Map<number, RecordedClaim>;
  /** Claims that no gate has had its say about. */
  readonly open: Set<number>;
  /** Claims that a validator was asked about apart from a gate, and whose answer is not here yet. */
  readonly asked: Set<number>;
  readonly validations: Map<number, SeenValidation>;
  /** Validations that no gate has had its say about. */
  newest: SeenValidation[];
  /** When the newest prompt was given, and when each result came, by the writer's clock. */
  promptAt: string | null;
  readonly times: Map<number, string>;
  bytes: number;
  ended: boolean;
}

export class Trails {
  /** In the order in which they were last touched. */
  readonly #trails = new Map<string, Trail>();
  readonly #letGo: (trail: Trail, full: boolean) => void;
  #bytes = 0;
  #ended = 0;
  /** Some were forgotten before their time. */
  overflowed = false;

  /** `letGo` is called with each trail before it is forgotten; `full` where there was no more room. */
  constructor(letGo: (trail: Trail, full: boolean) => void) {
    this.#letGo = letGo;
  }

  get(session: string): Trail | undefined {
    return this.#trails.get(session);
  }

  /** The session's trail, begun if need be, with `bytes` more remembered in it. */
  touch(session: string, bytes: number): Trail {
    const known = this.#trails.get(session);
    const trail = known ?? {
      session,
      evidence: new SessionEvidence(),
      contracts: new Map(),
      claims: new Map(),
      open: new Set(),
      asked: new Set(),
      validations: new Map(),
      newest: [],
      promptAt: null,
      times: new Map(),
      bytes: 0,
      ended: false,
    };
    if (known !== undefined) this.#trails.delete(session);
    this.#trails.set(session, trail);
    trail.bytes += bytes;
    this.#bytes += bytes;
    while (this.#bytes > MOST_BYTES) {
      const [oldest] = this.#trails.values();
      if (oldest === undefined) break;
      this.overflowed = true;
      this.#forget(oldest, true);
      if (oldest === trail) return this.touch(session, 0);
    }
    return trail;
  }

  end(session: string): void {
    const trail = this.#trails.get(session);
    if (trail === undefined || trail.ended) return;
    trail.ended = true;
    if (++this.#ended <= MOST_ENDED) return;
    for (const oldest of this.#trails.values()) {
      if (!oldest.ended) continue;
      this.#forget(oldest, false);
      return;
    }
  }

  finish(): void {
    for (const trail of [...this.#trails.values()]) this.#forget(trail, false);
  }

  #forget(trail: Trail, full: boolean): void {
    this.#letGo(trail, full);
    this.#trails.delete(trail.session);
    this.#bytes -= trail.bytes;
    if (trail.ended) this.#ended--;
  }
}
