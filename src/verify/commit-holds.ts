// Does a commit of git hold what a run made, and does it go on from where the run began? Both follow from git's own objects:
// trees, down to every folder that can hold an output, and the commits between it and the base.
import { globMatcher } from '../core/index.ts';
import { gitObjectHash, mayHoldOutput, PASSED_FOLDERS, readTree, type TreeFile } from '../format/index.ts';

/** What the commit is held against. */
export interface RunMade {
  readonly outputs: readonly string[];
  readonly artifacts: readonly TreeFile[];
}

const DEEPEST = 32;

class Unshown extends Error {}

/**
 * Why the tree is not shown to hold exactly what the run made; undefined where it is. `object` gives the object of a tree, or
 * undefined where it is not here. Throws ParseError for an object that is not the tree of its name.
 */
export function whyNotHeld(
  tree: string,
  { outputs, artifacts }: RunMade,
  object: (tree: string) => Uint8Array | undefined,
): string | undefined {
  const [isOutput, mayHold] = [globMatcher(outputs), mayHoldOutput(outputs)];
  const held = new Map<string, string>();
  const visit = (folder: string, above: readonly string[]): void => {
    const bytes = object(folder);
    if (bytes === undefined) throw new Unshown(`its folder ${above.join('/') || '/'} is not shown`);
    for (const { kind, name, hash } of readTree(folder, bytes)) {
      const here = [...above, name];
      const path = here.join('/');
      if (kind === 'file') {
        if (isOutput(path)) held.set(path, hash);
      } else if (kind === 'folder') {
        if (PASSED_FOLDERS.has(name) || !mayHold(here)) continue;
        if (here.length >= DEEPEST) throw new Unshown(`${path} is deeper than ${DEEPEST} folders`);
        visit(hash, here);
      } else if (isOutput(path) || mayHold(here))
        throw new Unshown(`${path} is a link or another repository`);
    }
  };
  try {
    visit(tree, []);
  } catch (error) {
    if (!(error instanceof Unshown)) throw error;
    return error.message;
  }
  for (const { path, bytes } of artifacts) {
    if (!held.has(path)) return `it doesn't have ${path}`;
    if (held.get(path) !== gitObjectHash('blob', bytes, tree)) return `it has a different ${path}`;
    held.delete(path);
  }
  const [more] = held.keys();
  return more === undefined ? undefined : `it has ${more}, which the run did not make`;
}

/** Do the commits that are known lead from this one back to `base`? `parents` is undefined for a commit that is not here. */
export function leadsTo(
  commit: string,
  base: string,
  parents: (commit: string) => readonly string[] | undefined,
): boolean {
  const seen = new Set([commit]);
  for (const each of seen)
    for (const parent of parents(each) ?? []) {
      if (parent === base) return true;
      seen.add(parent);
    }
  return false;
}
