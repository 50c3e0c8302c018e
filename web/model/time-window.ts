// The part of a session's time that a timeline shows, and how it is moved. Milliseconds throughout.

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** No shorter than this: the clocks of ledgers count milliseconds. */
const SHORTEST = 20;

/** With a little air, and never empty. */
export function wholeWindow(first: number, last: number): TimeWindow {
  const air = Math.max(SHORTEST / 10, (last - first) * 0.01);
  return { from: first - air, to: last + air };
}

/** By that factor, with what lies at `around` staying where it is. */
export function zoomed(shown: TimeWindow, factor: number, around: number, whole: TimeWindow): TimeWindow {
  const length = Math.max(SHORTEST, Math.min(whole.to - whole.from, (shown.to - shown.from) * factor));
  const share = (around - shown.from) / (shown.to - shown.from);
  return within({ from: around - share * length, to: around + (1 - share) * length }, whole);
}

export function panned(shown: TimeWindow, by: number, whole: TimeWindow): TimeWindow {
  return within({ from: shown.from + by, to: shown.to + by }, whole);
}

/** Moved as little as it takes to show that time. */
export function showing(shown: TimeWindow, at: number, whole: TimeWindow): TimeWindow {
  if (at >= shown.from && at <= shown.to) return shown;
  return panned(shown, at - (shown.from + shown.to) / 2, whole);
}

function within({ from, to }: TimeWindow, whole: TimeWindow): TimeWindow {
  const length = Math.min(to - from, whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - length);
  return { from: start, to: start + length };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 30].map((each) => each * SECOND),
  ...[1, 2, 5, 10, 30].map((each) => each * MINUTE),
  ...[1, 2, 6, 12].map((each) => each * HOUR),
  ...[1, 2, 7, 30].map((each) => each * DAY),
];

export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** At most so many, counted from `zero`, the session's beginning: how long into it. */
export function ticksIn({ from, to }: TimeWindow, zero: number, most: number): Tick[] {
  const step = STEPS.find((each) => (to - from) / each <= most) ?? (to - from) / most;
  const ticks: Tick[] = [];
  for (let n = Math.max(0, Math.ceil((from - zero) / step)); zero + n * step <= to; n++)
    ticks.push({ at: zero + n * step, label: since(n * step, step) });
  return ticks;
}

function since(milliseconds: number, step: number): string {
  if (step < SECOND) return `${(milliseconds / SECOND).toFixed(step < 10 ? 3 : step < 100 ? 2 : 1)} s`;
  const [hours, minutes] = [Math.floor(milliseconds / HOUR), Math.floor(milliseconds / MINUTE) % 60];
  const seconds = Math.floor(milliseconds / SECOND) % 60;
  if (step >= DAY) return `${Math.round(milliseconds / DAY)} d`;
  if (hours === 0 && minutes === 0) return `${seconds} s`;
  const two = (n: number): string => String(n).padStart(2, '0');
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
}
