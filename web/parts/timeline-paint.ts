// Draws steps on a canvas: in lanes over time, or small, as a map of all of them. What falls on the same pixel is drawn once,
// the worst of it, so that twenty thousand steps cost about what a thousand do.
import { LANES, type Tone } from '../model/session.ts';
import type { Step } from '../model/steps.ts';
import { type TimeWindow, ticksIn } from '../model/time-window.ts';

export const LANE = 24;
export const AXIS = 20;
export const LABELS = 64;
const MAP_LANE = 5;
/** Lanes of agents within the session; what more there are share the last. */
const MOST_BRANCHES = 4;
const RANK: Readonly<Record<Tone, number>> = { plain: 0, good: 1, doubt: 2, bad: 3 };
const TONES = ['plain', 'good', 'doubt', 'bad'] as const satisfies readonly Tone[];
/** What binds the session to something outside of it is drawn as a diamond. */
const ANCHORS = /^(?:anchor\.|commit$|auth\.|receipt$|session\.sum$)/;

export interface Drawing {
  readonly steps: readonly Step[];
  readonly branches: readonly string[];
  readonly shown: TimeWindow;
  readonly whole: TimeWindow;
  readonly chosen: Step | undefined;
  /** Where playback is; null where nothing plays. */
  readonly playhead: number | null;
}

export function laneCount({ branches }: Pick<Drawing, 'branches'>): number {
  return LANES.length + Math.min(branches.length, MOST_BRANCHES);
}

export function laneOf({ lane, agent }: Step, branches: readonly string[]): number {
  if (agent === null) return LANES.indexOf(lane);
  return LANES.length + Math.min(branches.indexOf(agent), MOST_BRANCHES - 1);
}

export function timeAt(x: number, width: number, { from, to }: TimeWindow): number {
  return from + ((x - LABELS) / (width - LABELS)) * (to - from);
}

function placeOf(at: number, width: number, { from, to }: TimeWindow): number {
  return LABELS + ((at - from) / (to - from)) * (width - LABELS);
}

interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly colour: (name: string) => string;
}

function penFor(canvas: HTMLCanvasElement): Pen | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d');
  if (context === null) return null;
  context.scale(ratio, ratio);
  context.font = '11px system-ui, sans-serif';
  const style = getComputedStyle(canvas);
  return { context, width, height, colour: (name) => style.getPropertyValue(name) };
}

const toneColour = (tone: Tone): string => (tone === 'plain' ? '--dot' : `--${tone}`);

export function paintLanes(canvas: HTMLCanvasElement, drawing: Drawing): void {
  const pen = penFor(canvas);
  if (pen === null) return;
  const { context, width, height, colour } = pen;
  const { shown, branches, steps, chosen, playhead } = drawing;
  const lanes = laneCount(drawing);
  for (const { at, label } of ticksIn(shown, steps[0]?.from ?? 0, Math.max(2, (width - LABELS) / 90))) {
    const x = placeOf(at, width, shown);
    context.fillStyle = colour('--line');
    context.fillRect(x, 0, 1, lanes * LANE + 4);
    context.fillStyle = colour('--quiet');
    context.fillText(label, Math.min(x + 3, width - 40), lanes * LANE + 15);
  }
  for (let lane = 0; lane < lanes; lane++) {
    context.fillStyle = colour('--line');
    context.fillRect(0, (lane + 1) * LANE, width, 1);
  }
  paintSteps(pen, drawing);
  for (const [lane, label] of [...LANES, ...branches.slice(0, lanes - LANES.length)].entries()) {
    const isBranch = lane >= LANES.length;
    context.fillStyle = colour('--panel');
    context.fillRect(0, lane * LANE + 1, LABELS - 2, LANE - 1);
    context.fillStyle = colour('--quiet');
    // An agent's id is a text of others: controls can't be drawn, and the order of letters stays within this cell.
    context.fillText(
      isBranch ? `↳ agent ${lane - LANES.length + 1}` : label,
      8,
      lane * LANE + 16,
      LABELS - 12,
    );
  }
  const line = (at: number, name: string): void => {
    const x = placeOf(at, width, shown);
    if (x < LABELS) return;
    context.fillStyle = colour(name);
    context.fillRect(x - 0.5, 0, 1.5, height - AXIS);
  };
  if (chosen !== undefined) {
    line(chosen.from, '--accent');
    const [x, end] = [placeOf(chosen.from, width, shown), placeOf(chosen.to, width, shown)];
    context.strokeStyle = colour('--accent');
    context.lineWidth = 2;
    if (end >= LABELS)
      context.strokeRect(x - 3, laneOf(chosen, branches) * LANE + 4, Math.max(7, end - x + 6), LANE - 7);
  }
  if (playhead !== null) line(playhead, '--text');
}

