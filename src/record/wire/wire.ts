// Recording from a wire between an agent and its tools, where somebody else runs the calls: a call is durable before it
// goes on, its answer before it is delivered. The session begins with the first thing to be recorded, or when it is told
// to; where that failed, the next thing tries again. What was missed is told by the next entry that can be written.
import type { Json, JsonObject } from '../../core/index.ts';
import { type CallAuthority, encodeCallAuthority } from '../../format/index.ts';
import { makeRedactor } from '../../redact/index.ts';
import { denialOf, verdictOf } from '../authority.ts';
import { refusalOf } from '../host/defence.ts';
import { type Digest, type Intake, Traces } from '../intake.ts';
import { encodeMissed, type Missed, missedBoth, missedOne } from '../missed/missed-time.ts';
import { beginSession } from '../program/begin-session.ts';
import { leaveMissed, type Notes, type OwnNote } from '../program/notes.ts';
import type { ProgramSession } from '../program/program-session.ts';
import type {
  CallEnd,
  EndOptions,
  OpenToolCall,
  RecorderOptions,
  SessionOptions,
} from '../program/session.ts';
import { type FileOption, takeCall } from '../program/tool-call.ts';
import { appendFailed, RecordError } from '../record-error.ts';

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
  /** The call that it is on record as, if its session has grants and it may be one. Then somebody must tell how it ended. */
  observe(seen: WireObservation): Promise<WireOpenCall | null>;
}

/** What was refused with these is on record. */
const ON_RECORD: ReadonlySet<string> = new Set(['AUTH_REFUSED', 'CALL_REFUSED', 'CALL_NOT_GRANTED']);

/** Why a session ended of which something is missing. */
const INCOMPLETE = 'incomplete';

export class WireSession implements WireRecorder {
  readonly #open: () => Promise<RecorderOptions>;
  readonly #session: SessionOptions;
  #begun: Promise<{ readonly session: ProgramSession; readonly options: RecorderOptions }> | undefined;
  #missed: Missed | undefined;
  /** For when this process ends before that is told. */
  readonly #note: OwnNote | undefined;
  #ended = false;

  /** `open` gives the place to record to, and is asked again after it failed. */
  constructor(open: () => Promise<RecorderOptions>, session: SessionOptions = {}, notes?: Notes) {
    this.#open = open;
    this.#session = session;
    this.#note = notes?.hold();
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
    this.#miss(missed);
    await this.#use();
    await this.#tellMissed();
  }

  async call(call: WireCall): Promise<OpenToolCall> {
    return this.#noting(call.toolUseId, () => this.#call(call, call.tool));
  }

  async result(call: OpenToolCall, end: CallEnd): Promise<void> {
    return this.#noting(call.facts.toolUseId, async () => {
      const { session, options } = await this.#use();
      const beside = await options.intake.small(session.id, end.beside, new Traces());
      await session.closed(call, { ...end, beside });
    });
  }

  async observe(seen: WireObservation): Promise<OpenToolCall | null> {
    const { event, problem, content, digest, cause = null, beside } = seen;
    return this.#noting(null, async () => {
      const { session, options } = await this.#use();
      if (isUnclear(seen) && options.authority !== undefined)
        return this.#call({ tool: event, args: content ?? null, digest, toolUseId: null, beside }, null);
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
      return null;
    });
  }

  /**
   * Ends the session, seals, and lets go of the ledger. Where no session could be begun, there is none to end. RecordError
   * where something of it could not be told: then a note was left, or the message says that none could be.
   */
  async end(options: EndOptions = {}): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const begun = await this.#begun?.catch(() => undefined);
    try {
      await this.#tellMissed();
      await begun?.session.end(this.#missed === undefined ? options : { ...options, reason: INCOMPLETE });
    } finally {
      await begun?.options.close();
      const missed = this.#missed;
      // biome-ignore lint/correctness/noUnsafeFinally: that something is missing matters more than why the end failed
      if (missed !== undefined) throw leaveMissed(this.#note, this.#clean(missed, begun?.options.intake));
    }
  }

  /** `named` is the tool that the grants are asked about; null where nobody can say which one the server would run. */
  async #call(call: WireCall, named: string | null): Promise<OpenToolCall> {
    const { session, options } = await this.#use();
    const { file, toolUseId } = call;
    const taken = takeCall(
      call.tool,
      call.args,
      { ...(file === undefined ? {} : { file }), ...(toolUseId === null ? {} : { toolUseId }) },
      options,
    );
    const { intake } = options;
    const authority = judged(options, named);
    const needs = authority === null ? {} : { authority: encodeCallAuthority(authority) };
    const beside = await intake.small(session.id, { ...call.beside, ...needs }, taken.traces);
    const caller = call.caller === undefined ? {} : { caller: await intake.hash(session.id, call.caller) };
    const opened = await session.opened(taken, { beside: { ...beside, ...caller }, digest: call.digest });
    const act = options.refuses?.({ tool: call.tool, args: taken.args }) ?? null;
    if (act !== null) {
      await session.refused(opened, `it would ${act}`);
      throw new RecordError('CALL_REFUSED', refusalOf(act).reason);
    }
    if (authority?.verdict !== 'deny') return opened;
    const why = denialOf(authority);
    await session.refused(opened, why);
    throw new RecordError('CALL_NOT_GRANTED', `${why}.`);
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
        this.#miss(missedOne(undefined, call, error instanceof Error ? error.message : String(error)));
      throw error;
    }
  }

  #miss(missed: Missed): void {
    this.#missed = missedBoth(this.#missed, missed);
    this.#note?.hold(this.#clean(this.#missed));
  }

  /** As the project wants it, where its configuration is known. */
  #clean(missed: Missed, intake?: Intake): Missed {
    const traces = new Traces();
    const redactor = makeRedactor();
    const clean = (text: string): string => intake?.word(text, traces) ?? redactor.text(text);
    return { ...missed, why: clean(missed.why), calls: missed.calls.map(clean) };
  }

  /** Never rejects: it is told again as long as nobody heard it. */
  async #tellMissed(): Promise<void> {
    const missed = this.#missed;
    const begun = await this.#begun?.catch(() => undefined);
    if (missed === undefined || begun === undefined || this.#missed !== missed) return;
    this.#missed = undefined;
    const { session, options } = begun;
    try {
      await session.seen('gap', encodeMissed(this.#clean(missed, options.intake)), new Traces(), null);
      if (this.#missed === undefined) this.#note?.told();
    } catch {
      this.#missed = this.#missed === undefined ? missed : missedBoth(missed, this.#missed);
    }
  }
}

/** Something on its way to the server that is not one message with one reading. */
function isUnclear({ event, problem }: WireObservation): boolean {
  return event === 'stdin' && problem !== null;
}

/** Null where nobody said what calls may do. */
function judged({ authority }: RecorderOptions, tool: string | null): CallAuthority | null {
  if (authority === undefined) return null;
  const needs = authority.judge(tool);
  return { ...needs, verdict: verdictOf(needs.missing, authority.isEnforced) };
}
