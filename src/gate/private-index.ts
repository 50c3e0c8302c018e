// A git directory of our own for a work tree: an index that holds the session's base, with its own flags and its own
// memory of sizes and times, settings of ours, and the rules of what is left out as they were at the start. So nothing
// an agent does to the repository's index, settings, filters, attributes or rules can hide an edit, and nothing of
// ours disturbs it. Objects are read from the repository's. Whoever can write to the ledger's directory can spoil it.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '#platform';
import { type GitRun, runGit, splitZero } from './git-process.ts';
import { ignoreRules } from './ignore-rules.ts';
import type { Repository } from './repository.ts';

const MOST_OUTPUT = 16 * 1024 * 1024;
const UNUSED_MS = 14 * 24 * 3600 * 1000;

export interface Asking {
  readonly root: string;
  readonly git: string;
  /** Where private directories are kept. */
  readonly directory: string;
  /** Milliseconds that are left. */
  readonly left: () => number;
}

/** What git prints, asked in the private directory of that name. */
export function askPrivate(
  { root, git, directory, left }: Asking,
  place: string,
  args: readonly string[],
  more: Partial<GitRun> & { readonly objects?: string } = {},
): Promise<Buffer | null> {
  const { objects, ...rest } = more;
  const env: Record<string, string> = { GIT_DIR: join(directory, place), GIT_WORK_TREE: root };
  if (objects !== undefined) env.GIT_OBJECT_DIRECTORY = objects;
  return runGit({ git, args, cwd: root, env, timeoutMs: left(), maxBytes: MOST_OUTPUT, ...rest });
}

export function askRepository(
  { root, git, left }: Omit<Asking, 'directory'>,
  repository: Pick<Repository, 'gitDirectory'>,
  args: readonly string[],
): Promise<Buffer | null> {
  const env = { GIT_DIR: repository.gitDirectory, GIT_WORK_TREE: root };
  return runGit({ git, args, cwd: root, env, timeoutMs: left(), maxBytes: MOST_OUTPUT });
}

/** The commit HEAD names, null before the first, undefined where there is no telling. */
export async function headOf(
  asking: Omit<Asking, 'directory'>,
  repository: Pick<Repository, 'gitDirectory'>,
): Promise<string | null | undefined> {
  const head = await askRepository(asking, repository, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head !== null) {
    const id = head.toString('latin1').trim();
    return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(id) ? id : undefined;
  }
  const branch = await askRepository(asking, repository, ['symbolic-ref', '--quiet', 'HEAD']);
  return branch === null ? undefined : null;
}

/** Settings that change what is in a file on disk, and no others. */
const SETTINGS = '^core\\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|bare)$';
const SETTING = /^core\.([a-z]+)\n(true|false|input|lf|crlf|native)$/;

/** The name of a private directory whose index is `commit`, made where there is none yet; undefined if it can't be. */
export async function openPlace(
  asking: Asking,
  repository: Repository,
  commit: string | null,
): Promise<string | undefined> {
  const { root, directory } = asking;
  const settings = new Map<string, string>();
  const listed = await askRepository(asking, repository, ['config', '-z', '--get-regexp', SETTINGS]);
  for (const field of splitZero(listed ?? Buffer.of())) {
    const [, name, value] = SETTING.exec(Buffer.from(field).toString('utf8')) ?? [];
    if (name !== undefined && value !== undefined) settings.set(name, value);
  }
  if (settings.get('bare') === 'true') return undefined;
  settings.delete('bare');
  const draft = `.${process.pid}.${draftCount++}`;
  const drafted = join(directory, draft);
  try {
    writePlace(drafted, settings, commit);
    const objects = join(repository.commonDirectory, 'objects');
    if (commit !== null && !(await readTree(asking, draft, objects, commit, repository.prefix)))
      return undefined;
    const rules = await rulesNow(asking, draft, repository);
    if (rules === undefined) return undefined;
    writeFileSync(join(drafted, 'info', 'exclude'), rules);
    const settled = [...settings].sort().join();
    const key = JSON.stringify([root, commit, repository.prefix, settled, rules]);
    const name = sha256Hex(key).slice(0, 32);
    const place = join(directory, name);
    if (!existsSync(join(place, 'index'))) {
      rmSync(place, { recursive: true, force: true });
      if ((await refresh(asking, draft)) === null) return undefined;
      renameSync(drafted, place);
    } else await refresh(asking, name);
    const now = Date.now() / 1000;
    utimesSync(place, now, now);
    removeUnused(directory);
    return name;
  } catch {
    return undefined;
  } finally {
    rmSync(drafted, { recursive: true, force: true });
  }
}

