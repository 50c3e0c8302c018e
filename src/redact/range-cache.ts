// What was found out about a word, remembered, so that no string is made of a word that was met before.

export type Judge<T> = (text: string, start: number, end: number) => T;

const LONGEST = 64;

/** `size` is a power of two. */
export function rangeCache<T>(size: number, judge: (word: string) => T): Judge<T> {
  const cache: ({ readonly word: string; readonly found: T } | undefined)[] = new Array(size);
  return (text, start, end) => {
    const length = end - start;
    const edges =
      text.charCodeAt(start) * 61 + text.charCodeAt(end - 1) * 7 + text.charCodeAt(start + (length >> 1));
    const slot = (edges * 31 + length * 1021) & (size - 1);
    const known = cache[slot];
    if (known !== undefined && known.word.length === length && text.startsWith(known.word, start))
      return known.found;
    const word = text.slice(start, end);
    const found = judge(word);
    if (length <= LONGEST) cache[slot] = { word, found };
    return found;
  };
}
