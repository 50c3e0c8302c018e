// Sums over many sessions: by day, by agent, by model, by tool.
import type { SessionRow, ToolsUsed } from '../../src/view/answers.ts';

export interface Total {
  readonly name: string;
  readonly sessions: number;
  readonly calls: number;
  readonly tokens: number;
  readonly denied: number;
  readonly proven: number;
  /** Claims of completion that nothing proves. */
  readonly unproven: number;
}

/** The largest first. A session with two models counts for both. */
export function totalsBy(
  sessions: readonly SessionRow[],
  namesOf: (session: SessionRow) => readonly string[],
): Total[] {
  const totals = new Map<string, Total>();
  for (const session of sessions)
    for (const name of namesOf(session)) {
      const sum = totals.get(name) ?? nothing(name);
      totals.set(name, {
        name,
        sessions: sum.sessions + 1,
        calls: sum.calls + session.calls,
        tokens: sum.tokens + session.tokens,
        denied: sum.denied + session.denied,
        proven: sum.proven + session.proven,
        // What was proven before the last change is not proven now.
        unproven: sum.unproven + session.unproven + session.stale,
      });
    }
  return [...totals.values()].sort((a, b) => b.calls - a.calls || b.sessions - a.sessions);
}

const DAY = 86_400_000;

/** Each of the last days up to that of the newest session, those without one among them. */
export function totalsByDay(sessions: readonly SessionRow[], days: number): Total[] {
  const found = new Map(
    totalsBy(sessions, ({ start }) => [start.slice(0, 10)]).map((day) => [day.name, day]),
  );
  const newest = [...found.keys()].sort().at(-1);
  if (newest === undefined) return [];
  return Array.from({ length: days }, (_, index) => {
    const name = new Date(Date.parse(newest) - (days - 1 - index) * DAY).toISOString().slice(0, 10);
    return found.get(name) ?? nothing(name);
  });
}

export interface ToolTotal {
  readonly name: string;
  readonly calls: number;
}

/** Of these sessions alone, the most used first. */
export function toolTotals(used: ToolsUsed, of: ReadonlySet<string>): ToolTotal[] {
  const totals = new Map<string, number>();
  for (const [session, tools] of used.sessions)
    if (of.has(session)) for (const [tool, calls] of tools) totals.set(tool, (totals.get(tool) ?? 0) + calls);
  return [...totals].map(([name, calls]) => ({ name, calls })).sort((a, b) => b.calls - a.calls);
}

function nothing(name: string): Total {
  return { name, sessions: 0, calls: 0, tokens: 0, denied: 0, proven: 0, unproven: 0 };
}
