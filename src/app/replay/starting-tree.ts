// The work tree as it is when a session begins, for a replay of it: every file that git does not ignore, with the state of
// the repository, and without git every file. Its objects are not taken: they never change, and are still there then.
// Bounded; what is too much makes the session one that can't be replayed, and its user is told.
import { constants, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type KeptFile, MOST_KEPT_BYTES, MOST_KEPT_FILES, PackError } from '../../format/index.ts';
import { findGit, runGit, splitZero } from '../../gate/index.ts';
import { readWhole } from '../../harness/index.ts';
import { ignoredEverywhere } from './git-settings.ts';

/** Made by others, large, and laid beside the replay as they are then. */
export const BORROWED = 'node_modules';
const NOT_TAKEN = new Set([BORROWED, '.foil', '.git']);
/** Of a repository's own: which commit is checked out, the branches, what is staged. */
const GIT_STATE = ['HEAD', 'config', 'index', 'packed-refs', 'refs'];
const GIT_MS = 20_000;
const GIT_BYTES = 32 * 1024 * 1024;
const DEEPEST = 64;

/** Throws PackError that says what is in the way. */
export async function startingTree(root: string, env: NodeJS.ProcessEnv): Promise<KeptFile[]> {
  const listed = await listedByGit(root, env);
  const isOwn = lstatSync(join(root, '.git'), { throwIfNoEntry: false })?.isDirectory() === true;
  if (listed !== null && !isOwn)
    throw new PackError(
      'UNREADABLE',
      'its folder is part of a repository whose .git folder lies elsewhere, as in a linked worktree.',
    );
  const paths = listed ?? below(root, '', (name) => !NOT_TAKEN.has(name));
  const state = isOwn ? GIT_STATE.flatMap((name) => below(root, `.git/${name}`, () => true)) : [];
  const files: KeptFile[] = [];
  let bytes = 0;
  for (const path of new Set([...paths, ...state])) {
    if (path.split('/').includes(BORROWED)) continue;
    const file = readKept(root, path);
    if (file === undefined) continue;
    bytes += file.bytes.length;
    files.push(file);
    if (files.length > MOST_KEPT_FILES || bytes > MOST_KEPT_BYTES)
      throw new PackError(
        'TOO_LARGE',
        `the work tree has more than ${MOST_KEPT_FILES} files or ${MOST_KEPT_BYTES} bytes that git does not ignore.`,
      );
  }
  return files;
}

/** Null without git, or outside of a repository. */
async function listedByGit(root: string, env: NodeJS.ProcessEnv): Promise<string[] | null> {
  const git = findGit(root);
  if (git === undefined) return null;
  const ignored = await ignoredEverywhere(root, env);
  const settings = ignored === undefined ? [] : ['-c', `core.excludesFile=${ignored}`];
  const args = [...settings, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const printed = await runGit({ git, args, cwd: root, env: {}, timeoutMs: GIT_MS, maxBytes: GIT_BYTES });
  return printed && splitZero(printed).map((path) => Buffer.from(path).toString('utf8'));
}

/** The file itself, or every one below it. Links are not followed. */
function below(root: string, path: string, isWanted: (name: string) => boolean, depth = 0): string[] {
  const found = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (found === undefined || depth > DEEPEST) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(join(root, path))
    .filter(isWanted)
    .flatMap((name) => below(root, path === '' ? name : `${path}/${name}`, isWanted, depth + 1));
}

/** Undefined for what was removed, and for what is neither a file nor a link. */
function readKept(root: string, path: string): KeptFile | undefined {
  const at = join(root, path);
  const found = lstatSync(at, { throwIfNoEntry: false });
  if (found === undefined) return undefined;
  const modified = Math.max(0, Math.floor(found.mtimeMs / 1000));
  if (found.isSymbolicLink())
    return { path, type: 'link', modified, bytes: Buffer.from(readlinkSync(at), 'utf8') };
  if (!found.isFile()) return undefined;
  const bytes = readWhole(at, path, MOST_KEPT_BYTES, constants.O_NOFOLLOW);
  return { path, type: (found.mode & 0o111) === 0 ? 'file' : 'program', modified, bytes };
}
