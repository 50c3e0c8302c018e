// A WebSocket to a model API, passed through: Codex may speak one for responses. Frames are passed on as they are. Each
// `response.create` of the client is a model call, on record before it goes upstream; each event of the upstream is read
// from a copy, and what completes a call of a tool or an answer waits until that is on record, as in a stream. No
// compression is agreed on, so that the copy can be read. Of other messages nothing is recorded.
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { openaiResponses } from '../../capture/llm/index.ts';
import type { Json, JsonObject } from '../../core/index.ts';
import type { ModelOutcome } from '../../format/index.ts';
import { RecordError } from '../../record/index.ts';
import { monotonic } from '../../store/files/index.ts';
import { type Log, nameOf } from '../service-log.ts';
import { callerOf, pathOf } from './exchange.ts';
import { closeFrame, FrameReader, type WsMessage } from './frames.ts';
import { requestHeaders, requestIdOf } from './headers.ts';
import type { GatewayRecording, RecordedCall } from './recording.ts';
import type { Route } from './upstreams.ts';
import { WireSeen } from './wire-seen.ts';

export interface WebSocketOptions {
  readonly recording: GatewayRecording;
  readonly log: Log;
}

/** Of a message of the client, which is held until it is whole; of one of the upstream, which is not. */
const LARGEST_SENT = 64 * 1024 * 1024;
const LARGEST_READ = 16 * 1024 * 1024;
const CANNOT_RECORD = 1011;
const REFUSED = 1008;
const TOO_LARGE = 1009;
const LAST_WORDS = 1000;

/** Never rejects. Resolves when both sides have closed, and all is on record that can be. */
export async function passWebSocket(
  options: WebSocketOptions,
  incoming: IncomingMessage,
  client: Duplex,
  head: Uint8Array,
  route: Route,
): Promise<void> {
  client.on('error', () => undefined);
  try {
    const { response, upstream, first } = await handshake(incoming, client, route);
    if (upstream === undefined) {
      await refuse(client, response);
      return;
    }
    upstream.on('error', () => undefined);
    client.write(headOf(response));
    if (head.length > 0) client.unshift(head);
    if (first.length > 0) upstream.unshift(first);
    await new Passing(options, incoming, route, client, upstream, response).run();
  } catch (error) {
    options.log(`a WebSocket failed: ${nameOf(error)}`);
    client.end('HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
  }
}

interface Shaken {
  readonly response: IncomingMessage;
  /** Undefined where the upstream wants none. */
  readonly upstream: Duplex | undefined;
  readonly first: Uint8Array;
}

function handshake(incoming: IncomingMessage, client: Duplex, { base, target }: Route): Promise<Shaken> {
  const raw = requestHeaders(incoming.rawHeaders, base.host, null);
  const headers: string[] = ['Connection', 'Upgrade', 'Upgrade', 'websocket'];
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.toLowerCase() !== 'sec-websocket-extensions') headers.push(raw[i] ?? '', raw[i + 1] ?? '');
  return new Promise((resolve, reject) => {
    const isPlain = base.protocol === 'http:';
    const sent = (isPlain ? request : secureRequest)({
      agent: false,
      hostname: base.hostname.replace(/^\[|\]$/g, ''),
      port: base.port === '' ? undefined : Number(base.port),
      path: target,
      method: 'GET',
      headers,
      setHost: false,
    });
    client.once('close', () => sent.destroy());
    sent.on('upgrade', (response, upstream, first) => resolve({ response, upstream, first }));
    sent.on('response', (response) => resolve({ response, upstream: undefined, first: new Uint8Array(0) }));
    sent.on('error', reject);
    sent.end();
  });
}

