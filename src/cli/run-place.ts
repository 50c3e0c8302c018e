// A run of a ledger, for the commands that rebuild it: where it begins, the key of its hashes, its content, and the sandbox
// and cell that a replay needs.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { derivedKey, UsageError } from '../core/index.ts';
import { RUN_KEY } from '../format/index.ts';
import type { AgentSandbox, AttestingSandbox } from '../gate/index.ts';
import { configDirectory, type Ledger, type Located, stateDirectory } from '../ledger/index.ts';
import { contentReader, harmless, parseSessionPrefix, readSalt } from '../report/index.ts';
import { contentOfRun, type ReplayCell, type ReplayParts, RunError } from '../runtime/index.ts';
import { makeBubblewrap } from '../sandbox/bubblewrap/index.ts';
import { parseDuration } from './arguments.ts';
import { type Context, EXIT, type Outcome } from './command.ts';
import { findRun } from './find-run.ts';

export type RunPlace = Pick<ReplayParts, 'log' | 'run' | 'first' | 'key' | 'read'>;

export interface ReplayTools {
  readonly sandbox: AttestingSandbox & AgentSandbox;
  readonly cell: ReplayCell;
  /** Of which nothing can be seen from within. */
  readonly hidden: readonly string[];
  /** As it was asked for. */
  readonly timeoutMs: number | undefined;
}

/** Of every command that runs the code of a run in the sandbox. */
export const TIMEOUT_OPTION = {
  timeout: {
    type: 'string',
    value: '5m',
    help: "how long the run's code may work in the sandbox before foil stops it",
  },
} as const;

const LARGEST = 256 * 1024 * 1024;

/** The run whose id begins so. StoreError NOT_FOUND where there is none. */
export async function openRunPlace(ledger: Ledger, located: Located, text: string): Promise<RunPlace> {
  return runPlace(ledger, located, await findRun(ledger.store, parseSessionPrefix(text)));
}

export async function runPlace(
  ledger: Ledger,
  located: Located,
  { run, first }: { readonly run: string; readonly first: number },
): Promise<RunPlace> {
  const { store } = ledger;
  const salt = await readSalt(ledger, run);
  const read = contentReader(ledger, located);
  return {
    log: store,
    run,
    first,
    key: salt === undefined ? null : derivedKey(salt, RUN_KEY),
    read: contentOfRun(run, async (session, ref) => {
      const content = await read(session, ref, LARGEST);
      return content.state === 'kept' ? content.bytes : undefined;
    }),
  };
}

/** What a replay is done with; the places of keys and ledgers are hidden from what runs in it. */
export function replayTools({ env, values }: Pick<Context, 'env' | 'values'>, located: Located): ReplayTools {
  const timeout = values.text('timeout');
  const hidden = [stateDirectory(env), configDirectory(env), located.directory, located.keyDirectory];
  const text = (name: string): string => readFileSync(builtFile(name), 'utf8');
  return {
    hidden,
    timeoutMs: timeout === undefined ? undefined : parseDuration(timeout, '--timeout'),
    sandbox: makeBubblewrap({ hidden, path: `${dirname(process.execPath)}:${env.PATH ?? ''}` }),
    cell: {
      main: text('replay-cell.mjs'),
      define: text('replay-define.mjs'),
      thread: text('tool-cell.mjs'),
      wasm: readFileSync(builtFile('tool-cell.wasm')),
    },
  };
}

/** A file of the build, beside the program. */
export function builtFile(name: string): string {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  for (const folder of [here, join(here, '..'), join(here, '../../dist')])
    try {
      readFileSync(join(folder, name));
      return join(folder, name);
    } catch {
      // It lies elsewhere.
    }
  throw new Error(`${name} is missing beside the program. Reinstall foil.`);
}

/** UsageError for anything but a whole number from 0 on. */
export function eventNumber(text: string, name: string): number {
  if (/^(?:0|[1-9][0-9]{0,14})$/.test(text)) return Number(text);
  throw new UsageError(`--${name} takes the number of an event.`);
}

/** What is told where a run can't be worked on; anything but a RunError is thrown. */
export function notDone(error: unknown, done: string): Outcome {
  if (!(error instanceof RunError)) throw error;
  const { code, message } = error;
  const isNotFound = code === 'NOT_A_RUN' || code === 'NO_EVENT';
  return {
    exit: isNotFound ? EXIT.NOT_FOUND : code === 'DIVERGED' ? EXIT.VIOLATION : EXIT.FAILED,
    json: { outcome: 'unknown', code, message },
    text: `${code === 'DIVERGED' ? '✗' : '?'} Not ${done}: ${harmless(message)}\n`,
  };
}
