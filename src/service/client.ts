// The hook command's way to the service: one event over the Unix socket, one answer, within a deadline. Its own few
// lines of HTTP/1.1 on a bare socket, because loading node:http takes a fifth of node's start-up time. The answer is
// not trusted to be one: whatever is not exactly what the service sends is a failure, and never a pass.
import type { Socket } from 'node:net';
import type { Answer } from '../record/index.ts';
import { hasCode, monotonic } from '../store/files/index.ts';
import { CALLER_HEADER } from './caller.ts';

/** Asks for the whole answer instead of what an HTTP host reads. */
export const ANSWER_TYPE = 'application/vnd.counterfoil.answer+json';

export type ClientCode = 'refused' | 'timeout' | 'bad-answer';

/** `refused`: nobody was there to take it. The other two: it may be recorded or not. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly code: ClientCode;

  constructor(code: ClientCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export interface PostHook {
  readonly socket: string;
  readonly agent: string;
  readonly event: string | null;
  readonly body: Uint8Array;
  /** What `encodeCaller` gives, for a service of the same user. */
  readonly caller?: string | undefined;
  /** For all of it, from the connection to the last byte. */
  readonly timeoutMs: number;
  /** So long a service that is not there is waited for: it may be starting again. */
  readonly patienceMs?: number;
}

const LONGEST_ANSWER = 4 * 1024 * 1024;
const LONGEST_HEAD = 16_384;
const PAUSE = 20;

/** Throws ClientError alone. */
export async function postHook(request: PostHook): Promise<Answer> {
  const { timeoutMs, patienceMs = 0 } = request;
  const started = monotonic();
  for (;;) {
    try {
      return await attempt(request, Math.max(1, timeoutMs - (monotonic() - started)));
    } catch (error) {
      if (!(error instanceof ClientError) || error.code !== 'refused') throw error;
      // A queue that is full empties by itself; a service that is away may come back; a closed door stays closed.
      const isAway = hasCode(error.cause, 'ENOENT', 'ECONNREFUSED');
      const isBusy = hasCode(error.cause, 'EAGAIN');
      const patience = isBusy ? timeoutMs : isAway ? Math.min(patienceMs, timeoutMs) : 0;
      if (monotonic() - started + PAUSE > patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  }
}

function attempt({ socket: path, agent, event, body, caller }: PostHook, timeoutMs: number): Promise<Answer> {
  const { connect } = process.getBuiltinModule('node:net');
  return new Promise((resolve, reject) => {
    let connected = false;
    const pieces: Uint8Array[] = [];
    let size = 0;
    let whole = Number.POSITIVE_INFINITY;
    const socket: Socket = connect({ path });
    const fail = (code: ClientCode, message: string, cause?: unknown): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(new ClientError(code, message, { cause }));
    };
    const timer = setTimeout(
      () => fail('timeout', `the service did not answer within ${Math.ceil(timeoutMs / 1000)} s`),
      timeoutMs,
    );
    socket.on('connect', () => {
      connected = true;
      const query = event === null ? '' : `?event=${encodeURIComponent(event)}`;
      const head =
        `POST /v1/hook/${encodeURIComponent(agent)}${query} HTTP/1.1\r\nhost: localhost\r\n` +
        `accept: ${ANSWER_TYPE}\r\ncontent-type: application/json\r\n` +
        (caller === undefined ? '' : `${CALLER_HEADER}: ${caller}\r\n`) +
        `content-length: ${body.length}\r\nconnection: close\r\n\r\n`;
      socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]));
    });
    socket.on('data', (piece) => {
      size += piece.length;
      if (size > LONGEST_ANSWER) fail('bad-answer', "the service's answer was too long");
      else {
        pieces.push(piece);
        if (whole > LONGEST_ANSWER && size <= LONGEST_HEAD) whole = wholeLength(Buffer.concat(pieces));
        // The rest is the end of the connection: nobody need wait for that.
        if (size >= whole) finish();
      }
    });
    socket.on('error', (error) => {
      // A service that refuses a body closes while we still write: its answer may be here all the same.
      if (connected && size > 0) finish();
      else if (connected) fail('bad-answer', 'the service stopped before it answered', error);
      else fail('refused', 'the service is not running', error);
    });
    socket.on('end', () => finish());
    const finish = (): void => {
      try {
        const answer = parseResponse(Buffer.concat(pieces).toString('utf8'));
        clearTimeout(timer);
        setImmediate(() => socket.destroy()); // whoever waits for the answer may well end with it
        resolve(answer);
      } catch (error) {
        fail('bad-answer', 'the service gave no answer', error);
      }
    };
  });
}

/** Of a response whose head is there; else endless. */
function wholeLength(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  const [, length] = /\r\ncontent-length: ([0-9]{1,7})\r\n/i.exec(bytes.toString('latin1', 0, end + 2)) ?? [];
  return end < 0 || length === undefined ? Number.POSITIVE_INFINITY : end + 4 + Number(length);
}

/** A whole HTTP response whose body is an answer, whatever its status. Throws for anything else. */
function parseResponse(text: string): Answer {
  const at = text.indexOf('\r\n\r\n');
  const [status = '', ...headers] = text.slice(0, Math.max(0, at)).split('\r\n');
  const body = text.slice(at + 4);
  const has = (line: string): boolean => headers.some((header) => header.toLowerCase() === line);
  if (!/^HTTP\/1\.1 \d{3}( |$)/.test(status) || !has(`content-type: ${ANSWER_TYPE}`))
    throw notAnAnswer(status);
  if (!has(`content-length: ${Buffer.byteLength(body)}`)) throw notAnAnswer('cut short');
  const { exit, stdout, stderr, ...rest } = JSON.parse(body) as Record<string, unknown>;
  const isExit = typeof exit === 'number' && Number.isInteger(exit) && exit >= 0 && exit <= 255;
  if (!isExit || typeof stdout !== 'string' || typeof stderr !== 'string' || Object.keys(rest).length > 0)
    throw notAnAnswer('wrong members');
  return { exit, stdout, stderr };
}

function notAnAnswer(what: string): Error {
  return new Error(`not an answer: ${what.slice(0, 80)}`);
}
