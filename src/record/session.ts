// A session of a program that records itself: its turns, and tool calls that are recorded before they run and answered
// only when their result is recorded. It fails closed: no durable call, no run; no durable result, no result.
import { AsyncLocalStorage } from 'node:async_hooks';
import { type Json, type JsonObject, sessionIdOf } from '../core/index.ts';
import {
  type Exit,
  encodeSessionEnd,
  encodeSessionStart,
  encodeToolCall,
  encodeToolResult,
  encodeTurn,
  type FileFact,
  type SessionCounts,
  type ToolFacts,
  withTraces,
} from '../format/index.ts';
import { type Clock, encodeBlock, type NewEntry, type Store } from '../ledger/index.ts';
import type { Config } from './config.ts';
import { outputText } from './facts.ts';
import type { Outcome } from './host-event.ts';
import { type Intake, Traces } from './intake.ts';
import { pathsOf } from './paths.ts';
import { testCounts } from './test-counts.ts';

export type RecordCode = 'AUDIT_APPEND_FAILED' | 'AUDIT_BUFFER_FULL' | 'SESSION_ENDED' | 'NO_SESSION';

/** Something could not be recorded, so it was not done, or its result is withheld. `cause` says why. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
  readonly code: RecordCode;

  constructor(code: RecordCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** What a program can say about a call beyond its arguments. */
export interface ToolOptions {
  readonly intent?: string;
  readonly role?: string;
  readonly planHash?: string;
  readonly phaseId?: string;
  readonly invariantId?: string;
  readonly notes?: string;
  /** The id of the call at other vantage points. */
  readonly toolUseId?: string;
  /** The entry that this call answers. Unless given: the call it is made within, else the newest prompt. */
  readonly cause?: number;
  /** Members of the arguments that hold the content of the file at `path`: only their hash and length are kept. */
  readonly file?: { readonly path: string; readonly members: readonly string[] };
  /** Aborts the call. The tool gets a signal of its own, which follows this one and the time-out. */
  readonly signal?: AbortSignal;
  /** The call ends as a time-out after so many milliseconds, whether or not the tool listens to its signal. */
  readonly timeoutMs?: number;
  /** The exit code that the result carries, where the tool ran a command. Null is never success. */
  readonly exitCode?: (result: unknown) => number | null;
}

/** Does the work. `seq` is that of its call's entry. */
export type Tool<T> = (context: { readonly signal: AbortSignal; readonly seq: number }) => T | Promise<T>;

export interface RecorderOptions {
  readonly store: Pick<Store, 'append'>;
  readonly intake: Intake;
  readonly config: Config;
  readonly redaction: string;
  /** Who acts: `planner`, `executor` … Each call may say otherwise. */
  readonly role?: string | undefined;
  readonly agent: string;
  readonly source: string;
  readonly workspaceRoot: string;
  readonly now?: Clock;
  /** Calls that may wait for a session (1,000 unless given). */
  readonly bufferLimit?: number;
  /** A session that somebody else began: `foil run`. */
  readonly run?: string | undefined;
  readonly seal: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export interface SessionOptions {
  readonly agent?: string;
  /** The program's own id for it. */
  readonly agentSession?: string;
  readonly trigger?: string;
  readonly resumes?: string;
}

export interface EndOptions {
  readonly reason?: string;
  readonly exitCode?: number | null;
  /** For who saw more of the session than its own recorder did. */
  readonly counts?: SessionCounts;
}

/** A call that is on record and has not ended. */
export interface OpenToolCall {
  readonly seq: number;
  readonly facts: ToolFacts;
  readonly file: FileFact | null;
  readonly buffered: boolean;
}

/** The call that the running code is part of. */
const within = new AsyncLocalStorage<{ readonly session: Session; readonly seq: number }>();

/** Durable when it resolves. */
export async function beginSession(recorder: RecorderOptions, options: SessionOptions): Promise<Session> {
  const { store, intake, config, now = Date.now, source, run } = recorder;
  const traces = new Traces();
  const word = (text: string): string => intake.word(text, traces);
  if (run !== undefined) return new Session(recorder, run, null);
  let session = '';
  let seq = 0;
  try {
    await store.append((head) => {
      seq = head.seq + 1;
      session = sessionIdOf({ prevHash: head.hash });
      const payload = encodeSessionStart({
        agent: word(options.agent ?? recorder.agent),
        agentSession: options.agentSession === undefined ? null : word(options.agentSession),
        workspaceRoot: word(recorder.workspaceRoot),
        trigger: word(options.trigger ?? 'program'),
        resumes: options.resumes ?? null,
        interaction: source,
        mode: 'guard',
        content: config.content,
        hashes: config.hashes,
        redaction: recorder.redaction,
        configHash: config.hash,
        transcript: null,
        pid: process.pid,
      });
      const draft: NewEntry = {
        kind: 'session.start',
        source,
        session_id: session,
        payload: withTraces(payload, traces),
      };
      return encodeBlock([draft], head, now());
    });
  } catch (error) {
    throw failed('the beginning of the session', error);
  }
  return new Session(recorder, session, seq);
}

export class Session {
  readonly id: string;
  readonly #options: RecorderOptions;
  readonly #now: Clock;
  /** The seq of its first entry; null where `foil run` began it, and will end it. */
  readonly first: number | null;
  readonly #running = new Set<Promise<unknown>>();
  #prompt: number | null = null;
  #counts: SessionCounts = { prompts: 0, responses: 0, calls: 0, results: 0, denied: 0, redacted: 0 };
  #ending: Promise<void> | undefined;

