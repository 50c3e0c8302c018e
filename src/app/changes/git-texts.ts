// Texts of files in commits of a repository, and in its work tree. The repository may be hostile: git is started through its one
// door, nothing is fetched, no filter runs, and sizes and time are bounded. Whatever can't be read is said to be absent.
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { findGit, findRepository, runGit } from '../../gate/index.ts';

export interface GitTexts {
  /** The whole hash of a commit that is here. */
  resolve(commit: string): Promise<string | undefined>;
  goesOnFrom(base: string, commit: string): Promise<boolean>;
  /** Of each path, in this order. */
  texts(commit: string, paths: readonly string[]): Promise<readonly FileText[]>;
  inTree(path: string): FileText;
}

/** Null where there is no such file. */
export type FileText = { readonly text: string | null } | { readonly why: string };

const GIT_MS = 5000;
const LARGEST = 262_144;
const MOST_BYTES = 16_000_000;
const TOO_LARGE = 'It is larger than 256 kB.';
const BINARY = 'It is not text.';
const UNREADABLE = 'Git can’t read it.';

/** Undefined where the folder is in no repository, or there is no git. */
export function openGitTexts(root: string): GitTexts | undefined {
  const git = findGit(root);
  const repository = findRepository(root);
  if (git === undefined || repository === undefined) return undefined;
  const env = { GIT_DIR: repository.gitDirectory };
  const until = performance.now() + GIT_MS;
  const ask = (args: readonly string[], input?: string): Promise<Buffer | null> =>
    runGit({
      git,
      args,
      cwd: root,
      env,
      timeoutMs: until - performance.now(),
      maxBytes: MOST_BYTES,
      ...(input === undefined ? {} : { input }),
    });
  return {
    async resolve(commit) {
      const words = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${commit}^{commit}`];
      const hash = (await ask(words))?.toString('latin1').trim() ?? '';
      return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(hash) ? hash : undefined;
    },
    goesOnFrom: async (base, commit) => (await ask(['merge-base', '--is-ancestor', base, commit])) !== null,
    async texts(commit, paths) {
      const names = paths.map((path) => `${commit}:${repository.prefix}${path}`);
      const found = sizesIn(await ask(['cat-file', '--batch-check'], asked(names)), names.length);
      if (found === undefined) return paths.map(() => ({ why: UNREADABLE }));
      const wanted = found.flatMap((each) => (each?.type === 'blob' && each.size <= LARGEST ? each.id : []));
      const blobs = blobsIn(await ask(['cat-file', '--batch'], asked([...new Set(wanted)])));
      return found.map((each): FileText => {
        if (each === null) return { text: null };
        if (each.type !== 'blob') return { why: 'It isn’t a file in git.' };
        if (each.size > LARGEST) return { why: TOO_LARGE };
        const bytes = blobs.get(each.id);
        return bytes === undefined ? { why: UNREADABLE } : textOf(bytes);
      });
    },
    inTree: (path) => readInTree(root, path),
  };
}

function asked(names: readonly string[]): string {
  return names.map((name) => `${name}\n`).join('');
}

type Sized = { readonly id: string; readonly type: string; readonly size: number } | null;

/** Null for what is missing. Undefined where git gave no answer for each. */
function sizesIn(printed: Buffer | null, count: number): Sized[] | undefined {
  const lines = printed?.toString('utf8').split('\n').slice(0, -1);
  if (lines?.length !== count) return undefined;
  return lines.map((line) => {
    const [, id, type, size] = /^([0-9a-f]{40,64}) ([a-z]+) (\d+)$/.exec(line) ?? [];
    return id === undefined || type === undefined ? null : { id, type, size: Number(size) };
  });
}

function blobsIn(printed: Buffer | null): ReadonlyMap<string, Buffer> {
  const blobs = new Map<string, Buffer>();
  for (let at = 0; printed !== null && at < printed.length; ) {
    const end = printed.indexOf(0x0a, at);
    const [, id, size] = /^([0-9a-f]{40,64}) blob (\d+)$/.exec(printed.toString('latin1', at, end)) ?? [];
    if (end < 0 || id === undefined) break;
    blobs.set(id, printed.subarray(end + 1, end + 1 + Number(size)));
    at = end + Number(size) + 2;
  }
  return blobs;
}

function textOf(bytes: Uint8Array): FileText {
  if (bytes.includes(0)) return { why: BINARY };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { why: BINARY };
  }
}

/** No link is followed, neither at its end nor on the way. */
function readInTree(root: string, path: string): FileText {
  const place = join(root, path);
  try {
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return { text: null };
    const isOwn = stats.isFile() && realpathSync(place) === join(realpathSync(root), ...path.split(sep));
    if (!isOwn) return { why: 'It isn’t a plain file.' };
    if (stats.size > LARGEST) return { why: TOO_LARGE };
    return textOf(readFileSync(place));
  } catch {
    return { why: 'It can’t be read.' };
  }
}
