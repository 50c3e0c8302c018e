// Rules about files, held against the paths that a call is recorded with: from the work tree inside of it, absolute outside.
// Where a path can't be compared the answer is null, never that the call is fine.
import { type Json, matchesGlob } from '../core/index.ts';
import type { NamedFile } from './line-rules.ts';

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
/** Tools that look through a folder; through the whole work tree if they are given no path. */
const SEARCHES: ReadonlySet<string> = new Set([
  ...['Glob', 'Grep', 'LS', 'SemanticSearch', 'codebase_search'],
  ...['glob', 'grep', 'grep_search', 'list', 'list_directory', 'read_many_files', 'search_file_content'],
]);
/** Of these a pattern says where they look, too. */
const BY_PATTERN: ReadonlySet<string> = new Set(['Glob', 'glob', 'read_many_files']);
export const looksByPattern = (tool: string): boolean => BY_PATTERN.has(tool);
/** Paths that lead somewhere else for everyone who takes them. */
const ELSEWHERE = /^\/(?:proc|dev)\//;

/** Does the call name a file that the glob names? */
export function namesFile(
  glob: string,
  tool: string,
  named: NamedPaths | undefined,
  args: Json | undefined,
): boolean | null {
  if (named === undefined) return null;
  const isSearch = SEARCHES.has(tool);
  const paths = named.paths.length === 0 && isSearch ? ['.'] : named.paths;
  const found = paths.map((path) => isNamed(glob, path, named.root, isSearch));
  if (found.includes(true)) return true;
  const isCut = paths.length >= MOST_PATHS || paths.join('').length > MOST_BYTES;
  const leadsOn = looksByPattern(tool) && mayLeadElsewhere(args);
  return found.length === 0 || found.includes(null) || isCut || leadsOn ? null : false;
}

/** Does a line read, or write, a file that the glob names? Null where it may. */
export function touchesFile(
  glob: string,
  uses: readonly NamedFile['use'][],
  files: readonly NamedFile[],
  root: string | null,
): boolean | null {
  let isMaybe = false;
  for (const { path, use, isDeep } of files) {
    if (use !== 'mentions' && !uses.includes(use)) continue;
    const judged = isNamed(glob, fromTree(path, root), root, isDeep);
    if (judged === true && use !== 'mentions') return true;
    if (judged !== false) isMaybe = true;
  }
  return isMaybe ? null : false;
}

function fromTree(path: string, root: string | null): string {
  if (root === null) return path;
  return path === root ? '.' : path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** A pattern that does not begin in the folder, or is not known. */
function mayLeadElsewhere(args: Json | undefined): boolean {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return true;
  const texts = Object.values(args).flatMap((value) => (Array.isArray(value) ? value : [value]));
  return texts.some((text) => typeof text === 'string' && /^\s*[/~\\]|\.\.|\[REDACTED:/.test(text));
}

/** A glob that names a folder names everything in it. With `isDeep`, anything below the path may be meant. */
function isNamed(written: string, path: string, root: string | null, isDeep: boolean): boolean | null {
  const glob = written.replace(/\/+$/, '');
  // Redacted, shortened, or written in a way that hosts may take for something else.
  if (path.includes('[REDACTED:') || path.endsWith('…') || ELSEWHERE.test(path)) return null;
  const isInside = !/^(?:[/~]|[a-z]:\/)/.test(path);
  if (isInside && /^\.\.(?:\/|$)/.test(path)) return null;
  const answers = wholes(glob, path, root, isInside);
  if (answers === null) return null;
  if (answers.some(([pattern, name]) => holds(pattern, name))) return true;
  return answers.some(([pattern, name]) => mayHold(pattern, name, isDeep)) ? null : false;
}

/** What to hold against what: each a glob and a path from the same place. Null where they have none in common. */
function wholes(
  glob: string,
  path: string,
  root: string | null,
  isInside: boolean,
): readonly (readonly [string, string])[] | null {
  if (glob.startsWith('~/')) {
    const below = glob.slice(2);
    if (isInside)
      return root === null ? null : HOMES.map((home) => [`${home}/${below}`, `${root}/${path}`] as const);
    return [path.startsWith('~') ? [below, path.replace(/^~[^/]*\/?/, '')] : [`**/${below}`, path]];
  }
  if (/^(?:\/|[a-z]:\/)/.test(glob)) {
    if (path.startsWith('~') || (isInside && root === null)) return null;
    return [[glob, isInside ? `${root}/${path}` : path]];
  }
  if (isInside) return [[glob, path]];
  if (root === null) return null;
  // A folder above the work tree holds it.
  return [[`${root}/${glob}`, path]];
}

function holds(glob: string, path: string): boolean {
  return matchesGlob(`${glob}/**`, withoutDots(path));
}

/** It may be what the glob names to a system that ignores case, forms of letters and blanks; or something below it may. */
function mayHold(glob: string, path: string, isDeep: boolean): boolean {
  const loose = (text: string): string =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/\s+(?=\/|$)|(^|\/)\s+/g, '$1');
  if (holds(loose(glob), loose(path))) return true;
  if (!isDeep) return false;
  const [parts, folder] = [glob.split('/'), withoutDots(path)];
  return folder === '' || parts.some((_, i) => matchesGlob(parts.slice(0, i + 1).join('/'), folder));
}

/** `.` is the work tree itself. */
function withoutDots(path: string): string {
  return path.replace(/(?:^|\/)\.$/, '').replace(/^\.\//, '');
}
