// A project whose hosts are recorded by the built command: each event a process, or a request to the real service. All
// of its state, configuration and notes lie in directories that go away with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished } from 'vitest';
import type { Json, JsonObject } from '../../src/core/index.ts';
import { createLedger, verifyDirectory } from '../../src/entry/index.ts';
import { type Entry, parseContentRef } from '../../src/format/index.ts';
import { type Located, locate } from '../../src/ledger/index.ts';
import { runtimeDirectory } from '../../src/record/index.ts';
import { readToken } from '../../src/service/index.ts';
import { openFileStore } from '../../src/store/files/index.ts';
import type { Report } from '../../src/verify/index.ts';
import { FOIL, type Result, runWarm } from '../cli/warm.ts';
import { entriesSoFar } from '../service/gateway/entries-so-far.ts';
import { type Reply, send } from '../service/serving.ts';
import { fastDirectory, removeDirectory } from '../temporary.ts';
import { hookHere } from './hook-here.ts';

export type Input = string | Uint8Array | JsonObject | readonly Json[];

export interface HookOptions {
  readonly mode?: 'observe' | 'guard' | 'locked';
  readonly event?: string | null;
  /** More words on the command line. */
  readonly words?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  /** Words before node's own: a shell that sets a limit. */
  readonly before?: readonly string[];
  /** False to leave it to the hook to find its ledger. */
  readonly pinned?: boolean;
}

export interface CommandOptions extends Pick<HookOptions, 'env' | 'cwd'> {
  readonly input?: Input;
}

export interface Serving {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
  readonly child: ChildProcess;
}

/** What a ledger has besides what was recorded: its first entry, and the policy that its first session finds. */
const OWN_KINDS: ReadonlySet<string> = new Set(['ledger.open', 'policy']);

export class Project {
  readonly root: string;
  readonly work: string;
  readonly env: NodeJS.ProcessEnv;
  readonly located: Located;
  readonly #children = new Set<ChildProcess>();

  constructor(parent = fastDirectory) {
    this.root = mkdtempSync(join(parent, 'foil-e2e-'));
    this.work = join(this.root, 'work');
    this.env = {
      PATH: process.env.PATH,
      HOME: join(this.root, 'home'),
      XDG_STATE_HOME: join(this.root, 'state'),
      XDG_CONFIG_HOME: join(this.root, 'config'),
      XDG_RUNTIME_DIR: join(this.root, 'run'),
      TMPDIR: join(this.root, 'tmp'),
    };
    for (const name of ['work', 'home', 'state', 'config', 'run', 'tmp']) mkdirSync(join(this.root, name));
    this.located = locate({ ledger: join(this.root, 'state', 'ledger'), env: this.env });
  }

  get directory(): string {
    return this.located.directory;
  }

  /** Where notes about what was not recorded lie. */
  get runtime(): string {
    return runtimeDirectory(this.directory, this.env);
  }

  async remove(): Promise<void> {
    const running = [...this.#children].filter(
      ({ exitCode, signalCode }) => (exitCode ?? signalCode) === null,
    );
    for (const child of running) child.kill('SIGKILL');
    await Promise.all(running.map((child) => once(child, 'exit')));
    // What seals a turn that ended is a process of its own.
    removeDirectory(this.root);
  }

  /** What the ledger says of how strict it is. */
  settings(mode: string, port: number | null = null): void {
    const runtime = join(this.root, 'run/counterfoil');
    writeFileSync(join(this.directory, 'settings'), `${JSON.stringify({ v: 1, mode, port, runtime })}\n`);
  }

