// The package's module for agents that can be replayed: define the agent and its tools in a module of their own, start it,
// and every step is on record before it has an effect. docs/runs.md.
import { realpathSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { StoreError } from '../core/index.ts';
import type { ContentRef } from '../format/index.ts';
import { grantsInForce, type Located, locate } from '../ledger/index.ts';
import { decryptContent, typeOfEncrypted } from '../record/index.ts';
import {
  type Agent,
  asAgent,
  type ReadContent,
  type Run,
  type RunLimits,
  recoverRun as recover,
  type SnapshotPolicy,
  startRun as start,
} from '../runtime/index.ts';
import { openKeyring } from '../store/files/index.ts';
import { openLedger } from './open.ts';
import { openRecording, type RecorderPlace, type Recording } from './recorder.ts';

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

export interface RunOptions extends Pick<RecorderPlace, 'place' | 'cwd' | 'config' | 'authKey'> {
  /** The module whose default export is the agent: a file URL or a path. */
  readonly agent: URL | string;
  readonly limits?: Partial<RunLimits>;
  readonly snapshots?: Partial<SnapshotPolicy>;
}

/**
 * Starts a run under the grants that an operator accepted; without any, every tool is denied. Its first events are durable
 * when it resolves. RunError where the agent's code can't be kept, RecordError where the ledger can't be written.
 *
 *     const run = await startRun({ agent: new URL('./agent.mjs', import.meta.url) });
 *     const { status, result } = await run.observe('count the files');
 */
export async function startRun(options: RunOptions): Promise<Run> {
  return opened(options, async (recorder, module) => {
    const inForce = await grantsInForce(recorder.store);
    const { grants: texts, grantsHash: hash } = inForce ?? {
      grants: { allow: [], deny: [] },
      grantsHash: null,
    };
    const { limits, snapshots } = options;
    return start({ recorder, module, load: () => load(module), granted: { texts, hash }, limits, snapshots });
  });
}

/**
 * Goes on with a run whose process is gone, by the same code. Null where it has ended. Then `resume` lets it act where it
 * was. RunError says why it can't go on.
 */
export async function recoverRun(
  options: Omit<RunOptions, 'limits'> & { readonly run: string },
): Promise<Run | null> {
  return opened(options, async (recorder, module) => {
    const { run, snapshots } = options;
    const read = contentOf(recorder, options, run);
    const recovered = await recover({ recorder, module, load: () => load(module), run, read, snapshots });
    if (recovered === null) await recorder.close();
    return recovered;
  });
}

async function opened<T>(
  { agent, ...options }: Pick<RunOptions, 'agent' | 'place' | 'cwd' | 'config' | 'authKey'>,
  work: (recorder: Recording, module: URL) => Promise<T>,
): Promise<T> {
  const { place, cwd, config, authKey } = options;
  const module =
    agent instanceof URL ? agent : agent.startsWith('file:') ? new URL(agent) : pathToFileURL(agent);
  const recorder = await openRecording({
    source: 'runtime',
    ...(place === undefined ? {} : { place }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(config === undefined ? {} : { config }),
    ...(authKey === undefined ? {} : { authKey }),
  });
  try {
    const workspaceRoot = realpathSync(recorder.workspaceRoot);
    return await work({ ...recorder, workspaceRoot }, module);
  } catch (error) {
    await recorder.close();
    throw error;
  }
}

async function load(module: URL): Promise<Agent> {
  return asAgent(((await import(module.href)) as { default?: unknown }).default);
}

/** Content of a run's session, opened where it is encrypted and the key is here. */
function contentOf(
  { store }: Recording,
  { place, cwd }: Pick<RunOptions, 'place' | 'cwd'>,
  session: string,
): ReadContent {
  const { keyDirectory, directory }: Pick<Located, 'keyDirectory' | 'directory'> =
    place ?? locate(cwd === undefined ? {} : { cwd });
  return async (ref: ContentRef) => {
    try {
      const bytes = await store.getContent(session, ref);
      if (bytes === undefined || ref.type === undefined || typeOfEncrypted(ref.type) === undefined)
        return bytes;
      const ledger = openLedger({ directory, keyDirectory }, { readOnly: true });
      try {
        const key = await openKeyring(keyDirectory).contentKey((await ledger.identity()).origin);
        return key === undefined ? undefined : decryptContent(key, session, bytes);
      } finally {
        await ledger.close();
      }
    } catch (error) {
      if (error instanceof StoreError && error.code === 'DAMAGED') return undefined;
      throw error;
    }
  };
}
