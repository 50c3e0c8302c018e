// Forms that shells don't agree on: what bash takes for a text or a name, zsh may take for code, or for another path. Nobody
// says beforehand which shell an agent has, so a line with such a form can't be read.
import type { SyntaxNode, Word, WordPart } from 'unbash';
import type { LoopWords } from './static-words.ts';

/** A `$` before what bash doesn't expand: `$~X`, `$^X`, `$=X`, `$+X`. */
const ODD_DOLLAR = /(?<!\\)(?:\\\\)*\$(?![\s"'.,;)\]/%|\\<>&]|$)/;
const PLAIN_NAME = /^(?:[A-Za-z_]\w*|\d+|[?$!#@*_-])$/;
/** Shells look for the end of a document in different ways where it isn't as plain as this: `<<-'\tE'`, `<<$"E"`. */
const PLAIN_END = /^(?:\\?[\w.-]+|'[\w. -]+'|"[\w. -]+")$/;
/** `<1-5>` is a range of numbers, and `=(…)` a file with what a command prints. */
const ODD_LINE = /<\d*-\d*>|(?:^|[\s;|&(])=\(/;

export function isOddLine(line: string): boolean {
  return ODD_LINE.test(line);
}

export function isOdd(node: SyntaxNode, loops: LoopWords): boolean {
  switch (node.type) {
    case 'Word':
      // `=ls` is the path of that program.
      return /^=(?![=~]?$)/.test(node.text) || hasOddPart(node, loops);
    case 'DoubleQuoted':
    case 'LocaleString':
      return node.parts.some((part, i) => isOddPart(part, node.parts[i + 1], loops));
    case 'HereDoc':
      if (node.closing === undefined || !PLAIN_END.test(node.delimiter?.text ?? '')) return true;
      return node.delimiter?.quoted !== true && hasOddPart(node.body, loops);
    default:
      return false;
  }
}

function hasOddPart({ parts, text }: Pick<Word, 'parts' | 'text'>, loops: LoopWords): boolean {
  if (parts === undefined) return !/^'[^']*'$/.test(text) && ODD_DOLLAR.test(text);
  return parts.some((part, i) => isOddPart(part, parts[i + 1], loops));
}

function isOddPart(part: WordPart, next: WordPart | undefined, loops: LoopWords): boolean {
  switch (part.type) {
    case 'Literal':
      return ODD_DOLLAR.test(part.text);
    case 'SimpleExpansion':
      return isOddName(part.text.slice(1), next, loops);
    case 'ParameterExpansion':
      return isOddName(part.parameter, next, loops);
    default:
      return false;
  }
}

/** Behind it, `[…]` calculates, and `:s/a/b/` changes what it stands for. */
function isOddName(name: string, next: WordPart | undefined, loops: LoopWords): boolean {
  if (!PLAIN_NAME.test(name) || next?.text.startsWith('[') === true) return true;
  return loops.has(name) && /^:[A-Za-z&]/.test(next?.text ?? '');
}
