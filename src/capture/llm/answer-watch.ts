// Watches an answer go by. From a copy of its bytes it finds what must be on record before the client may have the next
// ones: the end of a call of a tool, the end of the answer. It never changes, keeps back or asks for a byte itself. What
// it keeps of an answer is bounded; past that the bytes are still counted, and the answer is understood in part.
import { asItCame, type JsonDoubt, parsePlainJson } from '../../core/index.ts';
import type { Understood } from '../../format/index.ts';
import { type Api, NOTHING, type Read, type Step, type StreamReader } from './api.ts';
import { JsonElements } from './json-elements.ts';
import { objectOf } from './members.ts';
import { SaidBesides } from './said-besides.ts';
import { SseSplitter } from './sse.ts';

/** Bytes from `at` on must wait until these are on record; with `ends`, until the result is. */
export interface Hold extends Step {
  readonly at: number;
  /** The event itself must be on record as it came: readers may differ about it. */
  readonly unclear?: Unclear;
}

export interface Unclear {
  readonly text: string;
  /** Null where it is plain enough, and no part of what is read: a comment, a field that nobody knows. */
  readonly problem: JsonDoubt | null;
}

/** `unsure`: a stream was asked for, and what came does not say that it is one. Its first byte tells. */
export type AnswerForm = 'events' | 'elements' | 'body' | 'unsure';

export interface Watched extends Read {
  readonly understood: Understood;
  /** Strings that are in none of it, and reached the client. */
  readonly besides: readonly string[];
}

export interface WatchLimits {
  /** Of all that is kept of one answer. */
  readonly answer: number;
  /** Of one event. */
  readonly event: number;
}

export const WATCH_LIMITS: WatchLimits = { answer: 16 * 1024 * 1024, event: 4 * 1024 * 1024 };

/** Which form an answer has, from its content type and what was asked. */
export function answerForm(contentType: string | undefined, streamed: boolean, api: Api): AnswerForm {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase();
  if (type === 'text/event-stream') return 'events';
  // Clients that asked for a stream read one, whatever the type says.
  return streamed && api.name !== 'other' ? 'unsure' : 'body';
}

/** Of an event whose data do not say what it is. */
const PLAIN_NAMES: ReadonlySet<string> = new Set(['', 'message', 'error', 'ping', 'done']);
const MOST_ASIDES = 256;

const [BRACE, BRACKET, LESS] = [0x7b, 0x5b, 0x3c];

/** Undefined while there is nothing but blanks. */
function formOf(chunk: Uint8Array, api: Api): AnswerForm | undefined {
  const first = chunk.find((byte) => byte > 0x20);
  if (first === undefined) return undefined;
  if (first === BRACKET && api.name.startsWith('gemini')) return 'elements';
  return first === BRACE || first === BRACKET || first === LESS ? 'body' : 'events';
}

export class AnswerWatch {
  readonly #api: Api;
  #form: AnswerForm;
  readonly #limits: WatchLimits;
  readonly #reader: StreamReader;
  readonly #events: SseSplitter;
  readonly #elements: JsonElements;
  readonly #besides = new SaidBesides();
  /** The request, as far as it is text: an answer may repeat it. */
  readonly #sent: string;
  /** Lines that were told already. */
  readonly #asides = new Set<string>();
  /** The result may be on record: what comes now is told by itself. */
  #isOver = false;
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Events that were read. */
  #read = 0;
  #unread = 0;
  #ended = false;

  constructor(api: Api, form: AnswerForm, sent = '', limits: WatchLimits = WATCH_LIMITS) {
    this.#sent = sent;
    this.#api = api;
    this.#form = form;
    this.#limits = limits;
    this.#reader = api.stream();
    this.#events = new SseSplitter(limits.event);
    this.#elements = new JsonElements(limits.event);
  }

