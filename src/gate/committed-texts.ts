// What files held as the base has them, or as another commit has them, through the private index. A commit never changes, so
// what was asked for once is kept for the ends of later turns: asking costs a process of git.
import { join } from 'node:path';
import { findGit } from './git-door.ts';
import { askPrivate } from './private-index.ts';
import { findRepository } from './repository.ts';
import type { Base } from './tree-state.ts';

export const LARGEST_COMMITTED = 1024 * 1024;
const MOST_BYTES = 32 * 1024 * 1024;
/** Of all texts that are kept, in characters. */
const MOST_KEPT = 4 * 1024 * 1024;

type Texts = Map<string, string | null>;

const kept: Texts = new Map();
let length = 0;

/** As the base has them, or `from` another commit. Null where git could not be asked. */
export async function committedTexts(
  root: string,
  base: Base,
  paths: readonly string[],
  directory: string,
  timeoutMs: number,
  from = ':',
): Promise<Texts | null> {
  const wanted = paths.filter((path) => !path.includes('\n'));
  if (base.how !== 'git' || base.place === null) return new Map(wanted.map((path) => [path, null]));
  const nameOf = (path: string): string => JSON.stringify([directory, base.place, base.commit, from, path]);
  const asked = wanted.filter((path) => !kept.has(nameOf(path)));
  const found = asked.length === 0 ? new Map() : await ask(root, base, asked, directory, timeoutMs, from);
  if (found === null) return null;
  const texts: Texts = new Map();
  for (const path of wanted) {
    const text = found.has(path) ? found.get(path) : kept.get(nameOf(path));
    if (text !== undefined) texts.set(path, text);
  }
  // Another commit may not have been fetched yet.
  for (const [path, text] of found) if (text !== null || from === ':') keep(nameOf(path), text);
  return texts;
}

function keep(name: string, text: string | null): void {
  const size = name.length + (text?.length ?? 0);
  if (length + size > MOST_KEPT) {
    kept.clear();
    length = 0;
  }
  if (size > MOST_KEPT) return;
  kept.set(name, text);
  length += size;
}

/** Null for a file that is not there. Those too large are left out. */
async function ask(
  root: string,
  base: Base,
  asked: readonly string[],
  directory: string,
  timeoutMs: number,
  from: string,
): Promise<Texts | null> {
  const texts: Texts = new Map();
  const git = findGit(root);
  const repository = findRepository(root);
  if (git === undefined || repository === undefined || base.place === null) return null;
  const output = await askPrivate(
    { root, git, directory, left: () => timeoutMs },
    base.place,
    ['cat-file', '--batch'],
    {
      objects: join(repository.commonDirectory, 'objects'),
      input: asked.map((path) => `${from}${path}\n`).join(''),
      maxBytes: MOST_BYTES,
    },
  );
  if (output === null) return null;
  let at = 0;
  for (const path of asked) {
    const end = output.indexOf(10, at);
    if (end === -1) return null;
    const header = output.toString('utf8', at, end);
    at = end + 1;
    const size = /^[0-9a-f]{40,64} (blob|commit) ([0-9]+)$/.exec(header);
    if (size === null) {
      // Any other answer is of an object that is not there, though the index names it.
      if (header === `${from}${path} missing`) texts.set(path, null);
      continue;
    }
    const length = Number(size[2]);
    if (size[1] === 'blob' && length <= LARGEST_COMMITTED)
      texts.set(path, output.toString('utf8', at, at + length));
    at += length + 1;
  }
  return texts;
}
