// The package's module for agents that can be replayed: define the agent and its tools in a module of their own, start it,
// and every step is on record before it has an effect. docs/runs.md.
import type { JsonObject } from '../core/index.ts';
import {
  startRun as begin,
  recoverRun as goOn,
  type Run,
  type RunLimits,
  type SnapshotPolicy,
} from '../runtime/index.ts';
import type { Recording } from './recorder.ts';
import {
  contentOf,
  grantedNow,
  loadAgent,
  moduleOf,
  openRecorder,
  type RuntimePlace,
} from './runtime-place.ts';

export {
  type Action,
  type Agent,
  type AgentEvent,
  type AgentOptions,
  type CallContext,
  defineAgent,
  defineTool,
  type Memory,
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

export type { RuntimePlace };

export interface StartOptions {
  /** The module whose default export is the agent: a file URL or a path. */
  readonly agent: URL | string;
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
  const shared = { ...recorder, close: async () => undefined };
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
  { agent, parameters, limits, snapshots }: StartOptions,
): Promise<Run> {
  const module = moduleOf(agent);
  const granted = await grantedNow(recorder);
  return begin({ recorder, module, load: () => loadAgent(module), granted, parameters, limits, snapshots });
}

async function recover(
  recorder: Recording,
  place: RuntimePlace,
  { agent, run, snapshots }: RecoverOptions,
): Promise<Run | null> {
  const module = moduleOf(agent);
  const read = contentOf(recorder, place, run);
  return goOn({ recorder, module, load: () => loadAgent(module), run, read, snapshots });
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
