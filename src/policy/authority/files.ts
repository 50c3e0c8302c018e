// How a path in a call becomes what it needs: absolute, with its links resolved. The file system is asked through a port,
// because what a path leads to is known only on the machine, and only at that moment.
import { ALL_BELOW, type Need, type NeedSegment, pathSegments } from './need.ts';
import { ANY_NAME, type Wildcards } from './wildcards.ts';

/** What of the file system decides what a call touches. Paths are absolute; nothing throws. */
export interface FileView {
  /**
   * With all links resolved, as far as it exists; the rest as it is written, and so are links of a process in `/proc`. UNSEEN, and
   * what is below it, where that can't be told.
   */
  real(path: string): string;
  isFolder(path: string): boolean;
  /** The names in a folder, or those of them that match; null where they can't be told, or are too many. */
  names(folder: string, wildcards: Wildcards): readonly string[] | null;
}

export type FileAction = 'read' | 'write';

/** What these lead to is another thing for each process, so every file may be meant. */
const OF_PROCESS = /^\/(?:proc\/(?:self|thread-self|\d+)|dev\/(?:fd|stdin|stdout|stderr))(?:\/|$)/;
/** In place of a path that may not be looked at: a link may be there, so every file may be meant. */
export const UNSEEN = '/\0unseen';

const OF_SYSTEM = /^\/(?:proc|dev)\//;
/** Files in `/dev/shm` are files like others. */
const PLAIN_DEVICE = /^\/dev\/(?:(?:null|zero|urandom|tty)$|shm(?:\/|$))/;
/** No line is read that has such a path. */
export const isOfSystem = (path: string): boolean => OF_SYSTEM.test(path) && !PLAIN_DEVICE.test(path);

/** Of a path whose links were followed. */
export const mayBeAnyFile = (path: string): boolean => OF_PROCESS.test(path) || path.startsWith(UNSEEN);

export function fileNeed(action: FileAction, path: string, below?: typeof ALL_BELOW): Need {
  if (mayBeAnyFile(path)) return { domain: 'fs', action, segments: [ALL_BELOW] };
  const segments: NeedSegment[] = pathSegments(path);
  return { domain: 'fs', action, segments: below === undefined ? segments : [...segments, below] };
}

export function absolute(path: string, cwd: string): string {
  const parts: string[] = [];
  for (const part of pathSegments(path.startsWith('/') ? path : `${cwd}/${path}`)) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/**
 * Where a path leads. `..` behind a link leads to the folder above the link's target, so links are resolved before each.
 * `..` behind a link of a process may lead anywhere. With `itself`, a link at its end is meant, and not what it leads to.
 */
export function resolved(path: string, cwd: string, view: FileView, itself = false): string {
  const parts = pathSegments(path).filter((part) => part !== '.');
  // A slash behind a link is what it leads to.
  const last = itself && parts.at(-1) !== '..' && !/\/\.?$/.test(path) ? parts.pop() : undefined;
  let at = path.startsWith('/') ? '/' : cwd;
  for (const part of parts) {
    const led = part === '..' ? view.real(at) : at;
    // Above that, the kernel is where the process is, and not where the text is.
    if (part === '..' && mayBeAnyFile(led)) return UNSEEN;
    at = part === '..' ? above(led) : inside(at, part);
  }
  const real = view.real(at);
  return last === undefined ? real : inside(real, last);
}

/** `new/../x`: it goes through a name that may not be there yet, or no longer. `../x` does not. */
export function turnsBack(path: string): boolean {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  const first = names.findIndex((name) => name !== '..');
  return first !== -1 && names.indexOf('..', first) !== -1;
}

export const above = (path: string): string =>
  path.startsWith(UNSEEN) ? UNSEEN : path.slice(0, Math.max(1, path.lastIndexOf('/')));
export const inside = (folder: string, name: string): string => `${folder === '/' ? '' : folder}/${name}`;

/** What a word with wildcards stands for, from the folder at hand. At most so many; null where it can't be told. */
const MOST_NAMES = 1000;
export type GlobSegment = string | Wildcards;

export function expanded(
  segments: readonly GlobSegment[],
  start: string,
  view: FileView,
  itself = false,
): string[] | null {
  let places = [start];
  for (const [i, segment] of segments.entries()) {
    const isLast = itself && i === segments.length - 1;
    const next: string[] = [];
    for (const place of places) {
      if (typeof segment === 'string') {
        next.push(resolved(segment, place, view, isLast));
        continue;
      }
      const listed = view.names(place, segment);
      if (listed === null) return null;
      for (const name of listed) {
        if (!segment.test(name)) continue;
        next.push(resolved(name, place, view, isLast));
        if (next.length > MOST_NAMES) return null;
      }
    }
    places = next;
  }
  return places;
}

/** Whether a folder has such a name, also that of a link to nothing. */
export function isThere(path: string, view: FileView): boolean {
  return view.names(above(path), ANY_NAME)?.includes(path.slice(path.lastIndexOf('/') + 1)) === true;
}

const MOST_LOOKED_AT = 1000;

/** True also where it has too much in it to be looked through. */
export function hasLinks(view: FileView, folder: string): boolean {
  const folders = [folder];
  let left = MOST_LOOKED_AT;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    const names = view.names(at, ANY_NAME);
    left -= names?.length ?? left + 1;
    if (names === null || left < 0) return true;
    for (const name of names) {
      const path = `${at}/${name}`;
      if (view.real(path) !== path) return true;
      if (view.isFolder(path)) folders.push(path);
    }
  }
  return false;
}
