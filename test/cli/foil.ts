// The built command as users get it, in a sandbox of its own: nothing of the machine's real state or configuration is
// read or written. `run` takes a process that is warm already; `spawn` starts one, for tests where the start, the end,
// a signal or a pipe is what they are about.
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fastDirectory, removeDirectory } from '../temporary.ts';
import { FOIL, type Result, runWarm, runWarmSync } from './warm.ts';

export { FOIL, type Result };

export interface RunOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The sandbox's own working directory unless given. */
  readonly cwd?: string;
}

export class Sandbox {
  readonly root = mkdtempSync(join(fastDirectory, 'foil-cli-'));
  /** The working directory. */
  readonly work = join(this.root, 'work');
  readonly env: NodeJS.ProcessEnv;
  readonly #command: string;

  constructor(command = FOIL) {
    this.#command = command;
    mkdirSync(this.work);
    mkdirSync(join(this.root, 'run'), { mode: 0o700 });
    this.env = {
      PATH: process.env.PATH,
      HOME: this.root,
      XDG_STATE_HOME: join(this.root, 'state'),
      XDG_CONFIG_HOME: join(this.root, 'config'),
      XDG_RUNTIME_DIR: join(this.root, 'run'),
    };
  }

  run(words: readonly string[], options: RunOptions = {}): Result {
    if (this.#command !== FOIL) return this.spawn(words, options);
    const { input = '', env = {}, cwd = this.work } = options;
    return runWarmSync(words, { cwd, env: { ...this.env, ...env }, input });
  }

  /** As `run`, but this process stays free to answer what the command asks. */
  foil(
    words: readonly string[],
    { input = '', env = {}, cwd = this.work }: RunOptions = {},
  ): Promise<Result> {
    return runWarm(words, { cwd, env: { ...this.env, ...env }, input });
  }

  /** As a process of its own. */
  spawn(words: readonly string[], { input = '', env = {}, cwd = this.work }: RunOptions = {}): Result {
    const { status, stdout, stderr } = spawnSync(process.execPath, [this.#command, ...words], {
      cwd,
      env: { ...this.env, ...env },
      input,
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  }

  /** Must end with 0; gives what it printed. */
  ok(words: readonly string[], options: RunOptions = {}): string {
    const { code, stdout, stderr } = this.run(words, options);
    if (code !== 0) throw new Error(`foil ${words.join(' ')}: exit ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  /** The --json of a command that must end with 0. */
  json(words: readonly string[]): unknown {
    return JSON.parse(this.ok([...words, '--json']));
  }

  start(words: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [this.#command, ...words], { cwd: this.work, env: this.env });
  }

  /** On a terminal of so many columns, with colours off. Standard error is the terminal too. */
  onTerminal(words: readonly string[], columns: number, env: NodeJS.ProcessEnv = {}): Result {
    const command = [process.execPath, this.#command, ...words].map((word) => `'${word}'`).join(' ');
    const { status, stdout, stderr } = spawnSync(
      'script',
      ['-qec', `stty cols ${columns}; exec ${command}`, '/dev/null'],
      {
        cwd: this.work,
        env: { ...this.env, NO_COLOR: '1', FOIL_PAGER: '', ...env },
        input: '',
        encoding: 'utf8',
      },
    );
    return { code: status, stdout, stderr };
  }

  /** `init --here`, and so many notes. Gives the verifier key. */
  ledger(notes = 0): string {
    const { vkey } = this.json(['init', '--here']) as { vkey: string };
    if (notes > 0) {
      const input = Array.from({ length: notes }, (_, i) => `{"text":"note ${i + 1}"}\n`).join('');
      this.ok(['append', 'note', '--lines'], { input });
    }
    return vkey;
  }

  path(...names: string[]): string {
    return join(this.work, ...names);
  }

  read(...names: string[]): string {
    return readFileSync(this.path(...names), 'utf8');
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  remove(): void {
    removeDirectory(this.root);
  }
}

/** Resolves when what a process prints matches. */
export function prints(child: ChildProcessWithoutNullStreams, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (piece: Buffer) => {
      text += piece.toString();
      if (pattern.test(text)) resolve(text);
    });
    child.on('close', () => reject(new Error(`ended without ${pattern}: ${text}`)));
  });
}

export function ends(
  child: ChildProcessWithoutNullStreams,
): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
}
