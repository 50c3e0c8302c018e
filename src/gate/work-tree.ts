// The state of a work tree's code, for telling whether anything changed after a test ran. By content: committing,
// staging, touching or switching branches and back changes nothing; an edit by whatever tool does, and so do a mode, a
// link, a move. It is taken by what lies on disk, compared with the commit the session began at through an index of our
// own (private-index.ts). The agent may change or delete everything meanwhile: that is null, never an error.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isCode, isPipeline, isTrackedCode } from '../ecosystems/index.ts';
import { bearsOnTests, type Profile, profileOf } from '../rules/index.ts';
import { type Looked, lookAt, readText } from './file-content.ts';
import { findGit } from './git-door.ts';
import { splitZero } from './git-process.ts';
import { type Asking, askPrivate, headOf, openPlace, refresh } from './private-index.ts';
import { findRepository, repositoryAt } from './repository.ts';
import { type Base, type Content, MOST_FILES, type TreeState } from './tree-state.ts';
import { isWanted, walk } from './walk.ts';

export interface TreeOptions {
  /** For indexes of our own, made if it is not there. In a work tree only below `.foil/`, which is not looked into. */
  readonly directory: string;
  readonly timeoutMs?: number;
}

const TAKE_MS = 2000;
const OPEN_MS = 10_000;
/** Files that look changed and are not cost a reading each time. Once that gets slow, the index is brought up to date. */
const SLOW_MS = 200;
const MOST_NESTED = 2000;
const LARGEST_PROFILED = 1024 * 1024;
const MOST_PROFILED = 2000;

const NONE: Base = { how: 'none', commit: null, place: null, dirty: new Map() };

/** At the start of a session. The state is the one it starts with; both are the caller's to keep. */
export async function openBase(
  root: string,
  { directory, timeoutMs = OPEN_MS }: TreeOptions,
): Promise<{ readonly base: Base; readonly state: TreeState | null }> {
  try {
    const left = countdown(timeoutMs);
    const begun = await beginning(root, directory, left);
    const state = begun.how === 'none' ? null : await take(root, begun, undefined, directory, left);
    if (state === null) return { base: NONE, state };
    return { base: { ...begun, dirty: profiled(root, state, left) }, state };
  } catch {
    return { base: NONE, state: null };
  }
}

async function beginning(root: string, directory: string, left: () => number): Promise<Base> {
  const git = findGit(root);
  const repository = findRepository(root);
  if (repository === undefined) return { ...NONE, how: 'walk' };
  if (git === undefined) return NONE;
  const asking = { root, git, directory, left };
  const commit = await headOf(asking, repository);
  const place = commit === undefined ? undefined : await openPlace(asking, repository, commit);
  if (commit === undefined || place === undefined) return NONE;
  return { ...NONE, how: 'git', commit, place };
}

function profiled(root: string, { files }: TreeState, left: () => number): Base['dirty'] {
  const dirty = new Map<string, { hash: Content; profile: Profile | null }>();
  let budget = MOST_PROFILED;
  for (const [path, hash] of files) {
    const isWanted = bearsOnTests(path);
    const isThere = hash !== 'deleted' && isWanted && left() > 0 && budget-- > 0;
    const text = isThere ? readText(join(root, path), LARGEST_PROFILED) : null;
    dirty.set(path, { hash, profile: text === null ? null : profileOf(path, text) });
  }
  return dirty;
}

interface Line {
  readonly running: Promise<TreeState | null>;
  next: Promise<TreeState | null> | undefined;
}
const lines = new Map<string, Line>();

/**
 * Null where it can't be had: no such tree, too many files, too slow. Calls that come while one is under way wait for
 * it and share the one after: what began before a call may not have seen what the caller just did.
 */
export function takeTree(
  root: string,
  base: Base,
  previous: TreeState | undefined,
  { directory, timeoutMs = TAKE_MS }: TreeOptions,
): Promise<TreeState | null> {
  if (base.how === 'none') return Promise.resolve(null);
  const key = JSON.stringify([root, base.how, base.place, directory]);
  const start = (): Promise<TreeState | null> => {
    const running = take(root, base, previous, directory, countdown(timeoutMs)).catch(() => null);
    const line: Line = { running, next: undefined };
    lines.set(key, line);
    return running.finally(() => {
      if (lines.get(key) === line && line.next === undefined) lines.delete(key);
    });
  };
  const line = lines.get(key);
  if (line === undefined) return start();
  line.next ??= line.running.then(start);
  return line.next;
}

