// One session as a trace: which entries open a span, which end one, and which are events within one. A span is written
// when it ends, so only what is open is held; a parent may come after its children, as it does from any tracer. Times
// are what the entries claim. What has no end on record is ended where the session's last entry is, and says so.
import type { Json, JsonObject } from '../core/index.ts';
import type { Entry } from '../format/index.ts';
import { flag, idOf, type OtlpAttribute, SPAN_KIND, SPAN_STATUS, text, unixNano } from './otlp.ts';
import {
  eventAttributes,
  modelAttributes,
  modelOperation,
  modelResultAttributes,
  placeAttributes,
  sessionAttributes,
  sessionEndAttributes,
  toolAttributes,
  toolResultAttributes,
  validationAttributes,
} from './otlp-attributes.ts';

interface OpenSpan {
  readonly spanId: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly start: number;
  readonly attributes: readonly OtlpAttribute[];
  /** Each as its JSON. */
  readonly events: string[];
  dropped: number;
  /** Of a turn: when it was answered, and the answer judged. */
  end: number | undefined;
  /** Of a model's call. */
  readonly provider: string | null;
  /** Characters that it and its events take. */
  held: number;
}

type Status = { readonly code: number; readonly message?: string };

/** As the SDKs have it. */
const MOST_EVENTS = 128;
const UNSET: Status = { code: SPAN_STATUS.unset };
const OK: Status = { code: SPAN_STATUS.ok };

export class OtlpTrace {
  readonly id: string;
  readonly #write: (service: string, span: string) => void;
  /** The agent's name, which stands for the service. */
  #agent: string | null = null;
  #root: OpenSpan | undefined;
  /** Known when the session has ended, too: what comes late is its child. */
  #rootId: string | undefined;
  #turn: OpenSpan | undefined;
  /** Calls by the seq of their entry, subagents by their id. */
  readonly #open = new Map<number | string, OpenSpan>();
  /** Time of the newest entry. */
  #last = 0;
  /** Characters of what is open. */
  held = 0;
  /** Spans that were written without an end on record. */
  unended = 0;

  constructor(id: string, write: (service: string, span: string) => void) {
    this.id = id;
    this.#write = write;
  }

  add(entry: Entry): void {
    const now = Date.parse(entry.ts);
    this.#last = Math.max(this.#last, now);
    const { payload } = entry;
    switch (entry.kind) {
      case 'session.start':
        this.#agent = wordOf(payload.agent);
        this.#root = this.#begin(
          entry,
          named('session', this.#agent),
          sessionAttributes(entry),
          undefined,
          now,
        );
        this.#rootId = this.#root.spanId;
        break;
      case 'session.end':
        this.#endTurn();
        if (this.#root !== undefined) this.#end(this.#root, entry, UNSET, sessionEndAttributes(entry));
        this.#root = undefined;
        break;
      case 'prompt':
        // A subagent's prompt is no turn of the user's.
        if (wordOf(payload.agent_id) === null) this.#beginTurn(entry, now);
        else this.#event(entry, now);
        break;
      case 'tool.call':
      case 'model.call':
        this.#open.set(entry.seq, this.#call(entry, now));
        break;
      case 'tool.result':
        if (payload.repeated === true) this.#event(entry, now);
        else this.#end(this.#callOf(entry, now), entry, ...outcomeOf(payload, toolResultAttributes(entry)));
        break;
      case 'tool.denied': {
        const message = `denied by ${wordOf(payload.by) ?? 'somebody'}`;
        const status = { code: SPAN_STATUS.error, message };
        this.#end(this.#callOf(entry, now), entry, status, text('error.type', 'denied'));
        break;
      }
      case 'model.result': {
        const span = this.#callOf(entry, now);
        this.#end(span, entry, ...outcomeOf(payload, modelResultAttributes(entry, span.provider)));
        break;
      }
      case 'agent.start':
        if (wordOf(payload.agent_id) === null) this.#event(entry, now);
        else this.#beginAgent(entry, String(payload.agent_id), now);
        break;
      case 'agent.end': {
        const agent = this.#taken(wordOf(payload.agent_id) ?? '');
        const answer = text('counterfoil.response_hash', payload.response_hash);
        if (agent === undefined) this.#event(entry, now);
        else this.#end(agent, entry, UNSET, answer);
        break;
      }
      case 'validation':
        this.#judged(now);
        this.#validation(entry, now);
        break;
      case 'response':
      case 'claim':
      case 'gate':
        this.#judged(now);
        this.#event(entry, now);
        break;
      default:
        this.#event(entry, now);
    }
  }

  /** Ends whatever is open. */
  close(): void {
    for (const span of this.#open.values()) this.#leave(span);
    this.#open.clear();
    this.#endTurn();
    if (this.#root !== undefined) this.#leave(this.#root);
    this.#root = undefined;
  }

  #begin(
    entry: Entry,
    name: string,
    own: readonly OtlpAttribute[],
    parent: string | undefined,
    start: number,
    kind: number = SPAN_KIND.internal,
  ): OpenSpan {
    const place = [...placeAttributes(entry), ...text('counterfoil.source', entry.source)];
    const attributes = [...text('gen_ai.conversation.id', this.id), ...own, ...place];
    const held = JSON.stringify(attributes).length;
    this.held += held;
    return {
      spanId: idOf(entry.entry_hash, 16),
      parent,
      name,
      kind,
      start,
      attributes,
      events: [],
      dropped: 0,
      end: undefined,
      provider: wordOf(entry.payload.provider),
      held,
    };
  }

  #beginTurn(entry: Entry, now: number): void {
    this.#endTurn();
    const attributes = [
      ...text('gen_ai.operation.name', 'invoke_agent'),
      ...text('gen_ai.agent.name', this.#agent),
      ...text('counterfoil.prompt_hash', entry.payload.prompt_hash),
    ];
    this.#turn = this.#begin(entry, named('invoke_agent', this.#agent), attributes, this.#rootId, now);
  }

  #endTurn(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn?.end !== undefined) this.#finish(turn, turn.end, UNSET, []);
    else if (turn !== undefined) this.#leave(turn);
  }

  /** A turn lasts until its answer has been judged. */
  #judged(now: number): void {
    if (this.#turn !== undefined) this.#turn.end = Math.max(this.#turn.end ?? 0, now);
  }

  #beginAgent(entry: Entry, id: string, now: number): void {
    const type = entry.payload.agent_type;
    const attributes = [
      ...text('gen_ai.operation.name', 'invoke_agent'),
      ...text('gen_ai.agent.id', id),
      ...text('gen_ai.agent.name', type),
    ];
    const before = this.#taken(id);
    if (before !== undefined) this.#leave(before);
    const span = this.#begin(entry, named('invoke_agent', type), attributes, this.#parentOf(entry), now);
    this.#open.set(id, span);
  }