  constructor(options: RecorderOptions, id: string, first: number | null) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.first = first;
    this.id = id;
  }

  /** What the agent is told. Durable when it resolves; what follows is caused by it. */
  async prompt(text: string): Promise<void> {
    await this.turn('prompt', text);
  }

  /** What the agent answers. */
  async response(text: string, options: { readonly model?: string } = {}): Promise<void> {
    await this.turn('response', text, undefined, options.model ?? null);
  }

  /**
   * Makes the call durable, runs it, makes its result durable, and only then gives it back. An error of the tool is a
   * result like any other and is thrown again once it is on record; when that fails, RecordError is thrown instead.
   */
  async tool<T>(name: string, args: unknown, run: Tool<T>, options: ToolOptions = {}): Promise<T> {
    return this.run(await this.begin(name, args, options), run, options);
  }

  /** Ends the session once its calls are over, and seals. Again is no harm. */
  end(options: EndOptions = {}): Promise<void> {
    this.#ending ??= this.#end(options);
    return this.#ending;
  }

  /** For the recorder, which may have taken it in earlier. */
  async turn(
    kind: 'prompt' | 'response',
    text: string,
    at?: number,
    model: string | null = null,
  ): Promise<void> {
    this.#assertOpen();
    const { intake } = this.#options;
    try {
      const traces = new Traces();
      const kept = await intake.keep(this.id, intake.clean(text, traces));
      const facts = kind === 'prompt' ? { prompt_id: null } : { model, stop_hook_active: null };
      const payload = encodeTurn(kind === 'prompt' ? 'prompt_hash' : 'response_hash', kept, facts);
      const seq = await this.#append(kind, payload, traces, kind === 'prompt' ? null : this.#cause(), at);
      if (kind === 'prompt') this.#prompt = seq;
      this.#count(kind === 'prompt' ? 'prompts' : 'responses', traces);
    } catch (error) {
      throw failed(`the ${kind}`, error);
    }
  }

  /** The first half of `tool`. */
  async begin(name: string, args: unknown, options: ToolOptions, at?: number): Promise<OpenToolCall> {
    this.#assertOpen();
    const { intake, workspaceRoot } = this.#options;
    const traces = new Traces();
    const word = (text: string | undefined): string | null =>
      text === undefined ? null : intake.word(text, traces);
    try {
      const { clean, file } = await this.#cleanArguments(args, options, traces);
      const kept = await intake.keep(this.id, clean);
      const facts: ToolFacts = {
        tool: intake.word(name, traces),
        toolUseId: word(options.toolUseId),
        agentId: null,
        workspaceRoot: intake.word(workspaceRoot, traces),
        role: word(options.role ?? this.#options.role),
        intent: word(options.intent),
        planHash: word(options.planHash),
        phaseId: word(options.phaseId),
        invariantId: word(options.invariantId),
        notes: word(options.notes),
        argsHash: kept.hash,
        paths: pathsOf(clean, workspaceRoot, workspaceRoot),
      };
      const cause = options.cause ?? this.#cause();
      const seq = await this.#append('tool.call', encodeToolCall(facts, kept), traces, cause, at);
      this.#count('calls', traces);
      return { seq, facts, file, buffered: at !== undefined };
    } catch (error) {
      throw failed(`the call of ${name}`, error);
    }
  }

  /** The second half of `tool`. */
  run<T>(call: OpenToolCall, run: Tool<T>, options: ToolOptions): Promise<T> {
    const running = this.#run(call, run, options);
    this.#running.add(running);
    const over = (): void => void this.#running.delete(running);
    running.then(over, over);
    return running;
  }

  async #run<T>(call: OpenToolCall, run: Tool<T>, options: ToolOptions): Promise<T> {
    const started = performance.now();
    const ended = await within.run({ session: this, seq: call.seq }, () => attempt(run, call.seq, options));
    const durationMs = Math.round(performance.now() - started);
    try {
      await this.#result(call, ended, durationMs, options);
    } catch (error) {
      // Also when the tool failed: what can't be recorded is not handed on.
      throw failed(`the result of ${call.facts.tool}`, error);
    }
    if (ended.outcome === 'ok') return ended.value as T;
    throw ended.value;
  }

