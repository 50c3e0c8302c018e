// Rules about commands and files, held against a line for a shell. The line is read once more, from what is disclosed of
// the call: every simple command of it, what `sh -c`, `env`, `xargs` and their kin start, and the files that commands and
// redirections name. The machine that it ran on is not here, so every folder may hold anything, and no link is followed.
import { matchesText, mayMatchText } from '../core/index.ts';
import { FILE_COMMANDS } from './authority/file-commands.ts';
import { absolute } from './authority/files.ts';
import type { CommandWords, LineReading, ReadCommand } from './authority/found-needs.ts';
import { HARMLESS } from './authority/programs.ts';
import { readLine } from './authority/shell-needs.ts';
import { toldBy } from './told-commands.ts';

export interface LinePlace {
  /** Where the shell is started; null where that is not known. */
  readonly cwd: string | null;
}

/** A file that a line names: absolute, or from a home (`~/`). */
export interface NamedFile {
  readonly path: string;
  /** `mentions`: a word of a program of which nobody knows what it does to files. */
  readonly use: 'read' | 'write' | 'mentions';
  /** Anything below it may be meant. */
  readonly isDeep: boolean;
}

export interface ReadLine {
  /** Commands that it runs. */
  readonly commands: readonly CommandWords[];
  /** Commands that it may run: words of a program that may start others. */
  readonly perhaps: readonly CommandWords[];
  readonly files: readonly NamedFile[];
  readonly hidesCommands: string | null;
  readonly hidesFiles: string | null;
}

/** Texts within texts: deeper ones are not read. */
const MOST_DEEP = 4;
const MOST_WORDS = 4096;
const REDACTED = '[REDACTED:';
/** Programs that search the folder that they are in, if they are given no other. */
const LOOKS_THROUGH = /^(?:rg|ag|ack|git grep)(?: |$)/;
/** Stands for the home: the reader takes absolute paths alone. */
const HOME = '/~';
/** No text of a command holds it, so only a wildcard of a pattern can stand for it. */
const UNKNOWN = '\uffff';

export function readWholeLine(line: string, { cwd }: LinePlace): ReadLine {
  const found = new Found();
  found.line(line, cwd ?? '/', 0, false);
  if (line.includes(REDACTED)) found.hide('a part of it was redacted');
  if (found.runsWhatItWrites) found.hide('it may run a file that it writes');
  if (cwd === null) found.hideFiles('where it was started is not recorded');
  return found;
}

class Found implements ReadLine {
  readonly commands: CommandWords[] = [];
  readonly perhaps: CommandWords[] = [];
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
    const listed: string[] = [];
    const reading = readLine(line, {
      cwd,
      home: HOME,
      view: {
        real: (path) => path,
        isFolder: () => true,
        names: (folder) => {
          listed.push(folder);
          return [];
        },
      },
    });
    if (reading.hidesCommands !== null && !isPerhaps) this.hide(reading.hidesCommands);
    if (reading.hidesFiles !== null && !isPerhaps) this.hideFiles(reading.hidesFiles);
    if (!isPerhaps) this.#take(reading, listed);
    for (const command of reading.commands) this.command(command, depth, isPerhaps);
  }

  command({ words, at }: ReadCommand, depth: number, isPerhaps: boolean): void {
    this.#words += words.length * words.length;
    if (this.#words > MOST_WORDS * MOST_WORDS) {
      this.hide('it has too many words');
      return;
    }
    (isPerhaps ? this.perhaps : this.commands).push(words);
    const [program, ...others] = words;
    const name = program?.slice(program.lastIndexOf('/') + 1) ?? '';
    if (HARMLESS.has(name) || FILE_COMMANDS.has(name) || name === 'cd') return;
    if (LOOKS_THROUGH.test(`${name} ${others[0] ?? ''}`)) this.hideFiles(`${name} looks through everything`);
    if (program?.includes('/') === true) this.#mention(program, at);
    const told = toldBy(words);
    if (told?.hides != null) this.hide(told.hides);
    if (told?.adds === true) this.hideFiles(`${name} gives further words to what it starts`);
    const within = (line: string, isSure: boolean): void => {
      for (const cwd of at) this.line(line, cwd, depth + 1, isPerhaps || !isSure);
    };
    for (const line of told?.lines ?? []) within(line, true);
    for (const [i, word] of others.entries()) {
      if (word !== null) this.#mention(word, at);
      if (told !== null && !told.starts) continue;
      const rest = others.slice(i);
      const started = told?.adds === true ? [...rest, null] : rest;
      (told === null || isPerhaps ? this.perhaps : this.commands).push(withoutLead(started));
      // A program may take any of its words for a line.
      if (word !== null && /[\s;&|]/.test(word)) within(leadless(word), told !== null);
    }
  }

  #take({ needs }: LineReading, listed: readonly string[]): void {
    for (const { domain, action, segments } of needs) {
      if (domain !== 'fs') continue;
      const names = segments.filter((segment) => typeof segment === 'string');
      const use = action === 'read' ? 'read' : 'write';
      this.#name(`/${names.join('/')}`, use, names.length < segments.length);
    }
    for (const folder of listed) {
      this.#name(folder, 'read', true);
      this.#name(folder, 'write', true);
    }
  }

  /** `--env-file=.env`, too. */
  #mention(word: string, at: readonly string[]): void {
    const text = leadless(word);
    if (text === '' || /[\s\0]/.test(text) || text.startsWith('-')) return;
    // `HEAD:.env`, too.
    for (const each of new Set([text, text.slice(text.indexOf(':') + 1)]))
      for (const cwd of at) this.#name(absolute(each, cwd), 'mentions', false);
  }

  #name(path: string, use: NamedFile['use'], isDeep: boolean): void {
    const isHome = path === HOME || path.startsWith(`${HOME}/`);
    this.files.push({ path: isHome ? path.slice(1) : path, use, isDeep });
  }
}

