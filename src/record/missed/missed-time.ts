// A time in which a recorder could not record what it saw: how it is counted, and the gap that tells of it.
import type { JsonObject } from '../../core/index.ts';
import { encodeGap, type RecordingGap } from '../../format/index.ts';
import { fitting, shorten } from '../short.ts';

/** What could not be recorded for a while. Times are milliseconds since 1970. */
export interface Missed {
  readonly since: number;
  readonly until: number;
  readonly events: number;
  readonly why: string;
  /** Host's ids of calls among it. */
  readonly calls: readonly string[];
}

const MOST_CALLS = 100;
const MOST_CALL_BYTES = 32_768;
const LONGEST_ID = { length: 200, bytes: 1024 };
const LONGEST_WHY = { length: 500, bytes: 4096 };
const LAST_MOMENT = 8.64e15;

/** The payload of a gap. `missed` must be clean. */
export function encodeMissed(missed: Missed): JsonObject {
  return encodeGap(gapOf(missed));
}

export function gapOf(missed: Missed): RecordingGap {
  const calls = missed.calls.slice(0, MOST_CALLS).map((call) => shorten(call, LONGEST_ID).toWellFormed());
  return {
    reason: 'unrecorded',
    since: moment(missed.since),
    until: moment(missed.until),
    events: missed.events,
    why: shorten(missed.why, LONGEST_WHY).toWellFormed(),
    calls: fitting(calls, MOST_CALL_BYTES),
  };
}

/** One more. */
export function missedOne(
  missed: Missed | undefined,
  call: string | null,
  why: string,
  at = Date.now(),
): Missed {
  const calls = call === null ? [] : [shorten(call, LONGEST_ID)];
  return missedBoth(missed, { since: at, until: at, events: 1, why, calls });
}

/** The newer one's reason is kept. */
export function missedBoth(a: Missed | undefined, b: Missed): Missed {
  if (a === undefined) return b;
  return {
    since: Math.min(a.since, b.since),
    until: Math.max(a.until, b.until),
    events: a.events + b.events,
    why: b.why,
    calls: [...a.calls, ...b.calls].slice(0, MOST_CALLS),
  };
}

function moment(time: number): string {
  return new Date(Math.max(0, Math.min(LAST_MOMENT, time))).toISOString();
}
