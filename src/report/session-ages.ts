// What the entries tell of sessions that have content: when each was last heard of, whether it ended, whether a tombstone
// names it, and in which directories the ledger's sessions ran. One pass over the lines, as they stand; only a tombstone
// is verified, because content is removed on its word.

import { isObject } from '../core/index.ts';
import { type Entry, isTimestamp } from '../format/index.ts';
import { buriedBy, type Ledger } from '../ledger/index.ts';
import { parseLine, scanLines } from './entry-lines.ts';

export interface SessionAge {
  /** Milliseconds since 1970: the latest that an entry of it says. */
  readonly newest: number;
  readonly ended: boolean;
  /** A tombstone names it, and nothing of it came after. */
  readonly buried: boolean;
}

export interface Ages {
  readonly sessions: ReadonlyMap<string, SessionAge>;
  readonly roots: readonly string[];
  /** The last entry that was looked at. */
  readonly seen: number;
}

const MOST_ROOTS = 256;
/** Tombstones looked at: the newest. */
const MOST_TOMBSTONES = 10_000;

export async function readAges(
  ledger: Ledger,
  wanted: ReadonlySet<string>,
  progress: (seq: number) => void = () => undefined,
): Promise<Ages> {
  const { store } = ledger;
  const { seq: to } = await store.head();
  const sessions = new Map<string, { newest: number; ended: boolean; last: number; buried: boolean }>();
  const roots = new Set<string>();
  const tombstones: Entry[] = [];
  for await (const lines of scanLines(store, 1, to)) {
    for (const line of lines) {
      if (line.kind === 'session.start' && roots.size < MOST_ROOTS) {
        const root = rootOf(parseLine(line));
        if (root !== null) roots.add(root);
      } else if (line.kind === 'erase') {
        const entry = parseLine(line);
        if (entry !== undefined) tombstones.push(entry);
        if (tombstones.length > MOST_TOMBSTONES) tombstones.shift();
      }
      if (line.session === null || !wanted.has(line.session)) continue;
      const newest = Math.max(
        sessions.get(line.session)?.newest ?? 0,
        isTimestamp(line.ts) ? Date.parse(line.ts) : 0,
      );
      const ended = line.kind === 'session.end' || line.kind === 'session.cut';
      sessions.set(line.session, { newest, ended, last: line.seq, buried: false });
    }
    progress(lines.at(-1)?.seq ?? 0);
    // A service answers hooks meanwhile.
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (tombstones.length > 0) {
    const epochs = await ledger.epochs();
    for (const entry of tombstones) {
      const key = epochs.findLast(({ from }) => from <= entry.seq)?.key;
      for (const id of key === undefined ? [] : buriedBy(entry, key)) {
        const age = sessions.get(id) ?? { newest: 0, ended: true, last: 0, buried: false };
        if (wanted.has(id) && age.last < entry.seq) sessions.set(id, { ...age, buried: true });
      }
    }
  }
  return { sessions, roots: [...roots], seen: to };
}

function rootOf(entry: Entry | undefined): string | null {
  const root = isObject(entry?.payload) ? entry.payload.workspace_root : null;
  return typeof root === 'string' && root !== '' ? root : null;
}
