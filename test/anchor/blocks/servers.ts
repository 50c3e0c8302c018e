// Block sources on this machine: an Esplora server and a bitcoind with the real headers of the vectors, servers that
// misbehave in every way, and blocks of a chain that takes no work.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { encodeHex, parseHeader, parseHex } from '../../../src/core/index.ts';
import type { BlockFact } from '../../../src/format/index.ts';

const vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../spec/vectors/bitcoin-header.json'), 'utf8'),
) as { headers: { height: number; hash: string; header: string; time: number }[] };

/** A real block of the vectors. */
export function real(height: number): BlockFact {
  const found = vectors.headers.find((each) => each.height === height);
  if (found === undefined) throw new Error(`no vector of block ${height}`);
  const { hash, header, time } = found;
  return { height, hash, time, header };
}

/** The newest of them. */
export const TIP = real(900_002);
/** A clock at which it is ten minutes old. */
export const NOW = (TIP.time + 600) * 1000;

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** Blocks that anybody can make: about two tries each. The first names none before it. */
export function mine(count: number, time = TIP.time): BlockFact[] {
  const blocks: BlockFact[] = [];
  let before: Buffer = Buffer.alloc(32);
  for (let height = 0; height < count; height++) {
    const header = Buffer.alloc(80);
    header.writeInt32LE(1, 0);
    before.copy(header, 4);
    header.writeUInt32LE(time + height, 68);
    header.writeUInt32LE(0x207fffff, 72);
    for (let nonce = 0; ; nonce++) {
      header.writeUInt32LE(nonce, 76);
      before = sha256(sha256(header));
      if ((before[31] ?? 255) < 0x7f) break;
    }
    const hash = Buffer.from(before).reverse().toString('hex');
    blocks.push({ height, hash, time: time + height, header: encodeHex(header) });
  }
  return blocks;
}

export const timeOf = (block: BlockFact): number => parseHeader(parseHex(block.header)).time;

export interface LocalServer {
  readonly url: string;
  /** Paths that were asked for, or methods that were called. */
  readonly asked: string[];
}

async function listen(server: Server, asked: string[]): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export async function serve(answer: Answer): Promise<LocalServer> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    asked.push(request.url ?? '');
    let body = '';
    for await (const piece of request) body += String(piece);
    answer(request, response, body);
  });
  return listen(server, asked);
}

/** Whatever `talk` writes on the bare connection, once a request has come. */
export async function serveRaw(talk: (socket: Socket) => void): Promise<LocalServer> {
  const asked: string[] = [];
  const server = createNetServer((socket) => {
    socket.once('data', () => {
      asked.push('');
      talk(socket);
    });
  });
  return listen(server, asked);
}

/** A port that nobody listens at. */
export async function nobody(): Promise<string> {
  const server = createNetServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

/** `tip` may be changed while it runs; null has none, as behind a server that is starting. */
export interface Esplora extends LocalServer {
  tip: BlockFact | null;
}

/** Says of each block what it was given, true or not. */
export async function serveEsplora(
  tip: BlockFact | null,
  others: readonly BlockFact[] = [],
): Promise<Esplora> {
  const served = await serve((request, response) => {
    const known = self.tip === null ? others : [self.tip, ...others];
    const [, what, which, part] = (request.url ?? '').replace(/^\/api/, '').split('/');
    const text =
      what === 'blocks' && which === 'tip' && part === 'height'
        ? self.tip?.height.toString()
        : what === 'block-height'
          ? known.find(({ height }) => String(height) === which)?.hash
          : what === 'block' && part === 'header'
            ? known.find(({ hash }) => hash === which)?.header
            : undefined;
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain' });
    response.end(text ?? 'Block not found');
  });
  const self: Esplora = { ...served, tip };
  return self;
}

/** As bitcoind answers, with a user and password. */
export async function serveBitcoind(
  tip: BlockFact,
  user: string,
  { confirmations = 1, others = [] as readonly BlockFact[] } = {},
): Promise<LocalServer> {
  const expected = `Basic ${Buffer.from(user).toString('base64')}`;
  const methods: string[] = [];
  const { url } = await serve((request, response, body) => {
    if (request.headers.authorization !== expected) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="jsonrpc"' }).end();
      return;
    }
    const { method, params, id } = JSON.parse(body) as { method: string; params: unknown[]; id: unknown };
    methods.push(method);
    const known = [tip, ...others];
    const named = known.find(({ hash }) => hash === params[0]);
    const result =
      method === 'getbestblockhash'
        ? tip.hash
        : method === 'getblockhash'
          ? known.find(({ height }) => height === params[0])?.hash
          : method === 'getblockheader' && named !== undefined
            ? params[1] === false
              ? named.header
              : { hash: named.hash, height: named.height, confirmations, time: named.time, nTx: 3000 }
            : undefined;
    const error = result === undefined ? { code: -5, message: 'Block not found' } : null;
    response.writeHead(error === null ? 200 : 500, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify({ result: result ?? null, error, id })}\n`);
  });
  return { url, asked: methods };
}
