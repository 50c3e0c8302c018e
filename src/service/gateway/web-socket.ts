// A WebSocket to a model API, passed through: Codex may speak one for responses. Frames are passed on as they are, each
// once its message is whole and on record, whatever it is; socket-calls.ts says what it is. No compression is agreed on,
// so that the copy can be read. What is no WebSocket to the letter ends the connection.
import { type IncomingMessage, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { asItCame } from '../../core/index.ts';
import {
  type PassedBy,
  RecordError,
  toldProtocols,
  UnknownSession,
  type WireCaller,
} from '../../record/index.ts';
import { type Log, nameOf } from '../service-log.ts';
import { closeFrame, FrameReader } from './frames.ts';
import { requestHeaders, requestIdOf, saidInHeaders } from './headers.ts';
import type { GatewayRecording } from './recording.ts';
import { callerOf, pathOf, queryOf, tooLong } from './request-facts.ts';
import { SocketCalls, type Way } from './socket-calls.ts';
import type { Route } from './upstreams.ts';

export interface WebSocketOptions {
  readonly recording: GatewayRecording;
  readonly log: Log;
}

/** Of a message, which is held until it is whole. */
const LARGEST = 64 * 1024 * 1024;
/** Of what an upstream says that does not agree. */
const LARGEST_REFUSAL = 1024 * 1024;
/** What stands around a message in its frames, of which it may have many. */
const AROUND = 1024 * 1024;
const CANNOT_RECORD = 1011;
const REFUSED = 1008;
const NOT_WEBSOCKET = 1002;
const TOO_LARGE = 1009;
const LAST_WORDS = 1000;
const EXTENSIONS = 'sec-websocket-extensions';
const PROTOCOL = 'sec-websocket-protocol';
/** Told by themselves, not passed on, or a nonce. */
const HANDSHAKE = new Set([EXTENSIONS, PROTOCOL, 'sec-websocket-key', 'sec-websocket-version']);

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
    if (incoming.method !== 'GET' || tooLong(incoming)) {
      refuse(client, 400, 'Bad Request');
      return;
    }
    if (await options.recording.goesThrough(callerOf(incoming, route).session)) {
      // It must not go straight to the upstream, and what passes in it could not be bound to a receipt there.
      refuse(client, 501, 'Not Implemented');
      return;
    }
    if (head.length > 0) client.unshift(head);
    await new Opening(options, incoming, client, route).run();
  } catch (error) {
    options.log(`a WebSocket failed: ${nameOf(error)}`);
    refuse(client, 502, 'Bad Gateway');
  }
}

class Opening {
  readonly #options: WebSocketOptions;
  readonly #incoming: IncomingMessage;
  readonly #client: Duplex;
  readonly #route: Route;
  readonly #caller: WireCaller;

  constructor(options: WebSocketOptions, incoming: IncomingMessage, client: Duplex, route: Route) {
    this.#options = options;
    this.#incoming = incoming;
    this.#client = client;
    this.#route = route;
    this.#caller = callerOf(incoming, route);
  }

