// One request through the gateway: taken in, put on record, sent on, its answer passed back. Whatever happens, the ledger
// says what: a request that can't be recorded is not sent, and an answer that can't be does not come to a clean end.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Api, findApi, type ReadRequest, readRequest, unread } from '../../capture/llm/index.ts';
import { type Received, RecordError, type Wire } from '../../record/index.ts';
import { hasCode, monotonic } from '../../store/files/index.ts';
import type { BodyReader } from '../request-body.ts';
import type { Log } from '../service-log.ts';
import { nameOf } from '../service-log.ts';
import { type Ending, passAnswer } from './answer.ts';
import { placeOf } from './ask-gateway.ts';
import { CutOff, type StallClock } from './cut-off.ts';
import { decodeBody } from './decode.ts';
import { requestHeaders, requestIdOf, saidInHeaders } from './headers.ts';
import type { Asked } from './independent.ts';
import { RawCopy } from './raw-copy.ts';
import type { GatewayRecording, RecordedCall } from './recording.ts';
import { fail, refusalOf, spoil } from './refusals.ts';
import {
  callerOf,
  isOtherCharset,
  one,
  pathOf,
  queryOf,
  saidBesides,
  tooLong,
  unclearIn,
} from './request-facts.ts';
import type { Answered, Sender } from './send.ts';
import {
  failureIn,
  fetchReceipt,
  GatewayFailed,
  receiptIdOf,
  throughHeaders,
  unreachable,
} from './through.ts';
import type { Route } from './upstreams.ts';
import { WireSeen } from './wire-seen.ts';

export interface ExchangeLimits {
  /** Until an answer begins, and between its bytes. */
  readonly headersMs: number;
  readonly stallMs: number;
  /** Of a compressed request, decoded. */
  readonly decoded: number;
}

export const EXCHANGE_LIMITS: ExchangeLimits = {
  headersMs: 600_000,
  stallMs: 300_000,
  decoded: 64 * 1024 * 1024,
};

export interface ExchangeOptions {
  readonly recording: GatewayRecording;
  readonly bodies: BodyReader;
  readonly sender: Sender;
  readonly clock: StallClock;
  readonly limits: ExchangeLimits;
  readonly log: Log;
  /** Exchanges whose receipts are not signed yet, by the ids of these. */
  readonly underWay: Map<string, Promise<void>>;
  /** What goes on when the client has its answer. It never rejects. */
  readonly later: (work: Promise<void>) => void;
}

/** Never rejects. Resolves when the client has its answer, or has left, and all is on record that can be. */
export async function exchange(
  options: ExchangeOptions,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  route: Route,
  asked: Asked | null = null,
): Promise<void> {
  const path = pathOf(route.target);
  const api = findApi(incoming.method ?? '', path);
  // A client that leaves just as something is written to it: its leaving is heard elsewhere.
  outgoing.on('error', () => undefined);
  try {
    await new Exchange(options, incoming, outgoing, route, api, path, asked).run();
  } catch (error) {
    options.log(`a request through the gateway failed: ${nameOf(error)}`);
    fail(outgoing, api, 500, 'GATEWAY_FAILED', 'Counterfoil failed on this request. See service/log.');
  }
}

class Exchange {
  readonly #options: ExchangeOptions;
  readonly #incoming: IncomingMessage;
  readonly #outgoing: ServerResponse;
  readonly #route: Route;
  readonly #api: Api;
  readonly #path: string;
  readonly #asked: Asked | null;
  readonly #since = monotonic();
  readonly #cutOff = new CutOff();
  #attempts = 1;
  #receipt: string | null = null;
  /** Of the independent gateway that the call went through. */
  #theirs: string | null = null;

  constructor(
    options: ExchangeOptions,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    route: Route,
    api: Api,
    path: string,
    asked: Asked | null,
  ) {
    this.#asked = asked;
    this.#options = options;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
    this.#route = route;
    this.#api = api;
    this.#path = path;
  }

