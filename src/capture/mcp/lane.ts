// One direction of a conversation over a byte stream: what comes in goes out, byte for byte and in order, as soon as the
// conversation lets it. A line is held until it is whole; one that is too long for that goes on as it comes, but for the
// byte that completes its JSON, without which it is no message. What is held is bounded: then nothing more is read.
import { createHash, type Hash } from 'node:crypto';
import { asItCame, type Json, parsePlainBytes } from '../../core/index.ts';
import type { Conversation } from './conversation.ts';
import { JsonSkim } from './json-skim.ts';
import { Lines, type Piece } from './lines.ts';
import { type Direction, type Frame, type FrameProblem, frameOf } from './message.ts';
import type { Refused, Ruling } from './passing.ts';
import { encodeRefusals, UNREADABLE } from './refusal.ts';

export interface LaneOptions {
  readonly direction: Direction;
  readonly conversation: Pick<Conversation, 'take'>;
  /** A promise where the other end is slow: more is written once it resolves. Never rejects. */
  readonly write: (bytes: Uint8Array) => Promise<void> | undefined;
  /** An answer of our own, for the side that this lane reads from. */
  readonly reply: (line: Uint8Array) => void;
  /** Lines over this many bytes are not held. */
  readonly longest?: number;
}

interface Item {
  readonly bytes: Uint8Array;
  readonly ruling?: Promise<Ruling> | undefined;
  /** It begins in the middle of a line that went out already. */
  readonly cut?: boolean;
  /** Goes the way of the item before it, and says nothing where that was refused. */
  readonly follows?: boolean;
}

interface LongLine {
  readonly skim: JsonSkim;
  readonly hash: Hash;
  bytes: number;
  /** Its last byte waits for this; null where it needs none. */
  decided: { readonly ruling: Promise<Ruling> | undefined } | undefined;
}

const CARRIAGE_RETURN = 0x0d;
const NEWLINE = Uint8Array.of(0x0a);
const MOST_HELD = 16 * 1024 * 1024;
/** What an item takes besides its bytes: a flood of short lines must not cost more than one of long ones. */
const ITEM_BYTES = 256;
/** What a message takes besides, while it is put on record and waits for that. */
const RULED_BYTES = 8192;

export class Lane {
  readonly #options: LaneOptions;
  readonly #lines: Lines;
  readonly #queue: Item[] = [];
  #held = 0;
  #pumping: Promise<void> | undefined;
  #long: LongLine | undefined;
  /** Answers of our own that wait for the end of a long line. */
  #injected: Uint8Array[] = [];

  constructor(options: LaneOptions) {
    this.#options = options;
    this.#lines = new Lines(options.longest);
  }

  /** A promise where nothing more should be read for now. */
  push(chunk: Uint8Array): Promise<void> | undefined {
    for (const piece of this.#lines.push(chunk)) this.#piece(piece);
    return this.#held > MOST_HELD ? this.#pumping : undefined;
  }

  /** Nothing more comes. Resolves when everything is out. */
  async end(): Promise<void> {
    for (const piece of this.#lines.end()) this.#piece(piece);
    this.#flushInjected();
    while (this.#pumping !== undefined) await this.#pumping;
  }

  /** Puts a line of our own between two of theirs. */
  inject(line: Uint8Array): void {
    if (this.#long === undefined) this.#enqueue({ bytes: line });
    else this.#injected.push(line);
  }

  #piece(piece: Piece): void {
    if (piece.long) this.#longPiece(piece);
    else this.#line(piece.bytes);
  }

  #line(bytes: Uint8Array): void {
    if (isBlank(bytes)) {
      this.#enqueue({ bytes });
      return;
    }
    const skim = new JsonSkim();
    skim.feed(bytes);
    skim.end();
    const frame = this.#withReturn(frameOf(skim), bytes);
    const text = lazy(() => asItCame(bytes));
    const value = lazy(() => parseOr(bytes));
    const { direction, conversation } = this.#options;
    this.#enqueue({ bytes, ruling: conversation.take(direction, { frame, value, text }) });
  }

  /** Some readers take a carriage return for the end of a line, and would see other messages than we do. */
  #withReturn(frame: Frame, bytes: Uint8Array): Frame {
    if (frame.problem !== null || this.#options.direction === 'to-client') return frame;
    const at = bytes.indexOf(CARRIAGE_RETURN);
    return at < 0 || isLineEnd(bytes, at) ? frame : { ...frame, problem: 'carriage-return' };
  }

  #longPiece({ bytes, last }: Piece): void {
    this.#long ??= { skim: new JsonSkim(), hash: createHash('sha256'), bytes: 0, decided: undefined };
    const long = this.#long;
    const closed = long.skim.feed(bytes);
    if (last && !long.skim.complete) long.skim.end();
    if (long.decided !== undefined) this.#behindLong(long, bytes);
    else this.#withinLong(long, bytes, closed, last);
    if (!last) return;
    this.#long = undefined;
    this.#flushInjected();
  }

  #withinLong(long: LongLine, bytes: Uint8Array, closed: number, last: boolean): void {
    const { direction, conversation } = this.#options;
    const end = closed < 0 ? bytes.length : closed + 1;
    long.hash.update(bytes.subarray(0, end));
    long.bytes += end;
    const returns = direction === 'to-server' && bytes.subarray(0, end).includes(CARRIAGE_RETURN);
    const problem: FrameProblem | null = long.skim.problem ?? (returns ? 'carriage-return' : null);
    if (closed < 0 && problem === null && !last) {
      this.#enqueue({ bytes });
      return;
    }
    const frame = { ...frameOf(long.skim), ...(problem === null ? {} : { problem }) };
    const digest = { sha256: long.hash.digest('hex'), bytes: long.bytes };
    const nothing = (): undefined => undefined;
    const taken = conversation.take(direction, { frame, value: nothing, text: () => '', digest });
    const unreadable = frame.problem !== null && direction === 'to-server';
    const ruling = unreadable ? refuse(taken) : taken;
    long.decided = { ruling };
    const cut = problem !== null || closed < 0 ? 0 : closed;
    if (cut > 0) this.#enqueue({ bytes: bytes.subarray(0, cut) });
    this.#enqueue({ bytes: bytes.subarray(cut), ruling, cut: true });
  }

