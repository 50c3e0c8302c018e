// The recorder for programs: where sessions come from. What a program does before its session begins is not lost and not
// done unrecorded either: turns are taken in, tools wait, and the session begins only if all of it can be written.
import {
  beginSession,
  RecordError,
  type RecorderOptions,
  type Session,
  type SessionOptions,
  type Tool,
  type ToolOptions,
} from './session.ts';

const BUFFER_LIMIT = 1000;

interface Buffered {
  /** Writes it; gives what is to be done once everything is written. */
  readonly flush: (session: Session) => Promise<() => void>;
  readonly refuse: (error: unknown) => void;
}

/** Where a program's sessions come from. Calls made before the first one wait for it. */
export class Recorder {
  readonly #options: RecorderOptions;
  #buffer: Buffered[] = [];
  #session: Session | undefined;
  #closed = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /**
   * Begins a session. What was said before it is written right behind its start, with its own time and marked
   * `buffered`; if that fails there is no session.
   */
  async session(options: SessionOptions = {}): Promise<Session> {
    this.#assertOpen();
    const session = await beginSession(this.#options, options);
    // What comes while the buffer is written goes behind it.
    for (let buffered = this.#buffer.shift(); buffered !== undefined; buffered = this.#buffer.shift()) {
      try {
        (await buffered.flush(session))();
      } catch (error) {
        for (const { refuse } of [buffered, ...this.#buffer.splice(0)]) refuse(error);
        throw error;
      }
    }
    this.#session ??= session;
    return session;
  }

  /** Before the session: taken in, and written with it. After: as the session's own. */
  prompt(text: string): Promise<void> {
    return this.#turn('prompt', text);
  }

  response(text: string): Promise<void> {
    return this.#turn('response', text);
  }

  /** Before the session: it waits, and runs once the session has begun and its call is durable. */
  async tool<T>(name: string, args: unknown, run: Tool<T>, options: ToolOptions = {}): Promise<T> {
    this.#assertOpen();
    if (this.#session !== undefined) return this.#session.tool(name, args, run, options);
    const at = this.#now();
    return new Promise<T>((resolve, reject) => {
      this.#wait({
        async flush(session) {
          const call = await session.begin(name, args, options, at);
          return () => void session.run(call, run, options).then(resolve, reject);
        },
        refuse: reject,
      });
    });
  }

  /** Ends the session, if there is one, and lets go of the ledger. Calls that still wait are refused. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const none = new RecordError('NO_SESSION', 'the recorder was closed before a session began.');
    for (const { refuse } of this.#buffer.splice(0)) refuse(none);
    try {
      await this.#session?.end();
    } finally {
      await this.#options.close();
    }
  }

  async #turn(kind: 'prompt' | 'response', text: string): Promise<void> {
    this.#assertOpen();
    if (this.#session !== undefined) return this.#session[kind](text);
    const at = this.#now();
    this.#wait({
      async flush(session) {
        await session.turn(kind, text, at);
        return () => undefined;
      },
      refuse: () => undefined, // whoever begins the session is told
    });
  }

  #wait(buffered: Buffered): void {
    const limit = this.#options.bufferLimit ?? BUFFER_LIMIT;
    if (this.#buffer.length >= limit)
      throw new RecordError(
        'AUDIT_BUFFER_FULL',
        `${limit} calls wait for a session. Begin one with session().`,
      );
    this.#buffer.push(buffered);
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #assertOpen(): void {
    if (this.#closed) throw new RecordError('SESSION_ENDED', 'the recorder is closed.');
  }
}