  /** The connection is on record before the upstream hears of it. */
  async run(): Promise<void> {
    const { provider, base, target } = this.#route;
    const path = pathOf(target);
    const wire = { provider, upstream: base.origin, path, method: 'GET' };
    const offered = this.#incoming.headers[PROTOCOL] ?? '';
    const opened = await this.#observe({
      event: 'websocket',
      problem: null,
      query: queryOf(target),
      headers: saidInHeaders(this.#incoming.rawHeaders).filter(([name]) => !HANDSHAKE.has(name)),
      wire: { ...wire, ...(offered === '' ? {} : { protocols: toldProtocols(offered) }) },
    });
    if (opened === undefined) return;
    const { response, upstream, first } = await handshake(this.#incoming, this.#client, this.#route);
    if (upstream === undefined) {
      await this.#declined(response, opened);
      return;
    }
    upstream.on('error', () => undefined);
    const agreed = response.headers[PROTOCOL];
    const isOffered = agreed === undefined || offered.split(/\s*,\s*/).includes(agreed);
    if (response.headers[EXTENSIONS] !== undefined || !isOffered) {
      // Nobody asked for it: what an extension does to frames can't be followed, and a protocol may be any words.
      upstream.destroy();
      const what = isOffered ? 'an extension' : 'a subprotocol';
      this.#options.log(`a WebSocket was refused: the upstream chose ${what} that the client didn't ask for`);
      refuse(this.#client, 502, 'Bad Gateway');
      return;
    }
    this.#client.write(headOf(response));
    if (first.length > 0) upstream.unshift(first);
    const { recording, log } = this.#options;
    const requestId = requestIdOf(response.headers);
    const about = { recording, log, caller: this.#caller, route: this.#route, path, opened, requestId };
    await new Passing(log, this.#client, upstream, new SocketCalls(about)).run();
  }

  /** What the upstream says instead of agreeing. Its body ends with the connection. */
  async #declined(response: IncomingMessage, opened: number): Promise<void> {
    const { statusCode = 502, statusMessage, rawHeaders } = response;
    const body: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      size += chunk.length;
      if (size > LARGEST_REFUSAL) throw new Error("the upstream's answer is too long");
      body.push(chunk);
    }
    const content = { status: statusCode, body: asItCame(Buffer.concat(body)) };
    const wire = { direction: 'to-client' };
    const seen = { event: 'websocket.declined', problem: null, content, wire };
    if ((await this.#observe(seen, opened)) === undefined) return;
    const kept = rawHeaders.filter(
      (_, i) => !/^(connection|transfer-encoding|content-length)$/i.test(rawHeaders[i - (i % 2)] ?? ''),
    );
    const told = { statusCode, statusMessage, rawHeaders: [...kept, 'Connection', 'close'] };
    this.#client.write(headOf(told as IncomingMessage));
    this.#client.end(Buffer.concat(body));
  }

  /** The entry's seq; undefined where it can't be recorded: then the client is told. */
  async #observe(seen: PassedBy, cause: number | null = null): Promise<number | undefined> {
    const { recording, log } = this.#options;
    try {
      return await recording.observe(this.#caller, [seen], cause);
    } catch (error) {
      log(`a WebSocket could not be recorded: ${nameOf(error instanceof RecordError ? error.cause : error)}`);
      if (error instanceof UnknownSession) refuse(this.#client, 404, 'Not Found');
      else if (error instanceof RecordError && error.code === 'AUTH_REFUSED')
        refuse(this.#client, 403, 'Forbidden');
      else refuse(this.#client, 503, 'Service Unavailable');
      return undefined;
    }
  }
}

function refuse(client: Duplex, status: number, words: string): void {
  client.end(`HTTP/1.1 ${status} ${words}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
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
    if (raw[i]?.toLowerCase() !== EXTENSIONS) headers.push(raw[i] ?? '', raw[i + 1] ?? '');
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

/** Both ways of an open connection. */
class Passing {
  readonly #log: Log;
  readonly #client: Duplex;
  readonly #upstream: Duplex;
  readonly #calls: SocketCalls;
  #clientLeft = false;
  #how = 'closed';

  constructor(log: Log, client: Duplex, upstream: Duplex, calls: SocketCalls) {
    this.#log = log;
    this.#client = client;
    this.#upstream = upstream;
    this.#calls = calls;
  }

  async run(): Promise<void> {
    const spoil = (error: unknown): void => this.#spoil(error);
    const up = this.#pass('to-upstream')
      .catch(spoil)
      .finally(() => {
        this.#clientLeft ||= !this.#upstream.readableEnded && !this.#upstream.destroyed;
        this.#upstream.end();
      });
    const down = this.#pass('to-client')
      .catch(spoil)
      .finally(() => this.#client.end());
    await Promise.all([up, down]);
    await this.#calls.end(this.#clientLeft, this.#how);
    this.#upstream.destroy();
    await said(this.#client);
    this.#client.destroy();
  }

  /** Bytes go on once no message is open among them, and all are on record. */
  async #pass(way: Way): Promise<void> {
    const isUp = way === 'to-upstream';
    const [from, to] = isUp ? [this.#client, this.#upstream] : [this.#upstream, this.#client];
    const frames = new FrameReader({ masked: isUp, longest: LARGEST });
    let held: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of chunksOf(from)) {
      const messages = frames.push(chunk);
      if (messages.length > 0) await this.#calls.take(way, messages);
      const { free } = frames;
      if (free > 0) {
        const bytes = chunk.subarray(0, free);
        await write(to, held.length === 0 ? bytes : Buffer.concat([...held, bytes]));
        held = [];
        size = 0;
      }
      if (free < chunk.length) held.push(chunk.subarray(free));
      size += chunk.length - free;
      if (frames.broken !== undefined || size > LARGEST + AROUND) {
        this.#break(way, frames.broken ?? 'too-large');
        return;
      }
    }
  }

  #break(way: Way, why: 'not-websocket' | 'too-large'): void {
    this.#how = `${why} ${way}`;
    this.#log(`a WebSocket was cut off: ${this.#how}`);
    const code = why === 'too-large' ? TOO_LARGE : NOT_WEBSOCKET;
    this.#client.end(closeFrame(code, why === 'too-large' ? 'too large' : 'no WebSocket'));
    this.#upstream.destroy();
  }

  #spoil(error: unknown): void {
    this.#how = 'not recorded';
    if (error instanceof RecordError && error.code === 'AUTH_REFUSED') {
      this.#log('a WebSocket was cut off: its session has no valid auth key');
      this.#client.end(
        closeFrame(REFUSED, 'Counterfoil refuses this: no valid auth key. Run foil auth list'),
      );
      this.#upstream.destroy();
      return;
    }
    const cause = error instanceof RecordError ? error.cause : error;
    this.#log(`a WebSocket was cut off: ${nameOf(cause)}`);
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
