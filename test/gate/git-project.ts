// A work tree in a temporary directory, with real git, and what a session would keep of it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256Hex } from '../../src/core/platform/node.ts';
import {
  type Base,
  differences,
  fingerprint,
  openBase,
  type TreeState,
  takeTree,
} from '../../src/gate/index.ts';
import { fastDirectory, temporary } from '../temporary.ts';

const IDENTITY = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', '-c', 'commit.gpgsign=false'];

export class Project {
  readonly root: string;
  readonly directory: string;
  base: Base | undefined;
  begun: TreeState | null = null;

  constructor(files: Readonly<Record<string, string>> = {}, { git = true } = {}) {
    const home = temporary(fastDirectory);
    this.root = join(home, 'work');
    this.directory = join(home, 'state', 'trees');
    mkdirSync(this.root);
    if (git) this.git('init', '-q', '-b', 'main', '.');
    this.write(files);
    if (git && Object.keys(files).length > 0) this.commit('base');
  }

  /** A busy machine may stall for seconds, and these tests are not about that. */
  get options(): { directory: string; timeoutMs: number } {
    return { directory: this.directory, timeoutMs: 50_000 };
  }

  write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
  }

  git(...args: string[]): string {
    const env = {
      PATH: process.env.PATH,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      HOME: this.root,
    };
    return execFileSync('git', [...IDENTITY, ...args], { cwd: this.root, env, encoding: 'utf8' }).trim();
  }

  shell(command: string): void {
    execFileSync('bash', ['-c', command], { cwd: this.root, stdio: 'ignore' });
  }

  commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '--allow-empty', '-m', message);
  }

  async begin(): Promise<Base> {
    const { base, state } = await openBase(this.root, this.options);
    this.base = base;
    this.begun = state;
    return base;
  }

  /** Always with the state before, as a session does. */
  async take(previous?: TreeState): Promise<TreeState> {
    const base = this.base ?? (await this.begin());
    const state = await takeTree(this.root, base, previous ?? this.begun ?? undefined, this.options);
    if (state === null) throw new Error('no state');
    return state;
  }

  /** What `change` changes. */
  async changes(change: () => unknown): Promise<string[]> {
    const before = await this.take();
    await change();
    const after = await this.take(before);
    const paths = differences(before, after);
    const isSame = fingerprint(before, sha256Hex) === fingerprint(after, sha256Hex);
    if (isSame !== (paths.length === 0)) throw new Error('fingerprint and differences disagree');
    return paths;
  }
}
