// What an agent must not touch, and whether a word of a command line names it. Words are the agent's: they may hold
// globs, braces and variables. Where a variable keeps the place unknown, the rest of the path decides: a name that only
// our files have counts as ours.
import { resolvePath } from '../../shell/index.ts';
import { ANY_DEPTH, isGlob, matchesPath, matchesText } from './glob.ts';
import { pathsOfWord } from './standing-places.ts';

export interface Ours {
  /** Everything in them is ours: the ledger, keys, notes, the installed package. Absolute, without links. */
  readonly directories: readonly string[];
  /** Settings in which our hooks stand, or could be switched off. */
  readonly files: readonly string[];
  /** The workspace. Commands that are about all of it are not taken to be about a file of ours. */
  readonly root: string | null;
  readonly ledger: string;
  /** Values of the variables by which our places are found, `HOME` among them. */
  readonly variables: Readonly<Record<string, string>>;
  readonly service: {
    readonly pid: number;
    readonly port: number | null;
  } | null;
  /** Where links lead; the path itself where nothing is known. */
  readonly real: (path: string) => string;
  /** Where the links lead that the line makes itself. */
  readonly linked?: (path: string) => readonly string[];
  /** Where the host works; the line may be there where it does not tell. */
  readonly here?: string | null;
  readonly exists?: (path: string) => boolean;
  /** The hosts of open sessions: a session ends with its host. */
  readonly hosts?: readonly HostProcess[];
  /** What the project's repository says of a file of ours; undefined where there is none. */
  readonly git?: GitView | undefined;
}

export interface HostProcess {
  readonly pid: number;
  /** As `ps` shows it, and the whole line that it was started with. */
  readonly name: string;
  readonly line: string;
}

/**
 * `changed` is tracked, and not as it was committed; `open` is neither tracked nor ignored; of `absent` there is nothing
 * to lose. Null: it can't be told.
 */
export type GitState = 'tracked' | 'changed' | 'ignored' | 'open' | 'absent' | null;

export interface GitView {
  /** Of a file in which hooks of ours stand, or a directory of ours. */
  readonly state: (path: string) => GitState;
  /** The work tree that git takes for its own in this place, which may lie within another; null where there is none. */
  readonly repository?: (place: string) => string | null;
  readonly holds: (tree: string, path: string) => boolean;
}

/** What a word reaches: a file of settings, or what the record is made of. */
export interface Hit {
  readonly path: string;
  readonly what: 'settings' | 'record';
}

/**
 * inside: the path is a file of ours, or lies in a directory of ours. parent: or it is the folder of such a file, but not
 * the workspace itself. above: or anything of ours lies below it. text: the path is a pattern whose star stands for
 * slashes, too, as that of `find -path`. put: something comes to lie under this name; a glob that could be any name does
 * not name a directory of ours. into: or it is the folder of such a file, where nobody but us and the host keeps things:
 * what is copied to `/tmp` does not touch our directory in it.
 */
export type Reach = 'inside' | 'parent' | 'above' | 'text' | 'put' | 'into';

const MAX_BRACES = 64;

/** Does the word, as a path, name something of ours? */
export function namesOurs(word: string, cwd: string | null, reach: Reach, ours: Ours): Hit | null {
  for (const each of braces(word)) {
    const text = withVariables(each, cwd, ours).replace(/[?*+@!]\([^()]*\)/g, '*');
    if (resolvePath(text, cwd) === null) {
      const what = isOurTail(text, reach, ours) ?? (reach === 'put' ? null : mayBeSettings(text, cwd, ours));
      if (what !== null) return { path: text, what };
    }
    for (const path of pathsOfWord(text, cwd, ours)) {
      const what = namesOf(path, ours)
        .map((name) => reached(name, reach, ours))
        .find((found) => found !== null);
      if (what !== undefined) return { path, what };
    }
  }
  return null;
}

/** The path, and where links on its way lead: those that are there, and those that the line makes. */
function namesOf(path: string, { real, linked }: Ours): readonly string[] {
  const led = linked === undefined ? [path] : linked(path);
  return [...new Set(led.flatMap((each) => [each, realFolder(each, real)]))];
}

