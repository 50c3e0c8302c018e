// The state of a run, event by event. The same machine runs the agent live, after a crash and in a replay, so that all three
// agree or a replay says where they do not. It believes neither the agent, whose state must be plain JSON, nor the record:
// what an event leads to is computed, never read. spec/run.md.
import {
  type Blake3,
  canonicalCopy,
  canonicalize,
  canonicalMembers,
  type Json,
  type JsonObject,
  ParseError,
} from '../core/index.ts';
import { LONGEST_KEY, type MemoryVersion, type RunEventKind, runEventId } from '../format/index.ts';
import type { Action, Agent, AgentEvent, Memory } from './define.ts';
import { CANONICAL, changedState, DEEPEST_STATE, type StateChange } from './patched-state.ts';

export interface MachineEvent {
  readonly sequence: number;
  readonly kind: RunEventKind;
  readonly payload: JsonObject;
}

export interface MachineOptions {
  readonly run: string;
  readonly capabilities: readonly string[];
  readonly parameters?: JsonObject | undefined;
  /** The state that a fork begins with; without it, the agent's `init` gives the first one. */
  readonly start?: JsonObject | null | undefined;
  /** `node_id` of what it remembers (0). */
  readonly node?: number | undefined;
  /** BLAKE3, keyed as the run is. */
  readonly hash: Blake3;
  /** Around every call of the agent's code: a replay watches what it asks the machine for. */
  readonly guard?: <T>(work: () => T) => T;
}

export interface Decided {
  /** A copy that nobody else holds. */
  readonly action: JsonObject;
  /** The payload of the decision, as canonical JSON. */
  readonly payload: string;
}

/** A write that the reducer asked for and that is no event yet. */
export interface PendingWrite {
  readonly key: string;
  readonly value: Json;
  readonly version: MemoryVersion;
  readonly cause: number;
}

/** The payload of the event that it becomes. */
export function writePayload({ key, value, version }: PendingWrite): JsonObject {
  return { key, value, version: { node_id: version.nodeId, counter: version.counter } };
}

interface Document {
  readonly key: string;
  readonly value: Json;
  readonly text: string;
}

const PLAIN = { ...CANONICAL, maxDepth: DEEPEST_STATE };

export class Machine {
  #agent: Agent;
  readonly #options: MachineOptions;
  readonly #parametersText: string;
  /** Ids of the patches that are in force, oldest first. */
  #patches: readonly string[] = [];
  readonly #documents = new Map<string, Document>();
  #pending: PendingWrite[] = [];
  #counter = 0;
  #state = 'null';
  #before = '';
  /** Of the text as it is; undefined once that changed. */
  #hash: string | undefined;
  /** Why the agent's code failed; null while it did not. */
  failure: string | null = null;

  constructor(agent: Agent, options: MachineOptions) {
    this.#agent = agent;
    this.#options = options;
    this.#parametersText = canonicalize(options.parameters ?? {});
    this.#describe();
  }

  /** The writes that must be events before anything else is. */
  get pending(): readonly PendingWrite[] {
    return this.#pending;
  }

  /** The canonical JSON that the state's hash is of. */
  get text(): string {
    return `${this.#before}${this.#state}}`;
  }

  get hash(): string {
    this.#hash ??= this.hashOfText(this.text);
    return this.#hash;
  }

  /** The hash of a payload. */
  hashOf(value: Json): string {
    return this.hashOfText(canonicalize(value));
  }

  /** The hash of a payload by its canonical JSON. */
  hashOfText(text: string): string {
    return this.#options.hash(text);
  }

  apply({ sequence, kind, payload }: MachineEvent): void {
    if (kind === 'MemoryWrite') this.#write(this.#pending.shift());
    else {
      this.#settle();
      if (kind === 'AgentInit') this.#begin();
      else if (kind === 'Observation' || kind === 'ToolResult' || kind === 'Denial')
        this.#reduce(sequence, kind, payload);
    }
  }

  /**
   * A patch, or its reversal. `agent` is made of the code behind it, where it changes that. Throws ParseError where it can't
   * be carried out; then the state is as it was. Behind it the agent may think again.
   */
  patch(change: StateChange, agent = this.#agent): void {
    this.#settle();
    const { applied_patches: patches, state } = JSON.parse(changedState(this.text, change)) as JsonObject;
    this.#patches = patches as string[];
    this.#state = canonicalize(state, CANONICAL);
    this.#agent = agent;
    this.failure = null;
    this.#describe();
  }

  /** What the agent would do now; null where its code fails, and then `failure` says why. */
  decide(): Decided | null {
    const guard = this.#options.guard ?? direct;
    try {
      const action: Action = guard(() =>
        this.#agent.decide(this.#parsed(), { read: this.#read }, this.#parameters()),
      );
      const text = canonicalize(action, PLAIN);
      return { action: JSON.parse(text) as JsonObject, payload: `{"action":${text}}` };
    } catch (error) {
      this.failure = `decide failed: ${messageOf(error)}`;
      return null;
    }
  }