function countdown(timeoutMs: number): () => number {
  const end = performance.now() + timeoutMs;
  return () => end - performance.now();
}

async function take(
  root: string,
  base: Base,
  previous: TreeState | undefined,
  directory: string,
  left: () => number,
): Promise<TreeState | null> {
  const paths = base.how === 'git' ? await changed(root, base, directory, left) : walk(root, left);
  if (paths === null) return null;
  const files = new Map<string, Content>();
  const stat = new Map<string, string>();
  for (const [path, raw] of paths) {
    if (left() <= 0) return null;
    const known = previous?.files.get(path);
    const before: Looked | undefined =
      known === undefined ? undefined : { content: known, stat: previous?.stat.get(path) };
    const looked = lookAt(raw ?? join(root, path), before) ?? (await directoryAt(join(root, path), left));
    files.set(path, looked.content);
    if (looked.stat !== undefined) stat.set(path, looked.stat);
  }
  return { files, stat };
}

/** A submodule counts by its commit. Where a file was and a directory is, the file is gone. */
async function directoryAt(path: string, left: () => number): Promise<Looked> {
  const nested = repositoryAt(path);
  const git = findGit(path);
  if (nested === undefined || git === undefined) return { content: 'deleted', stat: undefined };
  const head = await headOf({ root: path, git, left }, nested);
  return { content: `commit:${head ?? 'none'}`, stat: undefined };
}

/** Paths that differ from the base or are not in it; beside each its bytes, where they are no UTF-8. */
type Paths = ReadonlyMap<string, Buffer | undefined>;

async function changed(
  root: string,
  { commit, place }: Base,
  directory: string,
  left: () => number,
): Promise<Paths | null> {
  const git = findGit(root);
  if (git === undefined || place === null) return null;
  const asking: Asking = { root, git, directory, left };
  const before = left();
  const own = join(directory, place);
  let output = commit === null || existsSync(join(own, 'index')) ? await list(asking, place) : null;
  if (output === null && left() > 0) {
    // The private directory is gone or spoilt, or was never here: the session moved to another machine.
    const repository = findRepository(root);
    if (repository === undefined) return null;
    rmSync(own, { recursive: true, force: true });
    const again = await openPlace(asking, repository, commit);
    if (again !== undefined) output = await list(asking, again);
  } else if (before - left() > SLOW_MS) await refresh(asking, place);
  if (output === null) return null;
  const paths = new Map<string, Buffer | undefined>();
  for (const field of splitZero(output)) {
    const bytes = Buffer.from(field.buffer, field.byteOffset + 2, field.length - 2);
    const path = bytes.toString('utf8');
    const isUntracked = field[0] === UNTRACKED;
    if (path.endsWith('/')) {
      for (const inner of nestedFiles(root, path, left)) paths.set(inner, undefined);
    } else if (isUntracked ? isWanted(path) : isTrackedCode(path) || isPipeline(path)) {
      const isText = Buffer.from(path).equals(bytes);
      const name = isText ? path : `${path} ${bytes.toString('hex')}`;
      paths.set(name, isText ? undefined : Buffer.concat([Buffer.from(`${root}/`), bytes]));
    }
    if (paths.size > MOST_FILES) return null;
  }
  return paths;
}

/** What `ls-files -t` puts before it. */
const UNTRACKED = '?'.charCodeAt(0);

function list(asking: Asking, place: string): Promise<Buffer | null> {
  const rules = join(asking.directory, place, 'info', 'exclude');
  return askPrivate(asking, place, ['ls-files', '-t', '-z', '-o', '-m', '-d', '-X', rules]);
}

/** Where agents and people keep other work trees of the same repository: what is done there is not done here. */
const OTHER_TREES = /(?:^|\/)\.?(?:worktrees|trees)\//;

/** A repository inside, which git does not look into: file by file. Another work tree, or a large one, by its commit. */
function nestedFiles(root: string, path: string, left: () => number): Iterable<string> {
  const name = path.slice(0, -1);
  if (!isCode(name)) return [];
  const isOther = OTHER_TREES.test(path) && repositoryAt(join(root, name))?.linked;
  const files = isOther ? null : walk(join(root, name), left, MOST_NESTED);
  return files === null ? [name] : [...files.keys()].map((file) => path + file);
}
