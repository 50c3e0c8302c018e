// Runs git for reading, through the one door (git-door.ts), and gathers what it prints. Whatever goes wrong is null: too
// slow, too much, a failure.
import { GIT_ALWAYS, safeEnvironment, spawnGit } from './git-door.ts';
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
  const words = [git, '-C', cwd, ...GIT_ALWAYS, ...args];
  const printed = await shell.run({ words, env, input, timeoutMs, maxBytes });
  if (printed !== undefined) return printed;
  return startGit({ ...run, timeoutMs: timeoutMs - (performance.now() - begun) });
}

function startGit({ git, args, cwd, env, input, timeoutMs, maxBytes }: GitRun): Promise<Buffer | null> {
  if (!(timeoutMs > 0)) return Promise.resolve(null);
  return new Promise((resolve) => {
    let child: ReturnType<typeof spawnGit>;
    try {
      const stdio = [input === undefined ? 'ignore' : 'pipe', 'pipe', 'ignore'] as const;
      child = spawnGit(git, args, { cwd, env: { ...safeEnvironment(), ...env }, stdio: [...stdio] });
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