  async run(): Promise<void> {
    const body = await this.#options.bodies.read(this.#incoming);
    if (body === 'cut') {
      this.#outgoing.destroy();
      return;
    }
    if (body === 'too-large')
      return this.#fail(413, 'TOO_LARGE', 'Counterfoil takes requests of up to 64 MiB.');
    if (tooLong(this.#incoming))
      return this.#fail(400, 'HEADER_TOO_LONG', 'A session or nonce must have 1 to 256 characters.');
    if (body === 'busy') return this.#fail(503, 'BUSY', 'Counterfoil is reading too many requests at once.');
    const read = await this.#read(body);
    let call: RecordedCall;
    try {
      call = await this.#begin(read, body);
    } catch (error) {
      return this.#refuse(error);
    }
    this.#receipt = call.receipt.id;
    const gone = (): void => {
      if (!this.#outgoing.writableFinished) this.#cutOff.cut('CLIENT_CLOSED');
    };
    const { clock } = this.#options;
    clock.watch(this.#cutOff);
    this.#outgoing.once('close', gone);
    if (this.#outgoing.destroyed) gone();
    let ended = (): void => undefined;
    const { underWay } = this.#options;
    const { id } = call.receipt;
    const names = [id, ...(this.#asked === null ? [] : [`nonce/${this.#asked.nonce}`])];
    const ending = new Promise<void>((resolve) => {
      ended = resolve;
    });
    for (const name of names) underWay.set(name, ending);
    try {
      const seen = new WireSeen(this.#asked?.key ?? call.receipt.key, body);
      const copy = this.#copyOf(call, body);
      const whole = await this.#sendOn(call, read, body, { seen, copy });
      if (whole !== undefined && copy !== null) await this.#keep(copy, whole);
      if (whole !== undefined) await this.#issue(call, seen.wire(whole));
      if (whole !== undefined && this.#theirs !== null) this.#options.later(this.#fetch(call, this.#theirs));
    } finally {
      for (const name of names) underWay.delete(name);
      ended();
      clock.leave(this.#cutOff);
      this.#outgoing.off('close', gone);
      call.done();
    }
  }

  #begin({ request }: ReadRequest, body: Uint8Array): Promise<RecordedCall> {
    const { recording } = this.#options;
    const { provider, base } = this.#route;
    const caller = callerOf(this.#incoming, this.#route);
    const whose = this.#asked === null ? caller : { ...caller, session: this.#asked.session, host: null };
    return recording.begin(whose, {
      provider,
      api: this.#api.name,
      upstream: base.origin,
      method: this.#incoming.method ?? '',
      path: this.#path,
      query: queryOf(this.#route.target),
      headers: saidInHeaders(this.#incoming.rawHeaders),
      request,
      bytes: body.length,
      nonce: this.#asked?.nonce ?? one(this.#incoming.headers['x-counterfoil-nonce']),
      client: this.#asked?.client,
    });
  }

  /** Whether an answer came to its end; undefined where nothing of its end is on record. */
  async #sendOn(
    call: RecordedCall,
    { request, doubt }: ReadRequest,
    body: Uint8Array,
    { seen, copy }: { readonly seen: WireSeen; readonly copy: RawCopy | null },
  ): Promise<boolean | undefined> {
    const { sender, limits } = this.#options;
    const cutOff = this.#cutOff;
    cutOff.wait('UPSTREAM_STALLED', limits.headersMs);
    let answered: Answered;
    try {
      const { target, named } = this.#route;
      const { through } = call;
      const to = through === null ? { base: this.#route.base } : placeOf(through);
      const hasBody = body.length > 0 || this.#incoming.headers['content-length'] !== undefined;
      const headers = requestHeaders(this.#incoming.rawHeaders, to.base.host, hasBody ? body.length : null);
      answered = await sender.send({
        ...to,
        target: through === null ? target : named,
        method: this.#incoming.method ?? '',
        headers: through === null ? headers : [...headers, ...throughHeaders(through)],
        body: hasBody ? body : null,
        cutOff,
      });
      if (through !== null) this.#assertPassed(through.url, answered.response);
    } catch (error) {
      return (await this.#unanswered(call, error)) ? false : undefined;
    }
    const { response } = answered;
    this.#attempts = answered.attempts;
    copy?.begin(response);
    cutOff.hear(() => {
      response.destroy();
      if (cutOff.reason?.code !== 'UPSTREAM_STALLED') this.#outgoing.destroy();
    });
    try {
      const ending = await passAnswer({
        response,
        outgoing: this.#outgoing,
        api: this.#api,
        // Where nobody can say what was asked for, the answer itself tells.
        streamed: request.stream || doubt !== null,
        sent: Buffer.from(body).toString('utf8'),
        receipt: this.#receipt,
        since: this.#since,
        cutOff,
        stallMs: limits.stallMs,
        onBytes: (chunk) => {
          seen.add(chunk);
          copy?.add(chunk);
        },
        toolUses: (uses) => call.toolUses(uses),
        unclear: (events) => call.observe(unclearIn(events)),
        finish: (ended) => this.#finish(call, response, ended),
      });
      return ending.whole;
    } catch (error) {
      if (!(error instanceof RecordError)) throw error;
      this.#options.log(`an answer could not be recorded: ${nameOf(error.cause)}`);
      spoil(this.#outgoing, this.#api, response, this.#receipt);
      return undefined;
    } finally {
      cutOff.hear(undefined);
    }
  }

  async #finish(call: RecordedCall, response: IncomingMessage, ending: Ending): Promise<void> {
    const { watched, wireBytes, firstByteMs } = ending;
    // Those of an answer that was not streamed, and those that a stream broke off in.
    if (watched.toolUses.length > 0) await call.toolUses(watched.toolUses);
    if (watched.besides.length > 0) await call.observe([saidBesides(watched.besides)]);
    const received: Received = {
      result: ending.result,
      errorCode: ending.errorCode,
      status: response.statusCode ?? null,
      requestId: requestIdOf(response.headers),
      understood: watched.understood,
      wireBytes,
      encoding: response.headers['content-encoding'] ?? null,
      attempts: this.#attempts,
      durationMs: Math.round(monotonic() - this.#since),
      firstByteMs,
      answer: watched.answer,
    };
    await call.finish(received);
  }

  /** An answer of the independent gateway itself is none of the upstream's. Throws GatewayFailed. */
  #assertPassed(url: string, response: IncomingMessage): void {
    this.#theirs = receiptIdOf(response.headers);
    const failure = failureIn(url, response.headers);
    if (failure === undefined) return;
    response.on('error', () => undefined).destroy();
    throw failure;
  }

  /** The receipt of the independent gateway. Without it the call is on record, and nobody else vouches for it. */
  async #fetch(call: RecordedCall, id: string): Promise<void> {
    if (call.through === null) return;
    try {
      await call.keep(await fetchReceipt(this.#options.sender, call.through, id));
    } catch (error) {
      this.#options.log(`a receipt of the independent gateway could not be kept: ${nameOf(error)}`);
    }
  }

  #copyOf({ replay }: RecordedCall, body: Uint8Array): RawCopy | null {
    const { method = '', headers } = this.#incoming;
    const request = { method, target: this.#route.named, encoding: headers['content-encoding'], body };
    return replay && new RawCopy(replay, request);
  }

  /** The call is on record by now. Without this it can't be replayed, and a replay says so. */
  async #keep(copy: RawCopy, whole: boolean): Promise<void> {
    try {
      await copy.keep(whole);
    } catch (error) {
      this.#options.log(`an answer could not be kept for a replay: ${nameOf(error)}`);
    }
  }

  /** The client has its answer: it waits for no signature. */
  async #issue(call: RecordedCall, wire: Wire): Promise<void> {
    try {
      await call.issue(wire);
    } catch (error) {
      this.#options.log(`a receipt could not be issued: ${nameOf(error)}`);
    }
  }

  /** No answer began. Says whether that is on record. */
  async #unanswered(call: RecordedCall, error: unknown): Promise<boolean> {
    const { through } = call;
    const isCut = this.#cutOff.reason !== undefined;
    const failed =
      through === null || isCut || error instanceof GatewayFailed ? error : unreachable(through.url, error);
    const reason = this.#cutOff.reason ?? failed;
    // It may have come there, and then the gateway signs for it although nobody heard its answer.
    if (through !== null && (isCut || hasCode(error, 'ECONNRESET', 'EPIPE')))
      this.#theirs ??= `nonce/${through.nonce}`;
    const { code } = reason as { code?: unknown };
    const left = code === 'CLIENT_CLOSED';
    try {
      await call.finish({
        result: left ? 'aborted' : 'unanswered',
        errorCode: typeof code === 'string' ? code : 'UPSTREAM_FAILED',
        status: null,
        requestId: null,
        understood: 'none',
        wireBytes: 0,
        encoding: null,
        attempts: this.#attempts,
        durationMs: Math.round(monotonic() - this.#since),
        firstByteMs: null,
        answer: null,
      });
    } catch (failure) {
      if (!(failure instanceof RecordError)) throw failure;
      this.#refuse(failure);
      return false;
    }
    if (reason instanceof GatewayFailed) this.#fail(reason.status, reason.code, reason.message);
    else if (code === 'UPSTREAM_STALLED')
      this.#fail(504, 'UPSTREAM_STALLED', 'The upstream did not answer in time.');
    else if (!left) this.#fail(502, 'UPSTREAM_FAILED', "The upstream can't be reached.");
    return true;
  }

  /** Before anything was sent. */
  #refuse(error: unknown): void {
    const { status, code, message, log } = refusalOf(error);
    if (log !== undefined) this.#options.log(log);
    this.#fail(status, code, message);
  }

  #fail(status: number, code: string, message: string): void {
    fail(this.#outgoing, this.#api, status, code, message, this.#receipt);
  }

  /** A copy. What can't be read for certain is taken as it came. */
  async #read(body: Uint8Array): Promise<ReadRequest> {
    const { headers } = this.#incoming;
    const decoded = await decodeBody(headers['content-encoding'], body, this.#options.limits.decoded);
    if (decoded === undefined) return unread(body, 'encoded');
    return isOtherCharset(headers['content-type'])
      ? unread(decoded, 'not-utf8')
      : readRequest(this.#api, decoded, this.#path);
  }
}
