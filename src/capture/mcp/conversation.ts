// What is recorded of a conversation between an MCP client and a server, of every revision and over every transport. It
// is given each message before that is handed on, and says when it may be: a call once it is on record, an answer to one
// once that is, all else at once. Neither side is believed: ids may collide, be used twice, or answer nothing. Every
// decision about a message is made here, in one place, which is why the file is long.
import type { Json } from '../../core/index.ts';
import { type Digest, RecordError, tidy, type WireOpenCall, type WireRecorder } from '../../record/index.ts';
import { fileOf } from './file-tools.ts';
import { besideOf, markOf, reasonOf, toolUseId } from './mark.ts';
import { type Direction, type Frame, isObject, type Message, memberAt, wordOf } from './message.ts';
import { MOST_PENDING, type Pending, PendingRequests } from './pending.ts';
import { encodeError, encodeRefusals } from './refusal.ts';
import { ToolList, toolsOf } from './tool-list.ts';

/** A frame on its way. */
export interface Passing {
  readonly frame: Frame;
  /** Its value, parsed; undefined where it can't be, or was too long to be held. */
  readonly value: () => Json | undefined;
  /** As text, for what is no JSON. */
  readonly text: () => string;
  /** Of its bytes, where it was too long to be held. */
  readonly digest?: Digest | undefined;
  /** Who says it, as far as the transport knows. */
  readonly caller?: string | undefined;
}

/** What becomes of a frame that may not be handed on. */
export interface Refused {
  /** For who asked; null where nobody waits for an answer. */
  readonly reply: Uint8Array | null;
  /** Goes on in its place. */
  readonly instead: Uint8Array | null;
  readonly reason: string;
}

export type Ruling = 'forward' | Refused;

/** Requests that do something, or read something: on record before they are made. */
const CALLS: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get', 'tasks/result']);
/** Requests, and their answers, that tell something about the session. */
const TOLD: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
]);
const TOLD_NOTIFICATIONS: ReadonlySet<string> = new Set([
  'notifications/cancelled',
  'notifications/tools/list_changed',
  'notifications/resources/list_changed',
  'notifications/prompts/list_changed',
  'notifications/roots/list_changed',
  'notifications/elicitation/complete',
  'notifications/tasks/status',
]);
/** Lines that are no messages, from a server that logs to its standard output. */
const MOST_JUNK = 16;

export interface ConversationOptions {
  /** What the server is called in entries. */
  readonly server: string;
  /** Shared by several conversations with one server. */
  readonly tools?: ToolList;
  readonly now?: () => number;
}

export class Conversation {
  readonly #recorder: WireRecorder;
  readonly #server: string;
  readonly #now: () => number;
  readonly #pending = new PendingRequests();
  /** Calls without an id, and calls whose result could not be recorded: nobody will end them. */
  readonly #endless: { readonly call: Promise<WireOpenCall>; readonly code: string }[] = [];
  readonly #tools: ToolList;
  /** What is recorded behind the back of what it is about. */
  readonly #notes = new Set<Promise<void>>();
  #junk = 0;

  constructor(
    recorder: WireRecorder,
    { server, tools = new ToolList(), now = Date.now }: ConversationOptions,
  ) {
    this.#recorder = recorder;
    this.#server = server;
    this.#tools = tools;
    this.#now = now;
  }

  /** Undefined where it may go on at once. Never rejects. */
  take(direction: Direction, passing: Passing): Promise<Ruling> | undefined {
    const { frame } = passing;
    const work =
      frame.problem === null
        ? this.#messages(direction, passing)
        : this.#unclear(direction, passing, frame.problem);
    if (work.length === 0) return undefined;
    return this.#settle(direction, frame, passing, work);
  }

  /** What was let go to the server did not get there, or was refused there: its calls have no answer. */
  async fail(frame: Frame, code: string): Promise<void> {
    for (const { type, id } of frame.messages) {
      const pending = type === 'request' && id !== null ? this.#pending.undo('to-server', id) : undefined;
      if (pending?.call != null) await this.#abort(pending.call, code, pending);
    }
  }

