// Finding a snapshot of a run without reading all of the run: backwards from the end of the ledger, a window at a time.
import { parseRunPayload, type SnapshotFact } from '../format/index.ts';
import type { LogReader } from '../ledger/index.ts';
import { readEvents } from './read-run.ts';
import { RunError } from './run-error.ts';

export interface FoundSnapshot {
  readonly sequence: number;
  readonly seq: number;
  readonly fact: SnapshotFact;
}

const WINDOW = 4096;

/**
 * The one with this sequence, which may not be kept; with `last`, the newest that is and that something follows, and with
 * `before` the newest that is and stands before that event: undefined where there is none. RunError where the event is no
 * snapshot.
 */
export async function findSnapshot(
  log: LogReader,
  run: string,
  first: number,
  wanted: number | 'last' | { readonly before: number },
): Promise<FoundSnapshot | undefined> {
  const { seq: end } = await log.head();
  for (let to = end; to >= first; to -= WINDOW) {
    let found: FoundSnapshot | undefined;
    for await (const events of readEvents(log, run, Math.max(first, to - WINDOW + 1), to))
      for (const { event, seq } of events) {
        if (event.kind !== 'Snapshot' || event.payload === null) continue;
        const payload = parseRunPayload(event.kind, event.payload);
        if (payload.kind === 'Snapshot' && isWanted(wanted, event.sequence, payload.fact))
          found = { sequence: event.sequence, seq, fact: payload.fact };
      }
    if (found !== undefined) return found;
  }
  if (typeof wanted === 'number')
    throw new RunError(
      'NO_EVENT',
      `event ${wanted} is not a snapshot. Use \`--from last\` for the newest one.`,
    );
  return undefined;
}

function isWanted(
  wanted: Parameters<typeof findSnapshot>[3],
  sequence: number,
  { snapshot, reason }: SnapshotFact,
): boolean {
  if (typeof wanted === 'number') return sequence === wanted;
  return snapshot !== null && (wanted === 'last' ? reason !== 'last' : sequence < wanted.before);
}
