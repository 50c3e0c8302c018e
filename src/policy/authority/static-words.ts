// The words of a shell line whose value is sure before it runs. Everything that depends on a variable, on what a command
// prints or on a brace is not.
import type { Word, WordPart } from 'unbash';
import type { GlobSegment } from './files.ts';

/** A text, or the segments of a path with wildcards. */
export type StaticWord =
  | { readonly text: string }
  | { readonly glob: readonly GlobSegment[]; readonly isAbsolute: boolean };

/** Null for wildcards, too. */
export function textOf(word: StaticWord | null): string | null {
  return word !== null && 'text' in word ? word.text : null;
}

/** Null where it can't be told. */
export function staticWord(word: Word, home: string | null): StaticWord | null {
  const parts: readonly WordPart[] = word.parts ?? [];
  const pieces: { readonly text: string; readonly isGlob: boolean }[] = [];
  if (word.parts === undefined) pieces.push({ text: word.value, isGlob: false });
  for (const part of parts) {
    const text = partText(part);
    if (text === null) return null;
    pieces.push({ text, isGlob: part.type === 'Glob' || part.type === 'ExtendedGlob' });
  }
  const first = parts[0];
  const isPlain =
    word.parts === undefined
      ? word.text === word.value
      : first?.type === 'Literal' && first.text === first.value;
  if (isPlain && pieces[0]?.text.startsWith('~') === true) {
    const rest = pieces[0].text.slice(1);
    // Another user's home, or a folder of the stack.
    if (home === null || (rest !== '' && !rest.startsWith('/'))) return null;
    pieces[0] = { text: `${home}${rest}`, isGlob: false };
  }
  if (!pieces.some(({ isGlob }) => isGlob)) return { text: pieces.map(({ text }) => text).join('') };
  return globOf(pieces);
}

function partText(part: WordPart): string | null {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'Glob':
    case 'ExtendedGlob':
      return part.text;
    case 'DoubleQuoted':
    case 'LocaleString': {
      const texts = part.parts.map((inner) => (inner.type === 'Literal' ? inner.value : null));
      return texts.includes(null) ? null : texts.join('');
    }
    default:
      return null;
  }
}

/** Any wildcard stands for anything: what it may match is never more than that. */
function globOf(pieces: readonly { readonly text: string; readonly isGlob: boolean }[]): StaticWord {
  const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const segments: GlobSegment[] = [];
  let [source, text, isGlob] = ['', '', false];
  const push = (): void => {
    if (text !== '' || isGlob) segments.push(isGlob ? new RegExp(`^${source}$`, 'su') : text);
    [source, text, isGlob] = ['', '', false];
  };
  for (const piece of pieces) {
    if (piece.isGlob) {
      [isGlob, source] = [true, `${source}.*`];
      continue;
    }
    for (const [i, part] of piece.text.split('/').entries()) {
      if (i > 0) push();
      source += escaped(part);
      text += part;
    }
  }
  push();
  return { glob: segments, isAbsolute: pieces[0]?.text.startsWith('/') === true && !pieces[0].isGlob };
}
