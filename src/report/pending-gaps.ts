// What was not recorded and is not in the ledger yet: a session's hooks ran with FOIL=off, or an event was lost. Whoever
// records next tells of it as a gap. Until then these notes are all there is, and they are no evidence: whoever may write
// them may remove them.
import type { RecordingGap } from '../format/index.ts';
import { noteDirectories, peekPending } from '../record/index.ts';
import { counted, harmless, moment } from './text.ts';

export interface PendingGap {
  readonly reason: RecordingGap['reason'];
  readonly since: string;
  readonly until: string | null;
  readonly events: number | null;
  readonly why: string;
}

export function pendingGaps(
  directory: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly PendingGap[] {
  return peekPending(...noteDirectories(directory, env)).map(({ reason, since, until, events, why }) => ({
    reason,
    since,
    until,
    events,
    why,
  }));
}

export function pendingText({ reason, since, until, events, why }: PendingGap): string {
  const what =
    reason === 'off'
      ? 'recording was off'
      : `${events === null ? 'events' : counted(events, 'event')} not recorded`;
  const [first, last] = [moment(since), moment(until ?? since)];
  const time = first === last ? `at ${first}` : `from ${first} to ${last}`;
  return harmless(`${what} ${time} (${why}); the next entry will record it`);
}
