// A tool as data: what its options mean for what it checks. One reader serves all; what a tool does that does not fit
// in here has a function in its table. Options are taken by name. Of an option nobody knows, the next word is its value
// unless it looks like a file: a number or a name must not pass for a target.
import type { CheckKind } from '../format/index.ts';

export const MAX_WORDS = 32;

/** What a table says of a command's words. Paths are as they were written. */
export interface Found {
  readonly kind: CheckKind;
  readonly runner: string;
  readonly targets: readonly string[];
  /** Targets that are names of packages, not paths. */
  readonly packages: readonly string[];
  readonly selectors: readonly string[];
  /** A directory option: where it ran instead. */
  readonly directory: string | null;
  /** The word that makes it a dry run. */
  readonly dry: string | null;
  readonly url: string | null;
  /** A word that makes it change files, such as `--fix`. */
  readonly rewrites: boolean;
}

/** Lists of options are written with blanks between them. */
export interface Tool {
  readonly kind: CheckKind;
  readonly runner: string;
  /** Options that take a word that says nothing here. */
  readonly values?: string;
  /** Options that take no word. Only needed for those that stand before a bare word. */
  readonly flags?: string;
  /** Options whose word narrows by name, leaves out by name, narrows by path, by package, or changes the directory. */
  readonly selectors?: string;
  readonly excludes?: string;
  readonly targets?: string;
  readonly packages?: string;
  readonly directory?: string;
  /** Options that narrow without a word of their own. */
  readonly narrowing?: string;
  readonly dry?: string;
  readonly rewrites?: string;
  /** What bare words are. Targets unless it is said. */
  readonly bare?: 'targets' | 'selectors' | 'packages' | 'nothing';
  /** By the first bare word; null: no check. `*`: any other. Without a bare word the tool itself is meant. */
  readonly subs?: Readonly<Record<string, Tool | Reader | null>>;
}

/** What is known of a tool's options alone. */
type Words = Omit<Tool, 'kind' | 'runner'>;

export type Reader = (args: readonly string[], name: string) => Found | null;
export type Table = Readonly<Record<string, Tool | Reader>>;

const ALWAYS_DRY = '--help --version --dry-run';

const has = (list: string | undefined, word: string): boolean =>
  list !== undefined && ` ${list} `.includes(` ${word} `);

export function found(kind: CheckKind, runner: string, more: Partial<Found> = {}): Found {
  const nothing = { targets: [], packages: [], selectors: [], directory: null, dry: null, url: null };
  return { kind, runner, rewrites: false, ...nothing, ...more };
}

export function readTool(tool: Tool | Reader, args: readonly string[], name: string): Found | null {
  if (typeof tool === 'function') return tool(args, name);
  if (tool.subs !== undefined) {
    const at = firstBare(tool, args);
    const word = args[at];
    const sub = word === undefined ? undefined : own(tool.subs, word);
    if (sub === null) return null;
    if (sub !== undefined) {
      const before = readTool({ ...tool, subs: {}, bare: 'nothing' }, args.slice(0, at), name);
      const inner = readTool(sub, args.slice(at + 1), name);
      return inner && before
        ? { ...inner, directory: inner.directory ?? before.directory, dry: inner.dry ?? before.dry }
        : inner;
    }
    if (word !== undefined && '*' in tool.subs) {
      const rest = tool.subs['*'];
      return rest ? readTool(rest, args, name) : null;
    }
  }
  return readOptions(tool, args);
}

export function own<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** The place of the first word that is no option and no option's. */
export function firstBare(tool: Words, args: readonly string[]): number {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-') || arg === '-') {
      // `cargo +nightly test`
      if (!arg.startsWith('+')) return at;
    } else if (takesWord(tool, arg)) at++;
  }
  return args.length;
}

function takesWord(tool: Words, option: string): boolean {
  const { values, selectors, excludes, targets, packages, directory } = tool;
  return [values, selectors, excludes, targets, packages, directory].some((list) => has(list, option));
}

