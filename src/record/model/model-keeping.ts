// What is kept of an exchange with a model: messages, tools, parameters and what a request says beside its body. What a
// client sends again and again is kept once.
import { isObject, type Json, type JsonObject } from '../../core/index.ts';
import { encodeMessage, type Kept, type KeptMessage, type Manifest } from '../../format/index.ts';
import type { Intake, Traces } from '../intake.ts';
import { lineBytes } from '../short.ts';
import type { MessageMemory } from './message-memory.ts';
import type { ModelMessage, ModelRequest } from './model-facts.ts';
import { headerFacts, type NamedValues, queryFacts, toldValues } from './named-values.ts';

export interface KeepingSession {
  readonly id: string;
  readonly memory: MessageMemory;
  /** Members of a tool's arguments that hold the content of a file, as the host's hooks hide them. */
  readonly fileMembers?: ((tool: string, input: Json) => readonly string[]) | undefined;
}

interface Beside {
  /** Null where nothing of it is at hand. */
  readonly request: ModelRequest | null;
  /** What stands behind the path; null where nothing does. */
  readonly query?: string | null | undefined;
  /** Those that go on with it. */
  readonly headers?: NamedValues | undefined;
}

/** Among the parameters, under a name that no API has. */
const QUERY = '?query';
const HEADERS = '?headers';
/** Bytes of a list in a line; a longer one is content. */
const LARGEST_LIST = 14_000;
const MOST_LISTED = 1024;

export class ModelKeeping {
  readonly #intake: Intake;

  constructor(intake: Intake) {
    this.#intake = intake;
  }

  /** In the form in which the client will send it back, so that it is known then. */
  async response(
    session: KeepingSession,
    message: ModelMessage | null,
    traces: Traces,
  ): Promise<Kept | null> {
    if (message === null) return null;
    const key = session.memory.keyOf(message.role, message.value);
    return this.keep(session, key, message.value, traces);
  }

  keep(session: KeepingSession, key: string, value: Json, traces: Traces): Promise<Kept> {
    const intake = this.#intake;
    return session.memory.keep(key, value, traces, async (given, counted) =>
      intake.keep(session.id, intake.clean(await this.#withoutFiles(session, given, counted), counted)),
    );
  }

  /** A message without the content of files that the model has its agent write. */
  async #withoutFiles({ id, fileMembers }: KeepingSession, message: Json, traces: Traces): Promise<Json> {
    if (fileMembers === undefined || !isObject(message) || !Array.isArray(message.content)) return message;
    const content: Json[] = [];
    for (const block of message.content as readonly Json[]) {
      const { type, name, input = null } = isObject(block) ? block : {};
      const hidden = new Set(type === 'tool_use' && typeof name === 'string' ? fileMembers(name, input) : []);
      if (hidden.size === 0) content.push(block);
      else {
        const kept = await this.#intake.withoutFiles(id, input, hidden, traces);
        content.push({ ...(block as JsonObject), input: kept });
      }
    }
    return { ...message, content };
  }

  async tools(
    session: KeepingSession,
    tools: Json | null,
    traces: Traces,
  ): Promise<{ readonly kept: Kept; readonly isNew: boolean } | null> {
    if (tools === null) return null;
    const key = session.memory.keyOf('tools', tools);
    const isNew = !session.memory.isKnown(key);
    return { kept: await this.keep(session, key, tools, traces), isNew };
  }

  /** Of a request that sends nothing new. */
  async lastHash(session: KeepingSession, keys: readonly string[]): Promise<string | null> {
    const last = keys.at(-1);
    return last === undefined ? null : ((await session.memory.find(last))?.hash ?? null);
  }

  async manifest(
    session: KeepingSession,
    base: { readonly seq: number | null; readonly kept: number },
    count: number,
    added: readonly KeptMessage[],
  ): Promise<Manifest> {
    const whole = { base: base.seq, kept: base.kept, count };
    const listed = added.map(encodeMessage);
    if (added.length <= MOST_LISTED && lineBytes(listed) <= LARGEST_LIST)
      return { ...whole, added, more: null };
    return { ...whole, added: null, more: await this.#intake.keep(session.id, listed) };
  }

  async parameters(
    session: KeepingSession,
    { request, query, headers }: Beside,
    traces: Traces,
  ): Promise<JsonObject> {
    const intake = this.#intake;
    const [given, asked, said] = await Promise.all([
      intake.small(session.id, request?.parameters ?? {}, traces),
      query ? queryFacts(intake, session.id, query, traces) : null,
      headers === undefined ? null : this.#headers(session, headers, traces),
    ]);
    return {
      ...given,
      ...(asked === null ? {} : { [QUERY]: asked }),
      ...(said === null ? {} : { [HEADERS]: said }),
    };
  }

  /** A client sends the same ones with every request: they are kept once. */
  async #headers(session: KeepingSession, headers: NamedValues, traces: Traces): Promise<JsonObject> {
    const told = toldValues(headers);
    return headerFacts(await this.keep(session, session.memory.keyOf(HEADERS, told), told, traces));
  }
}
