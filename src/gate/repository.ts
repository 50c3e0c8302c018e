// The repository a work tree belongs to, found by looking at files, not by asking git: what git believes depends on its
// environment and on configuration that an agent may write.
import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isRootOf } from '../ledger/index.ts';

export interface Repository {
  /** Where its `.git` is. */
  readonly top: string;
  readonly gitDirectory: string;
  /** Shared by all work trees of it. */
  readonly commonDirectory: string;
  /** From its top to the work tree in question: `` or `packages/a/`. */
  readonly prefix: string;
}

/** Undefined where `root` lies in none, or what looks like one is not. */
export function findRepository(root: string): Repository | undefined {
  try {
    const from = realpathSync(root);
    for (let top = from; ; top = dirname(top)) {
      const found = isRootOf(top, from, ['.git']) ? repositoryAt(top) : undefined;
      if (found !== undefined) {
        const below = relative(top, from);
        return { ...found, top, prefix: below === '' ? '' : `${below.split(sep).join('/')}/` };
      }
      if (dirname(top) === top) return undefined;
    }
  } catch {
    return undefined;
  }
}

/** Whose `.git` stands right in this directory. */
export function repositoryAt(
  directory: string,
): { readonly gitDirectory: string; readonly commonDirectory: string; readonly linked: boolean } | undefined {
  try {
    const git = join(directory, '.git');
    const linked = lstatSync(git).isFile();
    const gitDirectory = linked ? pointedTo(git, /^gitdir: (.+)\n?$/) : git;
    if (gitDirectory === undefined || !statSync(join(gitDirectory, 'HEAD')).isFile()) return undefined;
    const commonDirectory = pointedTo(join(gitDirectory, 'commondir'), /^(.+)\n?$/) ?? gitDirectory;
    if (!statSync(join(commonDirectory, 'objects')).isDirectory()) return undefined;
    return { gitDirectory, commonDirectory, linked };
  } catch {
    return undefined;
  }
}

function pointedTo(file: string, form: RegExp): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
  const path = form.exec(text)?.[1];
  if (path === undefined) return undefined;
  return isAbsolute(path) ? path : resolve(dirname(file), path);
}
