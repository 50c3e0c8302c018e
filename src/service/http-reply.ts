// What a route answers, and how that is sent. Routes are few and fixed, so that a path is compared as it came: nothing is
// decoded, and what isn't exactly a route is none.
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export const NO_STORE = { 'cache-control': 'no-store' };

export function jsonReply(value: unknown, status: number, headers: Reply['headers'] = {}): Reply {
  return {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(value),
  };
}

export interface Target {
  /** HEAD is asked as GET; Node leaves out the body of its answer. */
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

export function targetOf({ method = '', url = '' }: IncomingMessage): Target {
  const mark = url.indexOf('?');
  const end = mark === -1 ? url.length : mark;
  return {
    method: method === 'HEAD' ? 'GET' : method,
    path: url.slice(0, end),
    query: new URLSearchParams(url.slice(end)),
  };
}

export function sendReply(outgoing: ServerResponse, { status, headers, body }: Reply): void {
  outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body);
}
