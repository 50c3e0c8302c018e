// What `foil fork` and `foil recover RUN --continue` share: the parent's state after an event is rebuilt in the
// sandbox, and a separate process begins the new run with it, because foil itself never loads the agent's code.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reading } from '../app/index.ts';
import type { JsonObject } from '../core/index.ts';
import type { Located } from '../ledger/index.ts';
import {
  codeAt,
  type ForkAnswer,
  type Forked,
  type ForkOptions,
  lateText,
  layCode,
  layDefine,
  messageOf,
  REPLAY_TIMEOUT,
  RunError,
  type RunErrorCode,
  readImpure,
  readInit,
  replayRun,
} from '../runtime/index.ts';
import type { Context } from './command.ts';
import { builtFile, openRunPlace, replayTools } from './run-place.ts';

/** The parent, as it was behind an event. */
export interface Rebuilt extends Pick<ForkOptions, 'run' | 'first' | 'at' | 'impure'> {
  /** The four members that the state's hash is of. */
  readonly state: JsonObject;
}

export type ForkWish = Omit<ForkOptions, keyof Rebuilt | 'place' | 'cwd' | 'folder'>;

/** Rebuilds the parent and hands it to `work`, with its code laid in a folder that lasts as long. RunError where it can't. */
export async function withParent<T>(
  context: Context,
  located: Located,
  { run: text, at }: { readonly run: string; readonly at: number },
  work: (parent: Rebuilt, fork: (wish: ForkWish) => Promise<Forked>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'foil-fork-'));
  const tools = replayTools(context, located);
  const { timeoutMs } = tools;
  try {
    const parent = await reading(located, async (ledger): Promise<Rebuilt> => {
      const parts = await openRunPlace(ledger, located, text);
      const { init } = await readInit(parts.log, parts.run, parts.first);
      await layCode(join(folder, 'code'), await codeAt({ ...parts, at }));
      await layDefine(folder, tools.cell.define);
      const { outcome, state, divergence } = await replayRun({ ...parts, ...tools, to: at });
      if (divergence !== null)
        throw new RunError(
          'DIVERGED',
          `the run diverges at event ${divergence.event}, so its state after event ${at} is unknown.`,
        );
      if (outcome !== 'matches' || state === null)
        throw new RunError('CONTENT_GONE', `the state after event ${at} can't be rebuilt.`);
      const impure = [...(await readImpure(parts.log, init.code.root)).keys()];
      return { run: parts.run, first: parts.first, at, impure, state: JSON.parse(state) as JsonObject };
    });
    return await work(parent, (wish) =>
      runFork(context, { ...forkOptions(context, located, parent), ...wish, folder }, timeoutMs),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function forkOptions(
  { cwd }: Context,
  { directory, keyDirectory }: Located,
  { run, first, at, impure }: Rebuilt,
): Pick<ForkOptions, 'place' | 'cwd' | 'run' | 'first' | 'at' | 'impure'> {
  return { place: { directory, keyDirectory }, cwd, run, first, at, impure };
}

/** In a process of its own, which is ended when its time is up. What the agent prints goes to standard error. */
function runFork(
  { cwd, env, onInterrupt }: Context,
  options: ForkOptions,
  timeoutMs = REPLAY_TIMEOUT,
): Promise<Forked> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [builtFile('fork-process.js')], {
      cwd,
      env,
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    const undo = onInterrupt(() => child.kill());
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, timeoutMs);
    let answer: ForkAnswer | undefined;
    child.once('message', (message) => {
      answer = message as ForkAnswer;
    });
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('exit', (code, signal) => {
      undo();
      clearTimeout(timer);
      if (answer === undefined && isLate)
        reject(new RunError('NOT_REPLAYED', `${lateText('the fork', timeoutMs)} What it did is on record.`));
      else if (answer === undefined)
        reject(new RunError('NOT_REPLAYED', `the fork's process ended early (${signal ?? code}).`));
      else if ('done' in answer) resolve(answer.done);
      else
        reject(new RunError((answer.failed.code ?? 'NOT_REPLAYED') as RunErrorCode, answer.failed.message));
    });
    child.send(options as never, (error) => {
      if (error !== null) reject(new RunError('NOT_REPLAYED', messageOf(error)));
    });
  });
}
