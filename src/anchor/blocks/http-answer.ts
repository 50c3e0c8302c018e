// An answer in HTTP/1.1 (RFC 9112) as far as it has come: a head, and a body of known length, in chunks, or until the
// end of the connection. Small, and of a server that is not trusted: what is too long or in no form is refused, and a
// body that is cut short never passes for a whole one. Pure, and in proportion to what has come.
import { SourceError } from './source.ts';

/** A header is 160 bytes of hex, and bitcoind's account of a block less than a thousand. */
export const MAX_ANSWER = 4096;
const MAX_HEAD = 8192;
/** With what chunks and interim answers add. More is not even kept. */
export const MAX_RECEIVED = MAX_HEAD + 4 * MAX_ANSWER;

export interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  /** May the connection be used again? */
  readonly isKept: boolean;
}

interface Head {
  readonly status: number;
  readonly fields: ReadonlyMap<string, string>;
  readonly end: number;
}

/**
 * Undefined where more has to come. `isEnded`: nothing more will. Of an answer other than 200 the body is not looked at.
 * Throws SourceError.
 */
export function readAnswer(received: Buffer, isEnded: boolean): HttpAnswer | undefined {
  const head = readHead(received);
  if (head === undefined) {
    if (isEnded) throw new SourceError('UNREACHABLE', 'the connection ended before an answer');
    return undefined;
  }
  const { status, fields, end } = head;
  if (status !== 200) return { status, body: '', isKept: false };
  const isKept = !/\bclose\b/i.test(fields.get('connection') ?? '');
  const coding = fields.get('transfer-encoding');
  const length = fields.get('content-length');
  const found =
    coding !== undefined
      ? /^chunked$/i.test(coding)
        ? readChunks(received, end)
        : undefined
      : length !== undefined
        ? readLength(received, end, length)
        : readRest(received, end, isEnded);
  if (found !== undefined) return { status, body: found, isKept: isKept && !isEnded };
  if (isEnded || (coding !== undefined && !/^chunked$/i.test(coding)))
    throw new SourceError('UNREACHABLE', 'the answer broke off, or has an unknown format');
  return undefined;
}

/** The first that is final: a server may send others before it. */
function readHead(received: Buffer): Head | undefined {
  for (let start = 0; ; ) {
    const end = received.indexOf('\r\n\r\n', start);
    if ((end < 0 ? received.length : end) - start > MAX_HEAD)
      throw new SourceError('TOO_LONG', `the head of the answer has more than ${MAX_HEAD} bytes`);
    if (end < 0) {
      // Who speaks another protocol may never come to such an end.
      if (!'HTTP/1.'.startsWith(received.toString('latin1', start, start + 7)))
        throw new SourceError('UNREACHABLE', 'does not speak HTTP/1.1');
      return undefined;
    }
    const [first = '', ...lines] = received.toString('latin1', start, end).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] ([1-5]\d\d)(?: |$)/.exec(first)?.[1]);
    if (Number.isNaN(status)) throw new SourceError('UNREACHABLE', 'does not speak HTTP/1.1');
    if (status < 200 && status !== 101) {
      start = end + 4;
      continue;
    }
    const fields = new Map<string, string>();
    for (const line of lines) {
      const at = line.indexOf(':');
      fields.set(line.slice(0, Math.max(0, at)).toLowerCase(), line.slice(at + 1).trim());
    }
    if (first.startsWith('HTTP/1.0')) fields.set('connection', 'close');
    return { status, fields, end: end + 4 };
  }
}

function readLength(received: Buffer, start: number, text: string): string | undefined {
  if (!/^\d{1,15}$/.test(text)) throw new SourceError('MALFORMED', 'invalid Content-Length header');
  const length = checked(Number(text));
  return received.length - start >= length ? received.toString('utf8', start, start + length) : undefined;
}

function readChunks(received: Buffer, start: number): string | undefined {
  const chunks: Buffer[] = [];
  let size = 0;
  for (let at = start; ; ) {
    const line = received.indexOf('\r\n', at);
    // The length of a chunk, and what may follow it, which says nothing to us.
    const digits = /^[0-9a-f]{1,8}(?=[;\s]|$)/i.exec(
      received.toString('latin1', at, line < 0 ? received.length : line),
    );
    if (line < 0) return undefined;
    if (digits === null) throw new SourceError('MALFORMED', 'invalid chunk length');
    const length = Number.parseInt(digits[0], 16);
    size = checked(size + length);
    const end = line + 2 + length;
    if (length === 0)
      return received.indexOf('\r\n', end) < 0 ? undefined : Buffer.concat(chunks).toString('utf8');
    if (received.length < end + 2) return undefined;
    if (received.toString('latin1', end, end + 2) !== '\r\n')
      throw new SourceError('MALFORMED', "a chunk doesn't have the length that it says");
    chunks.push(received.subarray(line + 2, end));
    at = end + 2;
  }
}

function readRest(received: Buffer, start: number, isEnded: boolean): string | undefined {
  checked(received.length - start);
  return isEnded ? received.toString('utf8', start) : undefined;
}

function checked(size: number): number {
  if (size > MAX_ANSWER) throw new SourceError('TOO_LONG', `answered more than ${MAX_ANSWER} bytes`);
  return size;
}