  /** As a snapshot keeps it. */
  snapshot(sequence: number): JsonObject {
    const { run } = this.#options;
    const state = JSON.parse(this.text) as JsonObject;
    return { run_id: run, sequence, state_hash: this.hash, ...state };
  }

  /** Throws ParseError for what is no snapshot of this run. Whether it is the right one, its hash tells. */
  restore(snapshot: JsonObject): void {
    const { run, capabilities } = this.#options;
    if (snapshot.run_id !== run || canonicalize(snapshot.capabilities) !== canonicalize(capabilities))
      throw new ParseError('MALFORMED', 'not a snapshot of this run');
    this.#adopt(snapshot);
  }

  #begin(): void {
    const { start } = this.#options;
    if (start === undefined || start === null) this.#run(() => this.#agent.init(this.#parameters()));
    else this.#adopt(start);
  }

  /** Takes over a state that stands in full. Throws ParseError. */
  #adopt({ memory, state, applied_patches: patches }: JsonObject): void {
    const documents = (memory as { documents?: unknown } | undefined)?.documents;
    if (!Array.isArray(documents) || !Array.isArray(patches) || state === undefined)
      throw new ParseError('MALFORMED', 'not the state of a run');
    this.#documents.clear();
    this.#patches = patches.map(String);
    this.#counter = 0;
    for (const each of documents as readonly RecordedDocument[]) {
      this.#put(each);
      if (each.version.node_id === this.#node) this.#counter = Math.max(this.#counter, each.version.counter);
    }
    this.#state = canonicalize(state, CANONICAL);
    this.#describe();
  }

  get #node(): number {
    return this.#options.node ?? 0;
  }

  /** A copy of its own for whoever asks. */
  #parameters(): JsonObject {
    return JSON.parse(this.#parametersText) as JsonObject;
  }

  #reduce(sequence: number, kind: AgentEvent['kind'], payload: JsonObject): void {
    const id = runEventId(this.#options.run, sequence);
    const writes: PendingWrite[] = [];
    const memory: Memory = {
      read: (key) => writes.findLast((each) => each.key === key)?.value ?? this.#read(key),
      write: (key, value) => {
        if (typeof key !== 'string' || key.length > LONGEST_KEY)
          throw new TypeError(`a key of the memory is a text of at most ${LONGEST_KEY} characters`);
        const counter = this.#counter + writes.length + 1;
        writes.push({ key, value: plain(value), version: { nodeId: this.#node, counter }, cause: sequence });
      },
    };
    const event = canonicalMembers(payload, { id, kind }) as AgentEvent;
    if (!this.#run(() => this.#agent.reduce(this.#parsed(), event, memory))) return;
    this.#pending = writes;
    this.#counter += writes.length;
  }

  /** The state stays as it was where the agent's code fails. */
  #run(work: () => Json): boolean {
    const guard = this.#options.guard ?? direct;
    try {
      this.#state = canonicalize(guard(work) ?? null, PLAIN);
      this.#hash = undefined;
      return true;
    } catch (error) {
      this.failure = `the reducer failed: ${messageOf(error)}`;
      return false;
    }
  }

  readonly #read = (key: string): Json | undefined => {
    const found = this.#documents.get(key);
    return found === undefined ? undefined : canonicalCopy(found.value);
  };

  #parsed(): Json {
    return JSON.parse(this.#state) as Json;
  }

  /** What the record leaves out happened all the same: then the state is another one. */
  #settle(): void {
    while (this.#pending.length > 0) this.#write(this.#pending.shift());
  }

  #write(write: PendingWrite | undefined): void {
    if (write === undefined) return;
    const { key, value, version, cause } = write;
    this.#put({
      key,
      value,
      version: { node_id: version.nodeId, counter: version.counter },
      causal_event: runEventId(this.#options.run, cause),
    });
    this.#describe();
  }

  /** The cause of a document may be an event of the run's parent. */
  #put({ key, value, version, causal_event }: RecordedDocument): void {
    const text = canonicalize({
      key,
      value,
      version: { node_id: version.node_id, counter: version.counter },
      causal_event,
    });
    this.#documents.set(key, { key, value, text });
  }

  /** All that stands before the agent's own state, which changes seldom. */
  #describe(): void {
    const sorted = [...this.#documents.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    const documents = sorted.map(({ text }) => text).join(',');
    const capabilities = canonicalize(this.#options.capabilities);
    this.#before = `{"applied_patches":${canonicalize(this.#patches)},"capabilities":${capabilities},"memory":{"documents":[${documents}]},"state":`;
    this.#hash = undefined;
  }
}

interface RecordedDocument {
  readonly key: string;
  readonly value: Json;
  readonly version: { readonly node_id: number; readonly counter: number };
  readonly causal_event: string;
}

/** A copy that nobody else holds. Throws ParseError for what is not plain JSON. */
function plain(value: unknown): Json {
  return JSON.parse(canonicalize(value, PLAIN)) as Json;
}

function direct<T>(work: () => T): T {
  return work();
}

export function messageOf(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error);
    return text.slice(0, 1000).toWellFormed();
  } catch {
    return 'something that can not be shown was thrown';
  }
}
