// Passes an answer on: bytes as they come and as they are, at the pace at which the client takes them. A copy is watched,
// and what the client must not have before it is on record waits: the event that completes a call of a tool until that is
// durable, the end of the answer until the result is. Nothing is kept back longer than that takes, and nothing is
// collected: a chunk is passed on before the next is asked for.
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  AnswerWatch,
  type Api,
  answerForm,
  type Hold,
  type Unclear,
  WATCH_LIMITS,
  type Watched,
} from '../../capture/llm/index.ts';
import type { ModelOutcome } from '../../format/index.ts';
import { monotonic } from '../../store/files/index.ts';
import type { CutOff } from './cut-off.ts';
import { openDecoder } from './decode.ts';
import { answerHeaders } from './headers.ts';

/** How an answer ended, as far as bytes go. */
export interface Ending {
  readonly result: ModelOutcome;
  readonly errorCode: string | null;
  readonly watched: Watched;
  readonly wireBytes: number;
  readonly firstByteMs: number | null;
  /** The body came to its end. */
  readonly whole: boolean;
}

export interface Passing {
  readonly response: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly api: Api;
  readonly streamed: boolean;
  /** The body of the request, as text. */
  readonly sent: string;
  readonly receipt: string | null;
  readonly since: number;
  readonly cutOff: CutOff;
  /** For how long the upstream, or the client, is waited for at a time. */
  readonly stallMs: number;
  /** Called with each chunk, as it came. */
  onBytes(chunk: Uint8Array): void;
  toolUses(uses: Watched['toolUses']): Promise<void>;
  /** Events that readers may differ about. Durable when it resolves. */
  unclear(events: readonly Unclear[]): Promise<void>;
  /** The result must be durable when this resolves. Called once, by the end at the latest. */
  finish(ending: Ending): Promise<void>;
}

/** Resolves when the client has all of it, or has left, or the upstream has. Rejects with what recording threw. */
export async function passAnswer(passing: Passing): Promise<Ending> {
  return new Answer(passing).pass();
}

class Answer {
  readonly #passing: Passing;
  readonly #watch: AnswerWatch;
  readonly #decoder: ReturnType<typeof openDecoder>;
  readonly #isEvents: boolean;
  readonly #length: number | null;
  #wireBytes = 0;
  #firstByteMs: number | null = null;
  #finished: Promise<void> | undefined;
  #told: Ending | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(passing: Passing) {
    this.#passing = passing;
    const { headers, statusCode = 0 } = passing.response;
    const form = answerForm(headers['content-type'], passing.streamed && statusCode < 400, passing.api);
    this.#isEvents = form === 'events';
    this.#watch = new AnswerWatch(passing.api, form, passing.sent);
    this.#decoder = openDecoder(headers['content-encoding'], 2 * WATCH_LIMITS.answer);
    if (this.#decoder === 'unknown') this.#watch.lose();
    const length = headers['content-length'];
    this.#length = length === undefined ? null : Number(length);
  }

