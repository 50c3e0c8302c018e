// What can stand in the way of a runner: a function, an alias, a directory put before PATH, a file of this session that
// has its name. An agent that wants a green run has all of these at hand.

import { runsTests, traitsOf } from '../ecosystems/index.ts';
import { classify } from './classify.ts';
import type { Found } from './facts.ts';
import { inWorkspace, resolvePath } from './places.ts';
import { programName } from './programs.ts';

export interface Shadows {
  /** Functions and aliases by name, with the words that make them. */
  readonly names: Map<string, string>;
  /** What shadows every runner: PATH, LD_PRELOAD. */
  all: string | null;
  /** A file of this session that was read into the shell; what it did can not be undone. */
  sourced: string | null;
}

/**
 * Directories before `$PATH` that hold real tools: the system's, a home's tool directories, a virtual environment's, a
 * package manager's. Whatever else is put there can shadow a runner.
 */
const TOOL_DIRECTORY =
  /^(?:\/(?:usr|bin|sbin|opt|snap|nix|Library|Applications|root\/\.|home\/linuxbrew)|\/(?:home|Users)\/[^/]+\/(?:\.|go\/|Library)|\$(?:HOME|\{HOME\})\/(?:\.|go\/|bin$|Library)|~\/(?:\.|go\/)|\$\{?[A-Z_]*(?:HOME|ROOT|GOPATH|GOBIN|PREFIX|DIR)\}?(?:\/|$)|\$\((?:go|npm|yarn|pnpm|brew|python3?|ruby|gem|rbenv|pyenv|poetry|mise|asdf)\b)|(?:^|\/)(?:node_modules\/\.bin|\.?venv\/bin|env\/bin|\.?venv\/Scripts|vendor\/bin|\.tox\/[\w.-]+\/bin)\/?$/;

/** The directory that a value of PATH puts first, where it may shadow. */
export function shadowingPath(value: string): string | null {
  const parts = value.split(/:(?![\\/])/);
  const end = parts.findIndex((part) => /^\$\{?PATH\}?/.test(part));
  // A PATH without the old one can hold anything, unless all of it is the system's.
  const first = end < 0 ? parts : parts.slice(0, end);
  return first.find((part) => part !== '' && !TOOL_DIRECTORY.test(part)) ?? null;
}

/** Variables that have code loaded, or something else run, and that people have no other use for. */
const LOADING =
  /^(?:LD_PRELOAD|DYLD_INSERT_LIBRARIES|BASH_ENV|SHELLOPTS|BASHOPTS|PYTHONSTARTUP|PYTEST_PLUGINS|PERL5OPT|DOTNET_STARTUP_HOOKS|CARGO_TARGET_\w+_RUNNER|PYTHONHOME)$/;

const SHADOWING: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [LOADING, /./s],
  [
    /^(?:npm_config_)?node_options$/i,
    /(?:--require|--import|-r|--loader|--experimental-loader|--test-reporter)[ =](?:\.{0,2}\/|data:|file:|\$)/,
  ],
  [/^(?:PYTEST_ADDOPTS|RUBYOPT)$/, /(?:^|\s)-[pr](?! ?no:)/],
  [/^PYTHONPATH$/, /(?:^|:)\/(?:private\/)?(?:var\/)?(?:tmp|dev)\//],
  // npm runs its scripts by what these say.
  [/^npm_config_(?:script_shell|userconfig|globalconfig)$/i, /^/],
];

/** What an assignment before a command, or an exported one, does to runners. */
export function shadowingAssignment(name: string, value: string): string | null {
  if (name === 'PATH') return shadowingPath(value) === null ? null : `PATH=${value}`;
  return SHADOWING.some(([names, values]) => names.test(name) && values.test(value))
    ? `${name}=${value}`
    : null;
}

/** The file of this session that stands for the runner; null where there is none. */
export function shadowingFile(
  argv: readonly string[],
  found: Found,
  cwd: string | null,
  root: string | null,
  changed: ReadonlySet<string>,
): string | null {
  if (changed.size === 0) return null;
  const [first = '', ...args] = argv;
  const name = programName(first);
  const runs = /^(?:bash|sh|zsh|dash|ksh)$/.test(name)
    ? (args.find((arg) => !arg.startsWith('-')) ?? '')
    : first;
  // A program that changed and was run is what was asked for; a runner that changed is not.
  if (found.kind !== 'run' && (runs.includes('/') || runs !== first)) {
    const path = resolvePath(runs, cwd);
    const inside = path === null ? runs.replace(/^\.\//, '') : inWorkspace(path, root);
    if (inside !== null && changed.has(inside)) return inside;
  }
  // Of a program that no table knows, nothing is known but its name: no file of this session may have it, nor that of
  // the word it is given.
  if (found.kind === 'run' && runsTests(found.runner)) {
    const [, word = ''] = found.runner.split(' ');
    for (const path of changed) {
      const base = path.slice(path.lastIndexOf('/') + 1);
      if (base === name || base.replace(/\.\w+$/, '') === name || path === word) return path;
    }
  }
  // A script of this session that runs tests prints what it likes; a test that is run by itself is the work.
  if (found.kind === 'test' && found.runner === name) {
    const script = args.find((arg) => !arg.startsWith('-')) ?? '';
    const path = resolvePath(script, cwd);
    const inside = path === null ? script : (inWorkspace(path, root) ?? path);
    if (
      changed.has(inside) &&
      /(?:^|[_.-])(?:run|runner|all|suite|checks?)(?:[_.-]|$)|^tests?\.(?:sh|bash)$/i.test(
        programName(script),
      )
    )
      return inside;
  }
  const module = traitsOf(found.runner)?.module;
  for (const path of changed) {
    const base = path.slice(path.lastIndexOf('/') + 1);
    if (module !== undefined && (base === `${module}.py` || path.endsWith(`${module}/__init__.py`)))
      return path;
    // Python loads these by their names alone.
    if (module !== undefined && /^(?:site|user)customize\.py$|\.pth$/.test(base)) return path;
    if (/^(?:npm|pnpm|yarn) /.test(found.runner) && /^[~/].*\.npmrc$/.test(path)) return path;
    if (/(?:^|\/)node_modules\//.test(path)) {
      if (path.endsWith(`/.bin/${name}`) || path.includes(`node_modules/${found.runner}/`)) return path;
    }
    // A file of this session with the runner's own name, found through PATH.
    if (base === name && found.kind !== 'run' && /^[~/]|(?:^|\/)s?bin\/[^/]+$/.test(path)) return path;
  }
  return null;
}

/**
 * `printf 'lint:\\n\\truff check\\n' >> Makefile && make lint`: all that the line does to the Makefile is to add plain text, by
 * which these goals are not made, or are made of known checks alone, of the sort that they are named for.
 */
export function addsChecks(
  line: string,
  goals: readonly string[],
  kind: Found['kind'],
  writes: number,
): boolean {
  if (writes === 0 || line.split(/>> ?Makefile\b/).length - 1 !== writes || /\\[x0-7]|[%$`]/.test(line))
    return false;
  if (goals.length === 0 || !goals.every((goal) => /^[\w-]+$/.test(goal))) return false;
  const text = line.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
  const isCheck = (step: string): boolean => {
    const found = /^[^-|;&<>][^|;&<>]*$/.test(step) ? classify(step.replace(/^@/, '').split(' ')) : null;
    return found?.dry === null && (kind === 'test' ? found.kind === 'test' : found.kind !== 'run');
  };
  return goals.every((goal) => {
    const rule = new RegExp(`(?<![\\w-])${goal}[^\\n:]*:[^\\n]*((?:\\n\\t[^\\n'"]*)*)`, 'g');
    return [...text.matchAll(rule)].every(([, recipe = '']) => {
      const [, ...steps] = recipe.split('\n\t');
      return steps.length > 0 && steps.every(isCheck);
    });
  });
}
