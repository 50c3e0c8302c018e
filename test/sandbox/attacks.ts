// What the attack list runs on: a folder as an attester lays it out, a sandbox that works here or the reason why none
// does, and what is looked at afterwards.
import { lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TreeFile } from '../../src/format/index.ts';
import type { FolderOutcome, FolderRun } from '../../src/gate/index.ts';
import { type BubblewrapOptions, makeBubblewrap } from '../../src/sandbox/bubblewrap/index.ts';
import { temporary } from '../temporary.ts';

export const MiB = 1024 * 1024;
export const TEST = 'the test as it was\n';

export interface Attacked extends FolderOutcome {
  readonly out: string;
  readonly err: string;
  readonly base: string;
  readonly folder: string;
}

export interface Attack extends Partial<FolderRun> {
  /** The files of the folder are given, and laid out in memory. */
  readonly inMemory?: boolean;
  readonly options?: Partial<BubblewrapOptions>;
  /** A directory for the folder and what the test puts beside it. */
  readonly base?: string;
}

/** A line of a shell, as the artifact's own program. */
export async function attack(
  script: string,
  { options = {}, base, inMemory = false, ...more }: Attack = {},
): Promise<Attacked> {
  const at = base ?? temporary(tmpdir());
  const folder = join(at, 'folder');
  for (const path of [folder, join(folder, 'test'), join(at, 'reports')])
    mkdirSync(path, { recursive: true });
  writeFileSync(join(folder, 'test/own.test.js'), TEST);
  writeFileSync(join(folder, 'artifact.js'), '');
  const outcome = await makeBubblewrap({ hidden: [], temporary: join(at, 'reports'), ...options }).runFolder({
    argv: ['bash', '-c', script],
    folder: inMemory ? filesIn(folder) : folder,
    timeoutMs: 30_000,
    maxOutput: MiB,
    ...more,
  });
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');
  return { ...outcome, out: text(outcome.stdout), err: text(outcome.stderr), base: at, folder };
}

function filesIn(folder: string): TreeFile[] {
  return listing(folder)
    .filter((path) => lstatSync(join(folder, path)).isFile())
    .map((path) => ({ path, bytes: new Uint8Array(readFileSync(join(folder, path))) }));
}

/** Every path below it, sorted. */
export function listing(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort();
}

/** Processes that have this text in their command line. */
export function running(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark);
    } catch {
      return false;
    }
  });
}

/** Those of other tests that run meanwhile apart. */
export function mounts(): string {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => !line.includes('/foil-e2e-'))
    .join('\n');
}
