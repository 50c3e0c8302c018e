// A client of a wrapped server that speaks raw lines, so that every byte is the test's own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { FOIL } from '../cli/foil.ts';
import type { Project } from './recorded-project.ts';

export const SERVER = join(import.meta.dirname, 'mcp-server.mjs');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class RawClient {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  #out: Buffer[] = [];
  #err = '';
  #changed: () => void = () => undefined;

  constructor(
    project: Pick<Project, 'work' | 'env'>,
    { words, env = {} }: { readonly words: readonly string[]; readonly env?: NodeJS.ProcessEnv },
  ) {
    const [command = '', ...args] = words;
    this.child = spawn(command, args, {
      cwd: project.work,
      env: { ...project.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin?.on('error', () => undefined);
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.#out.push(chunk);
      this.#changed();
    });
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.#err += chunk.toString();
      this.#changed();
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        this.#changed();
        resolve({ code, signal });
      });
    });
    onTestFinished(async () => {
      if ((this.child.exitCode ?? this.child.signalCode) !== null) return;
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    });
  }

  send(value: Json | string): void {
    this.child.stdin?.write(typeof value === 'string' ? value : `${JSON.stringify(value)}\n`);
  }

  call(id: Json, name: string, args: JsonObject = {}): void {
    this.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
  }

  get stdout(): string {
    return this.bytes.toString();
  }

  get bytes(): Buffer {
    const all = Buffer.concat(this.#out);
    this.#out = [all];
    return all;
  }

  /** How many so far, and the last of them. */
  get length(): number {
    return this.#out.reduce((sum, piece) => sum + piece.length, 0);
  }

  get last(): number | undefined {
    return this.#out.at(-1)?.at(-1);
  }

  get stderr(): string {
    return this.#err;
  }

  /** Resolves when it is so; rejects when the server ended without. */
  async until(isSo: () => boolean): Promise<void> {
    let over = false;
    void this.ended.then(() => {
      over = true;
    });
    while (!isSo()) {
      if (over) throw new Error(`it ended before that: ${this.stdout.slice(0, 2000)}${this.#err}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  /** The answer to a request of ours. */
  async answer(id: Json): Promise<JsonObject> {
    let found: JsonObject | undefined;
    await this.until(() => {
      found = this.messages().find((message) => message.id === id && !('method' in message));
      return found !== undefined;
    });
    return found ?? {};
  }

  messages(): JsonObject[] {
    return this.stdout.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line) as JsonObject];
      } catch {
        return [];
      }
    });
  }

  async end(): Promise<Ended> {
    this.child.stdin?.end();
    return this.ended;
  }
}

export function wrapped(
  project: Project,
  env: NodeJS.ProcessEnv = {},
  server = [process.execPath, SERVER],
  where = ['--ledger', project.directory],
): RawClient {
  const words = [process.execPath, FOIL, 'mcp', 'wrap', ...where, '--name', 'test', '--', ...server];
  return new RawClient(project, { words, env });
}

export function direct(project: Project, env: NodeJS.ProcessEnv = {}): RawClient {
  return new RawClient(project, { words: [process.execPath, SERVER], env });
}
