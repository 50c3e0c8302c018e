// Recording an exchange with a model: the call durable before it goes upstream, each call of a tool that the model asks
// for before the client can act on it, the result before the answer's end is handed on. Whoever forwards the bytes calls
// these in that order and forwards nothing that is not on record yet.
import { isObject, type Json, type JsonObject } from '../../core/index.ts';
import {
  type ClientCall,
  encodeInteraction,
  encodeModelCall,
  encodeModelResult,
  encodeModelToolResult,
  encodeModelToolUse,
  type Interaction,
  type KeptMessage,
  type ModelResult,
  type ModelToolResult,
  type ModelToolUse,
  NO_TOKENS,
  withTraces,
} from '../../format/index.ts';
import { type Clock, type EntryLog, encodeBlock, type NewEntry } from '../../ledger/index.ts';
import type { OpenChain, Step } from '../../session/index.ts';
import { outputText } from '../facts/facts.ts';
import { testCounts } from '../facts/test-counts.ts';
import { type Intake, Traces } from '../intake.ts';
import { appendFailed } from '../record-error.ts';
import { lineBytes } from '../short.ts';
import type { AskedCalls } from './asked-calls.ts';
import type { ModelAnswer, ModelMessage, ModelRequest, ToolOutput, ToolUse } from './model-facts.ts';
import { type KeepingSession, ModelKeeping } from './model-keeping.ts';
import type { NamedValues } from './named-values.ts';
import { type PassedBy, passedByEntry } from './passed-by.ts';

export interface ModelRecorderOptions {
  readonly store: Pick<EntryLog, 'append'>;
  readonly intake: Intake;
  /** `gateway` or `sdk`. */
  readonly source: string;
  readonly now?: Clock;
}

/** The session that a call is of. */
export interface ModelSession extends KeepingSession {
  readonly asked: AskedCalls;
  /** The prompt that the call serves, where one is known. */
  readonly prompt: number | null;
  /** Where each call is an interaction of the session: its chain. */
  readonly chain: OpenChain | null;
}

/** A request as it is about to be sent. */
export interface Sent {
  readonly provider: string;
  readonly api: string;
  readonly upstream: string;
  readonly method: string;
  readonly path: string;
  /** What stands behind the path; null where nothing does. */
  readonly query?: string | null | undefined;
  /** Those that go on with it. */
  readonly headers?: NamedValues | undefined;
  /** Null where nothing of it is at hand. */
  readonly request: ModelRequest | null;
  readonly bytes: number;
  /** The end of the receipt's id, behind the call's seq; null where no receipt is made. */
  readonly receipt: string | null;
  readonly nonce: string | null;
  /** Of an independent gateway: whose call it is. Asked inside the append, where its number is known. May throw. */
  readonly client?: (() => ClientCall) | undefined;
  /** The independent gateway that it goes through. */
  readonly through?: string | undefined;
}

/** What became of it. */
export interface Received
  extends Pick<
    ModelResult,
    | 'result'
    | 'errorCode'
    | 'status'
    | 'requestId'
    | 'understood'
    | 'wireBytes'
    | 'encoding'
    | 'attempts'
    | 'durationMs'
    | 'firstByteMs'
  > {
  /** Null where none began. */
  readonly answer: ModelAnswer | null;
}

export interface RecordedAt {
  readonly seq: number;
  readonly hash: string;
  readonly payload: JsonObject;
}

/** A call that is on record and has no result yet. */
export interface OpenModelCall {
  readonly session: string;
  readonly seq: number;
  readonly hash: string;
  /** The hash of the entry before it. */
  readonly prevHash: string;
  /** As it is on record. */
  readonly payload: JsonObject;
  /** Durable when it resolves. */
  toolUses(uses: readonly ToolUse[]): Promise<void>;
  /** Something of the answer that nobody can read for certain. Durable when it resolves. */
  observe(seen: readonly PassedBy[]): Promise<void>;
  /** Durable when it resolves. */
  finish(received: Received): Promise<RecordedAt>;
}

export class ModelRecorder {
  readonly #options: ModelRecorderOptions;
  readonly #now: Clock;
  readonly #keeping: ModelKeeping;

  constructor(options: ModelRecorderOptions) {
    this.#options = options;
    this.#keeping = new ModelKeeping(options.intake);
    this.#now = options.now ?? Date.now;
  }

  /** Durable when it resolves. RecordError where it can't be recorded: then nothing may be sent. */
  async begin(session: ModelSession, sent: Sent): Promise<OpenModelCall> {
    try {
      return await this.#begin(session, sent);
    } catch (error) {
      throw appendFailed('the request', error);
    }
  }

