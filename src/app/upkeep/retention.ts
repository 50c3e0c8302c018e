// Retention at work: what the project says, which sessions' content is due, the tombstone, and only then the removal. The
// project's word is an agent's to write, so where a service under another user keeps the ledger (locked), it can only
// make content be kept longer. Whatever can't be understood keeps everything.
import { isAbsolute } from 'node:path';
import { parseYaml, readConfig } from '../../config/index.ts';
import { ParseError } from '../../core/index.ts';
import { NO_SESSION } from '../../format/index.ts';
import {
  type Archiving,
  DAY,
  DEFAULT_ARCHIVING,
  DEFAULT_RETENTION,
  type Due,
  dueSessions,
  HOUR,
  type Ledger,
  longest,
  type Retention,
  slowest,
} from '../../ledger/index.ts';
import { readAges } from '../../report/index.ts';
import type { ContentUse, FileStore } from '../../store/files/index.ts';
import { removeStates } from './erased-states.ts';

export interface RetentionOptions {
  readonly ledger: Ledger;
  readonly store: FileStore;
  /** The project's directories, as far as known; those that the ledger's sessions name are asked too. */
  readonly roots: readonly string[];
  readonly locked: boolean;
  readonly now: number;
  /** Look at the entries although nothing seems due: an earlier run may have been stopped. */
  readonly thorough: boolean;
  readonly dryRun: boolean;
  readonly stopping?: () => boolean;
  readonly progress?: (seq: number) => void;
}

export interface Retained {
  readonly retention: Retention | null;
  /** Removed, or due to be where it is a dry run. */
  readonly erased: readonly Due[];
  /** Under a tombstone already, whose removal had been interrupted. */
  readonly finished: readonly Due[];
  /** Why nothing was looked at. */
  readonly problem: string | null;
  /** Nothing that is under a tombstone is left. */
  readonly complete: boolean;
}

export async function retain(options: RetentionOptions): Promise<Retained> {
  const { ledger, store, roots, locked, now, dryRun, stopping = () => false } = options;
  const uses = store.contentUses().filter(({ session, salted }) => salted && session !== NO_SESSION);
  const none = (retention: Retention | null, problem: string | null): Retained => ({
    retention,
    erased: [],
    finished: [],
    problem,
    complete: problem === null,
  });
  try {
    const first = retentionOf(roots, locked);
    if (!options.thorough && !mayBeDue(uses, first, now)) return none(first, null);
    // Lines that a killed process left behind the head are taken in: one may be a tombstone.
    if (!dryRun) await store.append(() => undefined);
    const ages = await readAges(ledger, new Set(uses.map(({ session }) => session)), options.progress);
    const all = [...roots, ...ages.roots];
    const retention = retentionOf(all, locked);
    const quiet = archivingOf(all, locked).quietHours * HOUR;
    const kept = uses.map((use) => ({ ...use, ...(ages.sessions.get(use.session) ?? UNHEARD) }));
    const finished = kept
      .filter(({ buried }) => buried)
      .map(({ session, files, bytes }): Due => ({ session, files, bytes, why: 'age' }));
    const due = dueSessions(
      kept.filter(({ buried }) => !buried),
      retention,
      now,
      quiet,
    );
    if (dryRun) return { retention, erased: due, finished, problem: null, complete: true };
    const plan = { reason: 'retention', sessions: due, seen: ages.seen } as const;
    // Whoever was stopped may not have got to the checkpoint over its tombstones.
    if (finished.length > 0) await ledger.seal();
    const tombstones = due.length === 0 ? [] : await ledger.bury(plan);
    const buried = new Set(tombstones.flatMap(({ sessions }) => sessions.map(({ session }) => session)));
    // Before the content: whoever was stopped in between finds the content again, and so comes here again.
    const going = new Set([...finished.map(({ session }) => session), ...buried]);
    const holding = new Set(kept.map(({ session }) => session));
    const oldest = retention.days === null ? Number.NEGATIVE_INFINITY : now - retention.days * DAY;
    await removeStates(store, (session, modified) =>
      going.has(session) ? modified <= now - quiet : !holding.has(session) && modified < oldest,
    );
    let complete = true;
    const remove = async (all: readonly Due[]): Promise<Due[]> => {
      const gone: Due[] = [];
      for (const each of all) {
        if (stopping()) complete = false;
        else if (await store.eraseContent(each.session, { unlessAfter: now - quiet })) gone.push(each);
      }
      return gone;
    };
    return {
      retention,
      finished: await remove(finished),
      erased: await remove(due.filter(({ session }) => buried.has(session))),
      problem: null,
      complete,
    };
  } catch (error) {
    if (error instanceof ParseError) return none(null, error.message);
    throw error;
  }
}

/** Content that no entry tells of: kept for an entry that was never written. */
const UNHEARD = { newest: 0, ended: true, buried: false };

/** As far as the dates of files tell; the entries may say that it is not. */
export function mayBeDue(uses: readonly ContentUse[], { days, bytes }: Retention, now: number): boolean {
  const room = uses.reduce((sum, use) => sum + use.bytes, 0);
  return (
    (bytes !== null && room > bytes) ||
    (days !== null && uses.some(({ modified }) => now - modified > days * DAY))
  );
}

/** What those say that say anything. Of several, what keeps more. Throws ParseError where one can't be understood. */
export function retentionOf(roots: readonly string[], locked: boolean): Retention {
  let found: Retention | null = null;
  for (const root of new Set(roots)) {
    if (!isAbsolute(root)) continue;
    const { retention } = readConfig(root, parseYaml, { links: !locked });
    if (retention !== null) found = found === null ? retention : longest(found, retention);
  }
  if (found === null) return DEFAULT_RETENTION;
  return locked ? longest(found, DEFAULT_RETENTION) : found;
}

/** The same for segments. A file that can't be understood says nothing here: what it means for content is told there. */
export function archivingOf(roots: readonly string[], locked: boolean): Archiving {
  let found: Archiving | null = null;
  for (const root of new Set(roots)) {
    const archive = isAbsolute(root) ? tryArchive(root, locked) : null;
    if (archive !== null) found = found === null ? archive : slowest(found, archive);
  }
  if (found === null) return DEFAULT_ARCHIVING;
  return locked ? slowest(found, DEFAULT_ARCHIVING) : found;
}

function tryArchive(root: string, locked: boolean): Archiving | null {
  try {
    return readConfig(root, parseYaml, { links: !locked }).archive;
  } catch (error) {
    if (error instanceof ParseError) return null;
    throw error;
  }
}
