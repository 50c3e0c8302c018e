// The service's end of `foil mcp wrap` under another user: each connection is a session of its own, recorded by the
// service with the service's rules. Whoever is at the other end tells what happens and learns where it is on record;
// it has no key and reads nothing. A connection that breaks ends its session, and what it left open stays open.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { OpenToolCall, WireSession } from '../record/index.ts';
import { RecordError } from '../record/index.ts';
import { type Channel, refuse } from './admission.ts';
import { type Log, nameOf } from './service-log.ts';
import { WireLines } from './wire-lines.ts';
import {
  encodeWireLine,
  LONGEST_WIRE_LINE,
  parseWireRequest,
  WIRE_PATH,
  WIRE_PROTOCOL,
  type WireAbout,
  type WireRequest,
} from './wire-message.ts';

/** What records them; see Recording. */
export interface WireRecording {
  /** Nothing is written before the session begins. */
  open(about: WireAbout): WireSession;
}

export interface WiresOptions {
  readonly recording: WireRecording;
  readonly token: string;
  readonly log: Log;
  during(work: Promise<unknown>): void;
}

interface Wire {
  readonly lines: WireLines;
  readonly working: Set<Promise<void>>;
  /** Its session has ended. */
  readonly over: Promise<void>;
}

/** Connections at a time, and bytes of lines that are not whole yet, of all together. */
const MOST_WIRES = 64;
const MOST_HELD = 64 * 1024 * 1024;
/** Of one connection: under way, and on record without a result. */
const MOST_AT_ONCE = 256;
const MOST_OPEN = 10_000;
/** Bytes of answers that nobody reads. */
const MOST_UNREAD = 1024 * 1024;
/** Milliseconds for the last of them, when the service leaves. */
const LAST_BYTES = 250;

export class Wires {
  readonly #options: WiresOptions;
  readonly #open = new Map<Duplex, Wire>();

  constructor(options: WiresOptions) {
    this.#options = options;
  }

  get open(): number {
    return this.#open.size;
  }

  /** True where it was meant for us: then it is taken or refused. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer, channel: Channel): boolean {
    if (incoming.url !== WIRE_PATH) return false;
    socket.on('error', () => socket.destroy());
    const refusal =
      refuse(incoming.headers, channel, this.#options.token) ??
      (incoming.headers.upgrade === WIRE_PROTOCOL ? undefined : { status: 400 });
    if (refusal !== undefined || this.#open.size >= MOST_WIRES) {
      const status = refusal === undefined ? '503 Service Unavailable' : `${refusal.status} Refused`;
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
      return true;
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: ${WIRE_PROTOCOL}\r\n\r\n`,
    );
    const lines = new WireLines(LONGEST_WIRE_LINE);
    const working = new Set<Promise<void>>();
    this.#open.set(socket, { lines, working, over: this.#serve(socket, head, lines, working) });
    return true;
  }

  /** What is under way is answered; then the connections are closed, and their sessions are over. */
  async close(): Promise<void> {
    const leave = async ([socket, { working, over }]: readonly [Duplex, Wire]): Promise<void> => {
      socket.removeAllListeners('data').pause();
      while (working.size > 0) await Promise.allSettled(working);
      const timer = setTimeout(() => socket.destroy(), LAST_BYTES);
      socket.end(() => socket.destroy());
      await over;
      clearTimeout(timer);
    };
    await Promise.all([...this.#open].map(leave));
  }

  async #serve(socket: Duplex, head: Buffer, lines: WireLines, working: Set<Promise<void>>): Promise<void> {
    const told = new ToldSession(this.#options.recording);
    const answer = (request: WireRequest): void => {
      const work = told
        .take(request)
        .then((seq) => ({ id: request.id, seq, error: null }))
        .catch((error: unknown) => ({ id: request.id, seq: null, error: codeOf(error) }))
        .then((reply) => {
          if (socket.writableLength > MOST_UNREAD) socket.destroy();
          else if (socket.writable) socket.write(encodeWireLine(reply));
        })
        .finally(() => {
          working.delete(work);
          if (working.size < MOST_AT_ONCE) socket.resume();
        });
      working.add(work);
      this.#options.during(work);
    };
    const push = (chunk: Buffer): void => {
      try {
        for (const line of lines.push(chunk)) answer(parseWireRequest(line));
        if (this.#held() > MOST_HELD) throw new RangeError('too many bytes are waiting');
      } catch (error) {
        this.#options.log(`a wire was closed: ${nameOf(error)}`);
        socket.destroy();
      }
      if (working.size >= MOST_AT_ONCE) socket.pause();
    };
    const answered = async (): Promise<void> => {
      while (working.size > 0) await Promise.allSettled(working);
    };
    const closed = new Promise<void>((resolve) => {
      socket.once('close', resolve);
      socket.once('end', () => void answered().then(() => socket.end()));
    });
    if (head.length > 0) push(head);
    socket.on('data', push);
    await closed;
    await answered();
    const ended = told.leave();
    this.#options.during(ended);
    await ended;
    this.#open.delete(socket);
  }

  #held(): number {
    let bytes = 0;
    for (const { lines } of this.#open.values()) bytes += lines.held;
    return bytes;
  }
}

/** The session that one connection tells of. */
class ToldSession {
  readonly #recording: WireRecording;
  readonly #calls = new Map<number, OpenToolCall>();
  #session: WireSession | undefined;

  constructor(recording: WireRecording) {
    this.#recording = recording;
  }

  /** Durable when it resolves. The seq of a call, and of what is recorded as one; null of all else. */
  async take(request: WireRequest): Promise<number | null> {
    if (request.do === 'begin') {
      if (this.#session !== undefined)
        throw new RecordError('SESSION_ENDED', 'the session has already begun.');
      this.#session = this.#recording.open(request.about);
      await this.#session.start();
      return null;
    }
    const session = this.#session;
    if (session === undefined) throw new RecordError('NO_SESSION', 'no session has begun.');
    switch (request.do) {
      case 'call':
        return this.#opened(() => session.call(request.call));
      case 'result': {
        const call = this.#calls.get(request.seq);
        if (call === undefined) throw new RecordError('AUDIT_APPEND_FAILED', 'there is no such call.');
        await session.result(call, request.end);
        this.#calls.delete(request.seq);
        return null;
      }
      case 'observe':
        return this.#opened(() => session.observe(request.seen));
      case 'missed':
        await session.missed(request.missed);
        return null;
      case 'end':
        await session.end({
          reason: request.reason,
          ...(request.exitCode === null ? {} : { exitCode: request.exitCode }),
        });
        return null;
    }
  }

  async #opened(open: () => Promise<OpenToolCall | null>): Promise<number | null> {
    if (this.#calls.size >= MOST_OPEN) throw new RecordError('AUDIT_BUFFER_FULL', 'too many calls are open.');
    const call = await open();
    if (call === null) return null;
    this.#calls.set(call.seq, call);
    return call.seq;
  }

  /** Whoever told it is gone. Never rejects: what can't be written stays open. */
  async leave(): Promise<void> {
    await this.#session?.end({ reason: 'connection closed' }).catch(() => undefined);
  }
}

function codeOf(error: unknown): string {
  return error instanceof RecordError ? error.code : 'AUDIT_APPEND_FAILED';
}
