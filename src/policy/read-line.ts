// A line for a shell, read once more from what is disclosed of the call: every simple command of it, what `sh -c`, `env`,
// `xargs` and their kin start, and the files that commands and redirections name. The machine that it ran on is not here,
// so every folder may hold anything, and no link is followed.
import { FILE_COMMANDS } from './authority/file-commands.ts';
import { absolute } from './authority/files.ts';
import type { CommandWords, LineReading, Reach, ReadCommand } from './authority/found-needs.ts';
import { HARMLESS, isWrapper, ownWords } from './authority/programs.ts';
import { readLine } from './authority/shell-needs.ts';
import { containerWork } from './containers.ts';
import { findingOf } from './finds.ts';
import { asksOnly, knownProgram } from './known-programs.ts';
import {
  asWritten,
  deepened,
  filled,
  isNamed,
  isOwn,
  leadless,
  notKnown,
  notOptions,
  removals,
  withoutLead,
} from './line-words.ts';
import { withoutBrackets } from './meeting-globs.ts';
import { withoutProgramText } from './program-texts.ts';
import { ripgrepLooks } from './ripgrep.ts';
import { startedBy } from './starters.ts';
import { steeredBy } from './steering-variables.ts';
import { type SubCommand, scriptOf, subCommandOf } from './sub-commands.ts';
import { toldBy } from './told-commands.ts';

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
  /** Its wildcards stand for no name that begins with a dot. */
  readonly leavesDots: boolean;
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
const MOST_PARTS = 256;
const REDACTED = '[REDACTED:';
/** `read 'a[$(curl x)]'`: bash runs what stands in a subscript wherever it takes a text for a variable. */
const SUBSCRIPT = /\[[^\]\s]*(?:\$\(|`)/;
/** Programs that search the folder that they are in, if they are given no other. */
const LOOKS_THROUGH = /^(?:ag|ack|rgrep)$/;
/** They write a file that is one of their words. */
const WRITES = /^(?:install|dd|rsync|scp)$/;
/** They read a file that an option names, and are harmless without. */
const MAY_READ = /^(?:date|hostname)$/;
/** Wildcards that find hidden files, too. */
const FINDS_DOTS = /[?*+@!]\(|dotglob|GLOBIGNORE|setopt|shopt|-exec/i;
/** `file:%73ecrets`. */
const ESCAPED_ADDRESS = /^file:.*%[\da-f]{2}/is;
/** Stands for the home, and for the folder that it is in: the reader takes absolute paths alone. */
const HOMES = '/~';
const HOME = `${HOMES}/~`;

const WHOLE = { only: null, isShown: false, leavesDots: false } as const;

export function readWholeLine(line: string, { cwd }: LinePlace): ReadLine {
  const found = new Found(!FINDS_DOTS.test(line));
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
  readonly #leavesDots: boolean;
  /** Files that a program may run. */
  readonly #mayRun = new Set<string>();
  readonly #modes: string[] = [];
  /** Files that a program may write under a name that is among its words. */
  readonly #mayWrite: string[] = [];
  #words = 0;

  constructor(leavesDots: boolean) {
    this.#leavesDots = leavesDots;
  }

  get runsWhatItWrites(): boolean {
    const written = this.files.filter(({ use }) => use === 'write').map(({ path }) => path);
    // Another mode is no other content.
    for (const path of this.#modes) if (written.includes(path)) written.splice(written.indexOf(path), 1);
    // `cp a k` writes k, or k/a where k is a folder.
    return [...this.#mayRun].some((path) =>
      [...written, ...this.#mayWrite].some((each) => each === path || each.startsWith(`${path}/`)),
    );
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
      readsChoices: true,
      view: {
        real: (path) => path,
        isFolder: () => true,
        names: (_, wildcards) => [deepened(wildcards.text, line)],
      },
    });
    if (!isPerhaps) {
      const steered = steeredBy(line);
      if (reading.hidesCommands !== null) this.hide(reading.hidesCommands);
      if (reading.hidesFiles !== null) this.hideFiles(reading.hidesFiles);
      if (steered !== null) this.hide(steered);
      this.#take(reading);
    }
    for (const { wild, ...command } of reading.commands)
      this.command({ ...command, wild: wild.map((word) => deepened(word, line)) }, depth, isPerhaps);
  }

  command(read: ReadCommand, depth: number, isPerhaps: boolean): void {
    const { words, wild, at } = read;
    this.#words += words.length * words.length;
    if (this.#words > MOST_WORDS * MOST_WORDS || depth > MOST_DEEP) {
      this.hide(depth > MOST_DEEP ? 'it has texts within texts' : 'it has too many words');
      return;
    }
    const [program, ...others] = words;
    const name = program?.slice(program.lastIndexOf('/') + 1) ?? '';
    const into = isPerhaps ? this.perhaps : this.commands;
    const does = subCommandOf(words);
    into.push({ words: notOptions(words, wild), meant: does === null ? 'anywhere' : 'never' });
    if (name === 'rm')
      into.push(...removals(others).map((each) => ({ words: each, meant: 'anywhere' as const })));
    if (name === 'chmod')
      this.#modes.push(...others.slice(1).flatMap((word) => at.map((cwd) => absolute(word ?? '', cwd))));
    if (MAY_READ.test(name)) this.#mentionAll(others, wild, at);
    if (name === 'jobs' && others[0] === '-x')
      this.#again({ words: others.slice(1), wild, at }, depth, isPerhaps);
    if (HARMLESS.has(name) || FILE_COMMANDS.has(name) || name === 'cd') return;
    // What it starts is a command of the line by itself.
    if (isWrapper(name) && ownWords(name, others) !== null) return;
    if (LOOKS_THROUGH.test(name)) this.hideFiles(`${name} looks through everything`);
    if (program?.includes('/') === true) this.#mention(program, at, 'itself', true);
    if (does !== null) {
      into.push({ words: does.words, meant: 'behind' });
      this.#subCommand(does, wild, at);
    } else if (name === 'rg') this.#search(notOptions(words, wild).slice(1), at);
    else if (name === 'find') this.#find(filled(others, wild), at, depth, isPerhaps);
    else this.#acts(name, read, depth, isPerhaps);
  }

  #subCommand(does: SubCommand, wild: readonly string[], at: readonly string[]): void {
    const from = does.goesTo === null ? at : at.map((cwd) => absolute(does.goesTo ?? '', cwd));
    if (does.hides !== null) this.hide(does.hides);
    if (does.hidesFiles !== null) this.hideFiles(does.hidesFiles);
    const reach = does.takesAll ? 'below' : 'itself';
    for (const folders of new Set([at, from])) this.#mentionAll(does.named, wild, folders, reach);
    if (does.copies !== null)
      for (const cwd of from)
        this.#name(absolute(does.copies, cwd), { ...WHOLE, use: 'read', reach: 'linked' });
    for (const { folder, only } of does.looks)
      for (const cwd of from)
        this.#name(absolute(folder, cwd), {
          ...WHOLE,
          use: 'read',
          reach: 'below',
          only: only === null ? null : [only],
        });
  }

  /** It tells names; those of the files that it begins at are its first words. What it finds may go to a command. */
  #find(words: CommandWords, at: readonly string[], depth: number, isPerhaps: boolean): void {
    const { starts, named, deletes, writes, commands, hides } = findingOf(words);
    if (hides !== null) this.hide(hides);
    this.#mentionAll(starts, [], at);
    for (const cwd of at) {
      const places = starts.map((start) => absolute(start, cwd).replace(/\/$/, ''));
      for (const path of writes) this.#name(absolute(path, cwd), { ...WHOLE, use: 'write', reach: 'itself' });
      if (deletes)
        for (const place of places)
          this.#name(place || '/', {
            ...WHOLE,
            use: 'write',
            reach: 'below',
            only: named === '**' ? null : [named],
          });
      for (const { words: command, isInPlace } of commands)
        for (const place of places) {
          const found = named === '**' ? `${place}/**` : `${place}/**/${named}`;
          const started = command.map((word) => word?.replaceAll('{}', found) ?? null);
          if (isInPlace && started.some((word) => word?.includes('..')))
            this.hideFiles('find -execdir starts a command in a folder that is not known');
          const from = isInPlace ? `${place}/**` : cwd;
          this.#again({ words: started, wild: [], at: [from] }, depth, isPerhaps);
        }
    }
  }

  /** What it does by itself, starts, or is told to run. */
  #acts(name: string, read: ReadCommand, depth: number, isPerhaps: boolean): void {
    const { words, wild, at } = read;
    const [program = null, ...others] = words;
    const operands = withoutProgramText(name, others);
    if (asksOnly(program ?? '', others)) return;
    const container = containerWork(name, others);
    const started = container === null ? startedBy(name, others) : container.started;
    if (container?.hides != null) this.hide(container.hides);
    this.#mentionAll(container?.taken ?? [], [], at, 'below');
    if (started !== null) {
      if (started.hides !== null) this.hide(started.hides);
      this.#mentionAll(others.slice(0, started.own), [], at);
      if (started.isText) this.#within(started.words.join(' '), at, depth, isPerhaps);
      else if (started.words.length > 0) this.#again({ words: started.words, wild, at }, depth, isPerhaps);
      return;
    }
    if (container !== null) {
      this.#mentionAll(others, wild, at);
      return;
    }
    const told = toldBy(notOptions(words, wild));
    const script = scriptOf(words);
    if (told === null && script !== null) {
      this.#mentionAll(others, wild, at, 'itself', true);
      if (script.hidesFiles !== null) this.hideFiles(script.hidesFiles);
      if (isNamed(script.words)) this.#again({ words: script.words, wild, at }, depth, isPerhaps);
      else this.#anyOf(script.words, at, depth, isPerhaps);
      return;
    }
    if (told !== null) {
      this.#mentionAll(operands, wild, at, 'itself', true);
      if (told.hides !== null) this.hide(told.hides);
      if (told.hidesFiles !== null) this.hideFiles(told.hidesFiles);
      if (told.command !== null) this.#again({ words: told.command, wild, at }, depth, isPerhaps);
      for (const line of told.lines) this.#within(line, at, depth, isPerhaps);
      if (told.starts) this.#anyOf(others, at, depth, isPerhaps);
      return;
    }
    const isWhole = others.filter((word) => word === null).length <= wild.length;
    const known = knownProgram(name, others, isWhole);
    // `tar czf x.tgz src`: the letters are options.
    const named =
      /^(?:bsd|g)?tar$/.test(name) && /^[a-zA-Z]+$/.test(others[0] ?? '') ? others.slice(1) : operands;
    const reach = known?.takesAll === true ? 'below' : 'itself';
    if (WRITES.test(name))
      for (const word of others)
        for (const cwd of at) this.#mayWrite.push(absolute(word?.replace(/^of=/, '') ?? '', cwd));
    if (known?.namesNoFiles !== true) this.#mentionAll(named, wild, at, reach, known?.isCalm !== true);
    if (known?.isCalm !== true) this.#anyOf(notOptions(words, wild).slice(1), at, depth, true);
    if (isPerhaps) return;
    if (known?.hides != null) this.hide(known.hides);
    if (known === null && !isOwn(program ?? '', at)) this.hide(notKnown(name, others));
  }

  /** Any of the words may be where a command begins, and any may be a line. */
  #anyOf(words: CommandWords, at: readonly string[], depth: number, isPerhaps: boolean): void {
    for (const [i, word] of words.entries()) {
      const command = withoutLead(words.slice(i));
      (isPerhaps ? this.perhaps : this.commands).push({ words: command, meant: 'anywhere' });
      if (word !== null && /[\s;&|]/.test(word)) this.#within(leadless(word), at, depth, isPerhaps);
    }
  }

  #within(line: string, at: readonly string[], depth: number, isPerhaps: boolean): void {
    for (const cwd of at) this.line(line, cwd, depth + 1, isPerhaps);
  }

  /** The words are a command of their own. */
  #again({ words, wild, at }: ReadCommand, depth: number, isPerhaps: boolean): void {
    this.#within(filled(words, wild).map(asWritten).join(' '), at, depth, isPerhaps);
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
          ...WHOLE,
          use: 'read',
          reach: 'below',
          only: looks.only,
          isShown: !looks.isHidden,
          leavesDots: this.#leavesDots,
        });
  }

  #take({ files }: LineReading): void {
    for (const { path, use, reach, only } of files)
      this.#name(path, {
        use: use === 'remove' ? 'write' : use,
        reach,
        only: only?.map(withoutBrackets) ?? null,
        isShown: false,
        leavesDots: this.#leavesDots,
      });
  }

  #mentionAll(
    words: CommandWords,
    wild: readonly string[],
    at: readonly string[],
    reach: Reach = 'itself',
    mayRun = false,
  ): void {
    if (words.filter((word) => word === null).length > wild.length)
      this.hideFiles('a word of it is known only at run time');
    for (const word of words) this.#mention(word, at, reach, mayRun);
    for (const word of wild) this.#mention(word, at, reach, mayRun, this.#leavesDots);
  }

  /** `--env-file=.env`, `-f.env`, `@.env`, `.env#label`, `HEAD:.env` and `file://.env`, too. */
  #mention(
    word: string | null,
    at: readonly string[],
    reach: Reach,
    mayRun: boolean,
    leavesDots = false,
  ): void {
    if (word === null) return;
    const text = leadless(word).replace(/^@/, '');
    if (text === '' || text.includes('\0')) return;
    if (ESCAPED_ADDRESS.test(text)) this.hideFiles('an address in it has escaped signs');
    const joined = /^-[a-zA-Z]+([./~].*)$/s.exec(text)?.[1];
    if (text.startsWith('-') && joined === undefined) return;
    const parts = joined === undefined ? text.replace(/:\/\//g, ':').split(/[:,=#]@?|@/) : [];
    if (parts.length > MOST_PARTS) this.hideFiles('a word of it has too many parts');
    for (const each of new Set([joined ?? text, ...parts.filter((part) => part !== '').slice(0, MOST_PARTS)]))
      for (const cwd of at) {
        const path = absolute(each.replace(/^~(?=\/|$)/, HOME), cwd);
        if (mayRun) this.#mayRun.add(path);
        this.#name(path, { ...WHOLE, use: 'mentions', reach, leavesDots });
      }
  }

  #name(path: string, how: Omit<NamedFile, 'path'>): void {
    const isAt = (folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
    const fromHome = isAt(HOME) ? `~${path.slice(HOME.length)}` : `~/..${path.slice(HOMES.length)}`;
    this.files.push({ path: isAt(HOMES) ? fromHome : path, ...how });
  }
}
