// Tests that were written in this session where the look at the work tree does not reach: git ignores them, or they lie
// in a folder of build output. A runner finds them all the same, and one that asserts nothing passes. They are sought
// where tools wrote, where test runs were sent, and near the root where a run counted so few that it may be these alone.
import { join, posix } from 'node:path';
import { isCache, isTestFile } from '../ecosystems/index.ts';
import type { Run } from '../rules/index.ts';
import { changedSince } from './stand-ins.ts';
import { entriesOf } from './walk.ts';

/** A run of more tests is not one of new and empty ones alone. */
const FEW = 20;
const MOST_FOLDERS = 128;
const MOST_TESTS = 64;
const DEEPEST = 2;
/** So coarse is the clock of a file system, in milliseconds. */
const TICK = 10;

export interface Sought {
  readonly runs: readonly Run[];
  /** Paths that tools wrote. */
  readonly told: readonly string[];
  /** When the session began, in milliseconds; null where nobody knows. */
  readonly begun: number | null;
  /** Does the look at the work tree reach it? */
  readonly isSeen: (path: string) => boolean;
}

/** Paths in `root`. */
export function hiddenTests(root: string, { runs, told, begun, isSeen }: Sought): string[] {
  if (begun === null) return [];
  const files = new Set(told);
  const folders = new Map<string, number>();
  for (const { checks, tests } of runs)
    for (const { kind, targets, directory } of checks) {
      if (kind !== 'test' || directory === null) continue;
      for (const target of targets) {
        files.add(target);
        folders.set(target, 0);
      }
      if (targets.length === 0 && (tests?.passed ?? 0) <= FEW) folders.set(directory, DEEPEST);
    }
  // What is added goes to the end, and is come to.
  for (const [folder, deep] of folders)
    for (const entry of entriesOf(join(root, folder)) ?? []) {
      const path = posix.join(folder, entry.name);
      if (entry.isFile()) files.add(path);
      else if (deep > 0 && entry.isDirectory() && !isCache(`${path}/x`) && folders.size < MOST_FOLDERS)
        if (!folders.has(path)) folders.set(path, deep - 1);
    }
  return [...files]
    .filter(
      (path) => isTestFile(path) && !isSeen(path) && changedSince(join(root, path), begun - TICK) != null,
    )
    .slice(0, MOST_TESTS);
}
