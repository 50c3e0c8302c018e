// A calendar as the real ones are: it takes digests, promises under its own address, aggregates what it promised into a
// block that it mines itself, at the difficulty of regtest, and then gives the way there. It is an Esplora server, too, for
// the blocks it mined. And it can misbehave in every way that a stranger might.
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { headerHash } from '../../../src/core/index.ts';
import { hex, unhex } from '../../core/open-timestamps.ts';

const sha256 = (...pieces: readonly Uint8Array[]): Uint8Array => {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return new Uint8Array(hash.digest());
};

/** What it does instead of answering. */
export type Misbehaviour =
  | 'hangs'
  | 'drips'
  | 'html'
  | 'megabyte'
  | 'cut-short'
  | 'redirects'
  | 'refuses'
  | 'other-commitment'
  | 'premature'
  | 'nothing-known'
  | 'whole-file'
  | 'gzip-bomb'
  | 'drops';

interface Promised {
  readonly commitment: Uint8Array;
  /** From the commitment to the block, in hex. */
  way?: string;
}

export class CalendarServer {
  misbehaves: Misbehaviour | undefined;
  /** What it names in its promises; its own address unless set. */
  uri: string | undefined;
  readonly asked: string[] = [];
  readonly headers: Uint8Array[] = [];
  /** Of the first block that it mines. */
  firstHeight = 100;
  readonly #server: Server;
  readonly #promised = new Map<string, Promised>();

  constructor() {
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  static async start(port = 0): Promise<CalendarServer> {
    const calendar = new CalendarServer();
    await calendar.listen(port);
    onTestFinished(() => calendar.stop());
    return calendar;
  }

  listen(port = 0): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get promises(): number {
    return this.#promised.size;
  }

  /** Mines a block that proves all that was promised since the last. Gives its height. */
  mine(): number {
    const open = [...this.#promised.values()].filter(({ way }) => way === undefined);
    const ways = open.map(() => ['08']);
    let level = open.map(({ commitment }, i) => ({ hash: sha256(commitment), members: [i] }));
    if (level.length === 0) level = [{ hash: sha256(randomBytes(8)), members: [] }];
    while (level.length > 1) {
      const next: typeof level = [];
      for (let i = 0; i < level.length; i += 2) {
        const [left, right] = [level[i]!, level[i + 1]];
        if (right === undefined) {
          next.push(left);
          continue;
        }
        for (const member of left.members) ways[member]!.push(`f020${hex(right.hash)}08`);
        for (const member of right.members) ways[member]!.push(`f120${hex(left.hash)}08`);
        next.push({
          hash: sha256(left.hash, right.hash),
          members: [...left.members, ...right.members],
        });
      }
      level = next;
    }
    // The transaction around it, and another one beside that in the block.
    const [before, behind] = [randomBytes(37), randomBytes(4)];
    const sibling = randomBytes(32);
    const twice = (bytes: Uint8Array): Uint8Array => sha256(sha256(bytes));
    const transaction = twice(Buffer.concat([before, level[0]!.hash, behind]));
    const root = twice(Buffer.concat([transaction, sibling]));
    const height = this.firstHeight + this.headers.length;
    this.headers.push(mineHeader(root, this.headers.at(-1)));
    const end = `f125${hex(before)}f004${hex(behind)}0808f020${hex(sibling)}0808${bitcoin(height)}`;
    for (const [i, promised] of open.entries()) promised.way = ways[i]!.join('') + end;
    return height;
  }

  headerAt(height: number): Uint8Array | null {
    return this.headers[height - this.firstHeight] ?? null;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    this.asked.push(`${request.method} ${request.url}`);
    const [, kind = '', name = '', more] = (request.url ?? '').split('/');
    if (kind === 'block-height') return this.#block(response, Number(name));
    if (kind === 'block' && more === 'header') return this.#header(response, name);
    if (kind === 'blocks') return this.#tip(response, more ?? '');
    if (this.#misbehave(response)) return;
    if (request.method === 'POST') {
      response.end(this.#promise(Buffer.concat(pieces)));
      return;
    }
    const { way } = this.#promised.get(name) ?? {};
    const known = this.misbehaves === 'nothing-known' ? undefined : way;
    if (known === undefined) response.writeHead(404).end('Pending confirmation in Bitcoin blockchain');
    else if (this.misbehaves === 'other-commitment') response.end(unhex(known.replace(/^08/, 'f0010008')));
    else if (this.misbehaves === 'cut-short') response.end(unhex(known).subarray(0, -2));
    else response.end(unhex(known));
  }

  #promise(digest: Uint8Array): Uint8Array {
    const [nonce, time, mac] = [randomBytes(16), randomBytes(4), randomBytes(8)];
    const commitment = Buffer.concat([time, sha256(digest, nonce), mac]);
    this.#promised.set(hex(commitment), { commitment: new Uint8Array(commitment) });
    const way = `f010${hex(nonce)}08f104${hex(time)}f008${hex(mac)}`;
    const answer = unhex(
      way + (this.misbehaves === 'premature' ? bitcoin(7) : pending(this.uri ?? this.url)),
    );
    return this.misbehaves === 'cut-short' ? answer.subarray(0, -1) : answer;
  }

  #misbehave(response: ServerResponse): boolean {
    switch (this.misbehaves) {
      case 'hangs':
        return true;
      case 'drips': {
        response.write('\u0008');
        const timer = setInterval(() => response.write('\u0008'), 10);
        response.on('close', () => clearInterval(timer));
        return true;
      }
      case 'html':
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Welcome</body></html>');
        return true;
      case 'megabyte':
        response.end(Buffer.alloc(1_000_000, 8));
        return true;
      case 'gzip-bomb':
        // A hundred megabytes of zeros, as nobody asked for it.
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(GZIPPED);
        return true;
      case 'redirects':
        response.writeHead(302, { location: `${this.url}/elsewhere` }).end();
        return true;
      case 'refuses':
        response.writeHead(500).end('no');
        return true;
      case 'whole-file':
        response.end(
          unhex(`004f70656e54696d657374616d7073000050726f6f6600bf89e2e884e8929401${'08'.padEnd(66, '0')}`),
        );
        return true;
      case 'drops':
        response.destroy();
        return true;
      default:
        return false;
    }
  }

  #block(response: ServerResponse, height: number): void {
    const header = this.headerAt(height);
    if (header === null) response.writeHead(404).end('Block not found');
    else response.end(headerHash(header));
  }

  #header(response: ServerResponse, hash: string): void {
    const header = this.headers.find((each) => headerHash(each) === hash);
    if (header === undefined) response.writeHead(404).end('Block not found');
    else response.end(hex(header));
  }