  /** Calls that are still open will have no answer. Resolves when all that was seen is on record, as far as it can be. */
  async end(code: string): Promise<void> {
    for (const pending of this.#pending.drain('to-server'))
      if (pending.call !== null)
        await this.#abort(pending.call, pending.cancelled ? 'CANCELLED' : code, pending);
    for (const { call, code: own } of this.#endless.splice(0)) await this.#abort(call, own);
    if (this.#junk > MOST_JUNK)
      this.#note({ event: 'stdout', problem: 'not-json', beside: { lines: this.#junk - MOST_JUNK } });
    while (this.#notes.size > 0) await Promise.allSettled(this.#notes);
  }

  async #settle(
    direction: Direction,
    frame: Frame,
    passing: Passing,
    work: readonly Promise<unknown>[],
  ): Promise<Ruling> {
    const done = await Promise.allSettled(work);
    const failed = done.find((each) => each.status === 'rejected');
    if (failed === undefined) return 'forward';
    const reason = reasonOf(failed.reason);
    if (direction === 'to-client') return this.#withhold(frame, passing, reason);
    this.#forget(frame.messages);
    const ids = frame.messages.filter(({ type }) => type === 'request').map(({ id }) => id);
    // Nobody knows what it is, so nobody may be waiting; a client that is, at least learns of it.
    const asked = ids.length === 0 && frame.problem !== null ? [null] : ids;
    const reply = asked.length === 0 ? null : encodeRefusals(asked, reason, frame.batch);
    return { reply, instead: null, reason };
  }

  /** The errors that stand for answers; what else was in a batch goes on. */
  #withhold({ messages, batch, problem }: Frame, { value }: Passing, reason: string): Refused {
    if (problem !== null) return { reply: null, instead: null, reason };
    if (!batch) {
      const instead = encodeRefusals([messages[0]?.id ?? null], reason, false);
      return { reply: null, instead, reason };
    }
    const values = value();
    const texts = messages.map(({ type, id }, at) =>
      type === 'response' || !Array.isArray(values) ? encodeError(id, reason) : JSON.stringify(values[at]),
    );
    return { reply: null, instead: Buffer.from(`[${texts.join(',')}]\n`), reason };
  }

  /** Not forwarded: what is on record of it will not be answered. */
  #forget(messages: readonly Message[]): void {
    for (const { type, id } of messages) {
      if (type !== 'request' || id === null) continue;
      const pending = this.#pending.undo('to-server', id);
      if (pending?.call != null) this.#track(this.#abort(pending.call, 'AUDIT_APPEND_FAILED', pending));
    }
  }

  #messages(direction: Direction, passing: Passing): Promise<unknown>[] {
    const work: Promise<unknown>[] = [];
    const { messages, batch } = passing.frame;
    for (const [at, message] of messages.entries()) {
      const value = (): Json | undefined => {
        const whole = passing.value();
        return batch ? (Array.isArray(whole) ? (whole[at] as Json) : undefined) : whole;
      };
      const one =
        message.type === 'response'
          ? this.#response(direction, message, value, passing.digest)
          : this.#asked(direction, message, value, passing);
      if (one !== undefined) work.push(one);
    }
    return work;
  }