/** The status line and headers, as they came. */
function headOf({ statusCode, statusMessage, rawHeaders }: IncomingMessage): string {
  let text = `HTTP/1.1 ${statusCode} ${statusMessage}\r\n`;
  for (let i = 0; i < rawHeaders.length; i += 2) text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`;
  return `${text}\r\n`;
}

/** What the upstream says instead of agreeing. Its body ends with the connection. */
async function refuse(client: Duplex, response: IncomingMessage): Promise<void> {
  const kept = response.rawHeaders.filter(
    (_, i) =>
      !/^(connection|transfer-encoding|content-length)$/i.test(response.rawHeaders[i - (i % 2)] ?? ''),
  );
  const { statusCode, statusMessage } = response;
  client.write(
    headOf({ statusCode, statusMessage, rawHeaders: [...kept, 'Connection', 'close'] } as IncomingMessage),
  );
  for await (const chunk of response) client.write(chunk as Uint8Array);
  client.end();
}

/** A model call that has no end yet. */
interface OpenCall {
  readonly call: RecordedCall;
  readonly reader: ReturnType<typeof openaiResponses.stream>;
  readonly seen: WireSeen;
  readonly since: number;
  firstByteMs: number | null;
  bytes: number;
  understood: boolean;
}

class Passing {
  readonly #options: WebSocketOptions;
  readonly #incoming: IncomingMessage;
  readonly #route: Route;
  readonly #client: Duplex;
  readonly #upstream: Duplex;
  readonly #requestId: string | null;
  readonly #open: OpenCall[] = [];
  #clientLeft = false;
  #issuing: Promise<void> = Promise.resolve();

  constructor(
    options: WebSocketOptions,
    incoming: IncomingMessage,
    route: Route,
    client: Duplex,
    upstream: Duplex,
    response: IncomingMessage,
  ) {
    this.#options = options;
    this.#incoming = incoming;
    this.#route = route;
    this.#client = client;
    this.#upstream = upstream;
    this.#requestId = requestIdOf(response.headers);
  }

  async run(): Promise<void> {
    const spoil = (error: unknown): void => this.#spoil(error);
    const up = this.#fromClient()
      .catch(spoil)
      .finally(() => {
        this.#clientLeft ||= !this.#upstream.readableEnded && !this.#upstream.destroyed;
        this.#upstream.end();
      });
    const down = this.#fromUpstream()
      .catch(spoil)
      .finally(() => this.#client.end());
    await Promise.all([up, down]);
    for (const open of this.#open.splice(0)) await this.#cutOff(open);
    await this.#issuing;
    this.#upstream.destroy();
    await said(this.#client);
    this.#client.destroy();
  }

  /** A message goes on once it is whole, and on record if it is a call. */
  async #fromClient(): Promise<void> {
    const frames = new FrameReader(LARGEST_SENT);
    let held: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of chunksOf(this.#client)) {
      let from = 0;
      for (const message of frames.push(chunk)) {
        const last = chunk.subarray(from, message.end);
        from = message.end;
        if (!message.isControl) await this.#sent(message);
        await write(this.#upstream, Buffer.concat([...held, last]));
        held = [];
        size = 0;
      }
      const rest = chunk.subarray(from);
      size += rest.length;
      if (frames.broken || size > LARGEST_SENT) {
        this.#client.write(closeFrame(TOO_LARGE, 'too large, or no WebSocket'));
        this.#upstream.destroy();
        return;
      }
      held.push(rest);
    }
  }

  async #sent({ payload }: WsMessage): Promise<void> {
    const body = payload === undefined ? undefined : parsed(payload);
    if (payload === undefined || body?.type !== 'response.create') return;
    const { provider, base, target } = this.#route;
    const path = pathOf(target);
    // The request itself, or under a member of that name.
    const inner = (body.response ?? body) as Json;
    const call = await this.#options.recording.begin(callerOf(this.#incoming, this.#route), {
      provider,
      api: openaiResponses.name,
      upstream: base.origin,
      method: 'GET',
      path,
      request: { ...openaiResponses.request(inner, path), stream: true },
      bytes: payload.length,
      nonce: null,
    });
    this.#open.push({
      call,
      reader: openaiResponses.stream(),
      seen: new WireSeen(call.receipt.key, payload),
      since: monotonic(),
      firstByteMs: null,
      bytes: 0,
      understood: true,
    });
  }

  async #fromUpstream(): Promise<void> {
    const frames = new FrameReader(LARGEST_READ);
    for await (const chunk of chunksOf(this.#upstream)) {
      let from = 0;
      for (const message of frames.push(chunk)) {
        if (message.isControl) continue;
        const wait = this.#received(message);
        if (wait === undefined) continue;
        await write(this.#client, chunk.subarray(from, message.at));
        from = Math.max(from, message.at);
        await wait();
      }
      await write(this.#client, chunk.subarray(from));
    }
  }

  /** What must be on record before the client may have it, if anything. */
  #received({ payload }: WsMessage): (() => Promise<void>) | undefined {
    const [open] = this.#open;
    if (open === undefined) return undefined;
    const event = payload === undefined ? undefined : parsed(payload);
    open.firstByteMs ??= Math.round(monotonic() - open.since);
    if (payload !== undefined) {
      open.seen.add(payload);
      open.bytes += payload.length;
    }
    if (event === undefined) {
      open.understood = false;
      return undefined;
    }
    const { toolUses, ends } = open.reader.event('', event as Json, '');
    if (toolUses.length === 0 && !ends) return undefined;
    return async () => {
      await open.call.toolUses(toolUses);
      if (!ends) return;
      this.#open.shift();
      const { error } = open.reader.done().answer;
      await this.#finish(open, error === null ? 'ok' : 'error', null);
    };
  }

  async #finish(open: OpenCall, result: ModelOutcome, errorCode: string | null): Promise<void> {
    const { answer, toolUses } = open.reader.done();
    try {
      await open.call.toolUses(toolUses);
      await open.call.finish({
        result,
        errorCode: errorCode ?? answer.error,
        status: 101,
        requestId: this.#requestId,
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

  async #cutOff(open: OpenCall): Promise<void> {
    const [result, code] = this.#clientLeft
      ? (['aborted', 'CLIENT_CLOSED'] as const)
      : (['incomplete', 'UPSTREAM_CLOSED'] as const);
    try {
      await this.#finish(open, result, code);
    } catch (error) {
      this.#options.log(`the end of a WebSocket could not be recorded: ${nameOf(error)}`);
    }
  }

  #spoil(error: unknown): void {
    if (error instanceof RecordError && error.code === 'AUTH_REFUSED') {
      this.#options.log('a WebSocket was cut off: its session has no good auth key');
      this.#client.end(closeFrame(REFUSED, 'Counterfoil refuses this: no good auth key. See foil auth list'));
      this.#upstream.destroy();
      return;
    }
    const cause = error instanceof RecordError ? error.cause : error;
    this.#options.log(`a WebSocket was cut off: ${nameOf(cause)}`);
    this.#client.end(closeFrame(CANNOT_RECORD, 'Counterfoil could not record this'));
    this.#upstream.destroy();
  }
}

/** Resolves when all that was written is out, or nobody takes it. */
async function said(stream: Duplex): Promise<void> {
  if (stream.destroyed || stream.writableFinished) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LAST_WORDS);
    const go = (): void => {
      clearTimeout(timer);
      resolve();
    };
    stream.once('finish', go).once('close', go);
    stream.end();
  });
}

/** Ends where the other side has left, however. */
async function* chunksOf(stream: Duplex): AsyncGenerator<Uint8Array> {
  try {
    // Whoever stops reading may still have something to say.
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk as Uint8Array;
  } catch {
    // It was reset.
  }
}

async function write(stream: Duplex, bytes: Uint8Array): Promise<void> {
  if (bytes.length === 0 || stream.destroyed || stream.writableEnded) return;
  if (stream.write(bytes)) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      stream.off('drain', go).off('close', go);
      resolve();
    };
    stream.on('drain', go).on('close', go);
  });
}

function parsed(payload: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload).toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}