  start(words: readonly string[], options: HookOptions = {}): ChildProcess {
    const { env = {}, cwd = this.work, uid, before = [] } = options;
    const [program = '', ...rest] = [...before, process.execPath, FOIL, ...words];
    const child = spawn(program, rest, {
      cwd,
      env: { ...this.env, ...env },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    });
    this.#children.add(child);
    child.on('exit', () => this.#children.delete(child));
    return child;
  }

  /** A command, in a process that is warm: see ../cli/warm.ts. */
  foil(words: readonly string[], options: CommandOptions = {}): Promise<Result> {
    const { env = {}, cwd = this.work, input = '' } = options;
    return runWarm(words, { cwd, env: { ...this.env, ...env }, input: bytesOf(input) });
  }

  /** The same in a process of its own. */
  spawn(words: readonly string[], options: HookOptions & { input?: Input } = {}): Promise<Result> {
    return finish(this.start(words, options), bytesOf(options.input ?? ''));
  }

  hookWords(agent: string, { mode, event = null, words = [], pinned = true }: HookOptions = {}): string[] {
    return [
      'hook',
      agent,
      ...(pinned ? ['--ledger', this.directory] : []),
      ...(mode === undefined ? [] : ['--mode', mode]),
      ...(event === null ? [] : ['--event', event]),
      ...words,
    ];
  }

  /** One event as a process. A shell of its own is its host: what the test runs itself is a person's, in another terminal. */
  hook(agent: string, input: Input, options: HookOptions = {}): Promise<Result> {
    const { before = ['/bin/sh', '-c', '"$@"; exit $?', 'sh'] } = options;
    return finish(this.start(this.hookWords(agent, options), { ...options, before }), bytesOf(input));
  }

  /** One event, in this process: see hook-here.ts. */
  tell(
    agent: string,
    input: Input,
    options: Pick<HookOptions, 'mode' | 'event' | 'words' | 'env' | 'cwd' | 'pinned'> = {},
  ): Promise<Result> {
    const { env = {}, cwd = this.work } = options;
    const [, ...words] = this.hookWords(agent, options);
    return hookHere(words, bytesOf(input), { env: { ...this.env, ...env }, cwd });
  }

  async serve(words: readonly string[] = ['--port', '0']): Promise<Serving> {
    const child = this.start(['serve', '--ledger', this.directory, '--json', ...words]);
    const line = await firstLine(child);
    const { pid, port } = JSON.parse(line) as { pid: number; port: number };
    return { child, pid, port, token: readToken(this.directory) ?? '' };
  }

  entries(): Entry[] {
    return entriesSoFar(this.directory);
  }

  /** Without what the ledger writes about itself. */
  recorded(from = 1): Entry[] {
    return this.entries().filter(({ seq, kind }) => seq > from && !OWN_KINDS.has(kind));
  }

  /** Content that an entry refers to, as it is kept. */
  async content(entry: Entry | undefined, member: string): Promise<string> {
    const ref = entry?.payload[member];
    if (entry === undefined || ref === undefined || ref === null) throw new Error(`no ${member}`);
    const store = openFileStore(this.directory);
    try {
      const bytes = await store.getContent(entry.session_id, parseContentRef(ref as JsonObject));
      return Buffer.from(bytes ?? []).toString();
    } finally {
      await store.close();
    }
  }

  async json(entry: Entry | undefined, member: string): Promise<Json> {
    return JSON.parse(await this.content(entry, member)) as Json;
  }

  /** The chain, the tree, and all content against its commitments. */
  /** A record that is sound; with VIOLATION one that shows claims which rest on nothing. */
  async expectIntact(verdict: Report['verdict'] = 'INTACT'): Promise<Report['counts']> {
    const report = await verifyDirectory(this.directory, { content: true, threads: 0 });
    expect(report.failures).toEqual([]);
    expect(report.verdict).toBe(verdict);
    expect(report.unknownKinds).toEqual([]);
    expect(report.counts.contentAbsent).toBe(0);
    return report.counts;
  }

  /** Every file there is, as its bytes and, where it is gzipped, as what is in it. */
  *files(): Generator<{ readonly path: string; readonly bytes: Buffer }> {
    for (const name of readdirSync(this.root, { recursive: true, encoding: 'utf8' })) {
      const path = join(this.root, name);
      const bytes = readIfFile(path);
      if (bytes === undefined) continue;
      yield { path, bytes };
      if (bytes[0] === 0x1f && bytes[1] === 0x8b)
        yield { path: `${path} (gunzipped)`, bytes: gunzipSync(bytes) };
    }
  }
}

/** A running service replaces files meanwhile. */
function readIfFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

/** With a ledger in it. Goes away with the test. */
export async function newProject(parent?: string): Promise<Project> {
  const project = await makeProject(parent);
  onTestFinished(() => project.remove());
  return project;
}

export async function makeProject(parent?: string): Promise<Project> {
  const project = new Project(parent);
  await (await createLedger(project.located)).close();
  project.settings('observe'); // which also says where notes are: not with those of the user who runs the tests
  return project;
}

/** One event over HTTP, as an installed hook sends it. */
export function post(
  { port, token }: Pick<Serving, 'port' | 'token'>,
  agent: string,
  input: Input,
  event: string | null = null,
): Promise<Reply> {
  const query = event === null ? '' : `?event=${encodeURIComponent(event)}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const path = `/v1/hook/${agent}${query}`;
  return send({ host: '127.0.0.1', port, path, method: 'POST', headers }, bytesOf(input));
}

export function bytesOf(input: Input): Uint8Array {
  if (input instanceof Uint8Array) return input;
  return Buffer.from(typeof input === 'string' ? input : JSON.stringify(input));
}

export function finish(child: ChildProcess, input: Uint8Array): Promise<Result> {
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout?.on('data', (piece: Buffer) => out.push(piece));
    child.stderr?.on('data', (piece: Buffer) => err.push(piece));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }),
    );
    child.stdin?.on('error', () => undefined); // it may leave without reading all of it
    child.stdin?.end(input);
  });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (piece: Buffer) => {
      text += piece.toString();
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.stderr?.on('data', (piece: Buffer) => {
      text += piece.toString();
    });
    child.on('close', () => reject(new Error(`it ended: ${text}`)));
  });
}