  /** A request or a notification. */
  #asked(
    direction: Direction,
    message: Message,
    value: () => Json | undefined,
    passing: Passing,
  ): Promise<unknown> | undefined {
    const { method, id, scalars } = message;
    if (method === null) return undefined;
    if (direction === 'to-server' && CALLS.has(method)) return this.#call(message, method, value, passing);
    if (method === 'notifications/progress') {
      const token = scalars.get('params.progressToken');
      if (direction === 'to-client' && token !== undefined) this.#pending.countProgress(token);
      return undefined;
    }
    if (id !== null) {
      const cursor = scalars.get('params.cursor');
      const first = cursor === undefined || cursor === 'null';
      const since = this.#now();
      this.#pending.add(direction, id, { method, since, call: null, progressToken: null, firstPage: first });
      if (TOLD.has(method)) this.#tell(direction, message, value, passing.digest);
      return undefined;
    }
    if (!TOLD_NOTIFICATIONS.has(method)) return undefined;
    const asked = scalars.get('params.requestId');
    const cancelled =
      method === 'notifications/cancelled' && asked !== undefined
        ? this.#pending.peek(direction, asked)
        : undefined;
    if (cancelled !== undefined) cancelled.cancelled = true;
    this.#tell(direction, message, value, passing.digest, cancelled?.call ?? null);
    return undefined;
  }

  #call(
    message: Message,
    method: string,
    value: () => Json | undefined,
    { digest, text, caller }: Passing,
  ): Promise<unknown> {
    const { id, scalars } = message;
    if (this.#pending.full)
      return Promise.reject(
        new RecordError('AUDIT_BUFFER_FULL', `${MOST_PENDING} requests wait for an answer, and no more may.`),
      );
    const whole = value();
    // A number that JSON does not have, say: some servers take it, so it is a call, and its text stands for what it says.
    const isOdd = whole === undefined && digest === undefined;
    const params = memberAt(whole, 'params');
    const isTool = method === 'tools/call';
    const named = memberAt(params, 'name') ?? wordOf(scalars.get('params.name'));
    const tool = isTool && typeof named === 'string' ? named : method;
    const said = isTool ? memberAt(params, 'arguments') : params;
    const args = isOdd ? text() : (said ?? null);
    const call = this.#recorder.call({
      tool,
      args,
      digest,
      caller,
      toolUseId: toolUseId(params, scalars),
      file: isTool && digest === undefined ? fileOf(tool, args) : undefined,
      beside: markOf(this.#server, 'to-server', message, digest === undefined ? {} : { oversized: true }),
    });
    call.catch(() => undefined);
    const token = scalars.get('params._meta.progressToken');
    const progressToken = token === undefined || token === 'null' ? null : token;
    const since = this.#now();
    if (id === null) this.#endless.push({ call, code: 'NOT_ANSWERABLE' });
    else this.#pending.add('to-server', id, { method, since, call, progressToken, firstPage: false });
    return call;
  }

  #response(
    direction: Direction,
    message: Message,
    value: () => Json | undefined,
    digest: Digest | undefined,
  ): Promise<unknown> | undefined {
    const asker: Direction = direction === 'to-client' ? 'to-server' : 'to-client';
    const pending = message.id === null ? undefined : this.#pending.answer(asker, message.id);
    if (pending === undefined) return this.#unknownAnswer(direction, message, value, digest);
    if (pending.call !== null) return this.#answer(pending, pending.call, message, value, digest);
    if (pending.method === 'tools/list' && digest === undefined) this.#listed(pending, message, value);
    // A list of tools that is too long to be held is none that could be compared; it is not passed over.
    else if (TOLD.has(pending.method) || pending.method === 'tools/list')
      this.#tell(direction, { ...message, method: pending.method }, value, digest);
    return undefined;
  }

  /** What answers nothing that was asked is on record before it is delivered: it may be an answer to somebody. */
  #unknownAnswer(
    direction: Direction,
    message: Message,
    value: () => Json | undefined,
    digest: Digest | undefined,
  ): Promise<unknown> | undefined {
    const asker: Direction = direction === 'to-client' ? 'to-server' : 'to-client';
    const twice = message.id !== null && this.#pending.wasAnswered(asker, message.id);
    const seen = this.#recorder.observe({
      event: 'response',
      problem: message.id === null ? null : twice ? 'answered-twice' : 'unknown-id',
      content: value(),
      digest,
      beside: markOf(this.#server, direction, message),
    });
    if (direction === 'to-client') return seen;
    this.#track(seen);
    return undefined;
  }

  async #answer(
    pending: Pending,
    call: Promise<WireOpenCall>,
    message: Message,
    value: () => Json | undefined,
    digest: Digest | undefined,
  ): Promise<void> {
    const whole = value();
    const { failed, scalars } = message;
    const isError = scalars.get('result.isError') === 'true';
    const code = scalars.get('error.code');
    try {
      await this.#recorder.result(await call, {
        result: failed || isError ? 'error' : 'ok',
        errorCode: failed
          ? code === undefined
            ? 'JSONRPC'
            : `JSONRPC_${code}`
          : isError
            ? 'TOOL_ERROR'
            : null,
        output: failed ? { error: memberAt(whole, 'error') ?? null } : memberAt(whole, 'result'),
        digest,
        durationMs: this.#now() - pending.since,
        beside: markOf(
          this.#server,
          'to-client',
          { ...message, method: pending.method },
          besideOf(pending, digest),
        ),
      });
    } catch (error) {
      this.#endless.push({ call, code: 'AUDIT_APPEND_FAILED' });
      throw error;
    }
  }

  #listed(pending: Pending, message: Message, value: () => Json | undefined): void {
    const result = tidy(memberAt(value(), 'result') ?? null).value;
    const next = memberAt(result, 'nextCursor');
    const listed = this.#tools.page(
      pending.firstPage,
      toolsOf(result),
      typeof next !== 'string' || next === '',
    );
    if (listed === undefined) return;
    const { hash, count, changed, same, tools } = listed;
    this.#note({
      event: 'tools/list',
      problem: changed === null ? null : 'tools-changed',
      ...(same ? {} : { content: tools }),
      beside: markOf(
        this.#server,
        'to-client',
        { ...message, method: 'tools/list' },
        {
          tools_hash: hash,
          tools: count,
          ...(changed === null
            ? {}
            : {
                changed: {
                  added: [...changed.added],
                  removed: [...changed.removed],
                  altered: [...changed.altered],
                  before: changed.before,
                },
              }),
        },
      ),
    });
  }

  /** It can't be told what the other side will make of it. */
  #unclear(direction: Direction, { text, value, digest }: Passing, problem: string): Promise<unknown>[] {
    const seen = (): Promise<void> =>
      this.#recorder.observe({
        event: direction === 'to-server' ? 'stdin' : 'stdout',
        problem,
        ...(digest === undefined ? { content: value() ?? text() } : { digest }),
        beside: markOf(this.#server, direction, null),
      });
    // A server's log lines are no messages, and nobody takes them for some.
    if (direction === 'to-client' && problem !== 'ambiguous') {
      this.#junk += 1;
      if (this.#junk <= MOST_JUNK) this.#track(seen());
      return [];
    }
    return [seen()];
  }

  /** Recorded behind the message's back: it does not wait. */
  #tell(
    direction: Direction,
    message: Message,
    value: () => Json | undefined,
    digest: Digest | undefined,
    call: Promise<WireOpenCall> | null = null,
  ): void {
    const whole = value();
    const content = isObject(whole) ? (whole.params ?? whole.result ?? whole.error) : undefined;
    const observe = async (): Promise<void> => {
      const cause = (await call?.catch(() => null))?.seq ?? null;
      await this.#recorder.observe({
        event: message.method ?? 'message',
        problem: null,
        ...(content === undefined ? {} : { content }),
        digest,
        cause,
        beside: markOf(this.#server, direction, message),
      });
    };
    this.#track(observe());
  }

  #note(seen: Parameters<WireRecorder['observe']>[0]): void {
    this.#track(this.#recorder.observe(seen));
  }

  /** What fails is told by the recorder, as a gap. */
  #track(work: Promise<void>): void {
    const quiet = work.catch(() => undefined).finally(() => this.#notes.delete(quiet));
    this.#notes.add(quiet);
  }

  async #abort(call: Promise<WireOpenCall>, errorCode: string, pending?: Pending): Promise<void> {
    try {
      await this.#recorder.result(await call, {
        result: 'aborted',
        errorCode,
        durationMs: pending === undefined ? null : this.#now() - pending.since,
        beside: markOf(this.#server, 'to-client', null, pending === undefined ? {} : besideOf(pending)),
      });
    } catch {
      // The recorder tells of it, if it ever can.
    }
  }
}
