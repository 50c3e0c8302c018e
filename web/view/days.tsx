// How much happened on each of the last days: a square for a day, the darker the more calls. A click shows that day alone.
import { useMemo } from 'preact/hooks';
import type { SessionRow } from '../../src/view/answers.ts';
import { type CalendarDay, calendarOf } from '../model/calendar.ts';
import { counted } from '../parts/words.ts';

interface Props {
  readonly sessions: readonly SessionRow[];
  readonly day: string | null;
  readonly choose: (day: string | null) => void;
}

const WEEKDAYS = ['Mon', '', 'Wed', '', 'Fri', '', ''];
/** Of the most calls on a day, for the legend. */
const SHADES = [0, 0.33, 0.66, 1];

const shadeOf = (part: number): string => String(0.35 + 0.65 * part);

export function Days({ sessions, day, choose }: Props) {
  const weeks = useMemo(() => calendarOf(sessions, new Date().toISOString()), [sessions]);
  const most = Math.max(1, ...weeks.flatMap(({ days }) => days.map(({ calls }) => calls)));
  return (
    <div class="calendar">
      <fieldset class="days" aria-label="Days">
        <span />
        {WEEKDAYS.map((name, index) => (
          <span key={index} class="weekday" aria-hidden="true">
            {name}
          </span>
        ))}
        {weeks.map(({ month, days }) => (
          <>
            <span class="month" aria-hidden="true">
              {month}
            </span>
            {days.map((each) => (
              <Day key={each.date} day={each} most={most} chosen={day} choose={choose} />
            ))}
          </>
        ))}
      </fieldset>
      <p class="quiet days-note">
        Calls on a day: few{' '}
        {SHADES.map((part) => (
          <i key={part} class="day" style={{ opacity: shadeOf(part) }} />
        ))}{' '}
        many · <i class="day bad" /> a claim was not proven · <i class="day none" /> no session ·{' '}
        <i class="day before" /> before the first session
      </p>
    </div>
  );
}

interface DayProps {
  readonly day: CalendarDay;
  readonly most: number;
  readonly chosen: string | null;
  readonly choose: Props['choose'];
}

function Day({ day: { date, sessions, calls, unproven, when }, most, chosen, choose }: DayProps) {
  if (when !== 'recorded') return <span class={`day ${when}`} title={when === 'before' ? date : undefined} />;
  const words = `${date}: ${counted(sessions, 'session')}, ${counted(calls, 'call')}, ${counted(unproven, 'unproven claim')}`;
  return (
    <button
      type="button"
      class={`day ${unproven > 0 ? 'bad' : sessions === 0 ? 'none' : ''}`}
      style={sessions === 0 ? {} : { opacity: shadeOf(calls / most) }}
      disabled={sessions === 0}
      aria-pressed={chosen === date}
      aria-label={words}
      title={words}
      onClick={() => choose(chosen === date ? null : date)}
    />
  );
}
