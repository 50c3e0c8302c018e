// Verifies a ledger's directory with as many threads as help.
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { GIT_DIR, SEGMENT_DIR } from '../format/index.ts';
import { openFiles } from '../store/files/index.ts';
import {
  type GitEvidence,
  type LineChecker,
  type Report,
  type VerifyOptions,
  verifyInParallel,
  verifyLedger,
} from '../verify/index.ts';
import { Thread } from './thread.ts';

/** Below this, starting threads takes longer than they save. */
const WORTH_THREADS = 8 * 1024 * 1024;
const MOST_THREADS = 4;

export interface VerifyDirectoryOptions extends VerifyOptions {
  /** Threads for the hot loop; 0 for none but this one. By default as many as there are cores, up to four. */
  readonly threads?: number;
}

/** Never throws for bad evidence; StoreError where the directory itself can't be read. */
export async function verifyDirectory(
  directory: string,
  options: VerifyDirectoryOptions = {},
): Promise<Report> {
  const { threads = Math.min(MOST_THREADS, availableParallelism()), ...asked } = options;
  // Before the entries are read: a commit is made after its entry.
  const git = asked.git ?? (await gitEvidence(directory));
  const rest = git === undefined ? asked : { ...asked, git };
  const files = openFiles(directory);
  let bytes = 0;
  for (const { size } of await files.list(SEGMENT_DIR)) bytes += size;
  if (threads === 0 || bytes < WORTH_THREADS) return verifyLedger(files, rest);
  const pool = Array.from({ length: threads }, () => new Thread());
  let turn = 0;
  const checker: LineChecker = {
    width: threads,
    check: (run, lines) => (pool[turn++ % threads] as Thread).check(run, lines),
  };
  try {
    return await verifyInParallel(files, checker, rest);
  } finally {
    await Promise.all(pool.map((thread) => thread.close()));
  }
}

/** Loaded where there is a repository: it brings along all that runs git. */
async function gitEvidence(directory: string): Promise<GitEvidence | undefined> {
  if (!existsSync(join(directory, GIT_DIR))) return undefined;
  const { readGitEvidence } = await import('../anchor/git/index.ts');
  return readGitEvidence(directory);
}
