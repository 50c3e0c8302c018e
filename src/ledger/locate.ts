// Where a ledger lives. Not in the work tree, where an agent or `git clean` could delete it, but in the user's state
// directory, one a project; work trees of one repository share it. `.foil/` is the self-contained exception, for CI
// and embedding, made by `init --here`.
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { sha256Hex } from '#platform';
import { KEY_DIR, SEGMENT_DIR } from '../format/index.ts';

export interface Located {
  readonly directory: string;
  /** Where its private keys are kept. */
  readonly keyDirectory: string;
  readonly how: 'option' | 'environment' | 'here' | 'project';
}

/** As `process.env`, in words that need no types of Node's where the package is used. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface LocateOptions {
  /** As given on the command line. */
  readonly ledger?: string | undefined;
  readonly cwd?: string;
  readonly env?: Environment;
}

export const HERE = '.foil';

/** The ledger for this place: as told, else a `.foil/` here or above, else the project's in the state directory. */
export function locate({ ledger, cwd = process.cwd(), env = process.env }: LocateOptions = {}): Located {
  if (ledger !== undefined) return located(resolve(cwd, ledger), 'option', env);
  if (env.FOIL_LEDGER) return located(resolve(cwd, env.FOIL_LEDGER), 'environment', env);
  for (const directory of upward(cwd)) {
    if (existsSync(join(directory, HERE, SEGMENT_DIR))) return located(join(directory, HERE), 'here', env);
  }
  return located(
    join(base(env.XDG_STATE_HOME, '.local/state'), 'counterfoil', projectId(cwd)),
    'project',
    env,
  );
}

/** `.foil/` in `cwd` itself, with its keys inside. */
export function locateHere(cwd: string = process.cwd()): Located {
  const directory = join(cwd, HERE);
  return { directory, keyDirectory: join(directory, KEY_DIR), how: 'here' };
}

export function configDirectory(env: Environment = process.env): string {
  return join(base(env.XDG_CONFIG_HOME, '.config'), 'counterfoil');
}

/** `<name>-<16 hex>`, from the git common directory; without git from the directory that has counterfoil.yaml, or cwd. */
export function projectId(cwd: string): string {
  const root = projectRoot(cwd);
  const name = basename(root.endsWith('.git') ? dirname(root) : root).replace(/[^A-Za-z0-9._-]/g, '_');
  return `${name.slice(0, 64) || 'root'}-${sha256Hex(root).slice(0, 16)}`;
}

/** The work tree that `cwd` lies in: the nearest directory above with `.git` or counterfoil.yaml, else itself. */
export function workspaceRoot(cwd: string): string {
  for (const directory of upward(cwd)) {
    if (existsSync(join(directory, '.git')) || existsSync(join(directory, 'counterfoil.yaml')))
      return directory;
  }
  return resolve(cwd);
}

function projectRoot(cwd: string): string {
  for (const directory of upward(cwd)) {
    const common = gitCommonDirectory(join(directory, '.git'));
    if (common !== undefined) return realpathSync(common);
    if (existsSync(join(directory, 'counterfoil.yaml'))) return realpathSync(directory);
  }
  return realpathSync(cwd);
}

/** A work tree has a file `.git` that points to its own directory, whose `commondir` points to the shared one. */
function gitCommonDirectory(git: string): string | undefined {
  try {
    if (statSync(git).isDirectory()) return git;
    const match = /^gitdir: (.+)\n?$/.exec(readFileSync(git, 'utf8'));
    if (match === null) return undefined;
    const own = resolve(dirname(git), match[1] ?? '');
    const common = join(own, 'commondir');
    const shared = existsSync(common) ? resolve(own, readFileSync(common, 'utf8').trim()) : own;
    return existsSync(shared) ? shared : undefined;
  } catch {
    return undefined;
  }
}

function located(directory: string, how: Located['how'], env: Environment): Located {
  return {
    directory,
    // Who only appends never asks for it, and finding it takes as long as an append.
    get keyDirectory() {
      const inside = join(directory, KEY_DIR);
      return existsSync(inside) ? inside : join(configDirectory(env), KEY_DIR);
    },
    how,
  };
}

/** The XDG specification: a relative path is invalid and ignored. */
function base(value: string | undefined, fallback: string): string {
  return value !== undefined && isAbsolute(value)
    ? value
    : join(process.getBuiltinModule('node:os').homedir(), fallback);
}

function* upward(from: string): Generator<string> {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    yield directory;
    if (dirname(directory) === directory) return;
  }
}