  async #result(call: OpenToolCall, ended: Ended, durationMs: number, options: ToolOptions): Promise<void> {
    const { intake } = this.#options;
    const traces = new Traces();
    const told = ended.outcome === 'ok' ? ended.value : describeError(ended.value);
    const output = intake.clean(told === undefined ? null : told, traces);
    const payload = encodeToolResult(call.facts, {
      result: ended.outcome,
      errorCode: ended.outcome === 'ok' ? null : intake.word(errorCode(ended), traces),
      output: await intake.keep(this.id, output),
      exit: exitOf(ended, options),
      durationMs,
      tests: options.exitCode === undefined ? null : testCounts(outputText(output)),
      files: call.file === null ? [] : [call.file],
    });
    await this.#append('tool.result', payload, traces, call.seq);
    this.#count('results', traces);
  }

  async #cleanArguments(
    args: unknown,
    { file }: ToolOptions,
    traces: Traces,
  ): Promise<{ clean: Json; file: FileFact | null }> {
    const { intake } = this.#options;
    if (file === undefined) return { clean: intake.clean(args, traces), file: null };
    const tidied = intake.tidy(args, traces);
    const without = await intake.withoutFiles(this.id, tidied, new Set(file.members), traces);
    const [member = ''] = file.members;
    const written =
      typeof without === 'object' && without !== null ? (without as JsonObject)[member] : undefined;
    const { content_hash = null, content_bytes = null } = (written ?? {}) as {
      content_hash?: string;
      content_bytes?: number;
    };
    return {
      clean: intake.clean(without, traces),
      file: { path: intake.word(file.path, traces), op: 'write', hash: content_hash, bytes: content_bytes },
    };
  }

  async #end({ reason = 'end', exitCode = null, counts = this.#counts }: EndOptions): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    const traces = new Traces();
    try {
      if (this.first !== null) {
        const payload = encodeSessionEnd({
          reason: this.#options.intake.word(reason, traces),
          exitCode,
          counts,
        });
        await this.#append('session.end', payload, traces, null);
      }
      await this.#options.seal();
    } catch (error) {
      throw failed('the end of the session', error);
    }
  }

  /** Gives the entry's seq. */
  async #append(
    kind: string,
    payload: JsonObject,
    traces: Traces,
    cause: number | null,
    at?: number,
  ): Promise<number> {
    const { store, source } = this.#options;
    const draft: NewEntry = {
      kind,
      source,
      session_id: this.id,
      cause,
      payload: withTraces(at === undefined ? payload : { ...payload, buffered: true }, traces),
      ...(at === undefined ? {} : { ts: new Date(at).toISOString() }),
    };
    const head = await store.append((before) => encodeBlock([draft], before, this.#now()));
    if (head === undefined) throw new TypeError('an entry was given');
    return head.seq;
  }

  #cause(): number | null {
    const outer = within.getStore();
    return outer?.session === this ? outer.seq : this.#prompt;
  }

  #count(what: keyof SessionCounts, traces: Traces): void {
    this.#counts = {
      ...this.#counts,
      [what]: this.#counts[what] + 1,
      redacted: this.#counts.redacted + traces.redactions,
    };
  }

  #assertOpen(): void {
    if (this.#ending !== undefined) throw new RecordError('SESSION_ENDED', 'the session has ended.');
  }
}

interface Ended {
  readonly outcome: Outcome;
  /** What it gave or threw. */
  readonly value: unknown;
}

/** Runs it to an end of some kind. Never rejects. */
async function attempt<T>(run: Tool<T>, seq: number, { signal, timeoutMs }: ToolOptions): Promise<Ended> {
  const controller = new AbortController();
  const signals = [controller.signal, ...(signal === undefined ? [] : [signal])];
  const own = AbortSignal.any(signals);
  let outcome: Outcome = 'error';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cut = new Promise<never>((_, reject) => {
    if (timeoutMs !== undefined)
      timer = setTimeout(() => {
        outcome = 'timeout';
        controller.abort(new DOMException(`it took longer than ${timeoutMs} ms`, 'TimeoutError'));
      }, timeoutMs);
    own.addEventListener('abort', () => {
      if (outcome !== 'timeout') outcome = 'aborted';
      reject(own.reason);
    });
  });
  cut.catch(() => undefined);
  try {
    own.throwIfAborted();
    return { outcome: 'ok', value: await Promise.race([run({ signal: own, seq }), cut]) };
  } catch (value) {
    const aborted = own.aborted && outcome === 'error';
    return { outcome: aborted ? 'aborted' : outcome, value };
  } finally {
    clearTimeout(timer);
  }
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { error };
  const { name, message, code } = error as Error & { code?: unknown };
  return { error: { name, message, ...(code === undefined ? {} : { code }) } };
}

function errorCode({ outcome, value }: Ended): string {
  if (outcome === 'aborted') return 'ABORTED';
  if (outcome === 'timeout') return 'TIMEOUT';
  const code = (value as { code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : 'TOOL_ERROR';
}

function exitOf({ outcome, value }: Ended, { exitCode }: ToolOptions): Exit {
  const code = outcome === 'ok' ? (exitCode?.(value) ?? null) : null;
  return Number.isSafeInteger(code) ? { code, origin: 'host' } : { code: null, origin: 'unknown' };
}

function failed(what: string, cause: unknown): RecordError {
  if (cause instanceof RecordError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new RecordError('AUDIT_APPEND_FAILED', `${what} could not be recorded: ${why}`, { cause });
}
