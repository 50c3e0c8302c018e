// The words that a program is given, taken apart: bare ones, values of options, and every path that a word may hold.
import type { Reach } from './ours.ts';

export interface Target {
  readonly word: string;
  readonly reach: Reach;
}

/** The first answer that is one. */
export function firstOf<T, A>(items: Iterable<T>, ask: (item: T) => A | null): A | null {
  for (const item of items) {
    const answer = ask(item);
    if (answer !== null) return answer;
  }
  return null;
}

export const bareOf = (args: readonly string[]): string[] => {
  const dashes = args.indexOf('--');
  const before = dashes < 0 ? args : args.slice(0, dashes);
  return [...before.filter((arg) => !arg.startsWith('-')), ...(dashes < 0 ? [] : args.slice(dashes + 1))];
};

/** A short option by its letter, alone or among others. */
export const hasLetter = (args: readonly string[], letter: string): boolean =>
  args.some((arg) => /^-[a-zA-Z]+$/.test(arg) && arg.includes(letter));

/** Options of rsync whose next word is neither read nor written to. */
const TAKES_WORD =
  /^--(?:exclude|include|exclude-from|include-from|filter|rsh|chmod|chown|bwlimit|info)$|^-[ef]$/;

/** The words that rsync and its kin copy, and the one that they copy to. */
export function copiedWords(name: string, args: readonly string[]): string[] {
  return bareOf(name === 'rsync' ? args.filter((_, at) => !TAKES_WORD.test(args[at - 1] ?? '')) : args);
}

export const all = (words: readonly string[], reach: Reach): Target[] =>
  words.map((word) => ({ word, reach }));

/** Behind the option, joined to it, or the next word. A short option may stand at the end of several. */
export function valuesOf(args: readonly string[], option: RegExp): string[] {
  return args.flatMap((arg, at) => {
    const equals = /^(--?[\w-]+)=(.*)$/s.exec(arg);
    if (equals !== null && option.test(equals[1] ?? '')) return [equals[2] ?? ''];
    if (option.test(arg)) return [args[at + 1] ?? ''];
    const joined = /^-([a-zA-Z]+)(.*)$/s.exec(arg);
    if (joined === null) return [];
    const letters = arg.slice(1);
    const found = [...letters].findIndex((letter) => option.test(`-${letter}`));
    if (found < 0) return [];
    return found === letters.length - 1 ? [args[at + 1] ?? ''] : [letters.slice(found + 1)];
  });
}

/** Every path that a word may hold: itself, what hangs on an option, what stands behind `=`, `:` or `@`. */
export function piecesOf(word: string): string[] {
  const pieces = new Set([word]);
  const joined = /^-\w{1,8}(?=[./~$\w])/.exec(word)?.[0] ?? '';
  for (let at = 2; at <= joined.length; at++) pieces.add(word.slice(at));
  for (const piece of word.split(/[=:,]/).slice(0, 16)) pieces.add(piece.replace(/^@/, ''));
  return [...pieces].filter((piece) => piece !== '' && piece !== '-');
}
