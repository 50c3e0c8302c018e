// A run of a ledger that is here, replayed in a sandbox from which the ledger, the keys and the state of foil are hidden.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { derivedKey } from '../core/index.ts';
import { RUN_KEY } from '../format/index.ts';
import { configDirectory, type Ledger, type Located, stateDirectory } from '../ledger/index.ts';
import { type ReplayParts, type ReplayReport, replayRun } from '../runtime/index.ts';
import { makeBubblewrap } from '../sandbox/bubblewrap/index.ts';
import type { Context } from './command.ts';
import { contentReader, readSalt } from './content.ts';

const LARGEST = 256 * 1024 * 1024;

/** Throws RunError where it can't be tried. */
export async function replayHere(
  { env, onInterrupt, progress }: Context,
  ledger: Ledger,
  located: Located,
  asked: Pick<ReplayParts, 'run' | 'first' | 'from' | 'to' | 'execute'>,
): Promise<ReplayReport> {
  const { run } = asked;
  const stop = new AbortController();
  const undo = onInterrupt(() => stop.abort());
  try {
    const salt = await readSalt(ledger, run);
    const read = contentReader(ledger, located);
    progress('replaying');
    return await replayRun({
      ...asked,
      log: ledger.store,
      key: salt === undefined ? null : derivedKey(salt, RUN_KEY),
      read: async (ref) => {
        const content = await read(run, ref, LARGEST);
        if (content.state === 'kept') return content.bytes;
        const shared = ref.algorithm === 'sha256' ? await read(null, ref, LARGEST) : content;
        return shared.state === 'kept' ? shared.bytes : undefined;
      },
      sandbox: makeBubblewrap({
        hidden: [stateDirectory(env), configDirectory(env), located.directory, located.keyDirectory],
        path: `${dirname(process.execPath)}:${env.PATH ?? ''}`,
      }),
      cell: cellOf(),
      signal: stop.signal,
    });
  } finally {
    progress('');
    undo();
  }
}

function cellOf(): ReplayParts['cell'] {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const text = (name: string): string => {
    for (const folder of [here, join(here, '..'), join(here, '../../dist')])
      try {
        return readFileSync(join(folder, name), 'utf8');
      } catch {
        // It lies elsewhere.
      }
    throw new Error(`${name} is missing beside the program. Reinstall foil.`);
  };
  return { main: text('replay-cell.mjs'), define: text('replay-define.mjs') };
}