  /** Behind the JSON of a long line there may be blanks, and nothing else. */
  #behindLong(long: LongLine, bytes: Uint8Array): void {
    if (long.skim.problem === null || this.#options.direction === 'to-client') {
      this.#enqueue({ bytes, ruling: long.decided?.ruling, cut: true, follows: true });
      return;
    }
    const ruling = refuse(long.decided?.ruling);
    long.decided = { ruling };
    this.#enqueue({ bytes, ruling, cut: true });
  }

  #flushInjected(): void {
    for (const line of this.#injected.splice(0)) this.#enqueue({ bytes: line });
  }

  #enqueue(item: Item): void {
    if (item.ruling === undefined && this.#queue.length === 0 && this.#pumping === undefined) {
      const slow = this.#options.write(item.bytes);
      if (slow !== undefined) this.#pumping = slow.then(() => this.#pump());
      return;
    }
    this.#queue.push(item);
    this.#held += weightOf(item);
    this.#pumping ??= this.#pump();
  }

  async #pump(): Promise<void> {
    for (let item = this.#queue[0]; item !== undefined; item = this.#queue[0]) {
      const ruling = item.ruling === undefined ? 'forward' : await item.ruling;
      if (ruling === 'forward') await this.#options.write(item.bytes);
      else await this.#refused(ruling, item);
      this.#queue.shift();
      this.#held -= weightOf(item);
    }
    this.#pumping = undefined;
  }

  async #refused({ reply, instead }: Refused, { cut = false, follows = false }: Item): Promise<void> {
    if (follows) return;
    // What went out of it is ended here: a JSON text that never closes is no message.
    if (cut) await this.#options.write(NEWLINE);
    if (instead !== null) await this.#options.write(instead);
    if (reply !== null) this.#options.reply(reply);
  }
}

/** Not to be forwarded, whatever could be recorded of it. */
async function refuse(taken: Promise<Ruling> | undefined): Promise<Ruling> {
  const ruling = await taken;
  if (ruling !== undefined && ruling !== 'forward') return ruling;
  return { reply: encodeRefusals([null], UNREADABLE, false), instead: null, reason: UNREADABLE };
}

function weightOf({ bytes, ruling }: Item): number {
  return bytes.length + (ruling === undefined ? ITEM_BYTES : RULED_BYTES);
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a);
}

function isLineEnd(bytes: Uint8Array, at: number): boolean {
  return at === bytes.length - 1 || (at === bytes.length - 2 && bytes[at + 1] === NEWLINE[0]);
}

function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Undefined where readers may differ about it. */
function parseOr(bytes: Uint8Array): Json | undefined {
  const { value, doubt } = parsePlainBytes(bytes);
  return doubt === null ? value : undefined;
}
