// Both ends of a wire as plain sockets, so that every byte is the test's own: a client that no HTTP library tidies up, and
// an upstream that answers with bytes and keeps what came.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Talk {
  readonly socket: Socket;
  /** What came so far, as latin1. */
  text(): string;
  /** Resolves when it is so, or the other end closed. */
  until(isSo: (text: string) => boolean): Promise<string>;
  /** All of it, when the other end has closed. */
  readonly closed: Promise<string>;
}

export function talk(socket: Socket): Talk {
  let text = '';
  let wake = (): void => undefined;
  let over = false;
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    wake();
  });
  const closed = new Promise<string>((resolve) => {
    socket.on('close', () => {
      over = true;
      wake();
      resolve(text);
    });
  });
  return {
    socket,
    text: () => text,
    async until(isSo) {
      while (!isSo(text) && !over)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      return text;
    },
    closed,
  };
}

/** A client on a connection of its own. */
export async function dial(port: number | null | undefined): Promise<Talk> {
  const socket = connect({ host: '127.0.0.1', port: port ?? 0 });
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  return talk(socket);
}

/** Sends bytes, and gives all that comes back until the other end closes; `half` closes this side behind them. */
export async function exchange(
  port: number | null | undefined,
  bytes: string | Uint8Array,
  half = true,
): Promise<string> {
  const { socket, closed } = await dial(port);
  socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  if (half) socket.end();
  return closed;
}

export interface RawUpstream {
  readonly url: string;
  readonly port: number;
  /** One for each connection. */
  readonly talks: Talk[];
  /** Is told of every connection once a whole request head is there. */
  answer: (talk: Talk) => unknown;
}

export async function rawUpstream(answer: (talk: Talk) => unknown): Promise<RawUpstream> {
  const talks: Talk[] = [];
  const server = createServer(async (socket) => {
    const made = talk(socket);
    talks.push(made);
    await made.until((text) => text.includes('\r\n\r\n'));
    await upstream.answer(made);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const { socket } of talks) socket.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const upstream: RawUpstream = { url: `http://127.0.0.1:${port}`, port, talks, answer };
  return upstream;
}

export const statusOf = (text: string): number => Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0);
