// The difference between two texts, as `diff -u` shows it. Lines keep their ends: a change of CRLF is a change.

const CONTEXT = 3;
/** So many lines are compared one by one; where more differ, all of the old stand before all of the new. */
const MOST_EDITS = 500;

export type Step = { readonly sign: ' ' | '-' | '+'; readonly line: string };

export interface Hunk {
  /** `@@ -1,3 +1,4 @@` */
  readonly head: string;
  readonly steps: readonly Step[];
}

/** Empty where they are the same. Null stands for no file. */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  const hunks = diffHunks(before, after);
  if (hunks.length === 0) return '';
  const name = (text: string | null) => (text === null ? '/dev/null' : path);
  return `--- ${name(before)}\n+++ ${name(after)}\n${hunks.map(textOf).join('')}`;
}

/** None where they are the same. */
export function diffHunks(before: string | null, after: string | null): Hunk[] {
  const steps = stepsOf(linesOf(before), linesOf(after));
  return hunksOf(
    steps,
    steps.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index])),
  );
}

function textOf({ head, steps }: Hunk): string {
  const lines = steps.map(({ sign, line }) =>
    line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`,
  );
  return `${head}\n${lines.join('')}`;
}

/** What both begin and end with need not be looked at. */
function stepsOf(a: readonly string[], b: readonly string[]): Step[] {
  const most = Math.min(a.length, b.length);
  let first = 0;
  while (first < most && a[first] === b[first]) first++;
  let last = 0;
  while (last < most - first && a[a.length - 1 - last] === b[b.length - 1 - last]) last++;
  const same = (line: string): Step => ({ sign: ' ', line });
  return [
    ...a.slice(0, first).map(same),
    ...compare(a.slice(first, a.length - last), b.slice(first, b.length - last)),
    ...a.slice(a.length - last).map(same),
  ];
}

function linesOf(text: string | null): string[] {
  return text === null ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function hunksOf(steps: readonly Step[], changed: readonly number[]): Hunk[] {
  const ranges: [from: number, to: number][] = [];
  for (const index of changed) {
    const last = ranges.at(-1);
    const to = Math.min(steps.length, index + 1 + CONTEXT);
    if (last !== undefined && index - CONTEXT <= last[1]) last[1] = to;
    else ranges.push([Math.max(0, index - CONTEXT), to]);
  }
  return ranges.map(([from, to]) => {
    const start = (skip: Step['sign']) => steps.slice(0, from).filter(({ sign }) => sign !== skip).length;
    const part = steps.slice(from, to);
    const size = (skip: Step['sign']) => part.filter(({ sign }) => sign !== skip).length;
    const range = (skip: Step['sign']) => `${start(skip) + (size(skip) === 0 ? 0 : 1)},${size(skip)}`;
    return { head: `@@ -${range('+')} +${range('-')} @@`, steps: part };
  });
}

/** Myers: the shortest way from one list to the other. */
function compare(a: readonly string[], b: readonly string[]): Step[] {
  const trace: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let edits = 0; ; edits++) {
    if (edits > MOST_EDITS)
      return [
        ...a.map((line): Step => ({ sign: '-', line })),
        ...b.map((line): Step => ({ sign: '+', line })),
      ];
    trace.push(new Map(reach));
    const next = new Map(reach);
    for (let k = -edits; k <= edits; k += 2) {
      let x = goesDown(next, k, edits) ? (next.get(k + 1) ?? 0) : (next.get(k - 1) ?? 0) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      next.set(k, x);
      if (x >= a.length && x - k >= b.length) return walkBack(a, b, trace, edits);
    }
    reach = next;
  }
}

function goesDown(reach: ReadonlyMap<number, number>, k: number, edits: number): boolean {
  return k === -edits || (k !== edits && (reach.get(k - 1) ?? 0) < (reach.get(k + 1) ?? 0));
}

function walkBack(
  a: readonly string[],
  b: readonly string[],
  trace: readonly Map<number, number>[],
  last: number,
): Step[] {
  const steps: Step[] = [];
  let [x, y] = [a.length, b.length];
  for (let edits = last; edits >= 0; edits--) {
    const reach = trace[edits] ?? new Map<number, number>();
    const k = x - y;
    const from = goesDown(reach, k, edits) ? k + 1 : k - 1;
    const [fromX, fromY] = edits === 0 ? [0, 0] : [reach.get(from) ?? 0, (reach.get(from) ?? 0) - from];
    while (x > fromX && y > fromY) {
      [x, y] = [x - 1, y - 1];
      steps.push({ sign: ' ', line: a[x] ?? '' });
    }
    if (edits > 0)
      steps.push(from === k + 1 ? { sign: '+', line: b[--y] ?? '' } : { sign: '-', line: a[--x] ?? '' });
  }
  return steps.reverse();
}
