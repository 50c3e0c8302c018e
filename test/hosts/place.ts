// A user with a project, for one run of a real host: a home, a git repository with a test that passes, and `foil` on the
// PATH. Nothing of the machine's own state, configuration or environment is read or written.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { removeDirectory } from '../temporary.ts';
import { type Ran, runBounded } from './bounded.ts';
import { directoryPrefix } from './leftovers.ts';
import { PROGRAM_DIRECTORY } from './programs.ts';

const FOIL = join(import.meta.dirname, '../../dist/foil.cjs');

const PROJECT = {
  'package.json': '{ "name": "sum", "type": "module", "scripts": { "test": "node --test" } }\n',
  'sum.js': 'export const sum = (a, b) => a + b;\n',
  'sum.test.js': `import assert from 'node:assert';
import test from 'node:test';
import { sum } from './sum.js';
test('sum', () => assert.equal(sum(1, 2), 3));
`,
};

/** Hosts look for updates, models and packages. The way out is a port that nobody listens on. */
const NOWHERE = 'http://127.0.0.1:1';
const NO_NETWORK = {
  HTTP_PROXY: NOWHERE,
  HTTPS_PROXY: NOWHERE,
  NO_PROXY: '127.0.0.1,localhost',
  npm_config_registry: NOWHERE,
  npm_config_fetch_retries: '0',
};

/** One line of `foil log --json`. */
export interface Entry {
  readonly seq: number;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

export class Place {
  /** On a disk, where a file can be made immutable. */
  readonly root = realpathSync(mkdtempSync(directoryPrefix()));
  readonly home = join(this.root, 'home');
  readonly project = join(this.root, 'project');
  readonly env: Readonly<Record<string, string>>;
  #frozen: string | null = null;
  #mounted = false;

  constructor() {
    const bin = join(this.root, 'bin');
    const run = join(this.root, 'run');
    for (const directory of [this.home, this.project, bin]) mkdirSync(directory);
    mkdirSync(run, { mode: 0o700 });
    const foil = `#!/bin/sh\nexec '${process.execPath}' '${FOIL}' "$@"\n`;
    writeFileSync(join(bin, 'foil'), foil, { mode: 0o755 });
    this.env = {
      HOME: this.home,
      PATH: [bin, PROGRAM_DIRECTORY, dirname(process.execPath), '/usr/local/bin:/usr/bin:/bin'].join(':'),
      XDG_RUNTIME_DIR: run,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      ...NO_NETWORK,
    };
    for (const [name, text] of Object.entries(PROJECT)) writeFileSync(join(this.project, name), text);
    // Hosts tell their model who commits, and a replay has to say the same.
    writeFileSync(join(this.home, '.gitconfig'), '[user]\n\tname = dev\n\temail = dev@example.com\n');
    this.#git('init', '-q', '-b', 'main');
    this.#git('add', '.');
    this.#git('commit', '-q', '-m', 'A sum');
  }

  tryFoil(...words: string[]): Promise<Ran> {
    return runBounded('foil', words, { cwd: this.project, env: this.env, seconds: 60 });
  }

  /** Must end with 0; gives what it printed. */
  async foil(...words: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.tryFoil(...words);
    if (code !== 0) throw new Error(`foil ${words.join(' ')}: exit ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async log(): Promise<Entry[]> {
    const lines = (await this.foil('log', '--json')).trim().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
  }

  /** What an entry has beside it under this name: a prompt's text, a call's arguments. */
  async content({ seq }: Entry, name: string): Promise<unknown> {
    const shown = JSON.parse(await this.foil('show', String(seq), '--json')) as {
      content: Record<string, { value?: unknown }>;
    };
    return shown.content[name]?.value;
  }

  async ledger(): Promise<string> {
    const { ledger } = JSON.parse(await this.foil('status', '--json')) as { ledger: string };
    return ledger;
  }

  has(name: string): boolean {
    return existsSync(join(this.project, name));
  }

  write(name: string, text: string): void {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /**
   * From now on nothing in the ledger can be written. Root ignores permissions, so root takes the attribute, or a mount where
   * the file system has no such attribute.
   */
  freeze(ledger: string): void {
    this.#frozen = ledger;
    changeFiles(ledger, isRoot ? ['chattr', '+i'] : ['chmod', 'a-w']);
    if (!isWritable(ledger)) return;
    const mounts = ['mount --bind "$0" "$0"', 'mount -o remount,ro,bind "$0"'].join(' && ');
    if (isRoot) this.#mounted = spawnSync('sh', ['-c', mounts, ledger]).status === 0;
    if (isWritable(ledger))
      throw new Error('the ledger can still be written: neither chattr nor mount works here');
  }

  thaw(): void {
    if (this.#frozen === null) return;
    if (this.#mounted) spawnSync('umount', [this.#frozen]);
    this.#mounted = false;
    changeFiles(this.#frozen, isRoot ? ['chattr', '-i'] : ['chmod', 'u+w']);
    this.#frozen = null;
  }

  /** kill -9. False where none runs. */
  killService(ledger: string): boolean {
    try {
      const { pid } = JSON.parse(readFileSync(join(ledger, 'service/state'), 'utf8')) as { pid: number };
      process.kill(pid, 'SIGKILL');
      return true;
    } catch {
      return false;
    }
  }

  async remove(): Promise<void> {
    this.thaw();
    this.killService(await this.ledger().catch(() => this.root));
    chmodSync(this.root, 0o700);
    removeDirectory(this.root);
  }

  #git(...words: string[]): void {
    execFileSync('git', words, { cwd: this.project, env: this.env });
  }
}

const isRoot = process.getuid?.() === 0;

function isWritable(ledger: string): boolean {
  const [segment] = readdirSync(join(ledger, 'ledger'));
  try {
    closeSync(openSync(join(ledger, 'ledger', segment ?? ''), 'a'));
    return true;
  } catch {
    return false;
  }
}

/** Files and directories only: a socket takes no attribute. One that goes away meanwhile is no matter. */
function changeFiles(directory: string, command: readonly string[]): void {
  const kinds = ['(', '-type', 'f', '-o', '-type', 'd', ')'];
  spawnSync('find', [directory, ...kinds, '-exec', ...command, '{}', '+']);
}
