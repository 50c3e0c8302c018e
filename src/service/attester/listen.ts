// The way in to an attester: HTTPS, or plain HTTP for this machine alone. A caller that is slow, silent or greedy costs a
// bounded amount.
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { StoreError } from '../../core/index.ts';
import { hasCode } from '../../store/files/index.ts';
import { hasOneHost } from '../admission.ts';
import { makeRoutes, type RouteOptions } from './routes.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** PEM. Null for plain HTTP, which only loopback may have. */
  readonly tls: { readonly cert: Uint8Array; readonly key: Uint8Array } | null;
  readonly limits?: Partial<ListenLimits>;
}

export interface ListenLimits {
  readonly headersMs: number;
  /** For all of a request, its body included. */
  readonly requestMs: number;
  readonly keepAliveMs: number;
  readonly connections: number;
}

const LIMITS: ListenLimits = {
  headersMs: 20_000,
  requestMs: 300_000,
  keepAliveMs: 75_000,
  connections: 400,
};
const LONGEST_CHECK = 5000;

export interface AttesterListener {
  readonly url: string;
  /** No new callers from now on; resolves when the last one has left. */
  close(): Promise<void>;
  /** Whoever is still connected is not any more. */
  cut(): void;
}

/** Resolves once it listens. Throws StoreError where the address can't be had. */
export async function listen(routes: RouteOptions, options: ListenOptions): Promise<AttesterListener> {
  const { host, port, tls } = options;
  const server = makeServer(routes, { ...LIMITS, ...options.limits }, tls);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(plain(error, options)));
    // `localhost` could be led elsewhere by a hosts file.
    server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port, exclusive: true }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
  const bound = (server.address() as AddressInfo).port;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `${tls === null ? 'http' : 'https'}://${name}:${bound}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
    cut: () => server.closeAllConnections(),
  };
}

function plain(error: Error, { host, port }: ListenOptions): Error {
  const advice = 'Choose another one with --listen.';
  if (hasCode(error, 'EADDRINUSE'))
    return new StoreError('EXISTS', `another program already listens on ${host}:${port}. ${advice}`, {
      cause: error,
    });
  if (hasCode(error, 'EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND'))
    return new StoreError('DENIED', `${host}:${port} can't be used here. ${advice}`, { cause: error });
  return error;
}

function makeServer(routes: RouteOptions, limits: ListenLimits, tls: ListenOptions['tls']): Server {
  const handle = makeRoutes(routes);
  const listener: RequestListener = (incoming, outgoing) => {
    if (hasOneHost(incoming.rawHeaders)) void handle(incoming, outgoing);
    else outgoing.writeHead(400, { connection: 'close' }).end();
  };
  const times = {
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: Math.min(limits.headersMs, limits.requestMs, LONGEST_CHECK),
  };
  const server =
    tls === null
      ? createServer(times, listener)
      : createTlsServer(
          {
            ...times,
            cert: Buffer.from(tls.cert),
            key: Buffer.from(tls.key),
            minVersion: 'TLSv1.2',
            handshakeTimeout: limits.headersMs,
          },
          listener,
        );
  server.maxConnections = limits.connections;
  return server;
}
