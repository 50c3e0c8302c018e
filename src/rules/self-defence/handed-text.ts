// What one part of a command line hands to another: text that is printed into a pipe, decoded or not, the words of a loop,
// what xargs adds, and values that only the shell knows. All of it is guessed from the words of the line alone.

import { programName, programOf, type Started } from '../../shell/index.ts';
import { changesOf } from './written-paths.ts';

export function textsOf({ argv, input }: Started): string[] {
  const { name, args } = programOf(argv);
  if (name === 'printf') return [...input, ...(args[0] === '-v' ? [] : [formatted(args)])];
  const prints = name === 'echo';
  return [...input, ...(prints ? [unescaped(args.filter((arg) => !/^-[neE]+$/.test(arg)).join(' '))] : [])];
}

const MOST_ROUNDS = 256;

/** As printf puts its words into the format, again and again while there are words. */
function formatted(args: readonly string[]): string {
  const [format = '', ...words] = args[0] === '--' ? args.slice(1) : args;
  const left = [...words];
  let text = '';
  for (let round = 0; round < MOST_ROUNDS && (round === 0 || left.length > 0); round++) {
    const before = left.length;
    text += unescaped(format).replace(/%(?:%|[-+ #0-9.*]{0,16}[a-zA-Z])/g, (found) =>
      found === '%%' ? '%' : (left.shift() ?? ''),
    );
    if (left.length === before) break;
  }
  return text;
}

/** As printf and `echo -e` would. */
function unescaped(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{3})|([nt]))/g,
    (found, hex?: string, octal?: string, line?: string) =>
      line !== undefined
        ? line === 'n'
          ? '\n'
          : '\t'
        : hex !== undefined
          ? String.fromCharCode(Number.parseInt(hex, 16))
          : octal !== undefined
            ? String.fromCharCode(Number.parseInt(octal, 8))
            : found,
  );
}

/** What a decoder could make of it. */
export function decodings(text: string): string[] {
  const found: string[] = [[...text].reverse().join('')];
  for (const word of text.match(/[A-Za-z0-9+/_-]{8,}={0,2}/g)?.slice(0, 16) ?? []) {
    if (/^(?:[0-9a-fA-F]{2})+$/.test(word))
      found.push(word.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))));
    try {
      found.push(atob(word.replaceAll('-', '+').replaceAll('_', '/')));
    } catch {
      // It is none.
    }
  }
  return found;
}

