// Upkeep for ledgers without a service: most hosts call hooks as commands, and a service may stop before its first
// upkeep. A hook that finds the last upkeep more than a day old starts a separate process, `foil archive --if-due`,
// which is this. It uses the settings of the projects whose sessions the ledger has, and cuts no session that had an
// event within a day, because its host may continue it.

import { isUpkeepDue, noteUpkeepTried, reading, tidyUp, type Upkeep } from '../app/index.ts';
import { DAY, type Located, readSettings } from '../ledger/index.ts';
import { listSessions } from '../report/index.ts';

/** Undefined where there is nothing to do here: it was done today, another is at it, or it is for somebody else. */
export async function keepUpDaily(located: Located, now: number): Promise<Upkeep | undefined> {
  const { directory } = located;
  if (!isUpkeepDue(directory, now)) return undefined;
  noteUpkeepTried(directory, now);
  // Then it is for the service, which runs as another user.
  if (readSettings(directory).mode === 'locked') return undefined;
  const sessions = await reading(located, async ({ store }) => listSessions(store, (await store.head()).seq));
  const roots = new Set(sessions.flatMap(({ workspace_root: root }) => root ?? []));
  // Without a word from the project nothing may go: it may say that all is kept.
  if (roots.size === 0) return undefined;
  return tidyUp(located, { roots: [...roots], now, automatic: true, cutBefore: now - DAY });
}