/** What a glob stands for is not known, but where the folder before it lies is. */
function realFolder(path: string, real: Ours['real']): string {
  if (!isGlob(path)) return real(path);
  const names = path.split('/');
  const first = names.findIndex(isGlob);
  const folder = names.slice(0, first).join('/');
  return first < 2 ? path : `${real(folder)}/${names.slice(first).join('/')}`.replace(/^\/\//, '/');
}

/** Where a word may lead, links on its way included. */
export function pathsOf(word: string, cwd: string | null, ours: Ours): readonly string[] {
  return pathsOfWord(withVariables(word, cwd, ours), cwd, ours).flatMap((path) => namesOf(path, ours));
}

/** Where a word leads, with what is known of variables. */
export function placeOf(word: string, cwd: string | null, ours: Ours): string | null {
  return pathsOfWord(withVariables(word, cwd, ours), cwd, ours)[0] ?? null;
}

export function hitOf(path: string, { files }: Ours): Hit {
  return { path, what: files.includes(path) ? 'settings' : 'record' };
}

/** What of ours lies at this path, or below it; all of it where the path is in a directory of ours. */
export function oursBelow(word: string, cwd: string | null, ours: Ours): readonly string[] {
  const { all } = placesOf(ours);
  const paths = pathsOf(word, cwd, ours);
  return all.filter((each) =>
    paths.some((path) => {
      const is = matcher(path);
      return is(each) || above(each).some(is) || path.startsWith(`${each}/`);
    }),
  );
}

/** As the shell writes them out. A word with too many is taken as it is. */
export function braces(word: string): readonly string[] {
  let open = [word];
  for (let round = 0; round < 4; round++) {
    const next = open.flatMap((text) => {
      const found = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(text);
      if (found === null) return [text];
      const [, before = '', inner = '', after = ''] = found;
      return inner.split(',').map((part) => `${before}${part}${after}`);
    });
    if (next.length > MAX_BRACES) return [word];
    if (next.length === open.length) return next;
    open = next;
  }
  return open;
}

function withVariables(word: string, cwd: string | null, { variables }: Ours): string {
  const { HOME } = variables;
  const user = HOME?.slice(HOME.lastIndexOf('/') + 1);
  const home = word.replace(/^~(\+|[\w.-]*)(?=\/|$)/, (found, whose: string) =>
    whose === '+' ? (cwd ?? found) : HOME !== undefined && (whose === '' || whose === user) ? HOME : found,
  );
  return home.replace(/\$(?:\{(\w+)(?::?-[^}]*)?\}|(\w+))/g, (found, braced?: string, plain?: string) => {
    const name = braced ?? plain ?? '';
    return Object.hasOwn(variables, name) ? (variables[name] ?? found) : found;
  });
}

function reached(path: string, reach: Reach, ours: Ours): Hit['what'] | null {
  const { settings, record } = placesOf(ours);
  const { directories, root, variables } = ours;
  const isIn =
    reach === 'text'
      ? (names: ReadonlySet<string>) => [...names].some((name) => matchesText(path, name))
      : isGlob(path)
        ? (names: ReadonlySet<string>) => [...names].some(matcher(path))
        : (names: ReadonlySet<string>) => names.has(path);
  const puts = reach === 'put' || reach === 'into';
  const which = (side: keyof Side): Hit['what'] | null =>
    isIn(record[side]) && !(puts && isAnyName(path)) ? 'record' : isIn(settings[side]) ? 'settings' : null;
  if (directories.some((each) => prefixes(path, each) && !passesBy(path, each, ours))) return 'record';
  const own = which('own');
  if (own !== null || reach === 'inside' || reach === 'put') return own;
  if (reach === 'text') return which('parents');
  const isWhole = path === root || path === variables.HOME || path === '/';
  if (reach === 'above') return which('aboves');
  const found = isWhole ? null : which('parents');
  return reach === 'into' && found === 'record' && !/counterfoil/.test(path)
    ? isIn(settings.parents)
      ? 'settings'
      : null
    : found;
}

