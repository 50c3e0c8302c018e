// How the proxy speaks HTTP itself: a request to the server piece by piece, the headers that go on, bytes at the pace at
// which they are taken.
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Writable } from 'node:stream';

/** Of one connection alone, by RFC 9110; and what is ours to say. */
const HOP = new Set(
  `connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade
  host content-length expect accept-encoding`.split(/\s+/),
);
const LONGEST_DOCUMENT = 1024 * 1024;

export interface Sending {
  readonly answer: Promise<IncomingMessage>;
  write(bytes: Uint8Array): Promise<void>;
  end(): void;
  destroy(): void;
}

/** Identity is asked for, because what is compressed can't be looked at. */
export function send(target: URL, method: string, headers: Record<string, string | string[]>): Sending {
  const make = target.protocol === 'https:' ? httpsRequest : httpRequest;
  const outgoing = make(target, { method, headers: { ...headers, 'accept-encoding': 'identity' } });
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
    outgoing.once('close', () => reject(new Error('the server did not answer')));
  });
  answer.catch(() => undefined);
  return {
    answer,
    write: (bytes) => write(outgoing, bytes),
    end: () => void outgoing.end(),
    destroy: () => void outgoing.destroy(),
  };
}

export function write(stream: Writable, bytes: Uint8Array): Promise<void> {
  if (stream.destroyed || stream.write(bytes)) return Promise.resolve();
  return new Promise((resolve) => {
    stream.once('drain', resolve);
    stream.once('close', resolve);
  });
}

export function forwarded(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || HOP.has(name) || named.has(name) ? [] : [[name, value]],
    ),
  );
}

export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export async function readAll(message: IncomingMessage): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > LONGEST_DOCUMENT) throw new Error('the document is too long');
    pieces.push(chunk);
  }
  return Buffer.concat(pieces);
}
