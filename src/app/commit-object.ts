// Objects of git, as it stores them: a commit, the commits between it and an earlier one, and the trees that can hold what a run
// made.
import { ParseError } from '../core/index.ts';
import {
  type CommitProof,
  MOST_COMMIT_BYTES,
  MOST_TREE_BYTES,
  mayHoldOutput,
  PASSED_FOLDERS,
  readCommit,
  readTree,
} from '../format/index.ts';
import { findGit, runGit } from '../gate/index.ts';

const GIT_MS = 10_000;
/** Between a run and the commit of what it made; and folders that can hold an output. */
const MOST_BETWEEN = 1000;
const MOST_TREES = 5000;

type Ask = (most: number, ...args: string[]) => Promise<Buffer | null>;

function gitIn(root: string): Ask | undefined {
  const git = findGit(root);
  if (git === undefined) return undefined;
  return (maxBytes, ...args) => runGit({ git, args, cwd: root, env: {}, timeoutMs: GIT_MS, maxBytes });
}

/** Undefined where git is not here, or knows no such commit. */
export async function commitObject(
  root: string,
  named: string,
): Promise<{ readonly proof: CommitProof; readonly object: Uint8Array } | undefined> {
  const ask = gitIn(root);
  const hash = await ask?.(
    MOST_COMMIT_BYTES,
    ...['rev-parse', '--verify', '--quiet', '--end-of-options', `${named}^{commit}`],
  );
  const commit = hash?.toString().trim() ?? '';
  if (!/^[0-9a-f]{40,64}$/.test(commit)) return undefined;
  const object = (await ask?.(MOST_COMMIT_BYTES, 'cat-file', 'commit', commit)) ?? null;
  return object === null ? undefined : { proof: readCommit(commit, object), object };
}

/** Commits on the ways from `base` to `commit`, that one included; none where it does not go on from `base`. */
export async function commitsSince(
  root: string,
  base: string,
  commit: string,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const ask = gitIn(root);
  const range = [
    '--ancestry-path',
    `--max-count=${MOST_BETWEEN + 1}`,
    '--end-of-options',
    `${base}..${commit}`,
  ];
  const printed = (await ask?.(MOST_COMMIT_BYTES, 'rev-list', ...range)) ?? null;
  const names = printed?.toString().split('\n').filter(Boolean) ?? [];
  const found = new Map<string, Uint8Array>();
  if (names.length > MOST_BETWEEN) return found;
  for (const name of names) {
    const object = await commitObject(root, name);
    if (object !== undefined) found.set(name, object.object);
  }
  return found;
}

/** The trees, from that of a commit on, of every folder that can hold an output; those that can be read. */
export async function treesOf(
  root: string,
  tree: string,
  outputs: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const ask = gitIn(root);
  const mayHold = mayHoldOutput(outputs);
  const found = new Map<string, Uint8Array>();
  const waiting: { readonly tree: string; readonly above: readonly string[] }[] = [{ tree, above: [] }];
  for (const { tree: name, above } of waiting) {
    if (found.size >= MOST_TREES) break;
    const object = found.get(name) ?? (await ask?.(MOST_TREE_BYTES, 'cat-file', 'tree', name)) ?? null;
    if (object === null) continue;
    try {
      for (const { kind, name: part, hash } of readTree(name, object)) {
        const here = [...above, part];
        if (kind === 'folder' && !PASSED_FOLDERS.has(part) && mayHold(here))
          waiting.push({ tree: hash, above: here });
      }
      found.set(name, object);
    } catch (error) {
      if (!(error instanceof ParseError)) throw error;
    }
  }
  return found;
}
