// What an agent and a tool are made of. The agent is pure: its state follows from its events alone, so that it can be
// rebuilt. Everything that touches the world is a tool. Nothing here touches the machine: the same code runs in the sandbox
// in which a run is replayed.
import type { Json, JsonObject } from '../core/index.ts';
import { MOST_NEEDS } from '../format/index.ts';
import { isNeed } from './needs-form.ts';

/** Of standardschema.dev, as much of it as is needed: Zod, Valibot, ArkType and others have it. */
export interface StandardSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): SchemaResult | Promise<SchemaResult>;
  };
}

export type SchemaResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string }[] };

export interface ToolLimits {
  /** Milliseconds that a call may take (30,000). A tool that blocks its thread can't be stopped. */
  readonly ms: number;
  /** Bytes of its output, as JSON (1,048,576). */
  readonly outputBytes: number;
  /** Of a tool in a cell: steps of the engine (100,000,000). */
  readonly fuel: number;
  /** Of a tool in a cell: bytes that its code may hold (67,108,864). */
  readonly memoryBytes: number;
}

export interface CallContext {
  /** The same for every try of one call: hand it to what can tell a repetition. */
  readonly key: string;
  /** Aborted when the time is up. */
  readonly signal: AbortSignal;
}

export interface Tool {
  readonly name: string;
  /** Each as `domain:action:scope`, with absolute paths. Without any, `tool:call:NAME`. */
  readonly capabilities: readonly string[] | ((input: unknown) => readonly string[]);
  readonly schema: StandardSchema | null;
  /** The same input gives the same output, and nothing else happens. */
  readonly pure: boolean;
  /** A second call under the same key does no more than the first. */
  readonly idempotent: boolean;
  /**
   * `import.meta.url` of the module that exports this tool: it runs in a cell, with its input and nothing else of the
   * machine, not even a clock. Null for one that runs in the program itself.
   */
  readonly cell: string | null;
  /** A model that is asked: which of the program's clients, and where. Null for every other tool. */
  readonly model: ModelPlace | null;
  readonly limits: ToolLimits;
  run(input: unknown, context: CallContext): unknown;
}

export interface ModelPlace {
  /** The name of the client that the program hands over when it starts the run. */
  readonly client: string;
  /** Of the provider's API: `/v1/messages`. */
  readonly path: string;
}

export interface Memory {
  /** Undefined where nothing was written under this key. */
  read(key: string): Json | undefined;
  /** On record right behind the event that is being reduced. */
  write(key: string, value: Json): void;
}

/** An event as the reducer sees it: its kind, its id, and the members of its payload. */
export type AgentEvent = JsonObject & {
  readonly kind: 'Observation' | 'ToolResult' | 'Denial';
  readonly id: string;
};

export type Action =
  | { readonly call: string; readonly input: Json }
  | { readonly wait: true }
  | { readonly finish: Json }
  | { readonly fail: string };

export interface Agent {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** The first state. `parameters` are what the run was started with. */
  init(parameters: JsonObject): Json;
  /** Pure and synchronous: the next state. */
  reduce(state: Json, event: AgentEvent, memory: Memory): Json;
  /** Pure and synchronous: what to do next. */
  decide(state: Json, memory: Pick<Memory, 'read'>, parameters: JsonObject): Action;
}

const DEFAULT_LIMITS: ToolLimits = {
  ms: 30_000,
  outputBytes: 1024 * 1024,
  fuel: 100_000_000,
  memoryBytes: 64 * 1024 * 1024,
};
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,127}$/;

export type ToolOptions = Pick<Tool, 'name' | 'run'> &
  Partial<Omit<Tool, 'name' | 'run' | 'limits'>> & { readonly limits?: Partial<ToolLimits> };

