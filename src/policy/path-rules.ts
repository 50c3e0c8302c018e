// Rules about files, held against the paths that a call is recorded with: from the work tree inside of it, absolute outside.
// Where a path can't be compared the answer is null, never that the call is fine.
import { type Json, matchesGlob } from '../core/index.ts';
import type { Judged } from './line-rules.ts';
import { globsMeet, patternNames, wildcardsMeet, withoutBraces } from './meeting-globs.ts';
import type { NamedFile } from './read-line.ts';

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
/** Searches of Claude Code, which leave out what its own settings deny; and the member that has a pattern. */
const LEAVES_OUT: ReadonlyMap<string, string | null> = new Map([
  ['Glob', 'pattern'],
  ['Grep', 'glob'],
  ['LS', null],
]);
const looksByPattern = (tool: string): boolean => BY_PATTERN.has(tool);
/** Must the pattern of that search be known? */
export const hasPattern = (tool: string): boolean =>
  looksByPattern(tool) || (LEAVES_OUT.get(tool) ?? null) !== null;
/** So named it is a file, and no folder with others in it. */
const LIKE_A_FILE =
  /[^/]\.(?:[cm]?[jt]sx?|json|md|txt|py|rs|go|java|c|h|cc|cpp|hpp|css|html|ya?ml|toml|lock|csv|log|sql|xml|sh|patch|diff|orig|bak|tar|tgz|gz|zip|xz|bz2)$/;
/** Of what rules name, what is a file for sure. */
const LIKE_A_SECRET =
  /(?:^|\/)(?:\.env(?:\.[^/]*|\*)?|\.(?:npmrc|netrc|pypirc|pgpass|envrc|htpasswd|git-credentials)|[^/]*[^/.][^/]*\.(?:pem|key|crt|p12|pfx|jks|json|ya?ml|toml|txt|env))$/;
/** Paths that lead somewhere else for everyone who takes them. */
const ELSEWHERE = /^\/(?:dev|proc(?!\/(?:cpuinfo|meminfo|loadavg|version|uptime)$))\//;

/** The path by which a call names a file that the glob names; null where none does for sure. */
export function deniedPath(glob: string, { paths, root }: NamedPaths): string | null {
  return paths.find((path) => isNamed(glob, path, root, PLAIN) === true) ?? null;
}

/**
 * Does the call name a file that the glob names? `leavesOut`: the host denies these files to its own searches, so that one
 * names them only by its path or its pattern.
 */
export function namesFile(
  glob: string,
  tool: string,
  named: NamedPaths | undefined,
  args: Json | undefined,
  leavesOut = false,
): boolean | null {
  if (named === undefined) return null;
  const isSearch = SEARCHES.has(tool);
  const isLeftOut = leavesOut && LEAVES_OUT.has(tool);
  const paths = named.paths.length === 0 && isSearch ? ['.'] : named.paths;
  const how: How = { ...PLAIN, reach: isSearch && !isLeftOut ? 'below' : 'itself' };
  const found = paths.map((path) => isNamed(glob, path, named.root, how));
  if (found.includes(true)) return true;
  const isCut = paths.length >= MOST_PATHS || paths.join('').length > MOST_BYTES;
  const leadsOn = isLeftOut
    ? patternMayName(glob, LEAVES_OUT.get(tool) ?? null, { ...named, paths }, args)
    : looksByPattern(tool) && mayLeadElsewhere(args);
  return found.length === 0 || found.includes(null) || isCut || leadsOn ? null : false;
}

