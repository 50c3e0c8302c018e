// A session of a program that records itself: its turns, and tool calls that are recorded before they run and answered
// only when their result is recorded. It fails closed: no durable call, no run; no durable result, no result.
import { type JsonObject, StoreError } from '../../core/index.ts';
import {
  encodeCallAuthority,
  encodeSessionEnd,
  encodeToolCall,
  encodeToolDenied,
  type InteractionKind,
  type SessionCounts,
  type ToolFacts,
} from '../../format/index.ts';
import { type Clock, encodeBlock } from '../../ledger/index.ts';
import { closingOf, encodeShared, type SharedSession, sharedState } from '../../session/index.ts';
import { denialOf } from '../authority.ts';
import { Traces } from '../intake.ts';
import type { Missed } from '../missed/missed-time.ts';
import { AskedCalls } from '../model/asked-calls.ts';
import { MessageMemory } from '../model/message-memory.ts';
import { ModelRecorder, type OpenModelCall, type Sent } from '../model/model-call.ts';
import { appendFailed, RecordError } from '../record-error.ts';
import { frameOf, runInFrame } from './call-frames.ts';
import { encodeClosed, encodeRan } from './call-result.ts';
import { MissedCalls } from './missed-calls.ts';
import {
  type CallEnd,
  type EndOptions,
  type OpenToolCall,
  type RecorderOptions,
  type Seen,
  type Session,
  type TakenTurn,
  takeTurn,
} from './session.ts';
import { SessionAuth } from './session-auth.ts';
import { SessionTurns } from './session-turns.ts';
import { type BegunSession, type Chained, SessionWriter } from './session-writer.ts';
import { attempt, type Ended, type Tool } from './tool-attempt.ts';
import { type TakenCall, type ToolOptions, takeCall, withContents } from './tool-call.ts';

