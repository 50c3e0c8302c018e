// Finding a snapshot of a run without reading all of the run: backwards from the end of the ledger, a window at a time.
import { parseRunPayload, type SnapshotFact } from '../format/index.ts';
import type { Store } from '../ledger/index.ts';
import { readEvents } from './read-run.ts';
import { RunError } from './run-error.ts';

export interface FoundSnapshot {
  readonly sequence: number;
  readonly seq: number;
  readonly fact: SnapshotFact;
}

const WINDOW = 4096;

/** The one with this sequence; with `last`, the newest that something follows. RunError where there is none. */
export async function findSnapshot(
  log: Pick<Store, 'head' | 'read'>,
  run: string,
  first: number,
  wanted: number | 'last',
): Promise<FoundSnapshot> {
  const { seq: end } = await log.head();
  for (let to = end; to >= first; to -= WINDOW) {
    let found: FoundSnapshot | undefined;
    for await (const events of readEvents(log, run, Math.max(first, to - WINDOW + 1), to))
      for (const { event, seq } of events) {
        if (event.kind !== 'Snapshot' || event.payload === null) continue;
        const payload = parseRunPayload(event.kind, event.payload);
        if (payload.kind !== 'Snapshot' || payload.fact.snapshot === null) continue;
        const isIt = wanted === 'last' ? payload.fact.reason !== 'last' : event.sequence === wanted;
        if (isIt) found = { sequence: event.sequence, seq, fact: payload.fact };
      }
    if (found !== undefined) return found;
  }
  throw new RunError(
    'CONTENT_GONE',
    wanted === 'last'
      ? 'the run has no snapshot that is kept. Begin at event 0.'
      : `event ${wanted} is no snapshot that is kept. Take an earlier one, or begin at event 0.`,
  );
}
