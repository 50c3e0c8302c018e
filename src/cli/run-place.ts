// A run of a ledger, for the commands that rebuild it: where it begins, the key of its hashes, its content, and the sandbox
// and cell that a replay needs.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { derivedKey, StoreError } from '../core/index.ts';
import { RUN_KEY } from '../format/index.ts';
import { configDirectory, type Ledger, type Located, type Store, stateDirectory } from '../ledger/index.ts';
import { type ReplayParts, RunError } from '../runtime/index.ts';
import { makeBubblewrap } from '../sandbox/bubblewrap/index.ts';
import { type Context, EXIT, type Outcome, UsageError } from './command.ts';
import { contentReader, readSalt } from './content.ts';
import { scanLines } from './entry-lines.ts';
import { parseSessionPrefix } from './sessions.ts';
import { harmless } from './text.ts';

export type RunPlace = Pick<ReplayParts, 'log' | 'run' | 'first' | 'key' | 'read'>;

const LARGEST = 256 * 1024 * 1024;

/** The run whose id begins so. StoreError NOT_FOUND where there is none. */
export async function openRunPlace(ledger: Ledger, located: Located, text: string): Promise<RunPlace> {
  const { store } = ledger;
  const { run, first } = await findRun(store, parseSessionPrefix(text));
  const salt = await readSalt(ledger, run);
  const read = contentReader(ledger, located);
  return {
    log: store,
    run,
    first,
    key: salt === undefined ? null : derivedKey(salt, RUN_KEY),
    read: async (ref) => {
      const content = await read(run, ref, LARGEST);
      return content.state === 'kept' ? content.bytes : undefined;
    },
  };
}

/** What a replay is done with; the places of keys and ledgers are hidden from what runs in it. */
export function replayTools(
  { env }: Pick<Context, 'env'>,
  { directory, keyDirectory }: Located,
): Pick<ReplayParts, 'sandbox' | 'cell'> {
  return {
    sandbox: makeBubblewrap({
      hidden: [stateDirectory(env), configDirectory(env), directory, keyDirectory],
      path: `${dirname(process.execPath)}:${env.PATH ?? ''}`,
    }),
    cell: { main: builtText('replay-cell.mjs'), define: builtText('replay-define.mjs') },
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

function builtText(name: string): string {
  return readFileSync(builtFile(name), 'utf8');
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
    text: `? Not ${done}: ${harmless(message)}\n`,
  };
}

/** An id that is given whole is believed: reading the whole ledger for it would take longer than the replay. */
async function findRun(store: Store, prefix: string): Promise<{ run: string; first: number }> {
  if (prefix.length === 64) return { run: prefix, first: 1 };
  const { seq } = await store.head();
  const found = new Map<string, number>();
  for await (const lines of scanLines(store, 1, seq))
    for (const line of lines)
      if (line.kind === 'session.start' && line.session?.startsWith(prefix) === true)
        found.set(line.session, line.seq);
  const [one, ...others] = found;
  if (one === undefined)
    throw new StoreError('NOT_FOUND', `no session begins with ${prefix}. See \`foil session list\`.`);
  if (others.length > 0)
    throw new UsageError(`${prefix} begins the ids of ${found.size} sessions. Write more of it.`);
  return { run: one[0], first: one[1] };
}
