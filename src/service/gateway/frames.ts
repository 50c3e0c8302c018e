// Reads a copy of WebSocket frames (RFC 6455, section 5) and says where in the chunk at hand nothing is left open. It
// takes exactly what the RFC allows: whatever a lenient receiver might read in another way is broken.

export type WsKind = 'text' | 'binary' | 'ping' | 'pong' | 'close';

export interface WsMessage {
  readonly kind: WsKind;
  readonly payload: Uint8Array;
}

const KINDS: Readonly<Record<number, WsKind>> = { 1: 'text', 2: 'binary', 8: 'close', 9: 'ping', 10: 'pong' };
const CONTINUATION = 0;
const FIRST_CONTROL = 0x8;
const LONGEST_CONTROL = 125;
const NOTHING = new Uint8Array(0);

interface Frame {
  readonly fin: boolean;
  readonly opcode: number;
  readonly mask: Uint8Array | undefined;
  readonly pieces: Uint8Array[];
  left: number;
  /** Of the payload, for the mask. */
  seen: number;
}

export class FrameReader {
  readonly #masked: boolean;
  readonly #longest: number;
  /** Of a header that goes on in the next chunk. */
  #header: number[] = [];
  #frame: Frame | undefined;
  /** Of a message whose last frame has not come. */
  #open: { readonly kind: WsKind; readonly pieces: Uint8Array[] } | undefined;
  #size = 0;
  /** Why no receiver should take it any further. */
  broken: 'not-websocket' | 'too-large' | undefined;
  /** In the chunk at hand: behind the last byte at which neither a frame nor a message is open. 0 where none is. */
  free = 0;

  /** Frames of a client are masked, those of a server are not. `longest` is that of a message. */
  constructor(options: { readonly masked: boolean; readonly longest: number }) {
    this.#masked = options.masked;
    this.#longest = options.longest;
  }

  push(chunk: Uint8Array): WsMessage[] {
    const messages: WsMessage[] = [];
    let at = 0;
    this.free = 0;
    while (at < chunk.length && this.broken === undefined) {
      if (this.#frame === undefined) {
        this.#header.push(chunk[at] ?? 0);
        at++;
        this.#frame = this.#parseHeader();
      } else {
        const size = Math.min(this.#frame.left, chunk.length - at);
        this.#keep(chunk.subarray(at, at + size), this.#frame);
        at += size;
      }
      if (this.#frame?.left !== 0 || this.broken !== undefined) continue;
      this.#endFrame(messages, this.#frame);
      if (this.#open === undefined) this.free = at;
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
    const mask = isMasked ? Uint8Array.from(header.slice(whole - 4)) : undefined;
    this.#header = [];
    const fin = (first & 0x80) !== 0;
    const opcode = first & 0x0f;
    // Reserved bits are for extensions, and none was agreed on.
    if ((first & 0x70) !== 0 || isMasked !== this.#masked || !this.#isNext(fin, opcode, length))
      this.broken = 'not-websocket';
    else if (opcode < FIRST_CONTROL && this.#size + length > this.#longest) this.broken = 'too-large';
    return { fin, opcode, mask, pieces: [], left: length, seen: 0 };
  }

  /** Control frames may stand between the frames of a message; frames of two messages may not. */
  #isNext(fin: boolean, opcode: number, length: number): boolean {
    if (opcode === CONTINUATION) return this.#open !== undefined;
    if (KINDS[opcode] === undefined) return false;
    return opcode < FIRST_CONTROL ? this.#open === undefined : fin && length <= LONGEST_CONTROL;
  }

  #keep(piece: Uint8Array, frame: Frame): void {
    const { mask, seen } = frame;
    frame.seen += piece.length;
    frame.left -= piece.length;
    const copy = Uint8Array.from(piece);
    if (mask !== undefined)
      for (let i = 0; i < copy.length; i++) copy[i] = (copy[i] ?? 0) ^ (mask[(seen + i) & 3] ?? 0);
    frame.pieces.push(copy);
  }

  #endFrame(messages: WsMessage[], { fin, opcode, pieces, seen }: Frame): void {
    this.#frame = undefined;
    if (opcode >= FIRST_CONTROL) {
      messages.push({ kind: KINDS[opcode] ?? 'close', payload: joined(pieces) });
      return;
    }
    const open = this.#open ?? { kind: KINDS[opcode] ?? 'binary', pieces: [] };
    for (const piece of pieces) open.pieces.push(piece);
    this.#size += seen;
    this.#open = fin ? undefined : open;
    if (!fin) return;
    messages.push({ kind: open.kind, payload: joined(open.pieces) });
    this.#size = 0;
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  return pieces.length === 0
    ? NOTHING
    : pieces.length === 1
      ? (pieces[0] as Uint8Array)
      : Buffer.concat(pieces);
}

/** From a server: a close frame with a code and a reason. */
export function closeFrame(code: number, reason: string): Uint8Array {
  const text = Buffer.from(reason).subarray(0, 120);
  return Buffer.concat([Buffer.from([0x88, 2 + text.length, code >> 8, code & 0xff]), text]);
}
