// A line for a shell, read once more from what is disclosed of the call: every simple command of it, what `sh -c`, `env`,
// `xargs` and their kin start, and the files that commands and redirections name. The machine that it ran on is not here,
// so every folder may hold anything, and no link is followed.
import { FILE_COMMANDS } from './authority/file-commands.ts';
import { absolute } from './authority/files.ts';
import type { CommandWords, LineReading, Reach, ReadCommand } from './authority/found-needs.ts';
import { HARMLESS } from './authority/programs.ts';
import { readLine } from './authority/shell-needs.ts';
import { wildcardText } from './authority/static-words.ts';
import { ripgrepLooks } from './ripgrep.ts';
import { subCommandOf } from './sub-commands.ts';
import { findsAndActs, toldBy } from './told-commands.ts';

export interface LinePlace {
  /** Where the shell is started; null where that is not known. */
  readonly cwd: string | null;
}

/** A file that a line names: absolute, or from a home (`~/`). `*` in it stands for anything. */
export interface NamedFile {
  readonly path: string;
  /** `mentions`: a word of a program of which nobody knows what it does to files. */
  readonly use: 'read' | 'list' | 'write' | 'mentions';
  readonly reach: Reach;
  /** Of what is below it, files of these names alone; null for all. */
  readonly only: readonly string[] | null;
  /** Hidden files below it are not meant. */
  readonly isShown: boolean;
}

/** A command, and how the words of a pattern that it does not match as a whole may be among its own. */
export interface LineCommand {
  readonly words: CommandWords;
  /** `behind`: behind its first word, which is what the program does. `never`: its words are texts for people, too. */
  readonly meant: 'anywhere' | 'behind' | 'never';
}

export interface ReadLine {
  /** Commands that it runs. */
  readonly commands: readonly LineCommand[];
  /** Commands that it may run: words of a program that may start others. */
  readonly perhaps: readonly LineCommand[];
  readonly files: readonly NamedFile[];
  readonly hidesCommands: string | null;
  readonly hidesFiles: string | null;
}

