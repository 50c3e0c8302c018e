// A client of a wrapped server that speaks raw lines, so that every byte is the test's own. The proxy is a process, or,
// where the process is not what a test is about, the command's function in this one; the server is always a process.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { startHttpProxy } from '../../src/capture/mcp/index.ts';
import { type Context, Values } from '../../src/cli/command.ts';
import { wireOf, wrapServer } from '../../src/cli/mcp-wrap.ts';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { plain } from '../../src/report/text.ts';
import { FOIL } from '../cli/foil.ts';
import type { Project } from './recorded-project.ts';

export const SERVER = join(import.meta.dirname, 'mcp-server.mjs');

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

function parseLines(bytes: Buffer): JsonObject[] {
  return bytes
    .toString()
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as JsonObject];
      } catch {
        return [];
      }
    });
}

interface Ends {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly ended: Promise<Ended>;
}

/** What a client has of a server, however it is run. */
export class LineClient {
  readonly stdin: Writable;
  readonly ended: Promise<Ended>;
  #out: Buffer[] = [];
  #err = '';
  /** What is whole of what came, and how far that goes: all of it again with every piece is too much for many. */
  readonly #whole: JsonObject[] = [];
  #read = 0;
  #changed: () => void = () => undefined;

  constructor({ stdin, stdout, stderr, ended }: Ends) {
    this.stdin = stdin;
    stdin.on('error', () => undefined);
    stdout.on('data', (chunk: Buffer) => {
      this.#out.push(chunk);
      this.#changed();
    });
    stderr.on('data', (chunk: Buffer) => {
      this.#err += chunk.toString();
      this.#changed();
    });
    this.ended = ended.then((end) => {
      this.#changed();
      return end;
    });
  }

  send(value: Json | string): void {
    this.stdin.write(typeof value === 'string' ? value : `${JSON.stringify(value)}\n`);
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
    const { bytes } = this;
    const end = bytes.lastIndexOf(0x0a) + 1;
    if (end > this.#read) this.#whole.push(...parseLines(bytes.subarray(this.#read, end)));
    this.#read = Math.max(this.#read, end);
    return [...this.#whole, ...parseLines(bytes.subarray(end))];
  }

  async end(): Promise<Ended> {
    this.stdin.end();
    return this.ended;
  }
}

/** Of a process. */
export class RawClient extends LineClient {
  readonly child: ChildProcess;

  constructor(
    project: Pick<Project, 'work' | 'env'>,
    { words, env = {} }: { readonly words: readonly string[]; readonly env?: NodeJS.ProcessEnv },
  ) {
    const [command = '', ...args] = words;
    const child = spawn(command, args, {
      cwd: project.work,
      env: { ...project.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdin, stdout, stderr } = child;
    const ended = new Promise<Ended>((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal }));
    });
    super({ stdin, stdout, stderr, ended });
    this.child = child;
    onTestFinished(async () => {
      if ((child.exitCode ?? child.signalCode) !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    });
  }
}

/** What `foil` would give a command of these options, in this process. */
function contextHere(
  { work, env, directory }: Project,
  words: readonly string[],
  warn: (line: string) => void,
  more: NodeJS.ProcessEnv = {},
): Context {
  return {
    arguments: words,
    values: new Values(
      new Map([
        ['ledger', [directory]],
        ['name', ['test']],
      ]),
    ),
    cwd: work,
    env: { ...env, ...more },
    now: Date.now,
    paint: plain,
    columns: undefined,
    stdin: () => process.stdin,
    progress: () => undefined,
    warn,
    onInterrupt: () => () => undefined,
  };
}

/** `foil mcp wrap` in this process. The test ends it, by the end of its input at the latest. */
export function wrappedHere(
  project: Project,
  env: NodeJS.ProcessEnv = {},
  server: readonly string[] = [process.execPath, SERVER],
): LineClient {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const warn = (line: string): void => void stderr.write(`foil: ${line}\n`);
  const outcome = wrapServer(contextHere(project, server, warn, env), { stdin, stdout, stderr });
  const ended = outcome.then(async ({ exit }) => {
    stdout.end();
    await once(stdout, 'end');
    return { code: typeof exit === 'number' ? exit : null, signal: null };
  });
  const client = new LineClient({ stdin, stdout, stderr, ended });
  onTestFinished(async () => {
    stdin.end();
    await ended;
  });
  return client;
}

export interface HttpHere {
  readonly url: string;
  stop(): Promise<void>;
}

/** `foil mcp wrap --http` in this process. Ends with the test at the latest. */
export async function httpHere(project: Project, upstream: string, name = 'test'): Promise<HttpHere> {
  const wire = wireOf(
    contextHere(project, [], () => undefined),
    name,
  );
  const beginning = wire.begin();
  const proxy = await startHttpProxy({ upstream: new URL(upstream), port: 0, recorder: wire, name });
  const end = async (): Promise<void> => {
    await proxy.close();
    await beginning;
    await wire.end({ reason: 'stopped' }).catch(() => undefined);
  };
  let ended: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    ended ??= end();
    return ended;
  };
  onTestFinished(stop);
  return { url: proxy.url, stop };
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
