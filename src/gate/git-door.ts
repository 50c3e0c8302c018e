// The one door through which git is started: no other file of ours starts it (test/git-door.test.ts). The repository
// may be hostile, and so may the environment. Nothing of the caller's environment reaches git but what the system needs,
// no configuration of the user or the machine is read, git itself is looked up outside of work trees, and what a
// repository's own configuration could have run is switched off on every command line, which counts more than any file.
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path';

const NOWHERE = process.platform === 'win32' ? 'NUL' : '/dev/null';

/** What git is told in any case. `GIT_CONFIG_SYSTEM` is for versions that know it, `NOSYSTEM` for all. */
const SAFE: Readonly<Record<string, string>> = {
  // Nothing here goes to the network. Older versions of git fetch missing objects all the same.
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: NOWHERE,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: NOWHERE,
  GIT_NO_LAZY_FETCH: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  LC_ALL: 'C',
};
/**
 * What a repository's configuration could run: a watcher of files, hooks, a pager, an editor, a program that asks, lists
 * the refs of alternates or checks signatures, and a transport that is a command.
 */
const SWITCHED_OFF = [
  'core.fsmonitor=false',
  `core.hooksPath=${NOWHERE}`,
  `core.attributesFile=${NOWHERE}`,
  'core.pager=cat',
  'core.editor=false',
  'core.askPass=false',
  'core.alternateRefsCommand=true',
  'gc.auto=0',
  'log.showSignature=false',
  'maintenance.auto=false',
  'protocol.ext.allow=never',
  'push.recurseSubmodules=no',
  'submodule.recurse=false',
];

/** Before the words of every call. */
export const GIT_ALWAYS: readonly string[] = [
  '--no-pager',
  '--literal-pathspecs',
  ...SWITCHED_OFF.flatMap((setting) => ['-c', setting]),
];

const NEEDED = ['PATH', 'SYSTEMROOT', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'];

const found = new Map<string, string | undefined>();

/**
 * The program, by its whole path: the first one in PATH that lies neither in `root` nor in the work tree that this process
 * was started in, where an agent or a clone could plant one.
 */
export function findGit(root: string, path: string = process.env.PATH ?? ''): string | undefined {
  const key = `${root}\0${path}`;
  if (!found.has(key)) {
    if (found.size >= 64) found.clear();
    found.set(key, lookUp(root, path));
  }
  return found.get(key);
}

function lookUp(root: string, path: string): string | undefined {
  const name = process.platform === 'win32' ? 'git.exe' : 'git';
  const planted = [real(root), workTree()];
  for (const directory of path.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const program = real(join(directory, name));
    if (program === undefined || planted.some((each) => isWithin(program, each) || isWithin(directory, each)))
      continue;
    try {
      accessSync(program, constants.X_OK);
      // By the name it was found under: what it is linked to may go by its name.
      if (statSync(program).isFile()) return join(directory, name);
    } catch {
      // Not this one.
    }
  }
  return undefined;
}

/** Around the working directory; undefined outside of one, and where it is the whole disk. */
function workTree(): string | undefined {
  try {
    for (let folder = process.cwd(); dirname(folder) !== folder; folder = dirname(folder))
      if (existsSync(join(folder, '.git'))) return real(folder);
  } catch {
    // It was removed.
  }
  return undefined;
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function isWithin(path: string, directory: string | undefined): boolean {
  if (directory === undefined) return false;
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
}

/** What git is given: nothing of the caller's but what the system needs. */
export function safeEnvironment(): Record<string, string> {
  const kept: Record<string, string> = { ...SAFE };
  for (const name of NEEDED) {
    const value = process.env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** Started with these words behind what every call is told. `env` is all of its environment. */
export function spawnGit(
  git: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'cwd' | 'stdio' | 'detached'> & {
    readonly env: Readonly<Record<string, string>>;
  },
): ChildProcess {
  // Loaded when it is needed: a process that only looks at what it knows already should start fast.
  const { spawn } = process.getBuiltinModule('node:child_process');
  return spawn(git, [...GIT_ALWAYS, ...args], { ...options, windowsHide: true });
}

const PATIENCE = 5000;

/** The exit code of a short question about the work tree `root`; null where there is no git, or no answer. */
export function askGit(root: string, args: readonly string[]): number | null {
  const git = findGit(root);
  if (git === undefined) return null;
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const options = { cwd: root, env: safeEnvironment(), stdio: 'ignore', timeout: PATIENCE } as const;
  return spawnSync(git, [...GIT_ALWAYS, ...args], { ...options, killSignal: 'SIGKILL', windowsHide: true })
    .status;
}
