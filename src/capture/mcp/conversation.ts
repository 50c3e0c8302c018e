// What is recorded of a conversation between an MCP client and a server, of every revision and over every transport. It
// is given each message before that is handed on, and says when it may be: once it is on record, whatever it is. Only
// what carries nothing, a ping or progress in numbers, goes on at once and is counted. Neither side is believed: ids may
// collide, be used twice, or answer nothing. Every decision about a message is made here, in one place; purpose.ts says
// what a message is for, message-record.ts how it is put on record.
import type { Json } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import { RecordError, type WireOpenCall, type WireRecorder } from '../../record/index.ts';
import { fileOf } from './file-tools.ts';
import { Junk } from './junk.ts';
import { besideOf, markOf, reasonOf, toolUseId } from './mark.ts';
import { type Direction, type Frame, type Message, memberAt, wordOf } from './message.ts';
import { MessageRecord, type Said } from './message-record.ts';
import { isLong, restIn, withRest } from './message-rest.ts';
import type { Passing, Refused, Ruling } from './passing.ts';
import { MOST_PENDING, type Pending, PendingRequests } from './pending.ts';
import {
  isBare,
  isEmptyAnswer,
  isPlainProgress,
  purposeOf,
  REQUEST,
  RESPONSE,
  restOf,
  TOOL_CALL,
} from './purpose.ts';
import { encodeError, encodeRefusals } from './refusal.ts';
import { ToolList } from './tool-list.ts';

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
  readonly #record: MessageRecord;
  readonly #junk: Junk;
  /** What is recorded behind the back of what it is about. */
  readonly #notes = new Set<Promise<unknown>>();
  /** Of the handshake. */
  readonly #shaken = new Set<string>();
  /** Messages that carry nothing, by their method. */
  readonly #counted = new Map<string, number>();

  constructor(
    recorder: WireRecorder,
    { server, tools = new ToolList(), now = Date.now }: ConversationOptions,
  ) {
    this.#recorder = recorder;
    this.#server = server;
    this.#record = new MessageRecord({ recorder, server, tools, now });
    this.#now = now;
    this.#junk = new Junk((problem, lines) => this.#record.junk(problem, lines));
  }

  /** Undefined where it may go on at once. Never rejects. */
  take(direction: Direction, passing: Passing): Promise<Ruling> | undefined {
    const { problem } = passing.frame;
    const work =
      problem === null ? this.#messages(direction, passing) : [this.#unclear(direction, passing, problem)];
    if (work.every((each) => each === undefined)) return undefined;
    return this.#settle(direction, passing, work);
  }

  /** What was let go to the server did not get there, or was refused there: its calls have no answer. */
  async fail(frame: Frame, code: string): Promise<void> {
    for (const { type, id } of frame.messages) {
      const pending = type === 'request' && id !== null ? this.#pending.undo('to-server', id) : undefined;
      if (pending?.call != null) await this.#record.abort(pending.call, code, pending);
    }
  }

  /** Calls that are still open will have no answer. Resolves when all that was seen is on record, as far as it can be. */
  async end(code: string): Promise<void> {
    for (const pending of this.#pending.drain('to-server'))
      if (pending.call !== null)
        await this.#record.abort(pending.call, pending.cancelled ? 'CANCELLED' : code, pending);
    for (const { call, code: own } of this.#endless.splice(0)) await this.#record.abort(call, own);
    const counted = [...this.#counted];
    this.#counted.clear();
    for (const [event, lines] of counted)
      this.#track(this.#recorder.observe({ event, problem: null, beside: { lines } }));
    while (this.#notes.size > 0) await Promise.allSettled(this.#notes);
  }

  async #settle(
    direction: Direction,
    passing: Passing,
    work: readonly (Promise<unknown> | undefined)[],
  ): Promise<Ruling> {
    const done = await Promise.allSettled(work);
    const failed = done.find((each) => each.status === 'rejected');
    if (failed === undefined) return 'forward';
    const reason = reasonOf(failed.reason);
    const { frame } = passing;
    if (direction === 'to-client')
      return this.#withhold(
        passing,
        done.map(({ status }) => status === 'rejected'),
        reason,
      );
    // An unclear message waits for nothing yet; its id may be that of a call that does.
    if (frame.problem === null) this.#forget(frame.messages);
    const asked = idsOf(frame.messages, 'request');
    // Nobody knows what it is, so nobody may be waiting; a client that is, at least learns of it.
    if (asked.length === 0 && frame.problem !== null) asked.push(null);
    const answers = idsOf(frame.messages, 'response');
    return {
      reply: asked.length === 0 ? null : encodeRefusals(asked, reason, frame.batch),
      // A server that waits for an answer is told that there will be none.
      instead: answers.length === 0 ? null : encodeRefusals(answers, reason, frame.batch),
      reason,
    };
  }

  /** Errors stand for answers, requests are answered with one; what else was in a batch and is on record goes on. */
  #withhold({ frame, value }: Passing, failed: readonly boolean[], reason: string): Refused {
    if (frame.problem !== null) return { reply: null, instead: null, reason };
    const values = value();
    const texts = frame.messages.flatMap(({ type, id }, at) => {
      if (failed[at] === false && Array.isArray(values)) return [JSON.stringify(values[at])];
      return type === 'response' ? [encodeError(id, reason)] : [];
    });
    const asked = idsOf(
      frame.messages.filter((_, at) => failed[at]),
      'request',
    );
    const text = frame.batch ? `[${texts.join(',')}]` : texts.join('');
    return {
      reply: asked.length === 0 ? null : encodeRefusals(asked, reason, frame.batch),
      instead: texts.length === 0 ? null : Buffer.from(`${text}\n`),
      reason,
    };
  }

  /** Not forwarded: what is on record of it will not be answered. */
  #forget(messages: readonly Message[]): void {
    for (const { type, id } of messages) {
      if (type !== 'request' || id === null) continue;
      const pending = this.#pending.undo('to-server', id);
      if (pending?.call != null)
        this.#track(this.#record.abort(pending.call, 'AUDIT_APPEND_FAILED', pending));
    }
  }

  /** For each message what it waits for, if anything. */
  #messages(direction: Direction, passing: Passing): (Promise<unknown> | undefined)[] {
    const { messages, batch } = passing.frame;
    const whole = passing.digest === undefined ? passing.value() : undefined;
    return messages.map((message, at) => {
      const value = !batch ? whole : Array.isArray(whole) ? (whole[at] as Json) : undefined;
      const said = { direction, message, value, passing };
      return message.type === 'response' ? this.#response(said) : this.#asked(said);
    });
  }

  /** A request or a notification. */
  #asked(said: Said): Promise<unknown> | undefined {
    const { direction, message, value } = said;
    const { method, id, scalars } = message;
    if (method === null) return this.#record.tell(said, 'message');
    if (method === 'notifications/progress' && isPlainProgress(value)) {
      const token = scalars.get('params.progressToken');
      if (direction !== 'to-client' || token === undefined || !this.#pending.countProgress(token))
        this.#count(method);
      return undefined;
    }
    const purpose = purposeOf(direction, method);
    if (purpose === 'call') return this.#call(said, method);
    if (id !== null) {
      const cursor = scalars.get('params.cursor');
      const firstPage = cursor === undefined || cursor === 'null';
      const since = this.#now();
      this.#pending.add(direction, id, { method, since, call: null, progressToken: null, firstPage });
      if (isBare(method, value)) {
        if (method === 'ping') this.#count(method);
        return undefined;
      }
    }
    const asked = scalars.get('params.requestId');
    const cancelled =
      method === 'notifications/cancelled' && asked !== undefined
        ? this.#pending.peek(direction, asked)
        : undefined;
    if (cancelled !== undefined) cancelled.cancelled = true;
    const told = this.#record.tell(said, method, cancelled?.call ?? null);
    return purpose === 'handshake' && this.#isFirst(method, value) ? told.catch(() => undefined) : told;
  }

  #call({ message, value, passing }: Said, method: string): Promise<unknown> {
    const { id, scalars } = message;
    const { digest, text, caller } = passing;
    if (this.#pending.full)
      return Promise.reject(
        new RecordError(
          'AUDIT_BUFFER_FULL',
          `${MOST_PENDING} requests are already waiting for an answer, which is the limit.`,
        ),
      );
    // A number that JSON does not have, say: some servers take it, so it is a call, and its text stands for what it says.
    const isOdd = value === undefined && digest === undefined;
    const params = memberAt(value, 'params');
    const isTool = method === 'tools/call';
    const named = memberAt(params, 'name') ?? wordOf(scalars.get('params.name'));
    const tool = isTool && typeof named === 'string' ? named : method;
    const said = isTool ? memberAt(params, 'arguments') : params;
    const args = isOdd ? text() : (said ?? null);
    const rest = restIn(value, isTool ? TOOL_CALL : null);
    const mark = markOf(this.#server, 'to-server', message, digest === undefined ? {} : { oversized: true });
    const call = this.#recorder.call({
      tool,
      args,
      digest,
      caller,
      toolUseId: toolUseId(params, scalars),
      file: isTool && digest === undefined ? fileOf(tool, args) : undefined,
      beside: withRest(mark, rest),
    });
    call.catch(() => undefined);
    const token = scalars.get('params._meta.progressToken');
    const progressToken = token === undefined || token === 'null' ? null : token;
    const since = this.#now();
    if (id === null) this.#endless.push({ call, code: 'NOT_ANSWERABLE' });
    else this.#pending.add('to-server', id, { method, since, call, progressToken, firstPage: false });
    return isLong(rest) ? Promise.all([call, this.#record.besides(mark, method, rest, call)]) : call;
  }

  #response(said: Said): Promise<unknown> | undefined {
    const { direction, message, value } = said;
    const asker: Direction = direction === 'to-client' ? 'to-server' : 'to-client';
    const pending = message.id === null ? undefined : this.#pending.answer(asker, message.id);
    if (pending === undefined) {
      // What answers nothing that was asked may be an answer to somebody.
      const twice = message.id !== null && this.#pending.wasAnswered(asker, message.id);
      return this.#record.unknownAnswer(said, twice);
    }
    if (pending.call !== null) return this.#answer(said, pending, pending.call);
    if (pending.method === 'ping' && isEmptyAnswer(value)) return undefined;
    const answered = { ...said, message: { ...message, method: pending.method } };
    if (pending.method === 'tools/list' && !message.failed && value !== undefined)
      return this.#record.listed(answered, pending, value);
    const told = this.#record.tell(answered, pending.method);
    const isHandshake = asker === 'to-server' && pending.method === 'initialize';
    return isHandshake ? told.catch(() => undefined) : told;
  }

  async #answer(
    { message, value, passing }: Said,
    pending: Pending,
    call: Promise<WireOpenCall>,
  ): Promise<void> {
    const { failed, scalars } = message;
    const { digest, text } = passing;
    const isError = scalars.get('result.isError') === 'true';
    const code = scalars.get('error.code');
    const isOdd = value === undefined && digest === undefined;
    const said = failed ? { error: memberAt(value, 'error') ?? null } : memberAt(value, 'result');
    const rest = restIn(value, RESPONSE);
    const mark = markOf(
      this.#server,
      'to-client',
      { ...message, method: pending.method },
      besideOf(pending, digest),
    );
    try {
      if (isLong(rest)) await this.#record.besides(mark, pending.method, rest, call);
      await this.#recorder.result(await call, {
        result: failed || isError ? 'error' : 'ok',
        errorCode: failed
          ? code === undefined
            ? 'JSONRPC'
            : `JSONRPC_${code}`
          : isError
            ? 'TOOL_ERROR'
            : null,
        output: isOdd ? text() : said,
        digest,
        durationMs: this.#now() - pending.since,
        beside: withRest(mark, rest),
      });
    } catch (error) {
      this.#endless.push({ call, code: 'AUDIT_APPEND_FAILED' });
      throw error;
    }
  }

  /** It can't be told what the other side will make of it. */
  async #unclear(direction: Direction, passing: Passing, problem: string): Promise<void> {
    const { text, value, digest, frame } = passing;
    const content = problem === 'ambiguous' ? text() : (value() ?? text());
    if (direction === 'to-client' && problem !== 'ambiguous' && digest === undefined)
      return this.#junk.add(problem, content);
    const call = await this.#recorder.observe({
      event: direction === 'to-server' ? 'stdin' : 'stdout',
      problem,
      ...(digest === undefined ? { content } : { digest }),
      beside: markOf(this.#server, direction, null),
    });
    if (call !== null) this.#expect(Promise.resolve(call), frame.messages);
  }

  /** Of one request the answer is known by its id, as far as that can be read. Nobody can say which answers belong to others. */
  #expect(call: Promise<WireOpenCall>, [message, ...others]: readonly Message[]): void {
    const id = message?.type === 'request' && others.length === 0 ? message.id : null;
    if (id === null || this.#pending.full) {
      this.#track(this.#record.abort(call, 'NOT_ANSWERABLE'));
      return;
    }
    const method = message?.method ?? 'stdin';
    const since = this.#now();
    this.#pending.add('to-server', id, { method, since, call, progressToken: null, firstPage: false });
  }

  /** A handshake is one, and its end has nothing to say. What comes again, or says more, is like everything else. */
  #isFirst(method: string, value: Json | undefined): boolean {
    const isFirst = !this.#shaken.has(method);
    this.#shaken.add(method);
    return isFirst && isObject(value) && (method === 'initialize' || restOf(value, REQUEST) === null);
  }

  #count(method: string): void {
    this.#counted.set(method, (this.#counted.get(method) ?? 0) + 1);
  }

  /** What fails is told by the recorder, as a gap. */
  #track(work: Promise<unknown>): void {
    const quiet = work.catch(() => undefined).finally(() => this.#notes.delete(quiet));
    this.#notes.add(quiet);
  }
}

function idsOf(messages: readonly Message[], wanted: Message['type']): (string | null)[] {
  return messages.filter(({ type }) => type === wanted).map(({ id }) => id);
}
