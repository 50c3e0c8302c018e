// The days of the heat map: whole weeks from Monday on, with the months that they begin in, and what happened on each day.
import type { SessionRow } from '../../src/view/answers.ts';

export interface CalendarDay {
  readonly date: string;
  readonly sessions: number;
  readonly calls: number;
  readonly unproven: number;
  /** `before`: nothing was recorded yet. `after`: it is still to come. */
  readonly when: 'before' | 'recorded' | 'after';
}

export interface CalendarWeek {
  /** The month that begins in it, in three letters; null where none does. */
  readonly month: string | null;
  readonly days: readonly CalendarDay[];
}

const DAY = 86_400_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const WEEKS = 16;

/** `now` is the day for a ledger without sessions. */
export function calendarOf(sessions: readonly SessionRow[], now: string): CalendarWeek[] {
  const sums = new Map<string, { sessions: number; calls: number; unproven: number }>();
  for (const { start, calls, unproven, stale } of sessions) {
    const day = start.slice(0, 10);
    const sum = sums.get(day) ?? { sessions: 0, calls: 0, unproven: 0 };
    sums.set(day, {
      sessions: sum.sessions + 1,
      calls: sum.calls + calls,
      unproven: sum.unproven + unproven + stale,
    });
  }
  const days = [...sums.keys()].sort();
  const [first, last] = [days[0] ?? now.slice(0, 10), days.at(-1) ?? now.slice(0, 10)];
  const end = Date.parse(last);
  const monday = end - ((new Date(end).getUTCDay() + 6) % 7) * DAY;
  return Array.from({ length: WEEKS }, (_, week) => {
    const begin = monday - (WEEKS - 1 - week) * 7 * DAY;
    const dates = Array.from({ length: 7 }, (_, i) => new Date(begin + i * DAY).toISOString().slice(0, 10));
    const month = dates.find((date) => date.endsWith('-01')) ?? (week === 0 ? dates[0] : undefined);
    return {
      month: month === undefined ? null : (MONTHS[Number(month.slice(5, 7)) - 1] ?? null),
      days: dates.map((date) => ({
        date,
        ...(sums.get(date) ?? { sessions: 0, calls: 0, unproven: 0 }),
        when: date < first ? 'before' : date > last ? 'after' : 'recorded',
      })),
    };
  });
}
