// A command line as its words, without a shell: blanks part them, quotes and backslashes keep them together. Nothing is
// expanded, so what is on record is what runs.
import { UsageError } from '../core/index.ts';

const WORD = /\s*((?:'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[^\s'"\\])+)\s*/y;
const PIECE = /'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/g;

/** UsageError for a quote that is not closed. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  WORD.lastIndex = 0;
  for (let at = 0; at < line.trimEnd().length; at = WORD.lastIndex) {
    WORD.lastIndex = at;
    const [, word] = WORD.exec(line) ?? [];
    if (word === undefined) throw new UsageError(`a quote is not closed in ${JSON.stringify(line)}.`);
    words.push(unquoted(word));
  }
  return words;
}

function unquoted(word: string): string {
  return word.replace(PIECE, (_, single, double, escaped, bare) =>
    double === undefined ? (single ?? escaped ?? bare) : String(double).replace(/\\(["\\$`])/g, '$1'),
  );
}
