// HTTP to one block source, within bounds: one connection for a few requests, small answers, no redirects, no proxy from
// the environment, nothing left open. On a bare socket, and that loaded with the first request: node:http would take as
// long to load and start as all the rest of a hook, and a hook that does not ask must not pay for any. The other side
// is not trusted: it may hang, drip, flood or lie. Its socket never keeps a process alive: who waits for an answer does.
import type { Socket } from 'node:net';
import { MAX_RECEIVED, readAnswer } from './http-answer.ts';
import { cancellableLookup } from './lookup.ts';
import { SourceError } from './source.ts';

export interface HttpRequest {
  /** Goes behind the URL's own path. */
  readonly path?: string;
  /** Makes it a POST. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Connection {
  /** The body of a 200. One request at a time. Rejects with SourceError for all else. */
  ask(request: HttpRequest): Promise<string>;
  close(): void;
}

/** Nothing happens before the first request. */
export function openConnection(url: URL, signal: AbortSignal): Connection {
  let socket: Socket | undefined;
  const close = (): void => {
    socket?.destroy();
    socket = undefined;
  };
  const ask = async (request: HttpRequest): Promise<string> => {
    if (socket === undefined || socket.destroyed) socket = connectTo(url, signal);
    const { status, body, isKept } = await exchange(socket, encodeRequest(url, request), signal);
    if (!isKept) close();
    if (status === 200) return body;
    if (status >= 300 && status < 400)
      throw new SourceError('REDIRECTED', `answered ${status}; foil doesn't follow redirects`);
    if (status === 401 || status === 403)
      throw new SourceError('REFUSED', `answered ${status}: it wants another user, password or cookie`);
    throw new SourceError('REFUSED', `answered ${status}`);
  };
  return { ask, close };
}

function connectTo(url: URL, signal: AbortSignal): Socket {
  const isSecure = url.protocol === 'https:';
  const { connect, isIP } = process.getBuiltinModule('node:net');
  // An IPv6 address stands in brackets in a URL, and nowhere else.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const place = {
    host,
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    lookup: cancellableLookup(signal),
  };
  const socket = isSecure
    ? process.getBuiltinModule('node:tls').connect({
        ...place,
        ALPNProtocols: ['http/1.1'],
        ...(isIP(host) === 0 ? { servername: host } : {}),
        rejectUnauthorized: true, // whatever the environment says
      })
    : connect(place);
  return socket.unref();
}

function encodeRequest(url: URL, { path = '', body, headers = {} }: HttpRequest): string {
  const base = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
  const fields = {
    host: url.host,
    'user-agent': 'counterfoil',
    'accept-encoding': 'identity',
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...headers,
  };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const target = `${base}${path}` || '/';
  return `${body === undefined ? 'GET' : 'POST'} ${target} HTTP/1.1\r\n${head.join('')}\r\n${body ?? ''}`;
}

function exchange(
  socket: Socket,
  request: string,
  signal: AbortSignal,
): Promise<NonNullable<ReturnType<typeof readAnswer>>> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const settle = (): void => {
      signal.removeEventListener('abort', stop);
      socket.off('data', take).off('end', end).off('close', end).off('error', fail);
      socket.on('error', () => {}); // may come late, and is nobody's any more
    };
    const fail = (error: unknown): void => {
      settle();
      socket.destroy();
      reject(signal.aborted ? new SourceError('NO_ANSWER', 'no answer in time') : failureOf(error));
    };
    const look = (isEnded: boolean): void => {
      try {
        const answer = readAnswer(received, isEnded);
        if (answer === undefined) return;
        settle();
        resolve(answer);
      } catch (error) {
        fail(error);
      }
    };
    const take = (piece: Buffer): void => {
      received = Buffer.concat([received, piece.subarray(0, MAX_RECEIVED + 1 - received.length)]);
      look(false);
      if (received.length > MAX_RECEIVED) fail(new SourceError('TOO_LONG', 'sent far too many bytes'));
    };
    const end = (): void => look(true);
    const stop = (): void => fail(undefined);
    socket.on('data', take).on('end', end).on('close', end).on('error', fail);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    else socket.write(request);
  });
}

/** By the code alone: a message can hold what the other side sent. */
function failureOf(error: unknown): SourceError {
  if (error instanceof SourceError) return error;
  const { code } = (error ?? {}) as { code?: unknown };
  const why = typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : '';
  return new SourceError('UNREACHABLE', `no connection, or it broke off${why}`);
}
