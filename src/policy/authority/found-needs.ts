// What was found of a call so far, and where it happens: the parts of a reader share it.
import type { FileView } from './files.ts';
import { ALL_BELOW, type Need } from './need.ts';

export interface ShellPlace {
  readonly cwd: string;
  /** Null where it is not sure which one the shell takes. */
  readonly home: string | null;
  readonly view: FileView;
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
  readonly at: readonly string[];
}

/** What a line says, to whoever holds rules against it. */
export interface LineReading extends CallNeeds {
  /** Every simple command in the line, wherever it stands, and what wrappers start. */
  readonly commands: readonly ReadCommand[];
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
const ANY_PROGRAM: Need = { domain: 'process', action: 'exec', segments: [ALL_BELOW] };

export class FoundNeeds {
  readonly place: ShellPlace;
  readonly #needs: Need[] = [];
  readonly #ambient = new Set<string>();
  readonly #commands = new Map<string, ReadCommand>();
  readonly #doubts = new Map<Doubt, string>();
  #unread: string | null = null;

  constructor(place: ShellPlace) {
    this.place = place;
  }

  get isLost(): boolean {
    return this.#unread !== null;
  }

  /** The call can't be read: it needs leave to run anything. The first reason is told. */
  lose(why: string, doubt: Doubt = 'commands'): void {
    this.#unread ??= why;
    if (!this.#doubts.has(doubt)) this.#doubts.set(doubt, why);
  }

  command(words: CommandWords, at: Iterable<string>): void {
    const command = { words, at: [...at] };
    if (this.#commands.size < MOST_NEEDS) this.#commands.set(JSON.stringify(command), command);
    else this.lose('it has too many commands');
  }

  need(need: Need): void {
    if (this.#needs.length < MOST_NEEDS) this.#needs.push(need);
    else this.lose('it needs too much to be listed');
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
      hidesCommands: because('commands'),
      hidesFiles: because('commands', 'files'),
    };
  }
}
