// Globs over paths and words, for settings that may come from strangers: `*` stands for any characters but `/`, `?` for one,
// `**` for any number of whole segments. Nothing else has a meaning. Matching takes at most pattern × text steps; a
// regular expression made of a hostile pattern could take for ever.

/** Does the whole path match? Both are cut at `/`. */
export function matchesGlob(pattern: string, path: string): boolean {
  return matchesSegments(pattern.split('/'), path.split('/'));
}

/** Does the whole path match one of these? For many paths: each pattern is cut once. */
export function globMatcher(patterns: readonly string[]): (path: string) => boolean {
  const cut = patterns.map((pattern) => pattern.split('/'));
  return (path) => {
    const segments = path.split('/');
    return cut.some((pattern) => matchesSegments(pattern, segments));
  };
}

function matchesSegments(pattern: readonly string[], path: readonly string[]): boolean {
  return matchesList(pattern, path, (glob) => glob === '**', matchesText);
}

/** Does the whole text match? `*` stands for any characters, `/` included. */
export function matchesText(pattern: string, text: string): boolean {
  if (!/[*?]/.test(pattern)) return pattern === text;
  return matchesList(
    [...pattern],
    [...text],
    (sign) => sign === '*',
    (sign, character) => sign === '?' || sign === character,
  );
}

/** Could the whole text match, if each `null` in it stood for any characters? A piece of text stands for itself. */
export function mayMatchText(pattern: string, pieces: readonly (string | null)[]): boolean {
  const signs = [...pattern];
  /** Places of the pattern up to which what was read so far could match. */
  let places = past(signs, new Set([0]));
  for (const piece of pieces)
    if (piece === null) {
      const least = [...places].reduce((one, other) => Math.min(one, other));
      places = new Set(Array.from({ length: signs.length + 1 - least }, (_, i) => least + i));
    } else
      for (const character of piece) {
        const next = new Set<number>();
        for (const place of places) {
          const sign = signs[place];
          if (sign === '*') next.add(place);
          else if (sign === '?' || sign === character) next.add(place + 1);
        }
        if (next.size === 0) return false;
        places = past(signs, next);
      }
  return places.has(signs.length);
}

/** And the places behind wildcards that may stand for nothing. */
function past(signs: readonly string[], places: Set<number>): Set<number> {
  for (const place of places) if (signs[place] === '*') places.add(place + 1);
  return places;
}

/** The usual walk with one place to come back to: the newest wildcard takes one item more each time. */
function matchesList<T>(
  pattern: readonly T[],
  items: readonly T[],
  isAny: (part: T) => boolean,
  matches: (part: T, item: T) => boolean,
): boolean {
  let [at, item, wildcard, taken] = [0, 0, -1, 0];
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && isAny(part)) {
      [wildcard, taken] = [at++, item];
    } else if (part !== undefined && matches(part, items[item] as T)) {
      at++;
      item++;
    } else if (wildcard >= 0) {
      [at, item] = [wildcard + 1, ++taken];
    } else {
      return false;
    }
  }
  while (at < pattern.length && isAny(pattern[at] as T)) at++;
  return at === pattern.length;
}
