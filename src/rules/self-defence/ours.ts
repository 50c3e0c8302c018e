// What an agent must not touch, and whether a word of a command line names it. Words are the agent's: they may hold
// globs, braces and variables. Where a variable keeps the place unknown, the rest of the path decides: a name that only
// our files have counts as ours.
import { resolvePath } from '../command/places.ts';
import { isGlob, matchesPath } from './glob.ts';

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
}

/**
 * inside: the path is a file of ours, or lies in a directory of ours. parent: or it is the folder of such a file, but not
 * the workspace itself. above: or anything of ours lies below it.
 */
export type Reach = 'inside' | 'parent' | 'above';

const MAX_BRACES = 64;

/** Does the word, as a path, name something of ours? Gives the path. */
export function namesOurs(word: string, cwd: string | null, reach: Reach, ours: Ours): string | null {
  for (const each of braces(word)) {
    const text = withVariables(each, ours);
    const path = resolvePath(text, cwd);
    const isOurs =
      path === null
        ? isOurTail(text, reach, ours)
        : isOurPath(path, reach, ours) || isOurPath(real(path, ours), reach, ours);
    if (isOurs) return path ?? text;
  }
  return null;
}

/** As the shell writes them out. A word with too many is taken as it is. */
function braces(word: string): readonly string[] {
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

function withVariables(word: string, { variables }: Ours): string {
  const { HOME } = variables;
  const home = HOME === undefined ? word : word.replace(/^~(?=\/|$)/, HOME);
  return home.replace(/\$(?:\{(\w+)(?::?-[^}]*)?\}|(\w+))/g, (found, braced?: string, plain?: string) => {
    const name = braced ?? plain ?? '';
    return Object.hasOwn(variables, name) ? (variables[name] ?? found) : found;
  });
}

function real(path: string, ours: Ours): string {
  return isGlob(path) ? path : ours.real(path);
}

function isOurPath(path: string, reach: Reach, ours: Ours): boolean {
  const { files, parents, aboves } = placesOf(ours);
  const { directories, root, variables } = ours;
  const isIn = isGlob(path)
    ? (names: ReadonlySet<string>) => [...names].some(matcher(path))
    : (names: ReadonlySet<string>) => names.has(path);
  if (isIn(files) || directories.some((each) => prefixes(path, each))) return true;
  if (reach === 'inside') return false;
  const isWhole = path === root || path === variables.HOME || path === '/';
  return reach === 'parent' ? !isWhole && isIn(parents) : isIn(aboves);
}

interface OurPlaces {
  /** Files and directories of ours, the folders that they are in, and everything above them. */
  readonly files: ReadonlySet<string>;
  readonly parents: ReadonlySet<string>;
  readonly aboves: ReadonlySet<string>;
}

const known = new WeakMap<Ours, OurPlaces>();

function placesOf(ours: Ours): OurPlaces {
  const before = known.get(ours);
  if (before !== undefined) return before;
  const all = [...ours.files, ...ours.directories];
  const places = {
    files: new Set(all),
    parents: new Set(all.map(parent)),
    aboves: new Set(all.flatMap(above)),
  };
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
function isOurTail(text: string, reach: Reach, { directories, files, ledger }: Ours): boolean {
  const tail = text.replace(/^.*[$`][^/]*/s, '').replace(/^[^/]*\/\.?\//, '/');
  const known = /[$`]/.test(text) ? tail : `/${text.replace(/^(?:\.\/|~[^/]*\/)+/, '')}`;
  if (!/^\/[^/]+\/?/.test(known)) return false;
  const is = matcher(known.replace(/\/+$/, ''));
  const tails = (path: string): string[] =>
    above(path).map((start) => path.slice(start === '/' ? 0 : start.length));
  const ends = files.flatMap((path) => tails(path).filter((end) => end.split('/').length > 2));
  if (ends.some(is)) return true;
  const name = `/${ledger.slice(ledger.lastIndexOf('/') + 1)}`;
  if (
    directories.length > 0 &&
    (known === name || known.startsWith(`${name}/`) || known.includes(`/counterfoil${name}`))
  )
    return true;
  return (
    reach !== 'inside' &&
    files.some((path) => tails(parent(path)).some((end) => end.split('/').length > 2 && is(end)))
  );
}
