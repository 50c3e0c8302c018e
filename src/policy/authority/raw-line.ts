// A line as it stands, before it is parsed. Shells take a backslash at the end of a line away before they look for words and names,
// and parsers don't: `$\⏎x` is a variable to the one, and a text to the other. So it may stand only where a word has ended.
import { forEachChild, type SyntaxNode } from 'unbash';

const LONGEST_LINE = 32 * 1024;
/** Each one that isn't closed has the parser look through the rest of the word. */
const MOST_BRACES = 256;
/** A line is continued within a word, or where an operator may go on. */
const GLUED = /(?<!^|[ \t\n]|&&|\|)\\\n|(?<=\\[ \t])\\\n|(?<=\|)\\\n(?=[|&])/g;

/** Null where the line may be given to the parser. */
export function whyTooLong(line: string): string | null {
  if (line.length > LONGEST_LINE) return 'it is too long to be read';
  // As `$[`, each has the parser look through the rest of the line.
  if (line.replaceAll('\\\n', '').split('$[').length > MOST_BRACES)
    return 'it has too many brackets to be read';
  if (line.split('{').length <= MOST_BRACES) return null;
  const hasTooMany = line.split(/\s/).some((stretch) => stretch.split('{').length > MOST_BRACES);
  return hasTooMany ? 'it has too many braces to be read' : null;
}

/** Texts that a shell leaves as they are may have it: documents whose delimiter is quoted. */
export function isGlued(line: string, script: SyntaxNode): boolean {
  const glued = count(line);
  return glued > 0 && (line.includes('`') || glued > inDocuments(script));
}

const count = (text: string): number => text.match(GLUED)?.length ?? 0;

function inDocuments(node: SyntaxNode): number {
  if (node.type === 'HereDoc') return node.delimiter?.quoted === true ? count(node.body.text) : 0;
  let all = 0;
  forEachChild(node, (child) => {
    all += inDocuments(child);
  });
  return all;
}