  /** The bytes of an answer, decoded, in order. */
  push(chunk: Uint8Array): readonly Hold[] {
    this.#size += chunk.length;
    if (this.#form === 'unsure') this.#form = formOf(chunk, this.#api) ?? 'unsure';
    if (this.#form === 'unsure') return [];
    if (this.#size > this.#limits.answer) {
      // What an event of a stream completes is found all the same.
      this.#pieces = [];
      this.#reader.stop();
      this.#besides.stop();
      if (this.#form === 'body') return [];
    }
    if (this.#form === 'body') {
      this.#pieces.push(chunk);
      return [];
    }
    const holds: Hold[] = [];
    if (this.#form === 'events')
      for (const event of this.#events.push(chunk)) {
        if ('aside' in event) this.#aside(event.aside, event.at, holds);
        else this.#step(event.name, event.data, event.at, holds);
      }
    else for (const { text, at } of this.#elements.push(chunk)) this.#step('', text, at, holds);
    return holds;
  }

  /** The copy can't be followed any further. */
  lose(): void {
    this.#unread++;
  }

  /** What there is, at the end or wherever it stopped. `whole` says whether all bytes came. */
  done(whole: boolean): Watched {
    if (this.#form === 'body' || this.#form === 'unsure') return this.#body(whole);
    const read = this.#reader.done();
    const { answer, toolUses } = read;
    const bad = this.#unread + this.#events.broken + this.#elements.broken;
    const understood = this.#read === 0 ? 'none' : bad > 0 || this.#isTooLarge ? 'part' : 'whole';
    return {
      answer: { ...answer, ended: answer.ended || this.#ended },
      toolUses,
      understood,
      besides: this.#besides.left(read, this.#sent),
    };
  }

  get #isTooLarge(): boolean {
    return this.#size > this.#limits.answer;
  }

  #step(name: string, data: string, at: number, holds: Hold[]): void {
    const { value, doubt } = data.trim() === '[DONE]' ? DONE : parsePlainJson(data);
    const unclear = doubt === null ? {} : { unclear: { text: data, problem: doubt } };
    if (doubt !== null) this.#unread++;
    if (value === undefined) {
      holds.push({ ...NOTHING, at, ...unclear });
      return;
    }
    this.#read++;
    if (this.#isOver && doubt === null) this.#aside(data, at, holds);
    else this.#besides.take(value);
    if (!PLAIN_NAMES.has(name) && objectOf(value).type !== name) this.#aside(`event: ${name}`, at, holds);
    const { toolUses, ends } = this.#reader.event(name, value, data);
    this.#isOver ||= ends;
    if (ends) this.#ended ||= this.#reader.done().answer.ended;
    if (ends || toolUses.length > 0 || doubt !== null) holds.push({ toolUses, ends, at, ...unclear });
  }

  /**
   * Told once in an answer: a server that says the same again, as when it keeps a connection alive, says nothing more. It
   * goes with the result; behind that, it must be on record by itself.
   */
  #aside(text: string, at: number, holds: Hold[]): void {
    if (this.#asides.has(text)) return;
    if (this.#asides.size < MOST_ASIDES) this.#asides.add(text);
    if (this.#isOver) holds.push({ ...NOTHING, at, unclear: { text, problem: null } });
    else this.#besides.line(text);
  }

  #body(whole: boolean): Watched {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    const isHere = whole && !this.#isTooLarge && this.#unread === 0;
    const { value, doubt } = isHere ? parsePlainJson(bytes.toString('utf8')) : NOT_JSON;
    if (value !== undefined && doubt === null) {
      const read = this.#api.answer(value);
      this.#besides.take(value);
      return { ...read, understood: 'whole', besides: this.#besides.left(read, this.#sent) };
    }
    const read = value === undefined ? { ...this.#reader.done(), toolUses: [] } : this.#api.answer(value);
    // As it came: nobody can say what the client makes of it.
    const message = bytes.length === 0 ? null : { role: 'body', value: asItCame(bytes) };
    return {
      answer: { ...read.answer, message, ended: whole },
      toolUses: read.toolUses,
      besides: [],
      understood:
        value !== undefined ? 'part' : this.#size === 0 && whole && this.#unread === 0 ? 'whole' : 'none',
    };
  }
}

const DONE = { value: null, doubt: null };
const NOT_JSON = { value: undefined, doubt: 'not-json' as const };
