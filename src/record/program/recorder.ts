// The recorder for programs: where sessions come from. What a program does before its session begins is not lost and not
// done unrecorded either: turns are taken in, tools wait, and the session begins only if all of it can be written.

import { AsyncResource } from 'node:async_hooks';
import { toContent } from '../content-form.ts';
import { Traces } from '../intake.ts';
import { encodeMissed, type Missed, missedBoth, missedOne } from '../missed/missed-time.ts';
import { appendFailed, RecordError } from '../record-error.ts';
import { beginSession } from './begin-session.ts';
import { leaveMissed, type OwnNote } from './notes.ts';
import type { Enter, ProgramSession } from './program-session.ts';
import {
  type EndOptions,
  type OpenToolCall,
  type RecorderOptions,
  type Session,
  type SessionOptions,
  type TakenTurn,
  takeTurn,
} from './session.ts';
import type { Ended, Tool } from './tool-attempt.ts';
import { type TakenCall, type ToolOptions, takeCall } from './tool-call.ts';

/** Of what nothing more was heard. */
const NOT_BEGUN = 'it waited for a session, and the program ended before one began.';
const BUFFER_LIMIT = 1000;
/** Bytes of all that waits. */
const BUFFER_BYTES = 64 * 1024 * 1024;

interface WaitingCall {
  readonly taken: TakenCall;
  /** Runs it, once its call is on record. */
  readonly go: (session: ProgramSession, call: OpenToolCall) => void;
  readonly refuse: (error: unknown) => void;
}

/** One that will not run, and that is told all the same. */
interface RefusedCall {
  readonly taken: TakenCall;
  readonly ended: Ended;
  /** When that was decided. */
  readonly endedAt: number;
}

interface Waiting {
  /** When it came. */
  readonly at: number;
  readonly bytes: number;
  readonly what: TakenTurn | WaitingCall | RefusedCall;
}

