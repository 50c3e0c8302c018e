// A shell that starts git for a large process. To start another process Linux copies the page tables of the one that
// asks, which in a service of 150 MB takes longer than all that git does; a shell has next to none. What it is told is
// quoted, and where an answer ends is said by a word that is drawn for it: no name of a file can say that. A shell that
// is gone, busy or silent is undefined, and git is started the other way.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';

export interface ShellRun {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: string | undefined;
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

const SHELL = '/bin/sh';
/** Longer input is for a pipe of its own. */
const LONGEST_INPUT = 65_536;
const NAME = /^[A-Z_]+$/;

export class GitShell {
  readonly #env: Readonly<Record<string, string>>;
  #child: ChildProcess | undefined;
  #busy = false;
  #closed = false;

  /** `env` is what all that it starts will have. */
  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
  }

  /** What the command printed, null where it failed, took too long or printed too much; undefined where it was not run. */
  async run(asked: ShellRun): Promise<Buffer | null | undefined> {
    if (this.#busy || this.#closed || !isTellable(asked)) return undefined;
    this.#busy = true;
    try {
      this.#child ??= this.#start();
      return await this.#ask(this.#child, asked);
    } catch {
      this.#end();
      return undefined;
    } finally {
      this.#busy = false;
    }
  }

  close(): void {
    this.#closed = true;
    this.#end();
  }

  #start(): ChildProcess {
    const { spawn } = process.getBuiltinModule('node:child_process');
    // A group of its own, so that it can be ended with what it runs. It ends by itself with its standard input.
    const child = spawn(SHELL, [], {
      cwd: '/',
      env: { ...this.#env },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
    });
    const gone = (): void => {
      if (this.#child === child) this.#child = undefined;
    };
    child.on('error', gone).on('exit', gone);
    child.stdin?.on('error', gone);
    child.unref();
    return child;
  }

  #ask(child: ChildProcess, asked: ShellRun): Promise<Buffer | null> {
    const { stdin, stdout } = child;
    if (stdin === null || stdout === null) throw new Error('no shell');
    const word = randomBytes(16).toString('hex');
    const ending = new RegExp(`\\n${word} ([0-9]{1,3})\\n$`);
    const pieces: Buffer[] = [];
    let bytes = 0;
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        stdout.off('data', take);
        child.off('exit', lost).off('error', lost);
        stdout.pause();
        end();
      };
      const giveUp = (): void => {
        this.#end();
        settle(() => resolve(null));
      };
      const lost = (): void => settle(() => reject(new Error('the shell is gone')));
      const timer = setTimeout(giveUp, asked.timeoutMs);
      const take = (piece: Buffer): void => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > asked.maxBytes + LONGEST_ENDING) giveUp();
        else if (piece.at(-1) === NEWLINE) {
          const [found, status] = ending.exec(lastOf(pieces)) ?? [];
          if (found === undefined) return;
          const length = bytes - found.length;
          const isGood = status === '0' && length <= asked.maxBytes;
          settle(() => resolve(isGood ? Buffer.concat(pieces).subarray(0, length) : null));
        }
      };
      child.on('exit', lost).on('error', lost);
      stdout.on('data', take);
      stdout.resume();
      stdin.write(`${commandLine(asked)}\nprintf '\\n%s %d\\n' ${word} $?\n`);
    });
  }

  /** With all that it runs. */
  #end(): void {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
    child.stdin?.destroy();
    child.stdout?.destroy();
  }
}

const NEWLINE = 10;
/** Two newlines, the word, a space and a status. */
const LONGEST_ENDING = 38;

function lastOf(pieces: readonly Buffer[]): string {
  let text = '';
  for (let at = pieces.length - 1; at >= 0 && text.length < LONGEST_ENDING; at--)
    text = (pieces[at] as Buffer).toString('latin1').slice(-LONGEST_ENDING) + text;
  return text;
}

/** A zero byte can't be told at all. */
function isTellable({ words, env, input = '', timeoutMs }: ShellRun): boolean {
  const texts = [...words, ...Object.values(env), input];
  const isPlain = texts.every((text) => text.isWellFormed() && !text.includes('\0'));
  return (
    timeoutMs > 0 &&
    isPlain &&
    input.length <= LONGEST_INPUT &&
    Object.keys(env).every((name) => NAME.test(name))
  );
}

function commandLine({ words, env, input }: ShellRun): string {
  const set = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)} `);
  const command = set.join('') + words.map(quoted).join(' ');
  return input === undefined ? `${command} </dev/null` : `printf %s ${quoted(input)} | ${command}`;
}

/** Between single quotes a shell takes everything as it is. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
