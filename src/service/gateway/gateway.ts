// The gateway's way in, beside the service's own routes and without their framework: what passes here is somebody else's
// request, and every byte of it belongs as it is. No token is asked for: the client's own credential is for the upstream,
// and without one there is nothing to be had here. Web pages are turned away as everywhere.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JsonObject } from '../../core/index.ts';
import type { Channel } from '../admission.ts';
import { refusePage } from '../admission.ts';
import { BodyReader } from '../request-body.ts';
import { type Log, nameOf } from '../service-log.ts';
import { EXCHANGE_LIMITS, type ExchangeLimits, exchange } from './exchange.ts';
import type { GatewayRecording } from './recording.ts';
import { Sender } from './send.ts';
import { isGatewayPath, routeOf } from './upstreams.ts';

export interface Gateway {
  /** True where the request was the gateway's: then it is answered. */
  take(incoming: IncomingMessage, outgoing: ServerResponse, channel: Channel): boolean;
  close(): void;
}

export interface GatewayOptions {
  readonly recording: GatewayRecording;
  readonly log: Log;
  /** Called with each exchange, which never rejects. */
  readonly during: (exchange: Promise<void>) => void;
  readonly limits?: Partial<ExchangeLimits>;
}

const RECEIPTS = '/receipts/';

function answer(outgoing: ServerResponse, status: number, body: JsonObject): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
  outgoing.end(JSON.stringify(body));
}

export function makeGateway({ recording, log, during, limits }: GatewayOptions): Gateway {
  const options = {
    recording,
    log,
    bodies: new BodyReader(),
    sender: new Sender(),
    limits: { ...EXCHANGE_LIMITS, ...limits },
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
      const found = await recording.receipt(id);
      if (found === undefined) answer(outgoing, 404, { error: 'no such receipt, or not yet' });
      else answer(outgoing, 200, found);
    } catch (error) {
      log(`a receipt could not be read: ${nameOf(error)}`);
      answer(outgoing, 500, { error: 'failed' });
    }
  };
  return {
    take(incoming, outgoing, channel) {
      const url = incoming.url ?? '';
      const isReceipt = url.startsWith(RECEIPTS);
      if (!isReceipt && !isGatewayPath(url)) return false;
      const refusal =
        channel.kind === 'shared'
          ? { status: 403, error: 'not over a shared socket' }
          : refusePage(incoming.headers, channel);
      if (refusal === undefined && isReceipt) {
        during(receipt(url.slice(RECEIPTS.length), incoming, outgoing));
        return true;
      }
      const route = refusal === undefined ? routeOf(url, recording.upstreams) : undefined;
      if (route === undefined) {
        const { status, error } = refusal ?? { status: 404, error: 'no such upstream' };
        answer(outgoing, status, { error });
        return true;
      }
      const under = busy(incoming);
      const passing = exchange(options, incoming, outgoing, route);
      under.add(passing);
      during(passing.then(() => void under.delete(passing)));
      return true;
    },
    close: () => options.sender.close(),
  };
}
