// A map of the run: time from left to right, a lane for each kind of actor. Drawn, so that it costs the same for twenty
// entries and for twenty thousand; the list below it says the same to whoever can't see it.
import { useEffect, useRef } from 'preact/hooks';
import { LANES, type Row, type Tone } from '../model/session.ts';

interface Props {
  readonly rows: readonly Row[];
  readonly chosen: number | null;
  readonly choose: (seq: number) => void;
}

const LANE = 22;
const LABELS = 56;

export function Timeline({ rows, chosen, choose }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const draw = (): void => {
      if (canvas.current !== null) paint(canvas.current, rows, chosen);
    };
    draw();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    addEventListener('resize', draw);
    dark.addEventListener('change', draw);
    return () => {
      removeEventListener('resize', draw);
      dark.removeEventListener('change', draw);
    };
  }, [rows, chosen]);
  const onClick = (event: MouseEvent): void => {
    const box = canvas.current?.getBoundingClientRect();
    if (box === undefined) return;
    const place = places(rows, box.width);
    const x = event.clientX - box.left;
    const lane = LANES[Math.floor((event.clientY - box.top) / LANE)];
    let nearest: { row: Row; off: number } | undefined;
    for (const row of rows) {
      const off = Math.abs(place(row) - x) + (row.lane === lane ? 0 : 12);
      if (nearest === undefined || off < nearest.off) nearest = { row, off };
    }
    if (nearest !== undefined) choose(nearest.row.seq);
  };
  return (
    <div aria-hidden="true">
      <canvas
        class="timeline"
        ref={canvas}
        onClick={onClick}
        style={{ height: `${LANES.length * LANE}px` }}
      />
    </div>
  );
}

/** By order, with a little of the time between: work of seconds and pauses of hours fit on one line. */
function places(rows: readonly Row[], width: number): (row: Row) => number {
  const at = new Map<number, number>();
  let sum = 0;
  rows.forEach((row, index) => {
    const gap = index === 0 ? 0 : Math.max(0, row.at - (rows[index - 1] as Row).at);
    sum += index === 0 ? 0 : 1 + Math.min(4, Math.log10(1 + gap / 1000));
    at.set(row.seq, sum);
  });
  const scale = (width - LABELS - 12) / (sum || 1);
  return ({ seq }) => LABELS + 6 + (at.get(seq) ?? 0) * scale;
}

function paint(canvas: HTMLCanvasElement, rows: readonly Row[], chosen: number | null): void {
  const { clientWidth: width, clientHeight: height } = canvas;
  const ratio = devicePixelRatio || 1;
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name);
  const tones: Record<Tone, string> = {
    plain: colour('--dot'),
    good: colour('--good'),
    bad: colour('--bad'),
    doubt: colour('--doubt'),
  };
  context.scale(ratio, ratio);
  context.font = '11px system-ui, sans-serif';
  LANES.forEach((lane, index) => {
    const y = index * LANE + LANE / 2;
    context.fillStyle = colour('--quiet');
    context.fillText(lane, 2, y + 4);
    context.fillStyle = colour('--line');
    context.fillRect(LABELS, y, width - LABELS, 1);
  });
  const place = places(rows, width);
  for (const row of rows) {
    const [x, y] = [place(row), LANES.indexOf(row.lane) * LANE + LANE / 2];
    context.fillStyle = tones[row.tone];
    context.beginPath();
    context.arc(x, y, row.seq === chosen ? 6 : 3.5, 0, 2 * Math.PI);
    context.fill();
    if (row.seq !== chosen) continue;
    context.fillRect(x, 0, 1, height);
  }
}
