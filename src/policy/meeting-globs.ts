// Could one path match two globs? Both are hostile, so the work is bounded: what is too long could.

const MOST_STEPS = 4_000_000;

const MOST_CHOICES = 64;

/** A glob in our signs: `[…]` and `\\x` are any text. */
export const withoutBrackets = (glob: string): string => glob.replace(/\[[^/]*\]|\\./gs, '*');

/** As `withoutBrackets`, and `{a,b}` is a choice. Too many are `**`. */
export function withoutBraces(glob: string): readonly string[] {
  let all = [withoutBrackets(glob)];
  while (all.some((each) => /[{}]/.test(each))) {
    all = all.flatMap((each) => {
      const [whole, inner] = /\{([^{}]*)\}/.exec(each) ?? [];
      if (whole === undefined || inner === undefined) return [each.replace(/[{}].*/s, '**')];
      return inner.split(',').map((choice) => each.replace(whole, () => choice));
    });
    if (all.length > MOST_CHOICES) return ['**'];
  }
  return all;
}

/** Do these two segments have a text in common? */
type SegmentsMeet = (one: string, other: string) => boolean;

export function globsMeet(one: string, other: string): boolean {
  return meet(one, other, segmentsMeet, () => true);
}

/** The second is as a shell takes it: a wildcard at the beginning of a name stands for no dot. */
export function wildcardsMeet(one: string, other: string): boolean {
  const isHidden = (segment: string): boolean => segment.startsWith('.');
  return meet(
    one,
    other,
    (of, by) => !(isHidden(of) && by.startsWith('*')) && segmentsMeet(of, by),
    (of) => !isHidden(of),
  );
}

/**
 * Could one path match both, if no segment of the rule that has letters stands for what is only a wildcard in the pattern?
 * `**` then does not name `secrets`, and `sec*` does.
 */
export function patternNames(rule: string, pattern: string): boolean {
  return meet(
    rule,
    pattern,
    (of, by) => (isWild(by) ? isWild(of) : segmentsMeet(of, by)),
    (of) => isWild(of),
  );
}

const isWild = (segment: string): boolean => /^\*+$/.test(segment);

/** `passes`: may a `**` of the second stand for that segment of the first? */
function meet(one: string, other: string, pair: SegmentsMeet, passes: (of: string) => boolean): boolean {
  if (one.length * other.length > MOST_STEPS) return true;
  return walk(one.split('/'), other.split('/'), {
    isAny: (segment) => segment === '**',
    pair,
    passes,
  });
}

/** `*` stands for any characters in either, `?` for one. */
function segmentsMeet(one: string, other: string): boolean {
  return walk([...one], [...other], {
    isAny: (sign) => sign === '*',
    pair: (a, b) => a === b || a === '?' || b === '?',
    passes: () => true,
  });
}

interface Steps {
  isAny(item: string): boolean;
  pair(one: string, other: string): boolean;
  passes(of: string): boolean;
}

/** From the ends: `row[j]` says whether what follows place `i` of the one and place `j` of the other can be the same. */
function walk(one: readonly string[], other: readonly string[], { isAny, pair, passes }: Steps): boolean {
  let below: boolean[] = [];
  for (let i = one.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = other.length; j >= 0; j--) {
      const [a, b] = [one[i], other[j]];
      if (a === undefined && b === undefined) row[j] = true;
      else if (b !== undefined && isAny(b) && row[j + 1] === true) row[j] = true;
      else if (b !== undefined && isAny(b) && a !== undefined && passes(a) && below[j] === true)
        row[j] = true;
      else if (a !== undefined && isAny(a))
        row[j] = below[j] === true || (b !== undefined && row[j + 1] === true);
      else row[j] = a !== undefined && b !== undefined && !isAny(b) && pair(a, b) && below[j + 1] === true;
    }
    below = row;
  }
  return below[0] === true;
}
