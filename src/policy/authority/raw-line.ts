// A line as it stands, before it is parsed: the parser takes time by its length, and longer for some.

const LONGEST_LINE = 32 * 1024;
/** Each one that isn't closed has the parser look through the rest of the word. */
const MOST_BRACES = 256;
/** Null where the line may be given to the parser. */
export function whyTooLong(line: string): string | null {
  if (line.length > LONGEST_LINE) return 'it is too long to be read';
  if (line.split('{').length <= MOST_BRACES) return null;
  const hasTooMany = line.split(/\s/).some((stretch) => stretch.split('{').length > MOST_BRACES);
  return hasTooMany ? 'it has too many braces to be read' : null;
}
