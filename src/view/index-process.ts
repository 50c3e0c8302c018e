// The process that builds an index (`view-index.cjs`), started by `foil view` for one ledger and ended with it. It has the
// lowest priority, so that recording comes first. Of several viewers of one ledger, one builds, and the others wait for their turn.
import { setPriority } from 'node:os';
import { openToRead } from '../app/index.ts';
import type { Ledger, Located } from '../ledger/index.ts';
import { IndexBuilder } from './index-builder.ts';
import { type Database, loadSqlite, type OpenDatabase } from './sqlite.ts';

export interface IndexTask {
  readonly directory: string;
  readonly keyDirectory: string;
  readonly path: string;
}

/** What it tells its parent: why it can't, or null once it can again. */
export interface IndexNews {
  readonly problem: string | null;
}

/** Between two looks at a ledger that doesn't grow, in milliseconds. */
const PAUSE = 1000;
const LOWEST = 19;

export async function buildIndex(): Promise<void> {
  const { path, ...place } = JSON.parse(process.argv[2] ?? '{}') as IndexTask;
  const open = loadSqlite();
  if (open === undefined) return;
  let isStopping = false;
  process.once('disconnect', () => {
    isStopping = true;
  });
  try {
    setPriority(LOWEST);
  } catch {
    // Not everywhere may a process be made to wait.
  }
  const located: Located = { ...place, how: 'option' };
  const lock = await turn(open, `${path}.lock`, () => isStopping);
  let ledger: Ledger | undefined;
  let builder: IndexBuilder | undefined;
  // The viewer found that the file is damaged.
  process.on('message', () => builder?.discard());
  for (let told: string | null = null; !isStopping; await pause()) {
    let problem: string | null = null;
    try {
      ledger ??= openToRead(located);
      builder ??= new IndexBuilder(ledger, located, open, path);
      await builder.look(() => isStopping);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      builder?.close();
      builder = undefined;
      ledger = undefined;
    }
    if (problem !== told) process.send?.({ problem } satisfies IndexNews);
    told = problem;
  }
  builder?.close();
  lock?.close();
  process.exit(0);
}

/** A lock that the system lets go of when its holder dies: a transaction on a file of its own. */
async function turn(
  open: OpenDatabase,
  path: string,
  isStopping: () => boolean,
): Promise<Database | undefined> {
  while (!isStopping()) {
    try {
      const database = open(path);
      try {
        database.exec('PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE');
        return database;
      } catch {
        database.close();
      }
    } catch {
      // The folder can't be written to. The index can't either, and says why.
      return undefined;
    }
    await pause();
  }
  return undefined;
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE));
}
