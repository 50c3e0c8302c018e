// Reads a copy of WebSocket frames (RFC 6455, section 5) and says where in the chunk at hand each message stands. Binary
// messages are read like text, because receivers may do so; what is too long is passed over. It changes and keeps back
// nothing.

export interface WsMessage {
  /** Undefined where it was too long to be kept. */
  readonly payload: Uint8Array | undefined;
  /** A ping, a pong, a close: it may stand within a message. */
  readonly isControl: boolean;
  /** Where its last frame begins in the chunk; 0 where that began before. */
  readonly at: number;
  /** Behind its last byte. */
  readonly end: number;
}

const FIRST_CONTROL = 0x8;
const LONGEST_HEADER = 14;

interface Frame {
  readonly fin: boolean;
  readonly opcode: number;
  readonly mask: Uint8Array | undefined;
  left: number;
  /** Of the payload, for the mask. */
  seen: number;
}

export class FrameReader {
  readonly #longest: number;
  /** Of a header that goes on in the next chunk. */
  #header: number[] = [];
  #frame: Frame | undefined;
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Bytes that are no frames. */
  broken = false;

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(chunk: Uint8Array): WsMessage[] {
    const messages: WsMessage[] = [];
    let at = 0;
    let start = 0;
    while (at < chunk.length && !this.broken) {
      if (this.#frame === undefined) {
        if (this.#header.length === 0) start = at;
        this.#header.push(chunk[at] ?? 0);
        at++;
        this.#frame = this.#parseHeader();
        if (this.#frame === undefined) continue;
        if (this.#frame.left === 0) this.#endFrame(messages, start, at);
        continue;
      }
      const size = Math.min(this.#frame.left, chunk.length - at);
      this.#keep(chunk.subarray(at, at + size), this.#frame);
      this.#frame.left -= size;
      at += size;
      if (this.#frame.left === 0) this.#endFrame(messages, start, at);
    }
    return messages;
  }

  /** Undefined until all of it is there. */
  #parseHeader(): Frame | undefined {
    const header = this.#header;
    const [first = 0, second = 0] = header;
    if (header.length < 2) return undefined;
    const short = second & 0x7f;
    const isMasked = (second & 0x80) !== 0;
    const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
    const whole = 2 + lengthBytes + (isMasked ? 4 : 0);
    if (header.length < whole) return undefined;
    let length = lengthBytes === 0 ? short : 0;
    for (let i = 0; i < lengthBytes; i++) length = length * 256 + (header[2 + i] ?? 0);
    // Reserved bits are for extensions, and none was agreed on.
    if ((first & 0x70) !== 0 || !Number.isSafeInteger(length) || whole > LONGEST_HEADER) this.broken = true;
    const mask = isMasked ? Uint8Array.from(header.slice(whole - 4)) : undefined;
    this.#header = [];
    return { fin: (first & 0x80) !== 0, opcode: first & 0x0f, mask, left: length, seen: 0 };
  }

  #keep(piece: Uint8Array, frame: Frame): void {
    const { mask, seen } = frame;
    frame.seen += piece.length;
    if (frame.opcode >= FIRST_CONTROL) return;
    this.#size += piece.length;
    if (this.#size > this.#longest) {
      this.#pieces = [];
      return;
    }
    const copy = Uint8Array.from(piece);
    if (mask !== undefined)
      for (let i = 0; i < copy.length; i++) copy[i] = (copy[i] ?? 0) ^ (mask[(seen + i) & 3] ?? 0);
    this.#pieces.push(copy);
  }

  #endFrame(messages: WsMessage[], at: number, end: number): void {
    const frame = this.#frame;
    this.#frame = undefined;
    if (frame !== undefined && frame.opcode >= FIRST_CONTROL)
      messages.push({ payload: undefined, isControl: true, at, end });
    if (frame === undefined || frame.opcode >= FIRST_CONTROL || !frame.fin) return;
    const payload = this.#size <= this.#longest ? Buffer.concat(this.#pieces) : undefined;
    messages.push({ payload, isControl: false, at, end });
    this.#pieces = [];
    this.#size = 0;
  }
}

/** From a server: a close frame with a code and a reason. */
export function closeFrame(code: number, reason: string): Uint8Array {
  const text = Buffer.from(reason).subarray(0, 120);
  return Buffer.concat([Buffer.from([0x88, 2 + text.length, code >> 8, code & 0xff]), text]);
}
