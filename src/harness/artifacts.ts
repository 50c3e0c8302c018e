// The artifacts in a work tree: the files that a pack's `outputs` globs name. An agent wrote them, so that nothing of them is
// trusted: no link is followed, only folders that can hold an output are entered, and count, sizes and depth are bounded.
import { constants, type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { globMatcher } from '../core/index.ts';
import {
  MOST_BYTES,
  MOST_FILES,
  mayHoldOutput,
  PASSED_FOLDERS,
  PackError,
  sortedFiles,
  type TreeFile,
} from '../format/index.ts';
import { readWhole } from './walk.ts';

/** More names than any work tree has; each costs a look. */
const MOST_NAMES = 500_000;
const DEEPEST = 32;

interface Found {
  readonly path: string;
  readonly at: string;
}

/** Sorted. Throws PackError that says which file is in the way, and what to do. */
export function findArtifacts(root: string, outputs: readonly string[]): TreeFile[] {
  let bytes = 0;
  return sortedFiles(
    findOutputs(root, outputs).map(({ path, at }) => {
      const file = { path, bytes: readOutput(at, path) };
      bytes += file.bytes.length;
      if (bytes > MOST_BYTES)
        throw new PackError(
          'TOO_LARGE',
          `the outputs have more than ${MOST_BYTES} bytes. Name fewer files under pack.outputs in counterfoil.yaml.`,
        );
      return file;
    }),
  );
}

function readOutput(at: string, path: string): Uint8Array {
  try {
    return readWhole(at, path, MOST_BYTES, constants.O_NOFOLLOW);
  } catch (error) {
    if (error instanceof PackError) throw error;
    throw new PackError('UNREADABLE', `can't be read: ${(error as Error).message}`, path);
  }
}

function findOutputs(root: string, outputs: readonly string[]): Found[] {
  const isOutput = globMatcher(outputs);
  const mayHold = mayHoldOutput(outputs);
  const found: Found[] = [];
  let names = 0;
  const visit = (folder: string, above: readonly string[]): void => {
    for (const entry of entriesOf(folder, above)) {
      if (++names > MOST_NAMES)
        throw new PackError(
          'TOO_MANY_FILES',
          `more than ${MOST_NAMES} files to look at. Name smaller folders under pack.outputs in counterfoil.yaml.`,
        );
      const here = [...above, entry.name.normalize('NFC')];
      const path = here.join('/');
      const at = join(folder, entry.name);
      const holds = (): boolean => mayHold(here);
      if (entry.isDirectory()) {
        if (!PASSED_FOLDERS.has(entry.name) && holds()) enter(at, here);
      } else if (entry.isFile()) {
        if (isOutput(path)) found.push({ path, at });
      } else if (isOutput(path) || (entry.isSymbolicLink() && holds())) refuse(entry, path);
      if (found.length > MOST_FILES)
        throw new PackError(
          'TOO_MANY_FILES',
          `more than ${MOST_FILES} outputs. Name fewer under pack.outputs in counterfoil.yaml.`,
        );
    }
  };
  const enter = (at: string, here: readonly string[]): void => {
    if (here.length >= DEEPEST)
      throw new PackError('BAD_PATH', `it is deeper than ${DEEPEST} folders. Remove it.`, here.join('/'));
    visit(at, here);
  };
  visit(root, []);
  return found;
}

/** A link would be judged as what it leads to here, and lead elsewhere there. */
function refuse(entry: Dirent, path: string): never {
  if (entry.isSymbolicLink())
    throw new PackError('LINK', 'an output is a link. Replace it with the file itself.', path);
  throw new PackError('DEVICE', 'an output is not a plain file. Remove it.', path);
}

function entriesOf(folder: string, above: readonly string[]): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw new PackError(
      'UNREADABLE',
      `can't be read: ${(error as Error).message}`,
      above.join('/') || folder,
    );
  }
}