  #tip(response: ServerResponse, what: string): void {
    const header = this.headers.at(-1);
    if (header === undefined) response.writeHead(404).end();
    else if (what === 'height') response.end(String(this.firstHeight + this.headers.length - 1));
    else response.end(headerHash(header));
  }
}

const GZIPPED = Buffer.from(
  await import('node:zlib').then(({ gzipSync }) => gzipSync(Buffer.alloc(100_000_000))),
);

/** A header of regtest with that Merkle root: about two tries. */
export function mineHeader(root: Uint8Array, before?: Uint8Array, time = 1_700_000_000): Uint8Array {
  const header = Buffer.alloc(80);
  header.writeInt32LE(0x20000000, 0);
  if (before !== undefined) header.set(sha256(sha256(before)), 4);
  header.set(root, 36);
  header.writeUInt32LE(time, 68);
  header.writeUInt32LE(0x207fffff, 72);
  for (let nonce = 0; ; nonce++) {
    header.writeUInt32LE(nonce, 76);
    if (Number.parseInt(headerHash(header).slice(0, 2), 16) < 0x7f) return new Uint8Array(header);
  }
}

export function pending(uri: string): string {
  const text = Buffer.from(uri);
  return `0083dfe30d2ef90c8e${hex(Uint8Array.of(text.length + 1, text.length))}${hex(text)}`;
}

export function bitcoin(height: number): string {
  const bytes: number[] = [];
  for (let rest = height; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) {
      bytes.push(rest);
      break;
    }
    bytes.push((rest % 128) | 0x80);
  }
  return `000588960d73d71901${hex(Uint8Array.of(bytes.length))}${hex(Uint8Array.from(bytes))}`;
}
