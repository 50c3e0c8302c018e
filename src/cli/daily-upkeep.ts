// Upkeep where no service runs: hooks of most hosts are commands, and the end of a turn starts a process that seals. Once a
// day that process also tidies up, when everybody has been answered. By the word of the projects whose sessions the ledger
// has, and of nobody who asks.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { UPKEEP_FILE } from '../format/index.ts';
import { HOUR, type Located, readSettings } from '../ledger/index.ts';
import { reading } from './place.ts';
import { listSessions } from './sessions.ts';
import { tidyUp } from './upkeep.ts';
import { isUpkeepDue } from './upkeep-note.ts';

/** Never throws: what it runs into, the next one will, and `foil archive` says it. */
export async function keepUpDaily(located: Located, now: number): Promise<void> {
  const { directory } = located;
  try {
    if (!isUpkeepDue(directory, now) || wasTriedLately(directory, now)) return;
    // Then it is for the service, which runs as another user.
    if (readSettings(directory).mode === 'locked') return;
    const sessions = await reading(located, async ({ store }) =>
      listSessions(store, (await store.head()).seq),
    );
    const roots = new Set(sessions.flatMap(({ workspace_root: root }) => root ?? []));
    // Without a word from the project nothing may go: it may say that all is kept.
    if (roots.size > 0) await tidyUp(located, { roots: [...roots], now, automatic: true });
  } catch {
    // Nothing depends on it.
  }
}

/** One that fails is not tried again with every turn. */
function wasTriedLately(directory: string, now: number): boolean {
  const stat = statSync(join(directory, UPKEEP_FILE), { throwIfNoEntry: false });
  return stat !== undefined && Math.abs(now - stat.mtimeMs) < HOUR;
}
