// Recording from a wire between an agent and its tools, where somebody else runs the calls: a call is durable before it
// goes on, its answer before it is delivered. The session begins with the first thing to be recorded, or when it is told
// to; where that failed, the next thing tries again. What was missed is told by the next entry that can be written.
import type { Json, JsonObject } from '../core/index.ts';
import { encodeGap } from '../format/index.ts';
import { beginSession } from './begin-session.ts';
import { refusalOf } from './defence.ts';
import { type Digest, Traces } from './intake.ts';
import type { ProgramSession } from './program-session.ts';
import { appendFailed, RecordError } from './record-error.ts';
import type { CallEnd, EndOptions, OpenToolCall, RecorderOptions, SessionOptions } from './session.ts';
import { shorten } from './short.ts';
import { type FileOption, takeCall } from './tool-call.ts';

export interface WireCall {
  readonly tool: string;
  readonly args: unknown;
  /** In place of the arguments, where the message was too long to be held. */
  readonly digest?: Digest | undefined;
  /** The host's id of the call, where it sends one along. */
  readonly toolUseId: string | null;
  readonly file?: FileOption | undefined;
  /** Who makes it: of a name only a hash is kept, under the session's salt. */
  readonly caller?: string | undefined;
  /** Members of the entry besides those of every call. */
  readonly beside: JsonObject;
}

/** Something that is no call: kept whole, as far as it may be. */
export interface WireObservation {
  readonly event: string;
  readonly problem: string | null;
  /** Undefined where there is nothing to keep. */
  readonly content?: unknown;
  readonly digest?: Digest | undefined;
  readonly cause?: number | null;
  readonly beside: JsonObject;
}

export type { CallEnd, OpenToolCall };

/** A call that is on record, for whoever will tell how it ended. */
export interface WireOpenCall {
  readonly seq: number;
}

/** Each resolves when it is durable, and rejects with a RecordError when it can't be made so. */
export interface WireRecorder {
  call(call: WireCall): Promise<WireOpenCall>;
  /** `call` is one that this recorder gave. */
  result(call: WireOpenCall, end: CallEnd): Promise<void>;
  observe(seen: WireObservation): Promise<void>;
}

/** What could not be recorded for a while. Times are milliseconds since 1970. */
export interface Missed {
  readonly since: number;
  readonly until: number;
  readonly events: number;
  readonly why: string;
  /** Host's ids of calls among it. */
  readonly calls: readonly string[];
}

/** What was refused with these is on record. */
const ON_RECORD: ReadonlySet<string> = new Set(['AUTH_REFUSED', 'CALL_REFUSED']);
const MOST_MISSED_CALLS = 100;
const LONGEST_ID = { length: 200, bytes: 1024 };
const LONGEST_WHY = { length: 500, bytes: 4096 };

export class WireSession implements WireRecorder {
  readonly #open: () => Promise<RecorderOptions>;
  readonly #session: SessionOptions;
  #begun: Promise<{ readonly session: ProgramSession; readonly options: RecorderOptions }> | undefined;
  #missed: Missed | undefined;
  #ended = false;

  /** `open` gives the place to record to, and is asked again after it failed. */
  constructor(open: () => Promise<RecorderOptions>, session: SessionOptions = {}) {
    this.#open = open;
    this.#session = session;
  }

  /** So that the first call does not have to wait for it. Never rejects. */
  async begin(): Promise<void> {
    await this.#use().catch(() => undefined);
  }

  /** The same, and rejects with a RecordError. */
  async start(): Promise<void> {
    await this.#use();
  }

