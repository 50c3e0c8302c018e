// How long content is kept: which sessions' content is due to go, by age and by room. Decides only; entries are kept for
// ever. Two clocks must agree that a session is old, the one of its entries and the one that dates its files: either may
// have been wrong, and what is gone is gone.
import { NO_SESSION } from '../format/index.ts';

export interface Retention {
  /** Content of a session goes so many days after its newest entry; null for never. */
  readonly days: number | null;
  /** Beyond so many bytes, content of the oldest sessions goes; null for no limit. */
  readonly bytes: number | null;
}

export const DEFAULT_RETENTION: Retention = { days: 365, bytes: 5 * 1024 ** 3 };
export const KEEP_ALL: Retention = { days: null, bytes: null };

/** A session's content, and what the entries tell of the session. Times in milliseconds since 1970. */
export interface KeptSession {
  readonly session: string;
  readonly files: number;
  readonly bytes: number;
  readonly modified: number;
  /** The latest time that one of its entries has; 0 where it has none. */
  readonly newest: number;
  readonly ended: boolean;
}

export interface Due {
  readonly session: string;
  readonly files: number;
  readonly bytes: number;
  readonly why: 'age' | 'room';
}

export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** When segments of the log are closed and gzipped. Nothing of it ever removes a line. */
export interface Archiving {
  /** A closed segment is gzipped so many days after its newest entry. */
  readonly days: number;
  /** A live segment longer than this is closed. Appending closes it at about 50 MB in any case. */
  readonly bytes: number;
  /** What was used within so many hours is neither gzipped nor erased. */
  readonly quietHours: number;
}

export const DEFAULT_ARCHIVING: Archiving = { days: 30, bytes: 50_000_000, quietHours: 1 };

/** A session that nobody ended, as when its host was killed, counts as open for so long. */
const FORGOTTEN = 7 * DAY;

/** Oldest first. Content that belongs to no session is never due. */
export function dueSessions(
  kept: readonly KeptSession[],
  { days, bytes }: Retention,
  now: number,
  quietFor = HOUR,
): Due[] {
  const candidates = kept
    .filter(({ session }) => session !== NO_SESSION)
    .map((each) => ({ ...each, latest: Math.max(each.newest, each.modified) }))
    .sort((a, b) => a.latest - b.latest || (a.session < b.session ? -1 : 1));
  let room = kept.reduce((sum, each) => sum + each.bytes, 0);
  const due: Due[] = [];
  const rest: typeof candidates = [];
  for (const each of candidates) {
    if (days === null || now - each.latest <= Math.max(days * DAY, quietFor)) {
      rest.push(each);
      continue;
    }
    due.push({ session: each.session, files: each.files, bytes: each.bytes, why: 'age' });
    room -= each.bytes;
  }
  if (bytes === null) return due;
  for (const each of rest) {
    if (room <= bytes) break;
    const quiet = now - each.latest;
    if (each.bytes === 0 || quiet <= quietFor || (!each.ended && quiet <= FORGOTTEN)) continue;
    due.push({ session: each.session, files: each.files, bytes: each.bytes, why: 'room' });
    room -= each.bytes;
  }
  return due;
}

/** Of several that speak for one ledger, as work trees do: what leaves segments as they are for longer. */
export function slowest(a: Archiving, b: Archiving): Archiving {
  return {
    days: Math.max(a.days, b.days),
    bytes: Math.max(a.bytes, b.bytes),
    quietHours: Math.max(a.quietHours, b.quietHours),
  };
}

/** Of several that speak for one ledger, as work trees do: what keeps more. */
export function longest(a: Retention, b: Retention): Retention {
  const more = (x: number | null, y: number | null): number | null =>
    x === null || y === null ? null : Math.max(x, y);
  return { days: more(a.days, b.days), bytes: more(a.bytes, b.bytes) };
}