export class ProgramSession implements Session {
  readonly id: string;
  readonly first: number;
  readonly authKey: string | null;
  readonly #auth: SessionAuth;
  readonly #shares: SharedSession | null;
  readonly #writer: SessionWriter;
  readonly #interactionKind: InteractionKind;
  readonly #turns: SessionTurns;
  readonly #options: RecorderOptions;
  readonly #now: Clock;
  /** Turns and calls under way. */
  readonly #pending = new Set<Promise<unknown>>();
  /** What its model calls have sent. */
  readonly #memory: MessageMemory;
  readonly #asked = new AskedCalls();
  readonly #counts: { -readonly [Name in keyof SessionCounts]: number } = {
    prompts: 0,
    responses: 0,
    calls: 0,
    results: 0,
    denied: 0,
    redacted: 0,
  };
  readonly #missing: MissedCalls;
  #ending: Promise<void> | undefined;
  #ended = false;

  constructor(options: RecorderOptions, begun: BegunSession) {
    const { id, first, chain, interactionKind, shares, unanchored, authKey, authFailure } = begun;
    this.first = first;
    this.authKey = authKey;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.id = id;
    this.#auth = new SessionAuth(options, { session: id, key: authKey, failure: authFailure });
    this.#writer = new SessionWriter(id, { options, chain, unanchored, first });
    this.#missing = new MissedCalls(this.#writer, options.intake);
    this.#interactionKind = interactionKind;
    this.#turns = new SessionTurns(this.#writer, interactionKind === 'response');
    this.#shares = shares;
    this.#memory = new MessageMemory(this.id);
  }

  get unauthenticated(): string | null {
    return this.#auth.failure?.message ?? null;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** What could not be recorded and is not told yet. Its end tells it. Clean. */
  get missed(): Missed | undefined {
    return this.#missing.missed;
  }

  async prompt(text: string): Promise<void> {
    const turn = takeTurn('prompt', text, this.#options.intake);
    await this.#missing.noting(null, () => this.turn(turn));
  }

  async response(text: string, options: { readonly model?: string } = {}): Promise<void> {
    const turn = takeTurn('response', text, this.#options.intake, options.model);
    await this.#missing.noting(null, () => this.turn(turn));
  }

  async tool<T>(name: string, args: unknown, run: Tool<T>, options: ToolOptions = {}): Promise<T> {
    if (typeof run !== 'function') throw new TypeError('the third argument must be the function to run');
    const taken = takeCall(name, args, options, this.#options);
    return this.#during(async () => {
      const { authority } = options;
      const needs = authority === undefined ? {} : { authority: encodeCallAuthority(authority) };
      const beside = await this.#options.intake.small(this.id, needs, taken.traces);
      const call = await this.#missing.noting(taken.facts.toolUseId, () => this.#begin(taken, { beside }));
      if (authority?.verdict !== 'deny') return this.#run(call, run, inPlace);
      const why = denialOf(authority);
      await this.refused(call, why);
      throw new RecordError('CALL_NOT_GRANTED', `${why}.`);
    });
  }

  model(sent: Omit<Sent, 'receipt' | 'nonce'>): Promise<OpenModelCall> {
    const { store, intake, source } = this.#options;
    const recorder = new ModelRecorder({ store, intake, source, now: this.#now });
    const session = {
      id: this.id,
      memory: this.#memory,
      asked: this.#asked,
      prompt: this.#cause(),
      chain: this.#interactionKind === 'model.result' ? this.#writer.chain : null,
    };
    return this.#missing.noting(null, () =>
      this.#during(async () => {
        await this.#auth.check('call', session.prompt);
        return recorder.begin(session, { ...sent, receipt: null, nonce: null });
      }),
    );
  }

  async end(options: EndOptions = {}): Promise<void> {
    this.assertOutside();
    const { exitCode } = options;
    if (exitCode !== undefined && !Number.isSafeInteger(exitCode))
      throw new RangeError('exitCode must be an integer');
    const ending = this.#ending ?? this.#end(options);
    this.#ending = ending;
    try {
      await ending;
    } catch (error) {
      if (this.#ending === ending) this.#ending = undefined;
      throw error;
    }
  }

  /** To wait for the end of the session within one of its calls would be to wait for ever. */
  assertOutside(): void {
    if (frameOf(this)?.running === true)
      throw new TypeError("one of a session's own tool calls can't end the session");
  }

  /** `at` where it was said before the session began. */
  async turn({ kind, text, model, traces }: TakenTurn, at?: number): Promise<void> {
    const cause = kind === 'prompt' ? null : this.#cause();
    const { intake } = this.#options;
    await this.#during(async () => {
      try {
        const kept = await intake.keep(this.id, text);
        if (kind === 'prompt') await this.#auth.check('prompt', await this.#turns.prompt(kept, traces, at));
        else await this.#turns.response(kept, { model, traces, cause, at });
        this.#count(kind === 'prompt' ? 'prompts' : 'responses', traces);
      } catch (error) {
        throw appendFailed(`the ${kind}`, error);
      }
    });
  }

  /** The first half of `tool`, for a call that was made before the session began. */
  begin(taken: TakenCall, at: number): Promise<OpenToolCall> {
    return this.#during(() => this.#begin(taken, { at }));
  }

  /** A call that is run elsewhere and was seen on its way there. `beside` must be clean. */
  opened(taken: TakenCall, seen: Seen): Promise<OpenToolCall> {
    return this.#during(() => this.#begin(taken, seen));
  }

  /** Such a call is not made: that is on record when this resolves. */
  refused({ seq, facts }: OpenToolCall, reason: string): Promise<void> {
    return this.#during(async () => {
      try {
        const denied = { by: 'foil', reason, seenIn: this.#options.source };
        await this.#append('tool.denied', encodeToolDenied(facts, denied), new Traces(), seq);
        this.#count('denied', new Traces());
      } catch (error) {
        throw appendFailed(`that ${facts.tool} was refused`, error);
      }
    });
  }

  /** How such a call ended. */
  closed(call: OpenToolCall, end: CallEnd): Promise<void> {
    return this.#during(async () => {
      try {
        await this.#closed(call, end);
      } catch (error) {
        throw appendFailed(`the result of ${call.facts.tool}`, error);
      }
    });
  }

  /** Something else that was seen. Gives the entry's seq. `payload` must be clean. */
  seen(kind: string, payload: JsonObject, traces: Traces, cause: number | null): Promise<number> {
    return this.#during(async () => {
      try {
        return await this.#append(kind, payload, traces, cause);
      } catch (error) {
        throw appendFailed('what was seen', error);
      }
    });
  }

  /** The second half. `enter` brings back where the call was made. */
  run<T>(call: OpenToolCall, run: Tool<T>, enter: Enter): Promise<T> {
    return this.#during(() => this.#run(call, run, enter));
  }

  /** How a call ended that never ran. `at` where that was before the session began. */
  conclude(call: OpenToolCall, ended: Ended, at?: number): Promise<void> {
    return this.#during(async () => {
      try {
        await this.#result(call, ended, 0, at);
      } catch (error) {
        throw appendFailed(`the result of ${call.facts.tool}`, error);
      }
    });
  }

  /** Puts on record, if that can be done, that calls which are there never ran, and that this is no session. */
  async abandon(calls: readonly OpenToolCall[], why: RecordError): Promise<void> {
    try {
      for (const call of calls) await this.#result(call, { outcome: 'aborted', value: why }, 0);
      await this.end({ reason: 'refused' });
    } catch {
      // Whoever began it is told why already.
    }
  }

  async #begin(taken: TakenCall, { at, beside = {}, digest }: Seen = {}): Promise<OpenToolCall> {
    const { intake } = this.#options;
    const { traces, options } = taken;
    const cause = options.cause ?? this.#cause();
    try {
      const { args, file } =
        taken.file === null
          ? { args: taken.args, file: null }
          : await withContents(taken, this.id, intake, traces);
      const kept = await (digest === undefined ? intake.keep(this.id, args) : intake.digest(this.id, digest));
      const facts: ToolFacts = { ...taken.facts, argsHash: kept.hash };
      const payload = encodeToolCall(facts, kept, beside);
      const seq = await this.#append('tool.call', payload, traces, cause, at);
      this.#count('calls', traces);
      const call = { seq, facts, file, taken };
      await this.#authorizeCall(call);
      return call;
    } catch (error) {
      throw appendFailed(`the call of ${taken.facts.tool}`, error);
    }
  }

  async #run<T>(call: OpenToolCall, run: Tool<T>, enter: Enter): Promise<T> {
    const started = performance.now();
    const ended = await enter(() =>
      runInFrame(this, call.seq, () => attempt(run, call.seq, call.taken.options)),
    );
    const durationMs = Math.round(performance.now() - started);
    try {
      await this.#missing.noting(call.facts.toolUseId, () => this.#result(call, ended, durationMs));
    } catch (error) {
      // Also when the tool failed: what can't be recorded is not handed on.
      throw appendFailed(`the result of ${call.facts.tool}`, error);
    }
    if (ended.outcome === 'ok') return ended.value as T;
    throw ended.value;
  }

  async #result(call: OpenToolCall, ended: Ended, durationMs: number, at?: number): Promise<void> {
    const { payload, traces } = await encodeRan(this.#options.intake, this.id, call, ended, durationMs);
    await this.#append('tool.result', payload, traces, call.seq, at);
    this.#count('results', traces);
  }

  async #closed(call: OpenToolCall, end: CallEnd): Promise<void> {
    const { payload, traces } = await encodeClosed(this.#options.intake, this.id, call, end);
    await this.#append('tool.result', payload, traces, call.seq);
    this.#count('results', traces);
  }

  async #end({ reason = 'end', exitCode, counts: seen }: EndOptions): Promise<void> {
    const { intake, run, seal } = this.#options;
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    const counts = seen ?? this.#counts;
    if (!this.#ended) {
      const traces = new Traces();
      const why = intake.word(reason, traces);
      try {
        await this.#missing.tell();
        if (run === undefined) {
          const block = (await this.#options.blocks?.latest()) ?? null;
          const end = { reason: why, exitCode: exitCode ?? null, counts };
          const ended: Chained = (state) => ({
            payload: encodeSessionEnd(end, closingOf(this.#writer.chain.current(state), block)),
            step: null,
          });
          await this.#append('session.end', ended, traces, null);
        } else {
          const payload = { agent_id: null, agent_type: null, reason: why, counts: { ...counts } };
          await this.#append('agent.end', payload, traces, null);
        }
      } catch (error) {
        throw appendFailed('the end of the session', error);
      }
      this.#ended = true;
    }
    try {
      await seal();
    } catch (error) {
      // Where the key is not here, somebody else has it, and seals.
      if (!(error instanceof StoreError && error.code === 'KEY')) throw error;
    }
  }

  /** Lets others join it who know its id, with its key, until it ends. Does nothing for one that is nobody's to join. */
  async share(): Promise<void> {
    const shares = this.#shares;
    if (shares === null) return;
    await this.#options.store.append(
      (head) => ({ ...encodeBlock([], head, this.#now()), state: encodeShared(shares) }),
      { state: sharedState(this.id) },
    );
  }

  /** A session that is not to go on without a key need not begin. */
  assertAuthenticated(): void {
    this.#auth.assert();
  }

  async #authorizeCall({ seq, facts }: OpenToolCall): Promise<void> {
    try {
      await this.#auth.check('call', seq);
    } catch (error) {
      if (!(error instanceof RecordError && error.code === 'AUTH_REFUSED')) throw error;
      const denied = { by: 'foil', reason: 'no good auth key', seenIn: this.#options.source };
      await this.#append('tool.denied', encodeToolDenied(facts, denied), new Traces(), seq);
      this.#count('denied', new Traces());
      throw error;
    }
  }

  /** Work that the end waits for. */
  #during<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ending !== undefined && frameOf(this)?.running !== true)
      return Promise.reject(new RecordError('SESSION_ENDED', 'the session has ended. Start another one.'));
    const working = work();
    this.#pending.add(working);
    const over = (): void => void this.#pending.delete(working);
    working.then(over, over);
    return working;
  }

  /** Gives the entry's seq. */
  #append(
    kind: string,
    said: JsonObject | Chained,
    traces: Traces,
    cause: number | null,
    at?: number,
  ): Promise<number> {
    return this.#writer.append({ kind, said, traces, cause, at });
  }

  #cause(): number | null {
    return frameOf(this)?.seq ?? this.#turns.newest;
  }

  #count(what: keyof SessionCounts, traces: Traces): void {
    this.#counts[what] += 1;
    this.#counts.redacted += traces.redactions;
  }
}

/** Runs something where it belongs, as to what surrounds it. */
export type Enter = <R>(work: () => R) => R;

const inPlace: Enter = (work) => work();
