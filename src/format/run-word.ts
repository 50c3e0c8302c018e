// Words in the events of a run, such as reasons, as far as they can be held against what they were made of: a word is redacted
// before it is written, and cut if it is long. spec/run.md.

/** A word is cut at 2,048 bytes, and a character has at most six in a line. */
const SHORTEST_CUT = 340;
const MARKER = /\[REDACTED:[a-z][a-z0-9-]{0,63}\]/;

/** Whether a word of an event is one that was cut short. A shorter one may end with the same character by itself. */
export function isCutWord(word: string): boolean {
  return word.endsWith('…') && word.length > SHORTEST_CUT;
}

/** Whether the word may have been made of this text. */
export function isWordOf(word: string, text: string): boolean {
  const isCut = isCutWord(word);
  const [first = '', ...rest] = (isCut ? word.slice(0, -1) : word).split(MARKER);
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return isCut || text === word || (rest.length > 0 && text.endsWith(rest.at(-1) ?? ''));
}
