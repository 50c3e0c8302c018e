// Plays the models of a recorded session to its agent: a server on a socket, without any upstream. What was recorded is
// answered with the bytes of then, chunk by chunk; what was not is refused, and ends the replay.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeptAnswer, RequestPart } from '../format/index.ts';
import type { PlayList, Taken } from './play-list.ts';
import { BodyReader } from './request-body.ts';

export interface PlayerOptions {
  readonly list: PlayList;
  /** A text of a request without what means nothing. */
  readonly normal: (text: string) => string;
  /** Told of each request and what became of it. */
  readonly onTaken: (taken: Taken) => void;
}

export interface Player {
  close(): Promise<void>;
}

/** Listens when it resolves. `socket`: the path that it is made at. */
export async function openPlayer(socket: string, options: PlayerOptions): Promise<Player> {
  // Loaded here and not above: other commands come through this room's door and must not wait for HTTP.
  const [{ createServer }, readers] = await Promise.all([import('node:http'), loadReaders(options.normal)]);
  const bodies = new BodyReader();
  const server = createServer((incoming, outgoing) => {
    outgoing.on('error', () => undefined);
    serve(options, readers, bodies, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socket, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Readers {
  apiOf(incoming: IncomingMessage): {
    readonly name: string;
    error(status: number, code: string, message: string): unknown;
  };
  partsOf(incoming: IncomingMessage, body: Uint8Array): Promise<RequestPart[]>;
}

const MOST_DECODED = 64 * 1024 * 1024;

async function loadReaders(normal: PlayerOptions['normal']): Promise<Readers> {
  const [{ findApi, requestParts }, { decodeBody }] = await Promise.all([
    import('../capture/llm/index.ts'),
    import('./gateway/decode.ts'),
  ]);
  return {
    apiOf: ({ method = '', url = '' }) => findApi(method, url.split('?')[0] ?? ''),
    async partsOf({ headers }, body) {
      const decoded = (await decodeBody(headers['content-encoding'], body, MOST_DECODED)) ?? body;
      return requestParts(decoded, normal);
    },
  };
}

async function serve(
  { list, onTaken }: PlayerOptions,
  { apiOf, partsOf }: Readers,
  bodies: BodyReader,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const body = await bodies.read(incoming);
  if (typeof body === 'string') return void outgoing.destroy();
  const { method = '', url: target = '/' } = incoming;
  const api = apiOf(incoming);
  const taken = list.take({ method, target, parts: await partsOf(incoming, body) }, api.name !== 'other');
  onTaken(taken);
  if (taken.state === 'answer') return play(taken.answer, outgoing);
  const words = 'This request was not made when the session was recorded, so the replay has no answer to it.';
  // Codex asks for a WebSocket first, and takes 404 for a place that has none.
  const status = taken.state === 'aside' ? 404 : 400;
  outgoing.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  outgoing.end(JSON.stringify(api.error(status, 'NOT_RECORDED', words)));
}

async function play({ status, headers, chunks }: KeptAnswer, outgoing: ServerResponse): Promise<void> {
  outgoing.sendDate = false;
  outgoing.writeHead(status, [...headers]);
  for (const chunk of chunks) {
    outgoing.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  outgoing.end();
}