/** `!curl y` of an alias, `--exec=curl`, `alias.x=!curl`. */
function leadless(word: string): string {
  return word.replace(/^(?:-{0,2}[\w.-]+=)?!?/, '');
}

function withoutLead([first = null, ...rest]: CommandWords): CommandWords {
  return [first === null ? null : leadless(first), ...rest];
}

/** Does the line run a command like the pattern? Null where it may. */
export function runsCommand(pattern: string, { commands, perhaps, hidesCommands }: ReadLine): boolean | null {
  let isMaybe = hidesCommands !== null;
  for (const words of commands) {
    const judged = isLike(pattern, words);
    if (judged === true) return true;
    if (judged === null) isMaybe = true;
  }
  return isMaybe || perhaps.some((words) => isLike(pattern, words) !== false) ? null : false;
}

function isLike(pattern: string, words: CommandWords): boolean | null {
  const [program = null, ...others] = words;
  if (program === null) return mayMatchText(pattern, piecesOf(words)) ? null : false;
  const base = program.slice(program.lastIndexOf('/') + 1);
  const written = [words, [base, ...others]];
  const text = (each: CommandWords): string => each.map((word) => word ?? UNKNOWN).join(' ');
  if (written.some((each) => matchesText(pattern, text(each)))) return true;
  const mayBe = written.some((each) => each.includes(null) && mayMatchText(pattern, piecesOf(each)));
  // Some systems ignore the case of a program's name.
  const isOtherCase = matchesText(pattern, text([base.toLowerCase(), ...others]));
  return mayBe || isOtherCase || isMeant(pattern, [base, ...others]) ? null : false;
}

function piecesOf(words: CommandWords): (string | null)[] {
  return words.flatMap((word, i) => (i === 0 ? [word] : [' ', word]));
}

/**
 * The words of the pattern are there, with others between them, or its options are written in another way: `git -C . push`
 * for `git push *`, `rm -r -f` for `rm -rf *`.
 */
function isMeant(pattern: string, [program, ...words]: CommandWords): boolean {
  const [named = '', ...wanted] = pattern.split(' ').filter((word) => word !== '*' && word !== '');
  if (wanted.length === 0 || program === null || program === undefined || !matchesText(named, program))
    return false;
  const letters = words.flatMap((word) => (word !== null && /^-\w+$/.test(word) ? [...word.slice(1)] : []));
  const hasLong = words.some((word) => word === null || word.startsWith('--'));
  let at = 0;
  return wanted.every((want) => {
    if (/^-\w+\*?$/.test(want))
      return hasLong || [...want.slice(1)].every((letter) => letter === '*' || letters.includes(letter));
    const place = words.findIndex((word, i) => i >= at && (word === null || matchesText(want, word)));
    at = place + 1;
    return place >= 0;
  });
}
