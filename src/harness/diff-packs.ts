// What differs between two packs, file by file.
import { fileHashes, type HarnessPack, MANIFEST_FILE, type PackChange } from '../format/index.ts';

/** In the order of paths. The manifest follows from the other files, and from what its own members say. */
export function diffPacks(before: HarnessPack, after: HarnessPack): PackChange[] {
  const [old, now] = [hashesOf(before), hashesOf(after)];
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.flatMap((path): PackChange[] => {
    if (old.get(path) === now.get(path)) return [];
    if (path === MANIFEST_FILE && sameSaying(before, after)) return [];
    return [{ path, change: !old.has(path) ? 'added' : !now.has(path) ? 'removed' : 'changed' }];
  });
}

/** What an agent is shaped by: a pack may hold tests that its project does not have. */
const SHAPING = ['static/', 'config/', 'template/', 'env/'];

export function shapingChanges(before: HarnessPack, after: HarnessPack): PackChange[] {
  return diffPacks(before, after).filter(({ path }) => SHAPING.some((folder) => path.startsWith(folder)));
}

function hashesOf({ files }: HarnessPack): ReadonlyMap<string, string> {
  return new Map(fileHashes(files));
}

function sameSaying(before: HarnessPack, after: HarnessPack): boolean {
  return JSON.stringify(before.manifest) === JSON.stringify(after.manifest);
}
