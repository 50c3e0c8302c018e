// One process in a session of its own, with an environment that was built and not inherited, watched to its end: so much
// output, so long, and no longer than its caller wants it.
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import type { SandboxOutcome, SandboxRun } from '../gate/index.ts';
import { BoundedOutput } from './bounded-output.ts';

export interface Contained {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Ends what the process left behind, or waits for its end; called once it has ended, with what it said on fd 3. */
  readonly sweep?: (told: string) => Promise<void>;
}

/** How long output is waited for after the end: something that could not be ended may hold the pipe. */
const LAST_WORDS = 2000;
const LONGEST_TOLD = 4096;

export function runContained(contained: Contained, run: SandboxRun): Promise<SandboxOutcome> {
  const { program, args, env, cwd, sweep } = contained;
  const { timeoutMs, maxOutput, signal: abort } = run;
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const output = new BoundedOutput(maxOutput);
    let timedOut = false;
    let cancelled = false;
    let over = false;
    const child: ChildProcess = spawn(program, args, {
      cwd,
      env: { ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    let told = '';
    child.stdio[3]
      ?.on('data', (piece: Buffer) => {
        told = `${told}${piece.toString('latin1')}`.slice(0, LONGEST_TOLD);
      })
      .on('error', () => undefined);
    const end = (): void => {
      if (over || child.pid === undefined) return;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        child.kill('SIGKILL');
      }
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    const cancel = (): void => {
      cancelled = true;
      end();
    };
    if (abort?.aborted === true) cancel();
    abort?.addEventListener('abort', cancel, { once: true });
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (piece: Buffer) => output.add(piece)).on('error', () => undefined);
    const closed = new Promise<void>((done) => {
      child.on('close', () => done());
    });
    const tidy = (): void => {
      over = true;
      clearTimeout(timer);
      abort?.removeEventListener('abort', cancel);
    };
    child.on('error', (error) => {
      if (child.pid !== undefined) return; // a signal that could not be sent
      tidy();
      reject(error);
    });
    child.on('exit', (code, signal) => {
      tidy();
      const finish = async (): Promise<SandboxOutcome> => {
        await sweep?.(told);
        let waiting: NodeJS.Timeout | undefined;
        const patience = new Promise<void>((done) => {
          waiting = setTimeout(done, LAST_WORDS);
        });
        await Promise.race([closed, patience]);
        clearTimeout(waiting);
        child.stdout?.destroy();
        child.stderr?.destroy();
        child.stdio[3]?.destroy();
        return {
          exit: timedOut || cancelled ? null : code,
          signal,
          output: output.text(),
          timedOut,
          cancelled,
          durationMs: Math.round(performance.now() - begun),
        };
      };
      finish().then(resolve, reject);
    });
  });
}

/** Ends with 0 within a few seconds? What it printed on standard error, else. */
export function probe(program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: '/',
      env: { PATH: SYSTEM_PATH },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: 10_000,
      killSignal: 'SIGKILL',
    });
    let errors = '';
    child.stderr.on('data', (piece: Buffer) => {
      errors = `${errors}${piece.toString('utf8')}`.slice(0, 400);
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? null : errors.trim() || `it ended with ${code}`));
  });
}

/** Where the programs are that we ourselves need: never in what an agent could have put first. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function findProgram(name: string, path: string = SYSTEM_PATH): string | undefined {
  for (const directory of path.split(':')) {
    if (!isAbsolute(directory)) continue;
    try {
      accessSync(join(directory, name), constants.X_OK);
      return join(directory, name);
    } catch {
      // Not here.
    }
  }
  return undefined;
}

/** Blocks, which are of 512 or of 1024 bytes: 8 or 16 GiB for one file. */
const LARGEST_FILE = 16 * 1024 * 1024;
// biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is the shell's
/** What our own caller left open in us is not for the command. */
const CLOSE_REST =
  'for f in /proc/self/fd/*; do case "${f##*/}" in [012]) ;; *) eval "exec ${f##*/}>&-" ;; esac; done 2>/dev/null';
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is the shell's

/** The words that run a line in a shell: both its streams in one, no core files, a bound on files, nothing else open. */
export function shellWords(command: string): string[] {
  const bash = findProgram('bash');
  const limits = `ulimit -c 0; ulimit -f ${LARGEST_FILE}; exec 2>&1; exec "$@"`;
  return bash === undefined
    ? ['/bin/sh', '-c', limits, 'sh', '/bin/sh', '-c', command]
    : [bash, '-c', `${CLOSE_REST}; ${limits}`, 'bash', bash, '-c', command];
}

/** Nothing of ours: where programs are, where a home is, and that nobody looks on. */
export function builtEnvironment(path: string, home: string, temporary: string): Record<string, string> {
  return {
    PATH: path,
    HOME: home,
    TMPDIR: temporary,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    CI: '1',
    // The copy belongs to whoever runs, or to us: git would not look at it otherwise.
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.directory',
    GIT_CONFIG_VALUE_0: '*',
  };
}

/** Absolute directories that are not within any of those. */
export function pathWithout(path: string, away: readonly string[]): string[] {
  const kept = path
    .split(':')
    .filter((entry) => isAbsolute(entry) && !away.some((one) => isWithin(entry, one)));
  return [...new Set(kept)];
}

export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`);
}
