// The object of a commit, as git stores it.
import { type CommitProof, MOST_COMMIT_BYTES, readCommit } from '../format/index.ts';
import { findGit, runGit } from '../gate/index.ts';

const GIT_MS = 10_000;

/** Undefined where git is not here, or knows no such commit. */
export async function commitObject(
  root: string,
  named: string,
): Promise<{ readonly proof: CommitProof; readonly object: Uint8Array } | undefined> {
  const git = findGit(root);
  if (git === undefined) return undefined;
  const ask = (...args: string[]): Promise<Buffer | null> =>
    runGit({ git, args, cwd: root, env: {}, timeoutMs: GIT_MS, maxBytes: MOST_COMMIT_BYTES });
  const hash = await ask('rev-parse', '--verify', '--quiet', '--end-of-options', `${named}^{commit}`);
  const commit = hash?.toString().trim() ?? '';
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  const object = await ask('cat-file', 'commit', commit);
  return object === null ? undefined : { proof: readCommit(commit, object), object };
}
