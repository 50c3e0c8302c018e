// A log that comes in pieces, as lines. Bounded whatever is fed to it: of a line that is too long only its length is
// known, and of the rest no more is held than the line that has not ended yet.
import { MAX_LINE } from '../format/index.ts';

const LINE_FEED = 0x0a;

export interface LogLine {
  /** Without its `\n`; undefined where it is too long to be held. */
  readonly bytes: Uint8Array | undefined;
  readonly length: number;
  /** False for a last line without `\n`. */
  readonly whole: boolean;
}

export class LogLines {
  readonly #found: (line: LogLine) => void;
  /** Bytes of a line whose end has not come yet; none once it is too long. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;

  constructor(found: (line: LogLine) => void) {
    this.#found = found;
  }

  read(piece: Uint8Array): void {
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      this.#line(piece.subarray(start, end), true);
      start = end + 1;
    }
    this.#hold(piece.subarray(start));
  }

  /** Nothing more will come. */
  end(): void {
    if (this.#heldBytes > 0) this.#line(new Uint8Array(0), false);
  }

  #hold(rest: Uint8Array): void {
    if (rest.length === 0) return;
    this.#heldBytes += rest.length;
    // Copied, because who reads may use the piece again. A Buffer's slice would not.
    if (this.#heldBytes <= MAX_LINE) this.#held.push(new Uint8Array(rest));
    else this.#held = [];
  }

  /** The end of a line; what came of it before is held. */
  #line(rest: Uint8Array, whole: boolean): void {
    const length = this.#heldBytes + rest.length;
    const bytes =
      length > MAX_LINE ? undefined : this.#heldBytes === 0 ? rest : joined([...this.#held, rest], length);
    this.#held = [];
    this.#heldBytes = 0;
    this.#found({ bytes, length, whole });
  }
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
