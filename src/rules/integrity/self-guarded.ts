// An assertion that is come to only where it holds: `if (total(items) === 5) assert.equal(total(items), 5)`. Over text, with
// what the names of a test stand for.

const CONDITION = /^(?:[}\s]*else\s+|el)?if\b\s*(.*?)\s*[{:]?$/;
const MOST_BETWEEN = 12;

/** The line above one with which the block begins that it stands in; its own where there is none near. */
export function headAt(bare: readonly string[], at: number): number {
  const indent = (bare[at] ?? '').search(/\S/);
  for (let each = at - 1; each >= 0 && at - each <= MOST_BETWEEN; each--) {
    const own = (bare[each] ?? '').search(/\S/);
    if (own >= 0 && own < indent) return each;
  }
  return at;
}

/** The condition is that of the block, or stands before the assertion on its own line. */
export function isSelfGuarded(head: string, statement: string): boolean {
  const at = statement.search(/(?:\bself\.|\bawait )?\b(?:assert|expect)\b/);
  if (at < 0) return false;
  const asserted = statement.slice(at).trim();
  return [head, statement.slice(0, at)].some((each) => {
    const condition = CONDITION.exec(each.trim())?.[1] ?? '';
    if (/\|\||\bor\b/.test(condition)) return false;
    const inside = /^\(.*\)$/.test(condition) ? condition.slice(1, -1) : condition;
    return inside.split(/\s*&&\s*|\s+and\s+/).some((part) => {
      const sides = part.split(/\s*(?<![!=<>])===?(?!=)\s*|\s+is\s+/);
      const [left = '', right = ''] = sides.map((side) => side.trim());
      return sides.length === 2 && (asksFor(asserted, left, right) || asksFor(asserted, right, left));
    });
  });
}

/** Is it asserted that the one is the other, and nothing else? */
function asksFor(asserted: string, one: string, other: string): boolean {
  const starts = [
    `(${one}, ${other})`,
    `(${one}, ${other},`,
    ...[' == ', ' === ', ' is '].map((sign) => one + sign + other),
  ];
  const isExpected = asserted.startsWith(`expect(${one}).to`) && asserted.endsWith(`(${other})`);
  return (
    one !== '' &&
    other !== '' &&
    (isExpected || starts.some((start) => asserted.replace(/^[\w.!]+ ?/, '').startsWith(start)))
  );
}
