// What differs between two packs, file by file.
import { fileHashes, type HarnessPack, MANIFEST_FILE } from '../format/index.ts';

export interface PackChange {
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
}

/** In the order of paths. The manifest follows from the other files, and from what its own members say. */
export function diffPacks(before: HarnessPack, after: HarnessPack): PackChange[] {
  const [old, now] = [before, after].map(({ files }) => new Map(fileHashes(files))) as [
    Map<string, string>,
    Map<string, string>,
  ];
  const paths = [...new Set([...old.keys(), ...now.keys()])].sort();
  return paths.flatMap((path): PackChange[] => {
    if (old.get(path) === now.get(path)) return [];
    if (path === MANIFEST_FILE && sameSaying(before, after)) return [];
    return [{ path, change: !old.has(path) ? 'added' : !now.has(path) ? 'removed' : 'changed' }];
  });
}

function sameSaying(before: HarnessPack, after: HarnessPack): boolean {
  return JSON.stringify(before.manifest) === JSON.stringify(after.manifest);
}
