// A user with a project, for one run of a real host: a home, a git repository with a test that passes, and `foil` on the
// PATH. Nothing of the machine's own state, configuration or environment is read or written.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { removeDirectory } from '../temporary.ts';
import { runBounded } from './bounded.ts';
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

/** One line of `foil log --json`. */
export interface Entry {
  readonly seq: number;
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, unknown>>;
}

export class Place {
  /** On a disk, where a file can be made immutable. */
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'foil-hosts-')));
  readonly home = join(this.root, 'home');
  readonly project = join(this.root, 'project');
  readonly env: Readonly<Record<string, string>>;
  #frozen = false;

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
    };
    for (const [name, text] of Object.entries(PROJECT)) writeFileSync(join(this.project, name), text);
    const as = ['-c', 'user.name=dev', '-c', 'user.email=dev@example.com'];
    this.#git('init', '-q', '-b', 'main');
    this.#git('add', '.');
    this.#git(...as, 'commit', '-q', '-m', 'A sum');
  }

  /** Must end with 0; gives what it printed. */
  async foil(...words: string[]): Promise<string> {
    const options = { cwd: this.project, env: this.env, seconds: 60 };
    const { code, stdout, stderr } = await runBounded('foil', words, options);
    if (code !== 0) throw new Error(`foil ${words.join(' ')}: exit ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async log(): Promise<Entry[]> {
    const lines = (await this.foil('log', '--json')).trim().split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Entry);
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

  /** From now on nothing in the ledger can be written. Root ignores permissions, so root takes the attribute. */
  freeze(ledger: string): void {
    this.#frozen = true;
    if (process.getuid?.() === 0) execFileSync('chattr', ['-R', '+i', ledger], { stdio: 'ignore' });
    else execFileSync('chmod', ['-R', 'a-w', ledger]);
  }

  thaw(): void {
    if (!this.#frozen) return;
    this.#frozen = false;
    const state = join(this.home, '.local/state');
    if (process.getuid?.() === 0) execFileSync('chattr', ['-R', '-i', state], { stdio: 'ignore' });
    else execFileSync('chmod', ['-R', 'u+w', state]);
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
