// What the messages of a WebSocket to a model API are. A `response.create` is a model call, and the events that answer it
// are its answer, as in a stream. Everything else is on record as it came before it goes on: messages that are not known
// here, of either side, and whatever two readers may differ about.
import { isResponsesEvent, openaiResponses, SaidBesides } from '../../capture/llm/index.ts';
import { asItCame, isObject, type JsonObject, parsePlainBytes } from '../../core/index.ts';
import type { ModelOutcome } from '../../format/index.ts';
import type { PassedBy, WireCaller } from '../../record/index.ts';
import { monotonic } from '../../store/files/index.ts';
import { type Log, nameOf } from '../service-log.ts';
import type { WsMessage } from './frames.ts';
import type { GatewayRecording, RecordedCall } from './recording.ts';
import { saidBesides } from './request-facts.ts';
import type { Route } from './upstreams.ts';
import { WireSeen } from './wire-seen.ts';

export interface SocketCallsOptions {
  readonly recording: GatewayRecording;
  readonly log: Log;
  readonly caller: WireCaller;
  readonly route: Route;
  /** Without the query. */
  readonly path: string;
  /** The entry of the connection. */
  readonly opened: number;
  /** The upstream's own id of the exchange. */
  readonly requestId: string | null;
}

export type Way = 'to-upstream' | 'to-client';

/** A model call that has no end yet. */
interface OpenCall {
  readonly call: RecordedCall;
  readonly reader: ReturnType<typeof openaiResponses.stream>;
  readonly besides: SaidBesides;
  /** The request, as text: an answer may repeat it. */
  readonly sent: string;
  readonly seen: WireSeen;
  readonly since: number;
  firstByteMs: number | null;
  bytes: number;
  understood: boolean;
}

/** The realtime API has the same calls and answers in other surroundings. */
const APIS: readonly (readonly [path: string, api: string])[] = [
  ['/responses', openaiResponses.name],
  ['/realtime', 'openai.realtime'],
];
/** A close says a code; what is longer says something. */
const CLOSE_CODE = 2;