  /** An open span, which is open no more. */
  #taken(key: number | string): OpenSpan | undefined {
    const span = this.#open.get(key);
    this.#open.delete(key);
    return span;
  }

  #call(entry: Entry, start: number): OpenSpan {
    const { kind, payload } = entry;
    const parent = this.#parentOf(entry);
    if (kind.startsWith('tool.'))
      return this.#begin(entry, named('execute_tool', payload.tool), toolAttributes(entry), parent, start);
    // An answer alone does not say what was asked.
    const asked = kind === 'model.call';
    const name = named(asked ? modelOperation(entry) : 'model', payload.model);
    return this.#begin(entry, name, asked ? modelAttributes(entry) : [], parent, start, SPAN_KIND.client);
  }

  /** The call that this entry ends; where its beginning was not seen, one as long as the entry says it took. */
  #callOf(entry: Entry, now: number): OpenSpan {
    const took = entry.payload.duration_ms;
    const start = now - (typeof took === 'number' && took > 0 ? Math.trunc(took) : 0);
    return this.#taken(entry.cause ?? 0) ?? this.#call(entry, start);
  }

  #validation(entry: Entry, now: number): void {
    const { validator, outcome, code } = entry.payload;
    const own = validationAttributes(entry);
    const span = this.#begin(entry, named('validate', validator), own, this.#parentOf(entry), now);
    const message = `${wordOf(outcome) ?? 'failed'}: ${wordOf(code) ?? '?'}`;
    if (outcome === 'pass') this.#finish(span, now, OK, []);
    else this.#finish(span, now, { code: SPAN_STATUS.error, message }, text('error.type', code));
  }

  /** What caused it, where that is open; else the subagent that did it; else the turn. */
  #within({ cause, payload }: Entry): OpenSpan | undefined {
    return this.#open.get(cause ?? 0) ?? this.#open.get(wordOf(payload.agent_id) ?? '') ?? this.#turn;
  }

  #parentOf(entry: Entry): string | undefined {
    return this.#within(entry)?.spanId ?? this.#rootId;
  }

  #event(entry: Entry, now: number): void {
    const span = this.#within(entry) ?? this.#root;
    if (span === undefined) return;
    if (span.events.length >= MOST_EVENTS) {
      span.dropped++;
      return;
    }
    const attributes = eventAttributes(entry);
    const event = JSON.stringify({ timeUnixNano: unixNano(now), name: entry.kind, attributes });
    span.events.push(event);
    span.held += event.length;
    this.held += event.length;
  }

  #end(span: OpenSpan, entry: Entry, status: Status, attributes: readonly OtlpAttribute[]): void {
    const end = [...attributes, ...placeAttributes(entry, 'counterfoil.end')];
    this.#finish(span, Date.parse(entry.ts), status, end);
  }

  /** How it ended is not known, so it is not called an error. */
  #leave(span: OpenSpan): void {
    this.unended++;
    this.#finish(span, this.#last, UNSET, flag('counterfoil.open', true));
  }

  #finish(span: OpenSpan, end: number, status: Status, attributes: readonly OtlpAttribute[]): void {
    this.held -= span.held;
    const head = JSON.stringify({
      traceId: idOf(this.id, 32),
      spanId: span.spanId,
      ...(span.parent === undefined ? {} : { parentSpanId: span.parent }),
      name: span.name,
      kind: span.kind,
      startTimeUnixNano: unixNano(span.start),
      // Clocks go back; a span can not.
      endTimeUnixNano: unixNano(Math.max(span.start, end)),
      attributes: [...span.attributes, ...attributes],
      droppedEventsCount: span.dropped,
      status,
    });
    this.#write(
      this.#agent ?? 'unknown_service',
      `${head.slice(0, -1)},"events":[${span.events.join(',')}]}`,
    );
  }
}

/** An error is what the recorder calls one; that a host said `ok` is no more than that. */
function outcomeOf(
  { result, error_code: code, status }: JsonObject,
  attributes: readonly OtlpAttribute[],
): [Status, readonly OtlpAttribute[]] {
  if (result === 'ok') return [UNSET, attributes];
  const word = wordOf(result) ?? '_OTHER';
  const type = wordOf(code) ?? (typeof status === 'number' && status >= 400 ? `${status}` : word);
  return [{ code: SPAN_STATUS.error, message: word }, [...attributes, ...text('error.type', type)]];
}

function named(operation: string, what: Json | undefined): string {
  const word = wordOf(what);
  return word === null ? operation : `${operation} ${word}`;
}

function wordOf(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
