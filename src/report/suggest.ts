// The word that the user may have meant.

/** ` Did you mean …?`, or how to see what there is. */
export function suggest(given: string, names: readonly string[], prefix = ''): string {
  const [best] = names
    .map((name) => ({ name, far: distance(given, name) }))
    .filter(({ name, far }) => far <= Math.max(1, Math.floor(Math.max(given.length, name.length) / 3)))
    .sort((a, b) => a.far - b.far);
  return best === undefined ? '. See --help.' : `. Did you mean ${prefix}${best.name}?`;
}

/** Letters to add, drop, change or swap with the next to get from one word to the other. */
export function distance(from: string, to: string): number {
  const a = from.slice(0, 64);
  const b = to.slice(0, 64);
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap =
        a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? Infinity) + 1 : Infinity;
      row.push(Math.min(change, swap, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
