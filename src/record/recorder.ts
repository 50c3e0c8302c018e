// The recorder for programs: where sessions come from. What a program does before its session begins is not lost and not
// done unrecorded either: turns are taken in, tools wait, and the session begins only if all of it can be written.

import { AsyncResource } from 'node:async_hooks';
import { beginSession } from './begin-session.ts';
import { toContent } from './content-form.ts';
import type { Enter, ProgramSession } from './program-session.ts';
import { appendFailed, RecordError } from './record-error.ts';
import {
  type OpenToolCall,
  type RecorderOptions,
  type Session,
  type SessionOptions,
  type TakenTurn,
  takeTurn,
} from './session.ts';
import type { Tool } from './tool-attempt.ts';
import { type TakenCall, type ToolOptions, takeCall } from './tool-call.ts';

const BUFFER_LIMIT = 1000;
/** Bytes of all that waits. */
const BUFFER_BYTES = 64 * 1024 * 1024;

interface WaitingCall {
  readonly taken: TakenCall;
  /** Runs it, once its call is on record. */
  readonly go: (session: ProgramSession, call: OpenToolCall) => void;
  readonly refuse: (error: unknown) => void;
}

interface Waiting {
  /** When it came. */
  readonly at: number;
  readonly bytes: number;
  readonly what: TakenTurn | WaitingCall;
}

/** Where a program's sessions come from. Calls made before the first one wait for it. */
export class Recorder {
  readonly #options: RecorderOptions;
  #buffer: Waiting[] = [];
  /** The newest one: what is said to the recorder itself is said there. */
  #session: ProgramSession | undefined;
  readonly #sessions = new Set<ProgramSession>();
  /** One session begins at a time, so that what waits goes into one. */
  #beginning: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /**
   * Begins a session. What was said before it is written right behind its start, with its own time and marked
   * `buffered`. If that fails there is no session, and the calls that waited are refused; turns wait for the next try.
   */
  async session(options: SessionOptions = {}): Promise<Session> {
    this.#assertOpen();
    const begun = this.#beginning.then(() => this.#begin(options));
    this.#beginning = begun.catch(() => undefined);
    return begun;
  }

  /** Before the session: taken in, and written with it. After: as the session's own. */
  prompt(text: string): Promise<void> {
    return this.#turn('prompt', text);
  }

  response(text: string, options: { readonly model?: string } = {}): Promise<void> {
    return this.#turn('response', text, options.model);
  }

  /** Before the session: it waits, and runs once the session has begun and its call is durable. */
  async tool<T>(name: string, args: unknown, run: Tool<T>, options: ToolOptions = {}): Promise<T> {
    this.#assertOpen();
    if (this.#session !== undefined) return this.#session.tool(name, args, run, options);
    if (typeof run !== 'function') throw new TypeError('the third argument is the function to run');
    const taken = takeCall(name, args, options, this.#options);
    // It runs in the surroundings of this call, not in those of whoever begins the session.
    const enter: Enter = AsyncResource.bind((work) => work());
    return new Promise<T>((resolve, refuse) => {
      const go = (session: ProgramSession, call: OpenToolCall): void =>
        void session.run(call, run, enter).then(resolve, refuse);
      this.#wait({ taken, go, refuse }, toContent(taken.args).bytes.length + sizeOf(taken.contents));
    });
  }

  /** Ends the sessions that have not ended, and lets go of the ledger. Calls that still wait are refused. */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.assertOutside();
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #begin(options: SessionOptions): Promise<ProgramSession> {
    let session: ProgramSession | undefined;
    const calls: { readonly call: OpenToolCall; readonly waiting: WaitingCall }[] = [];
    try {
      session = await beginSession(this.#options, options);
      session.assertAuthenticated();
      await session.share();
      // What comes while the buffer is written goes behind it.
      for (let next = this.#buffer[0]; next !== undefined; next = this.#buffer[0]) {
        const { what, at } = next;
        if ('kind' in what) await session.turn(what, at);
        else calls.push({ call: await session.begin(what.taken, at), waiting: what });
        // Closing the recorder may have emptied it.
        if (this.#buffer[0] === next) this.#buffer.shift();
      }
    } catch (error) {
      const refused = this.#buffer.flatMap(({ what }) => ('kind' in what ? [] : [what]));
      this.#buffer = this.#buffer.filter(({ what }) => 'kind' in what);
      await session?.abandon(
        calls.map(({ call }) => call),
        appendFailed('what came before the session', error),
      );
      for (const { refuse } of [...calls.map(({ waiting }) => waiting), ...refused]) refuse(error);
      throw error;
    }
    for (const other of this.#sessions) if (other.ended) this.#sessions.delete(other);
    this.#sessions.add(session);
    this.#session = session;
    // Nothing runs before everything is on record.
    for (const { call, waiting } of calls) waiting.go(session, call);
    return session;
  }

  async #close(): Promise<void> {
    const none = new RecordError('NO_SESSION', 'the recorder was closed before a session began.');
    for (const { what } of this.#buffer.splice(0)) if (!('kind' in what)) what.refuse(none);
    await this.#beginning;
    const ends = await Promise.allSettled([...this.#sessions].map((session) => session.end()));
    try {
      const failed = ends.find((end) => end.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } finally {
      await this.#options.close();
    }
  }

  async #turn(kind: TakenTurn['kind'], text: string, model?: string): Promise<void> {
    this.#assertOpen();
    const turn = takeTurn(kind, text, this.#options.intake, model);
    if (this.#session !== undefined) return this.#session.turn(turn);
    this.#wait(turn, toContent(turn.text).bytes.length);
  }

  #wait(what: Waiting['what'], bytes: number): void {
    const limit = this.#options.bufferLimit ?? BUFFER_LIMIT;
    const held = this.#buffer.reduce((sum, waiting) => sum + waiting.bytes, bytes);
    if (this.#buffer.length >= limit || held > BUFFER_BYTES)
      throw new RecordError(
        'AUDIT_BUFFER_FULL',
        `${this.#buffer.length} calls wait for a session, and no more may. Begin one with session().`,
      );
    this.#buffer.push({ at: (this.#options.now ?? Date.now)(), bytes, what });
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new RecordError('SESSION_ENDED', 'the recorder is closed.');
  }
}

function sizeOf(contents: TakenCall['contents']): number {
  let bytes = 0;
  for (const content of contents.values())
    bytes += content instanceof Uint8Array ? content.length : toContent(content).bytes.length;
  return bytes;
}
