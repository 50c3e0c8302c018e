// Rules about files, held against the paths that a call is recorded with: from the work tree inside of it, absolute outside.
// Where a path can't be compared the answer is null, never that the call is fine.
import { matchesGlob } from '../core/index.ts';

/** What a call says of the files that it names. */
export interface NamedPaths {
  readonly paths: readonly string[];
  /** The work tree; null where it is not known. */
  readonly root: string | null;
}

/** Where systems keep homes. Outside of the work tree any folder may be one. */
const HOMES = ['/home/*', '/root', '/Users/*', '/var/home/*', 'c:/Users/*'];
/** Recorders keep so many at most, and so many bytes of them: what comes behind is not known. */
const [MOST_PATHS, MOST_BYTES] = [64, 12_000];
/** Tools that look through the whole work tree if they are given no path. */
const SEARCHES: ReadonlySet<string> = new Set(['Glob', 'Grep', 'LS']);

/** Does the call name a file that the glob names? */
export function namesFile(glob: string, tool: string, named: NamedPaths | undefined): boolean | null {
  if (named === undefined) return null;
  const paths = named.paths.length === 0 && SEARCHES.has(tool) ? ['.'] : named.paths;
  const found = paths.map((path) => isNamed(glob.replace(/\/+$/, ''), path, named.root));
  if (found.includes(true)) return true;
  const isCut = paths.length >= MOST_PATHS || paths.join('').length > MOST_BYTES;
  return found.length === 0 || found.includes(null) || isCut ? null : false;
}

/** A glob that names a folder names everything in it. */
function isNamed(glob: string, path: string, root: string | null): boolean | null {
  // Redacted, or shortened.
  if (path.includes('[REDACTED:') || path.endsWith('…')) return null;
  const isInside = !/^(?:[/~]|[a-z]:\/)/.test(path);
  if (isInside && /^\.\.(?:\/|$)/.test(path)) return null;
  if (glob.startsWith('~/')) return isInHome(glob.slice(2), path, isInside ? root : '');
  const absolute = isInside && root !== null ? `${root}/${path}` : path;
  if (/^(?:\/|[a-z]:\/)/.test(glob))
    return path.startsWith('~') || (isInside && root === null) ? null : holds(glob, absolute);
  if (isInside) return holds(glob, path);
  return root === null ? null : false;
}

/** `root` is null where the path can't be made absolute, and empty where it is. */
function isInHome(glob: string, path: string, root: string | null): boolean | null {
  if (root === null) return null;
  if (root !== '') return HOMES.some((home) => holds(`${home}/${glob}`, `${root}/${path}`));
  return path.startsWith('~') ? holds(glob, path.replace(/^~[^/]*\/?/, '')) : holds(`**/${glob}`, path);
}

function holds(glob: string, path: string): boolean {
  return matchesGlob(`${glob}/**`, path);
}
