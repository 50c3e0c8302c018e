// Is the auth key of a program's session still good? Each time that it is not is put on record, and where keys are
// enforced, nothing goes on without one.
import type { AuthTime } from '../../format/index.ts';
import { type Clock, encodeBlock } from '../../ledger/index.ts';
import type { AuthFailure } from '../../session/index.ts';
import { authFailEntry, authRefused } from '../auth-guard.ts';
import type { RecorderOptions } from './session.ts';

export interface BegunWith {
  readonly session: string;
  /** The id of the auth key that it began with. */
  readonly key: string | null;
  readonly failure: AuthFailure | null;
}

export class SessionAuth {
  /** When the session began. */
  readonly failure: AuthFailure | null;
  readonly #options: RecorderOptions;
  readonly #session: string;
  readonly #key: string | null;
  readonly #now: Clock;
  /** That its key is not good was the last thing told of it. */
  #failed: boolean;

  constructor(options: RecorderOptions, { session, key, failure }: BegunWith) {
    this.#options = options;
    this.#session = session;
    this.#key = key;
    this.#now = options.now ?? Date.now;
    this.failure = failure;
    this.#failed = failure !== null;
  }

  /** Throws where keys are enforced and it has no good one. */
  assert(): void {
    const { guard } = this.#options;
    const failure = this.failure ?? guard?.auth.check(this.#key) ?? null;
    if (failure !== null && guard?.enforced() === true) throw authRefused(failure);
  }

  /** Is its key still good? `cause` is on record by then, and is not answered where this rejects. */
  async check(at: AuthTime, cause: number | null): Promise<void> {
    const { guard, store, source } = this.#options;
    const failure = guard?.auth.check(this.#key) ?? null;
    const told = this.#failed;
    this.#failed = failure !== null;
    if (failure === null) return;
    const entry = authFailEntry({ source, session_id: this.#session, cause }, failure, at);
    if (at === 'prompt' || !told) await store.append((head) => encodeBlock([entry], head, this.#now()));
    if (guard?.enforced() === true) throw authRefused(failure);
  }
}