export function readOptions(tool: Tool, args: readonly string[]): Found {
  const [targets, packages, selectors]: [string[], string[], string[]] = [[], [], []];
  let directory: string | null = null;
  let dry: string | null = null;
  let rewrites = false;
  let open = true;
  const bare = (word: string): void => {
    if (tool.bare === 'selectors') selectors.push(word);
    else if (tool.bare === 'packages') packages.push(word);
    else if (tool.bare !== 'nothing') targets.push(word);
  };
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!open || !arg.startsWith('-') || arg === '-') {
      if (arg !== '') bare(arg);
      continue;
    }
    if (arg === '--') {
      open = false;
      continue;
    }
    const { option, value } = split(tool, arg);
    if (has(tool.dry, option) || has(tool.dry, arg) || has(ALWAYS_DRY, option)) {
      if (value !== 'false' && value !== 'none') dry ??= arg;
    }
    if (has(tool.rewrites, option)) rewrites = true;
    if (has(tool.narrowing, option)) selectors.push(arg);
    if (takesWord(tool, option)) {
      const word = value ?? args[++at] ?? '';
      if (has(tool.selectors, option)) selectors.push(chosen(word));
      else if (has(tool.excludes, option)) selectors.push(`!${word}`);
      else if (has(tool.targets, option)) targets.push(word);
      else if (has(tool.packages, option)) packages.push(word);
      else if (has(tool.directory, option)) directory = word;
    } else if (value === null && isOpenEnded(tool, option) && isValue(args[at + 1])) at++;
  }
  return found(tool.kind, tool.runner, {
    targets: targets.slice(0, MAX_WORDS),
    packages: packages.slice(0, MAX_WORDS),
    selectors: selectors.filter((word) => word !== '').slice(0, MAX_WORDS),
    directory,
    dry,
    rewrites,
  });
}

/** `--option=value`, and `-kvalue` of a known short option. */
function split(tool: Tool, arg: string): { option: string; value: string | null } {
  const equals = arg.indexOf('=');
  if (equals > 0) return { option: arg.slice(0, equals), value: arg.slice(equals + 1) };
  const short = arg.slice(0, 2);
  const attached = arg.length > 2 && arg[1] !== '-' && !takesWord(tool, arg) && !has(tool.flags, arg);
  return attached && takesWord(tool, short)
    ? { option: short, value: arg.slice(2) }
    : { option: arg, value: null };
}

/** An unknown long option may take a word; a short one and a `--no-…` hardly do. */
function isOpenEnded(tool: Tool, option: string): boolean {
  if (!option.startsWith('--') || option.startsWith('--no-')) return false;
  return ![tool.flags, tool.dry, tool.rewrites, tool.narrowing, ALWAYS_DRY].some((list) => has(list, option));
}

function isValue(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith('-') && !/[/\\]|\.[A-Za-z]{1,5}$|::/.test(word);
}

/** `-k "not slow"` leaves out. */
function chosen(word: string): string {
  const out = /^\s*not\s+([\w.:-]+)\s*$/.exec(word)?.[1];
  return out === undefined ? word : `!${out}`;
}

/** The words before this one, all where it is not there. */
export function until(args: readonly string[], word: string): readonly string[] {
  const at = args.indexOf(word);
  return at < 0 ? args : args.slice(0, at);
}

/** The same for several programs, each by its own name. */
export function each<T>(names: string, make: (name: string) => T): Record<string, T> {
  return Object.fromEntries(names.split(' ').map((name) => [name, make(name)]));
}

/** A tool with one kind of check: most linters, type checkers and small runners. */
const tool =
  (kind: CheckKind) =>
  (runner: string, values = '', more: Partial<Tool> = {}): Tool => ({ kind, runner, values, ...more });
export const [lint, types, plainTest, build] = [tool('lint'), tool('types'), tool('test'), tool('build')];

/** What it is given says nothing of what it covers. */
export const whole = (kind: CheckKind, runner: string, more: Partial<Tool> = {}): Tool => ({
  kind,
  runner,
  bare: 'nothing',
  ...more,
});

/** A program that is one only with these words behind it. */
export const withVerbs = (
  kind: CheckKind,
  runner: string,
  subs: Tool['subs'],
  more: Partial<Tool> = {},
): Tool => ({ kind, runner, ...more, subs: { ...subs, '*': null } });

/** A formatter that puts files in order with one of these words, or without any of those. */
export const formatter =
  (runner: string, words: { readonly writes: string } | { readonly checks: string }, values = ''): Reader =>
  (args) => {
    const list = 'writes' in words ? words.writes : words.checks;
    const given = args.some((arg) => has(list, arg));
    const read = readOptions({ kind: 'format', runner, values, flags: list, dry: '-h' }, args);
    // To only look is what it is asked for.
    const dry = read.dry === '--dry-run' ? null : read.dry;
    return { ...read, dry, rewrites: 'writes' in words === given };
  };

/** `spec/a_spec.rb:12` is a file and a place. */
export function withLines(read: Found): Found {
  const lines: string[] = [];
  const targets = read.targets.map((path) => {
    const match = /^(.*\.\w+):([\d:]+)$/.exec(path);
    if (match?.[2] !== undefined) lines.push(match[2]);
    return match?.[1] ?? path;
  });
  return { ...read, targets: [...new Set(targets)], selectors: [...read.selectors, ...lines] };
}