/** Texts within texts: deeper ones are not read. */
const MOST_DEEP = 4;
const MOST_WORDS = 4096;
const MOST_PARTS = 8;
const REDACTED = '[REDACTED:';
/** `read 'a[$(curl x)]'`: bash runs what stands in a subscript wherever it takes a text for a variable. */
const SUBSCRIPT = /\[[^\]\s]*(?:\$\(|`)/;
/** Programs that search the folder that they are in, if they are given no other. */
const LOOKS_THROUGH = /^(?:ag|ack|rgrep|git grep)(?: |$)/;
/** They read a file that an option names, and are harmless without. */
const MAY_READ = /^(?:date|hostname)$/;
/** Their words run nothing. */
const CALM = /^(?:jq|tsc|eslint|prettier|ruff|mypy|tree|ps|kill|df|file|uniq|lsof)$/;
/** They take whole folders along. */
const TAKES_ALL =
  /^(?:zip|7z|7za|7zz|rar|rsync|scp|sftp|cpio|pax|rclone|aws|gsutil|gcloud|s3cmd|mksquashfs|genisoimage|dar|borg|restic)$/;
const TARS = /^(?:tar|bsdtar|gtar)$/;
const UNPACKS = /^-{0,2}(?:extract|get|list|diff|compare)$|^-?[a-zA-Z]*[xt][a-zA-Z]*$/;
const MOUNTS = /^(?:docker|podman|nerdctl)$/;
/** Stands for the home, and for the folder that it is in: the reader takes absolute paths alone. */
const HOMES = '/~';
const HOME = `${HOMES}/~`;

export function readWholeLine(line: string, { cwd }: LinePlace): ReadLine {
  const found = new Found();
  found.line(line, cwd ?? '/', 0, false);
  if (SUBSCRIPT.test(line)) found.hide('a subscript in it may run a command');
  if (line.includes(REDACTED)) found.hide('a part of it was redacted');
  if (found.runsWhatItWrites) found.hide('it may run a file that it writes');
  if (cwd === null) found.hideFiles('where it was started is not recorded');
  return found;
}

class Found implements ReadLine {
  readonly commands: LineCommand[] = [];
  readonly perhaps: LineCommand[] = [];
  readonly files: NamedFile[] = [];
  hidesCommands: string | null = null;
  hidesFiles: string | null = null;
  #words = 0;

  get runsWhatItWrites(): boolean {
    const written = this.files.filter(({ use }) => use === 'write').map(({ path }) => path);
    // `cp a k` writes k, or k/a where k is a folder.
    const isWritten = (path: string): boolean =>
      written.some((each) => each === path || each.startsWith(`${path}/`));
    return this.files.some(({ use, path }) => use === 'mentions' && isWritten(path));
  }

  hide(why: string): void {
    this.hidesCommands ??= why;
    this.hideFiles(why);
  }

  hideFiles(why: string): void {
    this.hidesFiles ??= why;
  }

  line(line: string, cwd: string, depth: number, isPerhaps: boolean): void {
    if (depth > MOST_DEEP) {
      this.hide('it has texts within texts');
      return;
    }
    const reading = readLine(line, {
      cwd,
      home: HOME,
      view: {
        real: (path) => path,
        isFolder: () => true,
        names: (_, wildcards) => [wildcardText(wildcards)],
      },
    });
    if (reading.hidesCommands !== null && !isPerhaps) this.hide(reading.hidesCommands);
    if (reading.hidesFiles !== null && !isPerhaps) this.hideFiles(reading.hidesFiles);
    if (!isPerhaps) this.#take(reading);
    for (const command of reading.commands) this.command(command, depth, isPerhaps);
  }

  command({ words, wild, at }: ReadCommand, depth: number, isPerhaps: boolean): void {
    this.#words += words.length * words.length;
    if (this.#words > MOST_WORDS * MOST_WORDS || depth > MOST_DEEP) {
      this.hide(depth > MOST_DEEP ? 'it has texts within texts' : 'it has too many words');
      return;
    }
    const [program, ...others] = words;
    const name = program?.slice(program.lastIndexOf('/') + 1) ?? '';
    const into = isPerhaps ? this.perhaps : this.commands;
    const does = subCommandOf(words);
    into.push({ words, meant: does === null ? 'anywhere' : 'never' });
    if (name === 'rm') into.push(...removals(others));
    if (MAY_READ.test(name)) this.#mentionAll(others, wild, at);
    if (HARMLESS.has(name) || FILE_COMMANDS.has(name) || name === 'cd') return;
    if (LOOKS_THROUGH.test(`${name} ${others[0] ?? ''}`)) this.hideFiles(`${name} looks through everything`);
    if (program?.includes('/') === true) this.#mention(program, at);
    if (does !== null) {
      into.push({ words: does.words, meant: 'behind' });
      if (does.hides !== null) this.hide(does.hides);
      this.#mentionAll(does.named, wild, at);
      return;
    }
    if (name === 'rg') {
      this.#search(others, at);
      return;
    }
    if (name === 'find' && !findsAndActs(others)) {
      // It tells names; those of the files that it begins at are its first words.
      const end = others.findIndex((word) => word !== null && /^[-(!]/.test(word));
      this.#mentionAll(end < 0 ? others : others.slice(0, end), wild, at);
      return;
    }
    this.#mentionAll(others, wild, at, this.#reach(name, others));
    if (!CALM.test(name)) this.#started({ words, wild, at }, depth, isPerhaps);
  }

  /** What it is told to run, and what it may be told to. */
  #started({ words, wild, at }: ReadCommand, depth: number, isPerhaps: boolean): void {
    const [program, ...others] = words;
    const told = toldBy(words);
    if (told?.hides != null) this.hide(told.hides);
    const started = others.find((word) => word !== null && !word.startsWith('-')) ?? '';
    if (told?.adds === true && !(HARMLESS.has(started) && !MAY_READ.test(started)))
      this.hideFiles(`${program} gives further words to what it starts`);
    if (told?.command != null) this.command({ words: told.command, wild, at }, depth + 1, isPerhaps);
    const within = (line: string, isSure: boolean): void => {
      for (const cwd of at) this.line(line, cwd, depth + 1, isPerhaps || !isSure);
    };
    for (const line of told?.lines ?? []) within(line, true);
    if (told !== null && !told.starts) return;
    for (const [i, word] of others.entries()) {
      const rest = others.slice(i);
      const command = withoutLead(told?.adds === true ? [...rest, null] : rest);
      (told === null || isPerhaps ? this.perhaps : this.commands).push({ words: command, meant: 'anywhere' });
      const hides = told === null ? null : toldBy(command)?.hides;
      if (hides != null) this.hide(hides);
      // A program may take any of its words for a line.
      if (word !== null && /[\s;&|]/.test(word)) within(leadless(word), told !== null);
    }
  }

  #search(words: CommandWords, at: readonly string[]): void {
    const looks = ripgrepLooks(words);
    if (looks === null) {
      this.hideFiles('what rg looks at is not known');
      return;
    }
    for (const folder of looks.folders)
      for (const cwd of at)
        this.#name(absolute(folder, cwd), {
          use: 'read',
          reach: 'below',
          only: looks.only,
          isShown: !looks.isHidden,
        });
  }

  #take({ files }: LineReading): void {
    for (const { path, use, reach, only } of files)
      this.#name(path, { use: use === 'remove' ? 'write' : use, reach, only, isShown: false });
  }

  #reach(name: string, words: CommandWords): Reach {
    const has = (what: RegExp): boolean => words.some((word) => word !== null && what.test(word));
    const takesAll =
      TAKES_ALL.test(name) ||
      (TARS.test(name) && !UNPACKS.test(words[0] ?? '')) ||
      (MOUNTS.test(name) && (words[0] === 'cp' || has(/^(?:-v|--volume|--mount)/)));
    return takesAll ? 'below' : 'itself';
  }

  #mentionAll(
    words: CommandWords,
    wild: readonly string[],
    at: readonly string[],
    reach: Reach = 'itself',
  ): void {
    if (words.filter((word) => word === null).length > wild.length)
      this.hideFiles('a word of it follows only when it runs');
    for (const word of [...words, ...wild]) this.#mention(word, at, reach);
  }

  /** `--env-file=.env`, `-f.env`, `@.env` and `HEAD:.env`, too. */
  #mention(word: string | null, at: readonly string[], reach: Reach = 'itself'): void {
    if (word === null) return;
    const text = leadless(word).replace(/^@/, '');
    if (text === '' || /[\s\0]/.test(text)) return;
    const joined = /^-[a-zA-Z]+([./~].*)$/s.exec(text)?.[1];
    if (text.startsWith('-') && joined === undefined) return;
    const all = joined === undefined ? [text, ...text.split(/[:,=]@?/)] : [joined];
    for (const each of new Set(all.filter((part) => part !== '').slice(0, MOST_PARTS)))
      for (const cwd of at)
        this.#name(absolute(each.replace(/^~(?=\/|$)/, HOME), cwd), {
          use: 'mentions',
          reach,
          only: null,
          isShown: false,
        });
  }

  #name(path: string, how: Omit<NamedFile, 'path'>): void {
    const isAt = (folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
    const fromHome = isAt(HOME) ? `~${path.slice(HOME.length)}` : `~/..${path.slice(HOMES.length)}`;
    this.files.push({ path: isAt(HOMES) ? fromHome : path, ...how });
  }
}

/** `!curl y` of an alias, `--exec=curl`, `alias.x=!curl`. */
function leadless(word: string): string {
  return word.replace(/^(?:-{0,2}[\w.-]+=)?!?/, '');
}

function withoutLead([first = null, ...rest]: CommandWords): CommandWords {
  return [first === null ? null : leadless(first), ...rest];
}

/** `rm -R --force x` is `rm -rf x`. */
function removals(words: CommandWords): LineCommand[] {
  const end = words.indexOf('--');
  const isOption = (word: string | null, i: number): boolean =>
    word !== null && /^-./.test(word) && (end < 0 || i <= end);
  const options = words.filter((word, i) => isOption(word, i)) as readonly string[];
  const has = (what: RegExp): boolean => options.some((option) => what.test(option));
  if (!has(/^-[a-zA-Z]*[rR]|^--r/) || !has(/^-[a-zA-Z]*f|^--f/)) return [];
  const operands = words.filter((word, i) => !isOption(word, i));
  return [{ words: ['rm', '-rf', ...operands], meant: 'anywhere' }];
}
