// The programs of the system that a sandbox is made of, where they are found, and the environment that a command gets.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { isAbsolute, join } from 'node:path';

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

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is the shell's
/** What our own caller left open in us is not for the command. */
const CLOSE_REST =
  'for f in /proc/self/fd/*; do case "${f##*/}" in [012]) ;; *) eval "exec ${f##*/}>&-" ;; esac; done';
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is the shell's

/** If the machine runs out of memory, the kernel should end this before anything of ours. */
const FIRST_TO_GO = '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null';

/**
 * The words that run a program: after some steps of ours, each of which must succeed, it says on fd 4 that everything is
 * set up, and leaves nothing open but the three streams.
 */
export function programWords(argv: readonly string[], steps: readonly string[] = []): string[] {
  const bash = findProgram('bash');
  const script = [...steps.map((step) => `${step} || exit 125`), FIRST_TO_GO, 'echo >&4', 'exec 3>&- 4>&-'];
  return bash === undefined
    ? ['/bin/sh', '-c', [...script, 'exec "$@"'].join('; '), 'sh', ...argv]
    : [bash, '-c', [...script, CLOSE_REST, 'exec "$@"'].join('; '), 'bash', ...argv];
}

/** The words that run a line in a shell, both its streams in one. */
export function shellWords(command: string): string[] {
  return programWords([findProgram('bash') ?? '/bin/sh', '-c', command], ['exec 2>&1']);
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
