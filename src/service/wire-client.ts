// `foil mcp wrap` under the agent's user: a recorder that has no ledger and no key, and tells the service over its socket
// what happens. It fails closed: what the service did not acknowledge is refused or withheld. A connection that breaks
// takes its session with it; the next thing to be recorded asks for another one, and what was missed is told there.
import type { Socket } from 'node:net';
import {
  type CallEnd,
  type EndOptions,
  leaveMissed,
  type Missed,
  missedBoth,
  missedOne,
  RecordError,
  type WireCall,
  type WireObservation,
  type WireOpenCall,
  type WireRecorder,
} from '../record/index.ts';
import { hasCode, monotonic } from '../store/files/index.ts';
import { WireLines } from './wire-lines.ts';
import {
  encodeWireLine,
  parseWireReply,
  WIRE_PATH,
  WIRE_PROTOCOL,
  type WireAbout,
  type WireReply,
  type WireRequest,
} from './wire-message.ts';

export interface WireClientOptions {
  /** The service's socket. */
  readonly socket: string;
  readonly about: WireAbout;
  /** For one thing to be recorded. A little longer than the service itself waits for the ledger. */
  readonly timeoutMs?: number;
  /** So long a service that is not there is waited for: it may be starting again. */
  readonly patienceMs?: number;
}

type Untold = WireRequest extends infer Each ? (Each extends WireRequest ? Omit<Each, 'id'> : never) : never;

const TIMEOUT = 30_000;
const PATIENCE = 2000;
const PAUSE = 20;
const LONGEST_HEAD = 16_384;
const LONGEST_REPLY = 65_536;

export class WireClient implements WireRecorder {
  readonly #options: WireClientOptions;
  #connection: Promise<Connection> | undefined;
  #missed: Missed | undefined;
  #ended = false;

  constructor(options: WireClientOptions) {
    this.#options = options;
  }

  /** So that the first call does not have to wait for it. Never rejects. */
  async begin(): Promise<void> {
    await this.#use().catch(() => undefined);
  }