/** Throws TypeError for what can't be a tool. */
export function defineTool(options: ToolOptions): Tool {
  const {
    name,
    run,
    capabilities = [],
    schema = null,
    cell = null,
    pure = cell !== null,
    idempotent = pure,
    model = null,
    limits = {},
  } = options;
  assertName(name, 'a tool');
  if (typeof run !== 'function') throw new TypeError(`the tool ${name} has no function run`);
  if (cell !== null && !String(cell).startsWith('file:'))
    throw new TypeError(`the cell of the tool ${name} must be the URL of its module: write import.meta.url`);
  if (typeof capabilities !== 'function' && !isTexts(capabilities))
    throw new TypeError(`the capabilities of the tool ${name} must be a list of strings or a function`);
  if (typeof capabilities !== 'function' && capabilities.length > MOST_NEEDS)
    throw new TypeError(
      `the tool ${name} needs ${capabilities.length} capabilities, but a call may need at most ${MOST_NEEDS}`,
    );
  const bad = typeof capabilities === 'function' ? undefined : capabilities.find((each) => !isNeed(each));
  if (bad !== undefined)
    throw new TypeError(
      `the tool ${name} needs ${JSON.stringify(bad.slice(0, 100))}, which nobody can be granted. Write domain:action:scope without wildcards, such as tool:call:${name}, and a lower-case host without port 80 or 443`,
    );
  const { ms, outputBytes, fuel, memoryBytes } = { ...DEFAULT_LIMITS, ...limits };
  for (const limit of [ms, outputBytes, fuel, memoryBytes])
    if (!Number.isSafeInteger(limit) || limit < 1)
      throw new TypeError(`the limits of the tool ${name} must be whole numbers of at least 1`);
  return Object.freeze({
    name,
    run,
    capabilities,
    schema,
    pure,
    idempotent: idempotent || pure,
    cell,
    model,
    limits: { ms, outputBytes, fuel, memoryBytes },
  });
}

export type ModelToolOptions = Partial<ModelPlace> &
  Pick<ToolOptions, 'name'> &
  Pick<ToolOptions, 'capabilities' | 'schema' | 'limits'>;

/**
 * A tool that asks a model. Its input is the body of the request, its output the body of the answer, so both are on
 * record. The client is not part of the agent: `startRun({ agent, models: { default: new Anthropic() } })`.
 */
export function modelTool({ client = 'default', path = '/v1/messages', ...options }: ModelToolOptions): Tool {
  if (typeof client !== 'string' || typeof path !== 'string' || !path.startsWith('/'))
    throw new TypeError(`the tool ${options.name} must name a client and a path that begins with "/"`);
  const run = () => {
    throw new Error(`the tool ${options.name} asks a model, and only a run can do that`);
  };
  return defineTool({ ...options, run, model: { client, path } });
}

export type AgentOptions = Omit<Agent, 'tools'> & { readonly tools?: readonly Tool[] };

/** Throws TypeError for what can't be an agent. */
export function defineAgent(options: AgentOptions): Agent {
  const { name, tools = [], init, reduce, decide } = options;
  assertName(name, 'an agent');
  for (const [what, value] of Object.entries({ init, reduce, decide }))
    if (typeof value !== 'function') throw new TypeError(`the agent ${name} has no function ${what}`);
  const names = tools.map((tool) => tool.name);
  const twice = names.find((each, at) => names.indexOf(each) !== at);
  if (twice !== undefined) throw new TypeError(`the agent ${name} has two tools called ${twice}`);
  return Object.freeze({ name, tools: [...tools], init, reduce, decide });
}

/** A module's export that may have come through another copy of this file. Throws TypeError. */
export function asAgent(value: unknown): Agent {
  if (typeof value !== 'object' || value === null)
    throw new TypeError('the module exports no agent. Write `export default defineAgent({ … })`.');
  const agent = value as AgentOptions;
  return defineAgent({ ...agent, tools: (agent.tools ?? []).map((tool) => defineTool(tool)) });
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function assertName(name: unknown, what: string): void {
  if (typeof name !== 'string' || !NAME.test(name))
    throw new TypeError(`the name of ${what} is a letter, then letters, digits, ".", "_" or "-"`);
}
