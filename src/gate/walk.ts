// All code files of a directory, for work trees without git. Bounded: a tree that is too large, or takes too long, is
// not told at all. Caches, build output and what tools keep are not entered, links are not followed.
import { type Dirent, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isCache, isCode, isGenerated, isLeftBehind, isPipeline } from '../ecosystems/index.ts';
import { MOST_FILES } from './tree-state.ts';

/** Entries of all sorts that are looked at for each file that may be found. */
const ENTRIES_PER_FILE = 5;
const DEEPEST = 64;

/** Paths relative to `root`, or null. */
export function walk(
  root: string,
  left: () => number,
  most = MOST_FILES,
): ReadonlyMap<string, undefined> | null {
  const files = new Map<string, undefined>();
  const open: [path: string, depth: number][] = [['', 0]];
  let entries = most * ENTRIES_PER_FILE;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [directory, depth] = next;
    if (left() <= 0) return null;
    const found = entriesOf(join(root, directory));
    if (found === undefined && directory === '') return null;
    for (const entry of found ?? []) {
      if (entries-- <= 0) return null;
      const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
      if (entry.isDirectory()) {
        if (depth >= DEEPEST) return null;
        if (!isCache(path) && !isGenerated(`${path}/x`)) open.push([path, depth + 1]);
      } else if (isWanted(path)) {
        files.set(path, undefined);
        if (files.size > most) return null;
      }
    }
  }
  return files;
}

/** Of files of which git says nothing. Pipelines are kept for what they say of tests; no fingerprint is made of them. */
export function isWanted(path: string): boolean {
  return (isCode(path) && !isLeftBehind(path)) || isPipeline(path);
}

/** One that vanished, or may not be read, has nothing in it. */
export function entriesOf(directory: string): Dirent[] | undefined {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return undefined;
  }
}
