// Runs git for what is not done without it: reading a repository that git may have packed anew, packing it, pushing it.
// In the environment that the gate's git has, which holds nothing of the caller's; never a hook, never a prompt.
import type { ChildProcess } from 'node:child_process';
import { findGit, safeEnvironment, spawnGit } from '../../gate/index.ts';
import { GitFailure } from './git-problem.ts';

export interface GitCall {
  readonly args: readonly string[];
  /** Besides the clean one. */
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of the clean one. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Without a terminal: then nothing that git starts can ask on it. */
  readonly detached?: boolean;
  readonly input?: string;
  readonly timeoutMs: number;
  /** Of its output; what it says of errors is cut. */
  readonly maxBytes?: number;
}

export interface GitAnswer {
  readonly code: number | null;
  readonly out: Buffer;
  readonly errors: string;
}

const MOST_ERRORS = 16_384;

/** Git, found outside of `ledger`. Throws GitFailure where there is none. */
export function gitProgram(ledger: string): string {
  const git = findGit(ledger);
  if (git === undefined) {
    throw new GitFailure(
      'NO_GIT',
      'git is not installed or not on the PATH. Recording continues without it.',
    );
  }
  return git;
}

/** Throws GitFailure where it can't be run, takes too long or prints too much. */
export function callGit(git: string, call: GitCall): Promise<GitAnswer> {
  const { args, env, environment = safeEnvironment(), detached = false } = call;
  const { input = '', timeoutMs, maxBytes = 1 << 20 } = call;
  return new Promise((resolve, reject) => {
    const child = spawnGit(git, args, {
      cwd: '/',
      env: { ...environment, ...env },
      stdio: 'pipe',
      detached,
    });
    child.stdin?.on('error', () => undefined); // it left without reading all; its status says why
    child.stdin?.end(input);
    const out: Buffer[] = [];
    let bytes = 0;
    let errors = '';
    const giveUp = (why: string): void => {
      endAll(child, detached);
      reject(new GitFailure('IO', `git ${why}.`));
    };
    const timer = setTimeout(() => giveUp(`took longer than ${timeoutMs} ms`), timeoutMs);
    child.stdout?.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > maxBytes) giveUp('printed too much');
      else out.push(piece);
    });
    child.stderr?.on('data', (piece: Buffer) => {
      errors = (errors + piece.toString('utf8')).slice(0, MOST_ERRORS);
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(new GitFailure('NO_GIT', `git can't be run: ${error.message}`, { cause: error }));
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, out: Buffer.concat(out), errors });
    });
  });
}

/** With what it started, where that is a group of its own. */
function endAll(child: ChildProcess, isGroup: boolean): void {
  try {
    if (isGroup && child.pid !== undefined && process.platform !== 'win32')
      process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // It has ended.
  }
}
