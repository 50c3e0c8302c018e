// The difference between two texts, as `diff -u` shows it. Lines keep their ends: a change of CRLF is a change.

const CONTEXT = 3;

type Step = { readonly sign: ' ' | '-' | '+'; readonly line: string };

/** Empty where they are the same. Null stands for no file. */
export function unifiedDiff(path: string, before: string | null, after: string | null): string {
  const steps = compare(linesOf(before), linesOf(after));
  const changed = steps.flatMap(({ sign }, index) => (sign === ' ' ? [] : [index]));
  if (changed.length === 0) return '';
  const name = (text: string | null) => (text === null ? '/dev/null' : path);
  return `--- ${name(before)}\n+++ ${name(after)}\n${hunks(steps, changed).join('')}`;
}

function linesOf(text: string | null): string[] {
  return text === null ? [] : (text.match(/[^\n]*\n|[^\n]+$/g) ?? []);
}

function hunks(steps: readonly Step[], changed: readonly number[]): string[] {
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
    const lines = part.map(({ sign, line }) =>
      line.endsWith('\n') ? `${sign}${line}` : `${sign}${line}\n\\ No newline at end of file\n`,
    );
    return `@@ -${range('+')} +${range('-')} @@\n${lines.join('')}`;
  });
}

/** Myers: the shortest way from one list to the other. */
function compare(a: readonly string[], b: readonly string[]): Step[] {
  const trace: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  for (let edits = 0; ; edits++) {
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
