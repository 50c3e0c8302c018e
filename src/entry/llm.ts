// Clients of model APIs that record themselves: `audited(new Anthropic())`, `audited(new OpenAI())`. What the client sends
// and gets is as before; each request is on record before it is sent, each call of a tool before the program has its end,
// each answer before it ends. It fails closed: what can't be recorded is not sent, and an answer that can't be is an
// error. No client is imported here: any that takes a `fetch` will do.
import {
  AnswerWatch,
  answerForm,
  findApi,
  readRequest,
  type Unclear,
  type Watched,
} from '../capture/llm/index.ts';
import type { ModelOutcome } from '../format/index.ts';
import {
  type OpenModelCall,
  type PassedBy,
  RecordError,
  type Recorder,
  type Session,
} from '../record/index.ts';
import { openRecorder, type RecorderPlace } from './recorder.ts';

/** A client that can be had again with another `fetch`, as those of Anthropic and OpenAI can. */
export interface FetchingClient {
  withOptions(options: { fetch: Fetch }): unknown;
}

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

export interface AuditedOptions extends RecorderPlace {
  /**
   * The session that the calls are of. Unless given, one for all clients of this process, ended when it ends, whose
   * interactions are these calls.
   */
  readonly session?: Session;
  /** As entries name the provider; unless given, the name of the client's class. */
  readonly provider?: string;
}

/** A client like the one that is given, whose calls are on record. The given one is left as it is. */
export function audited<C extends FetchingClient>(client: C, options: AuditedOptions = {}): C {
  if (typeof client?.withOptions !== 'function')
    throw new TypeError(
      'audited() takes a client that has withOptions(), as those of Anthropic and OpenAI do',
    );
  const { fetch: own } = client as { fetch?: unknown };
  const send: Fetch = typeof own === 'function' ? (own as Fetch) : fetch;
  const provider = options.provider ?? providerOf(client);
  const session = options.session;
  return client.withOptions({
    fetch: async (input, init) =>
      audit(session ?? (await sharedSession(options)), provider, send, input, init),
  }) as C;
}

let shared: { readonly recorder: Recorder; readonly session: Promise<Session> } | undefined;

/** Begun with the first call. A process that is killed leaves it open, as it should. */
async function sharedSession({ session: _, provider: __, ...place }: AuditedOptions): Promise<Session> {
  if (shared === undefined) {
    const recorder = await openRecorder(place);
    // Somebody else may have been quicker.
    shared ??= begin(recorder);
    if (shared.recorder !== recorder) await recorder.close();
  }
  return shared.session;
}

function begin(recorder: Recorder): NonNullable<typeof shared> {
  process.once('beforeExit', () => {
    shared = undefined;
    recorder.close().catch((error: unknown) => {
      process.emitWarning(error instanceof Error ? error.message : String(error), 'CounterfoilWarning');
      process.exitCode ||= 1;
    });
  });
  return { recorder, session: recorder.session({ trigger: 'audited', interactionKind: 'model.result' }) };
}

function providerOf(client: object): string {
  const { name = '' } = client.constructor;
  return /anthropic/i.test(name) ? 'anthropic' : /openai/i.test(name) ? 'openai' : 'client';
}

async function audit(
  session: Session,
  provider: string,
  send: Fetch,
  input: string | URL | Request,
  given: RequestInit | undefined,
): Promise<Response> {
  const { body, init } = await readable(input, given);
  const url = new URL(input instanceof Request ? input.url : input);
  const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
  const api = findApi(method, url.pathname);
  const read = readRequest(api, body, url.pathname);
  const { request } = read;
  const since = performance.now();
  const call = await session.model({
    provider,
    api: api.name,
    upstream: url.origin,
    method,
    path: url.pathname,
    query: url.search === '' ? null : url.search.slice(1),
    request,
    headers: [...new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}))],
    bytes: body.length,
  });
  const told = new Told(call, since);
  let response: Response;
  try {
    response = await send(input, init);
  } catch (error) {
    const aborted = isAbort(error);
    await told.finish(
      aborted ? 'aborted' : 'unanswered',
      aborted ? 'CLIENT_CLOSED' : 'UPSTREAM_FAILED',
      null,
    );
    throw error;
  }
  told.response = response;
  const type = response.headers.get('content-type') ?? undefined;
  const streamed = request.stream || read.doubt !== null;
  const watch = new AnswerWatch(api, answerForm(type, streamed, api), Buffer.from(body).toString('utf8'));
  if (response.body === null) {
    await told.end(watch.done(true));
    return response;
  }
  const { status, statusText, headers } = response;
  const passed = new Response(watched(response.body, watch, told, init?.signal ?? null), {
    status,
    statusText,
    headers,
  });
  Object.defineProperty(passed, 'url', { value: response.url });
  return passed;
}

