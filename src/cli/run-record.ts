// What a run with a pack started from, and what it left behind, put on record: the commit, its tree and what differed from
// it; then the hash of the files that the pack's outputs name. Those files are kept beside the ledger for the attester.
import { createHash } from 'node:crypto';
import { createReadStream, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { withLedger } from '../app/index.ts';
import { CompactRange, canonicalize, encodeHex, type JsonObject, leafHash } from '../core/index.ts';
import { encodeRunArtifacts, encodeRunBase, type RunBase } from '../format/index.ts';
import { findGit, runGit } from '../gate/index.ts';
import { keepArtifacts } from '../harness/index.ts';
import type { Located } from '../ledger/index.ts';

const MOST_DIRTY = 10_000;
const MOST_DIRTY_BYTES = 256 * 1024 * 1024;
const GIT_MS = 10_000;
const GIT_BYTES = 8 * 1024 * 1024;
const NO_BASE: RunBase = { commit: null, tree: null, dirty: null, dirtyRoot: null };

export async function recordBase(located: Located, session: string, root: string): Promise<void> {
  await record(located, session, 'run.base', encodeRunBase(await baseOf(root)));
}

/** Nothing where the pack names no outputs. Throws PackError where they can't be taken, and says what to do. */
export async function recordArtifacts(
  located: Located,
  session: string,
  { root, outputs }: { readonly root: string; readonly outputs: readonly string[] },
): Promise<void> {
  if (outputs.length === 0) return;
  const artifacts = keepArtifacts(located.directory, root, outputs);
  await record(located, session, 'run.artifacts', encodeRunArtifacts(artifacts));
}

async function record(located: Located, session: string, kind: string, payload: JsonObject): Promise<void> {
  await withLedger(located, (ledger) => ledger.append({ kind, source: 'run', session_id: session, payload }));
}

async function baseOf(root: string): Promise<RunBase> {
  const git = findGit(root);
  if (git === undefined) return NO_BASE;
  const ask = (...args: string[]): Promise<Buffer | null> =>
    runGit({ git, args, cwd: root, env: {}, timeoutMs: GIT_MS, maxBytes: GIT_BYTES });
  const status = await ask('status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames');
  if (status === null) return NO_BASE;
  const hashes = (await ask('rev-parse', 'HEAD', 'HEAD^{tree}'))?.toString().trim().split('\n') ?? [];
  const [commit = null, tree = null] = hashes.length === 2 ? hashes : [];
  const paths = status
    .toString()
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => line.slice(3));
  return { commit, tree, dirty: paths.length, dirtyRoot: await dirtyRoot(root, paths) };
}

/** Over [path, SHA-256 or null for one that is gone or no file], sorted. Null where there are none, or too many. */
async function dirtyRoot(root: string, paths: readonly string[]): Promise<string | null> {
  if (paths.length === 0 || paths.length > MOST_DIRTY) return null;
  const range = new CompactRange();
  let bytes = 0;
  for (const path of [...paths].sort()) {
    const found = lstatSync(join(root, path), { throwIfNoEntry: false });
    bytes += found?.isFile() ? found.size : 0;
    if (bytes > MOST_DIRTY_BYTES) return null;
    const hash = found?.isFile() ? await hashOf(join(root, path)) : null;
    range.push(leafHash(Buffer.from(canonicalize([path, hash]))));
  }
  return encodeHex(range.root());
}

async function hashOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch {
    return null;
  }
}
