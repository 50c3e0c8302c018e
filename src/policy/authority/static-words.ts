// The words of a shell line whose value is sure before it runs: texts, wildcards, `$(cat <<'EOF' …)` in quotes, and the
// variable of a loop over such words. Everything else that depends on a variable, on what a command prints or on a brace
// is not.
import type { ParsedScript, Word, WordPart } from 'unbash';
import type { GlobSegment } from './files.ts';
import type { LineShape } from './line-shape.ts';
import { Wildcards } from './wildcards.ts';

/** A text, or the segments of a path with wildcards. */
export type StaticWord =
  | { readonly text: string }
  | {
      readonly glob: readonly GlobSegment[];
      readonly isAbsolute: boolean;
      /** It ends in a slash: of a link, what it leads to is meant. */
      readonly isFolder: boolean;
    };

/** Null for wildcards, too. */
export function textOf(word: StaticWord | null): string | null {
  return word !== null && 'text' in word ? word.text : null;
}

/** What the variables of loops stand for. */
export type LoopWords = ReadonlyMap<string, StaticWord | null>;

/** Null where it can't be told. */
export function staticWord(word: Word, home: string | null, loops: LoopWords): StaticWord | null {
  const parts: readonly WordPart[] = word.parts ?? [];
  const whole = wholeVariable(parts, loops);
  if (whole !== undefined) return whole;
  const pieces: { readonly text: string; readonly isGlob: boolean }[] = [];
  if (word.parts === undefined) pieces.push({ text: word.value, isGlob: false });
  for (const part of parts) {
    const text = partText(part, loops);
    if (text === null) return null;
    pieces.push({ text, isGlob: part.type === 'Glob' || part.type === 'ExtendedGlob' });
  }
  // Some shells expand it there, too.
  if (/[=:]~/.test(word.text)) return null;
  // A backslash may escape the tilde, or only a character after a tilde that the shell expands.
  const [first] = parts;
  const written = word.parts === undefined ? word.text : first?.type === 'Literal' ? first.text : null;
  if (written !== null && pieces[0]?.text.startsWith('~') === true) {
    if (written !== pieces[0].text) return null;
    const rest = pieces[0].text.slice(1);
    // Another user's home, or a folder of the stack.
    if (home === null || (rest === '' ? pieces.length > 1 : !rest.startsWith('/'))) return null;
    pieces[0] = { text: `${home}${rest}`, isGlob: false };
  }
  if (!pieces.some(({ isGlob }) => isGlob)) return { text: pieces.map(({ text }) => text).join('') };
  return globOf(pieces);
}

const CHOICES = /^\{[\w.@+/]*(?:,[\w.@+/]*)+\}$/;
const MOST_CHOICES = 64;

/** `src/{a,b}`: each choice, and the word as it stands, because some shells know no choices. Null for any other word. */
export function choicesOf({ parts = [], text: written }: Word): StaticWord[] | null {
  const isPlain = (part: WordPart): boolean =>
    part.type === 'BraceExpansion' ? CHOICES.test(part.text) : /^[\w.@+/-]+$/.test(part.text);
  if (!parts.some(({ type }) => type === 'BraceExpansion') || !parts.every(isPlain)) return null;
  let texts = [''];
  for (const { type, text } of parts) {
    const choices = type === 'BraceExpansion' ? text.slice(1, -1).split(',') : [text];
    texts = texts.flatMap((before) => choices.map((choice) => `${before}${choice}`));
    if (texts.length > MOST_CHOICES) return null;
  }
  return [written, ...texts].filter((text) => text !== '').map((text) => ({ text }));
}

const MOST_COUNTED = 64;

/** `$(seq 1 5)`: the numbers, each a word. Null for any other word. */
export function countedBy({ parts = [] }: Word): StaticWord[] | null {
  const [part, ...others] = parts;
  if (part?.type !== 'CommandExpansion' || others.length > 0) return null;
  const [, from = '1', to] = /^\$\(seq (?:([1-9]\d{0,5}) )?([1-9]\d{0,5})\)$/.exec(part.text) ?? [];
  const length = Number(to) - Number(from) + 1;
  if (!(length > 0 && length <= MOST_COUNTED)) return null;
  return Array.from({ length }, (_, n) => ({ text: String(Number(from) + n) }));
}

/** `"$f"` alone is the word itself. */
function wholeVariable(parts: readonly WordPart[], loops: LoopWords): StaticWord | undefined {
  const [quoted, ...others] = parts;
  if (quoted?.type !== 'DoubleQuoted' || others.length > 0 || quoted.parts.length !== 1) return undefined;
  const name = variableOf(quoted.parts[0] as WordPart);
  return name === null ? undefined : (loops.get(name) ?? undefined);
}

function variableOf(part: WordPart): string | null {
  if (part.type === 'SimpleExpansion') return part.text.slice(1);
  const isPlain = part.type === 'ParameterExpansion' && part.text === `\${${part.parameter}}`;
  return isPlain ? part.parameter : null;
}

function variableText(part: WordPart, loops: LoopWords): string | null {
  const name = variableOf(part);
  return name === null ? null : textOf(loops.get(name) ?? null);
}

function quotedText(part: WordPart, loops: LoopWords): string | null {
  if (part.type === 'Literal') return part.value;
  return part.type === 'CommandExpansion' ? printedText(part.script) : variableText(part, loops);
}

