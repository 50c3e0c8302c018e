// The package's module for agents that can be replayed: define the agent and its tools in a module of their own, start it,
// and every step is on record before it has an effect. docs/runs.md.
import { type JsonObject, plainBlake3 } from '../core/index.ts';
import { RUN_KEY } from '../format/index.ts';
import type { Session } from '../record/index.ts';
import {
  startRun as begin,
  recoverRun as goOn,
  type Models,
  type ReadContent,
  RecordedModels,
  type Run,
  type RunLimits,
  readExchanges,
  readInit,
  type SnapshotPolicy,
} from '../runtime/index.ts';
import { SessionTallies } from '../session/index.ts';
import type { Recording } from './recorder.ts';
import { modelsOf, type RunModels } from './run-models.ts';
import {
  contentOf,
  grantedNow,
  loadAgent,
  moduleOf,
  openRecorder,
  type RuntimePlace,
} from './runtime-place.ts';
import { openToolCells } from './tool-cells.ts';

export {
  type Action,
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type CallContext,
  defineAgent,
  defineTool,
  type Memory,
  type ModelPlace,
  type Models,
  type ModelToolOptions,
  modelTool,
  type Run,
  RunError,
  type RunErrorCode,
  type RunLimits,
  type RunStatus,
  type SnapshotPolicy,
  type StandardSchema,
  type Tool,
  type ToolLimits,
  type ToolOptions,
} from '../runtime/index.ts';

export type { ModelClient, RunModels } from './run-models.ts';
export type { RuntimePlace };

export interface StartOptions {
  /** The module whose default export is the agent: a file URL or a path. */
  readonly agent: URL | string;
  /** For its model tools: clients by name, or `recordedModels` of another run. */
  readonly models?: RunModels;
  /** What the agent's `init` and `decide` are told besides. Plain JSON, on record. */
  readonly parameters?: JsonObject;
  readonly limits?: Partial<RunLimits>;
  readonly snapshots?: Partial<SnapshotPolicy>;
}

export interface RecoverOptions extends Omit<StartOptions, 'limits' | 'parameters'> {
  /** The id of the run. */
  readonly run: string;
}

export type RunOptions = RuntimePlace & StartOptions;

/** A ledger that is open for many runs at once: what they write together shares its syncs. */
export interface Runtime {
  startRun(options: StartOptions): Promise<Run>;
  recoverRun(options: RecoverOptions): Promise<Run | null>;
  /** Once its runs are closed. */
  close(): Promise<void>;
}

/** Throws StoreError where the ledger can't be used, and ParseError for a configuration that is not understood. */
export async function openRuntime(options: RuntimePlace = {}): Promise<Runtime> {
  const recorder = await openRecorder(options);
  const tallies = new SessionTallies(recorder.store);
  const shared = { ...recorder, tallies, close: async () => undefined };
  return {
    startRun: (each) => start(shared, each),
    recoverRun: (each) => recover(shared, options, each),
    close: recorder.close,
  };
}

/**
 * Starts a run under the grants that an operator accepted; without any, every tool is denied. Its first events are durable
 * when it resolves. RunError where the agent's code can't be kept, RecordError where the ledger can't be written.
 *
 *     const run = await startRun({ agent: new URL('./agent.mjs', import.meta.url) });
 *     const { status, result } = await run.observe('count the files');
 */
export async function startRun(options: RunOptions): Promise<Run> {
  return alone(options, (recorder) => start(recorder, options));
}

/**
 * Goes on with a run whose process is gone, by the same code. Null where it has ended. Then `resume` lets it act where it
 * was. RunError says why it can't go on.
 */
export async function recoverRun(options: RuntimePlace & RecoverOptions): Promise<Run | null> {
  return alone(options, (recorder) => recover(recorder, options, options));
}

async function start(
  recorder: Recording,
  { agent, models = {}, parameters, limits, snapshots }: StartOptions,
): Promise<Run> {
  const module = moduleOf(agent);
  const granted = await grantedNow(recorder);
  return begin({ ...parts(recorder, module, models), granted, parameters, limits, snapshots });
}

async function recover(
  recorder: Recording,
  place: RuntimePlace,
  { agent, run, models = {}, snapshots }: RecoverOptions,
): Promise<Run | null> {
  const module = moduleOf(agent);
  const readOf = (id: string): ReadContent => contentOf(recorder, place, id);
  return goOn({ ...parts(recorder, module, models), run, readOf, snapshots });
}

function parts(recorder: Recording, module: URL, models: RunModels) {
  return {
    recorder,
    module,
    load: () => loadAgent(module),
    cells: openToolCells(),
    models: (session: Session) => modelsOf(models, session),
  };
}

/**
 * The answers that models gave in a run, for another run of the same or of changed code: no model is asked. A request that
 * the run did not make, ids aside, is refused. RunError where there is no such run.
 */
export async function recordedModels(options: RuntimePlace & { readonly run: string }): Promise<Models> {
  const recorder = await openRecorder(options);
  const { store } = recorder;
  const { run } = options;
  try {
    const { init } = await readInit(store, run, 1);
    const hash = plainBlake3(init.hashes === 'blake3' ? undefined : await store.deriveKey(run, RUN_KEY));
    const read = contentOf(recorder, options, run);
    return new RecordedModels(await readExchanges({ log: store, run, read, hash }));
  } finally {
    await recorder.close();
  }
}

/** With a ledger of its own, which is closed with the run. */
async function alone<T extends Run | null>(
  options: RuntimePlace,
  work: (recorder: Recording) => Promise<T>,
): Promise<T> {
  const recorder = await openRecorder(options);
  try {
    const run = await work(recorder);
    if (run === null) await recorder.close();
    return run;
  } catch (error) {
    await recorder.close();
    throw error;
  }
}
