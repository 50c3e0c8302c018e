// Charts over the sessions in the list. The ones by name are tables with bars in them; the ones by day have a table beside
// them, for whoever can't see them.
import { useMemo, useState } from 'preact/hooks';
import type { SessionRow, ToolsUsed } from '../../src/view/answers.ts';
import { type Total, toolTotals, totalsBy, totalsByDay } from '../model/totals.ts';
import { brief, thousands } from '../parts/words.ts';

interface Props {
  readonly sessions: readonly SessionRow[];
  /** Null until it is known. */
  readonly tools: ToolsUsed | null;
}

const DAYS = 42;
const MOST = 6;

export function Charts(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="charts" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Charts: calls and tokens by day, tools, denials, false “done”</summary>
      {isOpen && <Cards {...props} />}
    </details>
  );
}

function Cards({ sessions, tools }: Props) {
  const days = useMemo(() => totalsByDay(sessions, DAYS), [sessions]);
  const agents = useMemo(() => totalsBy(sessions, ({ agent }) => [agent ?? 'an agent']), [sessions]);
  const models = useMemo(() => totalsBy(sessions, (each) => each.models), [sessions]);
  const used = useMemo(
    () => (tools === null ? [] : toolTotals(tools, new Set(sessions.map(({ id }) => id)))),
    [sessions, tools],
  );
  return (
    <div class="cards">
      <Days title="Tool calls by day" days={days} of={({ calls }) => calls} />
      {sessions.some(({ tokens }) => tokens > 0) && (
        <Days title="Tokens by day" days={days} of={({ tokens }) => tokens} />
      )}
      <Bars
        title="Tools"
        unit="calls"
        note={tools !== null && tools.from > 1 ? 'Of the newest entries only.' : undefined}
        items={used.map(({ name, calls }) => ({ name, value: calls }))}
        isWaiting={tools === null}
      />
      <Bars
        title="Denied calls by agent"
        unit="denied"
        items={agents.map(({ name, denied }) => ({ name, value: denied }))}
      />
      <Bars title="False “done” by agent" unit="unproven" items={agents.map(falseDones)} isBad />
      <Bars title="False “done” by model" unit="unproven" items={models.map(falseDones)} isBad />
    </div>
  );
}

interface Item {
  readonly name: string;
  readonly value: number;
  /** What it is a part of. */
  readonly of?: number;
}

function falseDones({ name, proven, unproven }: Total): Item {
  return { name, value: unproven, of: proven + unproven };
}

function Bars({
  title,
  unit,
  items,
  note,
  isBad = false,
  isWaiting = false,
}: {
  readonly title: string;
  readonly unit: string;
  readonly items: readonly Item[];
  /** What the numbers leave out. */
  readonly note?: string | undefined;
  readonly isBad?: boolean;
  /** They aren't known yet. */
  readonly isWaiting?: boolean;
}) {
  const shown = items.filter(({ value, of = value }) => of > 0).toSorted((a, b) => b.value - a.value);
  const most = Math.max(1, ...shown.map(({ value, of = value }) => Math.max(value, isBad ? of : value)));
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      {shown.length === 0 ? (
        <p class="quiet">{isWaiting ? '…' : 'None.'}</p>
      ) : (
        <table class="bars">
          <thead class="unseen">
            <tr>
              <th scope="col">name</th>
              <th scope="col">{unit}</th>
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, MOST).map(({ name, value, of }) => (
              <tr key={name}>
                <th scope="row">{brief(name, 40)}</th>
                <td>
                  <span class={`bar-of ${isBad ? 'bad' : ''}`} style={{ width: `${(62 * value) / most}%` }} />{' '}
                  {thousands(value)}
                  {of !== undefined && <span class="quiet"> of {thousands(of)}</span>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {shown.length > MOST && <p class="quiet">and {shown.length - MOST} more</p>}
      {note !== undefined && <p class="quiet">{note}</p>}
    </section>
  );
}

const [WIDTH, HEIGHT] = [300, 84];

function Days({
  title,
  days,
  of,
}: {
  readonly title: string;
  readonly days: readonly Total[];
  readonly of: (day: Total) => number;
}) {
  const most = Math.max(1, ...days.map(of));
  const sum = days.reduce((all, day) => all + of(day), 0);
  const width = WIDTH / DAYS;
  return (
    <section class="card" aria-label={title}>
      <h2>
        {title} <span class="quiet">{thousands(sum)}</span>
      </h2>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${thousands(sum)} in ${DAYS} days, at most ${thousands(most)} a day`}
      >
        <line x1={0} x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} class="base" />
        {days.map((day, index) => {
          const height = (of(day) / most) * (HEIGHT - 6);
          return (
            height > 0 && (
              <rect
                key={day.name}
                x={index * width + 1}
                y={HEIGHT - Math.max(2, height)}
                width={width - 2}
                height={Math.max(2, height)}
                rx={1.5}
              >
                <title>{`${day.name}: ${thousands(of(day))}`}</title>
              </rect>
            )
          );
        })}
      </svg>
      <p class="quiet ends">
        <span>{days[0]?.name}</span> <span>{days.at(-1)?.name}</span>
      </p>
      <details>
        <summary>As a table</summary>
        <table>
          <tbody>
            {days
              .filter((day) => of(day) > 0)
              .map((day) => (
                <tr key={day.name}>
                  <th scope="row">{day.name}</th>
                  <td>{thousands(of(day))}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
