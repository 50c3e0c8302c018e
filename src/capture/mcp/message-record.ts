// How messages of a conversation are put on record: what they say, what they say besides, lists of tools, junk, and calls
// that will have no answer. Which of it is due is for conversation.ts to say.
import type { Json, JsonObject } from '../../core/index.ts';
import { isObject } from '../../core/index.ts';
import { tidy, type WireOpenCall, type WireRecorder } from '../../record/index.ts';
import { besideOf, markOf } from './mark.ts';
import { type Direction, type Message, memberAt } from './message.ts';
import { restIn, saidIn, withRest } from './message-rest.ts';
import type { Passing } from './passing.ts';
import type { Pending } from './pending.ts';
import { RESPONSE } from './purpose.ts';
import { type ToolList, toolsOf } from './tool-list.ts';

const LIST_MEMBERS: ReadonlySet<string> = new Set(['tools', 'nextCursor']);

/** One message of a frame, with what is at hand of it. */
export interface Said {
  readonly direction: Direction;
  readonly message: Message;
  readonly value: Json | undefined;
  readonly passing: Passing;
}

export interface MessageRecordOptions {
  readonly recorder: WireRecorder;
  /** What the server is called in entries. */
  readonly server: string;
  readonly tools: ToolList;
  readonly now: () => number;
}

export class MessageRecord {
  readonly #recorder: WireRecorder;
  readonly #server: string;
  readonly #tools: ToolList;
  readonly #now: () => number;

  constructor({ recorder, server, tools, now }: MessageRecordOptions) {
    this.#recorder = recorder;
    this.#server = server;
    this.#tools = tools;
    this.#now = now;
  }

  async junk(problem: string, lines: readonly Json[]): Promise<void> {
    const beside = markOf(this.#server, 'to-client', null, lines.length === 1 ? {} : { lines: lines.length });
    const content = lines.length === 1 ? lines[0] : lines;
    await this.#recorder.observe({ event: 'stdout', problem, content, beside });
  }

  /** On record when it resolves: what a message says, whichever it is. */
  async tell(
    { direction, message, value, passing }: Said,
    event: string,
    call: Promise<WireOpenCall> | null = null,
  ): Promise<void> {
    const { digest, text } = passing;
    const content = digest !== undefined ? undefined : value === undefined ? text() : saidIn(value);
    // Entries are in the order of messages, so nothing is waited for that need not be.
    const cause = call === null ? null : ((await call.catch(() => null))?.seq ?? null);
    await this.#recorder.observe({
      event,
      problem: null,
      ...(content === undefined ? {} : { content }),
      digest,
      cause,
      beside: markOf(this.#server, direction, message),
    });
  }

  /** What does not fit into the entry of the message itself. */
  async besides(
    mark: JsonObject,
    event: string,
    rest: JsonObject,
    call: Promise<WireOpenCall>,
  ): Promise<void> {
    const { seq: cause } = await call;
    await this.#recorder.observe({ event, problem: null, content: rest, cause, beside: mark });
  }

  listed({ message, value }: Said, pending: Pending, given: Json): Promise<unknown> {
    const result = tidy(memberAt(given, 'result') ?? null).value;
    const next = memberAt(result, 'nextCursor');
    const isLast = typeof next !== 'string' || next === '';
    const listed = this.#tools.page(pending.firstPage, toolsOf(result), isLast);
    const mark = markOf(this.#server, 'to-client', message);
    const event = 'tools/list';
    // A page is delivered before the next one is asked for, if it ever is.
    if (listed === undefined)
      return this.#recorder.observe({
        event,
        problem: null,
        content: memberAt(value, 'result'),
        beside: mark,
      });
    const { hash, count, changed, same, tools } = listed;
    const isMore = isObject(result) && Object.keys(result).some((name) => !LIST_MEMBERS.has(name));
    return this.#recorder.observe({
      event,
      problem: changed === null ? null : 'tools-changed',
      ...(isMore ? { content: memberAt(value, 'result') } : same ? {} : { content: tools }),
      beside: {
        ...withRest(mark, restIn(value, RESPONSE)),
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
    });
  }

  /** What answers nothing that was asked may be an answer to somebody. */
  unknownAnswer({ direction, message, value, passing }: Said, twice: boolean): Promise<unknown> {
    const { digest, text } = passing;
    return this.#recorder.observe({
      event: 'response',
      problem: message.id === null ? null : twice ? 'answered-twice' : 'unknown-id',
      ...(digest === undefined ? { content: value ?? text() } : { digest }),
      beside: markOf(this.#server, direction, message),
    });
  }

  async abort(call: Promise<WireOpenCall>, errorCode: string, pending?: Pending): Promise<void> {
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