/** The same bytes, as they are read; those that complete something wait until it is on record. */
function watched(
  body: ReadableStream<Uint8Array>,
  watch: AnswerWatch,
  told: Told,
  signal: AbortSignal | null,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      let read: Awaited<ReturnType<typeof reader.read>>;
      try {
        read = await reader.read();
      } catch (error) {
        const seen = watch.done(false);
        await (isAbort(error) || signal?.aborted === true
          ? told.finish('aborted', 'CLIENT_CLOSED', seen)
          : told.finish('incomplete', 'UPSTREAM_CLOSED', seen));
        throw error;
      }
      if (read.done) {
        await told.end(watch.done(true));
        controller.close();
        return;
      }
      const chunk = read.value;
      told.count(chunk);
      let from = 0;
      for (const { at, toolUses, ends, unclear } of watch.push(chunk)) {
        if (at > from) controller.enqueue(chunk.subarray(from, at));
        from = Math.max(from, at);
        if (unclear !== undefined) await told.call.observe([passedBy(unclear)]);
        await told.call.toolUses(toolUses);
        if (ends) await told.end(watch.done(true));
      }
      if (from < chunk.length) controller.enqueue(chunk.subarray(from));
    },
    async cancel(reason) {
      // First, because a read that is under way ends with it.
      const telling = told.finish('aborted', 'CLIENT_CLOSED', watch.done(false));
      await Promise.all([telling, reader.cancel(reason)]);
    },
  });
}

/** What is said of a call, once. */
class Told {
  readonly call: OpenModelCall;
  response: Response | undefined;
  readonly #since: number;
  #bytes = 0;
  #firstByteMs: number | null = null;
  #finished = false;

  constructor(call: OpenModelCall, since: number) {
    this.call = call;
    this.#since = since;
  }

  count(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    this.#firstByteMs ??= Math.round(performance.now() - this.#since);
  }

  async end(seen: Watched): Promise<void> {
    const status = this.response?.status ?? 0;
    const { error, ended } = seen.answer;
    if (status >= 400 || error !== null) await this.finish('error', error ?? `HTTP_${status}`, seen);
    else await this.finish(ended ? 'ok' : 'incomplete', ended ? null : 'NO_END', seen);
  }

  async finish(result: ModelOutcome, errorCode: string | null, seen: Watched | null): Promise<void> {
    if (this.#finished) return;
    this.#finished = true;
    if (seen !== null) await this.call.toolUses(seen.toolUses);
    if (seen !== null && seen.besides.length > 0) {
      const content = [...seen.besides];
      const wire = { direction: 'to-client' };
      await this.call.observe([{ event: 'besides', problem: null, content, wire }]);
    }
    const { headers, status = null } = this.response ?? {};
    await this.call.finish({
      result,
      errorCode,
      status,
      requestId: headers?.get('request-id') ?? headers?.get('x-request-id') ?? null,
      understood: seen?.understood ?? 'none',
      wireBytes: this.#bytes,
      encoding: null,
      attempts: 1,
      durationMs: Math.round(performance.now() - this.#since),
      firstByteMs: this.#firstByteMs,
      answer: seen?.answer ?? null,
    });
  }
}

/** The program gave it up. */
function isAbort(error: unknown): boolean {
  return (error as { name?: unknown } | null)?.name === 'AbortError';
}

/**
 * The request with a body whose bytes are known: what is sent piece by piece is read first, so that it is on record before
 * any of it goes out. RecordError for a body that can't be read.
 */
async function readable(
  input: string | URL | Request,
  init: RequestInit | undefined,
): Promise<{ readonly body: Uint8Array; readonly init: RequestInit | undefined }> {
  const given: unknown = init?.body ?? (input instanceof Request ? input.body : null);
  const known = bytesOf(given);
  if (known !== undefined) return { body: known, init };
  const isRead = given instanceof Blob || given instanceof FormData || given instanceof URLSearchParams;
  const whole = new Response(isRead ? given : piecesOf(given));
  const body = new Uint8Array(await whole.arrayBuffer());
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : {}));
  const type = whole.headers.get('content-type');
  // Of a form it says where its parts end.
  if (type !== null && isRead) headers.set('content-type', type);
  return { body, init: { ...init, headers, body } };
}

/** Bounded, as in the gateway. */
function piecesOf(given: unknown): ReadableStream<Uint8Array> {
  const isPieces = typeof (given as AsyncIterable<unknown>)[Symbol.asyncIterator] === 'function';
  if (!isPieces)
    throw new RecordError('AUDIT_APPEND_FAILED', "the request has a body of a kind that can't be recorded.");
  const pieces = (given as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  let size = 0;
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await pieces.next();
      if (done === true) return controller.close();
      const bytes = bytesOf(value);
      size += bytes?.length ?? 0;
      if (bytes === undefined || size > LARGEST_BODY)
        throw new RecordError(
          'AUDIT_APPEND_FAILED',
          "the request has a body that can't be recorded completely.",
        );
      controller.enqueue(bytes);
    },
  });
}

const LARGEST_BODY = 64 * 1024 * 1024;

/** Undefined for what has to be read first. */
function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return new Uint8Array(0);
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  return undefined;
}

/** An event that readers may differ about. */
function passedBy({ text, problem }: Unclear): PassedBy {
  return { event: 'stream', problem, content: text, wire: { direction: 'to-client' } };
}
