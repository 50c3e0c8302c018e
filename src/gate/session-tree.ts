// A session's work tree as it is now, and how that compares with a copy of it. Null where it can't be known: then
// nothing rests on it.
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '#platform';
import { TreeMemory } from './tree-memory.ts';
import { type Base, fingerprint, type TreeState } from './tree-state.ts';
import { takeTree } from './work-tree.ts';

export interface SessionTree {
  /** The fingerprint, salted with the session's salt. */
  readonly tree: string;
  readonly state: TreeState;
  readonly base: Base;
  readonly kept: TreeMemory;
}

export interface SessionTreeOptions {
  readonly root: string | null;
  /** Where what is known of work trees is kept. */
  readonly trees: string;
  /** Salted with the session's salt. */
  readonly hash: (session: string, text: string) => Promise<string>;
}

export async function lookAtTree(
  { root, trees, hash }: SessionTreeOptions,
  session: string,
  timeoutMs?: number,
): Promise<SessionTree | null> {
  if (root === null) return null;
  const kept = new TreeMemory(trees, session);
  const base = kept.base();
  if (base === undefined) return null;
  const limit = timeoutMs === undefined ? {} : { timeoutMs };
  const last = kept.last();
  const state = await takeTree(root, base, last, { directory: `${trees}/.git`, ...limit });
  if (state === null) return null;
  const tree = await hash(session, fingerprint(state, sha256Hex));
  kept.keep(tree, state, last);
  return { tree, state, base, kept };
}

/** What is told by time, or by a repository that is elsewhere, is not the same in a copy. */
const NOT_COPIED = /^(?:stat:|commit:)/;

/**
 * The fingerprint that the tree would have if it were as the copy is: equal to that of `seen` if and only if the copy
 * holds the same code. `scratch` is a directory of ours, for an index that is not the session's.
 */
export async function fingerprintOfCopy(
  copy: string,
  { state, base }: Pick<SessionTree, 'state' | 'base'>,
  {
    trees,
    scratch,
    timeoutMs,
  }: { readonly trees: string; readonly scratch: string; readonly timeoutMs: number },
): Promise<string | null> {
  const directory = join(scratch, 'index');
  if (base.place !== null) {
    const own = join(trees, '.git', base.place);
    if (!existsSync(own)) return null;
    cpSync(own, join(directory, base.place), { recursive: true });
  }
  const taken = await takeTree(copy, base, undefined, { directory, timeoutMs });
  if (taken === null) return null;
  const files = new Map(taken.files);
  for (const [path, content] of state.files) if (NOT_COPIED.test(content)) files.set(path, content);
  return fingerprint({ files, stat: new Map() }, sha256Hex);
}
