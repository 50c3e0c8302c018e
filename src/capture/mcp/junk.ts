// Lines that are no messages, from a server that logs to its standard output. Some client may take one for a message all
// the same, so each is on record before it is delivered; those that come while others are being written go together.
import type { Json } from '../../core/index.ts';

export type WriteJunk = (problem: string, lines: readonly Json[]) => Promise<void>;

interface Batch {
  readonly lines: Json[];
  readonly written: Promise<void>;
}

export class Junk {
  readonly #write: WriteJunk;
  /** By problem: the one that still takes lines. */
  readonly #next = new Map<string, Batch>();
  readonly #writing = new Map<string, Promise<void>>();

  constructor(write: WriteJunk) {
    this.#write = write;
  }

  /** Resolves when it is on record; rejects where it can't be. */
  add(problem: string, line: Json): Promise<void> {
    let batch = this.#next.get(problem);
    if (batch === undefined) {
      batch = this.#begin(problem);
      this.#next.set(problem, batch);
    }
    batch.lines.push(line);
    return batch.written;
  }

  #begin(problem: string): Batch {
    const lines: Json[] = [];
    const before = this.#writing.get(problem) ?? Promise.resolve();
    const written = before
      .catch(() => undefined)
      .then(() => {
        this.#next.delete(problem);
        return this.#write(problem, lines);
      });
    this.#writing.set(problem, written);
    written.catch(() => undefined);
    return { lines, written };
  }
}