let draftCount = 0;

function writePlace(place: string, settings: ReadonlyMap<string, string>, commit: string | null): void {
  mkdirSync(join(place, 'objects'), { recursive: true, mode: 0o700 });
  mkdirSync(join(place, 'refs'));
  mkdirSync(join(place, 'info'));
  writeFileSync(join(place, 'HEAD'), 'ref: refs/heads/none\n');
  const isSha256 = commit?.length === 64;
  const lines = [
    '[core]',
    `repositoryformatversion = ${isSha256 ? 1 : 0}`,
    'bare = false',
    'logallrefupdates = false',
    ...[...settings].map(([name, value]) => `${name} = ${value}`),
    ...(isSha256 ? ['[extensions]', 'objectformat = sha256'] : []),
  ];
  writeFileSync(join(place, 'config'), `${lines.join('\n')}\n`);
  // Stronger than any .gitattributes: what is compared is what is on disk.
  writeFileSync(join(place, 'info', 'attributes'), '* -filter -ident -working-tree-encoding\n');
}

/** A work tree that the commit has nothing of, such as a new package, begins with an empty index. */
async function readTree(
  asking: Asking,
  place: string,
  objects: string,
  commit: string,
  prefix: string,
): Promise<boolean> {
  const tree = prefix === '' ? commit : `${commit}:${prefix.slice(0, -1)}`;
  if ((await askPrivate(asking, place, ['read-tree', tree], { objects })) !== null) return true;
  const hasCommit = await askPrivate(asking, place, ['cat-file', '-e', commit], { objects });
  return prefix !== '' && hasCommit !== null;
}

async function rulesNow(asking: Asking, place: string, repository: Repository): Promise<string | undefined> {
  const own = join(repository.commonDirectory, 'info', 'exclude');
  const list = [
    'ls-files',
    '-z',
    '--exclude-per-directory=.gitignore',
    ...(existsSync(own) ? ['-X', own] : []),
  ];
  const [tracked, ignored] = await Promise.all([
    askPrivate(asking, place, [...list, '-c', '-o']),
    askPrivate(asking, place, [...list, '-o', '-i', '--directory']),
  ]);
  if (tracked === null || ignored === null) return undefined;
  const files = splitZero(tracked)
    .map((path) => Buffer.from(path).toString('utf8'))
    .filter((path) => path === '.gitignore' || path.endsWith('/.gitignore'));
  const excluded = splitZero(ignored)
    .map((path) => Buffer.from(path).toString('utf8'))
    .filter((path) => path.endsWith('/') && path !== './' && !path.includes('\n'));
  const above: string[] = [];
  const parts = repository.prefix.split('/').slice(0, -1);
  for (let depth = 0; depth < parts.length; depth++)
    above.push(join(repository.top, ...parts.slice(0, depth), '.gitignore'));
  return ignoreRules(asking.root, { files, above: [...above, own], excluded });
}

/** Looks at every file, and remembers sizes and times of those that are as the base has them. */
export function refresh(asking: Asking, place: string): Promise<Buffer | null> {
  return askPrivate(asking, place, ['update-index', '-q', '--refresh', '--ignore-submodules'], {
    maxBytes: Number.MAX_SAFE_INTEGER,
  });
}

function removeUnused(directory: string): void {
  const oldest = Date.now() - UNUSED_MS;
  for (const name of readdirSync(directory)) {
    if (!/^(?:[0-9a-f]{32}|\.[0-9]+\.[0-9]+)$/.test(name)) continue;
    const place = join(directory, name);
    if (statSync(place).mtimeMs < oldest) rmSync(place, { recursive: true, force: true });
  }
}