  async pass(): Promise<Ending> {
    const { response, outgoing, cutOff, finish } = this.#passing;
    let ending: Ending;
    try {
      // Events may be long in coming; of all else an answer that fails to be recorded can still be an error.
      if (this.#isEvents) this.#writeHead();
      const stopped = await this.#body();
      // Of one that was whole before its end came, all but that is known.
      ending =
        this.#told === undefined || stopped !== null
          ? this.#ending(stopped)
          : { ...this.#told, wireBytes: this.#wireBytes };
      this.#finished ??= finish(ending);
      await this.#finished;
    } catch (error) {
      this.#failure = { error };
      throw error;
    } finally {
      if (this.#decoder !== null && this.#decoder !== 'unknown') this.#decoder.close();
      if (this.#failure !== undefined || !response.complete) response.destroy();
    }
    if (cutOff.reason !== undefined || !ending.whole) {
      outgoing.destroy();
      return ending;
    }
    this.#writeHead();
    await ended(outgoing);
    return ending;
  }

  /** Null at its end; else why it stopped before. */
  async #body(): Promise<Error | null> {
    const { response, cutOff, stallMs, onBytes, since } = this.#passing;
    const chunks = new Chunks(response);
    try {
      for (;;) {
        cutOff.wait('UPSTREAM_STALLED', stallMs);
        const chunk = chunks.read() ?? (await chunks.next());
        cutOff.wait('CLIENT_STALLED', stallMs);
        if (cutOff.reason !== undefined) return cutOff.reason;
        if (chunk === null) return response.complete ? null : new Error('the upstream closed before the end');
        this.#firstByteMs ??= Math.round(monotonic() - since);
        this.#wireBytes += chunk.length;
        onBytes(chunk);
        await this.#chunk(chunk);
        if (cutOff.reason !== undefined) return cutOff.reason;
      }
    } catch (error) {
      if (this.#failure?.error === error) throw error;
      return cutOff.reason ?? (error as Error);
    }
  }

  async #chunk(chunk: Uint8Array): Promise<void> {
    const decoder = this.#decoder;
    let from = 0;
    if (decoder !== 'unknown') {
      const decoded = decoder === null ? chunk : await decoder.push(chunk);
      if (decoder?.lost || decoded === undefined) this.#watch.lose();
      for (const slice of decoded === undefined ? [] : slicesOf(decoded)) {
        let unclear = unclearIn(this.#watch.push(slice));
        for (const hold of unclear.holds) {
          const { at, toolUses, ends } = hold;
          const place = decoder === null ? at : 0;
          if (place > from) await this.#write(chunk.subarray(from, place));
          from = Math.max(from, place);
          // All of them at once: a chunk may hold any number.
          if (hold.unclear !== undefined && unclear.events.length > 0) {
            const { events, holds } = unclear;
            unclear = { holds, events: [] };
            await this.#record(() => this.#passing.unclear(events));
          }
          if (toolUses.length > 0) await this.#record(() => this.#passing.toolUses(toolUses));
          if (ends) await this.#finishEarly();
        }
        // What was packed into a few bytes may be work for long: others are to be served meanwhile.
        if (slice !== decoded) await new Promise((resolve) => setImmediate(resolve));
      }
    }
    if (this.#isLast()) await this.#finishEarly();
    await this.#write(chunk.subarray(from));
  }

  /** Nothing comes behind the bytes at hand. */
  #isLast(): boolean {
    const { response } = this.#passing;
    if (this.#length !== null) return this.#wireBytes >= this.#length;
    return response.complete && response.readableLength === 0;
  }

  async #finishEarly(): Promise<void> {
    if (this.#finished === undefined) {
      const ending = this.#ending(null);
      this.#told = ending;
      this.#finished = this.#record(() => this.#passing.finish(ending));
    }
    await this.#finished;
  }

  async #record<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  #ending(stopped: Error | null): Ending {
    const { response, cutOff } = this.#passing;
    const whole = stopped === null;
    const watched = this.#watch.done(whole);
    const common = { watched, wireBytes: this.#wireBytes, firstByteMs: this.#firstByteMs, whole };
    const { answer } = watched;
    if (stopped !== null) {
      const code = cutOff.reason?.code ?? 'UPSTREAM_CLOSED';
      return { ...common, result: code === 'CLIENT_CLOSED' ? 'aborted' : 'incomplete', errorCode: code };
    }
    if ((response.statusCode ?? 0) >= 400 || answer.error !== null)
      return { ...common, result: 'error', errorCode: answer.error ?? `HTTP_${response.statusCode}` };
    if (!answer.ended) return { ...common, result: 'incomplete', errorCode: 'NO_END' };
    return { ...common, result: 'ok', errorCode: null };
  }

  #writeHead(): void {
    const { response, outgoing, receipt } = this.#passing;
    if (outgoing.headersSent) return;
    outgoing.sendDate = false;
    outgoing.writeHead(
      response.statusCode ?? 502,
      response.statusMessage,
      answerHeaders(response.rawHeaders, receipt),
    );
    if (this.#isEvents) outgoing.flushHeaders();
  }

  /** Resolves when there is room for more, or the client has left. */
  async #write(chunk: Uint8Array): Promise<void> {
    const { outgoing, cutOff } = this.#passing;
    if (chunk.length === 0 || cutOff.reason !== undefined) return;
    this.#writeHead();
    if (outgoing.write(chunk) || outgoing.destroyed) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        outgoing.off('drain', go).off('close', go);
        resolve();
      };
      outgoing.on('drain', go).on('close', go);
    });
  }
}

/** A body as it comes, at the pace at which it is asked for. A stream's own iterator does the same at many times the cost. */
class Chunks {
  readonly #response: IncomingMessage;
  #wake: () => void = () => undefined;

  constructor(response: IncomingMessage) {
    this.#response = response;
    const wake = (): void => this.#wake();
    response.on('readable', wake).on('end', wake).on('error', wake).on('close', wake);
  }

  /** What is there already; null for nothing. */
  read(): Uint8Array | null {
    return this.#response.read() as Uint8Array | null;
  }

  /** Null when nothing comes any more. Never rejects. */
  async next(): Promise<Uint8Array | null> {
    const response = this.#response;
    for (;;) {
      const chunk = this.read();
      if (chunk !== null || response.readableEnded || response.destroyed) return chunk;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** A chunk off the wire is one; only what was decoded is longer. */
const LONGEST_SLICE = 256 * 1024;

function* slicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  if (bytes.length <= LONGEST_SLICE) yield bytes;
  else for (let at = 0; at < bytes.length; at += LONGEST_SLICE) yield bytes.subarray(at, at + LONGEST_SLICE);
}

interface Held {
  readonly holds: readonly Hold[];
  readonly events: readonly Unclear[];
}

function unclearIn(holds: readonly Hold[]): Held {
  return { holds, events: holds.flatMap(({ unclear }) => (unclear === undefined ? [] : [unclear])) };
}

function ended(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    outgoing.once('close', resolve);
    outgoing.end(() => resolve());
  });
}
