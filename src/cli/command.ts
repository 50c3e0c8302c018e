// What a command is: data that says how it is called, and a function from its arguments to a value. Commands print
// nothing and end nothing; rim.ts does.
import type { StoreCode } from '../core/index.ts';
import type { PackCode } from '../format/index.ts';
import type { Paint } from '../report/index.ts';

export const EXIT = {
  FINE: 0,
  FAILED: 1,
  USAGE: 2,
  NOT_FOUND: 3,
  BROKEN: 4,
  VIOLATION: 5,
  BELOW_REQUIRED: 6,
  /** What a shell reports for a program that Ctrl-C ended. */
  INTERRUPTED: 130,
} as const;

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** May be given more than once. */
  readonly multiple?: boolean;
  /** What stands for the value in the help. */
  readonly value?: string;
  readonly help: string;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Behind `foil NAME`. */
  readonly usage: string;
  /** Least and most arguments that are no options. */
  readonly arguments: readonly [least: number, most: number];
  readonly options: Readonly<Record<string, Option>>;
  readonly examples: readonly string[];
  /** What else the help must say, in lines. */
  readonly notes?: readonly string[];
  /** Its exit codes are answers: whatever keeps it from one, wrong usage included, is FAILED. */
  readonly answers?: boolean;
  run(context: Context): Promise<Outcome>;
}

/** Every command has these. */
export const COMMON = {
  ledger: {
    type: 'string',
    value: 'DIR',
    help: 'use this ledger, instead of the one that belongs to this directory',
  },
  json: { type: 'boolean', help: 'print JSON' },
  help: { type: 'boolean', short: 'h', help: 'print this help' },
} as const satisfies Record<string, Option>;

export type Bytes = string | Uint8Array;

/** What a command has to say. With --json, `json` is printed if there is one, else `text`. */
export interface Outcome {
  /** 0 unless given. A function is asked once the text is out. */
  readonly exit?: number | (() => number);
  readonly json?: unknown;
  readonly text?: Bytes | Iterable<Bytes> | AsyncIterable<Bytes>;
  /** The text may be long: a terminal shows it in a pager. Not with --json. */
  readonly paged?: boolean;
  /** For people, on standard error, where standard output belongs to somebody else. Not with --json. */
  readonly aside?: string;
}

/** What the outside gives a command. Getters are lazy: what is not asked for costs no start-up time. */
export interface Context {
  readonly arguments: readonly string[];
  readonly values: Values;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  now(): number;
  readonly paint: Paint;
  /** Columns of the terminal; undefined where standard output is none. */
  readonly columns: number | undefined;
  stdin(): AsyncIterable<Uint8Array>;
  /** A line that is replaced by the next, on a terminal's standard error; nothing elsewhere. */
  progress(line: string): void;
  /** A line on standard error: what a person should know besides the outcome. */
  warn(line: string): void;
  /** Until it is undone, the first Ctrl-C calls `listener` and the process goes on. */
  onInterrupt(listener: () => void): () => void;
}

/** The options as given. */
export class Values {
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(values: ReadonlyMap<string, readonly string[]>) {
    this.#values = values;
  }

  flag(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }
}

/** A failure with a word for scripts. */
export type ErrorCode = 'USAGE' | 'UNPARSABLE' | 'INTERNAL' | StoreCode | PackCode;
