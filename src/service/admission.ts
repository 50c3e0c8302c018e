// Who may ask. Every program and every web page on the machine can reach a port of 127.0.0.1, so over TCP a caller must
// show the token; and a page is turned away before that, by Host (a name of its own that resolves to us) and by what
// only browsers send. On the Unix socket its permissions have decided already who connects.
import { timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** How a request came in. */
export interface Channel {
  /** `shared`: a socket that another user's agent may connect to, and do nothing but tell events. */
  readonly kind: 'tcp' | 'socket' | 'shared';
  /** The port that must stand in Host; null on a socket. */
  readonly port: number | null;
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 405 | 415;
  readonly error: string;
}

/** Undefined where the caller may go on. Looks at headers alone: no body is read for somebody who may not ask. */
export function refuse(headers: IncomingHttpHeaders, channel: Channel, token: string): Refusal | undefined {
  const refusal = refusePage(headers, channel);
  if (refusal !== undefined || channel.kind !== 'tcp') return refusal;
  return isBearer(headers.authorization, token)
    ? undefined
    : { status: 401, error: 'the token is missing or wrong' };
}

/** Two hosts are none: who stands before us may have looked at the other. */
export function hasOneHost(rawHeaders: readonly string[]): boolean {
  return rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length === 1;
}

/** The part of it that needs no token: what a browser would send on behalf of a page. */
export function refusePage(headers: IncomingHttpHeaders, channel: Channel): Refusal | undefined {
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined)
    return { status: 403, error: 'web pages may not use this service' };
  if (channel.kind !== 'tcp') return undefined;
  const { host } = headers;
  return host === `127.0.0.1:${channel.port}` || host === `localhost:${channel.port}`
    ? undefined
    : { status: 403, error: 'wrong host' };
}

/** A body may be JSON or say nothing of itself; what a form or a plain request of a page could send is refused. */
export function refuseBody(headers: IncomingHttpHeaders): Refusal | undefined {
  const type = headers['content-type'];
  const isJson = type === undefined || /^application\/json\s*(;|$)/i.test(type);
  const coding = headers['content-encoding'];
  if (!isJson) return { status: 415, error: 'not application/json' };
  if (coding !== undefined && coding !== 'identity') return { status: 415, error: 'compressed' };
  return undefined;
}

/** In a time that says nothing about where they differ. */
export function isBearer(given: string | undefined, token: string): boolean {
  const [, shown = ''] = /^Bearer ([0-9a-f]{64})$/i.exec(given ?? '') ?? [];
  const a = Buffer.from(shown.toLowerCase().padEnd(token.length, ' '));
  const b = Buffer.from(token);
  return a.length === b.length && timingSafeEqual(a, b);
}