/** Bars for what took time, dots for what did not. */
function paintSteps({ context, width, height, colour }: Pen, drawing: Drawing): void {
  const { steps, shown, branches } = drawing;
  const bars = TONES.map(() => new Path2D());
  const last = new Map<number, { x: number; tone: number }>();
  for (const step of steps) {
    if (step.to < shown.from) continue;
    if (step.from > shown.to) break;
    const lane = laneOf(step, branches);
    const x = placeOf(step.from, width, shown);
    const end = placeOf(step.to, width, shown);
    if (step.row.entry.kind === 'compaction') paintCompaction(context, x, height, colour('--quiet'));
    const tone = RANK[step.tone];
    const before = last.get(lane);
    if (before !== undefined && end - before.x < 1 && tone <= before.tone) continue;
    last.set(lane, { x: end, tone });
    const path = bars[tone] as Path2D;
    const y = lane * LANE + LANE / 2;
    if (ANCHORS.test(step.row.entry.kind)) diamond(path, x, y);
    else if (end - x > 6)
      path.roundRect(Math.max(x, LABELS - 4), y - 6, end - Math.max(x, LABELS - 4), 12, 3);
    else if (step.row.entry.kind === 'agent.start') path.rect(x - 1, y - LANE, 2, LANE + 6);
    else path.roundRect(x - 3, y - 4, 7, 8, 4);
  }
  for (const [i, tone] of TONES.entries()) {
    context.fillStyle = colour(toneColour(tone));
    context.fill(bars[i] as Path2D);
  }
}

function diamond(path: Path2D, x: number, y: number): void {
  path.moveTo(x, y - 5);
  path.lineTo(x + 5, y);
  path.lineTo(x, y + 5);
  path.lineTo(x - 5, y);
  path.closePath();
}

function paintCompaction(context: CanvasRenderingContext2D, x: number, height: number, colour: string): void {
  context.fillStyle = colour;
  for (let y = 0; y < height - AXIS; y += 6) context.fillRect(x, y, 1, 3);
}

/** All of it, small, with a frame around what the lanes show. */
export function paintMap(canvas: HTMLCanvasElement, drawing: Drawing): void {
  const pen = penFor(canvas);
  if (pen === null) return;
  const { context, width, height, colour } = pen;
  const { steps, branches, whole, shown, chosen } = drawing;
  const colours = TONES.map((tone) => colour(toneColour(tone)));
  const last = new Map<number, { x: number; tone: number }>();
  for (const step of steps) {
    const lane = laneOf(step, branches);
    const x = Math.round(placeOf(step.from, width, whole));
    const tone = RANK[step.tone];
    const before = last.get(lane);
    if (before !== undefined && x === before.x && tone <= before.tone) continue;
    last.set(lane, { x, tone });
    context.fillStyle = colours[tone] as string;
    const length = Math.max(1.5, placeOf(step.to, width, whole) - x);
    context.fillRect(x, 3 + lane * MAP_LANE, length, MAP_LANE - 2);
  }
  const [from, to] = [placeOf(shown.from, width, whole), placeOf(shown.to, width, whole)];
  context.fillStyle = colour('--veil');
  context.fillRect(LABELS, 0, from - LABELS, height);
  context.fillRect(to, 0, width - to, height);
  context.strokeStyle = colour('--accent');
  context.lineWidth = 1.5;
  context.strokeRect(from + 0.75, 0.75, Math.max(4, to - from - 1.5), height - 1.5);
  context.fillStyle = colour('--accent');
  for (const x of [from, to]) context.fillRect(x - 2, height / 2 - 7, 4, 14);
  if (chosen !== undefined) context.fillRect(placeOf(chosen.from, width, whole) - 0.5, 0, 1.5, height);
  context.fillStyle = colour('--quiet');
  context.fillText('all', 8, height / 2 + 4);
}

export function mapHeight(drawing: Pick<Drawing, 'branches'>): number {
  return laneCount(drawing) * MAP_LANE + 6;
}