export class SocketCalls {
  readonly #options: SocketCallsOptions;
  readonly #api: string | undefined;
  readonly #open: OpenCall[] = [];
  readonly #counts: Record<Way, { messages: number; bytes: number; control: number }> = {
    'to-upstream': { messages: 0, bytes: 0, control: 0 },
    'to-client': { messages: 0, bytes: 0, control: 0 },
  };
  #issuing: Promise<void> = Promise.resolve();

  constructor(options: SocketCallsOptions) {
    this.#options = options;
    this.#api = APIS.find(([path]) => options.path.endsWith(path))?.[1];
  }

  /** Messages may go on once it resolves. RecordError where they can't be recorded. */
  async take(way: Way, messages: readonly WsMessage[]): Promise<void> {
    let unknown: PassedBy[] = [];
    const tell = async (): Promise<void> => {
      const told = unknown;
      unknown = [];
      if (told.length > 0) await this.#observe(told);
    };
    for (const message of messages) {
      const work = this.#known(way, message);
      if (work === undefined) unknown.push(...this.#passedBy(way, message));
      else if (work !== 'nothing') {
        await tell();
        await work();
      }
    }
    await tell();
  }

  /** The connection is over: calls that are open have no end. Never rejects. */
  async end(clientLeft: boolean, how: string): Promise<void> {
    const [result, code] = clientLeft
      ? (['aborted', 'CLIENT_CLOSED'] as const)
      : (['incomplete', 'UPSTREAM_CLOSED'] as const);
    const { log } = this.#options;
    try {
      for (const open of this.#open.splice(0)) await this.#finish(open, result, code);
      await this.#issuing;
      const { 'to-upstream': up, 'to-client': down } = this.#counts;
      const content = { ended: how, to_upstream: { ...up }, to_client: { ...down } };
      await this.#observe([{ event: 'websocket.end', problem: null, content, wire: {} }]);
    } catch (error) {
      log(`the end of a WebSocket could not be recorded: ${nameOf(error)}`);
    }
  }

  /** What must be on record before it goes on; `nothing`; undefined where it is not known here. */
  #known(way: Way, { kind, payload }: WsMessage): (() => Promise<void>) | 'nothing' | undefined {
    const counts = this.#counts[way];
    if (kind !== 'text' && kind !== 'binary') {
      counts.control += 1;
      return payload.length <= (kind === 'close' ? CLOSE_CODE : 0) ? 'nothing' : undefined;
    }
    counts.messages += 1;
    counts.bytes += payload.length;
    const { value, doubt } = parsePlainBytes(payload);
    const event = doubt === null && isObject(value) ? value : undefined;
    return way === 'to-upstream' ? this.#sent(event, payload) : this.#received(event, payload);
  }

  #sent(event: JsonObject | undefined, payload: Uint8Array): (() => Promise<void>) | undefined {
    const request = this.#api === undefined || event === undefined ? undefined : requestIn(event);
    return request === undefined ? undefined : () => this.#begin(request, payload);
  }

  async #begin(request: JsonObject, payload: Uint8Array): Promise<void> {
    const { recording, caller, route, path } = this.#options;
    const call = await recording.begin(caller, {
      provider: route.provider,
      api: this.#api ?? '',
      upstream: route.base.origin,
      method: 'GET',
      path,
      request: { ...openaiResponses.request(request, path), stream: true },
      bytes: payload.length,
      nonce: null,
    });
    this.#open.push({
      call,
      reader: openaiResponses.stream(),
      besides: new SaidBesides(),
      sent: Buffer.from(payload).toString('utf8'),
      seen: new WireSeen(call.receipt.key, payload),
      since: monotonic(),
      firstByteMs: null,
      bytes: 0,
      understood: true,
    });
  }

  #received(
    event: JsonObject | undefined,
    payload: Uint8Array,
  ): (() => Promise<void>) | 'nothing' | undefined {
    const [open] = this.#open;
    if (open === undefined) return undefined;
    open.firstByteMs ??= Math.round(monotonic() - open.since);
    open.seen.add(payload);
    open.bytes += payload.length;
    if (event === undefined || !isResponsesEvent(event)) {
      open.understood &&= event !== undefined;
      return undefined;
    }
    open.besides.take(event);
    const { toolUses, ends } = open.reader.event('', event, '');
    if (toolUses.length === 0 && !ends) return 'nothing';
    // The next event, which may be in the same packet, is the next call's.
    if (ends) this.#open.shift();
    return async () => {
      await open.call.toolUses(toolUses).catch((error: unknown) => {
        if (ends) open.call.done();
        throw error;
      });
      if (ends) await this.#finish(open, open.reader.done().answer.error === null ? 'ok' : 'error', null);
    };
  }

  #passedBy(way: Way, { kind, payload }: WsMessage): PassedBy[] {
    const isData = kind === 'text' || kind === 'binary';
    const { value, doubt } = isData ? parsePlainBytes(payload) : { value: undefined, doubt: null };
    const isJson = isData && doubt === null && value !== undefined;
    return [
      {
        event: isData ? 'message' : kind,
        problem: doubt,
        content: isJson ? value : asItCame(payload),
        wire: { direction: way, frame: kind },
      },
    ];
  }

  async #observe(seen: readonly PassedBy[]): Promise<void> {
    const { recording, caller, opened } = this.#options;
    await recording.observe(caller, seen, opened);
  }

  async #finish(open: OpenCall, result: ModelOutcome, errorCode: string | null): Promise<void> {
    const read = open.reader.done();
    const { answer, toolUses } = read;
    const besides = open.besides.left(read, open.sent);
    try {
      await open.call.toolUses(toolUses);
      if (besides.length > 0) await open.call.observe([saidBesides(besides)]);
      await open.call.finish({
        result,
        errorCode: errorCode ?? answer.error,
        status: 101,
        requestId: this.#options.requestId,
        understood: open.bytes === 0 ? 'none' : open.understood ? 'whole' : 'part',
        wireBytes: open.bytes,
        encoding: null,
        attempts: 1,
        durationMs: Math.round(monotonic() - open.since),
        firstByteMs: open.firstByteMs,
        answer,
      });
      const whole = result === 'ok' || result === 'error';
      this.#issuing = this.#issuing.then(() => this.#issue(open, whole));
    } catch (error) {
      open.call.done();
      throw error;
    }
  }

  /** The client waits for no signature. Never rejects. */
  async #issue({ call, seen }: OpenCall, whole: boolean): Promise<void> {
    try {
      await call.issue(seen.wire(whole));
    } catch (error) {
      this.#options.log(`a receipt could not be issued: ${nameOf(error)}`);
    } finally {
      call.done();
    }
  }
}

/**
 * The request in a `response.create`: all that stands beside its type, or under `response`. Where it says something in
 * both places, readers may differ about which counts.
 */
function requestIn({ type, ...body }: JsonObject): JsonObject | undefined {
  if (type !== 'response.create') return undefined;
  const { response, ...beside } = body;
  if (!isObject(response)) return body;
  const isWrapped = Object.keys(beside).every((name) => name === 'event_id') && !('event_id' in response);
  return isWrapped ? { ...response, ...beside } : undefined;
}