  call(call: WireCall): Promise<WireOpenCall> {
    return this.#noting(call.toolUseId, async () => {
      const connection = await this.#use();
      const { seq } = await connection.tell({ do: 'call', call });
      if (seq === null) throw failed('the service did not say where the call is on record.');
      return new RemoteCall(connection, seq);
    });
  }

  result(call: WireOpenCall, end: CallEnd): Promise<void> {
    return this.#noting(null, async () => {
      const connection = call instanceof RemoteCall ? call.connection : undefined;
      // In another session its call is not known.
      if (connection === undefined || (await this.#use()) !== connection)
        throw failed('the service that recorded the call has stopped.');
      await connection.tell({ do: 'result', seq: call.seq, end });
    });
  }

  observe(seen: WireObservation): Promise<WireOpenCall | null> {
    return this.#noting(null, async () => {
      const connection = await this.#use();
      const { seq } = await connection.tell({ do: 'observe', seen });
      return seq === null ? null : new RemoteCall(connection, seq);
    });
  }

  /**
   * Ends the session. Where there is none, there is none to end. RecordError where something was missed that the service
   * could not be told: it reads no notes of ours.
   */
  async end({ reason = 'end', exitCode }: EndOptions = {}): Promise<void> {
    if (this.#ended) return;
    await this.#tellMissed();
    this.#ended = true;
    const connection = await this.#connection?.catch(() => undefined);
    try {
      if (this.#missed !== undefined) throw leaveMissed(undefined, this.#missed);
      await connection?.tell({ do: 'end', reason, exitCode: exitCode ?? null });
    } finally {
      connection?.close();
    }
  }

  async #use(): Promise<Connection> {
    if (this.#ended) throw new RecordError('SESSION_ENDED', 'the session has ended.');
    const connecting = this.#connection ?? this.#connect();
    this.#connection = connecting;
    try {
      const connection = await connecting;
      if (!connection.gone) return connection;
    } catch (error) {
      if (this.#connection === connecting) this.#connection = undefined;
      throw error;
    }
    if (this.#connection === connecting) this.#connection = undefined;
    return this.#use();
  }

  async #connect(): Promise<Connection> {
    const { socket, about, timeoutMs = TIMEOUT, patienceMs = PATIENCE } = this.#options;
    const started = monotonic();
    for (;;) {
      try {
        const connection = await Connection.open(socket, timeoutMs);
        await connection.tell({ do: 'begin', about });
        return connection;
      } catch (error) {
        const { cause } = error as { cause?: unknown };
        const isAway = hasCode(cause, 'ENOENT', 'ECONNREFUSED', 'EAGAIN');
        if (!isAway || monotonic() - started + PAUSE > patienceMs) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }
  }

  async #noting<T>(call: string | null, work: () => Promise<T>): Promise<T> {
    try {
      const done = await work();
      if (this.#missed !== undefined) void this.#tellMissed();
      return done;
    } catch (error) {
      this.#missed = missedOne(this.#missed, call, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  /** Never rejects: it is told again as long as nobody heard it. */
  async #tellMissed(): Promise<void> {
    const missed = this.#missed;
    this.#missed = undefined;
    if (missed === undefined) return;
    try {
      await (await this.#use()).tell({ do: 'missed', missed });
    } catch {
      this.#missed = this.#missed === undefined ? missed : missedBoth(missed, this.#missed);
    }
  }
}

class RemoteCall implements WireOpenCall {
  readonly connection: Connection;
  readonly seq: number;

  constructor(connection: Connection, seq: number) {
    this.connection = connection;
    this.seq = seq;
  }
}

interface Asked {
  readonly resolve: (reply: WireReply) => void;
  readonly reject: (error: RecordError) => void;
  readonly timer: NodeJS.Timeout;
}

class Connection {
  readonly #socket: Socket;
  readonly #timeoutMs: number;
  readonly #lines = new WireLines(LONGEST_REPLY);
  readonly #asked = new Map<number, Asked>();
  #id = 0;
  gone = false;

  /** RecordError, whose cause is the system's error where nobody was there. */
  static open(path: string, timeoutMs: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = process.getBuiltinModule('node:net').connect({ path });
      let head = Buffer.alloc(0);
      const refuse = (why: string, cause?: unknown): void => {
        clearTimeout(timer);
        socket.destroy();
        reject(failed(why, cause));
      };
      const timer = setTimeout(() => refuse('the service did not answer.'), timeoutMs);
      socket.once('error', (error) => refuse('the service is not running.', error));
      socket.once('close', () => refuse('the service stopped.'));
      socket.write(
        `GET ${WIRE_PATH} HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: ${WIRE_PROTOCOL}\r\n\r\n`,
      );
      const read = (chunk: Buffer): void => {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0 && head.length < LONGEST_HEAD) return;
        if (end < 0 || !head.toString('latin1').startsWith('HTTP/1.1 101 ')) {
          refuse('the service refuses the connection. Is it an older version?');
          return;
        }
        clearTimeout(timer);
        socket.removeAllListeners();
        resolve(new Connection(socket, head.subarray(end + 4), timeoutMs));
      };
      socket.on('data', read);
    });
  }

  constructor(socket: Socket, first: Buffer, timeoutMs: number) {
    this.#socket = socket;
    this.#timeoutMs = timeoutMs;
    socket.on('data', (chunk) => this.#read(chunk));
    socket.on('error', () => this.close());
    socket.on('close', () => this.close());
    socket.on('end', () => this.close());
    if (first.length > 0) this.#read(first);
  }

  /** Resolves when the service says that it is durable. */
  tell(untold: Untold): Promise<WireReply> {
    if (this.gone) return Promise.reject(failed('the service stopped.'));
    const id = ++this.#id;
    return new Promise((resolve, reject) => {
      // Nobody can tell what became of it, so nothing more is told here.
      const timer = setTimeout(() => this.close('the service did not answer.'), this.#timeoutMs);
      this.#asked.set(id, { resolve, reject, timer });
      this.#socket.write(encodeWireLine({ ...untold, id } as WireRequest));
    });
  }

  close(why = 'the service stopped before it answered.'): void {
    if (this.gone) return;
    this.gone = true;
    this.#socket.destroy();
    for (const { reject, timer } of this.#asked.values()) {
      clearTimeout(timer);
      reject(failed(why));
    }
    this.#asked.clear();
  }

  #read(chunk: Buffer): void {
    try {
      for (const line of this.#lines.push(chunk)) this.#take(parseWireReply(line));
    } catch {
      this.close('the service gave no answer.');
    }
  }

  #take(reply: WireReply): void {
    const asked = this.#asked.get(reply.id);
    if (asked === undefined) return;
    this.#asked.delete(reply.id);
    clearTimeout(asked.timer);
    if (reply.error === null) asked.resolve(reply);
    else asked.reject(refused(reply.error));
  }
}

function failed(why: string, cause?: unknown): RecordError {
  return new RecordError('AUDIT_APPEND_FAILED', `it could not be recorded: ${why}`, { cause });
}

function refused(code: string): RecordError {
  if (code === 'AUTH_REFUSED')
    return new RecordError(
      code,
      'the ledger requires an auth key, and its service has no valid one to present.',
    );
  if (code === 'CALL_NOT_GRANTED')
    return new RecordError(code, 'the call needs something that this session was not granted.');
  if (code === 'CALL_REFUSED')
    return new RecordError(code, 'the call would change its own recording, which an agent may not do.');
  return code === 'AUDIT_BUFFER_FULL'
    ? new RecordError(code, 'the service has too many calls open.')
    : failed('the service could not write it.');
}
