// Forms that shells don't agree on: what bash takes for a text or a name, zsh may take for code, or for another path. Nobody
// says beforehand which shell an agent has, so a line with such a form can't be read.
import type { ParameterExpansionPart, Redirection, SyntaxNode, Word, WordPart } from 'unbash';
import type { LoopWords } from './static-words.ts';

/** A `$` before what bash doesn't expand: `$~X`, `$^X`, `$=X`, `$+X`. */
const ODD_DOLLAR = /(?<!\\)(?:\\\\)*\$(?![\s"'.,;)\]/%|\\<>&]|$)/;
const PLAIN_NAME = /^(?:[A-Za-z_]\w*|\d+|[?$!#@*_-])$/;
/** Shells look for the end of a document in different ways where it isn't as plain as this: `<<-'\tE'`, `<<$"E"`. */
const PLAIN_END = /^(?:\\?[\w.-]+|'[\w. -]+'|"[\w. -]+")$/;
/** `<1-5>` is a range of numbers, and `=(…)` a file with what a command prints. */
const ODD_LINE = /<\d*-\d*>|(?:^|[\s;|&(])=\(/;
/** In others, what is between the braces may be code, or no choice. */
const PLAIN_CHOICES = /^\{[\w.@+/,*?-]*\}$/;
/** Of `${x:-…}` without quotes. Brackets behind it may be code: `${x:-a(e:…:)}`. */
const PLAIN_DEFAULT = /^[\p{L}\p{N}\s_./:@%+,!-]*$/u;
/** Of `${x#…}` and `${x/…/…}` without quotes. */
const ODD_PATTERN = /[()|<>&;~^{}]/;

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
      return node.delimiter?.quoted !== true && hasOddText(node.body, loops);
    case 'Command':
      return isCutShort([...node.prefix, ...(node.name === undefined ? [] : [node.name]), ...node.suffix]);
    default:
      return false;
  }
}

/** A shell without `&>` reads `a &> b c` as `a &` and `> b c`. */
function isCutShort(parts: readonly (Redirection | { readonly type: 'Word' | 'Assignment' })[]): boolean {
  const cut = parts.findIndex((part) => part.type === 'Redirect' && part.operator.startsWith('&'));
  return cut !== -1 && parts.slice(cut).some(({ type }) => type === 'Word' || type === 'Assignment');
}

/** In quotes, or in a document. */
function hasOddText({ parts, text }: Pick<Word, 'parts' | 'text'>, loops: LoopWords): boolean {
  if (parts === undefined) return ODD_DOLLAR.test(text);
  return parts.some((part, i) => isOddPart(part, parts[i + 1], loops));
}

function hasOddPart({ parts, text }: Pick<Word, 'parts' | 'text'>, loops: LoopWords): boolean {
  if (parts === undefined) return ODD_DOLLAR.test(text) || isOddText(text);
  return parts.some((part, i) => isOddPart(part, parts[i + 1], loops) || isOddBare(part));
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

/** What is odd only without quotes. */
function isOddBare(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
      return isOddText(part.text);
    case 'Glob':
      return /[{}]/.test(part.text);
    case 'ExtendedGlob':
      // In zsh, what is in its brackets may be code.
      return true;
    case 'AnsiCQuoted':
      // To some shells it is `$` and `'…'`, which a quote ends, whatever is before it.
      return part.text.includes("\\'");
    case 'BraceExpansion':
      return !PLAIN_CHOICES.test(part.text);
    case 'ParameterExpansion':
      return isOddOperation(part);
    default:
      return false;
  }
}

/** A brace ends a group or a command in zsh, wherever it stands, unless it is the end of one in the same word: `HEAD@{1}`. */
function isOddText(text: string): boolean {
  return /[{}]/.test(text) && /[{}]/.test(text.replace(/\\./gs, '').replace(/\{[^{}]*\}/g, ''));
}

function isOddOperation({ operation }: ParameterExpansionPart): boolean {
  switch (operation?.type) {
    case 'Default':
      return !PLAIN_DEFAULT.test(operation.operand.text);
    case 'Remove':
      return ODD_PATTERN.test(operation.operand.text);
    case 'Replace':
      return ODD_PATTERN.test(operation.pattern.text) || ODD_PATTERN.test(operation.replacement.text);
    case 'CaseModification':
      return operation.operand !== undefined && ODD_PATTERN.test(operation.operand.text);
    default:
      return false;
  }
}

/** Behind it, `[…]` calculates, and `:s/a/b/` changes what it stands for. */
function isOddName(name: string, next: WordPart | undefined, loops: LoopWords): boolean {
  if (!PLAIN_NAME.test(name) || next?.text.startsWith('[') === true) return true;
  return loops.has(name) && /^:[A-Za-z&]/.test(next?.text ?? '');
}
