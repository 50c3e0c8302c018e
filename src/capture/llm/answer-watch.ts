// Watches an answer go by. From a copy of its bytes it finds what must be on record before the client may have the next
// ones: the end of a call of a tool, the end of the answer. It never changes, keeps back or asks for a byte itself. What
// it keeps of an answer is bounded; past that the bytes are still counted, and the answer is understood in part.
import { asItCame, type JsonDoubt, parsePlainJson } from '../../core/index.ts';
import type { Understood } from '../../format/index.ts';
import { type Api, NOTHING, type Read, type Step, type StreamReader } from './api.ts';
import { JsonElements } from './json-elements.ts';
import { SseSplitter } from './sse.ts';

/** Bytes from `at` on must wait until these are on record; with `ends`, until the result is. */
export interface Hold extends Step {
  readonly at: number;
  /** The event itself must be on record as it came: readers may differ about it. */
  readonly unclear?: Unclear;
}

export interface Unclear {
  readonly text: string;
  readonly problem: JsonDoubt;
}

/** `unsure`: a stream was asked for, and what came does not say that it is one. Its first byte tells. */
export type AnswerForm = 'events' | 'elements' | 'body' | 'unsure';

export interface Watched extends Read {
  readonly understood: Understood;
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
  #pieces: Uint8Array[] = [];
  #size = 0;
  /** Events that were read. */
  #read = 0;
  #unread = 0;
  #ended = false;

  constructor(api: Api, form: AnswerForm, limits: WatchLimits = WATCH_LIMITS) {
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
      if (this.#form === 'body') return [];
    }
    if (this.#form === 'body') {
      this.#pieces.push(chunk);
      return [];
    }
    const holds: Hold[] = [];
    if (this.#form === 'events')
      for (const { name, data, at } of this.#events.push(chunk)) this.#step(name, data, at, holds);
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
    const { answer, toolUses } = this.#reader.done();
    const bad = this.#unread + this.#events.broken + this.#elements.broken;
    const understood = this.#read === 0 ? 'none' : bad > 0 || this.#isTooLarge ? 'part' : 'whole';
    return { answer: { ...answer, ended: answer.ended || this.#ended }, toolUses, understood };
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
    const { toolUses, ends } = this.#reader.event(name, value, data);
    if (ends) this.#ended ||= this.#reader.done().answer.ended;
    if (ends || toolUses.length > 0 || doubt !== null) holds.push({ toolUses, ends, at, ...unclear });
  }

  #body(whole: boolean): Watched {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    const isHere = whole && !this.#isTooLarge && this.#unread === 0;
    const { value, doubt } = isHere ? parsePlainJson(bytes.toString('utf8')) : NOT_JSON;
    if (value !== undefined && doubt === null) return { ...this.#api.answer(value), understood: 'whole' };
    const read = value === undefined ? { ...this.#reader.done(), toolUses: [] } : this.#api.answer(value);
    // As it came: nobody can say what the client makes of it.
    const message = bytes.length === 0 ? null : { role: 'body', value: asItCame(bytes) };
    return {
      answer: { ...read.answer, message, ended: whole },
      toolUses: read.toolUses,
      understood:
        value !== undefined ? 'part' : this.#size === 0 && whole && this.#unread === 0 ? 'whole' : 'none',
    };
  }
}

const DONE = { value: null, doubt: null };
const NOT_JSON = { value: undefined, doubt: 'not-json' as const };
