// The words of commands in a line: what they are as a command of their own, and what stands for what is not known.
import { FILE_COMMANDS } from './authority/file-commands.ts';
import { absolute } from './authority/files.ts';
import type { CommandWords } from './authority/found-needs.ts';
import { EVERYDAY_PROGRAMS } from './everyday-programs.ts';
import { hasSubCommands, subCommandOf } from './sub-commands.ts';
import { toldBy } from './told-commands.ts';

/** Is the program known by its name? */
export function isNamed(words: CommandWords): boolean {
  const name = words[0] ?? '';
  return (
    FILE_COMMANDS.has(name) ||
    subCommandOf(words) !== null ||
    toldBy(words) !== null ||
    EVERYDAY_PROGRAMS.has(name)
  );
}

/** Programs whose first word says what they do are told with it. */
export function notKnown(name: string, words: CommandWords): string {
  const does = words.find((word) => word !== null && !word.startsWith('-'));
  return does != null && hasSubCommands(name)
    ? `foil doesn't know the command ${name} ${does.slice(0, 40)}`
    : `foil doesn't know the program ${name}`;
}

/** A program in a file of the project: what it does is no word of the line. */
export function isOwn(program: string, at: readonly string[]): boolean {
  return at.some(
    (cwd) => program.includes('/') && cwd !== '/' && absolute(program, cwd).startsWith(`${cwd}/`),
  );
}

/** `**` may stand for any number of folders, and is read as `*` before. */
export function deepened(path: string, line: string): string {
  return line.includes('**') ? path.replace(/(^|\/)\*(?=\/|$)/g, '$1**') : path;
}

/** Words with their wildcards, where nothing else in them is unknown. */
export function filled(words: CommandWords, wild: readonly string[]): CommandWords {
  if (words.filter((word) => word === null).length !== wild.length) return words;
  let at = 0;
  return words.map((word) => word ?? wild[at++] ?? null);
}

/** What a wildcard stands for is no option, and no program, if it begins with something else. */
export function notOptions(words: CommandWords, wild: readonly string[]): CommandWords {
  const known = filled(words, wild);
  return words.map((word, i) =>
    i > 0 && /^[^*-]|^\*.*\.\w+$/.test(known[i] ?? '') ? (known[i] ?? null) : word,
  );
}

/** As a shell takes it for this one word; `*` is left for a wildcard. */
export function asWritten(word: string | null): string {
  if (word === null) return '"$_"';
  return (
    word
      .split('*')
      .map((part) => (part === '' ? '' : `'${part.replaceAll("'", `'\\''`)}'`))
      .join('*') || "''"
  );
}

/** `!curl y` of an alias, `--exec=curl`, `alias.x=!curl`. */
export function leadless(word: string): string {
  return word.replace(/^(?:-{0,2}[\w.-]+=)?!?/, '');
}

export function withoutLead([first = null, ...rest]: CommandWords): CommandWords {
  return [first === null ? null : leadless(first), ...rest];
}

/** `rm -R --force x` is `rm -rf x`. */
export function removals(words: CommandWords): CommandWords[] {
  const end = words.indexOf('--');
  const isOption = (word: string | null, i: number): boolean =>
    word !== null && /^-./.test(word) && (end < 0 || i <= end);
  const options = words.filter((word, i) => isOption(word, i)) as readonly string[];
  const has = (what: RegExp): boolean => options.some((option) => what.test(option));
  if (!has(/^-[a-zA-Z]*[rR]|^--r/) || !has(/^-[a-zA-Z]*f|^--f/)) return [];
  const operands = words.filter((word, i) => !isOption(word, i));
  return [['rm', '-rf', ...operands]];
}