  /** Why it has no good auth key, where one is asked for; null where it has, or could not begin. Never rejects. */
  async unauthenticated(): Promise<string | null> {
    return (await this.#begun?.catch(() => undefined))?.session.unauthenticated ?? null;
  }

  /** What others missed who tell us what happens. */
  async missed(missed: Missed): Promise<void> {
    this.#missed = this.#missed === undefined ? missed : together(this.#missed, missed);
    await this.#use();
    await this.#tellMissed();
  }

  async call(call: WireCall): Promise<OpenToolCall> {
    return this.#noting(call.toolUseId, async () => {
      const { session, options } = await this.#use();
      const { file, toolUseId } = call;
      const taken = takeCall(
        call.tool,
        call.args,
        { ...(file === undefined ? {} : { file }), ...(toolUseId === null ? {} : { toolUseId }) },
        options,
      );
      const { intake } = options;
      const beside = await intake.small(session.id, call.beside, taken.traces);
      const caller = call.caller === undefined ? {} : { caller: await intake.hash(session.id, call.caller) };
      const opened = await session.opened(taken, { beside: { ...beside, ...caller }, digest: call.digest });
      const act = options.refuses?.({ tool: call.tool, args: taken.args }) ?? null;
      if (act === null) return opened;
      await session.refused(opened, `it would ${act}`);
      throw new RecordError('CALL_REFUSED', refusalOf(act).reason);
    });
  }

  async result(call: OpenToolCall, end: CallEnd): Promise<void> {
    return this.#noting(call.facts.toolUseId, async () => {
      const { session, options } = await this.#use();
      const beside = await options.intake.small(session.id, end.beside, new Traces());
      await session.closed(call, { ...end, beside });
    });
  }

  async observe({ event, problem, content, digest, cause = null, beside }: WireObservation): Promise<void> {
    return this.#noting(null, async () => {
      const { session, options } = await this.#use();
      const { intake } = options;
      const traces = new Traces();
      const kept =
        digest !== undefined
          ? await intake.digest(session.id, digest)
          : content === undefined
            ? null
            : await intake.keep(session.id, intake.clean(content, traces));
      const payload: { [name: string]: Json } = {
        event: intake.word(event, traces),
        problem,
        content: kept?.ref ?? null,
        content_bytes: kept?.bytes ?? null,
        content_hash: kept?.hash ?? null,
        ...(await intake.small(session.id, beside, traces)),
      };
      await session.seen('observation', payload, traces, cause);
    });
  }

  /** Ends the session, seals, and lets go of the ledger. Where no session could be begun, there is none to end. */
  async end(options: EndOptions = {}): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const begun = await this.#begun?.catch(() => undefined);
    if (begun === undefined) return;
    try {
      await this.#tellMissed();
      await begun.session.end(options);
    } finally {
      await begun.options.close();
    }
  }

  async #use(): Promise<{ readonly session: ProgramSession; readonly options: RecorderOptions }> {
    if (this.#ended) throw new RecordError('SESSION_ENDED', 'the session has ended.');
    const begun = this.#begun ?? this.#begin();
    this.#begun = begun;
    try {
      return await begun;
    } catch (error) {
      if (this.#begun === begun) this.#begun = undefined;
      throw appendFailed('the beginning of the session', error);
    }
  }

  async #begin(): Promise<{ readonly session: ProgramSession; readonly options: RecorderOptions }> {
    const options = await this.#open();
    try {
      return { session: await beginSession(options, this.#session), options };
    } catch (error) {
      await options.close().catch(() => undefined);
      throw error;
    }
  }

  async #noting<T>(call: string | null, work: () => Promise<T>): Promise<T> {
    try {
      const done = await work();
      if (this.#missed !== undefined) void this.#tellMissed();
      return done;
    } catch (error) {
      if (!(error instanceof RecordError && ON_RECORD.has(error.code)))
        this.#miss(call, error instanceof Error ? error.message : String(error));
      throw error;
    }
  }

  #miss(call: string | null, why: string): void {
    this.#missed = missedOne(this.#missed, call, why);
  }

  /** Never rejects: it is told again as long as nobody heard it. */
  async #tellMissed(): Promise<void> {
    const missed = this.#missed;
    const begun = await this.#begun?.catch(() => undefined);
    if (missed === undefined || begun === undefined || this.#missed !== missed) return;
    this.#missed = undefined;
    const { session, options } = begun;
    const traces = new Traces();
    const payload = encodeMissed({
      ...missed,
      why: options.intake.word(missed.why, traces),
      calls: missed.calls.map((call) => options.intake.word(call, traces)),
    });
    try {
      await session.seen('gap', payload, new Traces(), null);
    } catch {
      this.#missed = missed;
    }
  }
}

/** The payload of a gap. `missed` must be clean. */
export function encodeMissed(missed: Missed): JsonObject {
  return encodeGap({
    reason: 'unrecorded',
    since: new Date(missed.since).toISOString(),
    until: new Date(missed.until).toISOString(),
    events: missed.events,
    why: shorten(missed.why, LONGEST_WHY),
    calls: missed.calls,
  });
}

/** One more. */
export function missedOne(missed: Missed | undefined, call: string | null, why: string): Missed {
  const now = Date.now();
  const one = {
    since: now,
    until: now,
    events: 1,
    why,
    calls: call === null ? [] : [shorten(call, LONGEST_ID)],
  };
  return missed === undefined ? one : together(missed, one);
}

function together(a: Missed, b: Missed): Missed {
  return {
    since: Math.min(a.since, b.since),
    until: Math.max(a.until, b.until),
    events: a.events + b.events,
    why: b.why,
    calls: [...a.calls, ...b.calls].slice(0, MOST_MISSED_CALLS),
  };
}