  /** What passed and is no call. Durable when it resolves, with the seq of the first. RecordError where it can't be. */
  async observe(
    session: Pick<ModelSession, 'id'>,
    seen: readonly PassedBy[],
    cause: number | null,
  ): Promise<number> {
    const { intake, source } = this.#options;
    try {
      const place = { intake, source, session: session.id };
      const drafts = await Promise.all(seen.map((each) => passedByEntry(place, each, cause)));
      const { seq } = await this.#append(() => drafts);
      return seq - drafts.length + 1;
    } catch (error) {
      throw appendFailed('what passed', error);
    }
  }

  async #begin(session: ModelSession, sent: Sent): Promise<OpenModelCall> {
    const { intake, source } = this.#options;
    const { request, receipt } = sent;
    const traces = new Traces();
    const word = (text: string): string => intake.word(text, traces);
    const { memory } = session;
    const messages = request?.messages ?? [];
    const keys = messages.map(({ role, value }) => memory.keyOf(role, value));
    const base = memory.baseOf(keys);
    // What is kept from the base is on record there, and nobody looks at it again.
    const fresh = messages.slice(base.kept);
    const [kept, tools, parameters] = await Promise.all([
      Promise.all(
        fresh.map(async ({ role, value }, i): Promise<KeptMessage> => {
          const key = keys[base.kept + i] ?? '';
          return { role: word(role), kept: await this.#keeping.keep(session, key, value, traces) };
        }),
      ),
      this.#keeping.tools(session, request?.tools ?? null, traces),
      this.#keeping.parameters(session, sent, traces),
    ]);
    const call = {
      provider: sent.provider,
      api: sent.api,
      upstream: word(sent.upstream),
      method: word(sent.method),
      path: word(sent.path),
      model: request?.model === undefined || request.model === null ? null : word(request.model),
      stream: request?.stream ?? false,
      parameters,
      promptHash: kept.at(-1)?.kept.hash ?? (await this.#keeping.lastHash(session, keys)),
      messages: request === null ? null : await this.#keeping.manifest(session, base, messages.length, kept),
      toolsHash: tools?.kept.hash ?? null,
      tools: tools?.isNew ? tools.kept : null,
      requestBytes: sent.bytes,
      nonce: sent.nonce,
      ...(sent.through === undefined ? {} : { through: word(sent.through) }),
    };
    const results = toldNow(session, fresh, word);
    let payload: JsonObject = {};
    let prevHash = '';
    // What the model is told of earlier calls stands before the call that tells it.
    const head = await this.#options.store.append((before) => {
      const entry = { source, session_id: session.id };
      const now = this.#now();
      const told = encodeBlock(
        results.map((result) => ({
          ...entry,
          kind: 'model.tool_result',
          cause: session.asked.find(result.toolUseId)?.seq ?? session.prompt,
          payload: encodeModelToolResult(result),
        })),
        before,
        now,
      );
      prevHash = told.head.hash;
      const receiptId = receipt === null ? null : `${told.head.seq + 1}-${receipt}`;
      const client = sent.client?.();
      const whole = { ...call, receiptId, ...(client === undefined ? {} : { client }) };
      payload = withTraces(encodeModelCall(whole), traces);
      const called = encodeBlock(
        [{ ...entry, kind: 'model.call', cause: session.prompt, payload }],
        told.head,
        now,
      );
      return results.length === 0 ? called : { ...called, lines: Buffer.concat([told.lines, called.lines]) };
    });
    if (head === undefined) throw new TypeError('an entry was given');
    memory.remember(head.seq, keys, base.seq);
    for (const { toolUseId, ...result } of results) session.asked.tell(toolUseId, result);
    let told = 0;
    return {
      session: session.id,
      seq: head.seq,
      hash: head.hash,
      prevHash,
      payload,
      toolUses: async (uses) => {
        await this.#toolUses(session, head.seq, uses);
        told += uses.length;
      },
      observe: async (seen) => {
        await this.observe(session, seen, head.seq);
      },
      finish: (received) =>
        this.#finish(session, { seq: head.seq, promptHash: call.promptHash }, received, told),
    };
  }

  async #toolUses(session: ModelSession, call: number, uses: readonly ToolUse[]): Promise<void> {
    const { intake, source } = this.#options;
    if (uses.length === 0) return;
    try {
      const drafts = await Promise.all(
        uses.map(async ({ id, name, input, whole }) => {
          const traces = new Traces();
          // As hooks do, so that the two can be compared.
          const hidden = new Set(session.fileMembers?.(name, input));
          const clean = intake.clean(await intake.withoutFiles(session.id, input, hidden, traces), traces);
          const use: ModelToolUse = {
            toolUseId: id === null ? null : intake.word(id, traces),
            tool: intake.word(name, traces),
            inputHash: await intake.hash(session.id, clean),
            inputBytes: lineBytes(clean),
            whole,
          };
          return { use, payload: withTraces(encodeModelToolUse(use), traces) };
        }),
      );
      const { seq } = await this.#append(() =>
        drafts.map(({ payload }) => ({
          kind: 'model.tool_use',
          source,
          session_id: session.id,
          cause: call,
          payload,
        })),
      );
      for (const [i, { use }] of drafts.entries())
        if (use.toolUseId !== null)
          session.asked.ask(use.toolUseId, { ...use, seq: seq - drafts.length + i + 1 });
    } catch (error) {
      throw appendFailed('a call of a tool', error);
    }
  }

  async #finish(
    session: ModelSession,
    call: { readonly seq: number; readonly promptHash: string | null },
    received: Received,
    toolUses: number,
  ): Promise<RecordedAt> {
    const { intake, source } = this.#options;
    try {
      const traces = new Traces();
      const word = (text: string | null | undefined): string | null =>
        text === null || text === undefined ? null : intake.word(text, traces);
      const { answer } = received;
      const payload = encodeModelResult({
        result: received.result,
        errorCode: word(received.errorCode ?? answer?.error),
        status: received.status,
        model: word(answer?.model),
        responseId: word(answer?.id),
        requestId: word(received.requestId),
        stopReason: word(answer?.stopReason),
        tokens: answer?.tokens ?? NO_TOKENS,
        response: await this.#keeping.response(session, answer?.message ?? null, traces),
        understood: received.understood,
        toolUses,
        wireBytes: received.wireBytes,
        encoding: word(received.encoding),
        attempts: received.attempts,
        durationMs: received.durationMs,
        firstByteMs: received.firstByteMs,
      });
      const entry = { kind: 'model.result', source, session_id: session.id, cause: call.seq };
      const { chain } = session;
      if (chain === null) {
        const said = withTraces(payload, traces);
        const { seq, hash } = await this.#append(() => [{ ...entry, payload: said }]);
        return { seq, hash, payload: said };
      }
      const hashes = [call.promptHash, payload.response_hash as string | null] as const;
      return await this.#interact(chain, hashes, (interaction) => ({
        ...entry,
        payload: withTraces({ ...payload, ...encodeInteraction(interaction) }, traces),
      }));
    } catch (error) {
      throw appendFailed('the answer', error);
    }
  }

  /** An entry that completes an interaction, where this source counts them. */
  async #interact(
    chain: OpenChain,
    [promptHash, responseHash]: readonly [string | null, string | null],
    draftOf: (interaction: Interaction | null) => NewEntry,
  ): Promise<RecordedAt> {
    let step: Step | null = null;
    let draft: NewEntry | undefined;
    const head = await chain.exclusive(async () => {
      const after = await this.#options.store.append(
        (before, state) => {
          step = chain.next(state, promptHash, responseHash);
          draft = draftOf(step?.interaction ?? null);
          const block = encodeBlock([draft], before, this.#now());
          return step?.state === undefined ? block : { ...block, state: step.state };
        },
        chain.state === undefined ? {} : { state: chain.state },
      );
      if (step !== null) chain.settle(step);
      return after;
    });
    if (head === undefined || draft === undefined) throw new TypeError('an entry was given');
    return { seq: head.seq, hash: head.hash, payload: draft.payload };
  }

  async #append(drafts: (seq: number) => readonly NewEntry[]): Promise<{ seq: number; hash: string }> {
    const head = await this.#options.store.append((before) =>
      encodeBlock(drafts(before.seq + 1), before, this.#now()),
    );
    if (head === undefined) throw new TypeError('an entry was given');
    return head;
  }
}

/** Of a line; more are not told. */
const MOST_RESULTS = 1024;
/** Of an output that is looked at for a report of tests, and pieces of one. */
const LONGEST_OUTPUT = 64 * 1024;
const MOST_PIECES = 64;

/** What messages tell of calls that were made, where they are the first to tell it. */
function toldNow(
  { asked }: ModelSession,
  messages: readonly ModelMessage[],
  word: (text: string) => string,
): ModelToolResult[] {
  return messages
    .flatMap(({ results = [] }) => results)
    .slice(-MOST_RESULTS)
    .map(({ id, output, error }) => ({ toolUseId: word(id), error, tests: testsIn(output) }))
    .filter(({ toolUseId }) => (asked.find(toolUseId)?.told ?? null) === null);
}

function testsIn(output: ToolOutput['output']): ModelToolResult['tests'] {
  const pieces = Array.isArray(output) ? (output as readonly Json[]).slice(0, MOST_PIECES) : [output];
  const text = pieces.map((piece) => (isText(piece) ? piece.text : outputText(piece))).join('\n');
  return text.length > LONGEST_OUTPUT ? null : testCounts(text);
}

function isText(piece: Json): piece is JsonObject & { readonly text: string } {
  return isObject(piece) && typeof piece.text === 'string';
}
