// The headers of a request and of an answer as they are passed on: all but those that are about one connection, and ours.
// They are kept in the order and the case in which they came. Trailers are not passed on: they come when all else is on
// record, and hardly any client can read them.

/** RFC 9110, section 7.6.1. `expect` was answered by us. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'transfer-encoding',
  'upgrade',
  'expect',
]);
const OURS = 'x-counterfoil-';

export const RECEIPT_HEADER = 'x-counterfoil-receipt-id';

/** Flat, as rawHeaders. What Connection names is about this connection, too. */
function passed(raw: readonly string[], more: ReadonlySet<string>): string[] {
  const named = new Set<string>();
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.toLowerCase() === 'connection')
      for (const name of (raw[i + 1] ?? '').split(',')) named.add(name.trim().toLowerCase());
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    if (HOP_BY_HOP.has(name) || named.has(name) || more.has(name) || name.startsWith(OURS)) continue;
    kept.push(raw[i] ?? '', raw[i + 1] ?? '');
  }
  return kept;
}

/** A request goes on with a length, and so without trailers. */
const OF_REQUEST = new Set(['host', 'content-length', 'trailer']);
const OF_ANSWER = new Set(['trailer']);
/** Of a request, what is ours to say, and what says nothing but how its body is framed. */
const FRAMING = new Set(['host', 'content-length']);

/** `length` is that of the body; null for a request without one. */
export function requestHeaders(raw: readonly string[], host: string, length: number | null): string[] {
  return [
    'Host',
    host,
    ...passed(raw, OF_REQUEST),
    ...(length === null ? [] : ['Content-Length', String(length)]),
  ];
}

export function answerHeaders(raw: readonly string[], receipt: string | null): string[] {
  return [...passed(raw, OF_ANSWER), ...(receipt === null ? [] : [RECEIPT_HEADER, receipt])];
}

/** What a request says in headers that go on. */
export function saidInHeaders(raw: readonly string[]): [name: string, value: string][] {
  const kept = passed(raw, FRAMING);
  const said: [string, string][] = [];
  for (let i = 0; i < kept.length; i += 2) said.push([(kept[i] ?? '').toLowerCase(), kept[i + 1] ?? '']);
  return said;
}

/** The upstream's own id of the exchange. */
export function requestIdOf(headers: Readonly<Record<string, string | string[] | undefined>>): string | null {
  for (const name of ['request-id', 'x-request-id', 'x-goog-request-id']) {
    const value = headers[name];
    if (typeof value === 'string') return value;
  }
  return null;
}
