// Text on a terminal, broken between words: below a label and two blanks, a line goes on where its text began.
const NARROWEST = 24;
/** A label of a table, or only blanks: what a line goes on below of. */
const LABEL = /^ *(?:\S+(?: \S+)* {2,}(?:\S{1,8} {2,})*)?/;
/** It takes no place on the screen. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with an escape
const COLOUR = /\u001b\[[0-9;]*m/g;
/** To be copied as it is. */
const COMMAND = /^\s*(?:\$ |foil |Run: )/;

/** `width` in columns. A word that is longer than a line stands as it is. */
export function wrap(text: string, width: number): string {
  return text
    .split('\n')
    .map((line) => (widthOf(line) <= width || COMMAND.test(line) ? line : wrapLine(line, width)))
    .join('\n');
}

function wrapLine(line: string, width: number): string {
  const label = LABEL.exec(line.replace(COLOUR, ''))?.[0].length ?? 0;
  const indent = width - label < NARROWEST ? (/^ */.exec(line)?.[0].length ?? 0) : label;
  const lines: string[] = [];
  let current = '';
  let used = 0;
  for (const piece of line.match(/ *[^ ]+/g) ?? []) {
    const long = widthOf(piece);
    if (used + long > width && used > indent) {
      lines.push(current);
      const word = piece.trimStart();
      current = `${' '.repeat(indent)}${word}`;
      used = indent + widthOf(word);
    } else {
      current += piece;
      used += long;
    }
  }
  return [...lines, current].join('\n');
}

function widthOf(text: string): number {
  return text.replace(COLOUR, '').length;
}
