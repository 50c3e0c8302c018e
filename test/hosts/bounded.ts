// A program with a time limit. It is the head of its own process group, and the whole group is killed when the program
// ends or its time is up: hosts start servers and shells that would outlive them.
import { spawn } from 'node:child_process';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Its time was up. */
  readonly killed: boolean;
}

export interface BoundedOptions {
  readonly cwd: string;
  /** All of it: nothing of the caller's environment is passed on. */
  readonly env: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly input?: string;
}

export function runBounded(
  command: string,
  words: readonly string[],
  { cwd, env, seconds, input = '' }: BoundedOptions,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd, env, detached: true, stdio: 'pipe' });
    let [stdout, stderr, killed] = ['', '', false];
    child.stdout.on('data', (piece: Buffer) => {
      stdout += piece.toString();
    });
    child.stderr.on('data', (piece: Buffer) => {
      stderr += piece.toString();
    });
    const killGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // Nobody is left in it.
      }
    };
    const limit = setTimeout(() => {
      killed = true;
      killGroup();
    }, seconds * 1000);
    child.on('error', (error) => {
      clearTimeout(limit);
      reject(error);
    });
    child.on('exit', killGroup);
    child.on('close', (code) => {
      clearTimeout(limit);
      resolve({ code, stdout, stderr, killed });
    });
    child.stdin.on('error', () => {}); // it may end without reading
    child.stdin.end(input);
  });
}
