// Where links lead among the files that a call names: a rule about a file must hold under its other names, too. This is
// what the machine says when the call is made; what is not there, or may not be looked at, leads nowhere.
import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { MAX_PATHS, workspacePath } from '../facts/paths.ts';

/** Of a line so many words are looked at. */
const MOST_WORDS = 64;

/** Paths that differ from those that are named, written as they are. */
export function linkTargets(
  named: readonly string[],
  line: string | null,
  cwd: string | null,
  root: string | null,
): string[] {
  const start = root ?? cwd;
  if (start === null) return [];
  const realRoot = root === null ? null : realOf(root);
  const words = wordsOf(line).map((word) => resolve(cwd ?? start, word));
  const found = new Set<string>();
  for (const path of [...named.map((each) => resolve(start, each)), ...words]) {
    const real = realOf(path);
    if (real === null) continue;
    const [written, led] = [workspacePath(path, start, root), workspacePath(real, start, realRoot)];
    if (written !== led && !named.includes(led)) found.add(led);
  }
  return [...found].slice(0, Math.max(0, MAX_PATHS - named.length));
}

/** Everything in a line that may be a path, without its quotes. Whether it is one is for the machine to say. */
function wordsOf(line: string | null): string[] {
  const words = (line ?? '').split(/[\s"'`;|&<>(){}=]+/).filter((word) => /^[^-\0~][^\0]*$/.test(word));
  return words
    .slice(0, MOST_WORDS)
    .filter((word) => word.length <= 1024 && (isAbsolute(word) || !word.includes('$')));
}

/** Of a file that is not there yet, by the folder that it would be in. */
function realOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    try {
      return join(realpathSync.native(dirname(path)), basename(path));
    } catch {
      return null;
    }
  }
}
