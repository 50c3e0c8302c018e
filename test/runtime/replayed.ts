// Replays a run of a ledger, with what was built, in a real sandbox.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { derivedKey } from '../../src/core/index.ts';
import { parseSalt, RUN_KEY, saltPath } from '../../src/format/index.ts';
import { type ReplayParts, type ReplayReport, replayRun } from '../../src/runtime/index.ts';
import { makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import type { Place } from './run-ledger.ts';

const dist = (name: string): string => readFileSync(join(import.meta.dirname, '../../dist/', name), 'utf8');
export const sandbox = makeBubblewrap({ hidden: [] });
/** Why runs can't be replayed here; null where they can. */
export const sandboxProblem = await sandbox.available();

/** The run of the ledger, replayed. */
export async function replayed(
  place: Place,
  run: string,
  more: Partial<ReplayParts> = {},
): Promise<ReplayReport> {
  const store = openFileStore(place.directory, { readOnly: true });
  try {
    const salt = parseSalt(readFileSync(join(place.directory, saltPath(run))));
    return await replayRun({
      log: store,
      run,
      first: 1,
      key: derivedKey(salt, RUN_KEY),
      read: (ref) => store.getContent(run, ref),
      sandbox,
      cell: {
        main: dist('replay-cell.mjs'),
        define: dist('replay-define.mjs'),
        thread: dist('tool-cell.mjs'),
        wasm: readFileSync(join(import.meta.dirname, '../../dist/tool-cell.wasm')),
      },
      ...more,
    });
  } finally {
    await store.close();
  }
}
