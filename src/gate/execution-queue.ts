// One run at a time, a few that wait, and no more: whoever can ask could else keep the machine busy for good.

export class ExecutionQueue {
  readonly #most: number;
  readonly #all = new AbortController();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** `most` may wait besides the one that runs. */
  constructor(most = 4) {
    this.#most = most;
  }

  /** Undefined where too many wait already. `work` is given a signal that ends with the caller's, or with the queue. */
  add<T>(work: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> | undefined {
    if (this.#waiting > this.#most || this.#all.signal.aborted) return undefined;
    this.#waiting++;
    const either = AbortSignal.any(signal === undefined ? [this.#all.signal] : [this.#all.signal, signal]);
    const run = this.#last.then(() => work(either)).finally(() => this.#waiting--);
    this.#last = run.catch(() => undefined);
    return run;
  }

  /** Ends what runs and what waits; nothing is added any more. */
  end(): void {
    this.#all.abort();
  }

  /** Resolves when nothing runs. */
  async idle(): Promise<void> {
    await this.#last;
  }
}
