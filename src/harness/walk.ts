// The files of a folder, whatever lies in it: sorted, bounded, links only where they stay inside. Names are given in
// their composed Unicode form, so that two checkouts of the same files look the same.
import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join, sep } from 'node:path';
import { MOST_BYTES, PackError } from '../format/index.ts';

export interface FoundFile {
  /** Relative, with `/`. */
  readonly path: string;
  /** Where it lies. */
  readonly at: string;
}

/** More than any project that an agent works in; a walk beyond this is a mistake. */
const MOST_FOUND = 500_000;
const DEEPEST = 32;

/**
 * Every file below `root` but those in folders that `passes` names. A link that leads out of `root` is refused where
 * `wants` says that its path, or what would lie below it, is asked for; else it is passed over.
 */
export function walkFiles(
  root: string,
  passes: ReadonlySet<string>,
  wants: (path: string) => boolean,
): FoundFile[] {
  const found: FoundFile[] = [];
  const top = realpathSync(root);
  const inside = (path: string): boolean => path === top || path.startsWith(top + sep);

  const visit = (folder: string, prefix: string, above: readonly string[]): void => {
    for (const entry of namesIn(folder, prefix)) {
      const at = join(folder, entry.name);
      const path = `${prefix}${entry.name.normalize('NFC')}`;
      if (found.length >= MOST_FOUND)
        throw new PackError(
          'TOO_MANY_FILES',
          `more than ${MOST_FOUND} files below ${root}. Name a smaller folder.`,
        );
      if (entry.isSymbolicLink()) follow(at, path, above);
      else if (entry.isFile()) found.push({ path, at });
      else if (entry.isDirectory()) {
        if (!passes.has(entry.name)) enter(at, path, above);
      } else if (wants(path)) throw new PackError('DEVICE', `${path} is not a plain file.`);
    }
  };
  const enter = (at: string, path: string, above: readonly string[]): void => {
    const real = realpathSync(at);
    // A link to a folder above would go round for ever.
    if (above.includes(real)) return;
    if (above.length >= DEEPEST)
      throw new PackError(
        'BAD_PATH',
        `${path} is deeper than ${DEEPEST} folders. Remove it, or name a smaller folder.`,
      );
    visit(at, `${path}/`, [...above, real]);
  };
  const follow = (at: string, path: string, above: readonly string[]): void => {
    const target = targetOf(at);
    if (target === undefined) return;
    if (!inside(realpathSync(at))) {
      if (wants(path) || (target.isDirectory() && wants(`${path}/x.md`)))
        throw new PackError(
          'LINK',
          `${path} is a link to a place outside ${root}. Copy the file in, or list it under pack.exclude in counterfoil.yaml.`,
        );
    } else if (target.isDirectory()) enter(at, path, above);
    else if (target.isFile()) found.push({ path, at });
  };
  visit(root, '', [top]);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Undefined for a link that leads nowhere, or to itself. */
function targetOf(at: string): Stats | undefined {
  try {
    return statSync(at, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ELOOP') throw error;
    return undefined;
  }
}

function namesIn(folder: string, prefix: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw new PackError(
      'UNREADABLE',
      `${prefix === '' ? folder : prefix} can't be read: ${(error as Error).message}`,
    );
  }
}

/** Throws PackError for what is no plain file, is too large, or changes while it is read. */
export function readWhole(at: string, path: string, most = MOST_BYTES, flags = 0): Uint8Array {
  const fd = openSync(at, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    const before = fstatSync(fd);
    if (!before.isFile()) throw new PackError('DEVICE', `${path} is not a plain file.`);
    if (before.size > most) throw new PackError('TOO_LARGE', `${path} is larger than ${most} bytes.`);
    const bytes = new Uint8Array(before.size);
    let at = 0;
    for (let read = -1; at < bytes.length && read !== 0; at += read)
      read = readSync(fd, bytes, at, bytes.length - at, at);
    const after = fstatSync(fd);
    if (at !== before.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs)
      throw new PackError('CHANGING', `${path} changed while foil read it. Try again.`);
    return bytes;
  } finally {
    closeSync(fd);
  }
}
