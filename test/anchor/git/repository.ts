// A ledger with a git repository, and git to look at it with: the real one, in an environment of its own.
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { type CaughtUp, catchUp, type GitProblem, gitDirectory } from '../../../src/anchor/git/index.ts';
import { type FileStore, gitLock } from '../../../src/store/files/index.ts';
import { newFileLedger } from '../../file-ledger.ts';
import { fastDirectory, temporary } from '../../temporary.ts';
import { Sessions } from './sessions.ts';

export interface Scene {
  readonly directory: string;
  readonly store: FileStore;
  readonly sessions: Sessions;
  /** Its git directory. */
  readonly git: string;
}

export async function newScene(): Promise<Scene> {
  const directory = temporary(fastDirectory);
  const { store } = await newFileLedger(directory);
  return { directory, store, sessions: new Sessions(store), git: gitDirectory(directory) };
}

export function update(
  { directory, store }: Pick<Scene, 'directory' | 'store'>,
  options: { end?: 'merge' | 'archive'; rewrite?: boolean } = {},
): Promise<CaughtUp | GitProblem> {
  const settle = (): Promise<unknown> => store.append(() => undefined);
  return catchUp({ directory, store, lock: gitLock(directory), settle, ...options });
}

/** Caught up, and nothing in the way. */
export async function updated(
  scene: Pick<Scene, 'directory' | 'store'>,
  options: { end?: 'merge' | 'archive'; rewrite?: boolean } = {},
): Promise<CaughtUp> {
  const result = await update(scene, options);
  expect(result).not.toHaveProperty('problem');
  return result as CaughtUp;
}

const ENV = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Mallory',
  GIT_AUTHOR_EMAIL: 'm@example.org',
  GIT_COMMITTER_NAME: 'Mallory',
  GIT_COMMITTER_EMAIL: 'm@example.org',
  LC_ALL: 'C',
};

/** What git says. */
export function git(directory: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('git', ['-C', directory, ...args], {
    env: ENV,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trimEnd();
}

/** Nothing to complain of, and every object is what it is called. */
export function expectSound(directory: string): void {
  const { status, stdout, stderr } = spawnSync(
    'git',
    ['-C', directory, 'fsck', '--full', '--strict', '--no-dangling'],
    {
      env: ENV,
      encoding: 'utf8',
    },
  );
  expect({ status, stdout, stderr: stderr.replace(/^(Checking|notice:).*\n/gm, '') }).toEqual({
    status: 0,
    stdout: '',
    stderr: '',
  });
}
