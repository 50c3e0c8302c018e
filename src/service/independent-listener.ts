// Where an independent gateway listens for local gateways: over TLS, or without it on this machine alone. Nothing but the
// gateway is served there. Whoever connects must show a token; a slow or greedy caller costs a bounded amount.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type Channel, hasOneHost } from './admission.ts';
import type { Gateway } from './gateway/gateway.ts';
import { closed, LIMITS, type Limits, type Listener, listening, listenPath } from './listeners.ts';

export interface Tls {
  /** In PEM. */
  readonly cert: string;
  readonly key: string;
}

export type IndependentPlace =
  | { readonly host: string; readonly port: number; readonly tls: Tls | null }
  /** `group` may connect besides the owner; null for nobody. */
  | { readonly path: string; readonly group: number | null };

export interface IndependentListener extends Listener {
  /** As a local gateway names it. */
  readonly url: string;
}

/** Resolves once it listens. Rejects with the system's error. */
export async function listenIndependent(
  gateway: Gateway,
  place: IndependentPlace,
  limits: Limits = LIMITS,
): Promise<IndependentListener> {
  // Not a port of the service: the token is what lets a caller in, whatever name it came by.
  const channel: Channel = { kind: 'socket', port: null };
  const options = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(limits.headersMs, limits.requestMs),
  };
  const take: RequestListener = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!hasOneHost(incoming.rawHeaders)) outgoing.writeHead(400, { connection: 'close' }).end();
    else if (!gateway.take(incoming, outgoing, channel))
      outgoing.writeHead(404, { connection: 'close' }).end();
  };
  const tls = 'path' in place ? null : place.tls;
  const server =
    tls === null
      ? createServer(options, take)
      : createSecureServer({ ...options, ...tls, minVersion: 'TLSv1.2' }, take);
  server.on('upgrade', (incoming: IncomingMessage, socket: Duplex, head: Buffer) =>
    gateway.upgrade(incoming, socket, head, channel),
  );
  server.maxConnections = limits.connections;
  if ('path' in place) {
    const close = await listenPath(server, place);
    return { server, channel, close, url: `unix:${place.path}` };
  }
  const { host, port } = place;
  await listening(server, () => server.listen({ host, port, exclusive: true }));
  const { port: bound } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    server,
    channel,
    close: () => closed(server),
    url: `${tls === null ? 'http' : 'https'}://${name}:${bound}`,
  };
}