/** May the pattern of a search name what the glob names? */
function patternMayName(
  glob: string,
  member: string | null,
  { paths, root }: NamedPaths,
  args: Json | undefined,
): boolean {
  if (member === null) return false;
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return true;
  const written = (args as { readonly [name: string]: Json })[member];
  if (written === undefined) return false;
  if (typeof written !== 'string' || /^\s|^[~\\!]|\.\.|\[REDACTED:/.test(written)) return true;
  return withoutBraces(written).some((pattern) =>
    paths.some((path) => {
      // A pattern without a folder is about every folder.
      const isAnywhere = member === 'glob' && !pattern.includes('/');
      const below = isAnywhere ? `**/${pattern}` : pattern;
      const whole = pattern.startsWith('/') ? fromTree(pattern, root) : joined(withoutDots(path), below);
      const answers = wholes(glob, whole, root, !whole.startsWith('/'));
      return (
        answers === null || answers.some(([rule, name]) => patternNames(`${loose(rule)}/**`, loose(name)))
      );
    }),
  );
}

/** Does a line read, or write, a file that the glob names? */
export function touchesFile(
  glob: string,
  uses: readonly NamedFile['use'][],
  files: readonly NamedFile[],
  root: string | null,
): Judged {
  let maybe: string | null = null;
  for (const { path, use, ...how } of files) {
    // Whoever lists names reads no file.
    if (use === 'list' || (use !== 'mentions' && !uses.includes(use))) continue;
    const by = fromTree(path, root);
    const isBroken = isNamed(glob, by, root, how);
    if (isBroken === true && use !== 'mentions') return { isBroken, by };
    if (isBroken !== false) maybe ??= by;
  }
  return { isBroken: maybe === null ? false : null, by: maybe ?? '' };
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

type How = Pick<NamedFile, 'reach' | 'only' | 'isShown' | 'leavesDots'>;
const PLAIN: How = { reach: 'itself', only: null, isShown: false, leavesDots: false };

/** A glob that names a folder names everything in it. */
function isNamed(written: string, path: string, root: string | null, how: How): boolean | null {
  const glob = written.replace(/\/+$/, '');
  // Redacted, shortened, or written in a way that hosts may take for something else.
  if (path.includes('[REDACTED:') || path.endsWith('…') || ELSEWHERE.test(path)) return null;
  if (path.trim() !== path) return isNamed(written, path.trim() || '.', root, how) === false ? false : null;
  const isInside = !/^(?:[/~]|[a-z]:\/)/.test(path);
  if (isInside && /^\.\.(?:\/|$)/.test(path)) return null;
  const answers = wholes(glob, withoutClimbs(path), root, isInside);
  if (answers === null) return null;
  // A home may be anywhere, and hold the work tree.
  const isSure = !path.startsWith('~') || glob.startsWith('~/');
  if (isSure && answers.some(([pattern, name]) => holds(pattern, name))) return true;
  return answers.some(([pattern, name]) => mayHold(pattern, name, how)) ? null : false;
}

/** Without `..` inside of it, as far as there is something before. */
function withoutClimbs(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..' && kept.length > (path.startsWith('/') ? 1 : 0)) kept.pop();
    else if (segment !== '..') kept.push(segment);
  }
  return path.startsWith('~') && !kept[0]?.startsWith('~') ? ['~', ...kept].join('/') : kept.join('/');
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
  if (path.startsWith('~')) return [[`**/${glob}`, path.replace(/^~[^/]*\/?/, '')]];
  if (root === null) return null;
  // A folder above the work tree holds it.
  return [[`${root}/${glob}`, path]];
}

function holds(glob: string, path: string): boolean {
  return matchesGlob(`${glob}/**`, withoutDots(path)) && !path.includes('*');
}

/** It may be what the glob names to a system that ignores case, forms of letters and blanks; or something below it may. */
function mayHold(glob: string, path: string, { reach, only, isShown, leavesDots }: How): boolean {
  const [rule, name] = [loose(glob), loose(withoutDots(path))];
  // Nothing is below a file.
  const whole = LIKE_A_SECRET.test(rule) ? rule : `${rule}/**`;
  const meets = (tail: string): boolean => globsMeet(whole, joined(name, tail));
  const isWild = name.includes('*');
  if (isWild && leavesDots ? wildcardsMeet(whole, name) : globsMeet(isWild ? whole : `${rule}/**`, name))
    return true;
  if (reach === 'itself' || (/^(?:inside|below)$/.test(reach) && LIKE_A_FILE.test(name))) return false;
  if (reach === 'inside') return meets('*');
  if (reach === 'below') {
    const isHidden =
      isShown && rule.split('/').some((part) => part.startsWith('.') && !isAmong(part, name, leavesDots));
    return !isHidden && (only ?? ['']).some((each) => meets(each === '' ? '**' : `**/${each}`));
  }
  // Under another name it is still what a glob names that begins with `**`, unless the name is a part of that.
  const parts = rule.split('/');
  return (
    (name === '' && parts[0] !== '**') ||
    parts.some((part, i) => part !== '**' && globsMeet(parts.slice(0, i + 1).join('/'), name))
  );
}

const isAmong = (part: string, path: string, leavesDots: boolean): boolean =>
  path.split('/').some((each) => (leavesDots ? wildcardsMeet : globsMeet)(part, each));

/** As a system takes it that ignores case, forms of letters and blanks. */
function loose(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+(?=\/|$)|(^|\/)\s+/g, '$1');
}

const joined = (folder: string, below: string): string => (folder === '' ? below : `${folder}/${below}`);

/** `.` is the work tree itself, and `/` what everything is below. */
function withoutDots(path: string): string {
  return path
    .replace(/(?:^|\/)\.$/, '')
    .replace(/^\.\//, '')
    .replace(/\/+$/, '');
}
