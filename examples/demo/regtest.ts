// Bitcoin as the demo needs it, in its own process on 127.0.0.1: an Esplora server for the blocks of a chain that takes no
// work, and an OpenTimestamps calendar that promises, and proves what it promised with the next block. Anybody makes such
// blocks in no time, so they prove nothing of time; foil takes them only where `network: regtest` is asked for.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256 } from '#platform';
import {
  encodeHex,
  encodeTimestampTree,
  headerHash,
  REGTEST,
  type TimestampTree,
} from '../../src/core/index.ts';

export interface Regtest {
  /** Of both servers. */
  readonly url: string;
  /** The height of the newest block. */
  height(): number;
  /** The next block, and in it all that was promised. `time` is in milliseconds since 1970. */
  mine(time: number): void;
  close(): void;
}

/** One that has a block already, of that height. */
export async function startRegtest(first: number, time: number): Promise<Regtest> {
  const headers: Uint8Array[] = [];
  const promised: Uint8Array[] = [];
  const proofs = new Map<string, Uint8Array>();
  const height = (): number => first + headers.length - 1;
  const mine = (at: number): void => {
    const next = first + headers.length;
    const { root, ways } = gather(promised.splice(0), next);
    headers.push(makeHeader(root, headers.at(-1), at));
    for (const [commitment, way] of ways) proofs.set(commitment, encodeTimestampTree(way));
  };
  mine(time);

  const server = createServer((request, response) => {
    answer(request).then(
      (text) => (text === undefined ? response.writeHead(404).end() : response.end(text)),
      () => response.destroy(),
    );
  });
  const answer = async (request: IncomingMessage): Promise<string | Uint8Array | undefined> => {
    const body = await readAll(request);
    const [, kind = '', name = '', part = ''] = (request.url ?? '').split('/');
    if (kind === 'blocks') return part === 'height' ? String(height()) : undefined;
    if (kind === 'block-height') {
      const header = headers[Number(name) - first];
      return header && headerHash(header);
    }
    if (kind === 'block') {
      const header = headers.find((each) => headerHash(each) === name);
      return header && encodeHex(header);
    }
    if (kind === 'timestamp') return proofs.get(name);
    if (kind !== 'digest' || body.length !== 32) return undefined;
    promised.push(sha256(body));
    return encodeTimestampTree([
      { operation: { op: 'sha256' }, next: [{ attestation: { kind: 'pending', uri: url } }] },
    ]);
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    height,
    mine,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Hashes all of them into one, and says of each how. A real block has a tree there; a chain proves as much. */
function gather(
  promised: readonly Uint8Array[],
  height: number,
): { root: Uint8Array; ways: [string, TimestampTree][] } {
  const before = [sha256(Buffer.from(`block ${height}`))];
  for (const each of promised) before.push(sha256(Buffer.concat([before.at(-1) ?? each, each])));
  let rest: TimestampTree = [{ attestation: { kind: 'bitcoin', height } }];
  const ways: [string, TimestampTree][] = [];
  for (const [i, each] of [...promised.entries()].reverse()) {
    const hashed: TimestampTree = [{ operation: { op: 'sha256' }, next: rest }];
    const argument = before[i] ?? each;
    ways.push([encodeHex(each), [{ operation: { op: 'prepend', argument }, next: hashed }]]);
    rest = [{ operation: { op: 'append', argument: each }, next: hashed }];
  }
  return { root: before.at(-1) ?? new Uint8Array(32), ways };
}

/** About two tries: the target lets every second hash pass. */
function makeHeader(root: Uint8Array, before: Uint8Array | undefined, time: number): Uint8Array {
  const header = Buffer.alloc(80);
  header.writeInt32LE(0x20000000, 0);
  if (before !== undefined) header.set(sha256(sha256(before)), 4);
  header.set(root, 36);
  header.writeUInt32LE(Math.floor(time / 1000), 68);
  header.writeUInt32LE(REGTEST.limit, 72);
  for (let nonce = 0; ; nonce++) {
    header.writeUInt32LE(nonce, 76);
    if (headerHash(header) < '7f') return new Uint8Array(header);
  }
}

async function readAll(request: IncomingMessage): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
