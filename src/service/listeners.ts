// The two ways in: a port of 127.0.0.1 and a Unix socket. A caller that is slow, silent or greedy costs a bounded
// amount. The socket appears under its name only once its permissions are right, and in one step, so that there is no
// moment at which too many can connect.
import { chmodSync, chownSync, lstatSync, renameSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StoreError } from '../core/index.ts';
import { hasCode } from '../store/files/index.ts';
import { type Channel, hasOneHost } from './admission.ts';
import type { App } from './app.ts';
import type { Gateway } from './gateway/gateway.ts';
import { removeQuietly } from './service-files.ts';
import type { Wires } from './wire.ts';

export interface Limits {
  /** For the headers, and for all of a request. A host on a busy machine may need many seconds for either. */
  readonly headersMs: number;
  readonly requestMs: number;
  /** How long a connection may lie idle. */
  readonly keepAliveMs: number;
  /** On each way in. Twice this is less than the 1,024 files that a process may have open by default. */
  readonly connections: number;
}

export const LIMITS: Limits = {
  headersMs: 30_000,
  requestMs: 30_000,
  keepAliveMs: 120_000,
  connections: 400,
};

export interface Served {
  readonly app: App;
  readonly gateway: Gateway | undefined;
  readonly wires: Wires | undefined;
}

export interface Listener {
  readonly server: Server;
  readonly channel: Channel;
  /** No new callers from now on; resolves when the last one has left. */
  close(): Promise<void>;
}

/** Resolves with the port once it listens. Rejects with the system's error, EADDRINUSE where somebody has it. */
export async function listenTcp(served: Served, port: number, limits: Limits = LIMITS): Promise<Listener> {
  const channel = { kind: 'tcp' as const, port };
  const server = makeServer(served, channel, limits);
  await listening(server, () => server.listen({ host: '127.0.0.1', port, exclusive: true }));
  channel.port = (server.address() as AddressInfo).port;
  return { server, channel, close: () => closed(server) };
}

export interface SocketOptions {
  readonly path: string;
  /** The group that may connect besides the owner; null for nobody. */
  readonly group: number | null;
}

/** Only the holder of the service's lock may call this: it takes the place of what is there. */
export async function listenSocket(
  served: Served,
  { path, group }: SocketOptions,
  limits: Limits = LIMITS,
): Promise<Listener> {
  const channel: Channel = { kind: group === null ? 'socket' : 'shared', port: null };
  const server = makeServer(served, channel, limits);
  return { server, channel, close: await listenPath(server, { path, group }) };
}

/** Puts a server on a Unix socket; gives what closes it. */
export async function listenPath(
  server: Server,
  { path, group }: SocketOptions,
): Promise<() => Promise<void>> {
  assertReplaceable(path);
  const temporary = `${path}.${process.pid}`;
  removeQuietly(temporary);
  const mask = process.umask(0o177);
  try {
    await listening(server, () => {
      server.listen({ path: temporary });
      process.umask(mask); // bound by now: node binds at once
    });
    if (group !== null) {
      if (statSync(temporary).gid !== group) chownSync(temporary, -1, group);
      chmodSync(temporary, 0o660);
    }
    renameSync(temporary, path);
  } catch (error) {
    server.close();
    throw error;
  } finally {
    process.umask(mask);
  }
  const { ino } = lstatSync(path);
  return () => {
    try {
      if (lstatSync(path).ino === ino) removeQuietly(path);
    } catch {
      // Gone, with the ledger or the runtime directory.
    }
    return closed(server);
  };
}

export function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function makeServer({ app, gateway, wires }: Served, channel: Channel, limits: Limits): Server {
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      keepAliveTimeout: limits.keepAliveMs,
      connectionsCheckingInterval: Math.min(limits.headersMs, limits.requestMs),
    },
    (incoming, outgoing) => {
      if (channel.kind === 'tcp' && !hasOneHost(incoming.rawHeaders)) {
        outgoing.writeHead(400, { connection: 'close' }).end();
        return;
      }
      if (gateway?.take(incoming, outgoing, channel) !== true) void app.handle(incoming, outgoing, channel);
    },
  );
  if (gateway !== undefined || wires !== undefined)
    server.on('upgrade', (incoming, socket, head) => {
      if (channel.kind === 'tcp' && !hasOneHost(incoming.rawHeaders)) {
        socket.destroy();
        return;
      }
      if (wires?.upgrade(incoming, socket, head, channel) === true) return;
      if (gateway === undefined) socket.destroy();
      else gateway.upgrade(incoming, socket, head, channel);
    });
  server.maxConnections = limits.connections;
  return server;
}

export function listening(server: Server, listen: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.once('listening', () => {
      server.off('error', reject);
      resolve();
    });
    listen();
  });
}

/** A socket of an earlier service, or nothing. Anything else is somebody's file. */
function assertReplaceable(path: string): void {
  try {
    if (lstatSync(path).isSocket()) return;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  throw new StoreError('EXISTS', `${path} exists and is not a socket. Choose another path for --socket.`);
}
