// Where a bash before 5.2 sees another end of `$(…)` or `<(…)` than shells do today. bash 3.2, which is /bin/bash on a Mac, only
// counts parentheses and quotes; 4.x knows comments, `case` and documents by rules of thumb. What they see as the rest of the line
// is a command to them. So none of these may be in there, but for what everybody writes: `$(cat <<'EOF'`, if it ends alike in all.
import { forEachChild, type SyntaxNode } from 'unbash';
import type { Steps } from './steps.ts';

/** A `#` where a word may begin. */
const COMMENT = /(?<![^\s;&|()<>`])#/g;
const DOCUMENT = /^\$\(cat <<[ ]?(['"]?)([A-Za-z]\w*)\1\n(.*\n)?\2\n\s*\)$/s;
/** Old ones rewrite `$'…'` and `$"…"` even here, and what stands behind the others ends for each in its own way. */
const REWRITTEN = /\\\n|\$[[({'"]/;

export function endsElsewhere(line: string, script: SyntaxNode, steps: Steps): boolean {
  const look = (node: SyntaxNode): boolean => {
    if (node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') {
      steps.read(node.text);
      if (isPlainDocument(line, node)) return false;
      if (hasUnlike(node) || count(node.text) > inQuotes(node)) return true;
    }
    return some(node, look);
  };
  return look(script);
}

function some(node: SyntaxNode, is: (child: SyntaxNode) => boolean): boolean {
  let isAny = false;
  forEachChild(node, (child) => {
    isAny ||= is(child);
  });
  return isAny;
}

function hasUnlike(node: SyntaxNode): boolean {
  if (node.type === 'Case' || node.type === 'HereDoc') return true;
  return (node.type === 'Word' && node.text === 'case') || some(node, hasUnlike);
}

const count = (text: string): number => text.match(COMMENT)?.length ?? 0;

/** What is in quotes begins no comment. A substitution in them is looked at by itself. */
function inQuotes(node: SyntaxNode): number {
  if (/^(?:SingleQuoted|DoubleQuoted|AnsiCQuoted|LocaleString)$/.test(node.type))
    return count((node as { text: string }).text);
  let all = 0;
  forEachChild(node, (child) => {
    all += inQuotes(child);
  });
  return all;
}

function isPlainDocument(line: string, { pos, end, text }: SyntaxNode & { readonly text: string }): boolean {
  const [, quote, delimiter = '', body = ''] = DOCUMENT.exec(text) ?? [];
  if (quote === undefined || line.slice(pos, end) !== text) return false;
  if (REWRITTEN.test(body) || (quote === '' && /[$`\\]/.test(body))) return false;
  // 4.x takes the beginning of a line for the whole.
  if (body.split('\n').some((row) => row.trimStart().startsWith(delimiter))) return false;
  return [true, false].every((comments) => endsAlike(line, pos + 2, end, comments));
}

/**
 * As bash 3.2 looks for the end, when it reads the line (in double quotes it knows no comments) and when it runs it. Where it is left
 * in a quote that nothing closes (`It's`), it runs nothing of the line.
 */
function endsAlike(line: string, from: number, end: number, comments: boolean): boolean {
  const open = [')'];
  for (let at = from; at < end; at++) {
    const char = line[at] as string;
    const close = open.at(-1) as string;
    if (close !== "'" && char === '\\') at++;
    else if (char === close) {
      open.pop();
      if (open.length === 0) return at === end - 1;
    } else if (close === "'" || close === '`') continue;
    else if (comments && close !== '"' && char === '#' && /\s/.test(line[at - 1] ?? ''))
      at = line.indexOf('\n', at);
    else if (char === '`' || (close !== '"' && /['"]/.test(char))) open.push(char);
    else if (char === '(' && close === ')') open.push(')');
  }
  const last = open.at(-1) as string;
  return last !== ')' && !line.slice(end).includes(last);
}
