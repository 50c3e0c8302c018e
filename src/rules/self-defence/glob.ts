// Globs as a shell reads them, by steps whose number is bounded by the lengths: the pattern is an agent's, and a regular
// expression made of it could take for ever.

/** A name that stands for any number of names, hidden ones included. No shell has a word for it. */
export const ANY_DEPTH = '\0';

export function isGlob(path: string): boolean {
  return /[*?[]/.test(path) || path.includes(ANY_DEPTH);
}

/** Name by name. `**` stands for any number of names that are not hidden. */
export function matchesPath(pattern: readonly string[], names: readonly string[]): boolean {
  const deep = pattern.findIndex((each) => each === '**' || each === ANY_DEPTH);
  if (deep < 0)
    return pattern.length === names.length && pattern.every((each, at) => matchesName(each, names[at] ?? ''));
  const after = pattern.slice(deep + 1);
  const between = names.slice(deep, names.length - after.length);
  return (
    names.length >= deep + after.length &&
    (pattern[deep] === ANY_DEPTH || !between.some((name) => name.startsWith('.'))) &&
    matchesPath(pattern.slice(0, deep), names.slice(0, deep)) &&
    after.every((each, at) => matchesName(each, names[names.length - after.length + at] ?? ''))
  );
}

/** A star at the beginning does not stand for the dot of a hidden file. */
function matchesName(pattern: string, name: string): boolean {
  return !(name.startsWith('.') && /^[*?[]/.test(pattern)) && matchesText(pattern, name);
}

/** A star stands for anything. */
export function matchesText(pattern: string, name: string): boolean {
  const signs = signsOf(pattern);
  let at = 0;
  let sign = 0;
  let star = -1;
  let kept = 0;
  while (at < name.length) {
    const now = signs[sign];
    if (now === '*') {
      star = sign++;
      kept = at;
    } else if (now !== undefined && stands(now, name[at] ?? '')) {
      sign++;
      at++;
    } else if (star >= 0) {
      sign = star + 1;
      at = ++kept;
    } else return false;
  }
  while (signs[sign] === '*') sign++;
  return sign === signs.length;
}

/** `*`, `?`, `[a-z]`, or a character. */
function signsOf(pattern: string): string[] {
  return (
    pattern.match(/\*+|\[[!^]?\]?[^\]]*\]|[\s\S]/g)?.map((sign) => (sign.startsWith('*') ? '*' : sign)) ?? []
  );
}

function stands(sign: string, character: string): boolean {
  if (sign === '?') return true;
  if (sign.length < 3 || !sign.startsWith('[')) return sign === character;
  const not = /^\[[!^]/.test(sign);
  const inner = sign.slice(not ? 2 : 1, -1);
  let found = false;
  for (let at = 0; at < inner.length; at++) {
    const from = inner[at] ?? '';
    const isRange = inner[at + 1] === '-' && at + 2 < inner.length;
    const to = isRange ? (inner[at + 2] ?? '') : from;
    if (character >= from && character <= to) found = true;
    if (isRange) at += 2;
  }
  return found !== not;
}
