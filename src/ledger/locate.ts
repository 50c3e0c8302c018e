// Where a ledger lives. Not in the work tree, where an agent or `git clean` could delete it, but in the user's state
// directory, one a project; work trees of one repository share it. `.foil/` is the self-contained exception, for CI
// and embedding, made by `init --here`; it counts only for the user who made or registered it (here.ts).
import { existsSync, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { sha256Hex } from '#platform';
import { KEY_DIR, SEGMENT_DIR } from '../format/index.ts';
import { type Environment, HERE, homeBase, isHere, standingOf, stateDirectory } from './here.ts';
import { ADOPT, readSettings } from './settings.ts';

export interface Located {
  readonly directory: string;
  /** Where its private keys are kept. */
  readonly keyDirectory: string;
  readonly how: 'option' | 'environment' | 'here' | 'project';
  /** What a person must know of a `.foil/` that was passed over, or that is not what it was. Left out where nothing is. */
  readonly notice?: string;
}

export interface LocateOptions {
  /** As given on the command line. */
  readonly ledger?: string | undefined;
  readonly cwd?: string;
  readonly env?: Environment;
}

/** The ledger for this place: as told, else this user's `.foil/` here or above, else the project's in the state directory. */
export function locate({ ledger, cwd = process.cwd(), env = process.env }: LocateOptions = {}): Located {
  if (ledger !== undefined) return named(resolve(cwd, ledger), 'option', env);
  if (env.FOIL_LEDGER) return named(resolve(cwd, env.FOIL_LEDGER), 'environment', env);
  let notice: string | undefined;
  for (const directory of upward(cwd)) {
    const here = join(directory, HERE);
    if (!existsSync(join(here, SEGMENT_DIR))) continue;
    const { is, why } = standingOf(here, env);
    if (is !== 'foreign')
      return located(here, 'here', env, notice ?? (is === 'changed' ? changed(here, why) : notice));
    notice ??= `foil ignores ${here}: ${why}. ${ADOPT}`;
  }
  return located(projectDirectory(cwd, env), 'project', env, notice);
}

/** The project's own ledger in the state directory, whether there is one or not. */
export function projectDirectory(cwd: string, env: Environment): string {
  return join(stateDirectory(env), projectId(cwd));
}

/** Whoever names it may read it. What lies in a `.foil/` that is not theirs decides nothing all the same. */
function named(directory: string, how: Located['how'], env: Environment): Located {
  if (!isHere(directory) || !existsSync(join(directory, SEGMENT_DIR))) return located(directory, how, env);
  const { is, why } = standingOf(directory, env);
  if (is === 'own') return located(directory, how, env);
  return located(
    directory,
    how,
    env,
    is === 'changed'
      ? changed(directory, why)
      : `foil reads ${directory}, but ignores its settings and keys: ${why}. ${ADOPT}`,
  );
}

function changed(directory: string, why: string | null): string {
  return `${directory} has changed since it was registered: ${why}. ${ADOPT}`;
}

/** `.foil/` in `cwd` itself. Its keys are inside, unless somebody else's ledger lies there: nothing is signed with those. */
export function locateHere(cwd: string = process.cwd(), env: Environment = process.env): Located {
  return located(join(cwd, HERE), 'here', env);
}

export function configDirectory(env: Environment = process.env): string {
  return join(homeBase(env.XDG_CONFIG_HOME, '.config'), 'counterfoil');
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
    if (isRootOf(directory, cwd)) return directory;
  }
  return resolve(cwd);
}

/** Does the directory have a sign that it is the root of the work tree that `cwd` lies in? */
export function isRootOf(
  directory: string,
  cwd: string,
  signs: readonly (typeof ROOT_SIGNS)[number][] = ROOT_SIGNS,
): boolean {
  return signs.some((sign) => isSign(directory, sign, cwd));
}

function projectRoot(cwd: string): string {
  for (const directory of upward(cwd)) {
    const git = isSign(directory, '.git', cwd) ? gitCommonDirectory(join(directory, '.git')) : undefined;
    if (git !== undefined) return realpathSync(git);
    if (isSign(directory, 'counterfoil.yaml', cwd)) return realpathSync(directory);
  }
  return realpathSync(cwd);
}

const ROOT_SIGNS = ['.git', 'counterfoil.yaml'] as const;

