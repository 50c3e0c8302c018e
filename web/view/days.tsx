// How much happened on each of the last days: a square for a day, the darker the more calls. A click shows that day alone.
import { useMemo } from 'preact/hooks';
import type { SessionRow } from '../../src/view/answers.ts';
import { counted } from '../parts/words.ts';

interface Props {
  readonly sessions: readonly SessionRow[];
  readonly day: string | null;
  readonly choose: (day: string | null) => void;
}

const DAYS = 84;
const DAY = 86_400_000;

export function Days({ sessions, day, choose }: Props) {
  const days = useMemo(() => {
    const sums = new Map<string, { sessions: number; calls: number; unproven: number }>();
    for (const { start, calls, unproven, stale } of sessions) {
      const sum = sums.get(start.slice(0, 10)) ?? { sessions: 0, calls: 0, unproven: 0 };
      sum.sessions++;
      sum.calls += calls;
      sum.unproven += unproven + stale;
      sums.set(start.slice(0, 10), sum);
    }
    const last = Date.parse((sessions[0]?.start ?? new Date().toISOString()).slice(0, 10));
    return Array.from({ length: DAYS }, (_, index) => {
      const date = new Date(last - (DAYS - 1 - index) * DAY).toISOString().slice(0, 10);
      return { date, ...(sums.get(date) ?? { sessions: 0, calls: 0, unproven: 0 }) };
    });
  }, [sessions]);
  const most = Math.max(1, ...days.map(({ calls }) => calls));
  return (
    <>
      <fieldset class="days" aria-label="Days">
        {days.map(({ date, sessions: count, calls, unproven }) => (
          <button
            type="button"
            key={date}
            class={`day ${unproven > 0 ? 'bad' : ''}`}
            style={{ opacity: String(count === 0 ? 0.15 : 0.35 + (0.65 * calls) / most) }}
            disabled={count === 0}
            aria-pressed={day === date}
            aria-label={`${date}: ${counted(count, 'session')}, ${counted(calls, 'call')}, ${counted(unproven, 'unproven claim')}`}
            title={`${date}: ${counted(count, 'session')}, ${counted(calls, 'call')}, ${counted(unproven, 'unproven claim')}`}
            onClick={() => choose(day === date ? null : date)}
          />
        ))}
      </fieldset>
      <p class="quiet days-note">
        One square per day, from {days[0]?.date} to {days.at(-1)?.date}. Darker means more calls. Red means
        that a claim was not proven.
      </p>
    </>
  );
}