/** Where a program's sessions come from. Calls made before the first one wait for it. */
export class Recorder {
  readonly #options: RecorderOptions;
  #buffer: Waiting[] = [];
  /** The newest one: what is said to the recorder itself is said there. */
  #session: ProgramSession | undefined;
  readonly #sessions = new Set<ProgramSession>();
  /** Those that were refused, and whose end could not be written then. */
  readonly #abandoned = new Set<ProgramSession>();
  /** One session begins at a time, so that what waits goes into one. */
  #beginning: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  /** What there was no room for. */
  #missed: Missed | undefined;
  /** For when this process ends before what waits is told. */
  readonly #note: OwnNote | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#note = options.notes?.hold();
  }

  /**
   * Begins a session. What was said before it is written right behind its start, with its own time and marked
   * `buffered`. If that fails there is no session, and the calls that waited are refused. That they were made is told by
   * the next session that begins, as are turns.
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
    if (typeof run !== 'function') throw new TypeError('the third argument must be the function to run');
    const taken = takeCall(name, args, options, this.#options);
    // It runs in the surroundings of this call, not in those of whoever begins the session.
    const enter: Enter = AsyncResource.bind((work) => work());
    return new Promise<T>((resolve, refuse) => {
      const go = (session: ProgramSession, call: OpenToolCall): void =>
        void session.run(call, run, enter).then(resolve, refuse);
      this.#wait({ taken, go, refuse }, sizeOfCall(taken));
    });
  }

  /**
   * A call that somebody refused: it is on record when this resolves, or waits for the session. RecordError where it can't
   * be recorded; then it waits for the next session, or the end.
   */
  async refused(name: string, args: unknown, why: Error, options: ToolOptions = {}): Promise<void> {
    this.#assertOpen();
    const session = this.#session;
    const taken = takeCall(name, args, options, this.#options);
    const endedAt = this.#now();
    const wait = (): void =>
      this.#wait({ taken, ended: { outcome: 'error', value: why }, endedAt }, sizeOfCall(taken));
    if (session === undefined) {
      wait();
      return;
    }
    try {
      const call = await session.opened(taken, {});
      await session.conclude(call, { outcome: 'error', value: why });
    } catch (error) {
      // What was refused for want of a key is on record as that.
      if (!(error instanceof RecordError && error.code === 'AUTH_REFUSED')) wait();
      throw error;
    }
  }

  /**
   * Ends the sessions that have not ended, and lets go of the ledger. Calls that still wait are refused. RecordError where
   * something could not be told: then a note was left, or the message says that none could be.
   */
  async close(): Promise<void> {
    for (const session of this.#sessions) session.assertOutside();
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async #begin(options: SessionOptions): Promise<ProgramSession> {
    let session: ProgramSession | undefined;
    const calls: OpenWaiting[] = [];
    try {
      session = await beginSession(this.#options, options);
      session.assertAuthenticated();
      await session.share();
      await this.#flush(session, calls);
    } catch (error) {
      const refused = this.#refuseWaiting(error);
      await session?.abandon(
        calls.map(({ call }) => call),
        appendFailed('what came before the session', error),
      );
      if (session?.ended === false) this.#abandoned.add(session);
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

  /** What comes while the buffer is written goes behind it. */
  async #flush(session: ProgramSession, calls: OpenWaiting[]): Promise<void> {
    for (let next = this.#buffer.shift(); next !== undefined; next = this.#buffer.shift()) {
      try {
        await this.#flushOne(session, next, calls);
      } catch (error) {
        this.#buffer.unshift(next);
        throw error;
      }
      this.#keepNote();
    }
    const missed = this.#missed;
    if (missed === undefined) return;
    await session.seen('gap', encodeMissed(missed), new Traces(), null);
    this.#missed = undefined;
    this.#keepNote();
  }

  async #flushOne(session: ProgramSession, { what, at }: Waiting, calls: OpenWaiting[]): Promise<void> {
    if ('kind' in what) return session.turn(what, at);
    let call: OpenToolCall;
    try {
      call = await session.begin(what.taken, at);
    } catch (error) {
      // What was refused for want of a key is on record as that.
      if ('ended' in what && error instanceof RecordError && error.code === 'AUTH_REFUSED') return;
      throw error;
    }
    if ('ended' in what) await session.conclude(call, what.ended, what.endedAt);
    else if (this.#closing === undefined) calls.push({ call, waiting: what });
    else {
      what.refuse(closedEarly());
      await session.conclude(call, { outcome: 'aborted', value: closedEarly() });
    }
  }

  /** Nobody waits any more: they will not run. That they were made is still to be told. */
  #refuseWaiting(error: unknown): readonly WaitingCall[] {
    const refused: WaitingCall[] = [];
    this.#buffer = this.#buffer.map((waiting) => {
      const { what } = waiting;
      if ('kind' in what || 'ended' in what) return waiting;
      refused.push(what);
      const ended = { outcome: 'aborted', value: error } as const;
      return { ...waiting, what: { taken: what.taken, ended, endedAt: this.#now() } };
    });
    return refused;
  }

  /**
   * What was told before any session, or could not be told in one. Where it still can't be, that it is missing may be
   * written yet: a gap is smaller. Gives why it failed. Never rejects.
   */
  async #flushLast(): Promise<string | undefined> {
    if (this.#untold(NOT_BEGUN) === undefined) return undefined;
    let session = this.#session?.ended === false ? this.#session : undefined;
    try {
      session ??= await beginSession(this.#options, { trigger: 'close' });
      this.#sessions.add(session);
      await this.#flush(session, []);
      return undefined;
    } catch (error) {
      const why = appendFailed('what waited for a session', error).message;
      const missed = this.#untold(why);
      if (session === undefined || missed === undefined) return why;
      try {
        await session.seen('gap', encodeMissed(missed), new Traces(), null);
        this.#buffer = [];
        this.#missed = undefined;
      } catch {
        // Then a note has to do.
      }
      return why;
    }
  }

  async #close(): Promise<void> {
    for (const { refuse } of this.#refuseWaiting(closedEarly())) refuse(closedEarly());
    await this.#beginning;
    const why = await this.#flushLast();
    for (const session of this.#abandoned) await session.end({ reason: 'refused' }).catch(() => undefined);
    const end: EndOptions = why === undefined ? {} : { reason: 'incomplete' };
    const ends = await Promise.allSettled([...this.#sessions].map((session) => session.end(end)));
    let untold = this.#untold(why ?? NOT_BEGUN);
    for (const { missed } of [...this.#sessions, ...this.#abandoned])
      if (missed !== undefined) untold = missedBoth(untold, missed);
    try {
      if (untold !== undefined) throw leaveMissed(this.#note, untold);
      this.#note?.told();
      if (why !== undefined) throw new RecordError('AUDIT_APPEND_FAILED', `${why} A gap records it.`);
      const failed = ends.find((each) => each.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } finally {
      await this.#options.close();
    }
  }

  /** All that is not on record yet; undefined where there is nothing. Clean. */
  #untold(why: string): Missed | undefined {
    let untold = this.#missed;
    const clean = this.#options.intake.word(why, new Traces());
    for (const { at, what } of this.#buffer)
      untold = missedOne(untold, 'taken' in what ? what.taken.facts.toolUseId : null, clean, at);
    return untold === undefined ? undefined : { ...untold, why: clean };
  }

  #keepNote(): void {
    const untold = this.#untold(NOT_BEGUN);
    if (untold === undefined) this.#note?.told();
    else this.#note?.hold(untold);
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
    const fits = this.#buffer.length < limit && held <= BUFFER_BYTES;
    if (fits) this.#buffer.push({ at: this.#now(), bytes, what });
    else this.#missed = missedOne(this.#missed, null, 'too much waited for a session');
    this.#keepNote();
    if (!fits)
      throw new RecordError(
        'AUDIT_BUFFER_FULL',
        `${this.#buffer.length} calls are already waiting for a session, which is the limit. Begin a session first.`,
      );
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new RecordError('SESSION_ENDED', 'the recorder is closed.');
  }
}

interface OpenWaiting {
  readonly call: OpenToolCall;
  readonly waiting: WaitingCall;
}

function closedEarly(): RecordError {
  return new RecordError('NO_SESSION', 'the recorder was closed before a session began.');
}

function sizeOfCall({ args, contents }: TakenCall): number {
  return toContent(args).bytes.length + sizeOf(contents);
}

function sizeOf(contents: TakenCall['contents']): number {
  let bytes = 0;
  for (const content of contents.values())
    bytes += content instanceof Uint8Array ? content.length : toContent(content).bytes.length;
  return bytes;
}