/**
 * Does this mark a root of `cwd`? Like git (`safe.directory`), we pass over what another user put above: a stranger's
 * `/tmp/.git` must not have hooks written beside it. Whoever owns `cwd` counts too, because the service may look at the
 * work tree of another user.
 */
function isSign(directory: string, name: (typeof ROOT_SIGNS)[number], cwd: string): boolean {
  const path = join(directory, name);
  if (!existsSync(path)) return false;
  const own = process.getuid?.();
  if (own === undefined) return true;
  try {
    const owners = [own, statSync(cwd, { throwIfNoEntry: false })?.uid];
    return [statSync(directory).uid, lstatSync(path).uid].every((uid) => owners.includes(uid));
  } catch {
    return false;
  }
}

/**
 * The shared directory of the repository whose `.git` this is. A work tree or a submodule has a file `.git` that points
 * elsewhere, and anybody can write such a file: it counts only if that place knows of this one. Else an archive could
 * have itself recorded as a project of the user's that it is not.
 */
function gitCommonDirectory(git: string): string | undefined {
  try {
    const found = lstatSync(git);
    if (found.isDirectory()) return git;
    const own = found.isSymbolicLink() ? realpathSync(git) : found.isFile() ? pointedTo(git) : undefined;
    if (own === undefined || !statSync(own).isDirectory()) return undefined;
    const common = join(own, 'commondir');
    if (existsSync(common)) {
      const shared = realpathSync(resolve(own, readFileSync(common, 'utf8').trim()));
      return dirname(realpathSync(own)) === join(shared, 'worktrees') && leadsTo(own, 'gitdir', git)
        ? shared
        : undefined;
    }
    const tree = WORK_TREE.exec(readText(join(own, 'config')))?.[1];
    if (tree !== undefined) return samePlace(resolve(own, tree), dirname(git)) ? own : undefined;
    // Another repository's own `.git` is of the work tree around it, and of no other.
    return basename(realpathSync(own)) === '.git' ? undefined : own;
  } catch {
    return undefined;
  }
}

/** The main checkout of the repository, where `root` is another work tree of it; null where it is none. */
export function mainWorkTree(root: string): string | null {
  const git = join(root, '.git');
  if (!isSign(root, '.git', root)) return null;
  const common = gitCommonDirectory(git);
  if (common === undefined || basename(common) !== '.git') return null;
  return common === git || samePlace(common, git) ? null : dirname(common);
}

const WORK_TREE = /^[ \t]*worktree[ \t]*=[ \t]*"?([^"\n]+?)"?[ \t]*$/m;

function pointedTo(git: string): string | undefined {
  const match = /^gitdir: (.+)\n?$/.exec(readFileSync(git, 'utf8'));
  return match === null ? undefined : resolve(dirname(git), match[1] ?? '');
}

function leadsTo(own: string, name: string, git: string): boolean {
  return samePlace(resolve(own, readText(join(own, name)).trim()), git);
}

function samePlace(a: string, b: string): boolean {
  return realpathSync(a) === realpathSync(b);
}

function readText(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function located(directory: string, how: Located['how'], env: Environment, notice?: string): Located {
  return {
    directory,
    // Who only appends never asks for it, and finding it takes as long as an append.
    get keyDirectory() {
      return keysOf(directory, env);
    },
    how,
    ...(notice === undefined ? {} : { notice }),
  };
}

/** Inside a ledger that has them there, unless that is a `.foil/` of somebody else; else as its settings say. */
function keysOf(directory: string, env: Environment): string {
  const inside = join(directory, KEY_DIR);
  const usual = join(configDirectory(env), KEY_DIR);
  if (isHere(directory)) {
    if (!existsSync(join(directory, SEGMENT_DIR))) return inside;
    return standingOf(directory, env).is === 'own' && existsSync(inside) ? inside : usual;
  }
  if (existsSync(inside)) return inside;
  try {
    const { keys } = readSettings(directory, env);
    return keys !== undefined && existsSync(keys) ? keys : usual;
  } catch {
    return usual;
  }
}

function* upward(from: string): Generator<string> {
  for (let directory = resolve(from); ; directory = dirname(directory)) {
    yield directory;
    if (dirname(directory) === directory) return;
  }
}
