// The gateway by itself, on a port of 127.0.0.1, for a program that asks models through it while it runs. It is no service: it
// takes no lock, keeps no state, and is gone with the program.
import type { AddressInfo } from 'node:net';
import type { Channel } from './admission.ts';
import type { GatewayRecording } from './gateway/recording.ts';
import type { Log } from './service-log.ts';

export interface OwnGateway {
  readonly url: string;
  /** Resolves when everything that was under way is on record, receipts included. */
  idle(): Promise<void>;
  /** Takes nothing more, and resolves as `idle` does. What it records to stays open. */
  close(): Promise<void>;
}

export async function openOwnGateway(recording: GatewayRecording, log: Log): Promise<OwnGateway> {
  // Loaded here and not above: other commands come through this room's door and must not wait for HTTP.
  const [{ createServer }, { hasOneHost }, { makeGateway }, { closed, listening }] = await Promise.all([
    import('node:http'),
    import('./admission.ts'),
    import('./gateway/gateway.ts'),
    import('./listeners.ts'),
  ]);
  const underWay = new Set<Promise<unknown>>();
  const gateway = makeGateway({
    recording,
    log,
    during(exchange) {
      underWay.add(exchange);
      void exchange.finally(() => underWay.delete(exchange));
    },
  });
  const channel: { -readonly [name in keyof Channel]: Channel[name] } = { kind: 'tcp', port: null };
  const server = createServer((incoming, outgoing) => {
    if (!hasOneHost(incoming.rawHeaders)) outgoing.writeHead(400, { connection: 'close' }).end();
    else if (!gateway.take(incoming, outgoing, channel))
      outgoing.writeHead(404, { connection: 'close' }).end();
  });
  await listening(server, () => server.listen({ host: '127.0.0.1', port: 0, exclusive: true }));
  channel.port = (server.address() as AddressInfo).port;
  const idle = async (): Promise<void> => {
    // One that ends may begin another, about its connection.
    while (underWay.size > 0) await Promise.allSettled(underWay);
  };
  return {
    idle,
    url: `http://127.0.0.1:${channel.port}`,
    async close() {
      const end = closed(server);
      server.closeAllConnections();
      await end;
      await idle();
      gateway.close();
    },
  };
}
