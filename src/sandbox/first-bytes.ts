// The beginning of a stream: half a report is none, so that nothing is worth keeping beyond it.

export class FirstBytes {
  readonly #most: number;
  readonly #pieces: Buffer[] = [];
  #kept = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** False once it is more than that. */
  add(piece: Buffer): boolean {
    const first = piece.subarray(0, this.#most - this.#kept);
    if (first.length > 0) this.#pieces.push(first);
    this.#kept += first.length;
    return first.length === piece.length;
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }
}
