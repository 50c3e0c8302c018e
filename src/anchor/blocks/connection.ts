// HTTP to one block source, within bounds: one connection that is kept for a few requests, small answers, no redirects,
// no proxy from the environment, nothing left open. What holds node:http is loaded when the first request is made,
// because a hook's process that never asks must not pay for it. The other side is not trusted: it may hang, drip,
// flood or lie. Its sockets never keep a process alive: who waits for an answer does.
import type { ClientRequest, IncomingMessage } from 'node:http';
import { cancellableLookup } from './lookup.ts';
import { SourceError } from './source.ts';

/** A header is 160 bytes of hex, and bitcoind's account of a block less than a thousand. */
export const MAX_ANSWER = 4096;
const MAX_HEAD = 8192;

export interface HttpRequest {
  /** Goes behind the URL's own path. */
  readonly path?: string;
  /** Makes it a POST. */
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Connection {
  /** The body of a 200. Rejects with SourceError for all else. */
  ask(request: HttpRequest): Promise<string>;
  close(): void;
}

/** Nothing happens before the first request. */
export function openConnection(url: URL, signal: AbortSignal): Connection {
  const isSecure = url.protocol === 'https:';
  const load = () => process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  // Of our own: the one that all share may have been told to go through a proxy, and would keep the socket.
  let agent: InstanceType<ReturnType<typeof load>['Agent']> | undefined;
  const base = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;

  const ask = ({ path = '', body, headers = {} }: HttpRequest): Promise<string> =>
    new Promise((resolve, reject) => {
      const http = load();
      agent ??= new http.Agent({ keepAlive: true, maxSockets: 1 });
      const request = http.request({
        agent,
        protocol: url.protocol,
        // An IPv6 address stands in brackets in a URL, and nowhere else.
        hostname: url.hostname.replace(/^\[|\]$/g, ''),
        ...(url.port === '' ? {} : { port: url.port }),
        path: `${base}${path}` || '/',
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'user-agent': 'counterfoil',
          'accept-encoding': 'identity',
          ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
          ...headers,
        },
        lookup: cancellableLookup(signal),
        maxHeaderSize: MAX_HEAD,
        signal,
        // Whatever the environment says.
        ...(isSecure ? { rejectUnauthorized: true } : {}),
      });
      const fail = (error: SourceError): void => {
        reject(error);
        request.destroy();
      };
      request.on('socket', (socket) => socket.unref());
      request.on('error', (error) => fail(failureOf(error, signal)));
      // Without an error or an answer, as when the protocol is changed under us.
      request.on('close', () => fail(new SourceError('UNREACHABLE', 'the connection broke off')));
      request.on('response', (response) => readAnswer(request, response, signal).then(resolve, fail));
      request.end(body);
    });

  return { ask, close: () => agent?.destroy() };
}

function readAnswer(request: ClientRequest, response: IncomingMessage, signal: AbortSignal): Promise<string> {
  // The end of the request is not the end of the answer any more.
  request.removeAllListeners('close');
  return new Promise((resolve, reject) => {
    const { statusCode: status = 0 } = response;
    const pieces: Buffer[] = [];
    let size = 0;
    response.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size > MAX_ANSWER) reject(new SourceError('TOO_LONG', `answered more than ${MAX_ANSWER} bytes`));
      else pieces.push(piece);
    });
    response.on('end', () => resolve(Buffer.concat(pieces).toString('utf8')));
    response.on('error', (error) => reject(failureOf(error, signal)));
    response.on('close', () => reject(new SourceError('UNREACHABLE', 'the answer broke off')));
    if (status >= 300 && status < 400)
      reject(new SourceError('REDIRECTED', `answered ${status}; redirects are not followed`));
    else if (status === 401 || status === 403)
      reject(new SourceError('REFUSED', `answered ${status}: it wants another user, password or cookie`));
    else if (status !== 200) reject(new SourceError('REFUSED', `answered ${status}`));
  });
}

/** By the code alone: a message can hold what the other side sent. */
function failureOf(error: unknown, signal: AbortSignal): SourceError {
  if (signal.aborted) return new SourceError('NO_ANSWER', 'no answer in time');
  const { code } = error as { code?: unknown };
  const why = typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : '';
  return new SourceError('UNREACHABLE', `no connection, or it broke off${why}`);
}
