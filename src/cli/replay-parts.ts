// What a run is replayed with: the sandbox, and what runs inside of it.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AttestingSandbox } from '../gate/index.ts';
import { configDirectory, type Located, stateDirectory } from '../ledger/index.ts';
import type { ReplayCell } from '../runtime/index.ts';
import { makeBubblewrap } from '../sandbox/bubblewrap/index.ts';

/** Nothing of the ledger, its keys or the user's configuration can be reached from within. */
export function replaySandbox(
  env: NodeJS.ProcessEnv,
  { directory, keyDirectory }: Pick<Located, 'directory' | 'keyDirectory'>,
): AttestingSandbox {
  return makeBubblewrap({
    hidden: [stateDirectory(env), configDirectory(env), directory, keyDirectory],
    path: `${dirname(process.execPath)}:${env.PATH ?? ''}`,
  });
}

/** What was built for it. */
export function cellOf(): ReplayCell {
  const here = typeof __dirname === 'string' ? __dirname : dirname(fileURLToPath(import.meta.url));
  const bytes = (name: string): Buffer => {
    for (const folder of [here, join(here, '..'), join(here, '../../dist')])
      try {
        return readFileSync(join(folder, name));
      } catch {
        // It lies elsewhere.
      }
    throw new Error(`${name} is missing beside the program. Reinstall foil.`);
  };
  const text = (name: string): string => bytes(name).toString('utf8');
  return {
    main: text('replay-cell.mjs'),
    define: text('replay-define.mjs'),
    thread: text('tool-cell.mjs'),
    wasm: bytes('tool-cell.wasm'),
  };
}
