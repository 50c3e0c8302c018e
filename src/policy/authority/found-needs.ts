// What was found of a call so far, and where it happens: the parts of a reader share it.
import type { Word } from 'unbash';
import type { FileUse } from './file-commands.ts';
import { type FileView, isOfSystem } from './files.ts';
import { LineEffects } from './line-effects.ts';
import { type LineShape, NO_SHAPE } from './line-shape.ts';
import { ALL_BELOW, type Need } from './need.ts';
import { globText, mayFind, type StaticWord, staticWord, textOf, turnsInGlob } from './static-words.ts';
import { Steps } from './steps.ts';

export interface ShellPlace {
  readonly cwd: string;
  /** Null where it is not sure which one the shell takes. */
  readonly home: string | null;
  readonly view: FileView;
  /** `{a,b}` is read as its choices. What is asked before a line runs leaves it unread. */
  readonly readsChoices?: boolean;
}

export interface CallNeeds {
  readonly needs: readonly Need[];
  /** Why the call needs leave to run anything; null where it does not. */
  readonly unread: string | null;
  /** Programs that act on their own: what they touch is not known. */
  readonly ambient: readonly string[];
}

/** The words of a simple command, its program first. Null for one that follows only when it runs. */
export type CommandWords = readonly (string | null)[];

/** A simple command, and the folders that the shell may be in then. */
export interface ReadCommand {
  readonly words: CommandWords;
  /** Those with wildcards, with `*` for each. They are null among the words. */
  readonly wild: readonly string[];
  readonly at: readonly string[];
}

/**
 * How much of a folder is meant: the name itself, what is right in it, or all below it; or it has another name from then on,
 * because it is moved, or linked to.
 */
export type Reach = 'itself' | 'inside' | 'below' | 'moved' | 'linked';

/** A file that a well-known command or a redirection names: absolute; a view may leave `*` in it. */
export interface TouchedFile {
  readonly path: string;
  readonly use: FileUse;
  readonly reach: Reach;
  /** Of what is below it, files of these names alone; null for all. */
  readonly only: readonly string[] | null;
}

/** What a line says, to whoever holds rules against it. */
export interface LineReading extends CallNeeds {
  /** Every simple command in the line, wherever it stands, and what wrappers start. */
  readonly commands: readonly ReadCommand[];
  readonly files: readonly TouchedFile[];
  /** Why the line may run commands that are not among these; null where it may not. */
  readonly hidesCommands: string | null;
  /** Why commands that are read may touch files that are not among its needs; null where they may not. */
  readonly hidesFiles: string | null;
}

/**
 * What is not known: which commands run; which files are touched; what a program does that runs what it is told, which its
 * words may say; the value of a variable, which hides no command by itself.
 */
export type Doubt = 'commands' | 'files' | 'told' | 'variable';

const MOST_NEEDS = 4096;
const MOST_ROUNDS = 128;
export const ANY_PROGRAM: Need = { domain: 'process', action: 'exec', segments: [ALL_BELOW] };

const SYSTEM_PATH = 'it has a path in /proc or /dev, which may lead anywhere';

/** The same files; each path that is asked for is told, and where it leads. */
function watched(view: FileView, asks: (path: string) => void): FileView {
  return {
    real: (path) => {
      const real = view.real(path);
      asks(path);
      asks(real);
      return real;
    },
    isFolder: (path) => {
      asks(path);
      return view.isFolder(path);
    },
    names: (folder, wildcards) => {
      asks(folder);
      return view.names(folder, wildcards);
    },
  };
}

export class FoundNeeds {
  readonly place: ShellPlace;
  /** The whole line, as it stands and without the breaks in it; empty where it can't be read. */
  line = '';
  shape: LineShape = NO_SHAPE;
  /** What the variables of loops stand for, where that is known. */
  readonly loops = new Map<string, StaticWord | null>();
  /** What the line changes on its way, and where it goes. */
  readonly effects = new LineEffects();
  readonly steps = new Steps();
  /** Whatever else the line has, nobody need read it: that would take longer than a host waits for its hook. */
  isFull = false;
  #rounds = 0;
  readonly #needs: Need[] = [];
  readonly #files: TouchedFile[] = [];
  readonly #ambient = new Set<string>();
  readonly #commands = new Map<string, ReadCommand>();
  readonly #doubts = new Map<Doubt, string>();
  #unread: string | null = null;
  /** Commands and files are kept for whoever holds rules against the line, and for nobody else. */
  readonly #keeps: boolean;