/** What `cat <<'EOF'` prints, without the line breaks at its end. */
function printedText(script: ParsedScript | undefined): string | null {
  const [statement, ...others] = script?.commands ?? [];
  const command = statement?.command;
  if (others.length > 0 || command?.type !== 'Command' || command.name?.text !== 'cat') return null;
  const [document, ...redirects] = command.redirects;
  if (command.prefix.length + command.args.length + redirects.length > 0) return null;
  if (document?.type !== 'HereDoc' || document.operator !== '<<' || document.descriptor !== undefined)
    return null;
  const isPlain = document.delimiter?.quoted === true || !/[$`\\]/.test(document.body.text);
  if (!isPlain) return null;
  const { text } = document.body;
  let end = text.length;
  while (text[end - 1] === '\n') end--;
  return text.slice(0, end);
}

function partText(part: WordPart, loops: LoopWords): string | null {
  switch (part.type) {
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      // Without quotes a shell cuts it at blanks, looks for wildcards in it, and may take braces in it for choices.
      const text = variableText(part, loops);
      return text === null || !/^[\p{L}\p{N}_./@%+:,-]+$/u.test(text) ? null : text;
    }
    case 'Literal':
    case 'SingleQuoted':
      return part.value;
    case 'AnsiCQuoted':
      // Shells don't agree on what is behind a backslash.
      return /\\(?![nt\\'"])/.test(part.text) ? null : part.value;
    case 'Glob':
      // A bracket that goes on behind a slash is none, and one with a variable may be.
      return /^(?:[*?]|\[[^/$`'"\\]*\])+$/.test(part.text) ? part.text : null;
    case 'ExtendedGlob':
      // In zsh, what is in its brackets may be code.
      return null;
    case 'DoubleQuoted':
    case 'LocaleString': {
      const texts = part.parts.map((inner) => quotedText(inner, loops));
      return texts.includes(null) ? null : texts.join('');
    }
    default:
      return null;
  }
}

const WILD = /[*?[]/;

/** Whether this part may become names of files: by a wildcard in it, or in the value of an unquoted variable or command. */
export function mayFind(
  part: WordPart,
  loops: LoopWords,
  { hasFunction, loops: count, loopNames }: LineShape,
): boolean {
  switch (part.type) {
    case 'Glob':
    case 'ExtendedGlob':
      return true;
    case 'BraceExpansion':
    case 'CommandExpansion':
      return WILD.test(part.text);
    case 'SimpleExpansion':
    case 'ParameterExpansion': {
      // Nobody follows the values of `$_`, of a function's words and of variables of nested loops.
      if (hasFunction || count > 1 || /^\$\{?(?:_\b(?!\w)|[\d@*])/.test(part.text)) return true;
      const name = variableOf(part);
      // `${x:-*}` and `${x/a/*}` bring their own wildcards.
      if (name === null) {
        const rest = part.text.replace(/^\$\{\w+(?:\[[^\]]*\])?/, '');
        const own = rest.search(/[-=+/]/);
        return own !== -1 && WILD.test(rest.slice(own + 1));
      }
      const given = loops.get(name);
      if (given === undefined) return loopNames.includes(name);
      return given === null || !('text' in given) || WILD.test(given.text);
    }
    default:
      return false;
  }
}

/** A path with wildcards as a text, with `*` for each of them. */
export function globText({ glob, isAbsolute }: Extract<StaticWord, { glob: unknown }>): string {
  const path = glob.map((segment) => (typeof segment === 'string' ? segment : segment.text)).join('/');
  return isAbsolute ? `/${path}` : path;
}

/** A path with `.` or `..` behind a name or a wildcard, or with `.*`, which matches these in some shells. */
export function turnsInGlob({ glob }: Extract<StaticWord, { glob: unknown }>): boolean {
  const first = glob.findIndex((segment) => segment !== '.' && segment !== '..');
  return glob
    .slice(first)
    .some((segment) =>
      typeof segment === 'string'
        ? segment === '.' || segment === '..'
        : segment.startsWith('.') && (segment.test('.') || segment.test('..')),
    );
}

/** Nobody writes more of them in a word. */
const MOST_WILDCARDS = 16;

/** Any wildcard stands for anything: what it may match is never more than that. Null where there are too many. */
function globOf(pieces: readonly { readonly text: string; readonly isGlob: boolean }[]): StaticWord | null {
  if (pieces.filter(({ isGlob }) => isGlob).length > MOST_WILDCARDS) return null;
  const segments: GlobSegment[] = [];
  /** What stands before, between and behind the wildcards of the segment at hand. */
  let parts = [''];
  const push = (): void => {
    if (parts.length > 1) segments.push(new Wildcards(parts));
    else if (parts[0] !== '') segments.push(parts[0] as string);
    parts = [''];
  };
  for (const piece of pieces) {
    if (piece.isGlob) {
      if (parts.length === 1 || parts.at(-1) !== '') parts.push('');
      continue;
    }
    for (const [i, part] of piece.text.split('/').entries()) {
      if (i > 0) push();
      parts.push(`${parts.pop()}${part}`);
    }
  }
  push();
  const [first, last] = [pieces[0], pieces.at(-1)];
  return {
    glob: segments,
    isAbsolute: first?.isGlob === false && first.text.startsWith('/'),
    isFolder: last?.isGlob === false && /\/\.?$/.test(last.text),
  };
}
