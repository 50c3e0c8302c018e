// A throw-away copy of a work tree, for a check to be run in. The tree is an agent's, who may swap a file for a link to
// something that only we may read while we copy: so each file is opened without following a link, and taken only if what
// was opened lies where it should. Nothing is copied that must not be seen, or that belongs to us where we are not the
// agent's user. Bounded in files and bytes.
import { constants, type Dirent, realpathSync } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, readlink, rm, symlink, utimes } from 'node:fs/promises';
import { join } from 'node:path';

export interface CopyOptions {
  readonly root: string;
  /** Made by us; nothing is there yet. */
  readonly to: string;
  /** Directories of which nothing is copied. */
  readonly hidden: readonly string[];
  /** Files of this user are left out; null for none. */
  readonly notOwnedBy: number | null;
  readonly signal?: AbortSignal | undefined;
  readonly mostFiles?: number;
  readonly mostBytes?: number;
}

export type Copied =
  | {
      readonly state: 'copied';
      readonly files: number;
      readonly bytes: number;
      /** Paths that could not be read, or were not what they seemed; at most 64. */
      readonly unread: readonly string[];
    }
  | { readonly state: 'too-large' | 'cancelled' | 'hidden' };

const MOST_FILES = 300_000;
const MOST_BYTES = 2 * 1024 * 1024 * 1024;
/** Of the repository's own: without it, commands that ask git know nothing, and that is all. */
const GIT_FILES = 50_000;
const GIT_BYTES = 512 * 1024 * 1024;
const DEEPEST = 64;
const MOST_UNREAD = 64;
const AT_ONCE = 16;
const READ_ONLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export async function copyTree(options: CopyOptions): Promise<Copied> {
  const root = realpathSync(options.root);
  const hidden = options.hidden.flatMap((path) => real(path));
  // What lies in it must not be seen either, and is no project.
  if (root === '/' || hidden.some((path) => isWithin(root, path))) return { state: 'hidden' };
  const all = new Copier(root, { ...options, hidden });
  // Whoever runs in it must get into it; nobody gets to it but through the directory it is in.
  await mkdir(options.to, { mode: 0o755 });
  const done = await all.directory('', 0, (path) => path !== '.git' && path !== '.foil');
  if (done !== 'copied') return { state: done };
  const git = new Copier(root, { ...options, hidden, mostFiles: GIT_FILES, mostBytes: GIT_BYTES });
  const isOwn = (await lstat(join(root, '.git')).catch(() => undefined))?.isDirectory() === true;
  if (isOwn && (await git.directory('.git', 0, () => true)) !== 'copied')
    await rm(join(options.to, '.git'), { recursive: true, force: true });
  return { state: 'copied', files: all.files, bytes: all.bytes, unread: all.unread };
}

function real(path: string): string[] {
  try {
    return [realpathSync(path)];
  } catch {
    return [];
  }
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(`${directory}/`);
}

class Copier {
  files = 0;
  bytes = 0;
  readonly unread: string[] = [];
  readonly #root: string;
  readonly #options: CopyOptions;

  constructor(root: string, options: CopyOptions) {
    this.#root = root;
    this.#options = options;
  }

  async directory(
    path: string,
    depth: number,
    isWanted: (path: string) => boolean,
  ): Promise<'copied' | 'too-large' | 'cancelled'> {
    const { to, hidden, signal } = this.#options;
    if (signal?.aborted === true) return 'cancelled';
    if (depth > DEEPEST) return 'too-large';
    let entries: Dirent[];
    try {
      entries = await readdir(join(this.#root, path), { withFileTypes: true });
    } catch {
      this.#leave(path);
      return 'copied';
    }
    if (path !== '') await mkdir(join(to, path), { mode: 0o755 });
    const inner = (name: string): string => (path === '' ? name : `${path}/${name}`);
    const wanted = entries.filter(
      ({ name }) => isWanted(inner(name)) && !hidden.some((each) => join(this.#root, inner(name)) === each),
    );
    const others = wanted.filter((entry) => !entry.isDirectory());
    for (let at = 0; at < others.length; at += AT_ONCE) {
      await Promise.all(others.slice(at, at + AT_ONCE).map((entry) => this.#one(inner(entry.name), entry)));
      if (this.#isTooMuch()) return 'too-large';
    }
    for (const entry of wanted) {
      if (!entry.isDirectory()) continue;
      this.files++;
      const done = await this.directory(inner(entry.name), depth + 1, isWanted);
      if (done !== 'copied') return done;
    }
    return this.#isTooMuch() ? 'too-large' : 'copied';
  }

  #isTooMuch(): boolean {
    const { mostFiles = MOST_FILES, mostBytes = MOST_BYTES } = this.#options;
    return this.files > mostFiles || this.bytes > mostBytes;
  }

  #leave(path: string): void {
    if (this.unread.length < MOST_UNREAD) this.unread.push(path);
  }

  async #one(path: string, entry: Dirent): Promise<void> {
    const [from, to] = [join(this.#root, path), join(this.#options.to, path)];
    this.files++;
    try {
      if (entry.isSymbolicLink()) await symlink(await readlink(from), to);
      else if (entry.isFile() && !(await this.#file(from, to))) this.#leave(path);
      // Pipes, sockets and devices hold nothing.
    } catch {
      this.#leave(path);
    }
  }

  /** False where it is not to be had. */
  async #file(from: string, to: string): Promise<boolean> {
    const { mostBytes = MOST_BYTES, notOwnedBy } = this.#options;
    const file = await open(from, READ_ONLY);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.uid === notOwnedBy) return false;
      this.bytes += stats.size;
      if (this.bytes > mostBytes) return true; // told by the sum
      const opened = `/proc/self/fd/${file.fd}`;
      // A directory on the way may have become a link.
      if ((await readlink(opened)) !== from) return false;
      await copyFile(opened, to, constants.COPYFILE_FICLONE);
      await utimes(to, stats.atime, stats.mtime);
      return true;
    } finally {
      await file.close();
    }
  }
}