/** They print names of files below the folders that they are given. */
const SEARCHERS = /^(?:[ef]?grep|rg|ag|ack|fd|fdfind)$/;
/** Some file below the folder: which one is not known. */
const below = (folder: string): string => `${folder.replace(/\/+$/, '')}/$found`;
const SEARCH = /^(?:\$\(|`)\s*(?:git\s+)?(?:[ef]?grep|rg|ag|ack|fd|fdfind)\b([^|;&]{0,400})[)`]$/;
const LISTS = /^(?:\$\(|`)\s*(?:ls|echo|printf|realpath|readlink|dirname|git ls-files)\b([^|;&]{0,400})[)`]$/;

/** `rm $(ls .claude/*.json)`: what a program that lists was asked for, in the place of what it prints. */
export function withListed(argv: readonly string[]): readonly string[] {
  if (!argv.some((word) => LISTS.test(word) || SEARCH.test(word))) return argv;
  return argv.flatMap((word) => [
    word,
    // The first of its words is what it looks for.
    ...(SEARCH.exec(word)?.[1] ?? '')
      .split(/[\s"']+/)
      .filter((each) => !/^(?:|-.*)$/.test(each))
      .slice(1)
      .flatMap((each) => [each, below(each)]),
    ...(LISTS.exec(word)?.[1] ?? '')
      .split(/[\s"']+/)
      .filter((each) => !/^(?:|-.*|\.{1,2}\/?)$/.test(each))
      .flatMap((each) => [each, each.replace(/\/[^/]+$/, '')]),
  ]);
}

/** In a line of more words than this, what xargs adds to a part of one is taken to be anything. */
const MOST_MARKED = 256;

/** A word that is a loop's variable, or what xargs adds, is each of what it stands for. */
export function spread(
  argv: readonly string[],
  loops: ReadonlyMap<string, readonly string[]>,
  added: Added,
): readonly (readonly string[])[] {
  const stands = (word: string): boolean =>
    word === '$(xargs)' || (added.marks.includes(word) && word !== '');
  const words = argv.flatMap((word, at): readonly string[] => {
    if (at > 0 && stands(word) && added.words.length > 0) return added.words;
    // `xargs -I{} rm .claude/{}`: a part of the word stands for what it adds, which may be nothing that the line says.
    const mark = added.marks.find((each) => each !== '' && word !== each && word.includes(each));
    if (at > 0 && mark !== undefined && word.includes('/'))
      return [...(argv.length > MOST_MARKED ? [] : added.words), '$added'].map((each) =>
        word.replaceAll(mark, () => each),
      );
    const name = /\$(?:\{(\w+)(?:\[[^\]]{0,16}\])?\}|(\w+))/.exec(word);
    const through = name === null ? undefined : loops.get(name[1] ?? name[2] ?? '');
    if (name === null || through === undefined) return [word];
    const [before, after] = [word.slice(0, name.index), word.slice(name.index + name[0].length)];
    return through.map((each) => `${before}${each}${after}`);
  });
  const [first = '', ...rest] = words;
  return stands(first) ? added.words.map((word) => [word, ...rest]) : [words];
}

/** Variables that `read` and its kin fill hold the words that the line hands to them, as far as those can be told. */
export function withRead(
  loops: ReadonlyMap<string, readonly string[]>,
  started: readonly Started[],
  texts: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const all = new Map(loops);
  const split = (lines: readonly string[]): string[] =>
    lines
      .flatMap((line) => line.split(/\s+/))
      .filter((word) => word !== '')
      .slice(0, 256);
  const asked = askedOf(started);
  for (const { argv, input } of started) {
    const name = programName(argv[0] ?? '');
    if (/^(?:read|mapfile|readarray)$/.test(name)) {
      const words = input.length > 0 ? split(input) : [...split(texts), ...asked];
      // What the others print may be another name than what they were asked for.
      for (const each of argv.slice(1).filter((word) => /^\w+$/.test(word)))
        if (words.length > 0) all.set(each, input.length > 0 ? words : [...words, `$${each}`]);
    } else if (name === 'printf' && argv[1] === '-v') all.set(argv[2] ?? '', [formatted(argv.slice(3))]);
  }
  return all;
}

/** What xargs may add: whatever other programs of the line print or were asked for. */
export interface Added {
  readonly words: readonly string[];
  /** What stands for it, as `-I` names it. */
  readonly marks: readonly string[];
}

export function addedBy(started: readonly Started[], texts: readonly string[]): Added {
  const own = started.filter(({ argv }) => programName(argv[0] ?? '') === 'xargs');
  if (own.length === 0) return { words: [], marks: [] };
  const marks = own.flatMap(({ argv }) =>
    argv.flatMap((word, at) =>
      /^(?:-I|-i|--replace)$/.test(word) ? [argv[at + 1] ?? ''] : (/^-I(.+)$/.exec(word)?.[1] ?? []),
    ),
  );
  const asked = askedOf(started).filter((word) => !marks.includes(word));
  const words = [...texts.flatMap((text) => text.split(/\s+/)), ...asked];
  return { words: [...new Set(words)].filter((word) => word !== '').slice(0, 256), marks: [...marks, '{}'] };
}

/** What the programs of the line were asked for: names that they may print. */
function askedOf(started: readonly Started[]): string[] {
  return started
    .filter(({ argv }) => argv[0] !== '>' && !/^(?:xargs|find|read)$/.test(programName(argv[0] ?? '')))
    .flatMap(({ argv }) => {
      const words = argv
        .slice(1)
        // `lsof -ti:3000` asks for a port in an option.
        .map((word) => word.replace(/^-\w*(?=:)/, ''))
        .filter((word) => !word.startsWith('-') && !/[$`]/.test(word));
      return SEARCHERS.test(programName(argv[0] ?? '')) ? [...words, ...words.slice(1).map(below)] : words;
    });
}

/** `find … | xargs rm` is `find … -delete`, and so is a loop over what it finds. */
export function finds(started: readonly Started[]): readonly Started[] {
  const read = started
    .filter(({ argv }) => programName(argv[0] ?? '') === 'read')
    .flatMap(({ argv }) => argv.slice(1).filter((word) => /^\w+$/.test(word)));
  const comes = (word: string): boolean =>
    word === '$(xargs)' ||
    /^(?:\$\(|`)\s*find\b/.test(word) ||
    read.includes(/^\$\{?(\w+)\}?$/.exec(word)?.[1] ?? '');
  const removes = started.some(({ argv }) => argv.some(comes) && (changesOf(argv) ?? []).length > 0);
  if (!removes) return [];
  return started
    .filter(({ argv }) => programName(argv[0] ?? '') === 'find')
    .map((each) => ({ ...each, argv: [...each.argv, '-delete'] }));
}

const DOTTED = /(?<!-u\s{1,4})\bdotglob\b|\bglob_?dots\b|\bGLOBIGNORE=|[*?]\(D\w{0,4}\)/i;

/** The line tells the shell that a star stands for hidden names, too. */
export function takesHidden(command: string): boolean {
  return DOTTED.test(command);
}

/** Each glob of the words once more, as it stands for hidden names. What is only copied stays where it is. */
export function withHidden(argv: readonly string[]): readonly string[] {
  if (programName(argv[0] ?? '') === 'cp') return argv;
  return argv.flatMap((word, at) =>
    at > 0 && /(?:^|\/)[*?[]/.test(word)
      ? [word, word.replace(/(^|\/)\*(?:\(D\w{0,4}\))?/g, '$1.*').replace(/(^|\/)(?:\?|\[[^\]/]*\])/g, '$1.')]
      : [word],
  );
}

const DEFAULT = /\$\{\w{1,64}:?[-=+]([^{}$`]{0,400})\}/g;
/** Variables, `$@` and its kin, and substitutions that print nothing or stand within a word. */
const EMPTY =
  /\$\{[^{}]{0,400}\}|\$(?:\d|[A-Za-z_]\w{0,63}|[@*])|\$\(\s*(?::|true)?\s*\)|``|(?:\$\([^()]{0,400}\)|`[^`]{0,400}`)(?=[^/\s])/g;

/** Every shell has a value for these. */
const ALWAYS_SET =
  /\$\{?(?:HOME|PWD|USER|UID|EUID|LOGNAME|HOSTNAME|SHELL|PATH|TERM|LANG|PPID|BASHPID|RANDOM|SECONDS)\b/;

/**
 * Words with an expansion of which the line does not tell the value, once more with a value that it may well have: a variable
 * that nobody set is empty, and `${X:-value}` says itself what it is then. The forms that differ from how they are written.
 */
export function withoutUnknown(argv: readonly string[]): readonly (readonly string[])[] {
  if (!argv.some((word) => /[$`]/.test(word))) return [];
  const defaulted = argv.map((word) => word.replace(DEFAULT, '$1'));
  const emptied = defaulted.map((word) =>
    /[$`]/.test(word) && !ALWAYS_SET.test(word) ? withoutEmpty(word) : word,
  );
  return [defaulted, emptied].filter(
    (form, at, forms) =>
      form.some((word, index) => word !== argv[index]) &&
      !(at > 0 && form.every((word, index) => word === forms[0]?.[index])),
  );
}

/**
 * `$X/*` is not taken for the root of the disk, `/tmp/$X` not for all of `/tmp`, `$X` alone not for no word at all, and
 * `$name.*` not for every hidden file: whoever writes so means a variable that has a value.
 */
function withoutEmpty(word: string): string {
  const text = word.replace(EMPTY, '');
  const isOpen =
    (text.startsWith('/') && !word.startsWith('/')) || (text.endsWith('/') && !word.endsWith('/'));
  return text === '' || isOpen || /[*?[\s]|^\.{1,2}$/.test(text) ? word : text;
}
