// What a shell makes of `${name#pattern}` and its kin, where the value is known from the line itself. A pattern that is
// more than plain text with one star at its open end is left alone: null, and the expansion stays as it is written.
import type { ParameterExpansionPart, Word } from 'unbash';

type Operation = NonNullable<ParameterExpansionPart['operation']>;
type Text = (word: Word) => string;

/** `text` gives the words of the operation their values. */
export function operated(value: string, operation: Operation, text: Text): string | null {
  switch (operation.type) {
    case 'Default':
      return operation.operator.endsWith('+') ? text(operation.operand) : value;
    case 'Remove':
      return removed(value, operation.operator, text(operation.operand));
    case 'Replace': {
      const [pattern, by] = [text(operation.pattern), text(operation.replacement)];
      if (pattern === '' || isPattern(pattern)) return null;
      if (operation.operator === '//') return value.replaceAll(pattern, () => by);
      if (operation.operator === '/') return value.replace(pattern, () => by);
      const isFirst = operation.operator === '/#';
      if (!(isFirst ? value.startsWith(pattern) : value.endsWith(pattern))) return value;
      return isFirst ? by + value.slice(pattern.length) : value.slice(0, -pattern.length) + by;
    }
    case 'Slice': {
      const [from, length] = [operation.offset.text.trim(), operation.length?.text.trim()];
      if (!/^-?\d+$/.test(from) || (length !== undefined && !/^\d+$/.test(length))) return null;
      const start = Number(from) < 0 ? Math.max(0, value.length + Number(from)) : Number(from);
      return value.slice(start, length === undefined ? undefined : start + Number(length));
    }
    case 'CaseModification':
      if (operation.operator.length === 1 || (operation.operand?.text ?? '') !== '') return null;
      return operation.operator === '^^' ? value.toUpperCase() : value.toLowerCase();
    default:
      return null;
  }
}

const isPattern = (text: string): boolean => /[*?[\\$`]/.test(text);

/** `#` and `%` take the shortest piece away, `##` and `%%` the longest. */
function removed(value: string, operator: '#' | '##' | '%' | '%%', pattern: string): string | null {
  const isFront = operator.startsWith('#');
  const open = isFront ? pattern.startsWith('*') : pattern.endsWith('*');
  const plain = open ? (isFront ? pattern.slice(1) : pattern.slice(0, -1)) : pattern;
  if (plain === '' || isPattern(plain)) return null;
  if (!open) {
    if (isFront) return value.startsWith(plain) ? value.slice(plain.length) : value;
    return value.endsWith(plain) ? value.slice(0, -plain.length) : value;
  }
  // What is left behind a star that stood before the text, or before one that stood behind it.
  const isLast = isFront ? operator === '##' : operator === '%';
  const at = isLast ? value.lastIndexOf(plain) : value.indexOf(plain);
  if (at < 0) return value;
  return isFront ? value.slice(at + plain.length) : value.slice(0, at);
}
