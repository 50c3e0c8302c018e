// Paths below a folder that strangers filled: plain relative ones only, and no link on the way to where something is
// mounted, because it would be made on the other side of it.
import { lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LONGEST = 1024;
const DEEPEST = 32;

/** Throws a TypeError for any other path than a plain relative one. */
export function assertInner(path: string): void {
  const segments = path.split('/');
  const isPlain =
    path.length <= LONGEST &&
    segments.length <= DEEPEST &&
    !path.includes('\0') &&
    segments.every((each) => each !== '' && each !== '.' && each !== '..');
  if (!isPlain) throw new TypeError(`${JSON.stringify(path.slice(0, 100))} is not a path below the folder`);
}

/** A directory at that path; a link or a file on the way is removed. */
export function makeDirectory(folder: string, path: string): void {
  let at = folder;
  for (const segment of path.split('/')) {
    at = join(at, segment);
    const stats = lstatSync(at, { throwIfNoEntry: false });
    if (stats?.isDirectory() === true) continue;
    if (stats !== undefined) rmSync(at);
    mkdirSync(at, { mode: 0o755 });
  }
}

/** An empty file in place of what is there. */
export function makeEmptyFile(folder: string, path: string): void {
  const above = dirname(path);
  if (above !== '.') makeDirectory(folder, above);
  rmSync(join(folder, path), { recursive: true, force: true });
  writeFileSync(join(folder, path), '', { flag: 'wx', mode: 0o644 });
}
