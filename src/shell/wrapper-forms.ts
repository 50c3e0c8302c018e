// The few forms in which one program is told to run another: behind its options, behind a word of its own, behind `--`,
// as a text for a shell. The table of the wrappers is made of these.
import { firstBare } from '../ecosystems/index.ts';

export interface Unwrapped {
  readonly argv: readonly string[];
  /** `NAME=value`, as env and cross-env set them. */
  readonly assignments: readonly string[];
  /** Where it runs instead: a path; null where that is not known. Undefined: where the line is. */
  readonly directory: string | null | undefined;
  /** A text that a shell is given to run, and the options that shell is started with. */
  readonly script: string | null;
  readonly options: string;
  /** The words behind that text: `$0`, `$1` and so on. */
  readonly given?: readonly string[];
  /** It runs on another machine, or not at all. */
  readonly elsewhere: boolean;
  /** The wrapper's exit code is its own: the words that say so. */
  readonly masked: string | null;
  /** It was only started. */
  readonly detached: boolean;
  /** `exec`: nothing of the line comes after it. */
  readonly ends: boolean;
  /** It looks a program up itself, so that functions and aliases of the line do not shadow it. */
  readonly past: boolean;
  /** `source`: the file. */
  readonly sourced: string | null;
}

export type Step = Partial<Omit<Unwrapped, 'argv'>> & { readonly argv: readonly string[] };
export type Wrapper = (args: readonly string[], name: string) => Step | null;

/** The words behind options, and behind as many bare words as are the wrapper's own. */
export const behind =
  (values = '', own = 0): Wrapper =>
  (args) => {
    const rest = args.slice(firstBare({ values }, args));
    return { argv: rest.slice(own) };
  };

/** A subcommand that runs: `poetry run …`; anything else is the tool itself. */
export const verb =
  (words: string, values = '', directory = ''): Wrapper =>
  (args) => {
    const at = firstBare({ values, directory }, args);
    if (!` ${words} `.includes(` ${args[at] ?? ''} `)) return null;
    const rest = args.slice(at + 1);
    const start = firstBare({ values, directory }, rest);
    const options = [...args.slice(0, at), ...rest.slice(0, start)];
    const place = ` ${directory} `;
    const found = options.findIndex(
      (option) => place.includes(` ${option.split('=')[0]} `) && directory !== '',
    );
    const inside =
      found < 0
        ? undefined
        : options[found]?.includes('=')
          ? options[found]?.split('=')[1]
          : options[found + 1];
    return { argv: rest.slice(start), ...(inside === undefined ? {} : { directory: inside }) };
  };

/** `pixi run test`: a script of the project by its name, and not a program. */
export const program =
  (inner: Wrapper): Wrapper =>
  (args, name) => {
    const step = inner(args, name);
    return step !== null && SCRIPT.test(step.argv[0] ?? '') ? null : step;
  };
const SCRIPT =
  /^(?:tests?|spec|lint|check|build|fmt|format|typecheck|types|verify|ci|e2e|cov)(?:[:_-][\w:-]+)?$/;

/** Only with one of these programs: `fvm flutter test`. */
export const only =
  (programs: string): Wrapper =>
  (args) =>
    ` ${programs} `.includes(` ${args[0] ?? ''} `) ? { argv: args } : null;

/** A text behind one of these options, which a shell runs. */
export const text =
  (options: string): Wrapper =>
  (args) => {
    const at = args.findIndex((arg) => ` ${options} `.includes(` ${arg} `));
    return at < 0 ? null : { argv: [], script: args[at + 1] ?? '' };
  };

/** A subcommand that runs what stands behind `--`, and nothing else. */
export const inside =
  (word: string): Wrapper =>
  (args) =>
    args[0] === word && args.includes('--') ? { argv: args.slice(args.indexOf('--') + 1) } : null;

/** Everything after `--`. */
export const dashes =
  (otherwise: Wrapper): Wrapper =>
  (args, name) => {
    const at = args.indexOf('--');
    return at < 0 ? otherwise(args, name) : { argv: args.slice(at + 1) };
  };

export const env: Wrapper = (args) => {
  const assignments: string[] = [];
  let directory: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (/^\w+=/.test(arg)) assignments.push(arg);
    else if (arg === '-u' || arg === '--unset') at++;
    else if (arg === '-C' || arg === '--chdir') directory = args[++at] ?? '';
    else if (arg === '-S' || arg === '--split-string')
      return { argv: [], script: args.slice(at + 1).join(' '), assignments };
    else if (!arg.startsWith('-') || arg === '-') {
      return { argv: args.slice(at), assignments, ...(directory === undefined ? {} : { directory }) };
    }
  }
  return { argv: [], assignments };
};

/** `bash -lc 'text' args`, `sh -e file`. */
export const shell: Wrapper = (args) => {
  let options = '';
  /** A file that is read first, as BASH_ENV names one. */
  const assignments: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (/^[-+]o$/.test(arg) || arg === '-O' || arg === '--rcfile' || arg === '--init-file') {
      if (arg === '-o') options += ` ${args[at + 1] ?? ''}`;
      if (arg.endsWith('file')) assignments.push(`BASH_ENV=${args[at + 1] ?? ''}`);
      at++;
    } else if (/^-[A-Za-z]+$/.test(arg)) {
      // `bash -n file` is a check of its syntax.
      if (arg === '-n' && at === 0 && /^[^-]/.test(args[1] ?? '')) return null;
      if (arg.includes('n')) return { argv: args.slice(at + 1), elsewhere: true };
      if (arg.includes('e')) options += ' errexit';
      if (arg.endsWith('o')) options += ` ${args[++at] ?? ''}`;
      if (arg.includes('c')) {
        const behind = args.slice(at + 1);
        const start = behind.findIndex((word) => !word.startsWith('-'));
        const [text = '', ...given] = start < 0 ? [] : behind.slice(start);
        return { argv: [], script: text, options, assignments, given };
      }
    } else if (!arg.startsWith('-')) return null;
  }
  return null;
};
