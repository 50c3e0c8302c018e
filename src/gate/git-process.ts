// Runs git as a child process, for reading. The repository may be hostile, and so may the environment: nothing of the
// caller's environment reaches git but what the system needs, no configuration of the user or the machine is read, and
// git itself is looked up outside the work tree. Whatever goes wrong is null: too slow, too much, a failure.
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { GitShell } from './git-shell.ts';

export interface GitRun {
  readonly git: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** `GIT_DIR` and the like. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  readonly timeoutMs: number;
  /** Of output; more of it ends the run. */
  readonly maxBytes: number;
}

const NOWHERE = process.platform === 'win32' ? 'NUL' : '/dev/null';

/** What git is told in any case. `GIT_CONFIG_SYSTEM` is for versions that know it, `NOSYSTEM` for all. */
const SAFE: Readonly<Record<string, string>> = {
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
const NEEDED = ['PATH', 'SYSTEMROOT', 'SystemRoot', 'TMPDIR', 'TEMP', 'TMP'];

const found = new Map<string, string | undefined>();

/** The program, by its whole path: the first one in PATH that does not lie in `root`, where an agent could plant one. */
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
  const inside = real(root);
  for (const directory of path.split(delimiter)) {
    if (!isAbsolute(directory)) continue;
    const program = real(join(directory, name));
    if (program === undefined || isWithin(program, inside) || isWithin(directory, inside)) continue;
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

let shell: GitShell | undefined;

/** For a process that lives long and grows: git is started by a small one from now on, until it is closed. */
export function keepGitShell(): { close(): void } {
  if (process.platform !== 'linux') return { close: () => undefined };
  const own = new GitShell(safeEnvironment());
  shell = own;
  return {
    close() {
      if (shell === own) shell = undefined;
      own.close();
    },
  };
}

/** What it printed, or null. Never throws. */
export async function runGit(run: GitRun): Promise<Buffer | null> {
  const { git, args, cwd, env, input, timeoutMs, maxBytes } = run;
  if (shell === undefined || input instanceof Uint8Array) return startGit(run);
  const begun = performance.now();
  const words = [git, '-C', cwd, ...ALWAYS, ...args];
  const printed = await shell.run({ words, env, input, timeoutMs, maxBytes });
  if (printed !== undefined) return printed;
  return startGit({ ...run, timeoutMs: timeoutMs - (performance.now() - begun) });
}

const ALWAYS = ['--no-pager', '--literal-pathspecs'];

function startGit({ git, args, cwd, env, input, timeoutMs, maxBytes }: GitRun): Promise<Buffer | null> {
  if (!(timeoutMs > 0)) return Promise.resolve(null);
  // Loaded when it is needed: a process that only looks at what it knows already should start fast.
  const { spawn } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve) => {
    let child: ReturnType<typeof spawn>;
    try {
      child = spawn(git, [...ALWAYS, ...args], {
        cwd,
        env: { ...safeEnvironment(), ...env },
        stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'],
        windowsHide: true,
      });
    } catch {
      resolve(null); // a directory that is gone, arguments that are too long
      return;
    }
    const pieces: Buffer[] = [];
    let bytes = 0;
    let given = false;
    const timer = setTimeout(() => end(null), timeoutMs);
    const end = (result: Buffer | null): void => {
      if (given) return;
      given = true;
      clearTimeout(timer);
      if (result === null) {
        child.kill('SIGKILL');
        child.stdout?.destroy();
      }
      resolve(result);
    };
    child.on('error', () => end(null));
    child.stdout?.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxBytes) end(null);
      else pieces.push(piece);
    });
    child.on('close', (code) => end(code === 0 ? Buffer.concat(pieces) : null));
    child.stdin?.on('error', () => undefined); // it left without reading all; its status says why
    child.stdin?.end(input);
  });
}

/** The fields of output that ends each with a zero byte. */
export function splitZero(output: Uint8Array): Uint8Array[] {
  const fields: Uint8Array[] = [];
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(0, at);
    fields.push(output.subarray(at, end === -1 ? output.length : end));
    if (end === -1) break;
    at = end + 1;
  }
  return fields;
}
