// The gateway's way in, beside the service's own routes and without their framework: what passes here is somebody else's
// request, and every byte of it belongs as it is. No token is asked for: the client's own credential is for the upstream,
// and without one there is nothing to be had here. Web pages are turned away as everywhere.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { JsonObject } from '../../core/index.ts';
import type { Channel } from '../admission.ts';
import { refusePage } from '../admission.ts';
import { BodyReader } from '../request-body.ts';
import { type Log, nameOf } from '../service-log.ts';
import { StallClock } from './cut-off.ts';
import { EXCHANGE_LIMITS, type ExchangeLimits, exchange } from './exchange.ts';
import {
  closedRun,
  ERROR_HEADER,
  isRefused,
  NO_TOKEN,
  type Refused,
  readAsked,
  readToClose,
  type Tokens,
} from './independent.ts';
import type { GatewayRecording } from './recording.ts';
import { Sender } from './send.ts';
import { isGatewayPath, routeOf } from './upstreams.ts';
import { passWebSocket } from './web-socket.ts';

export interface Gateway {
  /** True where the request was the gateway's: then it is answered. */
  take(incoming: IncomingMessage, outgoing: ServerResponse, channel: Channel): boolean;
  /** A request to change the protocol: a WebSocket, or nothing. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Uint8Array, channel: Channel): void;
  close(): void;
}

export interface GatewayOptions {
  readonly recording: GatewayRecording;
  readonly log: Log;
  /** Called with each exchange, which never rejects. */
  readonly during: (exchange: Promise<void>) => void;
  readonly limits?: Partial<ExchangeLimits>;
  /** Of an independent gateway: who shows none of these is turned away. */
  readonly tokens?: Tokens | undefined;
}

const RECEIPTS = '/receipts/';
/** Before a nonce in place of an id, for whoever has not heard of the id. */
const OF_NONCE = 'nonce/';
/** Behind the id of a receipt: it is waited for while its exchange goes on, but for so long at most. */
const WAIT = '?wait';
const LONGEST_WAIT = 30_000;

function answer(outgoing: ServerResponse, status: number, body: JsonObject): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  outgoing.end(JSON.stringify(body));
}

function turnAway(outgoing: ServerResponse, { status, code, error }: Refused): void {
  const challenge = status === 407 ? { 'proxy-authenticate': 'Bearer' } : {};
  outgoing.setHeader(ERROR_HEADER, code);
  for (const [name, value] of Object.entries(challenge)) outgoing.setHeader(name, value);
  answer(outgoing, status, { error });
}

