// What is new in a file, word by word.

/** The words of lines that are new, with the parts of each. */
export function addWords(before: string | null, now: string, into: Set<string>): void {
  const known = new Set((before ?? '').split('\n'));
  for (const line of now.split('\n'))
    if (!known.has(line))
      for (const [word] of line.slice(0, 2000).matchAll(/[\p{L}\p{N}_]+/gu)) {
        into.add(word.toLowerCase());
        for (const part of partsOf(word)) into.add(part);
      }
}

/** "FIT files are read" speaks of `read_fit`. */
export function partsOf(word: string): string[] {
  return word
    .split(/[_-]+|(?<=[a-z\d])(?=[A-Z])/)
    .filter((part) => part !== '')
    .map((part) => part.toLowerCase());
}
