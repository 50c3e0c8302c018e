// Lines out of the bytes of a connection, each within a bound: for both ends of a wire.
const NEWLINE = 0x0a;

/** What was sent is no line of ours: longer than any may be. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
}

export class WireLines {
  readonly #longest: number;
  #held: Buffer[] = [];
  #bytes = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Bytes of a line that is not whole yet. */
  get held(): number {
    return this.#bytes;
  }

  /** The lines that end in these bytes, without their newlines. LineTooLong. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#hold(chunk.subarray(from, end));
      lines.push((this.#held.length === 1 ? this.#held[0] : Buffer.concat(this.#held))?.toString() ?? '');
      this.#held = [];
      this.#bytes = 0;
      from = end + 1;
    }
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    return lines;
  }

  #hold(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#longest) throw new LineTooLong('a line is too long');
    this.#held.push(piece);
  }
}