  constructor(place: ShellPlace, keeps = false) {
    const asks = (path: string): void => {
      if (isOfSystem(path)) this.lose(SYSTEM_PATH, 'files');
    };
    this.place = { ...place, view: watched(this.steps.counted(place.view), asks) };
    this.#keeps = keeps;
  }

  get isLost(): boolean {
    return this.#unread !== null;
  }

  word(word: Word): StaticWord | null {
    this.steps.read(word.text);
    // What `cat` prints is known only as long as it is the one that everybody has.
    if (this.shape.hasFunction && /\$\(|`/.test(word.text)) return null;
    // It goes through folders in some shells.
    const isDeep = /\*\*/.test(word.text) && (word.parts ?? []).some(({ type }) => type === 'Glob');
    if (isDeep && this.place.readsChoices !== true) return null;
    const read = staticWord(word, this.place.home, this.loops);
    if (read !== null && 'glob' in read && turnsInGlob(read))
      this.lose('it has a wildcard in a path with . or .. behind a name (write the path without)', 'files');
    return read;
  }

  /** Whether a word whose value isn't known may become the names of files, by wildcards in it. */
  mayFind(words: readonly Word[]): boolean {
    return words.some(
      (word) =>
        this.word(word) === null && (word.parts ?? []).some((part) => mayFind(part, this.loops, this.shape)),
    );
  }

  /** Loops within loops are gone through word by word, up to a bound. */
  mayLoop(): boolean {
    return ++this.#rounds <= MOST_ROUNDS;
  }

  /** The call can't be read: it needs leave to run anything. The first reason is told. */
  lose(why: string, doubt: Doubt = 'commands'): void {
    this.#unread ??= why;
    if (!this.#doubts.has(doubt)) this.#doubts.set(doubt, why);
  }

  command(words: readonly (StaticWord | null)[], at: Iterable<string>): void {
    if (!this.#keeps) return;
    const wild = words.flatMap((word) => (word !== null && 'glob' in word ? [globText(word)] : []));
    const command = { words: words.map(textOf), wild, at: [...at] };
    if (this.#commands.size < MOST_NEEDS) this.#commands.set(JSON.stringify(command), command);
    else this.lose('it has too many commands');
  }

  need(need: Need): void {
    if (this.#needs.length < MOST_NEEDS) this.#needs.push(need);
    else {
      this.lose('it needs too much to be listed');
      this.isFull = true;
    }
  }

  file(file: TouchedFile): void {
    if (!this.#keeps) return;
    if (this.#files.length < MOST_NEEDS) this.#files.push(file);
    else this.lose('it names too many files', 'files');
  }

  /** Once all of the line was read. */
  end(): void {
    const why = this.effects.whyUnknown(this.place, this.#ambient.size > 0, this.shape.repeats);
    if (why !== null) this.lose(why, 'files');
    for (const need of this.effects.landings()) this.need(need);
  }

  actsAlone(program: string): void {
    this.#ambient.add(program);
  }

  all(): CallNeeds {
    return {
      needs: this.isLost ? [...this.#needs, ANY_PROGRAM] : this.#needs,
      unread: this.#unread,
      ambient: [...this.#ambient],
    };
  }

  reading(): LineReading {
    const because = (...doubts: Doubt[]): string | null =>
      doubts.map((doubt) => this.#doubts.get(doubt)).find((why) => why !== undefined) ?? null;
    return {
      ...this.all(),
      commands: [...this.#commands.values()],
      files: this.#files,
      hidesCommands: because('commands'),
      hidesFiles: because('commands', 'files'),
    };
  }
}
