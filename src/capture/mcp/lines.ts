// Cuts a stream of bytes into lines, wherever it was split on the way. A line is given whole, with its newline, up to a
// length; a longer one is given in pieces as they come, so that memory stays bounded whatever is sent. Nothing is ever
// changed: put together, what comes out is what went in.

/** Bytes of a line that is looked at whole. A tool's content up to here is kept. */
export const LONGEST_LINE = 4 * 1024 * 1024;

const NEWLINE = 0x0a;

export interface Piece {
  readonly bytes: Uint8Array;
  /** The line is given in several pieces. */
  readonly long: boolean;
  /** The line ends with it. */
  readonly last: boolean;
}

export class Lines {
  readonly #longest: number;
  /** Copied together as it comes: a sender of single bytes must not cost an object each. */
  #held = Buffer.alloc(0);
  #heldBytes = 0;
  #inLong = false;

  constructor(longest = LONGEST_LINE) {
    this.#longest = longest;
  }

  *push(chunk: Uint8Array): Generator<Piece> {
    let rest = chunk;
    while (rest.length > 0) {
      const end = rest.indexOf(NEWLINE);
      const part = end < 0 ? rest : rest.subarray(0, end + 1);
      rest = end < 0 ? rest.subarray(rest.length) : rest.subarray(end + 1);
      if (this.#inLong) {
        this.#inLong = end < 0;
        yield { bytes: part, long: true, last: end >= 0 };
      } else if (this.#heldBytes + part.length > this.#longest) {
        this.#inLong = end < 0;
        yield { bytes: this.#take(part), long: true, last: end >= 0 };
      } else if (end < 0) {
        this.#hold(part);
      } else yield { bytes: this.#take(part), long: false, last: true };
    }
  }

  /** What came behind the last newline. Some readers take it for a line. */
  *end(): Generator<Piece> {
    if (this.#inLong) yield { bytes: new Uint8Array(0), long: true, last: true };
    else if (this.#heldBytes > 0) yield { bytes: this.#take(new Uint8Array(0)), long: false, last: true };
    this.#inLong = false;
  }

  #hold(part: Uint8Array): void {
    const needed = this.#heldBytes + part.length;
    if (needed > this.#held.length) {
      const larger = Buffer.alloc(Math.max(needed, Math.min(2 * this.#held.length, this.#longest)));
      larger.set(this.#held.subarray(0, this.#heldBytes));
      this.#held = larger;
    }
    this.#held.set(part, this.#heldBytes);
    this.#heldBytes = needed;
  }

  #take(last: Uint8Array): Uint8Array {
    if (this.#heldBytes === 0) return last;
    const whole = Buffer.concat([this.#held.subarray(0, this.#heldBytes), last]);
    this.#held = Buffer.alloc(0);
    this.#heldBytes = 0;
    return whole;
  }
}
