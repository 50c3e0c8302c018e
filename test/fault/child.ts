// Processes for tests to kill, stop and starve. Their sources are bundled first: node then starts at once, and they use
// the store with knobs that the package does not offer.
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { onTestFinished } from 'vitest';
import { sha256 } from '#platform';
import { encodeHex } from '../../src/core/index.ts';

export const root = join(import.meta.dirname, '../..');

/** Bundles test/<folder>/<name>.ts; gives the file to run. Under node_modules, so that native modules are found. */
export async function bundle(name: string, folder = 'fault'): Promise<string> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    format: 'esm',
    entryPoints: [join(root, 'test', folder, `${name}.ts`)],
    external: ['fs-native-extensions'],
    write: false,
  });
  // Several test files may do this at once, some of them with another file of the same name.
  const contents = outputFiles[0]?.contents ?? new Uint8Array();
  const directory = join(root, 'node_modules/.cache/counterfoil-test');
  const file = join(directory, `${name}-${encodeHex(sha256(contents)).slice(0, 16)}.mjs`);
  mkdirSync(directory, { recursive: true });
  writeFileSync(`${file}.${process.pid}`, contents);
  renameSync(`${file}.${process.pid}`, file);
  return file;
}

export class Child {
  readonly process: ChildProcess;
  readonly lines: string[] = [];
  /** Resolves when it has ended and everything it wrote was read. */
  readonly ended: Promise<{ code: number | null; signal: string | null }>;
  errors = '';
  #rest = '';
  #waiting: { test: () => boolean; resolve: () => void; reject: (error: Error) => void }[] = [];

  /** Ends with the test at the latest. */
  constructor(file: string, args: readonly string[], options: SpawnOptions = {}) {
    const stdio = ['pipe', 'pipe', 'pipe'] as const;
    this.process = spawn(process.execPath, [file, ...args], { ...options, stdio: [...stdio] });
    this.process.stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.errors += text;
    });
    this.ended = new Promise((resolve, reject) => {
      this.process.on('error', reject);
      this.process.on('close', (code, signal) => {
        resolve({ code, signal });
        const why = new Error(`process ended (${signal ?? code}) while awaited: ${this.errors}`);
        for (const { reject: give } of this.#waiting.splice(0)) give(why);
      });
    });
    onTestFinished(() => this.kill());
  }

  /** Resolves once `test` holds; looked at after each line. */
  until(test: () => boolean): Promise<void> {
    if (test()) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.push({ test, resolve, reject }));
  }

  tell(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  async kill(): Promise<void> {
    if (this.process.exitCode === null && this.process.signalCode === null) this.process.kill('SIGKILL');
    await this.ended;
  }

  /** Only whole lines count: a killed process may have been in the middle of one. */
  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      this.lines.push(line);
      const done = this.#waiting.filter(({ test }) => test());
      this.#waiting = this.#waiting.filter((one) => !done.includes(one));
      for (const { resolve } of done) resolve();
    }
  }
}
