// A map of the run: time from left to right, a lane for each kind of actor and for each agent within the session, and above
// it all of the session, small, with a frame around what is shown. Both are drawn, so that they cost about the same for
// twenty entries and for twenty thousand; the list below says the same to whoever can't see them.
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { branchesOf, type Step } from '../model/steps.ts';
import { panned, showing, type TimeWindow, wholeWindow, zoomed } from '../model/time-window.ts';
import {
  AXIS,
  type Drawing,
  LABELS,
  LANE,
  laneCount,
  laneOf,
  mapHeight,
  paintLanes,
  paintMap,
  timeAt,
} from './timeline-paint.ts';
import { useDrag } from './use-drag.ts';
import { brief, lasted } from './words.ts';

interface Props {
  readonly steps: readonly Step[];
  readonly chosen: Step | undefined;
  readonly playhead: number | null;
  readonly choose: (seq: number) => void;
  /** More that steers it. */
  readonly children?: ComponentChildren;
}

const ZOOM = 1.6;
/** What is nearer to a mark than this, in pixels, means the mark. */
const NEAR = 10;

export function Timeline({ steps, chosen, playhead, choose, children }: Props) {
  const lanes = useRef<HTMLCanvasElement>(null);
  const map = useRef<HTMLCanvasElement>(null);
  const branches = useMemo(() => branchesOf(steps), [steps]);
  const whole = useMemo(() => wholeOf(steps), [steps]);
  const [shown, setShown] = useState<TimeWindow>(whole);
  useEffect(() => setShown(whole), [whole]);
  const at = playhead ?? chosen?.from;
  useEffect(() => {
    if (at !== undefined) setShown((now) => showing(now, at, whole));
  }, [at, whole]);

  const drawing: Drawing = { steps, branches, shown, whole, chosen, playhead };
  usePainted(() => {
    if (lanes.current !== null) paintLanes(lanes.current, drawing);
    if (map.current !== null) paintMap(map.current, drawing);
  }, [steps, shown, chosen, playhead]);

  const width = (): number => lanes.current?.clientWidth ?? 1;
  const zoom = (factor: number, around = chosen?.from ?? (shown.from + shown.to) / 2): void =>
    setShown((now) => zoomed(now, factor, Math.min(now.to, Math.max(now.from, around)), whole));
  const pan = (share: number): void => setShown((now) => panned(now, share * (now.to - now.from), whole));
  const pick = (x: number, y: number): void => {
    const found = nearest(drawing, timeAt(x, width(), shown), Math.floor(y / LANE), width());
    if (found !== undefined) choose(found.seq);
  };
  useDrag(lanes, {
    move: (by) => pan(-by / (width() - LABELS)),
    click: pick,
    pinch: (factor, x) => zoom(1 / factor, timeAt(x, width(), shown)),
  });
  useDrag(map, {
    start: (x) => {
      const time = timeAt(x, width(), whole);
      if (time < shown.from || time > shown.to)
        setShown((now) => panned(now, time - (now.from + now.to) / 2, whole));
    },
    move: (by) => setShown((now) => panned(now, (by / (width() - LABELS)) * (whole.to - whole.from), whole)),
    click: (x) => {
      const found = nearest({ ...drawing, shown: whole }, timeAt(x, width(), whole), null, width());
      if (found !== undefined) choose(found.seq);
    },
    pinch: (factor) => zoom(1 / factor),
  });

  const index = chosen === undefined ? -1 : steps.indexOf(chosen);
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = (next: number): void => {
      const step = steps[Math.min(steps.length - 1, Math.max(0, next))];
      if (step !== undefined) choose(step.seq);
    };
    const { key, shiftKey } = event;
    if (key === 'ArrowRight') shiftKey ? pan(0.2) : to(index + 1);
    else if (key === 'ArrowLeft') shiftKey ? pan(-0.2) : to(index - 1);
    else if (key === 'PageDown') to(index + 20);
    else if (key === 'PageUp') to(index - 20);
    else if (key === 'Home') to(0);
    else if (key === 'End') to(steps.length - 1);
    else if (key === '+' || key === '=' || key === 'ArrowUp') zoom(1 / ZOOM);
    else if (key === '-' || key === 'ArrowDown') zoom(ZOOM);
    else if (key === '0') setShown(whole);
    else return;
    event.preventDefault();
  };
  const isWhole = shown.to - shown.from >= whole.to - whole.from;
  return (
    <div class="times">
      <div
        role="slider"
        tabIndex={0}
        aria-label="Timeline"
        aria-valuemin={1}
        aria-valuemax={Math.max(1, steps.length)}
        aria-valuenow={Math.max(1, index + 1)}
        aria-valuetext={
          chosen === undefined ? 'nothing chosen' : `${brief(chosen.title, 80)}, entry ${chosen.seq}`
        }
        onKeyDown={onKey}
      >
        <canvas class="map" ref={map} style={{ height: `${mapHeight(drawing)}px` }} />
        <canvas class="timeline" ref={lanes} style={{ height: `${laneCount(drawing) * LANE + AXIS}px` }} />
      </div>
      <div class="zoom">
        {children}
        <button type="button" onClick={() => zoom(1 / ZOOM)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => zoom(ZOOM)} disabled={isWhole} aria-label="Zoom out">
          −
        </button>
        <button type="button" onClick={() => setShown(whole)} disabled={isWhole}>
          All
        </button>
        <span class="quiet">{lasted(shown.to - shown.from)} shown</span>
        <span class="legend quiet" aria-hidden="true">
          <i class="good" /> passed <i class="bad" /> failed or refused <i class="doubt" /> in doubt{' '}
          <i class="plain" /> all else
        </span>
      </div>
    </div>
  );
}

function wholeOf(steps: readonly Step[]): TimeWindow {
  const last = steps.reduce((most, { to }) => Math.max(most, to), steps[0]?.to ?? 1);
  return wholeWindow(steps[0]?.from ?? 0, last);
}

/** In its lane, if there is one; where two are as near, the later. */
function nearest(
  { steps, shown, branches }: Drawing,
  time: number,
  lane: number | null,
  width: number,
): Step | undefined {
  const pixel = (shown.to - shown.from) / (width - LABELS);
  let best: { step: Step; off: number } | undefined;
  for (const step of steps) {
    const off =
      Math.max(0, step.from - time, time - step.to) +
      (lane === null || laneOf(step, branches) === lane ? 0 : NEAR * pixel);
    if (best === undefined || off <= best.off) best = { step, off };
  }
  return best?.step;
}

/** Once for each frame, and again when the place or the colours change. */
function usePainted(paint: () => void, about: readonly unknown[]): void {
  const latest = useRef(paint);
  latest.current = paint;
  useEffect(() => {
    const frame = requestAnimationFrame(() => latest.current());
    return () => cancelAnimationFrame(frame);
  }, about);
  useEffect(() => {
    const again = (): void => latest.current();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    addEventListener('resize', again);
    dark.addEventListener('change', again);
    return () => {
      removeEventListener('resize', again);
      dark.removeEventListener('change', again);
    };
  }, []);
}