export function makeGateway({ recording, log, during, limits, tokens }: GatewayOptions): Gateway {
  const all = { ...EXCHANGE_LIMITS, ...limits };
  const options = {
    recording,
    log,
    bodies: new BodyReader(),
    sender: new Sender(),
    clock: new StallClock(Math.min(all.headersMs, all.stallMs)),
    limits: all,
    underWay: new Map<string, Promise<void>>(),
    later: during,
  };
  /** What is under way on each connection. */
  const connections = new WeakMap<object, Set<Promise<void>>>();
  const busy = ({ socket }: IncomingMessage): Set<Promise<void>> => {
    let under = connections.get(socket);
    if (under === undefined) {
      const all = new Set<Promise<void>>();
      under = all;
      connections.set(socket, all);
      socket.once('close', () => {
        during(Promise.allSettled(all).then(() => recording.leave(socket)));
      });
    }
    return under;
  };
  /** Whoever has its id may have it: it says nothing of what was said. */
  const receipt = async (
    id: string,
    { method }: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> => {
    try {
      if (method !== 'GET') {
        answer(outgoing, 405, { error: 'another method' });
        return;
      }
      const isAwaited = id.endsWith(WAIT);
      const name = isAwaited ? id.slice(0, -WAIT.length) : id;
      if (isAwaited) await untilEnded(options.underWay.get(name));
      const isNonce = tokens !== undefined && name.startsWith(OF_NONCE);
      const found = await (isNonce
        ? recording.receiptOf(name.slice(OF_NONCE.length))
        : recording.receipt(name));
      if (found === undefined)
        answer(outgoing, 404, { error: "there is no such receipt, or it isn't ready yet" });
      else answer(outgoing, 200, found);
    } catch (error) {
      log(`a receipt could not be read: ${nameOf(error)}`);
      answer(outgoing, 500, { error: 'failed' });
    }
  };
  /** `run` is a client's. The client asks when it has ended; who asks again, or late, gets the same. */
  const closing = async (
    run: string,
    token: string,
    { method, headers, socket }: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> => {
    try {
      if (method !== 'POST') {
        turnAway(outgoing, { status: 405, code: 'REFUSED', error: 'another method' });
        return;
      }
      const asked = readToClose(headers, token, run);
      if (isRefused(asked)) {
        turnAway(outgoing, asked);
        return;
      }
      const caller = { session: asked.session, host: null, connection: socket };
      const found = await recording.closeRun(caller, asked.client, asked.end);
      if (found === undefined) throw new TypeError('a key that signs is on record');
      answer(outgoing, 200, found);
    } catch (error) {
      log(`a run could not be closed: ${nameOf(error)}`);
      turnAway(outgoing, {
        status: 503,
        code: 'AUDIT_APPEND_FAILED',
        error: 'the end of the run could not be recorded',
      });
    }
  };
  return {
    take(incoming, outgoing, channel) {
      const url = incoming.url ?? '';
      const isReceipt = url.startsWith(RECEIPTS);
      const run = tokens === undefined ? undefined : closedRun(url);
      if (!isReceipt && run === undefined && !isGatewayPath(url)) return false;
      const refusal =
        channel.kind === 'shared'
          ? { status: 403, error: 'not allowed over a shared socket' }
          : refusePage(incoming.headers, channel);
      const token = tokens?.shown(incoming.headers);
      if (refusal === undefined && tokens !== undefined && token === undefined) {
        turnAway(outgoing, NO_TOKEN);
        return true;
      }
      if (refusal === undefined && isReceipt) {
        during(receipt(url.slice(RECEIPTS.length), incoming, outgoing));
        return true;
      }
      if (refusal === undefined && run !== undefined && token !== undefined) {
        during(closing(run, token, incoming, outgoing));
        return true;
      }
      const route = refusal === undefined ? routeOf(url, recording.upstreams) : undefined;
      if (route === undefined) {
        const { status, error } = refusal ?? { status: 404, error: 'there is no such upstream' };
        turnAway(outgoing, { status, error, code: refusal === undefined ? 'UNKNOWN_UPSTREAM' : 'REFUSED' });
        return true;
      }
      const asked = token === undefined ? null : readAsked(incoming.headers, token);
      if (asked !== null && isRefused(asked)) {
        turnAway(outgoing, asked);
        return true;
      }
      const under = busy(incoming);
      const passing = exchange(options, incoming, outgoing, route, asked);
      under.add(passing);
      during(passing.then(() => void under.delete(passing)));
      return true;
    },
    upgrade(incoming, socket, head, channel) {
      const isWebSocket = /^websocket$/i.test(incoming.headers.upgrade ?? '');
      // An independent gateway takes none: nothing in it could be bound to a call.
      const isFine =
        tokens === undefined &&
        isWebSocket &&
        channel.kind !== 'shared' &&
        refusePage(incoming.headers, channel) === undefined;
      const route = isFine ? routeOf(incoming.url ?? '', recording.upstreams) : undefined;
      if (route === undefined) {
        socket.on('error', () => undefined);
        socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n');
        return;
      }
      const under = busy(incoming);
      const passing = passWebSocket({ recording, log }, incoming, socket, head, route);
      under.add(passing);
      during(passing.then(() => void under.delete(passing)));
    },
    close() {
      options.sender.close();
      options.clock.close();
    },
  };
}

/** Resolves when an exchange has ended, receipt and all, or takes too long. */
async function untilEnded(exchange: Promise<void> | undefined): Promise<void> {
  if (exchange === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LONGEST_WAIT);
  });
  await Promise.race([exchange, patience]);
  clearTimeout(timer);
}
