// What differs between two packs, file by file.
import { utf8Decode } from '#platform';
import {
  fileHashes,
  type HarnessPack,
  MANIFEST_FILE,
  type PackChange,
  VARIABLES_FILE,
} from '../format/index.ts';

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

/** Values of environment variables are compared only where both packs have a checksum: it takes a key to make one. */
export function shapingChanges(before: HarnessPack, after: HarnessPack): PackChange[] {
  return diffPacks(before, after).filter(
    ({ path }) =>
      SHAPING.some((folder) => path.startsWith(folder)) &&
      !(path === VARIABLES_FILE && changedVariables(before, after).length === 0),
  );
}

/** Names of variables that one of them alone has, or whose checksums differ. */
export function changedVariables(before: HarnessPack, after: HarnessPack): readonly string[] {
  const [was, is] = [variablesOf(before), variablesOf(after)];
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names].filter((name) => !isSame(was[name], is[name])).sort();
}

/** Both were read as packs, so that it is an object from names to a checksum or null. */
function variablesOf({ files }: HarnessPack): Readonly<Record<string, string | null>> {
  const file = files.find(({ path }) => path === VARIABLES_FILE);
  return file === undefined ? {} : JSON.parse(utf8Decode(file.bytes));
}

/** Without a checksum in one of them, having the name is all that counts. */
function isSame(was: string | null | undefined, is: string | null | undefined): boolean {
  if (was === undefined || is === undefined) return false;
  return was === null || is === null || was === is;
}

function hashesOf({ files }: HarnessPack): ReadonlyMap<string, string> {
  return new Map(fileHashes(files));
}

function sameSaying(before: HarnessPack, after: HarnessPack): boolean {
  return JSON.stringify(before.manifest) === JSON.stringify(after.manifest);
}