/** A glob at the end of a path that says next to nothing of the name. */
function isAnyName(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return isGlob(name) && name.replace(/\[[^\]]*\]|[*?.]/g, '').length < 3;
}

/** `.claude/$f`: what nobody knows could be the name of a file of ours, where the folder before it is known. */
function mayBeSettings(text: string, cwd: string | null, { files }: Ours): Hit['what'] | null {
  const pattern = text.replace(/\$\{[^}]{0,200}\}|\$\([^()]{0,400}\)|`[^`]*`|\$\w+/g, '*');
  const path = pattern.startsWith('*') ? null : resolvePath(pattern, cwd);
  return path !== null && isGlob(path) && files.some(matcher(path)) ? 'settings' : null;
}

/** Paths of ours, the folders that they are in, and everything above them. */
interface Side {
  readonly own: ReadonlySet<string>;
  readonly parents: ReadonlySet<string>;
  readonly aboves: ReadonlySet<string>;
}

interface OurPlaces {
  readonly all: readonly string[];
  readonly settings: Side;
  readonly record: Side;
}

const known = new WeakMap<Ours, OurPlaces>();

function placesOf(ours: Ours): OurPlaces {
  const before = known.get(ours);
  if (before !== undefined) return before;
  const side = (paths: readonly string[]): Side => ({
    own: new Set(paths),
    parents: new Set(paths.map(parent)),
    aboves: new Set(paths.flatMap(above)),
  });
  const { files, directories } = ours;
  const places = { all: [...files, ...directories], settings: side(files), record: side(directories) };
  known.set(ours, places);
  return places;
}

/** Does the path, which may hold a glob, lie in the directory? */
function prefixes(path: string, directory: string): boolean {
  if (path.startsWith(`${directory}/`)) return true;
  if (!isGlob(path)) return false;
  const depth = directory.split('/').length;
  const parts = path.split('/');
  return parts.length > depth && matcher(parts.slice(0, depth).join('/'))(directory);
}

/** `find /tmp -name '*.log'` goes through our notes in a temporary folder, and finds nothing: they have other names. */
function passesBy(path: string, directory: string, { ledger }: Ours): boolean {
  const [start = '', name = ''] = path.split(`/${ANY_DEPTH}/`);
  if (name === '' || start !== parent(directory) || !/^(?:\/private)?(?:\/var)?\/tmp$/.test(start))
    return false;
  return !['pause', 'left-1', encodeURIComponent(ledger)].some((each) => matchesText(name, each));
}

/** Equality, or for a glob that it could match. */
function matcher(path: string): (name: string) => boolean {
  if (!isGlob(path)) return (name) => name === path;
  const pattern = path.split('/');
  return (name) => matchesPath(pattern, name.split('/'));
}

function parent(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}

function above(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('/') || '/');
}

/** Of a path whose beginning is not known: two names or more at its end that are those of a file of ours. */
function isOurTail(text: string, reach: Reach, { directories, files, ledger }: Ours): Hit['what'] | null {
  const tail = text.replace(/^.*[$`][^/]*/s, '').replace(/^[^/]*\/\.?\//, '/');
  const known = /[$`]/.test(text) ? tail : `/${text.replace(/^(?:\.\/|~[^/]*\/)+/, '')}`;
  if (!/^\/[^/]+\/?/.test(known)) return null;
  const is = matcher(known.replace(/\/+$/, ''));
  const tails = (path: string): string[] =>
    above(path)
      .map((start) => path.slice(start === '/' ? 0 : start.length))
      .filter((end) => end.split('/').length > 2);
  if (files.some((path) => tails(path).some(is))) return 'settings';
  const name = `/${ledger.slice(ledger.lastIndexOf('/') + 1)}`;
  if (
    directories.length > 0 &&
    (known === name || known.startsWith(`${name}/`) || known.includes(`/counterfoil${name}`))
  )
    return 'record';
  if (reach === 'inside' || reach === 'text') return null;
  return files.some((path) => tails(parent(path)).some(is)) ? 'settings' : null;
}
