// Splits a copy of a stream of server-sent events (HTML standard, section 9.2) and says where in the chunk at hand each
// event stands. An event counts from the end of its data: clients that read line by line act on that, and the blank line
// may come later. What is too long to be an event is passed over. Comments, fields that nobody knows and ids that are no
// ids are no part of any event, and still reach whoever looks: they are told as they came.

import { saysMore } from '../../core/index.ts';

export interface SseEvent {
  readonly name: string;
  readonly data: string;
  /** Where it begins in the chunk; 0 where it began before. */
  readonly at: number;
}

/** A line that says something beside the events. */
export interface SseAside {
  readonly aside: string;
  readonly at: number;
}

const LF = 0x0a;
const CR = 0x0d;
/** Behind every chunk. */
const NOWHERE = Number.POSITIVE_INFINITY;

export class SseSplitter {
  readonly #longest: number;
  /** Of a line that goes on in the next chunk. */
  #pieces: Uint8Array[] = [];
  #size = 0;
  #name = '';
  #data: string[] = [];
  #dataSize = 0;
  /** The data so far was handed out as an event. */
  #told = false;
  /** Where the event that is open begins in this chunk. */
  #at = 0;
  #first = true;
  /** The last chunk ended in CR: a line feed that follows belongs to it. */
  #afterCr = false;
  /** Lines that were no fields, events that were too long. */
  broken = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(bytes: Uint8Array): (SseEvent | SseAside)[] {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const events: (SseEvent | SseAside)[] = [];
    // Looked for once each: a chunk of nothing but the one must not be searched for the other at every line.
    let cr = find(chunk, CR, 0);
    let lf = find(chunk, LF, 0);
    let start = this.#afterCr && chunk[0] === LF ? 1 : 0;
    this.#afterCr = false;
    // Of an event that began in an earlier chunk, everything here is part.
    this.#at = 0;
    const open = this.#isOpen;
    if (!open) this.#at = start;
    while (start < chunk.length) {
      if (cr < start) cr = find(chunk, CR, start);
      if (lf < start) lf = find(chunk, LF, start);
      const end = Math.min(cr, lf);
      if (end === NOWHERE) break;
      const isHere = this.#size === 0 && end - start <= this.#longest;
      if (!isHere) this.#hold(chunk.subarray(start, end));
      let next = end + 1;
      if (chunk[end] === CR && chunk[next] === LF) next++;
      else if (chunk[end] === CR && next === chunk.length) this.#afterCr = true;
      this.#line(isHere ? chunk.toString('utf8', start, end) : this.#take(), events, {
        start: isHere ? start : 0,
        next,
      });
      start = next;
    }
    if (start < chunk.length) this.#hold(chunk.subarray(start));
    return events;
  }

  get #isOpen(): boolean {
    return this.#size > 0 || this.#data.length > 0 || this.#name !== '';
  }

  #hold(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size <= this.#longest) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  /** Undefined for a line that was too long. */
  #take(): string | undefined {
    const tooLong = this.#size > this.#longest;
    const [first] = this.#pieces;
    const line =
      this.#pieces.length === 1 && first !== undefined
        ? Buffer.from(first.buffer, first.byteOffset, first.byteLength)
        : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    if (!tooLong) return line.toString('utf8');
    this.broken++;
    return undefined;
  }

  #line(
    given: string | undefined,
    events: (SseEvent | SseAside)[],
    { start, next }: { readonly start: number; readonly next: number },
  ): void {
    let line = given ?? ':';
    if (this.#first && line.startsWith('\ufeff')) line = line.slice(1);
    this.#first = false;
    if (line === '') {
      if (this.#data.length > 0 && !this.#told) events.push(this.#event());
      if (this.#data.length === 0 && this.#name !== '')
        events.push({ aside: `event: ${this.#name}`, at: this.#at });
      this.#name = '';
      this.#data = [];
      this.#dataSize = 0;
      this.#told = false;
      this.#at = next;
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') this.#name = value;
    else if (field === 'data') this.#add(value, events);
    else if (saysMore(field, value)) {
      events.push({ aside: line, at: start });
      if (!['', 'id', 'retry'].includes(field)) this.broken++;
    }
  }

  #add(value: string, events: (SseEvent | SseAside)[]): void {
    // With the line feed that joins them: lines of nothing take room, too.
    this.#dataSize += value.length + 1;
    if (this.#dataSize > this.#longest) {
      this.broken++;
      this.#data = [];
      return;
    }
    this.#data.push(value);
    this.#told = isWhole(value) && this.#data.length === 1;
    if (this.#told) events.push(this.#event());
  }

  #event(): SseEvent {
    return { name: this.#name, data: this.#data.join('\n'), at: this.#at };
  }
}

function find(chunk: Buffer, byte: number, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? NOWHERE : at;
}

/** By a look at its ends: data over several lines is rare, and one that is cut here is told again when it is whole. */
function isWhole(data: string): boolean {
  const last = data.trimEnd().at(-1);
  return last === '}' || last === ']';
}
