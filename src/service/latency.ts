// How long hooks took, over the last thousand of them.

const WINDOW = 1024;

export interface Latency {
  /** How many the figures are from. */
  readonly count: number;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
}

export class LatencyWindow {
  readonly #last = new Float64Array(WINDOW);
  #total = 0;

  add(milliseconds: number): void {
    this.#last[this.#total++ % WINDOW] = milliseconds;
  }

  /** Ever, not only in the window. */
  get total(): number {
    return this.#total;
  }

  read(): Latency {
    const count = Math.min(this.#total, WINDOW);
    const sorted = this.#last.slice(0, count).sort();
    const at = (part: number): number | null => {
      const value = sorted[Math.max(0, Math.ceil(part * count) - 1)];
      return value === undefined ? null : Math.round(value * 1000) / 1000;
    };
    return { count, p50_ms: at(0.5), p95_ms: at(0.95) };
  }
}
