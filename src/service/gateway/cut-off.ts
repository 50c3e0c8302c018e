// What ends an exchange before its end: a client that leaves, or somebody who is waited for too long. Waiting is watched
// by one clock for all exchanges: a timer for each would cost every request, and hardly one ever goes off.
import { monotonic } from '../../store/files/index.ts';

export type CutCode = 'CLIENT_CLOSED' | 'UPSTREAM_STALLED' | 'CLIENT_STALLED';

/** Why an exchange was cut off. */
export class Cut extends Error {
  override readonly name = 'Cut';
  readonly code: CutCode;

  constructor(code: CutCode) {
    super(code);
    this.code = code;
  }
}

/** Of one exchange. */
export class CutOff {
  #reason: Cut | undefined;
  #heard: (() => void) | undefined;
  #stalled: CutCode = 'UPSTREAM_STALLED';
  #until = Number.POSITIVE_INFINITY;

  /** Undefined as long as it goes on. */
  get reason(): Cut | undefined {
    return this.#reason;
  }

  /** Only the first reason counts. */
  cut(code: CutCode): void {
    if (this.#reason !== undefined) return;
    this.#reason = new Cut(code);
    this.#heard?.();
  }

  /** Called when it is cut, at once where it was; in place of the one who heard before. */
  hear(heard: (() => void) | undefined): void {
    this.#heard = heard;
    if (this.#reason !== undefined) heard?.();
  }

  /** From now on, for so long. */
  wait(stalled: CutCode, milliseconds: number): void {
    this.#stalled = stalled;
    this.#until = monotonic() + milliseconds;
  }

  cutIfStalled(now: number): void {
    if (now >= this.#until) this.cut(this.#stalled);
  }
}

export class StallClock {
  readonly #watched = new Set<CutOff>();
  readonly #timer: NodeJS.Timeout;

  /** `shortest` is the least that anybody is waited for, in milliseconds. */
  constructor(shortest: number) {
    const tick = (): void => {
      const now = monotonic();
      for (const cutOff of this.#watched) cutOff.cutIfStalled(now);
    };
    this.#timer = setInterval(tick, Math.max(1, Math.min(1000, shortest / 4)));
    this.#timer.unref();
  }

  watch(cutOff: CutOff): void {
    this.#watched.add(cutOff);
  }

  leave(cutOff: CutOff): void {
    this.#watched.delete(cutOff);
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
