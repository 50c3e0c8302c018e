// Splits a copy of a JSON array that is streamed element by element, as Gemini does for clients that do not ask for
// events. Only brackets and strings are looked at; whether an element is JSON is for JSON.parse to say.

export interface JsonElement {
  readonly text: string;
  /** Where its last byte stands in the chunk. */
  readonly at: number;
}

const [QUOTE, BACKSLASH, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d];

export class JsonElements {
  readonly #longest: number;
  #pieces: Uint8Array[] = [];
  #size = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  broken = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(chunk: Uint8Array): JsonElement[] {
    const elements: JsonElement[] = [];
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) this.#inString = true;
      else if (byte === OPEN || byte === OPEN_LIST) {
        this.#depth++;
        if (this.#depth === 2) start = i;
      } else if (byte === CLOSE || byte === CLOSE_LIST) {
        this.#depth = Math.max(0, this.#depth - 1);
        if (this.#depth !== 1) continue;
        this.#hold(chunk.subarray(start, i + 1));
        const text = this.#take();
        if (text !== undefined) elements.push({ text, at: i });
      }
    }
    if (this.#depth >= 2) this.#hold(chunk.subarray(start));
    return elements;
  }

  #hold(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size <= this.#longest) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #take(): string | undefined {
    const tooLong = this.#size > this.#longest;
    const text = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#size = 0;
    if (!tooLong) return text;
    this.broken++;
    return undefined;
  }
}
