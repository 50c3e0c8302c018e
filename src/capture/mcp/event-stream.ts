// A stream of server-sent events on its way to a client: its bytes go on as they are, each event once the message in it
// may be delivered. An event counts only with the empty line that ends it, so of one that is too long to be held that
// line is what waits. What a server says in lines that are no data waits as well, until it is on record.

import { saysMore } from '../../core/index.ts';
import type { Conversation } from './conversation.ts';
import { JsonGate } from './held-bodies.ts';
import { LONGEST_LINE } from './lines.ts';
import type { Refused } from './passing.ts';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const DATA = 'data';
/** Of all such lines of one event. */
const LONGEST_BESIDES = 64 * 1024;
const MOST_TOLD = 256;
const MARK = [0xef, 0xbb, 0xbf];

export interface EventStreamOptions {
  readonly conversation: Pick<Conversation, 'take'>;
  /** Resolves when more may come. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** An event that is too long to be held can't be recorded: it must not be completed. */
  readonly abort: (refused: Refused | null) => void;
  /** Lines that say something and are no part of a message. They may go on once it resolves, and not if it rejects. */
  readonly besides: (lines: readonly string[]) => Promise<void>;
  readonly longest?: number;
}

export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #longest: number;
  /** Bytes of the event that were not handed on. */
  #held: Uint8Array[] = [];
  #bytes = 0;
  /** The name of the field in the line, as far as it is known; null behind its colon. */
  #name: string | null = '';
  #lineBytes = 0;
  /** Of a mark of byte order that the stream may begin with, and that readers leave out. */
  #mark = 0;
  #afterReturn = false;
  #afterColon = false;
  #inData = false;
  /** Nothing came since the last event. */
  #fresh = false;
  #gate: JsonGate | undefined;
  /** The line so far, byte by byte, where it is no data; and those of this event that were like that. */
  #line = '';
  #lines: string[] = [];
  #linesSize = 0;
  /** Lines that were told already: a server that says the same again says nothing more. */
  readonly #told = new Set<string>();
  #broken = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#longest = options.longest ?? LONGEST_LINE;
  }

  async push(chunk: Uint8Array): Promise<void> {
    let from = 0;
    let data = -1;
    const endData = (at: number): void => {
      if (data >= 0 && at > data) this.#feed(chunk.subarray(data, at));
      data = -1;
    };
    if (this.#name === null && this.#inData) data = 0;
    for (let at = 0; at < chunk.length && !this.#broken; at++) {
      const byte = chunk[at] as number;
      if (this.#mark < MARK.length) {
        if (byte === MARK[this.#mark]) {
          this.#mark += 1;
          continue;
        }
        this.#mark = MARK.length;
      }
      const wasReturn = this.#afterReturn;
      this.#afterReturn = false;
      if (byte === NEWLINE && wasReturn) {
        // The second half of a line's end. Behind an event it goes at once: a reader may be waiting for it.
        if (this.#fresh) {
          await this.#options.write(chunk.subarray(from, at + 1));
          from = at + 1;
        }
        continue;
      }
      this.#fresh = false;
      if (byte === NEWLINE || byte === RETURN) {
        endData(at);
        this.#afterReturn = byte === RETURN;
        const isEnd = this.#lineBytes === 0;
        this.#endLine();
        // An event without data is nothing to a client: servers begin a stream with one.
        if (this.#inData && this.#gate !== undefined) this.#feed(Uint8Array.of(NEWLINE));
        this.#inData = false;
        this.#name = '';
        this.#lineBytes = 0;
        if (!isEnd) continue;
        await this.#event(chunk.subarray(from, at + 1));
        this.#fresh = true;
        from = at + 1;
        continue;
      }
      this.#lineBytes += 1;
      if (!this.#inData && this.#linesSize <= LONGEST_BESIDES) {
        this.#line += String.fromCharCode(byte);
        this.#linesSize += 1;
      }
      if (this.#name !== null) {
        if (byte === 0x3a) {
          this.#inData = this.#name === DATA;
          if (this.#inData) {
            this.#linesSize -= this.#line.length;
            this.#line = '';
          }
          this.#name = null;
          this.#afterColon = true;
        } else if (this.#name.length <= DATA.length) this.#name += String.fromCharCode(byte);
      } else if (this.#inData) {
        if (this.#afterColon && byte === 0x20) this.#afterColon = false;
        else if (data < 0) data = at;
        this.#afterColon = false;
      }
    }
    endData(chunk.length);
    if (from < chunk.length && !this.#broken) await this.#hold(chunk.subarray(from));
  }

  /** What is behind the last event is none; some readers take it for one all the same. */
  async end(): Promise<void> {
    this.#endLine();
    if ((this.#gate !== undefined || this.#lines.length > 0) && !this.#broken)
      await this.#event(new Uint8Array(0));
    if (!this.#broken) for (const bytes of this.#held.splice(0)) await this.#options.write(bytes);
  }

  #endLine(): void {
    if (this.#line !== '') this.#lines.push(this.#line);
    this.#line = '';
  }

  /** False where they can't be recorded: then they must not go on. */
  async #tellBesides(): Promise<boolean> {
    const size = this.#linesSize;
    const said = this.#lines.splice(0).map((line) => Buffer.from(line, 'latin1').toString('utf8'));
    this.#linesSize = 0;
    const fresh = said.filter((line) => isBesides(line) && !this.#told.has(line));
    if (size > LONGEST_BESIDES) return false;
    if (fresh.length === 0) return true;
    try {
      await this.#options.besides(fresh);
    } catch {
      return false;
    }
    if (this.#told.size < MOST_TOLD) for (const line of fresh) this.#told.add(line);
    return true;
  }

  #feed(bytes: Uint8Array): void {
    this.#gate ??= new JsonGate(this.#options.conversation, 'to-client', { longest: this.#longest });
    // What it lets go is held here, with the lines it stands in.
    this.#gate.push(bytes);
  }

  async #hold(bytes: Uint8Array): Promise<void> {
    this.#held.push(bytes);
    this.#bytes += bytes.length;
    if (this.#bytes <= this.#longest) return;
    for (const each of this.#held.splice(0)) await this.#options.write(each);
  }

  async #event(last: Uint8Array): Promise<void> {
    const gate = this.#gate;
    const isLong = this.#bytes > this.#longest;
    this.#gate = undefined;
    this.#bytes = 0;
    if (!(await this.#tellBesides())) {
      this.#held = [];
      this.#broken = true;
      this.#options.abort(null);
      return;
    }
    const gated = gate === undefined ? undefined : await gate.end();
    // Comments and pings have no message; what is no message is nobody's answer.
    if (gated === undefined || gated.ruling === 'forward') {
      for (const bytes of [...this.#held.splice(0), last]) await this.#options.write(bytes);
      return;
    }
    const text =
      gated.ruling.instead === null ? null : Buffer.from(gated.ruling.instead).toString('utf8').trimEnd();
    this.#held = [];
    if (isLong) {
      this.#broken = true;
      this.#options.abort(gated.ruling);
    } else if (text !== null) await this.#options.write(Buffer.from(`event: message\ndata: ${text}\n\n`));
  }
}

/** Data, and the one name that messages have, say nothing besides. */
function isBesides(line: string): boolean {
  const [, field = '', value = ''] = /^([^:]*)(?:: ?([\s\S]*))?$/.exec(line) ?? [];
  if (field === DATA || (field === 'event' && value === 'message')) return false;
  return saysMore(field, value);
}
