// The sum of a session as its lines are read, in memory that does not grow with them.
import { CompactRange, encodeHex, leafHash } from '../core/index.ts';
import type { SessionSum } from './session-sum.ts';

export class LineSum {
  readonly #range: CompactRange;

  constructor(range = new CompactRange()) {
    this.#range = range;
  }

  get entries(): number {
    return this.#range.size;
  }

  /** The next line of the session, without its newline. */
  add(line: Uint8Array): void {
    this.#range.push(leafHash(line));
  }

  /** Likewise, of which the leaf is known. */
  addLeaf(leaf: Uint8Array): void {
    this.#range.push(leaf);
  }

  sum(): SessionSum {
    return { entries: this.#range.size, root: encodeHex(this.#range.root()) };
  }

  /** One that goes on from here by itself. */
  copy(): LineSum {
    return new LineSum(this.#range.copy());
  }
}
